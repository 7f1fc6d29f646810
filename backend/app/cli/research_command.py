"""`portcullis research`, `audit`, `diff` and `discoveries`: research over documents and the web, and its results."""

from __future__ import annotations

import asyncio
import sys
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final, Literal

from rich.console import Console

from ..capabilities.answers.research_input import ConversationTurn, Depth
from ..capabilities.answers.research_models import DiscoveryEvent, ResearchResult
from ..front.researcher import Researcher, ResearchEvent
from ..kernel.calls import Ended
from ..kernel.errors import RequestInvalid, StoreUnusable
from ..kernel.models import FrozenModel
from ..kernel.outcome import ResearchOutcome
from ..research.audience import for_caller
from ..system.contract_files import samples_dir
from ..system.settings import Settings
from ..wiring import open_archive
from ..wiring.document_setup import documents_ready
from .blocked import elsewhere, print_blocked, way_out
from .exits import Exit, exit_of
from .gates import GateOpener
from .options import chosen_settings
from .principal import local_principal
from .render import plain, print_answer, print_facts, print_json, print_wrapped
from .reports import print_news
from .research_reports import ReportBackground, html_report, markdown_report
from .web_access import print_way_to_the_web

if TYPE_CHECKING:
    from ..answering.answerer import Answerer
    from ..research.router import Router

__all__ = ["ResearchOptions", "audit", "diff", "discoveries", "print_research", "research"]

_RESULT_BYTES_MAX: Final = 8_000_000


@dataclass(frozen=True, slots=True)
class ResearchOptions:
    """What the command line was told, beside the question."""

    docs: Path | None
    tier: str
    env: str | None
    data_dir: Path | None
    context: str | None = None
    depth: Depth = "balanced"
    constraints: Mapping[str, Any] = field(default_factory=dict)
    as_json: bool = False
    markdown: Path | None = None
    html: Path | None = None
    trace: Path | None = None
    turn: ConversationTurn | None = None
    answerer: Literal["sentences", "model"] = "sentences"
    documents_only: bool = False


class Discovered(FrozenModel):
    """A discovery event with the session that met it."""

    session_id: str
    event: DiscoveryEvent


class DiscoveryList(FrozenModel):
    """What `discoveries --json` prints."""

    discoveries: tuple[Discovered, ...]


def research(options: ResearchOptions, gate: GateOpener, question: str) -> Exit:
    """Research a question and print or write the result."""
    settings = chosen_settings(options.data_dir, options.env)
    errors = Console(stderr=True, highlight=False)
    folder = options.docs or samples_dir()
    result, outcome = asyncio.run(_researched(options, gate, question, settings, folder, errors))
    _write(options, settings, question, result, outcome)
    if options.as_json:
        print_json(result)
    elif (view := for_caller(outcome)).error is not None:
        print_answer(Console(highlight=False), view, elsewhere(settings))
    else:
        print_research(Console(highlight=False), result, outcome)
    print_blocked(errors, (outcome,), way_out(folder, settings))
    code = exit_of(for_caller(outcome))
    return Exit.NO_SOURCES if code is Exit.GROUNDED and not result.citations else code


async def _researched(
    options: ResearchOptions, gate: GateOpener, question: str, settings: Settings, folder: Path, errors: Console
) -> tuple[ResearchResult, ResearchOutcome]:
    answerer = _answerer(options, settings)
    if options.docs is None:
        errors.print("no --docs given: asking the sample documents about bread", style="dim", soft_wrap=True)
    collection, report = await documents_ready(folder, settings)
    print_news(errors, report, Path(collection.state_dir), way_out(folder, settings))
    async with gate(collection, settings=settings) as router:
        result, outcome = await _streamed(options, router, question, errors)
    if not options.as_json and not options.documents_only:
        print_way_to_the_web(errors, settings, Path(collection.state_dir), answered=bool(result.citations))
    return (result if answerer is None else await _worded(answerer, options, question, result, errors)), outcome


def _answerer(options: ResearchOptions, settings: Settings) -> Answerer | None:
    """What words the answer; None for the sentences of the sources."""
    if options.answerer == "sentences":
        return None
    from ..wiring.answering_setup import open_answerer

    found = open_answerer(settings)
    if found is None:
        raise RequestInvalid("no model is configured: set PORTCULLIS_MODEL_URL and PORTCULLIS_MODEL_NAME")
    return found


async def _worded(
    answerer: Answerer, options: ResearchOptions, question: str, result: ResearchResult, errors: Console
) -> ResearchResult:
    """The result in the words of the operator's model, where they hold."""
    answer = await answerer.write(question, result)
    if not answer.by_model and result.citations:
        errors.print(f"sentences of the sources instead of the model's: {answer.why_not}", style="yellow")
    if answer.dropped:
        told = ", ".join(f"{count} {why}" for why, count in answer.dropped)
        errors.print(f"lines of the model that were left out: {told}", style="dim")
    return answer.result


async def _streamed(
    options: ResearchOptions, router: Router, question: str, errors: Console
) -> tuple[ResearchResult, ResearchOutcome]:
    """Ctrl-C once finishes, twice cancels."""
    researcher = Researcher(
        router, local_principal(options.tier), progress=lambda event: _show(errors, event), finish_first=True
    )
    result = await researcher.research(
        question, options.context, options.depth, options.constraints or None, turn=options.turn
    )
    if researcher.outcome is None:
        raise StoreUnusable("research ended without a record")
    if researcher.outcome.ended is Ended.FINISHED_EARLY:
        errors.print("finished early with what was found", style="yellow")
    return result, researcher.outcome


def _show(errors: Console, event: ResearchEvent) -> None:
    if not errors.is_terminal:
        return
    if event.kind == "batch":
        errors.print(f"calls left {event.calls_left}, units left {event.units_left}", style="dim")
    elif event.kind == "call":
        told = (
            f"iteration {event.iteration}, facet {event.facet}: {event.tool} {event.status}, {event.accepted} accepted"
        )
        errors.print(plain(told), style="dim")


def print_research(
    console: Console, result: ResearchResult, outcome: ResearchOutcome, *, with_cost: bool = True
) -> None:
    """The answer, its citations with their excerpts, what could not be had and what it cost."""
    for number, line in enumerate(result.answer.split("\n")):
        print_wrapped(console, line, style="bold" if number == 0 else "")
    for number, citation in enumerate(result.citations, start=1):
        console.print()
        print_wrapped(console, f"[{number}] {citation.title or ''}".rstrip())
        console.print(plain(f"    {citation.locator}"), style="dim", soft_wrap=True)
        print_wrapped(console, citation.raw_excerpt, indent=4)
    console.print()
    for gap in result.gaps:
        print_wrapped(console, f"Gap: {gap.topic}: {gap.category.value} ({gap.detail})", style="yellow")
        if gap.next_action:
            print_wrapped(console, f"Next: {gap.next_action} ({gap.price_units} units)", indent=4, style="dim")
    for question in result.open_questions:
        print_wrapped(console, f"Open ({question.priority}): {question.question}", style="dim")
    if not with_cost:
        return
    cost = result.cost_metadata
    facts = (
        f"confidence {result.confidence:.2f}",
        f"calls {len(outcome.outcomes)} · units {outcome.spent_units} · tokens {cost.tokens_used}",
        f"{outcome.elapsed_ms} ms",
        f"session {result.trace_id}",
    )
    print_facts(console, facts)


def _write(
    options: ResearchOptions, settings: Settings, question: str, result: ResearchResult, outcome: ResearchOutcome
) -> None:
    archive = open_archive(settings)
    trace = archive.trace(result.trace_id, result) if options.trace or options.html else ()
    wanted: list[tuple[Path, str]] = []
    if options.markdown is not None or options.html is not None:
        around = ReportBackground(archive.surroundings(result), archive.starts(result.trace_id), trace)
        if options.markdown is not None:
            wanted.append((options.markdown, markdown_report(question, result, outcome, around)))
        if options.html is not None:
            wanted.append((options.html, html_report(question, result, outcome, around)))
    if options.trace is not None:
        wanted.append((options.trace, "".join(one.model_dump_json(exclude_none=True) + "\n" for one in trace)))
    for path, text in wanted:
        try:
            path.write_text(text, encoding="utf-8")
        except OSError as exc:
            raise RequestInvalid(f"`{path}` cannot be written") from exc


def audit(file: str, data_dir: Path | None, *, as_json: bool) -> Exit:
    """Hold a result against the record of its session."""
    report = open_archive(chosen_settings(data_dir)).audit(_read(file))
    if as_json:
        print_json(report)
    else:
        told = (
            f"{report.recut} of {report.citations} citations cut again, {report.cited} of {report.sentences} sentences"
        )
        word = "holds" if report.holds else "does not hold" if report.faults else "not verified"
        sys.stdout.write(f"{word}: {told} cited\n")
        for fault in report.faults:
            sys.stdout.write(f"  {plain(fault).plain}\n")
        for unchecked in report.unchecked:
            sys.stdout.write(f"  not checked: {plain(unchecked).plain}\n")
    if report.faults:
        return Exit.DOES_NOT_HOLD
    return Exit.GROUNDED if report.holds else Exit.NOT_EVALUATED


def diff(one: str, other: str, data_dir: Path | None, *, as_json: bool) -> Exit:
    """Say which sources changed between two results; also those that were read and not cited, where both sessions are
    in the data folder."""
    found = open_archive(chosen_settings(data_dir)).changes(_result(one), _result(other))
    if as_json:
        print_json(found)
        return Exit.GROUNDED if found.same else Exit.DOES_NOT_HOLD
    for change in found.sources:
        beside = "" if change.cited else " (read, not cited)"
        sys.stdout.write(f"{change.change}: {plain(change.locator).plain}{beside}\n")
    if not found.all_read:
        sys.stdout.write("only the cited sources were compared: the sessions are not both in this data folder\n")
    if found.answer_changed:
        sys.stdout.write(
            f"the answer changed; confidence {found.confidence_before} before, {found.confidence_after} after\n"
        )
    if found.same:
        sys.stdout.write("no source changed, and the answer is the same\n")
    return Exit.GROUNDED if found.same else Exit.DOES_NOT_HOLD


def discoveries(limit: int, data_dir: Path | None, *, as_json: bool) -> Exit:
    """List the discovery events of past research sessions, the newest first."""
    archive = open_archive(chosen_settings(data_dir))
    found: list[Discovered] = []
    for row in archive.sessions(limit):
        if row.capability == "research" and row.state == "closed" and not row.erased:
            try:
                result = archive.research_result(row.session_id)
            except (RequestInvalid, StoreUnusable) as exc:
                sys.stderr.write(f"{exc}\n")
                continue
            found.extend(Discovered(session_id=row.session_id, event=event) for event in result.discovery_events)
    if as_json:
        print_json(DiscoveryList(discoveries=tuple(found)))
        return Exit.GROUNDED
    for one in found:
        event = one.event
        place = f" {plain(event.source_locator).plain}" if event.source_locator else ""
        sys.stdout.write(
            f"{one.session_id} {event.type}: {plain(event.query).plain} ({plain(event.reason).plain}){place}\n"
        )
    if not found:
        sys.stdout.write("no discovery events\n")
    return Exit.GROUNDED


def _result(file: str) -> ResearchResult:
    try:
        return ResearchResult.model_validate_json(_read(file), strict=False)
    except ValueError as exc:
        raise RequestInvalid(f"`{file}` is not a research result") from exc


def _read(file: str) -> bytes:
    if file == "-":
        return sys.stdin.buffer.read(_RESULT_BYTES_MAX)
    try:
        with Path(file).open("rb") as source:
            return source.read(_RESULT_BYTES_MAX)
    except (OSError, ValueError) as exc:
        raise RequestInvalid(f"`{file}` cannot be read") from exc
