"""How sharp the oracles are: each must agree with the product and contradict every one of its mutants.

A test compares product and oracle; here the oracle itself is on trial, with a comparison of our own. One that was
softened until it agrees with anything lets a mutant live.
"""

from __future__ import annotations

import ast
from collections.abc import Callable, Iterator
from itertools import combinations, product
from pathlib import Path
from typing import TYPE_CHECKING, Any

from .results import Found

if TYPE_CHECKING:
    from app.kernel.contract import ContractData

__all__ = ["policy_mutants", "stop_mutants"]

_ORACLES = ("stop_model.py", "policy_model.py", "ledger_oracle.py")


def _independent(root: Path) -> list[str]:
    """An oracle that imports the product, or a module beside it, is none."""
    problems = []
    for name in _ORACLES:
        tree = ast.parse((root / "tests" / "reference" / name).read_text(encoding="utf-8"))
        for node in ast.walk(tree):
            modules = []
            if isinstance(node, ast.Import):
                modules = [alias.name for alias in node.names]
            elif isinstance(node, ast.ImportFrom):
                modules = ["." * node.level + (node.module or "")]
            problems += [
                f"the oracle {name} imports `{module}`"
                for module in modules
                if module.startswith((".", "app", "tests", "scripts", "importlib"))
            ]
    return problems


def stop_mutants(root: Path) -> Found:
    """The resolver agrees with the oracle everywhere; with two neighbours swapped or one action changed it does not."""
    from app.system.contract_files import read_contract

    contract = read_contract()
    cases = list(_stop_cases(contract))
    disagree = _stop_judge(root, contract)
    problems = _independent(root)
    wrong = [case for case in cases if disagree(case, contract)]
    if wrong:
        problems.append(f"the resolver differs from the oracle on {len(wrong)} of {len(cases)} cases, first {wrong[0]}")
    mutants = list(_stop_tables(contract))
    alive = [name for name, mutant in mutants if not any(disagree(case, mutant) for case in cases)]
    problems += [f"the oracle does not notice: {name}" for name in alive]
    return Found({"comparisons": len(cases), "mutants_refuted": len(mutants) - len(alive)}, {}, tuple(problems))


# Tier, environment, enabled, caps readable, owns the collection, sealed.
Inputs = tuple[Any, ...]
StopCase = tuple[tuple[str, ...], bool, bool]


def _stop_cases(contract: ContractData) -> Iterator[StopCase]:
    codes = [reason.value for reason in contract.stops.order]
    for size in range(len(codes) + 1):
        for raised in combinations(codes, size):
            yield from ((raised, empty, clarified) for empty in (True, False) for clarified in (True, False))


def _stop_judge(root: Path, contract: ContractData) -> Callable[[StopCase, ContractData], bool]:
    from tests.reference.stop_model import expected, priority_order

    from app.kernel.stops import Cause, Signal, StopReason
    from app.research.resolver import resolve

    text = (root / "contracts" / contract.version / "CONTRACT.md").read_text(encoding="utf-8")
    order = priority_order(text)
    signals = {reason.value: Signal(reason=reason, cause=Cause.TOOL_ERROR) for reason in StopReason}
    wanted: dict[StopCase, tuple[str, str]] = {}

    def disagree(case: StopCase, data: ContractData) -> bool:
        raised, empty, clarified = case
        if case not in wanted:
            wanted[case] = expected(raised, empty, clarified, order)
        verdict = resolve(tuple(signals[code] for code in raised), 0 if empty else 1, clarified, data)
        return (verdict.stop.value, verdict.action.value) != wanted[case]

    return disagree


def _stop_tables(contract: ContractData) -> Iterator[tuple[str, ContractData]]:
    from app.kernel.stops import Action

    entries = contract.stops.stop_reasons
    # The two that are derived from the bundle never meet, so the last pair cannot be told apart by any session.
    for place in range(len(entries) - 2):
        swapped = list(entries)
        swapped[place], swapped[place + 1] = swapped[place + 1], swapped[place]
        stops = contract.stops.model_copy(update={"stop_reasons": tuple(swapped)})
        name = f"{entries[place].code} and {entries[place + 1].code} swapped"
        yield name, contract.model_copy(update={"stops": stops})
    rows = contract.actions.rows
    for place, row in enumerate(rows):
        for action in Action:
            if action is not row.action:
                changed = (*rows[:place], row.model_copy(update={"action": action}), *rows[place + 1 :])
                actions = contract.actions.model_copy(update={"rows": changed})
                name = f"{row.stop} (empty {row.bundle_empty}, clarified {row.clarified}) answered with {action}"
                yield name, contract.model_copy(update={"actions": actions})


def policy_mutants(root: Path) -> Found:
    """Policy agrees with its model everywhere; with any one cap changed, or any one input ignored, it does not."""
    from tests.reference.policy_model import CAPS, effective, refused

    from app.kernel.caps import CapsTable, CapsUnusable, PolicyCaps
    from app.kernel.request import Grant, Principal, read_request
    from app.research.policy import Policy
    from app.system.contract_files import read_contract

    data = read_contract()
    problems = _independent(root)
    if not isinstance(data.caps, CapsTable):
        return Found(problems=(*problems, data.caps.why))
    table = data.caps
    fields = tuple(PolicyCaps.model_fields)

    def granted(caps: Any, inputs: Inputs) -> set[str] | tuple[int, ...]:
        tier, environment, enabled, readable, owns, sealed = inputs
        policy = Policy(
            environment=environment,
            research_enabled=enabled,
            sealed=sealed,
            caps=caps if readable else CapsUnusable(why="unreadable"),
            tools=data.tools,
        )
        principal = Principal(tenant="t", user="u", tier=tier, collections=("documents",) if owns else ())
        got = policy.grant(read_request(question="why?"), principal, "s-1", 1_000)
        if isinstance(got, Grant):
            return (*[int(getattr(got.caps, name)) for name in fields], got.budget_units)
        return {signal.reason.value for signal in got}

    def wanted(inputs: Inputs) -> set[str] | tuple[int, ...]:
        tier, environment, enabled, readable, owns, sealed = inputs
        reasons = refused(tier, environment, enabled, readable, owns, sealed)
        return reasons or effective(tier, environment, (None,) * len(fields), None)

    tiers, environments = ("FREE", "PRO", "MAX", "GOLD"), ("dev", "staging", "prod", "moon")
    space = list(product(tiers, environments, *[(True, False)] * 4))
    answers = {inputs: wanted(inputs) for inputs in space}
    wrong = [inputs for inputs in space if granted(table, inputs) != answers[inputs]]
    if wrong:
        problems.append(f"policy differs from its model on {len(wrong)} of {len(space)} inputs, first {wrong[0]}")
    if sorted(CAPS) != sorted((entry.tier, entry.environment) for entry in table.entries if entry.granted):
        problems.append("the model has caps for other tiers and environments than the table")
    mutants = alive = 0
    for name, mutant in _caps_tables(table, fields):
        mutants += 1
        if all(granted(mutant, inputs) == answers[inputs] for inputs in space):
            alive += 1
            problems.append(f"the model does not notice: {name}")
    # Each input matters: a model that ignores one gives the same answers without it.
    for place, values in enumerate((tiers, environments, *[(True, False)] * 4)):
        mutants += 1
        others = ((*inputs[:place], value, *inputs[place + 1 :]) for inputs in space for value in values)
        if all(
            answers[other] == answers[inputs] for inputs, other in zip(_each(space, len(values)), others, strict=True)
        ):
            alive += 1
            problems.append(f"the model ignores input {place + 1}")
    return Found({"comparisons": len(space), "mutants_refuted": mutants - alive}, {}, tuple(problems))


def _each(items: list[Any], times: int) -> Iterator[Any]:
    return (item for item in items for _ in range(times))


def _caps_tables(table: Any, fields: tuple[str, ...]) -> Iterator[tuple[str, Any]]:
    for place, entry in enumerate(table.entries):
        for name in fields if entry.caps else ():
            caps = entry.caps.model_copy(update={name: getattr(entry.caps, name) + 1})
            changed = (*table.entries[:place], entry.model_copy(update={"caps": caps}), *table.entries[place + 1 :])
            yield (
                f"{name} of {entry.tier} in {entry.environment} one higher",
                table.model_copy(update={"entries": changed}),
            )
