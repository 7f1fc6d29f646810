"""Worlds from a seed: five sessions each, what their tools do, and what happens round them."""

from __future__ import annotations

import random
from typing import Any, NamedTuple

from tests.reference.policy_model import CAPS as TABLE
from tests.reference.policy_model import effective
from tests.reference.session_model import CAPS, PRICES
from tests.simulation.scenario.texts import DIRECTIVES, PARTS, TEXTS

SESSIONS_PER_WORLD = 5
BACK_MS = 8  # whoever was told nothing asks again so much later, where the world does not say when
LIVES = 20  # more than any session needs to come to its end
Json = dict[str, Any]
MILD = ("server_error", "throttled", "blocked", "own_deadline", "truncated", "garbage", "carriers", "empty",
        "duplicate", "poor", "flapping")  # fmt: skip
KINDS = ("passage",) * 14 + ("fetched",) * 4
GRAVE = ("hang", "slow_loris", "own_cut", "huge", "injection", "injection", "injection", "sandbox_violation",
         "exception", "base_exception", "self_cancel", "unsafe", "wrong_type", "unknown_outage",
         "overspend")  # fmt: skip
BLOCKS = ("unreachable", "auth", "paywall", "robots", "blocked", "refused_destination", "too_large", "unreadable")
VIOLATIONS = ("DestinationForbidden", "OperationForbidden", "WorkerKilled", "OutputTooLarge")
NO_EXCEPTIONS = ("SystemExit", "KeyboardInterrupt", "Doom")
SHARES = {"plain": 48, "files": 20, "sqlite": 7, "contention": 8, "jumps": 14, "neighbour": 3}
FLAVOURS = tuple(flavour for flavour, share in SHARES.items() for _ in range(share))


class Setting(NamedTuple):
    """What the calls of one session have in common."""

    flavour: str
    jumping: bool
    limit: int
    pool: list[int]
    kinds: tuple[str, ...] = KINDS
    long: bool = False


def make_world(seed: int, number: int, sessions: int = SESSIONS_PER_WORLD) -> Json:
    """World `number` of a seed; it depends on nothing else."""
    chance = random.Random(f"portcullis {seed} {number}")  # noqa: S311  the same world every time is the point
    return draw_world(chance, seed, number, sessions)


def draw_world(chance: random.Random, seed: int, number: int, sessions: int = SESSIONS_PER_WORLD) -> Json:
    """A world by whatever chance is given."""
    flavour = chance.choice(FLAVOURS)
    jumping = flavour == "jumps" or (flavour == "files" and chance.random() < 0.15)
    world: Json = {"seed": seed, "world": number, "flavour": flavour, "patient": True, "jumps": [], "locks": [],
                   "earlier": []}  # fmt: skip
    pool = [chance.randrange(TEXTS) for _ in range(14)]
    base = 61_000 if chance.random() < 0.3 and flavour != "contention" else 0
    world["sessions"] = [
        _session(chance, flavour, jumping, number * SESSIONS_PER_WORLD + place, base, pool)
        for place in range(SESSIONS_PER_WORLD)
    ][:sessions]
    if jumping:
        _jump(chance, world, base)
    if flavour == "contention":
        world["patient"] = chance.random() < 0.7
        _lock(chance, world, base)
    if base:
        for session in world["sessions"]:
            if chance.random() < 0.6:
                world["earlier"].append(_crowd(chance, session))
    return world


def _session(chance: random.Random, flavour: str, jumping: bool, n: int, base: int, pool: list[int]) -> Json:
    session: Json = {
        "n": n,
        "start": base + 8 * chance.randrange(500),
        "tenant": chance.choice(("acme", "birch")),
        "user": chance.choice(("ada", "bo")),
        "tier": chance.choice(("PRO",) * 11 + ("MAX",) * 7),
        "environment": chance.choice(("prod",) * 5 + ("staging",) + ("dev",) * 3),
        "enabled": True, "sealed": True, "readable": True, "owns": True,
        "clarified": chance.random() < 0.3,
        "narrow": {}, "balance": None,
        "key": f"key-{n}" if chance.random() < (0.6 if flavour == "files" else 0.12) else None,
        "watched": chance.random() < 0.3,
        "declared": [], "ends": [],
    }  # fmt: skip
    limits = TABLE[session["tier"], session["environment"]]
    if chance.random() < 0.22:
        limits = _scarce(chance, session, limits)
    setting = Setting(flavour, jumping, limits[2], pool)
    session["plan"] = _plan(chance, setting)
    if chance.random() < (0.35 if flavour == "files" and session["key"] else 0.08):
        session["cancel"] = chance.choice((0, 1, 8, 40, 201, 999, 4_001, 9_000, 14_999, 16_001))
    _odd(chance, session)
    if flavour == "files":
        _ends(chance, session)
    return session


def _scarce(chance: random.Random, session: Json, limits: tuple[int, ...]) -> tuple[int, ...]:
    session["declared"].append("scarce")
    wishes = {
        "max_tool_calls_total": chance.randrange(1, 8),
        "max_tool_calls_per_minute": chance.randrange(1, 14),
        "per_call_timeout_ms": 8 * chance.randrange(1, 700),
        "total_research_timeout_ms": 8 * chance.randrange(1, 2_000),
        "budget_units_clamp": chance.choice((1, 3, 6, 99, 100, 103, 206, 700, 5_000)),
    }
    if chance.random() < 0.35:
        session["balance"] = chance.choice((0, 2, 3, 5, 99, 100, 103, 200, 10_000))
    for name in CAPS:
        if chance.random() < 0.3:
            session["narrow"][name] = wishes[name]
    wish = tuple(session["narrow"].get(name) for name in CAPS)
    return effective(session["tier"], session["environment"], wish, session["balance"])


def _plan(chance: random.Random, setting: Setting) -> Json:
    health = chance.random()
    rate, faults = (0.0, MILD) if health < 0.25 else (0.5, MILD) if health < 0.55 else (0.28, MILD + GRAVE * 2)
    kinds = (*KINDS, "hit", "reported") if chance.random() > 0.07 else ("hit", "reported")
    long = chance.random() < 0.07
    setting = setting._replace(kinds=kinds, long=long)
    batches, number = [], 0
    for _ in range(chance.choice((0, 1, 1, 1, 2, 2, 2, 3, 3, 4, 5)) if not long else 5):
        alone = chance.random() < 0.1
        size = 1 if alone or long else chance.choice((1, 1, 2, 2, 3, 4, 6))
        calls = []
        for _ in range(size):
            tool = "writer" if alone else "beta" if chance.random() < 0.22 else "alpha"
            does = chance.choice(faults) if chance.random() < rate else "answer"
            calls.append(_call(chance, f"c{number}", tool, does, setting))
            number += 1
        wait = 8 * chance.choice((1, 5, 100, 700, 1_900)) if chance.random() < 0.12 else 0
        batches.append({"wait": wait, "calls": calls})
    _flap(chance, batches)
    return {
        "batches": batches,
        "why": chance.choice(("complete", "complete", "no_gain", "limit")),
        "careful": chance.random() < 0.3,
        "enough": chance.choice((0, 0, 0, 1, 3)),
    }


def _call(chance: random.Random, name: str, tool: str, does: str, setting: Setting) -> Json:
    limit = setting.limit
    takes = chance.choice((8, 16, 40, 200, 1_000, 4_000, 0, 0))
    if chance.random() < 0.12:
        takes = chance.choice((limit - 8, limit, limit, limit + (16 if setting.jumping else 1)))
    if setting.flavour == "contention":
        takes = max(8, takes)
    if setting.long:
        takes = limit
    call: Json = {"id": name, "tool": tool, "does": does, "takes": takes, "spent": chance.randrange(PRICES[tool] + 1)}
    items = [_item(chance, setting) for _ in range(chance.choice((1, 1, 2, 3)))]
    match does:
        case "hang":
            call["takes"] = None
        case "slow_loris":
            call["takes"] = limit + 16 + 8 * chance.randrange(200)
        case "server_error":
            call["outage"] = "provider_down"
        case "throttled":
            call["outage"] = "rate_limited"
        case "blocked":
            call["outage"] = chance.choice(BLOCKS)
        case "own_deadline":
            call["outage"] = "slow"
        case "sandbox_violation":
            call["how"] = chance.choice(VIOLATIONS)
        case "base_exception":
            call["how"] = chance.choice(NO_EXCEPTIONS)
        case "wrong_type":
            call["how"] = chance.randrange(5)
        case "overspend":
            call["spent"] = PRICES[tool] + 1 + chance.randrange(3)
        case "empty" | "flapping":
            items = [] if does == "empty" else items
        case "duplicate":
            items = [items[0], {**items[0], "as": chance.choice(("good", "near"))}]
        case "huge":
            items[0]["as"] = "huge"
        case "garbage":
            items[0]["as"] = "garbage"
        case "carriers":
            items[0]["as"] = "carried"
        case "poor":
            items[0]["as"] = chance.choice(("blank", "short"))
        case "injection":
            items[0]["directive"] = {"part": chance.choice(PARTS), "which": chance.randrange(len(DIRECTIVES))}
        case "unsafe":
            kind = items[0]["kind"]
            ways = ("scheme", "shape") + (("collection",) if kind == "passage" else ())
            items[0]["wrong"] = chance.choice(ways + (("substitute",) if kind == "fetched" else ()))
    if "outage" in call:
        call["by"] = "raise" if does == "own_deadline" or chance.random() < 0.5 else "return"
        items = []
    call["items"] = items
    return call


def _item(chance: random.Random, setting: Setting) -> Json:
    return {"text": chance.choice(setting.pool), "as": "good", "kind": chance.choice(setting.kinds)}


def _flap(chance: random.Random, batches: list[Json]) -> None:
    """A provider that is down in one batch is up again in the next."""
    for place, batch in enumerate(batches):
        for call in batch["calls"]:
            if call["does"] == "flapping" and place % 2 == 0:
                call.update(outage="unreachable", by=chance.choice(("raise", "return")), items=[])


def _odd(chance: random.Random, session: Json) -> None:
    """Rarely: no right, a switch that is off, a plan, an observer or a ledger that breaks."""
    draw = chance.random()
    batch = chance.choice((0, 0, 1, 2))
    if draw < 0.035:
        session["declared"].append("no_right")
        if chance.random() < 0.6:
            session["tier"] = chance.choice(("FREE", "GOLD"))
        else:
            session["owns"] = False
    elif draw < 0.08:
        session["declared"].append("switched_off")
        match chance.randrange(4):
            case 0:
                session["enabled"] = False
            case 1:
                session["sealed"] = False
                if session["environment"] == "dev":  # R15: there it is only a warning
                    session["declared"].remove("switched_off")
            case 2:
                session["readable"] = False
            case _:
                session["environment"] = "moon"
        if chance.random() < 0.25:
            session["declared"].append("no_right")
            session["tier"] = "FREE"
    elif draw < 0.11:
        how = chance.choice(("twice", "unlisted", "beside", "raises"))
        session["plan"]["breaks"] = {"batch": batch, "how": how}
    elif draw < 0.14:
        session["plan"]["breaks"] = {"batch": batch, "how": "socket"}
    elif draw < 0.165:
        _observer_error(chance, session)
    elif draw < 0.19:
        _ledger_error(chance, session, (batch,))


def _observer_error(chance: random.Random, session: Json) -> Json:
    session["watched"] = True
    what = chance.choice(("session_started", "batch_started", "call_finished"))
    nth = chance.choice((0, 0, 1, 2)) if what != "session_started" else 0
    session["observer_error"] = {"what": what, "nth": nth}
    return session["observer_error"]


def _ledger_error(chance: random.Random, session: Json, batches: tuple[int, ...]) -> Json:
    session["ledger_error"] = {"op": chance.choice(("reserve", "settle")), "batch": 1 + chance.choice(batches)}
    return session["ledger_error"]


def _trouble(chance: random.Random, session: Json) -> None:
    """Somebody comes back with the key, and meanwhile something else is broken: in that life alone."""
    session.pop("observer_error", None)
    session.pop("ledger_error", None)
    fault = _observer_error(chance, session) if chance.random() < 0.5 else _ledger_error(chance, session, (0, 0, 0, 1))
    fault["life"] = chance.choice((1, 1, 1, 1, 2))


def _forgotten(chance: random.Random, session: Json) -> None:
    """The caller goes during the first calls, and the process dies before that is on record: the key goes on."""
    session["cancel"] = chance.choice((1, 5, 7, 15, 39))
    # Lines 0 and 1 are Opened and ReserveDecided; line 2 would be the first to tell of a call that was given up.
    session["ends"] = [_end(chance, "kill", "journal", 2, chance.randrange(1_000))]
    batches = session["plan"]["batches"]
    first = batches[0]["calls"][0]
    if first["takes"] is not None:
        first["takes"] = max(first["takes"], 48)
    if len(batches) > 1 and chance.random() < 0.4:  # the second batch is one too many
        session["declared"] += [] if "scarce" in session["declared"] else ["scarce"]
        cap = chance.choice(("max_tool_calls_per_minute", "max_tool_calls_total"))
        session["narrow"][cap] = len(batches[0]["calls"])


def _ends(chance: random.Random, session: Json) -> None:
    broken, gone = "breaks" in session["plan"], "cancel" in session
    broken = broken or "observer_error" in session or "ledger_error" in session
    refused = "no_right" in session["declared"] or "switched_off" in session["declared"]
    calls = bool(session["plan"]["batches"]) and not refused
    if session["key"] and gone and calls and not broken and chance.random() < 0.4:
        _forgotten(chance, session)
    elif chance.random() >= (0.1 if broken or gone else 0.3):
        # A session that is refused has two lines, one that breaks rarely many.
        lines = (0, 1, 1) if refused else (0, 1, 1, 1, 3, 3, 5) if broken else (0, 1, 1, 2, 2, 3, 4, 5, 6, 8)
        _deaths(chance, session, lines, gone)
    if session["ends"] and session["key"] and chance.random() < (0.8 if broken else 0.7):
        _trouble(chance, session)


def _deaths(chance: random.Random, session: Json, lines: tuple[int, ...], gone: bool) -> None:
    for _ in range(chance.choice((1, 1, 1, 1, 1, 1, 2, 2, 3))):
        kind = "kill" if chance.random() < (0.9 if gone else 0.65) else "full"
        where = "store" if kind == "full" and chance.random() < 0.4 else "journal"
        permille = chance.choice((0, 1, 500, chance.randrange(1_000), 999, 1_000 if kind == "kill" else 999))
        line = chance.choice(lines)
        end = _end(chance, kind, where, line, permille)
        if where == "journal" and chance.random() < 0.15:
            end["put"] = chance.choice((0, 1, 2, 2, 3, 3, 4, 5))
        session["ends"].append(end)


def _end(chance: random.Random, kind: str, where: str, line: int, permille: int) -> Json:
    back = 8 * chance.choice((1, 3, 50, 2_000, 9_000))
    return {"kind": kind, "where": where, "line": line, "permille": permille, "back": back}


def _jump(chance: random.Random, world: Json, base: int) -> None:
    for _ in range(chance.choice((1, 1, 2, 3))):
        by = 8 * chance.choice((1, 4, 125, 600, 1_900, 8_000, 40_000))
        sign = -1 if chance.random() < 0.45 else 1
        world["jumps"].append({"at": base + chance.randrange(9_000), "by": sign * by})


def _lock(chance: random.Random, world: Json, base: int) -> None:
    at = base + chance.randrange(2_000)
    for _ in range(chance.choice((1, 2, 3))):
        until = at + chance.choice((3, 20, 120, 900, 4_000, 17_000))
        world["locks"].append({"at": at, "until": until})
        at = until + 1 + chance.randrange(1_500)


def _crowd(chance: random.Random, session: Json) -> Json:
    """Calls of others in the subject's minute, also at the very edge of it (R9)."""
    session["declared"].append("crowded_window")
    edge = chance.choice((60_001, 60_000, 60_000, 59_999, 59_999, 30_000, 500))
    per_minute = TABLE.get((session["tier"], session["environment"]), (0, 10))[1]
    calls = max(1, chance.choice((per_minute, per_minute - 1, per_minute - 2, per_minute // 2)))
    return {"at": session["start"] - edge, "tenant": session["tenant"], "user": session["user"], "calls": calls}
