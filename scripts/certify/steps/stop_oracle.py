"""How sharp the oracle of the stop calculus is: it must agree with the product and contradict every one of its mutants.

A test compares product and oracle; here the oracle itself is on trial, with a comparison of our own. One that was
softened until it agrees with anything lets a mutant live.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from itertools import combinations
from pathlib import Path
from typing import TYPE_CHECKING

from scripts.certify.results import Found

from .oracles import independent

if TYPE_CHECKING:
    from app.kernel.contract import ContractData

__all__ = ["stop_mutants"]


def stop_mutants(root: Path) -> Found:
    """The resolver agrees with the oracle everywhere; with two neighbours swapped or one action changed it does not."""
    from app.system.contract_files import read_contract

    contract = read_contract()
    cases = list(_stop_cases(contract))
    disagree = _stop_judge(root, contract)
    problems = independent(root)
    wrong = [case for case in cases if disagree(case, contract)]
    if wrong:
        problems.append(f"the resolver differs from the oracle on {len(wrong)} of {len(cases)} cases, first {wrong[0]}")
    mutants = list(_stop_tables(contract))
    alive = [name for name, mutant in mutants if not any(disagree(case, mutant) for case in cases)]
    problems += [f"the oracle does not notice: {name}" for name in alive]
    return Found({"comparisons": len(cases), "mutants_refuted": len(mutants) - len(alive)}, {}, tuple(problems))


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
