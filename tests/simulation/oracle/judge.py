"""The judgement: what was seen of each session of a world, held against what must have come out."""

from __future__ import annotations

import hashlib
import json
import re

from tests.reference.policy_model import effective
from tests.reference.session_model import CAPS, ORDER
from tests.reference.stop_model import CONTRACT
from tests.simulation.oracle.worlds import WorldModel
from tests.simulation.scenario.texts import DIRECTIVES

COMPARED = ("stop", "action", "calls", "rejections", "sources", "withheld", "spent", "started", "elapsed", "ended",
            "retry_at", "state", "journal", "started_calls", "ledger")  # fmt: skip
# §6.2, the two fixed texts.
ASK, UNKNOWN = re.findall(r'^"(.+)"$', CONTRACT.read_text(encoding="utf-8").split("### 6.2", 1)[1], re.MULTILINE)[:2]
# R6, R14: the fixed text of each action, by hand; the baseline names no source and claims no search.
TEXTS = {
    "ASK_CLARIFY": ASK,
    "UNKNOWN": UNKNOWN,
    "BASELINE": "This is a general answer; no research was used for it.",
    "GROUNDED": "Here is what the sources say.",
}
# R14: what no end user reads, whatever the fixed texts are: codes, names of caps, and marks of citations.
_MARKS = re.compile(r"\[\^?\d+\]|[\u3010\u3011\u2020\u00b9\u00b2\u00b3\u2070-\u2079]|https?://|\(\D*\d{4}\)")
# R18: what a caller may learn of a stop.
ERRORS = {
    "INTERNAL_INCONSISTENCY": ["upstream_unavailable", False],
    "SANDBOX_VIOLATION": ["upstream_unavailable", False],
    "INJECTION_DETECTED": ["upstream_unavailable", False],
    "ENTITLEMENT_CAP": ["config", False],
    "POLICY_DISABLED": ["config", False],
    "RATE_LIMITED": ["rate_limited", True],
    "BUDGET_EXHAUSTED": ["upstream_unavailable", True],
    "TIMEOUT": ["upstream_unavailable", True],
}
DENIED = ("auth", "paywall", "robots", "blocked", "refused_destination")
UNREAD = ("too_large", "unreadable")
SECRET = ("INTERNAL_INCONSISTENCY", "SANDBOX_VIOLATION", "INJECTION_DETECTED")


def judge(world, seen):
    """For each session, what is wrong with it; nothing, where all is right."""
    wanted = WorldModel(world).run()
    return [_one(given, want, got) for given, want, got in zip(world["sessions"], wanted, seen, strict=True)]


def _one(given, want, got):
    wrong = [
        f"{name}: wanted {_short(want[name])}, got {_short(got.get(name))}"
        for name in COMPARED
        if name in want and want[name] != got.get(name) and (name in got or "text" in got)
    ]
    if _reasons(want) != _reasons(got):
        wrong.append(f"signals: wanted {_reasons(want)}, got {_reasons(got)}")
    wrong += _chain(got["lines"])
    wrong += _caps(given, got)
    replay = "none" if not got["journal"] else "identical" if got["journal"][0][0] == "Opened" else "damaged"
    if got["replay"] != replay:
        wrong.append(f"replay: wanted {replay}, got {got['replay']}")
    if got["same_again"] is False:
        wrong.append("the key gave another outcome the second time")
    if "text" in got:
        wrong += _told(got)
    return wrong


def _reasons(result):
    """Signals in order; policy names reasons in an order of its own, and nobody may depend on it."""
    signals = result.get("signals", [])
    if any(reason in ("ENTITLEMENT_CAP", "POLICY_DISABLED") for reason, _, _ in signals):
        return sorted({reason for reason, _, _ in signals})
    return [list(signal) for signal in signals]


def _short(value):
    text = json.dumps(value)
    return text if len(text) <= 400 else f"{text[:400]}..."


def _chain(lines):
    """The record, line by line: canonical, each vouching for itself and naming the one before (R19)."""
    before = "0" * 64
    for number, line in enumerate(lines, start=1):
        found = json.loads(line)
        body, _, _ = line.rpartition(',"sum":"')
        digest = hashlib.sha256(body.encode()).hexdigest()
        canonical = json.dumps(found, sort_keys=True, ensure_ascii=False, separators=(",", ":"))
        if canonical != line or found["prev"] != before or found["sum"] != digest:
            return [f"journal: line {number} breaks the chain"]
        before = digest
    return []


def _caps(given, got):
    """INVARIANT 3.3, from what the ledger and the tools saw, whatever the model says."""
    calls, spent, _ = got["ledger"]
    if not calls:
        return [] if not got["started_calls"] else ["calls without a reservation"]
    wish = tuple(given["narrow"].get(name) for name in CAPS)
    caps = effective(given["tier"], given["environment"], wish, given["balance"])
    wrong = []
    if calls > caps[0] or spent > caps[5]:
        wrong.append(f"caps: {calls} calls of {caps[0]}, {spent} units of {caps[5]}")
    asked = {name for name, _ in got["started_calls"]}
    if len(asked) > calls:
        wrong.append(f"{len(asked)} calls were made, {calls} reserved")
    return wrong


def _told(got):
    """R8, R14, R18: what leaves the gate after a stop, and what after a success."""
    wrong = []
    stop = got["stop"]
    if TEXTS.get(got["action"]) != got["text"]:
        wrong.append(f"text of {got['action']}: {got['text']}")
    if bool(got["sources"]) != (stop == "SUCCESS_COMPLETED"):
        wrong.append(f"{len(got['sources'])} sources after {stop}")
    if any(order.lower() in json.dumps(got["sources"]).lower() for order in DIRECTIVES):
        wrong.append("a directive left the gate")
    action, text, shown = got["told"]["user"]
    if (action, text, shown) != (got["action"], got["text"], len(got["sources"])):
        wrong.append("the end user is told something else")
    wrong += [f"the end user reads {found}" for found in inside(text)]
    secret = stop in SECRET
    cost = [0, 0] if secret else [len(got["calls"]), got["spent"]]
    gaps = [] if secret else [_gap(call[2]) for call in got["calls"] if call[2]]
    want = [got["action"], len(got["sources"]), *cost, ERRORS.get(stop), gaps]
    if got["told"]["caller"] != want:
        wrong.append(f"the caller is told {_short(got['told']['caller'])}, wanted {_short(want)}")
    return wrong


def inside(text):
    """What of the gate's insides a text for the end user shows."""
    words = text.lower()
    found = [name for name in (*ORDER, *CAPS) if name.lower() in words]
    return [*found, *(f"the mark {mark}" for mark in _MARKS.findall(text))]


def _gap(kind):
    if kind in DENIED:
        return ["access_denied", kind]
    return ["scope_exceeded" if kind in UNREAD else "source_not_found", kind]
