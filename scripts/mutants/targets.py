"""Which files are mutated, how many of their mutants must be noticed, and which tests may notice."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

__all__ = ["SLOW", "TESTS", "floor_of", "target_files"]

_APP = "backend/app"
# In thousandths of the mutants that are not shown to be equivalent.
_RULES: Mapping[str, int] = dict.fromkeys(
    (f"{_APP}/research/{room}.py" for room in ("bundle", "ledger", "policy", "resolver", "router")), 1000
)
_NAMED: Mapping[str, int] = dict.fromkeys(
    (
        *(f"{_APP}/parsing/url/{room}.py" for room in ("addresses", "journeys", "urls")),
        # The adapter's rooms, and those that write, read and repeat the journal.
        *(
            f"{_APP}/research/{room}.py"
            for room in ("adapter", "call_results", "injection", "time_limits", "validator")
        ),
        *(f"{_APP}/research/record/{room}.py" for room in ("history", "memory", "replay", "session_log")),
        f"{_APP}/system/stores/journal/files.py",
    ),
    950,
)
# Without capability and ports: their few mutants are types, which only a type checker could notice.
_NOUNS = "calls caps contract document_index errors journal_records ledger outcome request results stops tripwire"
_KERNEL: Mapping[str, int] = {
    **dict.fromkeys((f"{_APP}/kernel/{room}.py" for room in _NOUNS.split()), 950),
    # Survivors only take the slow encoder where the fast one would do, or rename a type.
    f"{_APP}/kernel/canonical.py": 811,
    # Two of 22: a look before the same answer, and the spelling of a codec.
    f"{_APP}/kernel/models.py": 909,
}
_FLOORS: Mapping[str, int] = {**_RULES, **_NAMED, **_KERNEL}

# Tests that judge behaviour. Those that compare source text with LOCK or with lists would notice every edit of a
# file, harmless ones too; they have no say.
TESTS = (
    "tests/drift/test_contract.py",
    "tests/drift/test_schemas.py",
    "tests/golden/test_golden.py",
    "tests/property/test_folding.py",
    "tests/property/test_screening.py",
    "tests/property/test_url_judgement.py",
    "tests/reference/test_earlier_mistakes.py",
    "tests/reference/test_ledger_bad_input.py",
    "tests/reference/test_ledger_conformance.py",
    "tests/reference/test_policy.py",
    "tests/reference/test_stop_calculus.py",
    "tests/simulation/test_cutting.py",
    "tests/simulation/test_records.py",
    "tests/simulation/test_sessions.py",
    "tests/unit/capabilities",
    "tests/unit/kernel",
    "tests/unit/parsing/test_addresses.py",
    "tests/unit/parsing/test_http_fields.py",
    "tests/unit/parsing/test_responses.py",
    "tests/unit/parsing/test_url_tables.py",
    "tests/unit/parsing/test_urls.py",
    "tests/unit/research",
    "tests/unit/screen",
    "tests/unit/system/test_content_files.py",
    "tests/unit/system/test_journal_files.py",
    "tests/unit/system/test_journal_moments.py",
    "tests/unit/system/test_journal_places.py",
)
# Longer than the rest together, or about processes of their own, in which no mutant is planted.
SLOW = (
    "tests/reference/test_ledger_bad_input.py::test_a_forked_process_must_not_use_the_parents_connection",
    "tests/reference/test_ledger_conformance.py::TestMemoryAgainstOracle",
    "tests/reference/test_ledger_conformance.py::TestSqliteAgainstOracle",
    "tests/simulation/test_cutting.py::test_the_process_of_ask_ends_soon_after_its_limit",
    "tests/unit/parsing/test_responses.py::test_a_line_of_many_megabytes_is_read_or_cut_and_never_a_surprise",
)


def target_files(root: Path) -> tuple[str, ...]:
    """The kernel, the rules, the adapter, the screen, the journal and the judgement of URLs."""
    return tuple(sorted(name for name in _FLOORS if (root / name).is_file()))


def floor_of(name: str) -> int:
    """Of a thousand mutants that are not equivalent, how many must be noticed."""
    return _FLOORS[name]
