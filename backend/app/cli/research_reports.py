"""Research results as Markdown and as one self-contained HTML page."""

from __future__ import annotations

import html
import re
from collections.abc import Mapping, Sequence
from typing import Final, NamedTuple

from ..archive.excerpt_surroundings import Surroundings
from ..archive.research_trace import TraceEntry
from ..capabilities.answers.research_models import ResearchResult, ResultCitation
from ..evidence.answering.answer_templates import differ
from ..kernel.outcome import ResearchOutcome

__all__ = ["ReportBackground", "html_report", "markdown_report"]

_MARK: Final = re.compile(r"\[(\d{1,3})\]")
_SPECIAL: Final = re.compile(r"([\\`*_{}<>\[\]#|])")
_DIFFER: Final = differ()
_RULE: Final = "|---|---|---|---|---|---|---|"
_LINK: Final = re.compile(r"https?://")
_STYLE: Final = """
:root{color-scheme:light dark;--line:#8885;--soft:#8881;--mark:#f6c94466;--warn:#a8500a}
@media (prefers-color-scheme:dark){:root{--warn:#e79b4c}}
*{box-sizing:border-box}
body{font:16px/1.6 system-ui,sans-serif;max-width:52rem;margin:2rem auto;padding:0 1rem;overflow-wrap:anywhere}
h1{font-size:1.5rem;line-height:1.3}
h2{font-size:1.1rem;margin-top:2rem;border-bottom:1px solid var(--line)}
.answer p{margin:.7rem 0}
.answer .note{font-style:italic}
.answer .head{font-weight:600;margin-top:1.2rem}
.answer .differ{border-left:3px solid var(--warn);padding:.3rem .8rem;background:var(--soft)}
.answer .differ b{display:block;color:var(--warn)}
sup a{text-decoration:none;padding:0 .15rem}
.facts{display:flex;flex-wrap:wrap;gap:.4rem 1.2rem;font-size:.9rem}
.facts b{font-weight:600}
ol{padding-left:1.6rem}
blockquote{margin:.4rem 0;padding:.5rem .9rem;background:var(--soft);border-left:3px solid var(--line)}
blockquote{white-space:pre-wrap}
.around{opacity:.65}
mark{background:var(--mark);color:inherit}
li{margin:.8rem 0}
code{font-size:.85em}
.wide{overflow-x:auto}
table{border-collapse:collapse;width:100%;min-width:34rem;font-size:.85rem;overflow-wrap:normal}
td,th{border:1px solid var(--line);padding:.25rem .5rem;text-align:left;vertical-align:top}
td code{overflow-wrap:anywhere}
td.when{width:34%}
.lane{background:var(--soft);height:.6rem;margin:.3rem 0 .1rem}
.bar{background:#4a90d9;height:.6rem;min-width:2px;max-width:100%}
.small{font-size:.85rem;opacity:.8}
@media (max-width:30rem){body{margin:1rem auto;padding:0 .8rem}h1{font-size:1.25rem}blockquote{padding:.4rem .6rem}}
"""


class ReportBackground(NamedTuple):
    """What a report shows beside the result: text around the excerpts, when calls began, and the trace."""

    around: Sequence[Surroundings] = ()
    starts: Mapping[str, int] = {}
    trace: Sequence[TraceEntry] = ()

    def at(self, number: int) -> Surroundings:
        """What stands around the excerpt of a citation."""
        return self.around[number - 1] if number <= len(self.around) else Surroundings("", "")


_NOTHING_BESIDE: Final = ReportBackground()


def markdown_report(
    question: str,
    result: ResearchResult,
    outcome: ResearchOutcome | None,
    beside: ReportBackground = _NOTHING_BESIDE,
) -> str:
    """The result as Markdown; text of sources is escaped, so that it cannot become markup."""
    lines = [f"# {_plain(question)}", ""]
    lines += [_plain(line, keep_marks=True) for line in result.answer.split("\n")]
    lines += ["", *_spend_lines(result, outcome)]
    if result.citations:
        lines += ["", "## Sources", ""]
    for number, citation in enumerate(result.citations, start=1):
        lines.append(f"{number}. {_plain(citation.title or citation.locator)}  ")
        lines.append(f"   {_place(citation.locator)} (confidence {citation.confidence:.2f})  ")
        before, behind = beside.at(number)
        shown = f"{_plain(before.strip())} **" if before.strip() else "**"
        quoted = " ".join(_plain(citation.raw_excerpt).split())
        lines.append(f"   > {' '.join(shown.split())}{quoted}** {' '.join(_plain(behind.strip()).split())}".rstrip())
        lines.append("")
    if result.gaps:
        lines += ["## Gaps", ""]
        lines += [
            f"- {_plain(gap.topic)}: {gap.category.value}. {_plain(gap.detail)}."
            + (f" Next: {gap.next_action} ({gap.price_units} units)." if gap.next_action else "")
            for gap in result.gaps
        ]
    if result.open_questions:
        lines += ["", "## Open questions", ""]
        lines += [f"- ({one.priority}) {_plain(one.question)}" for one in result.open_questions]
    if result.discovery_events:
        lines += ["", "## Discoveries", ""]
        lines += [
            f"- {one.type}: {_plain(one.query)} ({_plain(one.reason)})"
            + (f" {_place(one.source_locator)}" if one.source_locator else "")
            for one in result.discovery_events
        ]
    if outcome is not None and outcome.outcomes:
        lines += ["", "## Calls", "", "| call | tool | ended | from ms | ms | accepted | units |", _RULE]
        lines += [
            f"| {one.call_id} | {one.tool} | {one.status.value} | {beside.starts.get(one.call_id, 0)} "
            f"| {one.elapsed_ms} | {one.accepted} | {one.spent_units} |"
            for one in outcome.outcomes
        ]
    return "\n".join(lines).rstrip() + "\n"


def html_report(
    question: str,
    result: ResearchResult,
    outcome: ResearchOutcome | None,
    beside: ReportBackground = _NOTHING_BESIDE,
) -> str:
    """The result as one page without scripts and without anything loaded from elsewhere."""
    sections = [
        f"<h1>{_safe(question)}</h1>",
        f'<section class="answer">{_answer_html(result)}</section>',
        f'<p class="facts">{_facts_html(result, outcome)}</p>',
    ]
    if result.citations:
        shown = "".join(
            _citation_html(number, one, result, beside.at(number))
            for number, one in enumerate(result.citations, start=1)
        )
        sections.append(f"<h2>Sources</h2><ol>{shown}</ol>")
    if result.gaps:
        rows = "".join(
            f"<tr><td>{_safe(gap.topic)}</td><td>{gap.category.value}</td><td>{_safe(gap.detail)}</td>"
            f"<td>{_safe(gap.next_action or '')}</td><td>{'' if gap.price_units is None else gap.price_units}</td></tr>"
            for gap in result.gaps
        )
        head = "<tr><th>topic</th><th>category</th><th>detail</th><th>next action</th><th>units</th></tr>"
        sections.append(f"<h2>Gaps</h2>{_table(head, rows)}")
    if result.open_questions:
        rows = "".join(
            f"<li>({one.priority}) {_safe(one.question)}<br><span class=small>{_safe(one.context)}</span></li>"
            for one in result.open_questions
        )
        sections.append(f"<h2>Open questions</h2><ul>{rows}</ul>")
    if result.discovery_events:
        rows = "".join(
            f"<li>{one.type}: {_safe(one.query)}<br><span class=small>{_safe(one.reason)}</span>"
            + (f"<br><code>{_place_html(one.source_locator)}</code></li>" if one.source_locator else "</li>")
            for one in result.discovery_events
        )
        sections.append(f"<h2>Discoveries</h2><ul>{rows}</ul>")
    if outcome is not None and outcome.outcomes:
        sections.append(f"<h2>Timeline of calls</h2>{_timeline_html(outcome, beside.starts)}")
    read = [entry for entry in beside.trace if entry.content_hash]
    if read:
        rows = "".join(
            f"<tr><td>{entry.step}</td><td>{entry.action}</td><td><code>{_safe(entry.url or '')}</code></td>"
            f"<td><code>{_safe((entry.content_hash or '')[:23])}</code></td><td>{entry.text_length}</td></tr>"
            for entry in read
        )
        head = "<tr><th>step</th><th>action</th><th>place</th><th>content hash</th><th>characters</th></tr>"
        sections.append(f"<h2>What was read</h2>{_table(head, rows)}")
    sections.append(f'<p class="small">Trace <code>{_safe(result.trace_id)}</code></p>')
    policy = "default-src 'none'; style-src 'unsafe-inline'"
    return (
        '<!doctype html>\n<html lang="en"><head><meta charset="utf-8">'
        f'<meta http-equiv="Content-Security-Policy" content="{policy}">'
        f"<title>{_safe(question)}</title>"
        f'<meta name="viewport" content="width=device-width"><style>{_STYLE}</style></head>'
        f"<body>{''.join(sections)}</body></html>\n"
    )


def _answer_html(result: ResearchResult) -> str:
    shown = []
    for line in filter(None, result.answer.split("\n")):
        marked = _MARK.search(line)
        kind = "" if marked else ' class="head"' if line.endswith((":", "?")) else ' class="note"'
        text = _safe(line)
        if line.startswith(_DIFFER):
            kind, text = ' class="differ"', f"<b>{_safe(_DIFFER)}</b>{_safe(line.removeprefix(_DIFFER))}"
        if result.citations:
            text = _MARK.sub(r'<sup><a href="#source-\1">[\1]</a></sup>', text)
        shown.append(f"<p{kind}>{text}</p>")
    return "".join(shown)


def _table(head: str, rows: str) -> str:
    """A table that scrolls by itself on a narrow screen."""
    return f'<div class="wide"><table>{head}{rows}</table></div>'


def _place(locator: str) -> str:
    """Where a source is, as Markdown: only http and https become links."""
    if _LINK.match(locator):  # an angle bracket would end the link
        return f"<{locator.replace('<', '%3C').replace('>', '%3E')}>"
    return f"`{locator.replace('`', chr(39))}`"


def _place_html(locator: str) -> str:
    where = _safe(locator)
    return f'<a rel="noreferrer noopener" href="{where}">{where}</a>' if _LINK.match(locator) else where


def _citation_html(number: int, citation: ResultCitation, result: ResearchResult, around: Surroundings) -> str:
    where = _place_html(citation.locator)
    excerpt = _safe(citation.raw_excerpt)
    before, behind = (f'<span class="around">{_safe(text)}</span>' if text else "" for text in around)
    for sentence in _cited(number, result):
        excerpt = excerpt.replace(_safe(sentence), f"<mark>{_safe(sentence)}</mark>")
    return (
        f'<li id="source-{number}"><strong>{_safe(citation.title or citation.locator)}</strong> '
        f'<span class="small">confidence {citation.confidence:.2f}</span><br><code>{where}</code>'
        f"<blockquote>{before}{excerpt}{behind}</blockquote></li>"
    )


def _cited(number: int, result: ResearchResult) -> list[str]:
    """The sentences of the answer that name a citation."""
    found = []
    for line in result.answer.split("\n"):
        at = 0
        for match in _MARK.finditer(line):
            if int(match[1]) == number:
                found.append(line[at : match.start()].strip().removeprefix(_DIFFER).strip())
            at = match.end()
    return [sentence for sentence in found if sentence]


def _timeline_html(outcome: ResearchOutcome, starts: Mapping[str, int]) -> str:
    """Every call with the moment at which it began, on one scale."""
    ends = [starts.get(one.call_id, 0) + one.elapsed_ms for one in outcome.outcomes]
    whole = max(1, *ends)
    rows = "".join(
        f"<tr><td>{_safe(one.call_id)}</td><td>{_safe(one.tool)}</td>"
        f"<td>{one.status.value}{f' ({one.unavailable.value})' if one.unavailable else ''}</td>"
        f"<td>{one.accepted} of {one.candidates}</td><td>{one.spent_units}</td>"
        f'<td class="when"><div class="lane"><div class="bar" style="'
        f"margin-left:{100 * (end - one.elapsed_ms) // whole}%;width:{100 * one.elapsed_ms // whole}%"
        f'"></div></div>'
        f"from {end - one.elapsed_ms} ms, {one.elapsed_ms} ms long</td></tr>"
        for one, end in zip(outcome.outcomes, ends, strict=True)
    )
    head = "<tr><th>call</th><th>tool</th><th>ended</th><th>accepted</th><th>units</th><th>time</th></tr>"
    return _table(head, rows)


def _facts_html(result: ResearchResult, outcome: ResearchOutcome | None) -> str:
    return "".join(f"<span><b>{_safe(name)}</b> {_safe(value)}</span>" for name, value in _spend(result, outcome))


def _spend_lines(result: ResearchResult, outcome: ResearchOutcome | None) -> list[str]:
    return [", ".join(f"{name} {value}" for name, value in _spend(result, outcome)) + "."]


def _spend(result: ResearchResult, outcome: ResearchOutcome | None) -> list[tuple[str, str]]:
    cost, factors = result.cost_metadata, result.confidence_factors
    facts = [
        ("confidence", f"{result.confidence:.2f}"),
        ("corroborating sources", str(factors.num_corroborating_sources)),
        ("authority", factors.source_authority),
        ("tokens", str(cost.tokens_used)),
        ("iterations", str(cost.iterations_run)),
        ("seconds", f"{cost.wall_time_sec:.3f}"),
    ]
    if outcome is not None:
        facts += [("calls", str(len(outcome.outcomes))), ("units", str(outcome.spent_units))]
    return [*facts, ("budget", "exhausted" if cost.budget_exhausted else "kept")]


def _safe(text: str) -> str:
    return html.escape(text, quote=True)


def _plain(text: str, *, keep_marks: bool = False) -> str:
    """Text of others as Markdown that shows it as it is."""
    shown = _SPECIAL.sub(r"\\\1", text)
    return re.sub(r"\\\[(\d{1,3})\\\]", r"[\1]", shown) if keep_marks else shown
