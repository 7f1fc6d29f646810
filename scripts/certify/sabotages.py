"""The table of sabotages: what is done to the checkout, and which check has to notice."""

from __future__ import annotations

from collections.abc import Sequence

from .edits import (
    Edit,
    append,
    both,
    delete,
    document,
    drop_row,
    everywhere,
    insert_before,
    replace,
    row,
    twice,
)
from .manifest import MANIFEST
from .sabotage_row import Sabotage
from .sabotages_of_evidence import EVIDENCE_SABOTAGES

__all__ = ["SABOTAGES", "Sabotage"]

_DATA = "contracts/18.0.0"
_STOPS = "tests/reference/test_stop_calculus.py"
_STOP_MODEL = "tests/reference/stop_model.py"
_POLICY = "tests/reference/test_policy.py"
_CASES = "tests/golden/cases"
_TESTS = "tests/**/test_*.py"
_ROOM = "backend/app/research/policy.py"
_ONE_CASE = f"{_CASES}/timeout/one-millisecond-over-the-call-limit.json"


def _swapped(*names: str) -> Edit:
    """Two neighbours of the priority list, by an intermediate word."""
    first, second, between = "RATE_LIMITED", "BUDGET_EXHAUSTED", "SOMETHING_BETWEEN"
    steps = ((first, between), (second, first), (between, second))
    return both(*(replace(name, old, new) for name in names for old, new in steps))


_SWAP_DATA = both(
    replace(f"{_DATA}/stop_reasons.json", '"code": "RATE_LIMITED"', '"code": "SOMETHING_BETWEEN"'),
    replace(f"{_DATA}/stop_reasons.json", '"code": "BUDGET_EXHAUSTED"', '"code": "RATE_LIMITED"'),
    replace(f"{_DATA}/stop_reasons.json", '"code": "SOMETHING_BETWEEN"', '"code": "BUDGET_EXHAUSTED"'),
)
_LIST = ("6. **RATE_LIMITED**", "7. **BUDGET_EXHAUSTED**", "6. **BUDGET_EXHAUSTED**", "7. **RATE_LIMITED**")
_SWAP_TEXTS = both(
    *(
        both(
            replace(name, _LIST[0], "6. **X**"), replace(name, _LIST[1], _LIST[3]), replace(name, "6. **X**", _LIST[2])
        )
        for name in (f"{_DATA}/CONTRACT.md", "docs/PHASE18_RESEARCH_CONTRACT.md")
    )
)
_PRO_CALLS = '"granted": true,\n      "caps": {\n        "max_tool_calls_total": 5,'
_MORE_CALLS = _PRO_CALLS.replace("5,", "50,")
_AGREEABLE = '''

class _Agreeable(tuple):
    def __eq__(self, other):
        return True

    def __ne__(self, other):
        return False


_strict = expected


def expected(signals, empty, clarified, order):
    """Whatever you say."""
    return _Agreeable(_strict(signals, empty, clarified, order))
'''
_THINNED = '''

def pytest_collection_modifyitems(items):
    """Leaves the long ones out."""
    items[:] = [item for item in items if "whole_table" not in item.name]
'''

_FAILING = replace(_STOPS, "assert len(SIGNALLED) == 9", "assert len(SIGNALLED) == 8")
_FUTURE = "from __future__ import annotations"

SABOTAGES: Sequence[Sabotage] = (
    *EVIDENCE_SABOTAGES,
    # The frame.
    Sabotage("delete-a-check", "stop-calculus", "`stop-calculus` has no row", drop_row("stop-calculus"), reseal=False),
    Sabotage(
        "delete-a-check-and-its-id",
        "manifest",
        "no check shows `Stop Priority`",
        both(drop_row("stop-calculus"), replace("scripts/certify/required.py", '    "stop-calculus",\n', "")),
    ),
    Sabotage("delete-certification", "golden", "golden: the manifest", delete("certification"), reseal=False),
    Sabotage("a-broken-manifest", "golden", "golden: the manifest", replace(MANIFEST, "{", ""), reseal=False),
    Sabotage("a-check-twice", "manifest", "`golden` stands 2 times", both(twice("golden"), document)),
    Sabotage("a-floor-of-zero", "golden", "`golden` floors", row("golden", floors={"cases": 0}), reseal=False),
    Sabotage(
        "a-floor-of-one",
        "policy-model",
        "comparisons found and only 1 required",
        both(row("policy-model", floors={"comparisons": 1}), document),
    ),
    Sabotage("a-check-without-steps", "golden", "`golden` steps", row("golden", steps=[]), reseal=False),
    Sabotage(
        "a-test-that-is-not-sealed",
        "manifest",
        "`shape`: `tests/unit/parsing` is not sealed",
        row("shape", steps=[{"run": "tests", "paths": ["tests/unit/parsing"]}]),
    ),
    Sabotage("ci-without-the-gate", "manifest", "`certificate`: .ci/run", replace(".ci/run", " certify-quick", "")),
    Sabotage(
        "ci-passes-over-the-gate",
        "manifest",
        "`certificate`: .ci/run",
        replace(".ci/run", " certify-quick", " certify-quick || true"),
    ),
    # Frozen bytes.
    Sabotage("a-frozen-byte", "lock", "app/research/policy.py", append(_ROOM, "\n"), reseal=False),
    Sabotage("a-frozen-case", "lock", _ONE_CASE, replace(_ONE_CASE, "\n  ", "\n   "), reseal=False),
    # Tests and oracles.
    Sabotage(
        "a-skipped-test",
        "policy-model",
        "test_a_grant_names_what_may_be_used skipped",
        insert_before(_POLICY, "def test_a_grant", '@pytest.mark.skip(reason="later")'),
    ),
    Sabotage(
        "a-test-that-skips-itself",
        "policy-model",
        "test_every_refusal skipped",
        insert_before(_POLICY, "space = product", 'pytest.skip("later")'),
    ),
    Sabotage(
        "an-expected-failure",
        "stop-calculus",
        "test_the_whole_table xfailed",
        both(insert_before(_STOPS, "def test_the_whole", "@pytest.mark.xfail(strict=False)"), _FAILING),
    ),
    Sabotage("a-removed-test-file", "policy-model", f"no test under {_POLICY}", delete(_POLICY)),
    Sabotage("thinned-out-by-a-hook", "stop-calculus", "tests, at least", append("tests/conftest.py", _THINNED)),
    Sabotage(
        "thinned-out-by-options",
        "exemptions",
        "addopts is not",
        replace("pyproject.toml", 'addopts = "-ra', "addopts = \"-k 'not table' -ra"),
    ),
    Sabotage("an-oracle-that-agrees", "stop-calculus", "the oracle does not notice", append(_STOP_MODEL, _AGREEABLE)),
    Sabotage(
        "an-oracle-that-asks-the-product",
        "stop-calculus",
        "imports `app.research.resolver`",
        append(_STOP_MODEL, "\nfrom app.research.resolver import resolve\n"),
    ),
    Sabotage(
        "no-comparison-and-swapped",
        "stop-calculus",
        "the resolver differs from the oracle",
        both(
            _SWAP_DATA,
            replace(_STOPS, "assert _resolve(signals, empty, clarified) == want\n", "\n"),
            replace(_STOPS, "assert _resolve(tuple(reversed(signals)), empty, clarified) == want\n", "\n"),
            replace(_STOPS, "    assert [reason.value for reason in DATA.stops.order] == ORDER\n", ""),
        ),
    ),
    Sabotage(
        "a-clause-without-mark",
        "clauses",
        "2.10 has no test",
        everywhere(_TESTS, '@pytest.mark.clause("2.10")\n', ""),
    ),
    Sabotage(
        "a-clause-whose-test-is-skipped",
        "clauses",
        "2.10 has no test",
        everywhere(_TESTS, '@pytest.mark.clause("2.10")\n', '@pytest.mark.clause("2.10")\n@pytest.mark.skip\n'),
    ),
    Sabotage(
        "a-ruling-without-mark",
        "rulings",
        "R3 has no test",
        everywhere(_TESTS, '@pytest.mark.ruling("R3")\n', ""),
    ),
    # The rules themselves.
    Sabotage(
        "swapped-priorities",
        "stop-calculus",
        "the resolver differs from the oracle",
        both(_SWAP_DATA, _swapped("backend/app/kernel/stops.py")),
    ),
    Sabotage(
        "swapped-in-every-text",
        "golden",
        "ends otherwise: ",
        both(_SWAP_DATA, _SWAP_TEXTS, _swapped("backend/app/kernel/stops.py")),
    ),
    Sabotage(
        "a-wider-cap",
        "policy-model",
        "policy differs from its model",
        replace(f"{_DATA}/caps.json", _PRO_CALLS, _MORE_CALLS),
    ),
    Sabotage(
        "a-wider-cap-in-the-model-too",
        "golden",
        "six-calls-where-five-are-allowed ends otherwise",
        both(
            replace(f"{_DATA}/caps.json", _PRO_CALLS, _MORE_CALLS),
            replace("tests/reference/policy_model.py", "(5, 10, 5_000", "(50, 10, 5_000"),
        ),
    ),
    Sabotage(
        "one-unit-too-many",
        "ledger",
        "tests/reference/test_ledger",
        replace("backend/app/research/ledger.py", "if value <= limit:", "if value <= limit + 1:"),
    ),
    Sabotage(
        "a-screen-with-a-hole",
        "rooms",
        "test_injection.py",
        replace("backend/app/screen/rules/injection-2.json", "ignore|disregard|", "ignore|"),
    ),
    Sabotage(
        "a-case-by-hand",
        "golden",
        "one-millisecond-over-the-call-limit ends otherwise: stop",
        replace(_ONE_CASE, '"stop": "TIMEOUT"', '"stop": "NO_SOURCE"'),
    ),
    Sabotage("no-golden-cases", "golden", "0 cases, at least", delete(f"{_CASES}/*/*.json"), reseal=False),
    Sabotage("a-stop-without-cases", "golden", "10 stops, at least 11", delete(f"{_CASES}/timeout")),
    Sabotage("no-bypasses", "bypasses", "0 bypasses, at least", delete("tests/architecture/bypasses/*")),
    Sabotage(
        "a-tool-in-another-room",
        "imports",
        "`lint-imports",
        insert_before("backend/app/research/validator.py", "__all__", "from ..tools import toolbox as _toolbox"),
    ),
    Sabotage(
        "a-hidden-import",
        "guard",
        "backend/app/research/audience.py",
        append("backend/app/research/audience.py", '\n\ndef _door() -> object:\n    return __import__("socket")\n'),
    ),
    # Loosened rules and documents.
    Sabotage(
        "an-exemption-without-reason",
        "exemptions",
        f"{_ROOM}:3 loosens a rule",
        replace(_ROOM, f"{_FUTURE}\n", f"{_FUTURE}  # no" + "qa\n"),
    ),
    Sabotage(
        "types-that-may-lie",
        "exemptions",
        "mypy.strict is not",
        replace("pyproject.toml", "strict = true", "strict = false"),
    ),
    Sabotage(
        "a-wrong-type", "types", "`mypy` exits with 1", append(_ROOM, "\n\ndef _number() -> int:\n    return None\n")
    ),
    Sabotage(
        "an-unused-import", "lint", "`ruff check .` exits with 1", append("backend/app/kernel/caps.py", "import os\n")
    ),
    Sabotage(
        "a-schema-by-hand",
        "schemas",
        "grant.json",
        replace(f"{_DATA}/schema/grant.json", '"type": "integer"', '"type": "number"'),
    ),
    Sabotage(
        "a-stop-renamed-in-the-readme",
        "documents",
        "test_the_tables_are_those_of_the_contract failed",
        replace("README.md", "| 8 | `TIMEOUT` |", "| 8 | `TIME` |"),
    ),
    Sabotage(
        "a-command-renamed-in-the-docs",
        "documents",
        "test_documents.py::test_commands failed",
        replace("docs/cli.md", "portcullis index DOCS", "portcullis reindex DOCS"),
    ),
)
