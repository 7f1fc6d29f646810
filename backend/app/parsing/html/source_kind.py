"""Names what kind of source a page is: by what it declares, else by its host; hints from untrusted data."""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass
from enum import StrEnum
from typing import Final

from .json_ld import LinkedData
from .links import host_of, path_of

__all__ = [
    "AuthorityTier",
    "DomainCategory",
    "ForumSignals",
    "SiteKind",
    "SourceType",
    "detect_doi",
    "forum_signals",
    "source_kind",
]


class SourceType(StrEnum):
    """The kind of source."""

    PEER_REVIEWED = "peer_reviewed"
    OFFICIAL_DOCS = "official_docs"
    GOVERNMENT = "government"
    NEWS_PUBLICATION = "news_publication"
    BLOG = "blog"
    FORUM = "forum"
    WIKI = "wiki"
    SOCIAL_MEDIA = "social_media"
    UNKNOWN = "unknown"


class AuthorityTier(StrEnum):
    """A band of authority."""

    HIGH = "high"
    MEDIUM = "medium"
    LOW = "low"


class DomainCategory(StrEnum):
    """The subject area of a host."""

    ACADEMIC = "academic"
    LEGAL = "legal"
    MEDICAL = "medical"
    FINANCIAL = "financial"
    TECHNICAL = "technical"
    GENERAL = "general"


@dataclass(frozen=True, slots=True)
class SiteKind:
    """The three hints together."""

    source_type: SourceType
    authority_tier: AuthorityTier
    domain_category: DomainCategory


@dataclass(frozen=True, slots=True)
class ForumSignals:
    """How a forum's readers met a post."""

    platform: str
    upvotes: int
    comments: int
    date_published: str
    author_name: str
    credibility_note: str


def _hosts(names: str) -> frozenset[str]:
    return frozenset(names.split())


_JOURNALS: Final = _hosts(
    "academic.oup.com acm.org aeaweb.org agupubs.onlinelibrary.wiley.com ahajournals.org annualreviews.org aps.org "
    "arxiv.org biomedcentral.com biorxiv.org bmj.com cambridge.org cell.com dl.acm.org elifesciences.org "
    "embopress.org frontiersin.org iacr.org ieee.org iop.org iopscience.iop.org jamanetwork.com jmlr.org jstor.org "
    "karger.com liebertpub.com link.springer.com mdpi.com medrxiv.org nature.com ncbi.nlm.nih.gov nejm.org "
    "onlinelibrary.wiley.com peerj.com plos.org pnas.org pubmed.ncbi.nlm.nih.gov royalsocietypublishing.org rsc.org "
    "pubs.acs.org sagepub.com science.org sciencedirect.com sciencemag.org springer.com ssrn.com tandfonline.com "
    "thelancet.com uchicago.edu wiley.com"
)
_NEWS: Final = _hosts(
    "aljazeera.com apnews.com axios.com bbc.co.uk bbc.com bloomberg.com cbc.ca cbsnews.com cnbc.com cnn.com dw.com "
    "economist.com elpais.com euronews.com faz.net forbes.com foxnews.com france24.com ft.com independent.co.uk "
    "japantimes.co.jp latimes.com lemonde.fr nbcnews.com npr.org nytimes.com politico.com propublica.org reuters.com "
    "scmp.com sky.com spiegel.de straitstimes.com sueddeutsche.de telegraph.co.uk theatlantic.com theguardian.com "
    "thehindu.com thetimes.co.uk time.com usatoday.com vox.com washingtonpost.com wsj.com zeit.de"
)
_WIKIS: Final = _hosts("fandom.com wikibooks.org wikidata.org wikihow.com wikimedia.org wikipedia.org wiktionary.org")
_FORUMS: Final = _hosts(
    "askubuntu.com discourse.org news.ycombinator.com quora.com reddit.com serverfault.com stackexchange.com "
    "stackoverflow.com superuser.com"
)
_SOCIAL: Final = _hosts(
    "bsky.app facebook.com instagram.com linkedin.com mastodon.social pinterest.com threads.net tiktok.com tumblr.com "
    "twitter.com vk.com weibo.com x.com youtube.com"
)
_BLOGS: Final = _hosts("blogger.com blogspot.com dev.to ghost.io hashnode.dev medium.com substack.com wordpress.com")
_DOCS: Final = _hosts(
    "cppreference.com developer.apple.com developer.mozilla.org docs.rs go.dev kubernetes.io learn.microsoft.com "
    "man7.org nodejs.org php.net pkg.go.dev postgresql.org readthedocs.io rust-lang.org"
)
_DOCS_LABELS: Final = ("api.", "developer.", "developers.", "doc.", "docs.", "documentation.", "man.", "manual.")
_LEGAL: Final = _hosts(
    "bailii.org canlii.org casetext.com courtlistener.com eur-lex.europa.eu findlaw.com justia.com law.cornell.edu "
    "legifrance.gouv.fr legislation.gov.uk lexisnexis.com oyez.org scotusblog.com supremecourt.gov westlaw.com"
)
_MEDICAL: Final = _hosts(
    "bmj.com cdc.gov clinicaltrials.gov cochrane.org cochranelibrary.com ema.europa.eu fda.gov healthline.com "
    "jamanetwork.com karger.com mayoclinic.org medlineplus.gov medrxiv.org medscape.com ncbi.nlm.nih.gov nejm.org "
    "nhs.uk nih.gov thelancet.com webmd.com who.int"
)
_FINANCIAL: Final = _hosts(
    "bis.org bloomberg.com cnbc.com ecb.europa.eu federalreserve.gov finra.org ft.com imf.org investopedia.com "
    "marketwatch.com moneycontrol.com morningstar.com nasdaq.com nyse.com sec.gov seekingalpha.com "
    "stlouisfed.org worldbank.org wsj.com"
)
_TECHNICAL: Final = _hosts(
    "acm.org arstechnica.com askubuntu.com bitbucket.org cloudflare.com cppreference.com dev.to docs.rs github.com "
    "gitlab.com go.dev ieee.org ietf.org infoq.com kubernetes.io learn.microsoft.com lwn.net man7.org "
    "developer.mozilla.org news.ycombinator.com nodejs.org php.net postgresql.org python.org "
    "readthedocs.io rfc-editor.org rust-lang.org serverfault.com stackoverflow.com superuser.com w3.org whatwg.org"
)
_GOVERNMENT: Final = re.compile(
    r"(?:^|\.)(?:gov|mil|gouv|gob|govt|europa\.eu|who\.int|un\.org|oecd\.org|gc\.ca|admin\.ch|bund\.de|go\.jp|go\.kr)"
    r"(?:\.[a-z]{2,3})?$"
)
_ACADEMY: Final = re.compile(r"(?:^|\.)(?:edu|ac)(?:\.[a-z]{2})?$")
_DECLARED: Final = (
    (SourceType.PEER_REVIEWED, ("ScholarlyArticle", "MedicalScholarlyArticle")),
    (SourceType.OFFICIAL_DOCS, ("TechArticle", "APIReference")),
    (SourceType.GOVERNMENT, ("GovernmentOrganization", "GovernmentService", "Legislation")),
    (SourceType.FORUM, ("DiscussionForumPosting", "QAPage")),
    (SourceType.SOCIAL_MEDIA, ("SocialMediaPosting",)),
    (
        SourceType.NEWS_PUBLICATION,
        ("NewsArticle", "ReportageNewsArticle", "AnalysisNewsArticle", "OpinionNewsArticle", "BackgroundNewsArticle"),
    ),
    (SourceType.BLOG, ("BlogPosting", "Blog", "LiveBlogPosting")),
)
_BY_HOST: Final = (
    (SourceType.PEER_REVIEWED, _JOURNALS),
    (SourceType.WIKI, _WIKIS),
    (SourceType.FORUM, _FORUMS),
    (SourceType.SOCIAL_MEDIA, _SOCIAL),
    (SourceType.BLOG, _BLOGS),
    (SourceType.NEWS_PUBLICATION, _NEWS),
    (SourceType.OFFICIAL_DOCS, _DOCS),
)
_CATEGORIES: Final = (
    (DomainCategory.LEGAL, _LEGAL),
    (DomainCategory.MEDICAL, _MEDICAL),
    (DomainCategory.FINANCIAL, _FINANCIAL),
    (DomainCategory.TECHNICAL, _TECHNICAL),
    (DomainCategory.ACADEMIC, _JOURNALS),
)
# Points of 100; a host that is known for what it claims to be has ten more.
_POINTS: Final = {
    SourceType.PEER_REVIEWED: 85,
    SourceType.GOVERNMENT: 85,
    SourceType.OFFICIAL_DOCS: 75,
    SourceType.NEWS_PUBLICATION: 60,
    SourceType.WIKI: 55,
    SourceType.UNKNOWN: 40,
    SourceType.BLOG: 35,
    SourceType.FORUM: 30,
    SourceType.SOCIAL_MEDIA: 20,
}
_KNOWN_HOST: Final = 10
_HIGH: Final = 70
_MEDIUM: Final = 40
_DOI: Final = re.compile(r"10\.\d{4,9}/[^\s\"'<>?#&]+")
_DOI_END: Final = ".,;:)]}*_/"
_DOI_TAIL: Final = re.compile(r"(?:\.full|\.pdf|\.abstract|/full|/pdf|/abstract|/epdf|/html)+$", re.IGNORECASE)
_FRONT_MATTER: Final = 4_000
_FEW_VOTES: Final = 20
_FEW_VOTES_NOTE: Final = "fewer than 20 votes: easy to manipulate, little review by other readers"


def source_kind(url: str, types: Iterable[str] = (), *, has_citation: bool = False) -> SiteKind:
    """The kind of a page by what it declares, else by its host."""
    host = host_of(url)
    by_host = _type_of_host(host)
    declared = set(types)
    found = SourceType.PEER_REVIEWED if has_citation else SourceType.UNKNOWN
    if found is SourceType.UNKNOWN:
        found = next((kind for kind, names in _DECLARED if declared.intersection(names)), SourceType.UNKNOWN)
    if found is SourceType.UNKNOWN:
        found = by_host
    points = _POINTS[found] + (_KNOWN_HOST if by_host is found else 0)
    if found is SourceType.UNKNOWN and _ACADEMY.search(host) is not None:
        points = _HIGH
    tier = AuthorityTier.HIGH if points >= _HIGH else AuthorityTier.MEDIUM if points >= _MEDIUM else AuthorityTier.LOW
    return SiteKind(found, tier, _category(host))


def forum_signals(url: str, linked: LinkedData) -> ForumSignals | None:
    """The engagement that a Reddit post declares; None for every other host, and where it declares nothing."""
    if not _is_under(host_of(url), frozenset(("reddit.com",))):
        return None
    if not (linked.upvotes or linked.comments or "DiscussionForumPosting" in linked.types):
        return None
    return ForumSignals(
        platform="reddit",
        upvotes=linked.upvotes,
        comments=linked.comments,
        date_published=linked.published,
        author_name=linked.authors[0] if linked.authors else "",
        credibility_note=_FEW_VOTES_NOTE if linked.upvotes < _FEW_VOTES else "",
    )


def detect_doi(url: str, kind: SiteKind, citation: Iterable[tuple[str, str]], text: str) -> str:
    """The DOI that a scholarly page declares: in its metadata, else in its address, else in its front matter."""
    if kind.source_type is not SourceType.PEER_REVIEWED and not _is_under(host_of(url), _JOURNALS):
        return ""
    declared = dict(citation).get("citation_doi", "")
    for place in (declared, path_of(url).replace("%2F", "/").replace("%2f", "/"), text[:_FRONT_MATTER]):
        found = _DOI.search(place)
        if found is not None:
            return _DOI_TAIL.sub("", found.group().rstrip(_DOI_END)).lower()
    return ""


def _type_of_host(host: str) -> SourceType:
    for kind, hosts in _BY_HOST:
        if _is_under(host, hosts):
            return kind
    if _GOVERNMENT.search(host) is not None:
        return SourceType.GOVERNMENT
    if host.startswith(_DOCS_LABELS):
        return SourceType.OFFICIAL_DOCS
    if host.startswith(("wiki.", "en.wiki")):
        return SourceType.WIKI
    if host.startswith(("forum.", "forums.", "community.", "discuss.")):
        return SourceType.FORUM
    return SourceType.BLOG if host.startswith("blog.") else SourceType.UNKNOWN


def _category(host: str) -> DomainCategory:
    for category, hosts in _CATEGORIES:
        if _is_under(host, hosts):
            return category
    if _ACADEMY.search(host) is not None:
        return DomainCategory.ACADEMIC
    return DomainCategory.TECHNICAL if host.startswith(_DOCS_LABELS) else DomainCategory.GENERAL


def _is_under(host: str, hosts: frozenset[str]) -> bool:
    """Whether a host or a domain above it is in the table."""
    while host:
        if host in hosts:
            return True
        host = host.partition(".")[2]
    return False
