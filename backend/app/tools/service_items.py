"""Records of an answer as items for the screen: everything that is shown stands in a field that it reads."""

from __future__ import annotations

from collections.abc import Mapping

from ..kernel.canonical import sha256_hex
from ..kernel.providers import Parsed, ServiceHit
from ..kernel.results import RawItem, SourceKind
from ..parsing.html.links import host_of
from ..parsing.text.text_cuts import cut_text, utf8_length
from ..system.provider_code import AnswerAbout
from ..system.reputation_files import HostReputation

__all__ = ["service_items"]


def service_items(
    read: Parsed,
    about: AnswerAbout,
    body: bytes,
    limit: int,
    max_bytes: int,
    reputation: Mapping[str, HostReputation] | None = None,
) -> tuple[tuple[RawItem, ...], bool]:
    """The first records as items within these bounds, and whether something is missing."""
    content_hash = sha256_hex(body)
    items: list[RawItem] = []
    room = max_bytes
    cut = len(read.hits) > limit
    for position, hit in enumerate(read.hits[:limit]):
        metadata = (*hit.metadata, *_facts(read, about, position), *_known_of(hit.locator, reputation or {}))
        beside = (hit.locator, hit.title, *hit.hidden, *(part for pair in metadata for part in pair))
        room -= sum(utf8_length(part) for part in beside)
        if room <= 0:
            return tuple(items), True
        item = _item(hit, metadata, content_hash, room)
        room -= utf8_length(item.body)
        cut = cut or item.end < len(hit.text)
        items.append(item)
    return tuple(items), cut


def _item(hit: ServiceHit, metadata: tuple[tuple[str, str], ...], content_hash: str, room: int) -> RawItem:
    shown, _ = cut_text(hit.text, room)
    return RawItem(
        kind=SourceKind.HIT,
        payload="record",
        locator=hit.locator,
        title=hit.title,
        body=shown,
        metadata=metadata,
        content_hash=content_hash,
        text_hash=sha256_hex(hit.text.encode("utf-8")),
        end=len(shown),
        hidden=hit.hidden,
        carriers_removed=hit.carriers_removed,
    )


def _facts(read: Parsed, about: AnswerAbout, position: int) -> tuple[tuple[str, str], ...]:
    """What the tool itself says of a record; no name that a parser may choose has a colon."""
    said = {
        "service:provider": about.provider,
        "service:kind": about.kind,
        "service:position": str(position),
        "service:total": read.total or "",
        "service:next_page": read.next_page or "",
        "service:read_as": about.model_dump_json(),
    }
    return tuple((name, value) for name, value in said.items() if value)


def _known_of(url: str, reputation: Mapping[str, HostReputation]) -> tuple[tuple[str, str], ...]:
    """What the catalogue says about the host or the nearest domain above it; nothing for one that it does not know."""
    host = host_of(url)
    while host:
        found = reputation.get(host)
        if found is not None:
            return ("service:reputation", found.tier), ("service:reputation_basis", found.basis)
        host = host.partition(".")[2]
    return ()
