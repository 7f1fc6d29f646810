"""What a research session met beside its answer: discovery events and open questions, each grounded in a source."""

from __future__ import annotations

from collections.abc import Sequence

from ...evidence.answering.composer import ComposedAnswer
from ...evidence.grounding.facets import Facet
from ...evidence.lateral import references_in, unread_in, unsettled_in
from ...kernel.results import Source
from .research_models import DiscoveryEvent, OpenQuestion

__all__ = ["discoveries_of", "open_questions_of"]


def discoveries_of(
    composed: ComposedAnswer, facets: Sequence[Facet], found_sources: Sequence[Source]
) -> tuple[DiscoveryEvent, ...]:
    """Only what was met: contradictions, identifiers in cited sources that another researcher could follow, and places
    that a search or a cited source names and nobody has read."""
    texts = {facet.number: facet.text for facet in facets}
    found = [
        DiscoveryEvent(
            type="contradiction",
            suggested_researcher=None,
            query=texts[pair.one.facet],
            reason=f"two sources give another {pair.kind}: {pair.other.source.locator} differs",
            source_locator=pair.one.source.locator,
        )
        for pair in composed.contradictions
    ]
    cited = list(dict.fromkeys(excerpt.source for excerpt in composed.excerpts))
    found += [
        DiscoveryEvent(
            type="related_research",
            suggested_researcher=reference.researcher,
            query=reference.identifier,
            reason="a cited source refers to it and it was not read",
            source_locator=reference.source.locator,
        )
        for reference in references_in(cited)
    ]
    asked = {facet.number: facet.text for facet in facets if not facet.known}
    found += [
        DiscoveryEvent(
            type="new_source",
            suggested_researcher=None,
            query=asked[unread.facet],
            reason=unread.reason,
            source_locator=unread.locator,
        )
        for unread in unread_in(asked, found_sources, cited)
    ]
    return tuple(found)


def open_questions_of(
    facets: Sequence[Facet], missing: Sequence[Facet], composed: ComposedAnswer, sources: Sequence[Source]
) -> tuple[OpenQuestion, ...]:
    """Only what something read has raised: a statement that it is not known, a contradiction, a part left open."""
    whole = " ".join(facet.text for facet in facets)
    cited = list(dict.fromkeys(excerpt.source for excerpt in composed.excerpts))
    found = [
        OpenQuestion(
            question=f"What has been found since on this: {one.text}",
            context="A source that was read says that this is open.",
            priority="medium",
            source_locator=one.source.locator,
        )
        for one in unsettled_in(whole, cited)
    ]
    found += [
        OpenQuestion(
            question=f"Which holds: {pair.one.text} Or: {pair.other.text}",
            context=f"{pair.one.source.locator} and {pair.other.source.locator} differ.",
            priority="high",
            source_locator=pair.one.source.locator,
        )
        for pair in composed.contradictions
    ]
    lead = composed.excerpts[0].source.locator
    found += [
        OpenQuestion(
            question=facet.text if facet.text.endswith("?") else f"{facet.text}?",
            context="The sources that answer the other parts were read and do not say this.",
            priority="high",
            source_locator=lead,
        )
        for facet in missing
        if sources
    ]
    return tuple(found)
