"""The validator: candidates become sources or rejections, and the verdict is checked once more at the end."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Final

from ..evidence.grounding.asked_answer import gives_asked_answer
from ..evidence.grounding.bearing import ENOUGH_MILLI, RELATED_MILLI, Bearing, bearing_of
from ..kernel.calls import ToolCall
from ..kernel.canonical import digest_of, sha256_hex
from ..kernel.models import Digest, FrozenModel, Text
from ..kernel.outcome import SourceBundle, Verdict
from ..kernel.results import TRUST_MARKER, Rejection, RejectionCode, ScreenedItem, Source, SourceKind
from ..kernel.stops import Action, Cause, Signal, StopReason
from .bundle import bundle_digest

__all__ = ["Accepted", "accept", "check", "conclude"]

TEXT_CHARS_MIN: Final = 20
LOCATOR_CHARS_MAX: Final = 2_048
NEAR_DUPLICATE_PERCENT: Final = 90
_SHINGLE_WORDS: Final = 4
_SHINGLED_WORDS: Final = 2_000
_SAMPLED_CHARS: Final = 2_000
_SAMPLES: Final = 4
_SAMPLE_CHARS: Final = 24
_LOCATOR: Final = re.compile(r"([a-z][a-z0-9+.-]*):([^\s\x00-\x1f\x7f]+)")
_WEB: Final = ("http", "https")
_HOST: Final = re.compile(r"//[^/]")
_DOT: Final = re.compile(r"%2e", re.IGNORECASE)
_UPWARDS: Final = re.compile(r"(?:^|[/\\])\.\.(?:[/\\#?]|$)")
_REPLACEMENT: Final = "\ufffd"


class Accepted(FrozenModel):
    """What became of the candidates of one call."""

    sources: tuple[Source, ...]
    rejections: tuple[Rejection, ...]
    signals: tuple[Signal, ...]


class _Said(FrozenModel):
    """What a source id is the digest of: what the source says, and where that stands."""

    kind: SourceKind
    payload: str
    locator: Text
    title: Text
    text: Digest
    metadata: tuple[tuple[Text, Text], ...]
    content_hash: Digest
    text_hash: Digest
    start: int
    end: int


def accept(
    items: tuple[ScreenedItem, ...],
    call: ToolCall,
    schemes: tuple[str, ...],
    collection: str | None,
    before: tuple[Source, ...],
) -> Accepted:
    """Judge candidates in order, each against those accepted before it (R17); `schemes` are those of the tool."""
    sources: dict[int, Source] = {}
    rejected: dict[int, RejectionCode] = {}
    signals: list[Signal] = []
    bearings = _bearings(items, call)
    # Where one item answers, its neighbours may stand beside it; where none does, nothing is grounded.
    related = call.with_related and any(one.milli >= ENOUGH_MILLI for one in bearings)
    for position, (item, bearing) in enumerate(zip(items, bearings, strict=True)):
        text = item.body or item.snippet
        code = _unsafe(item, call, schemes, collection) or _poor(text, _alike(item, (*before, *sources.values())))
        speaks = bearing.milli >= ENOUGH_MILLI or (related and bearing.held_milli >= RELATED_MILLI)
        if code is None and call.about and not speaks:
            code = RejectionCode.OFF_TOPIC
        if code is None:
            sources[position] = _source(item, text, call, bearing.milli)
            continue
        rejected[position] = code
        if code.unsafe:
            signals.append(
                Signal(
                    reason=StopReason.VALIDATION_FAIL,
                    cause=Cause.UNSAFE_SOURCE,
                    call_id=call.call_id,
                    code=code.value,
                    value=position,
                )
            )
    # Who asks for a person or a number is not answered by passages that have none. With related ones, the text that is
    # written from them has to hold it.
    if call.about and not call.with_related and not gives_asked_answer(call.about, tuple(sources.values())):
        rejected.update(dict.fromkeys(sources, RejectionCode.OFF_TOPIC))
        sources.clear()
    return Accepted(
        sources=tuple(sources.values()),
        rejections=tuple([_rejection(call, at, items[at], code) for at, code in sorted(rejected.items())]),
        signals=tuple(signals),
    )


def _rejection(call: ToolCall, position: int, item: ScreenedItem, code: RejectionCode) -> Rejection:
    text = item.body or item.snippet
    return Rejection(call_id=call.call_id, position=position, code=code, text_hash=sha256_hex(text.encode()))


def conclude(candidates: int, accepted: int, rejections: Sequence[Rejection] = ()) -> tuple[Signal, ...]:
    """Candidates came back and none was accepted: that is a failure of sources, not their absence (R17).

    Candidates that are off topic do not count: if nothing else came back, there is no source (NO_SOURCE).
    """
    sought = candidates - sum(rejection.code is RejectionCode.OFF_TOPIC for rejection in rejections)
    if sought > 0 and accepted == 0:
        return (Signal(reason=StopReason.VALIDATION_FAIL, cause=Cause.NONE_ACCEPTED, value=sought),)
    return ()


def check(verdict: Verdict, bundle: SourceBundle, clarified: bool) -> Verdict:
    """Hold the end against §3.2 and §6.3 without looking at the action table."""
    nothing = bundle.accepted_count == 0
    success = verdict.stop is StopReason.SUCCESS_COMPLETED
    if success:
        # INVARIANT 3.2: without a source nothing sounds grounded.
        right = verdict.action is Action.GROUNDED and not nothing
    elif verdict.stop is StopReason.NO_SOURCE or (verdict.stop is StopReason.VALIDATION_FAIL and nothing):
        # INVARIANT 6.3: NO_SOURCE leads to a question or to UNKNOWN, and a second time to no second question.
        right = nothing and verdict.action in ((Action.UNKNOWN,) if clarified else (Action.ASK_CLARIFY, Action.UNKNOWN))
    else:
        right = verdict.action is Action.BASELINE
    sealed = bundle.digest == bundle_digest(bundle.sources, bundle.contract_version)
    sound = right and sealed and bool(bundle.sources) is success
    if sound:
        return verdict
    failed = Signal(reason=StopReason.VALIDATION_FAIL, cause=Cause.CHECK_FAILED, code=verdict.stop.value)
    empty_action = Action.UNKNOWN if clarified else Action.ASK_CLARIFY
    return Verdict(
        stop=StopReason.VALIDATION_FAIL,
        action=empty_action if nothing else Action.BASELINE,
        signals=(*verdict.signals, failed),
    )


def _unsafe(
    item: ScreenedItem, call: ToolCall, schemes: tuple[str, ...], collection: str | None
) -> RejectionCode | None:
    """Safety checks: a candidate that fails one is not merely poor, it should not exist."""
    if item.trust != TRUST_MARKER:
        return RejectionCode.UNSAFE_UNMARKED
    if not _well_located(item.locator, schemes):
        return RejectionCode.UNSAFE_LOCATOR
    is_passage = item.kind is SourceKind.PASSAGE
    if item.end < item.start or (is_passage and item.end - item.start != len(item.body)):
        return RejectionCode.UNSAFE_SHAPE
    # A passage stands in the session's own documents, or on a page where its tool may cite pages (R35).
    pages = tuple(f"{scheme}:" for scheme in _WEB if scheme in schemes)
    own = pages if collection is None else (*pages, f"doc:{collection}/")
    if is_passage and not item.locator.startswith(own):
        return RejectionCode.UNSAFE_SUBSTITUTE
    if item.kind is SourceKind.FETCHED and item.requested != call.param("url"):
        return RejectionCode.UNSAFE_SUBSTITUTE
    return None


def _well_located(locator: str, schemes: tuple[str, ...]) -> bool:
    """Whether a locator has a scheme that its tool declared (R24), and leads nowhere but down."""
    parts = _LOCATOR.fullmatch(locator) if len(locator) <= LOCATOR_CHARS_MAX else None
    if parts is None or parts[1] not in schemes:
        return False
    if parts[1] in _WEB:
        return _HOST.match(parts[2]) is not None
    return _UPWARDS.search(_DOT.sub(".", parts[2])) is None


def _alike(item: ScreenedItem, before: tuple[Source, ...]) -> tuple[Source, ...]:
    """The sources that an item can repeat: what is evidence does not repeat the hit that led to it."""
    hit = item.kind is SourceKind.HIT
    return tuple([source for source in before if (source.kind is SourceKind.HIT) is hit])


def _poor(text: str, before: tuple[Source, ...]) -> RejectionCode | None:
    stripped = text.strip()
    if not stripped:
        return RejectionCode.EMPTY
    if len(stripped) < TEXT_CHARS_MIN:
        return RejectionCode.TOO_SHORT
    if text.count(_REPLACEMENT) * 10 > len(text):
        return RejectionCode.UNDECODABLE
    if any(source.text == text for source in before):
        return RejectionCode.DUPLICATE
    if any(_nearly_same(source.text, text) for source in before):
        return RejectionCode.NEAR_DUPLICATE
    return None


def _nearly_same(one: str, other: str) -> bool:
    """Exact Jaccard over word shingles, after two cheap looks that most pairs do not survive."""
    shorter, longer = sorted((len(one), len(other)))
    if shorter * 100 < longer * (NEAR_DUPLICATE_PERCENT - 10):
        return False
    if shorter >= _SAMPLED_CHARS and not _shares_a_sample(one, other):
        return False
    a, b = _shingles(one), _shingles(other)
    return len(a & b) * 100 >= NEAR_DUPLICATE_PERCENT * len(a | b)


def _shares_a_sample(one: str, other: str) -> bool:
    """Whether one of a few short pieces of one text occurs in the other; a near copy keeps nearly all of them."""
    step = len(one) // _SAMPLES
    starts = (number * step + step // 2 for number in range(_SAMPLES))
    return any(one[start : start + _SAMPLE_CHARS] in other for start in starts)


def _shingles(text: str) -> frozenset[tuple[str, ...]]:
    words = text.casefold().split()[:_SHINGLED_WORDS]
    return frozenset(zip(*(words[i:] for i in range(_SHINGLE_WORDS)), strict=False)) or frozenset({tuple(words)})


def _bearings(items: tuple[ScreenedItem, ...], call: ToolCall) -> tuple[Bearing, ...]:
    """How far each item speaks to the question of its call; without one, as its tool said.

    Where related items may stand beside an answer, passages of one document are measured together.
    """
    if not call.about:
        return tuple([Bearing(item.relevance_milli, 0) for item in items])
    found = []
    for item in items:
        said = dict(item.metadata)
        heading, columns = said.get("heading", ""), said.get("columns", "")
        others = [one.body for one in items if one is not item and one.text_hash == item.text_hash]
        beside = "\n".join(others) if call.with_related else None
        text = item.body or item.snippet
        # A guessed spelling is good enough for passages that a reader judges, not for a text that is written from them.
        respelled = {} if call.with_related else dict(item.respelled)
        found.append(bearing_of(call.about, item.title, heading, text, respelled, beside, columns))
    return tuple(found)


def _source(item: ScreenedItem, text: str, call: ToolCall, relevance_milli: int) -> Source:
    said = _Said(
        kind=item.kind,
        payload=item.payload,
        locator=item.locator,
        title=item.title,
        text=sha256_hex(text.encode()),
        metadata=item.metadata,
        content_hash=item.content_hash,
        text_hash=item.text_hash,
        start=item.start,
        end=item.end,
    )
    return Source(
        source_id=digest_of(said),
        call_id=call.call_id,
        tool=call.tool,
        kind=item.kind,
        payload=item.payload,
        locator=item.locator,
        title=item.title,
        text=text,
        metadata=item.metadata,
        content_hash=item.content_hash,
        text_hash=item.text_hash,
        start=item.start,
        end=item.end,
        relevance_milli=relevance_milli,
        respelled=item.respelled,
        trust=TRUST_MARKER,
    )
