"""Every kind of fault that a world can have, declared once; what is not listed here is not simulated."""

from __future__ import annotations

# What a call of a tool can do beside answering well.
TOOL_FAULTS = {
    "server_error": "the provider answers 5xx on every rung of its ladder",
    "throttled": "the provider answers 429",
    "blocked": "robots.txt, a login, a paywall or a block keeps the page away",
    "hang": "the call never ends and swallows its cancellation",
    "slow_loris": "the answer trickles in, piece by piece, past the limit of the call",
    "own_deadline": "the tool gives up by itself, before it would be cut",
    "own_cut": "the tool's worker was cut and says so",
    "truncated": "a long answer was cut, and says so",
    "huge": "more output than the tool declares",
    "garbage": "bytes that did not decode",
    "injection": "a directive in some part of the answer",
    "carriers": "zero-width characters inside the text",
    "sandbox_violation": "a forbidden destination or operation, a killed worker",
    "exception": "an error that nobody declared",
    "base_exception": "an error that is no Exception: exit, interrupt, and one of its own",
    "self_cancel": "the tool cancels itself",
    "empty": "asked and answered: nothing found",
    "duplicate": "the same text again, or nearly the same",
    "poor": "a text that is blank or too short",
    "unsafe": "a foreign scheme, offsets that do not fit, a page other than the one asked for",
    "flapping": "the provider is down in one batch and up in the next",
    "wrong_type": "something that is not a result",
    "unknown_outage": "a kind of outage that does not exist",
    "overspend": "the tool claims more than its price",
}
# What can happen round a session, or be brought along by its caller.
ROUND_FAULTS = {
    "cancellation": "the caller goes away",
    "clock_forward": "the clock jumps ahead",
    "clock_back": "the clock is set back",
    "disk_full": "a line or an object does not fit on the disk, to the byte",
    "kill": "the process dies at a byte of its journal, and another one follows",
    "ledger_contention": "another connection holds the ledger's lock",
    "ledger_error": "the ledger breaks while it reserves or settles",
    "observer_error": "whoever watches the session raises",
    "trouble_on_return": "whoever comes back with a key finds a ledger or an observer that breaks in this life alone",
    "plan_error": "the plan asks for what no plan may ask for, or breaks",
    "plan_escape": "the plan reaches for a socket",
    "crowded_window": "the subject's minute is nearly used up by others",
    "scarce": "narrowed caps or a small balance",
    "no_right": "no tier, no collection",
    "switched_off": "flag, lock, caps or environment speak against research",
}
FAULTS = {**TOOL_FAULTS, **ROUND_FAULTS}
