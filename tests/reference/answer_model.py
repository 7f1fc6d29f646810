"""What the end of one tool call means, from rulings R2, R7, R16, R17 and R21: status, price, signal, sources."""

from __future__ import annotations

from tests.simulation.scenario.texts import item_fields, item_text

_VIOLATIONS = {
    "DestinationForbidden": "destination_forbidden",
    "OperationForbidden": "operation_forbidden",
    "OutputTooLarge": "output_too_large",
    "WorkerKilled": "worker_killed",
}
_WRONG = {
    "scheme": "unsafe_locator",
    "shape": "unsafe_shape",
    "collection": "unsafe_substitute",
    "substitute": "unsafe_substitute",
}
_POOR = {"blank": "empty", "short": "too_short", "garbage": "undecodable"}


def answer_of(call):
    """The answer of a call that ended in time; `kept` says whether it goes to the content store."""
    match call["does"]:
        case "exception" | "base_exception" | "self_cancel":
            return _stopped("crashed", "INTERNAL_INCONSISTENCY", "tool_error")
        case "sandbox_violation":
            return _stopped("violated", "SANDBOX_VIOLATION", _VIOLATIONS[call["how"]])
        case "huge":
            return _stopped("violated", "SANDBOX_VIOLATION", "output_too_large")
        case "own_cut":
            return _stopped("timed_out", "TIMEOUT", "per_call_timeout")
        case "wrong_type" | "unknown_outage":
            return _stopped("failed", "VALIDATION_FAIL", "tool_output_invalid")
        case "overspend":
            return {**_stopped("failed", "VALIDATION_FAIL", "tool_output_invalid"), "kept": True}
    outage = call.get("outage")
    if outage:
        raised = call["by"] == "raise"
        spent = 0 if raised else call["spent"]
        return {"status": "unavailable", "unavailable": outage, "spent": spent, "items": [], "signal": None,
                "kept": not raised}  # fmt: skip
    status = "ok" if call["items"] else "empty"
    return {"status": status, "unavailable": None, "spent": call["spent"], "items": call["items"], "signal": None,
            "kept": True}  # fmt: skip


def body_of(call):
    """An answer as the content store has it: two answers that say the same are one object."""
    if call.get("outage"):
        return [call["outage"], call["spent"]]
    cut = call["does"] == "truncated" and bool(call["items"])
    return [cut, call["spent"], [item_fields(item, "", call["id"]) for item in call["items"]]]


def _stopped(status, reason, cause):
    return {"status": status, "signal": (reason, cause), "kept": False}


def judge_items(items, call_id, before):
    """Each candidate in order, against all that were accepted before it; one with a directive is no candidate (R7)."""
    sources, rejections, signals, place = [], [], [], 0
    for item in items:
        if "directive" in item:
            continue
        text = item_text(item)
        code = _WRONG.get(item.get("wrong")) or _POOR.get(item.get("as")) or _seen(item, text, [*before, *sources])
        if code is None:
            sources.append((call_id, text, item.get("kind", "passage")))
        else:
            rejections.append((call_id, place, code))
        if code in _WRONG.values():
            signals.append(("VALIDATION_FAIL", "unsafe_source", call_id))
        place += 1
    directives = any("directive" in item for item in items)
    return {"sources": sources, "rejections": rejections, "signals": signals, "candidates": place,
            "directives": directives}  # fmt: skip


def _seen(item, text, before):
    is_hit = item.get("kind", "passage") == "hit"  # evidence does not repeat the hit that led to it
    before = [source for source in before if (source[2] == "hit") is is_hit]
    if any(text == other for _, other, _ in before):
        return "duplicate"
    near = {item_text({**item, "as": variant}) for variant in ("good", "near")}
    return "near_duplicate" if any(other in near for _, other, _ in before) else None
