"""One spelling for the many addresses of one page: without tracking, AMP, mobile hosts and spellings of a DOI."""

from __future__ import annotations

import re
from typing import Final

from .urls import JudgedUrl, judge_url

__all__ = ["canonical_url", "doi_in_url"]

_LONGEST: Final = 8_192
_MOST_HOPS: Final = 3
_TRACKING: Final = re.compile(
    r"(?:utm|hsa|pk|piwik|mtm|matomo|vero|oly|trk|bsft|ns|fb|hss|ck|ml|mc)_\w+|at_(?:medium|campaign|link\w*|custom\w*)"
    r"|__hs\w+|__cft__\S*|__tn__|wt\.\w+|utm|trk\w*|wprov|mibextid|sfnsn|intcmp|cmp|epik|dicbo|_branch_match_id|redircnt"
    r"|phpsessid|jsessionid|share|sharedid|usg|ved"
    r"|_ga|_gl|_hsenc|_hsmi|__twitter_impression|gclid|gclsrc|gbraid|wbraid|dclid|fbclid|msclkid|yclid|twclid|ttclid"
    r"|li_fat_id|igshid|igsh|mkt_tok|cmpid|ncid|ocid|icid|spm|scm|s_cid|s_kwcid|wt_mc|wtmc|ref_src"
    r"|ref_url|guccounter|guce_referrer\w*|sr_share|smid|smtyp|xtor|cvid|ecid|elqtrack\w*|rb_clickid|zanpid|irclickid"
    r"|srsltid|amp|amp_js_v|amp_gsa|usqp|outputtype",
    re.IGNORECASE,
)
# One page in YouTube's two spellings; what follows the number of a video only says how it was found.
_VIDEO: Final = re.compile(r"[A-Za-z0-9_-]{6,20}")
_MOBILE: Final = ("m", "mobile", "touch", "amp", "wap")
# Other doors of the same house.
_HOSTS: Final = {
    "new.reddit.com": "reddit.com",
    "np.reddit.com": "reddit.com",
    "old.reddit.com": "reddit.com",
    "twitter.com": "x.com",
}
# What some sites take for another form of the same page.
_FORMS: Final = frozenset({"amp", "amp=1", "amp=true", "m=1", "mobile=1", "output=amp", "view=amp"})
_POST_FORMS: Final = {"x.com": ("s", "t"), "open.spotify.com": ("si",), "reddit.com": ("context", "rdt")}
_SESSION: Final = re.compile(r";(?:jsessionid|phpsessid|sid)=[^/]*", re.IGNORECASE)
_WRAPPED: Final = re.compile(r"(?i)https?://(?:www\.)?google\.[a-z.]{2,6}/url\?(?:.*&)?(?:q|url)=(http[^&]+)(?:&.*)?")
_AMP_VIEWER: Final = re.compile(r"(?i)https?://(?:www\.)?google\.[a-z.]{2,6}/amp/(s/)?(.+)")
_AMP_CACHE: Final = re.compile(r"(?i)https?://[a-z0-9-]+\.cdn\.ampproject\.org/[a-z]/(s/)?(.+)")
_INDEX: Final = re.compile(r"/(?:index|default|home)\.(?:html?|php|aspx?|jsp)$", re.IGNORECASE)
_ESCAPE: Final = re.compile(r"%[0-9A-Fa-f]{2}")
_ESCAPES: Final = re.compile(r"(?:%[0-9A-Fa-f]{2})+")
_UNRESERVED: Final = frozenset("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-._~")
_DOI: Final = re.compile(r"(?:^|[/=:])(10\.\d{4,9}/[^\s\"'<>?#&]{1,300})")
_DOI_END: Final = ".,;:)]}*_/"
_DOI_TAIL: Final = re.compile(
    r"(?:v\d{1,2})?(?:[./](?:full(?:\.pdf|-text)?|pdf|epdf|abstract|html|meta|reprint|summary|references|figures))+$",
    re.IGNORECASE,
)
_PREPRINT: Final = re.compile(r"(10\.1101/.+?)v\d{1,2}$")
_ARXIV_DOI: Final = "10.48550/arxiv."
_ARXIV: Final = re.compile(
    r"/(?:abs|pdf|html|format)/((?:\d{4}\.\d{4,5}|[a-z-]+(?:\.[A-Z]{2})?/\d{7}))(?:v\d{1,2})?(?:\.pdf)?/?"
)
_PUBMED: Final = re.compile(r"/(?:pubmed/)?(\d{1,9})/?")


def canonical_url(url: str) -> str:
    """The spelling under which two addresses of one page are the same; a name, and not what is fetched or shown.

    Pure and total: what is not a public web address comes back as it is, without blanks round it.
    """
    text = url.strip()
    for _ in range(_MOST_HOPS):
        inner = _unwrapped(text)
        if inner == text:
            break
        text = inner
    judged = judge_url(text) if len(text) <= _LONGEST else None
    if not isinstance(judged, JudgedUrl):
        return text
    host = _host(judged.host)
    path, _, query = judged.target.partition("?")
    known = _known_place(host, path, query)
    if known:
        return known
    path = _path(path)
    odd = _POST_FORMS.get(host, ())
    kept = sorted(
        part
        for part in query.split("&")
        if part
        and part.lower() not in _FORMS
        and not _TRACKING.fullmatch(name := part.partition("=")[0])
        and name not in odd
    )
    port = "" if judged.port in (80, 443) else f":{judged.port}"
    return f"https://{host}{port}{path}" + (f"?{'&'.join(kept)}" if kept else "")


def doi_in_url(url: str) -> str:
    """The DOI that an address names, in lower case; empty where it names none."""
    judged = judge_url(url.strip()) if len(url) <= _LONGEST else None
    if not isinstance(judged, JudgedUrl):
        return ""
    path, _, query = judged.target.partition("?")
    return _doi(path) or _doi(query)


def _unwrapped(text: str) -> str:
    found = _WRAPPED.fullmatch(text)
    if found is not None:
        return _decoded(found.group(1))
    found = _AMP_VIEWER.fullmatch(text) or _AMP_CACHE.fullmatch(text)
    return text if found is None else f"http{'s' if found.group(1) else ''}://{found.group(2)}"


def _host(host: str) -> str:
    labels = host.split(".")
    if labels[0] in ("www", *_MOBILE) and len(labels) > 2:
        labels = labels[1:]
    # `en.m.wikipedia.org`: the mobile label may stand after a language.
    if len(labels) > 3 and labels[1] in _MOBILE:
        labels = [labels[0], *labels[2:]]
    name = ".".join(labels)
    return _HOSTS.get(name, name)


def _known_place(host: str, path: str, query: str) -> str:
    """Places whose pages have a number of their own, which stands in several addresses."""
    doi = _doi(path) or (_doi(query) if host.startswith(("journals.plos.org", "dx.plos.org")) else "")
    if doi:
        number = doi.removeprefix(_ARXIV_DOI)
        return f"https://arxiv.org/abs/{number}" if number != doi else f"https://doi.org/{doi}"
    if host in ("arxiv.org", "export.arxiv.org"):
        found = _ARXIV.fullmatch(path)
        return f"https://arxiv.org/abs/{found.group(1).lower()}" if found else ""
    if host == "pubmed.ncbi.nlm.nih.gov" or (host == "ncbi.nlm.nih.gov" and path.startswith("/pubmed/")):
        found = _PUBMED.fullmatch(path)
        return f"https://pubmed.ncbi.nlm.nih.gov/{found.group(1)}" if found else ""
    if host in ("youtu.be", "youtube.com"):
        named = dict(part.partition("=")[::2] for part in query.split("&"))
        video = path.strip("/") if host == "youtu.be" else named.get("v", "") if path == "/watch" else ""
        return f"https://youtube.com/watch?v={video}" if _VIDEO.fullmatch(video) else ""
    return ""


def _doi(text: str) -> str:
    found = _DOI.search(_decoded(text))
    if found is None:
        return ""
    doi = _DOI_TAIL.sub("", found.group(1).rstrip(_DOI_END)).rstrip(_DOI_END).lower()
    preprint = _PREPRINT.fullmatch(doi)
    doi = preprint.group(1) if preprint else doi
    if doi.startswith(_ARXIV_DOI):
        return re.sub(r"v\d{1,2}$", "", doi)
    return doi if doi.partition("/")[2] else ""


def _decoded(text: str) -> str:
    """Without escapes, as UTF-8."""
    return _ESCAPES.sub(lambda found: bytes.fromhex(found.group().replace("%", "")).decode("utf-8", "replace"), text)


def _path(path: str) -> str:
    path = _ESCAPE.sub(_plain_escape, path)
    path = _INDEX.sub("/", path)
    path = re.sub(r"/{2,}", "/", _SESSION.sub("", path))
    path = re.sub(r"(?<=.)/amp/?$|\.amp(?=(?:\.html?)?$)|/amp(?=/.)", "", path)
    return path.rstrip("/") if path.strip("/") else ""


def _plain_escape(found: re.Match[str]) -> str:
    letter = chr(int(found.group()[1:], 16))
    return letter if letter in _UNRESERVED else found.group().upper()
