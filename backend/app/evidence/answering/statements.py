"""What can be quoted from a source: sentences with those that they lean on, items, rows, `key: value` lines."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Final

from ...kernel.results import Source
from ...parsing.text.words.sentences import SentenceSpan, sentences_of
from ..excerpts import CUT_MARK

__all__ = ["Statement", "is_whole", "leans", "statements_of", "with_its_heading", "with_more_before"]

STATEMENT_CHARS_MAX: Final = 480
_LINE_CHARS_MAX: Final = 200
_CHAIN_MAX: Final = 4  # sentences of one quote
_LEANS: Final = {
    "en": (
        r"and|but|he|her|his|however|it|its|she|so|such|that|the (?:former|latter)|their|then|these|they|this|those"
        r"|therefore|thus|yet|as a result|for this reason|in addition|moreover|also|afterwards|there"
    ),
    "de": (
        r"und|aber|er|sie|es|sein(?:e[mnrs]?)?|ihr(?:e[mnrs]?)?|dies(?:e[mnrs]?)?|jene[mnrs]?|dort"
        r"|daher|deshalb|darum|dabei|damit"
        r"|danach|dazu|au\u00dferdem|auch|jedoch|dann|dadurch|derselbe|dieselbe"
    ),
    "fr": (
        r"et|mais|il|elle|ils|elles|ce|cela|ceci|cet|cette|ces|son|sa|ses|leurs?|celui-ci|celle-ci|y"
        r"|donc|ainsi|puis|ensuite"
        r"|c['\u2019]est|aussi|cependant"
    ),
    "es": (
            r"y|pero|\u00e9l|ella|ellos|ellas|su|sus|est[aeo]s?|es[aeo]s?|all\u00ed|adem\u00e1s"
            r"|tambi\u00e9n|entonces|por eso|luego"
        ),
    "it": r"e|ma|egli|ella|esso|essa|essi|suo|sua|suoi|sue|quest[aeio]|quell[aeio]|inoltre|anche|quindi|poi|l\u00ec",
    "nl": r"en|maar|hij|zij|ze|het|zijn|haar|hun|dit|dat|deze|die|daarom|daarna|ook|dus|daar",
    "pt": r"e|mas|ele|ela|eles|elas|seus?|suas?|est[ae]s?|isto|isso|ess[ae]s?|al\u00ed|tamb\u00e9m|ent\u00e3o|depois",
    "ru": (
            r"\u0438|\u043d\u043e|\u043e\u043d|\u043e\u043d\u0430|\u043e\u043d\u043e|\u043e\u043d\u0438"
            r"|\u0435\u0433\u043e|\u0435\u0451|\u0438\u0445|\u044d\u0442\u043e\u0442?|\u044d\u0442\u0430"
            r"|\u044d\u0442\u0438|\u0442\u0430\u043c"
        ),
}  # fmt: skip
_LEANING: Final = {language: re.compile(rf"(?:{words})\b", re.IGNORECASE) for language, words in _LEANS.items()}
_LEANS_INSIDE: Final = {
    "en": re.compile(
        r"(?:after|as of|at|before|by|currently|during|for|from|in|normally|now|on|since|today|until|usually|with)\b"
        r"[^.;:,!?]{0,40},? (?:he|it|she|they)\b",
        re.IGNORECASE,
    ),
    "de": re.compile(
        r"(?:ab|am|bei|bis|derzeit|heute|im|in|mit|nach|seit|von|vor)\b[^.;:,!?]{0,40} (?:er|es|sie)\b", re.IGNORECASE
    ),
    "fr": re.compile(
        r"(?:apr\u00e8s|au|aujourd['\u2019]hui|avant|avec|depuis|d\u00e8s|en|jusqu['\u2019]\u00e0|pour)\b"
        r"[^.;:!?]{0,40} (?:elles?|ils?)\b",
        re.IGNORECASE,
    ),
}
"""Sentences that open with a time or a place, and then speak of something that was said before."""
_WHOLE: Final = re.compile(r"[.!\u2026\u3002\uff01][\"')\]\u2019\u201d\u00bb*_]*$")
_BEGINS: Final = re.compile(
    r"[\"'(\[\u2018\u201c\u201e\u00ab*_`]*[^\W_a-z\u00e0-\u00ff]|[\"'(*_]*[\u0430-\u044f\u0e00-\u9fff]|[\"'(*_]*\d|`"
)
_PAIR: Final = re.compile(r"[^:.!?\n|]{2,60}:\s+\S")
_RULE: Final = re.compile(r"-{3,}")
_MARK: Final = re.compile(r"#{1,6}\s+")
_EDGES: Final = " |\t"


@dataclass(frozen=True, slots=True)
class Statement:
    """`source.text[low:high]`, and what the reader of the source knows at that place without its being quoted."""

    low: int
    high: int
    core: int
    """Where the last sentence of the quote begins; the ones before it say what that one is about."""
    kind: str
    number: int
    """The place of its last sentence among the sentences of the text."""
    above: str = ""
    """The line that it stands under: a list's opening, a heading without a mark, the columns of a table."""
    header: tuple[int, int] = (0, 0)
    """The row with the headings of its table."""
    opens: bool = False
    """True for the first one under a heading."""
    headed: bool = False
    """True where the quote begins with the heading above it."""

    def begun_at(self, low: int, *, headed: bool = False) -> Statement:
        """The same statement, quoted from an earlier place on."""
        return Statement(low, self.high, self.core, self.kind, self.number, self.above, self.header, self.opens, headed)


def leans(text: str, language: str) -> bool:
    """True if a sentence begins with a word for something that was said before it."""
    return _LEANING[language].match(text) is not None


def _needs_more(text: str, language: str) -> bool:
    inside = _LEANS_INSIDE.get(language)
    return leans(text, language) or (inside is not None and inside.match(text) is not None)


def is_whole(text: str, kind: str, language: str) -> bool:
    """True if a reader would take it for a whole sentence, an item, a row or a line of its own."""
    if "?" in text or CUT_MARK in text or "\ufffd" in text or leans(text, language):
        return False
    if kind == "row":
        return True
    if _BEGINS.match(text) is None:
        return False
    return kind in ("item", "line") or _WHOLE.search(text) is not None


def statements_of(source: Source, language: str) -> tuple[tuple[SentenceSpan, ...], tuple[Statement, ...]]:
    """The sentences of a source, and everything that can be quoted from it, in reading order.

    A sentence that leans on the one before it is quoted from the first that does not.
    """
    text = source.text
    spans = sentences_of(text)
    found: list[Statement] = []
    header, above, opens = (0, 0), "", True
    columns = dict(source.metadata).get("columns", "")
    for number, span in enumerate(spans):
        said = text[span.start : span.end]
        before = spans[number - 1] if number else None
        if span.kind == "heading":
            above, opens = "", True
            continue
        if span.kind == "row":
            if before is None or before.kind != "row":
                follows = spans[number + 1] if number + 1 < len(spans) else None
                ruled = follows is not None and _RULE.search(text, span.end, follows.start) is not None
                header = _cell_edges(text, span) if ruled else (0, 0)
                # A table that begins above the passage has its columns beside the passage.
                columns = said if ruled else "" if number else columns
                if ruled:
                    continue
            low, high = _cell_edges(text, span)
            if low < high:
                found.append(Statement(low, high, low, "row", number, f"{above}\n{columns}", header))
            continue
        kind = _kind_of(text, span)
        if kind == "line" and _PAIR.match(said) is None and not any(one.isdigit() for one in said):
            above, opens = said, True  # a heading without a mark
            continue
        if kind == "prose" and said.endswith(":"):
            above, opens = said, False
            continue
        under = above if kind in ("item", "line") or not _is_opening(above) else ""
        one = Statement(span.start, span.end, span.start, kind, number, under, opens=opens)
        found.append(_completed(one, spans, text, language))
        opens = False
    return spans, tuple(one for one in found if one.high - one.low <= STATEMENT_CHARS_MAX)


def with_its_heading(one: Statement, spans: Sequence[SentenceSpan], text: str) -> Statement:
    """The first statement of a section with the heading above it; any other as it is."""
    before = spans[one.number - 1] if one.number else None
    if before is None or before.kind != "heading" or one.low <= before.start:
        return one
    mark = _MARK.match(text, before.start)
    return one.begun_at(mark.end() if mark else before.start, headed=True)


def with_more_before(one: Statement, spans: Sequence[SentenceSpan], text: str, language: str) -> Iterator[Statement]:
    """The same statement with one, then two sentences of its paragraph before it."""
    if one.kind != "prose" or one.headed:
        return
    for _ in range(2):
        before = next(
            (n for n, span in enumerate(spans) if span.end <= one.low and _next_to(spans, n, text, one.low)), None
        )
        if before is None:
            return
        one = _completed(one.begun_at(spans[before].start), spans, text, language, first=before)
        if one.high - one.low > STATEMENT_CHARS_MAX:
            return
        yield one


def _next_to(spans: Sequence[SentenceSpan], number: int, text: str, low: int) -> bool:
    """True if a sentence stands directly before a place of the same paragraph."""
    span = spans[number]
    return span.kind == "prose" and not text[span.end : low].strip() and text.count("\n", span.end, low) < 2


def _completed(
    one: Statement, spans: Sequence[SentenceSpan], text: str, language: str, first: int | None = None
) -> Statement:
    """From the first sentence that leans on none, as far as they stand in one paragraph."""
    number = one.number if first is None else first
    low = one.low
    for _ in range(_CHAIN_MAX):
        if not _needs_more(text[low : one.high], language) or not number or not _next_to(spans, number - 1, text, low):
            break
        number -= 1
        low = spans[number].start
    return one.begun_at(low)


def _kind_of(text: str, span: SentenceSpan) -> str:
    said = text[span.start : span.end]
    if (
        span.kind == "prose"
        and "\n" not in said
        and len(said) <= _LINE_CHARS_MAX
        and said[-1] not in ".!?:;,\u2026\u3002\uff01\uff1f"
    ):
        return "prose" if _WHOLE.search(said) else "line"
    return span.kind


def _is_opening(above: str) -> bool:
    return above.endswith(":")


def _cell_edges(text: str, span: SentenceSpan) -> tuple[int, int]:
    low, high = span.start, span.end
    while low < high and text[low] in _EDGES:
        low += 1
    while high > low and text[high - 1] in _EDGES:
        high -= 1
    return low, high
