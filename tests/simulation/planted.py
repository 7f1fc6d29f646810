"""Faults that are planted in copies of the product, by hand; the simulation or the reference has to find each.

A fault is a file, words in it that stand there once, the words that replace them, and what would go wrong.
"""

from __future__ import annotations

from typing import NamedTuple

APP = "backend/app"
RESEARCH = f"{APP}/research"
STORES = f"{APP}/system/stores"


class Planted(NamedTuple):
    """One fault."""

    name: str
    file: str
    old: str
    new: str
    why: str


PLANTED = (
    Planted(
        "priorities_swapped", f"{RESEARCH}/resolver.py",
        "for reason in contract.stops.order if", "for reason in reversed(contract.stops.order) if",
        "the last stop of the list wins",
    ),
    Planted(
        "two_priorities_swapped", "contracts/18.0.0/stop_reasons.json",
        '"code": "RATE_LIMITED",\n      "description": "The rate limit is reached",\n'
        '      "trigger": "calls per minute would be above max_tool_calls_per_minute",\n      "signalled": true\n'
        '    },\n    {\n      "priority": 7,\n      "code": "BUDGET_EXHAUSTED"',
        '"code": "BUDGET_EXHAUSTED",\n      "description": "The rate limit is reached",\n'
        '      "trigger": "calls per minute would be above max_tool_calls_per_minute",\n      "signalled": true\n'
        '    },\n    {\n      "priority": 7,\n      "code": "RATE_LIMITED"',
        "budget and rate change places in the list",
    ),
    Planted(
        "clarified_is_forgotten", f"{RESEARCH}/resolver.py",
        "contract.actions.action(stop, counted == 0, clarified)", "contract.actions.action(stop, counted == 0, False)",
        "who has clarified is asked again",
    ),
    Planted(
        "cap_is_exclusive", f"{RESEARCH}/ledger.py",
        "if value <= limit:", "if value < limit:",
        "the last allowed call or unit is refused",
    ),
    Planted(
        "one_call_too_many_a_minute", f"{RESEARCH}/ledger.py",
        "room = wish.max_calls_per_minute - wish.calls", "room = wish.max_calls_per_minute - wish.calls + 1",
        "the rate limit lets one more through",
    ),
    Planted(
        "window_one_ms_short", f"{APP}/kernel/ledger.py",
        "WINDOW_MS = 60_000", "WINDOW_MS = 59_999",
        "a reservation leaves the window a millisecond early",
    ),
    Planted(
        "window_one_ms_long", f"{APP}/kernel/ledger.py",
        "WINDOW_MS = 60_000", "WINDOW_MS = 60_001",
        "a reservation leaves the window a millisecond late",
    ),
    Planted(
        "retry_time_of_the_first", f"{RESEARCH}/ledger.py",
        "return at_ms + WINDOW_MS", "return window[0][0] + WINDOW_MS",
        "the caller is told to come back before there is room",
    ),
    Planted(
        "refused_counts", f"{STORES}/ledger/memory.py",
        "                self._write(_LedgerRow(wish.subject, wish.session_id, wish.key, decision))\n",
        "                self._write(_LedgerRow(wish.subject, wish.session_id, wish.key, decision))\n"
        "            if isinstance(decision, Refused):\n"
        "                self._windows.setdefault(wish.subject, deque()).append((now_ms, wish.calls))\n",
        "a refused batch uses up the minute",
    ),
    Planted(
        "ledger_follows_the_clock_back", f"{STORES}/ledger/memory.py",
        "return max(self._clock.now_ms(), self._newest_ms)", "return self._clock.now_ms()",
        "a clock that is set back opens the window again",
    ),
    Planted(
        "sqlite_forgets_calls", f"{STORES}/ledger/sqlite.py",
        "            session_calls += calls\n", "",
        "the shared ledger never sees the session's total",
    ),
    Planted(
        "sqlite_settles_the_price", f"{STORES}/ledger/sqlite.py",
        "UPDATE reservations SET spent = ? WHERE session_id", "UPDATE reservations SET spent = ?1 + 1 WHERE session_id",
        "the shared ledger charges a unit more",
    ),
    Planted(
        "lease_never_ends", f"{STORES}/ledger/memory.py",
        "return self.reserved.units if now_ms <= self.reserved.lease_until_ms else 0", "return self.reserved.units",
        "what a dead process held is held for ever",
    ),
    Planted(
        "tenant_left_out", f"{APP}/kernel/request.py",
        'return f"{self.tenant}/{self.user}"', "return self.user",
        "users of the same name in two tenants share a minute",
    ),
    Planted(
        "settle_missed", f"{RESEARCH}/adapter.py",
        "await self._ledger.settle(decision.reservation_id, run.charged)", "pass",
        "what was reserved is never charged",
    ),
    Planted(
        "worst_case_charged", f"{RESEARCH}/adapter.py",
        "run.charged += answer.spent_units - entry.price_units", "pass",
        "every call costs its full price",
    ),
    Planted(
        "charged_twice", f"{RESEARCH}/adapter.py",
        "run.tally.spent_units += run.charged", "run.tally.spent_units += 2 * run.charged",
        "the session reports twice what it spent",
    ),
    Planted(
        "settled_though_the_record_is_lost", f"{RESEARCH}/record/session_log.py",
        "return not self._keyed", "return True",
        "a resumed session cannot be charged for what it calls",
    ),
    Planted(
        "order_of_completion", f"{RESEARCH}/adapter.py",
        "for call, entry, taken, span in zip(calls, entries, results, spans, strict=True):",
        "for call, entry, taken, span in sorted(\n"
        "            zip(calls, entries, results, spans, strict=True), key=lambda one: one[2].input.elapsed_ms\n"
        "        ):",
        "results are merged as they come",
    ),
    Planted(
        "elapsed_at_the_limit_is_late", f"{RESEARCH}/adapter.py",
        "if elapsed_ms > limit_ms and Cause.TOTAL_TIMEOUT", "if elapsed_ms >= limit_ms and Cause.TOTAL_TIMEOUT",
        "the last millisecond of the session does not count",
    ),
    Planted(
        "total_limit_not_held", f"{RESEARCH}/adapter.py",
        "limit_ms = min(run.grant.caps.per_call_timeout_ms, remaining_ms)",
        "limit_ms = run.grant.caps.per_call_timeout_ms",
        "the last call may outlast the session",
    ),
    Planted(
        "never_gives_up_the_lock", f"{RESEARCH}/adapter.py",
        "return now.cancelled or now.at_ms > run.grant.deadline_ms", "return False",
        "a locked ledger holds the session past its time",
    ),
    Planted(
        "plan_sees_the_whole_budget", f"{RESEARCH}/adapter.py",
        "return self.grant.budget_units - self.tally.spent_units", "return self.grant.budget_units",
        "a careful plan asks for what is not there",
    ),
    Planted(
        "none_accepted_is_silent", f"{RESEARCH}/adapter.py",
        "run.signals.extend(validator.conclude(run.candidates, len(run.sources), run.rejections))", "pass",
        "rejected candidates look like nothing found",
    ),
    Planted(
        "duplicates_over_calls", f"{RESEARCH}/adapter.py",
        "validator.accept(screened.items, call, entry.schemes, run.grant.collection, tuple(run.sources))",
        "validator.accept(screened.items, call, entry.schemes, run.grant.collection, ())",
        "the same page counts once for every call",
    ),
    Planted(
        "write_repeated", f"{RESEARCH}/adapter.py",
        'and not (again and entry.effect == "external_write")', "",
        "a write that may have happened is tried again after a kill",
    ),
    Planted(
        "not_on_the_list", f"{RESEARCH}/adapter.py",
        'if entry.effect == "external_write" and len(batch.calls) > 1:', "if False:",
        "a write runs beside other calls",
    ),
    Planted(
        "timeout_not_cut", f"{RESEARCH}/time_limits.py",
        "timer = loop.call_later((limit_ms + 1) / 1000, wake)", "timer = loop.call_later(10**6, wake)",
        "a call that hangs holds the session",
    ),
    Planted(
        "knife_too_early", f"{RESEARCH}/time_limits.py",
        "timer = loop.call_later((limit_ms + 1) / 1000, wake)",
        "timer = loop.call_later(max(0, limit_ms - 1) / 1000, wake)",
        "a call that takes exactly its limit is cut",
    ),
    Planted(
        "late_answers_count", f"{RESEARCH}/time_limits.py",
        "    if elapsed_ms > limit_ms:\n", "    if False:\n",
        "an answer that came too late by the clock is used",
    ),
    Planted(
        "interrupt_escapes", f"{RESEARCH}/time_limits.py",
        "except (SystemExit, KeyboardInterrupt) as exc:", "except SystemExit as exc:",
        "a tool's KeyboardInterrupt ends the host",
    ),
    Planted(
        "cancelled_not_closed", f"{RESEARCH}/time_limits.py",
        "            self._cancellation.set_result(None)\n", "            super().cancel(msg)\n",
        "a cancelled session has no end on record",
    ),
    Planted(
        "hits_ground", f"{RESEARCH}/router.py",
        "sum(source.kind in kinds for source in collected.sources)", "len(collected.sources)",
        "a list of hits makes an answer sound grounded",
    ),
    Planted(
        "sources_after_a_stop", f"{RESEARCH}/bundle.py",
        "leaving = sources if verdict.stop is StopReason.SUCCESS_COMPLETED else ()", "leaving = sources",
        "evidence leaves the gate after a stop",
    ),
    Planted(
        "check_skipped_and_sources_kept", f"{RESEARCH}/router.py",
        "        checked = validator.check(verdict, proposed, request.clarified)\n"
        "        sealed = bundle.freeze(collected.sources, counted, checked, version)\n",
        "        success = Verdict(stop=StopReason.SUCCESS_COMPLETED, action=Action.GROUNDED)\n"
        "        sealed = bundle.freeze(collected.sources, counted, success, version)\n"
        "        checked = verdict\n",
        "evidence leaves the gate after a stop, and nobody checks",
    ),
    Planted(
        "titles_not_screened", f"{RESEARCH}/injection.py",
        'yield "title", item.title', 'yield "title", ""',
        "a directive in a title is followed",
    ),
    Planted(
        "metadata_not_screened", f"{RESEARCH}/injection.py",
        'yield f"metadata.{number}.value", value', 'yield f"metadata.{number}.value", ""',
        "a directive in the metadata is followed",
    ),
    Planted(
        "hidden_not_screened", f"{RESEARCH}/injection.py",
        "for number, text in enumerate(item.hidden):", "for number, text in enumerate(item.hidden[:0]):",
        "a directive that no reader sees is followed",
    ),
    Planted(
        "locators_not_screened", f"{RESEARCH}/injection.py",
        '    yield "locator", item.locator\n', '    yield "locator", item.locator.partition("?")[0]\n',
        "a directive in a URL is followed",
    ),
    Planted(
        "carriers_left_in", f"{RESEARCH}/injection.py",
        "name: strip_carriers(text) if folded.carries else Stripped(text, 0)", "name: Stripped(text, 0)",
        "zero-width characters reach the reader",
    ),
    Planted(
        "injection_is_no_stop", f"{RESEARCH}/adapter.py",
        "        for finding in screened.findings:\n", "        for finding in screened.findings[:0]:\n",
        "a directive drops its page and nothing else",
    ),
    Planted(
        "empty_is_a_failure", f"{RESEARCH}/call_results.py",
        "if raw.spent_units > entry.price_units:", 'if raw.spent_units > entry.price_units or raw.status == "empty":',
        "nothing found is read as a broken tool",
    ),
    Planted(
        "output_limit_off", f"{RESEARCH}/call_results.py",
        "if size > entry.max_output_bytes:", "if size > 100 * entry.max_output_bytes:",
        "a tool may hand over more than it declared",
    ),
    Planted(
        "overspending_allowed", f"{RESEARCH}/call_results.py",
        "if raw.spent_units > entry.price_units:", "if raw.spent_units > entry.price_units + 5:",
        "a tool may charge more than its price",
    ),
    Planted(
        "errors_are_outages", f"{RESEARCH}/call_results.py",
        "return Raised(status=OutcomeStatus.CRASHED, cause=Cause.TOOL_ERROR, code=type(error).__name__)",
        "return Raised(status=OutcomeStatus.UNAVAILABLE, unavailable=UnavailableKind.UNREACHABLE)",
        "an unforeseen error passes for an outage",
    ),
    Planted(
        "foreign_collections", f"{RESEARCH}/validator.py",
        "if is_passage and not item.locator.startswith(own):", "if False:",
        "a passage of somebody else's documents is accepted",
    ),
    Planted(
        "substitutes_accepted", f"{RESEARCH}/validator.py",
        'if item.kind is SourceKind.FETCHED and item.requested != call.param("url"):', "if False:",
        "a page other than the one asked for is accepted",
    ),
    Planted(
        "wish_above_the_cap", f"{RESEARCH}/policy.py",
        "return cap if wish is None else min(cap, wish)", "return cap if wish is None else wish",
        "a request widens its caps",
    ),
    Planted(
        "balance_ignored", f"{RESEARCH}/policy.py",
        "budget = min(budget, request.balance_units)", "budget = max(budget, request.balance_units)",
        "more is spent than was paid for",
    ),
    Planted(
        "unsealed_in_staging", f"{RESEARCH}/policy.py",
        "if not self.sealed and self.environment != _OPEN_ENVIRONMENT:",
        'if not self.sealed and self.environment == "prod":',
        "files that nobody sealed run outside dev",
    ),
    Planted(
        "collection_not_asked", f"{RESEARCH}/policy.py",
        "or request.collection in principal.collections:", "or principal.collections:",
        "anybody may search any collection",
    ),
    Planted(
        "recorded_call_repeated", f"{RESEARCH}/record/recording.py",
        "if isinstance(line.record, Called) and line.record.outcome.call_id == call_id:",
        "if not self.goes_on and isinstance(line.record, Called) and line.record.outcome.call_id == call_id:",
        "a resumed session calls again what is on record",
    ),
    Planted(
        "replay_reads_the_clock", f"{RESEARCH}/record/session_log.py",
        'reading = recorded or self._differ("a look at the clock")',
        'reading = recorded and Reading(self._clock.now_ms(), recorded.cancelled) or self._differ("a look")',
        "a replay depends on the time at which it is run",
    ),
    Planted(
        "downtime_counts", f"{RESEARCH}/record/session_log.py",
        "self._away_ms = max(1, self._clock.now_ms() - self.past.last_ms)", "self._away_ms = 1",
        "the time in which the process was gone is charged to the session",
    ),
    Planted(
        "one_return_only", f"{RESEARCH}/record/session_log.py",
        "while (line := self.past.next_line) is not None and isinstance(line.record, Resumed):",
        "if (line := self.past.next_line) is not None and isinstance(line.record, Resumed):",
        "a session that died twice in a row does not replay",
    ),
    Planted(
        "chain_not_carried_on", f"{RESEARCH}/record/session_log.py",
        "        self._head = line.digest\n        self._reads.clear()\n        self.came_back = False",
        "        self._reads.clear()\n        self.came_back = False",
        "lines no longer name the one before",
    ),
    Planted(
        "cut_line_stays", f"{STORES}/journal/files.py",
        "os.ftruncate(handle, whole)", "pass",
        "new lines are written behind half a line",
    ),
    Planted(
        "recovery_releases_nothing", f"{APP}/archive/recovery.py",
        "released = await ledger.release_session(found.session_id)", "released = 0",
        "what a dead session held stays held",
    ),
    Planted(
        "recovery_closes_keyed_sessions", f"{APP}/archive/recovery.py",
        "if keep_keyed and first.keyed:", "if not keep_keyed and first.keyed:",
        "a session that somebody would come back for is closed",
    ),
    Planted(
        "trouble_on_return_goes_on_record", f"{RESEARCH}/record/session_log.py",
        "return self.past.goes_on and (self.past.repeating or self.past.difference is not None)", "return False",
        "whoever comes back at a bad moment ends the session for good",
    ),
    Planted(
        "calls_of_an_earlier_life_are_free", f"{RESEARCH}/adapter.py",
        "run.charged = decision.units if run.log.came_back else 0", "run.charged = 0",
        "what a dead process had begun to call is not charged",
    ),
    Planted(
        "opening_names_what_is_not_safe", f"{RESEARCH}/router.py",
        "        await log.stored()\n        contract, caps, rules = self._frozen\n",
        "        contract, caps, rules = self._frozen\n",
        "a session is opened whose request nobody kept",
    ),
    Planted(
        "calls_name_what_is_not_safe", f"{RESEARCH}/adapter.py",
        "        await run.log.stored()\n", "",
        "a call is on record whose answer nobody kept",
    ),
    Planted(
        "end_names_what_is_not_safe", f"{RESEARCH}/router.py",
        "        await log.stored()\n        log.note(closed_record(", "        log.note(closed_record(",
        "a session ends whose outcome nobody kept",
    ),
    Planted(
        "called_before_the_decision_is_safe", f"{RESEARCH}/adapter.py",
        "            run.log.note(decided)\n            await run.log.written()\n",
        "            run.log.note(decided)\n",
        "tools are called of which no record will ever know",
    ),
    Planted(
        "settled_before_the_calls_are_safe", f"{RESEARCH}/adapter.py",
        "            await run.log.written()\n            whole = True\n", "            whole = True\n",
        "a session goes on behind a line that was lost",
    ),
    Planted(
        "outcome_leaves_before_it_is_safe", f"{RESEARCH}/router.py",
        "        await log.written()\n        log.writer.close()\n", "        log.writer.close()\n",
        "a caller has an outcome that the record does not",
    ),
    Planted(
        "always_settled", f"{RESEARCH}/record/session_log.py",
        "        if not whole and self.breaks_off:\n            return False\n        try:\n",
        "        return True\n        try:\n",
        "what stays open for whoever goes on is charged already",
    ),
    Planted(
        "lost_lines_are_not_told", f"{STORES}/journal/files.py",
        "        why = self._failed.get(session_id)\n        if why is not None:\n",
        "        why = ''\n        if why:\n",
        "a full journal passes for a written one",
    ),
    Planted(
        "lost_objects_are_not_told", f"{STORES}/content/files.py",
        "        if failed:\n            raise StoreUnusable(failed[0])\n", "        pass\n",
        "a full content store passes for a kept object",
    ),
    Planted(
        "written_behind_a_lost_line", f"{STORES}/journal/files.py",
        "        if why:\n            self.abandon(session_id)\n", "        if why:\n",
        "lines follow one that was cut",
    ),
    Planted(
        "unopened_session_is_carried_on", f"{RESEARCH}/record/opening.py",
        "if not ended and not isinstance(opened, Opening):", "if not ended and opened is None:",
        "a key is spent on a session that nobody opened",
    ),
    Planted(
        "security_stops_tell_apart", f"{RESEARCH}/audience.py",
        "alike = stop in _SECURITY", "alike = stop is StopReason.SANDBOX_VIOLATION",
        "a caller learns which alarm went off",
    ),
    Planted(
        "gaps_not_told", f"{RESEARCH}/audience.py",
        "if outcome.unavailable is not None", "if outcome.unavailable is UnavailableKind.SLOW",
        "an outage leaves no gap",
    ),
)  # fmt: skip
