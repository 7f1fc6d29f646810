"""How sharp the oracle of policy is: it must agree with the product and contradict every one of its mutants.

A test compares product and oracle; here the oracle itself is on trial, with a comparison of our own. One that was
softened until it agrees with anything lets a mutant live.
"""

from __future__ import annotations

from collections.abc import Iterator
from itertools import product
from pathlib import Path
from typing import Any

from scripts.certify.results import Found

from .oracles import independent

__all__ = ["policy_mutants"]

# Tier, environment, enabled, caps readable, owns the collection, sealed.
Inputs = tuple[Any, ...]


def policy_mutants(root: Path) -> Found:
    """Policy agrees with its model everywhere; with any one cap changed, or any one input ignored, it does not."""
    from tests.reference.policy_model import CAPS, effective, refused

    from app.kernel.caps import CapsTable, CapsUnusable, PolicyCaps
    from app.kernel.request import Grant, Principal, read_request
    from app.research.policy import Policy
    from app.system.contract_files import read_contract

    data = read_contract()
    problems = independent(root)
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
        )
        principal = Principal(tenant="t", user="u", tier=tier, collections=("documents",) if owns else ())
        got = policy.grant(read_request(question="why?"), principal, "s-1", 1_000, ("doc_lookup",))
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
