"""What was seen of a session, as plain data: outcome, record, calls and ledger, for the oracle to judge."""

from __future__ import annotations

import json
from typing import Any

from app.kernel.outcome import ResearchOutcome
from app.research.audience import for_caller, for_end_user


def observed(player: Any, standing: list[int], replayed: str) -> dict[str, Any]:
    """The session of a player."""
    lines = player.lines()
    record = [json.loads(line) for line in lines]
    last = record[-1]["step"] if record else None
    state = {"Closed": "closed", "Recovered": "recovered", None: "none"}.get(last, "open")
    seen = {
        "state": state,
        "journal": [[line["step"], line["reads"]] for line in record],
        "started_calls": player.tool.started,
        "ledger": standing,
        "replay": replayed,
        "same_again": player.same_again,
        "happened": sorted(player.happened | _told_by(record, player.tool.calls)),
        "lines": [line.decode() for line in lines],
    }
    if player.outcome is not None:
        return {**seen, **_outcome(player.outcome)}
    ends = [line["facts"] for line in record if line["step"] in ("Closed", "Recovered")]
    if not ends:
        return {**seen, "stop": None}
    return {**seen, **_recorded(record, ends[0])}


def _told_by(record: list[dict[str, Any]], calls: dict[str, dict[str, Any]]) -> set[str]:
    """The faults of tools that took effect: on record as ended, or, for those that are never in time, as cut."""
    found = set()
    for line in record:
        if line["step"] == "Called":
            does, ended = calls[line["facts"]["outcome"]["call_id"]]["does"], line["facts"]["input"]["ended"]
            if ended != "lost" and (ended == "cut") == (does in ("hang", "slow_loris")):
                found.add(does)
    return found - {"answer"}


def _recorded(record: list[dict[str, Any]], end: dict[str, Any]) -> dict[str, Any]:
    """Nobody got the outcome, because the caller or the process had gone: the record has to tell."""
    verdict = end["verdict"]
    told = {"stop": verdict["stop"], "action": verdict["action"], "signals": _signals(verdict.get("signals", []))}
    if "ended" not in end:
        return told
    calls = [line["facts"] for line in record if line["step"] == "Called"]
    return {
        **told,
        "calls": [_call(call["outcome"]) for call in calls],
        "withheld": len(end["withheld"]),
        "spent": end["spent_units"],
        "elapsed": end["elapsed_ms"],
        "ended": end["ended"],
        "retry_at": verdict.get("retry_at_ms"),
    }


def _call(c: dict[str, Any]) -> list[Any]:
    # A record leaves out what is at its default.
    return [
        c["call_id"],
        c["status"],
        c.get("unavailable"),
        c["spent_units"],
        c["elapsed_ms"],
        c.get("candidates", 0),
        c.get("accepted", 0),
    ]


def _signals(signals: list[dict[str, Any]]) -> list[list[str]]:
    """Reason, cause and call; several directives of one call tell no more than one."""
    found: list[list[str]] = []
    for signal in signals:
        one = [signal["reason"], signal["cause"], signal.get("call_id", "")]
        if signal["cause"] != "directive" or one not in found:
            found.append(one)
    return found


def _outcome(outcome: ResearchOutcome) -> dict[str, Any]:
    shown = outcome.model_dump(mode="json")
    caller, user = for_caller(outcome), for_end_user(outcome)
    verdict = shown["verdict"]
    return {
        "stop": verdict["stop"],
        "action": verdict["action"],
        "signals": _signals(verdict["signals"]),
        "calls": [_call(call) for call in shown["outcomes"]],
        "rejections": [[r["call_id"], r["position"], r["code"]] for r in shown["rejections"]],
        "sources": [[s["call_id"], s["text"]] for s in shown["bundle"]["sources"]],
        "withheld": len(shown["bundle"]["withheld_source_ids"]),
        "spent": shown["spent_units"],
        "started": shown["started_at_ms"],
        "elapsed": shown["elapsed_ms"],
        "ended": shown["ended"],
        "retry_at": verdict["retry_at_ms"],
        "text": outcome.text,
        "bundle": shown["bundle"]["digest"],
        "told": {
            "user": [user.action.value, user.text, len(user.sources)],
            "caller": [caller.action.value, len(caller.sources), caller.cost.tool_calls, caller.cost.units,
                       None if caller.error is None else [caller.error.kind, caller.error.retryable],
                       [[gap.kind, gap.detail] for gap in caller.gaps]],
        },
    }  # fmt: skip
