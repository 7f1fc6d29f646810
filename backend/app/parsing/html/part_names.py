"""The words by which pages name their parts: in classes, ids and roles."""

from __future__ import annotations

import re
from collections.abc import Mapping
from enum import IntEnum
from functools import lru_cache
from typing import Final

__all__ = ["Naming", "naming_of"]


class Naming(IntEnum):
    """What a part's names say about it."""

    NOTHING = 0
    BODY = 1
    """The text of the article itself."""
    CONTENT = 2
    """Somewhere round the text."""
    NOISE = 3
    """Often around the text, and no part of it."""
    STRANGE = 4
    """Never a part of the text, however long it is: comments, other articles, the site's frame."""


_CAMEL: Final = re.compile(r"([a-z0-9])([A-Z])")
_LONGEST: Final = 300
_BODY: Final = re.compile(
    r"(?:article|story|post|entry|news|blog|content|page|text)[-_]*(?:article[-_]*)?(?:body|text|content|copy)\b"
    r"|\bbody[-_]*(?:copy|text|content)|\barticle[-_]*(?:main|inner|wrap)|\bmain[-_]*(?:text|content|article)\b"
    r"|\brich[-_]*text|\bcaas[-_]body|\bprose\b"
)
_CONTENT: Final = re.compile(
    r"(?:^|[\s_-])(?:article|articles|story|post|entry|content|main|body|text|blog)(?:$|[\s_-])"
)
_STRANGE: Final = re.compile(
    r"(?:^|[\s_-])(?:"
    r"nav|navi|navbar|navigation|breadcrumb\w*|menus?|submenu|(?<!has-)(?<!with-)(?<!no-)(?<!l-)sidebar(?!-(?:fixed|layout))\w*|rail|footer\w*|"
    r"related\w*|recommend\w*|recirc\w*|outbrain\w*|taboola\w*|trending|most-?(?:read|viewed|popular)|jp-relatedposts|"
    r"more-?(?:from|on|stories|news|articles|links)|read-?(?:next|also)|see-?also|also-?(?:read|see|like)|up-?next|"
    r"comments?|commentlist|comment-?\w*|disqus\w*|respond|repl(?:y|ies)|"
    r"cookie\w*|consent|gdpr|newsletter\w*|(?<!elementor-)widgets?|(?<!elementor-)widget-?\w*|share\w*|sharing|sharedaddy|addthis\w*|addtoany\w*"
    r")(?=$|[\s_-])"
)
_NOISE: Final = re.compile(
    r"(?:^|[\s_-])(?:"
    r"toolbar|foot|masthead|social\w*|a2a|follow|follows|popular|readmore|read-?more|next-?(?:up|article|post)|prev|pager|"
    r"pagination|paging|subscribe\w*|subscription|signup|sign-up|optin|mailchimp|mc4wp|"
    r"promo\w*|ad|ads|advert\w*|adsbygoogle|adbox|adslot|dfp|sponsor\w*|banner|commercial|"
    r"popup|pop-up|modal|overlay|lightbox|tooltip|paywall|discussion|"
    r"author-?(?:bio|box|info|card|meta|profile|desc|description|name|image|block)|about-?(?:the-)?author|authors?|bio|"
    r"by-?line\w*|contributor\w*|attribution\w*|"
    r"post-?meta|entry-?meta|article-?meta|meta|metadata|meta-?data|dateline|timestamp|date|published|"
    r"tags?|tag-?(?:list|cloud|links)|categor(?:y|ies)|topics?|keywords|"
    r"caption\w*|figcaption|credits?|photo-?credit|image-?(?:caption|credit|source|meta)|wp-caption-text|"
    r"gallery\w*|slideshow\w*|carousel\w*|slider|video-?(?:player|caption|title|info|meta)|player|"
    r"print|ratings?|review-?box|feedback|vote|poll|survey|quiz|toc|table-of-contents|"
    r"disclaimer|copyright|licen[sc]e|legal|search|login|logo|skip|screen-?reader\w*|sr-only|visually-?hidden|hidden|"
    r"hide|noprint|no-print"
    r")(?=$|[\s_-])"
)


@lru_cache(maxsize=8_192)
def _naming(names: str) -> Naming:
    lowered = _CAMEL.sub(r"\1-\2", names).lower()
    if _STRANGE.search(lowered) is not None:
        return Naming.STRANGE
    if _NOISE.search(lowered) is not None:
        return Naming.NOISE
    if _BODY.search(lowered) is not None:
        return Naming.BODY
    return Naming.CONTENT if _CONTENT.search(lowered) is not None else Naming.NOTHING


def naming_of(attributes: Mapping[str, str | None]) -> Naming:
    """What class, id and role of an element say."""
    if not attributes:
        return Naming.NOTHING
    names = f"{attributes.get('class') or ''} {attributes.get('id') or ''} {attributes.get('role') or ''}"
    return _naming(names[:_LONGEST]) if len(names) > 2 else Naming.NOTHING
