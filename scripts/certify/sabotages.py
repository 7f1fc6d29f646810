"""The table of sabotages: what is done to the checkout, and which check has to notice."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from .edits import Edit, append, both, delete, document, drop_row, evidence, insert_before, replace, row, sealed, twice

__all__ = ["SABOTAGES", "Sabotage"]

_DATA = "contracts/18.0.0"
_STOPS = "tests/reference/test_stop_calculus.py"
_STOP_MODEL = "tests/reference/stop_model.py"
_POLICY = "tests/reference/test_policy.py"
_CASES = "tests/golden/cases"
_ONE_CASE = f"{_CASES}/timeout/one-millisecond-over-the-call-limit.json"


@dataclass(frozen=True)
class Sabotage:
    """One of them; with `reseal` the saboteur runs `make seal` afterwards and forges a certificate that fits."""

    id: str
    check: str
    edit: Edit
    reseal: bool = True
    names: str = ""

    @property
    def named(self) -> str:
        """What the gate has to say, beside its exit code."""
        return self.names or f"{self.check}: "


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

_FUTURE = "from __future__ import annotations"

SABOTAGES: Sequence[Sabotage] = (
    # The frame.
    Sabotage(
        "delete-a-check", "stop-calculus", drop_row("stop-calculus"), reseal=False, names="`stop-calculus` has no row"
    ),
    Sabotage(
        "delete-a-check-and-its-id",
        "manifest",
        both(drop_row("stop-calculus"), replace("scripts/certify/required.py", '    "stop-calculus",\n', "")),
        names="`Stop Priority`",
    ),
    Sabotage("delete-certification", "golden", delete("certification"), reseal=False),
    Sabotage(
        "manifest-of-nothing", "golden", replace("certification/manifest.json", "{", ""), reseal=False, names="golden"
    ),
    Sabotage("a-check-twice", "manifest", both(twice("golden"), document), names="`golden` stands 2 times"),
    Sabotage("a-floor-of-zero", "golden", row("golden", floors={"cases": 0}), reseal=False, names="`golden`"),
    Sabotage("a-floor-of-one", "policy-model", row("policy-model", floors={"comparisons": 1}), names="policy-model: "),
    Sabotage("a-check-without-steps", "golden", row("golden", steps=[]), reseal=False, names="`golden`"),
    Sabotage("ci-without-the-gate", "manifest", replace(".ci/run", "make certify-quick\n", ""), names=".ci/run"),
    # The committed outcome.
    Sabotage(
        "stale-certificate",
        "certificate",
        both(
            append("backend/app/research/policy.py", "\n"),
            sealed,
        ),
        reseal=False,
        names="`golden`: its evidence belongs to another lock",
    ),
    Sabotage(
        "a-certificate-by-hand",
        "certificate",
        replace("CERTIFICATION.md", "checks executed", "checks executed with great care"),
        reseal=False,
        names="CERTIFICATION.md",
    ),
    Sabotage(
        "skips-in-the-evidence",
        "certificate",
        evidence("doors", "counts", skipped=3),
        reseal=False,
        names="`doors`: 3 skipped",
    ),
    Sabotage("a-red-verdict-kept", "certificate", evidence("ledger", verdict="red"), reseal=False, names="`ledger`"),
    Sabotage("evidence-with-a-time", "certificate", evidence("golden", seconds=12), reseal=False, names="`golden`"),
    Sabotage(
        "evidence-removed", "certificate", delete("certification/evidence/types.json"), reseal=False, names="`types`"
    ),
    # Frozen bytes.
    Sabotage("a-frozen-byte", "lock", append("backend/app/research/policy.py", "\n"), reseal=False),
    Sabotage("a-frozen-case", "lock", replace(_ONE_CASE, "\n  ", "\n   "), reseal=False),
    # Tests and oracles.
    Sabotage(
        "a-skipped-test",
        "policy-model",
        insert_before(_POLICY, "def test_a_grant", '@pytest.mark.skip(reason="later")'),
    ),
    Sabotage(
        "a-test-that-skips-itself", "policy-model", insert_before(_POLICY, "space = product", 'pytest.skip("later")')
    ),
    Sabotage(
        "an-expected-failure",
        "stop-calculus",
        insert_before(_STOPS, "def test_the_whole", "@pytest.mark.xfail(strict=False)"),
    ),
    Sabotage("a-removed-test-file", "policy-model", delete(_POLICY)),
    Sabotage("thinned-out-by-a-hook", "stop-calculus", append("tests/conftest.py", _THINNED)),
    Sabotage(
        "thinned-out-by-options",
        "exemptions",
        replace("pyproject.toml", 'addopts = "-ra', "addopts = \"-k 'not table' -ra"),
    ),
    Sabotage("an-oracle-that-agrees", "stop-calculus", append(_STOP_MODEL, _AGREEABLE)),
    Sabotage(
        "an-oracle-that-asks-the-product",
        "stop-calculus",
        append(_STOP_MODEL, "\nfrom app.research.resolver import resolve\n"),
    ),
    Sabotage(
        "no-comparison-and-swapped",
        "stop-calculus",
        both(
            _SWAP_DATA,
            replace(_STOPS, "assert _resolve(signals, empty, clarified) == want\n", "\n"),
            replace(_STOPS, "assert _resolve(tuple(reversed(signals)), empty, clarified) == want\n", "\n"),
            replace(_STOPS, "    assert [reason.value for reason in DATA.stops.order] == ORDER\n", ""),
        ),
        names="the resolver differs from the oracle",
    ),
    Sabotage(
        "a-clause-without-mark", "clauses", replace("tests/drift/test_contract.py", '@pytest.mark.clause("2.10")\n', "")
    ),
    Sabotage(
        "a-clause-that-is-skipped",
        "clauses",
        insert_before("tests/drift/test_contract.py", "def test_stop_table", "@pytest.mark.skip"),
    ),
    Sabotage(
        "a-ruling-without-mark",
        "rulings",
        replace("tests/unit/research/test_audience.py", '@pytest.mark.ruling("R3")\n', ""),
    ),
    # The rules themselves.
    Sabotage("swapped-priorities", "stop-calculus", both(_SWAP_DATA, _swapped("backend/app/kernel/stops.py"))),
    Sabotage("swapped-everywhere", "golden", both(_SWAP_DATA, _SWAP_TEXTS, _swapped("backend/app/kernel/stops.py"))),
    Sabotage("a-wider-cap", "policy-model", replace(f"{_DATA}/caps.json", _PRO_CALLS, _MORE_CALLS)),
    Sabotage(
        "a-wider-cap-everywhere",
        "golden",
        both(
            replace(f"{_DATA}/caps.json", _PRO_CALLS, _MORE_CALLS),
            replace("tests/reference/policy_model.py", "(5, 10, 5_000", "(50, 10, 5_000"),
        ),
    ),
    Sabotage(
        "one-call-too-many",
        "ledger",
        replace("backend/app/research/ledger.py", "if value <= limit:", "if value <= limit + 1:"),
    ),
    Sabotage(
        "a-screen-with-a-hole",
        "rooms",
        replace("backend/app/research/rules/injection-1.json", "ignore|disregard|", "ignore|"),
    ),
    Sabotage("a-case-by-hand", "golden", replace(_ONE_CASE, '"stop": "TIMEOUT"', '"stop": "NO_SOURCE"')),
    Sabotage("no-golden-cases", "golden", delete(f"{_CASES}/*/*.json"), reseal=False),
    Sabotage("a-stop-without-cases", "golden", delete(f"{_CASES}/timeout")),
    Sabotage("no-bypasses", "bypasses", delete("tests/architecture/bypasses/*")),
    Sabotage(
        "a-tool-in-another-room",
        "imports",
        insert_before("backend/app/research/validator.py", "__all__", "from ..tools import toolbox as _toolbox"),
    ),
    Sabotage(
        "a-hidden-import",
        "guard",
        append("backend/app/research/audience.py", '\n\ndef _door():\n    return __import__("socket")\n'),
    ),
    # Loosened rules and documents.
    Sabotage(
        "an-exemption-without-reason",
        "exemptions",
        replace(
            "backend/app/research/policy.py",
            f"{_FUTURE}\n",
            f"{_FUTURE}  # no" + "qa\n",
        ),
    ),
    Sabotage("types-that-may-lie", "exemptions", replace("pyproject.toml", "strict = true", "strict = false")),
    Sabotage("a-file-left-unlinted", "lint", append("backend/app/kernel/caps.py", "import os\n")),
    Sabotage(
        "a-schema-by-hand", "schemas", replace(f"{_DATA}/schema/grant.json", '"type": "integer"', '"type": "number"')
    ),
    Sabotage("a-stop-missing-in-the-readme", "documents", replace("README.md", "| 8 | `TIMEOUT` |", "| 8 | `TIME` |")),
    Sabotage(
        "a-command-renamed-in-the-docs",
        "documents",
        replace("docs/cli.md", "portcullis index DOCS", "portcullis reindex DOCS"),
    ),
)
