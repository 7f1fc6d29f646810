"""The plan of `research()`: a share of the calls for every facet, refined queries for what is not covered."""

from __future__ import annotations

import re
from collections.abc import Iterable
from typing import Final

from ...evidence.grounding.asked_kinds import asked_kind, gives_asked_kind
from ...evidence.grounding.coverage import bearing_on, covers
from ...evidence.grounding.facets import Facet
from ...kernel.calls import Batch, Done, ToolCall
from ...kernel.models import FrozenModel, Text
from ...kernel.outcome import SoFar
from ...kernel.request import Grant
from ...kernel.results import CallOutcome, OutcomeStatus, Source, SourceKind, UnavailableKind
from ...parsing.html.links import host_of
from ...parsing.text.passages import LONGEST_PASSAGE
from ...parsing.text.words.tokens import asked_words, is_light, language_in, stems_in

__all__ = [
    "DOCUMENTS",
    "PAGES",
    "PRICES",
    "RECALL",
    "SEARCH",
    "ResearchPlan",
    "SourceRules",
    "facet_of",
    "iteration_of",
]

DOCUMENTS: Final = "doc_lookup"
SEARCH: Final = "services"
PAGES: Final = "scrape_page"
RECALL: Final = "recall"
PRICES: Final = {DOCUMENTS: 1, SEARCH: 40, PAGES: 1, RECALL: 1}
"""The worst case of one call in units, as the catalogue says it; a plan cannot read the catalogue."""
_PASSAGES: Final = 8
_HITS: Final = 8
_PAGES_PER_FACET: Final = 3
_PAGE_BYTES: Final = 20_000
_LEAST: Final = {DOCUMENTS: LONGEST_PASSAGE, PAGES: 400}
"""The characters without which a call could bring nothing."""
_CHARS_PER_TOKEN: Final = 4
_CALL: Final = re.compile(r"i(\d+)\.f(\d+)\.(docs|web|page\d+|recall)")
_READ: Final = (SourceKind.PASSAGE, SourceKind.FETCHED)


class SourceRules(FrozenModel):
    """Which places may be read: parsed once from `source_filter`."""

    documents: bool = True
    web: bool = True
    only: tuple[Text, ...] = ()
    never: tuple[Text, ...] = ()

    def allows(self, url: str) -> bool:
        """True if a page may be read, by its host."""
        host = host_of(url).lower().rstrip(".")
        if not host or any(_below(host, one) for one in self.never):
            return False
        return not self.only or any(_below(host, one) for one in self.only)


class ResearchPlan(FrozenModel):
    """Documents first, then the web, then refined queries; pure, so that a replay takes the same steps."""

    facets: tuple[Facet, ...]
    rules: SourceRules
    max_iterations: int
    token_budget: int
    max_sources: int
    wanted_per_facet: int = 2
    """How many sources a facet should have before it counts as covered."""
    web_below: int = 1
    """The web is asked for facets with fewer sources than this, where there are documents, too."""
    conversation: Text = ""
    recalled: tuple[tuple[int, int], ...] = ()
    """Sources of earlier turns, by turn and number: they are read before anything else (R35)."""
    counts: tuple[SourceKind, ...] = (SourceKind.PASSAGE, SourceKind.FETCHED)

    def next_step(self, grant: Grant, so_far: SoFar) -> Batch | Done:
        """The next batch that the rest of the grant covers, or the end."""
        wanted = [facet for facet in self.facets if not facet.known]
        iteration = max((iteration_of(one.call_id) for one in so_far.outcomes), default=0)
        if not so_far.outcomes and self.recalled and RECALL in grant.allowed_tools:
            return _fitting(self, so_far, [self._recall(wanted)])
        if iteration:
            pages = self._pages(wanted, so_far, iteration)
            if pages:
                return _fitting(self, so_far, pages)
        # A source that the caller named is enough for what it answers; nothing else is asked for that.
        enough = self.wanted_per_facet if iteration else 1
        open_facets = [facet for facet in wanted if self.speaking(facet, so_far.sources) < enough]
        if so_far.outcomes and not open_facets:
            return Done(why="complete")
        if iteration and not _gained(so_far, iteration) and iteration > 1:
            return Done(why="no_gain")
        queries = self._queries(open_facets, so_far, iteration + 1, grant)
        if not queries:
            return Done(why="no_gain" if iteration else "limit")
        if iteration >= self.max_iterations:
            return Done(why="limit")
        return _fitting(self, so_far, queries)

    def left_to_read(self, sources: Iterable[Source]) -> tuple[int, int]:
        """How many characters and sources may still be read, by the caller's own limits."""
        read = [source for source in sources if source.kind in _READ]
        chars = self.token_budget * _CHARS_PER_TOKEN - sum(len(source.text) for source in read)
        return chars, self.max_sources - len(read)

    @property
    def least_to_read(self) -> int:
        """The characters without which nothing can be read in the places that are allowed."""
        return _LEAST[DOCUMENTS] if self.rules.documents and not self.rules.web else _LEAST[PAGES]

    def _recall(self, wanted: list[Facet]) -> ToolCall:
        """The named sources; where the question has several parts, each is judged when the answer is composed."""
        params = (("conversation", self.conversation), ("sources", self.recalled[: max(1, self.max_sources)]))
        about = wanted[0].text if len(wanted) == 1 else ""
        return ToolCall(call_id="i0.f0.recall", tool=RECALL, params=params, about=about, with_related=bool(about))

    def is_covered(self, facet: Facet, sources: Iterable[Source]) -> bool:
        """True if enough sources speak to a facet."""
        return self.speaking(facet, sources) >= self.wanted_per_facet

    def speaking(self, facet: Facet, sources: Iterable[Source]) -> int:
        """How many documents or pages speak to a facet."""
        return len(
            {
                source.text_hash
                for source in sources
                if source.kind in _READ
                and covers(facet.text, source)
                and gives_asked_kind(asked_kind(facet.text), source.text)
            }
        )

    def _queries(self, facets: list[Facet], so_far: SoFar, iteration: int, grant: Grant) -> list[ToolCall]:
        """One query per open facet and place; every facet before any second one of the same facet."""
        documents = self.rules.documents and grant.collection is not None and DOCUMENTS in grant.allowed_tools
        web = self.rules.web and {SEARCH, PAGES} <= set(grant.allowed_tools) and not _not_set_up(so_far.outcomes)
        asked = _asked(so_far)
        calls: list[ToolCall] = []
        # From the second iteration on the web comes first: what the documents lack, other words seldom find in them.
        places = (("docs",) if documents else ()) + (("web",) if web else ())
        places = places if iteration == 1 else places[::-1]
        tried = {facet_of(one) for one in asked}
        facets = sorted(facets, key=lambda facet: facet.number in tried)
        for place in places:
            for facet in facets:
                done = [one for one in asked if facet_of(one) == facet.number and one.endswith(place)]
                # The web is asked for what the documents have not answered.
                answered = documents and self.speaking(facet, so_far.sources) >= self.web_below
                if place == "web" and documents and (iteration == 1 or answered):
                    continue
                query = (
                    f"{facet.text} {facet.topic}".strip() if not done else _refined(facet, so_far.sources, len(done))
                )
                if query:
                    calls.append(self._query(facet, place, query, iteration))
        return calls

    def _query(self, facet: Facet, place: str, query: str, iteration: int) -> ToolCall:
        call_id = f"i{iteration}.f{facet.number}.{place}"
        branch = f"facet-{facet.number}"
        if place == "docs":
            params = (("query", query), ("limit", _PASSAGES))
            return ToolCall(
                call_id=call_id, tool=DOCUMENTS, params=params, branch=branch, about=facet.text, with_related=True
            )
        # Whom to ask, and in which order, is the operator's choice; what a provider cannot filter is filtered here.
        sites = (("sites", self.rules.only[:3]), ("wishes", ("sites",))) if self.rules.only else ()
        params_web = (("kind", "web"), ("query", query[:400]), ("limit", _HITS), *sites)
        return ToolCall(call_id=call_id, tool=SEARCH, params=params_web, branch=branch)

    def _pages(self, facets: list[Facet], so_far: SoFar, iteration: int) -> list[ToolCall]:
        """The pages behind the hits of this iteration, the best of every facet first, hosts mixed."""
        prefix = f"i{iteration}."
        if any(one.tool == PAGES and one.call_id.startswith(prefix) for one in so_far.outcomes):
            return []
        fetched = {source.locator for source in so_far.sources if source.kind is SourceKind.FETCHED}
        # A hit is kept once, for the first facet that found it; every facet may read what any of them found.
        hits = [
            source
            for source in so_far.sources
            if source.kind is SourceKind.HIT
            and source.call_id.startswith(prefix)
            and source.locator not in fetched
            and self.rules.allows(source.locator)
        ]
        chosen: dict[int, list[str]] = {}
        for facet in facets:
            if not self.is_covered(facet, so_far.sources):
                own = f"{prefix}f{facet.number}.web"
                held = {hit.locator: bearing_on(facet.text, hit).held_milli for hit in hits}
                # Hits whose title and snippet hold more of the facet come first; among equals hosts are mixed.
                tiers: dict[int, list[str]] = {}
                for hit in sorted(hits, key=lambda hit: hit.call_id != own):
                    tiers.setdefault(held[hit.locator] // 250, []).append(hit.locator)
                urls = [url for tier in sorted(tiers, reverse=True) for url in _mixed(tiers[tier])]
                chosen[facet.number] = urls[:_PAGES_PER_FACET]
        calls: list[ToolCall] = []
        taken: set[str] = set()
        texts = {facet.number: facet.text for facet in facets}
        for place in range(_PAGES_PER_FACET):
            for number, urls in chosen.items():
                if place < len(urls) and urls[place] not in taken:
                    taken.add(urls[place])
                    params = (("url", urls[place]), ("form", "text"), ("max_length", _PAGE_BYTES))
                    call_id = f"{prefix}f{number}.page{place + 1}"
                    calls.append(
                        ToolCall(
                            call_id=call_id,
                            tool=PAGES,
                            params=params,
                            branch=f"facet-{number}",
                            about=texts[number],
                            with_related=True,
                        )
                    )
        return calls


def _fitting(plan: ResearchPlan, so_far: SoFar, wish: list[ToolCall]) -> Batch | Done:
    """The calls that the rest of the grant and the caller's own limits cover, in their order (R4)."""
    chars, sources = plan.left_to_read(so_far.sources)
    units = so_far.units_left
    readers = _readers(wish, so_far.calls_left, chars)
    # Every facet of the batch gets the same share of characters and sources; those for which none is left wait.
    share, each = max(1, sources // readers), chars // readers
    taken: list[ToolCall] = []
    kept = 0
    for call in wish:
        calls_left = so_far.calls_left - len(taken) - kept
        # A search without a call or a character left to read one of its pages would be paid for nothing.
        if calls_left < (2 if call.tool == SEARCH else 1) or units < PRICES[call.tool]:
            continue
        size = _size(call.tool, min(each, chars), min(share, sources))
        if call.tool == SEARCH:
            if sources <= 0 or chars < _LEAST[PAGES]:
                continue
            kept += 1
            taken.append(call)
        elif call.tool == RECALL and sources > 0:
            taken.append(call)
        elif call.tool == DOCUMENTS and sources > 0 and size:
            chars, sources = chars - size * LONGEST_PASSAGE, sources - size
            taken.append(_with(call, "limit", size))
        elif call.tool == PAGES and sources > 0 and size:
            chars, sources = chars - size, sources - 1
            taken.append(_with(call, "max_length", size))
        else:
            continue
        units -= PRICES[call.tool]
    return Batch(calls=tuple(taken)) if taken else Done(why="limit")


def _readers(wish: list[ToolCall], calls_left: int, chars: int) -> int:
    """How many calls share what may be read: as many as there are calls left for, and no more than each can have the
    least that it needs; the last ones stand back first."""
    least = [_LEAST[call.tool] for call in wish if call.tool in _LEAST]
    count = min(sum(call.tool != SEARCH for call in wish), max(1, calls_left))
    return max(1, min(count, chars // max(least))) if least else max(1, count)


def _size(tool: str, chars: int, sources: int) -> int:
    """How much a call may bring at most: passages, or characters of a page; 0 where nothing fits."""
    if tool == DOCUMENTS:
        return max(0, min(_PASSAGES, sources, chars // LONGEST_PASSAGE))
    size = min(_PAGE_BYTES, chars)
    return size if size >= _LEAST[PAGES] else 0


def _with(call: ToolCall, name: str, value: int) -> ToolCall:
    params = tuple((key, value if key == name else given) for key, given in call.params)
    return ToolCall(
        call_id=call.call_id,
        tool=call.tool,
        params=params,
        branch=call.branch,
        about=call.about,
        with_related=call.with_related,
    )


def facet_of(call_id: str) -> int:
    """The facet that a call was for; 0 for a call of another shape."""
    found = _CALL.fullmatch(call_id)
    return int(found[2]) if found else 0


def iteration_of(call_id: str) -> int:
    """The iteration that a call belongs to; 0 for a call of another shape."""
    found = _CALL.fullmatch(call_id)
    return int(found[1]) if found else 0


def _asked(so_far: SoFar) -> list[str]:
    return [outcome.call_id for outcome in so_far.outcomes]


def _gained(so_far: SoFar, iteration: int) -> bool:
    return any(one.accepted for one in so_far.outcomes if iteration_of(one.call_id) == iteration)


def _not_set_up(outcomes: Iterable[CallOutcome]) -> bool:
    return any(
        one.tool == SEARCH
        and one.status is OutcomeStatus.UNAVAILABLE
        and one.unavailable in (UnavailableKind.AUTH, UnavailableKind.PROVIDER_DOWN)
        for one in outcomes
    )


def _refined(facet: Facet, sources: tuple[Source, ...], tried: int) -> str:
    """The words of a facet that nothing read holds yet, with its names; empty where that is what was asked before."""
    own = language_in(facet.text)
    words = [word for word in asked_words(facet.text, (own,)) if not is_light(word, own, (own,))]
    if tried > 1 or len(words) < 2:
        return ""
    said = stems_in("\n".join(source.text for source in sources if source.kind in _READ), (own,))
    missing = [word for word in words if said.isdisjoint(word.stems)]
    taken = [word for word in words if word.marked or word in missing]
    if not taken or len(taken) == len(words):
        taken = sorted(words, key=lambda word: (not word.marked, -len(word.word), word.word))[: max(1, len(words) - 1)]
    return " ".join(word.word for word in taken)


def _mixed(urls: list[str]) -> list[str]:
    """The URLs with the second page of a host behind the first pages of all others."""
    seen: dict[str, int] = {}
    ranked: list[tuple[int, int, str]] = []
    for place, url in enumerate(dict.fromkeys(urls)):
        host = host_of(url)
        seen[host] = seen.get(host, 0) + 1
        ranked.append((seen[host], place, url))
    return [url for _, _, url in sorted(ranked)]


def _below(host: str, domain: str) -> bool:
    return host == domain or host.endswith(f".{domain}")
