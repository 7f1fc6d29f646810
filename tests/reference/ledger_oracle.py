"""A tiny slow ledger in plain dictionaries, recomputed from the full history; it imports nothing from the product."""

from __future__ import annotations

MINUTE = 60_000


class OracleError(Exception):
    """The real ledger must refuse this too, as a broken contract."""


class LedgerOracle:
    """Decides like the contract says, one wish after another."""

    def __init__(self):
        self.history = []

    def now(self, clock_ms):
        return max([clock_ms] + [row["at"] for row in self.history])

    def in_window(self, subject, now):
        return sum(
            row["calls"] for row in self.history if row["subject"] == subject and row["at"] <= now < row["at"] + MINUTE
        )

    def of_session(self, session):
        return [row for row in self.history if row["session"] == session]

    def held(self, session, now):
        rows = self.of_session(session)
        return sum(row["units"] for row in rows if row["spent"] is None and now <= row["at"] + row["lease"])

    def spent(self, session):
        return sum(row["spent"] for row in self.of_session(session) if row["spent"] is not None)

    def reserve(self, clock_ms, wish):
        """("reserved", at, lease_until) or ("refused", {cause: (limit, value)}, retry_at)."""
        now = self.now(clock_ms)
        for row in self.of_session(wish["session"]):
            if row["key"] == wish["key"]:
                if (row["calls"], row["units"]) != (wish["calls"], wish["units"]):
                    raise OracleError("key reused")
                return ("reserved", row["at"], row["at"] + row["lease"])
        against, retry = {}, None
        rate = self.in_window(wish["subject"], now) + wish["calls"]
        if rate > wish["per_minute"]:
            against["rate_window"] = (wish["per_minute"], rate)
            # Try every moment at which an entry leaves the window, the earliest first.
            for moment in sorted(row["at"] + MINUTE for row in self.history if row["subject"] == wish["subject"]):
                if moment > now and self.in_window(wish["subject"], moment) + wish["calls"] <= wish["per_minute"]:
                    retry = moment
                    break
        calls = sum(row["calls"] for row in self.of_session(wish["session"])) + wish["calls"]
        if calls > wish["calls_total"]:
            against["total_calls"] = (wish["calls_total"], calls)
        units = self.spent(wish["session"]) + self.held(wish["session"], now) + wish["units"]
        if units > wish["max_units"]:
            against["total_units"] = (wish["max_units"], units)
        if against:
            return ("refused", against, retry)
        self.history.append({**wish, "at": now, "spent": None})
        return ("reserved", now, now + wish["lease"])

    def settle(self, session, key, spent):
        for row in self.of_session(session):
            if row["key"] == key:
                if spent < 0 or spent > row["units"] or row["spent"] not in (None, spent):
                    raise OracleError("wrong amount")
                row["spent"] = spent
                return
        raise OracleError("unknown")

    def release(self, session):
        left_open = [row for row in self.of_session(session) if row["spent"] is None]
        for row in left_open:
            row["spent"] = 0
        return len(left_open)

    def standing(self, clock_ms, subject, session):
        now = self.now(clock_ms)
        return {
            "window_calls": self.in_window(subject, now),
            "session_calls": sum(row["calls"] for row in self.of_session(session)),
            "spent_units": self.spent(session),
            "held_units": self.held(session, now),
            "open_reservations": sum(row["spent"] is None for row in self.of_session(session)),
        }
