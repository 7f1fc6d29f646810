"""Why a page could not be read: the specification's error kinds, with what to do about each."""

from __future__ import annotations

from typing import Final, NamedTuple

from ...kernel.failure import ErrorDetail, ErrorKind, Failure, SuggestedAction
from ...kernel.outcome import ResearchOutcome
from ...kernel.results import CallOutcome, OutcomeStatus, UnavailableKind
from ...kernel.stops import StopReason
from ...parsing.url.urls import UrlCode, UrlRefusal, judge_url

__all__ = ["page_error", "scrape_failure"]

_RETRY_SECONDS: Final = 60


class _Why(NamedTuple):
    kind: ErrorKind
    retryable: bool
    action: SuggestedAction
    message: str


_BLOCKED: Final = "Blocked: {url} uses bot detection. Try an alternative source — its content can't be read directly."
_KINDS: Final = {
    UnavailableKind.AUTH: _Why(
        "auth_required", False, "try_alternative_source", "Auth required: {url} is behind a login wall."
    ),
    UnavailableKind.PAYWALL: _Why(
        "auth_required", False, "try_alternative_source", "Auth required: {url} is behind a paywall."
    ),
    UnavailableKind.BLOCKED: _Why("blocked", False, "try_alternative_source", _BLOCKED),
    UnavailableKind.ROBOTS: _Why(
        "blocked", False, "try_alternative_source", "Blocked: the robots.txt of {url} asks not to be read by programs."
    ),
    UnavailableKind.REFUSED_DESTINATION: _Why(
        "validation", False, "fix_url", "URL rejected for {url}: {detail}. Provide a valid public http(s) URL."
    ),
    UnavailableKind.UNREACHABLE: _Why(
        "network", True, "retry", "Network error on {url}: it could not be reached. Check connectivity."
    ),
    UnavailableKind.SLOW: _Why(
        "network", True, "retry", "Network error on {url}: it took too long. Check connectivity."
    ),
    UnavailableKind.PROVIDER_DOWN: _Why(
        "network", True, "retry", "Network error on {url}: its server reports an error. Check connectivity."
    ),
    UnavailableKind.RATE_LIMITED: _Why(
        "rate_limited", True, "retry_after_delay", "Rate limited on {url}. Retry in 60 seconds."
    ),
    UnavailableKind.TOO_LARGE: _Why(
        "content_empty", False, "try_alternative_source", "Too large: {url} is larger than can be read."
    ),
    UnavailableKind.UNREADABLE: _Why(
        "content_empty",
        True,
        "try_alternative_source",
        "No content extracted from {url}. May need browser rendering.",
    ),
}
_DETAILS: Final = {
    UrlCode.ADDRESS: "its address is not public",
    UrlCode.EMPTY: "it is empty",
    UrlCode.LOCAL_NAME: "its name is local",
    UrlCode.PORT: "its port is not one of the web",
    UrlCode.SCHEME: "its scheme is not http or https",
    UrlCode.SINGLE_LABEL: "its name is local",
    UrlCode.TOO_LONG: "it is too long",
    UrlCode.USER_INFO: "it carries a name or password",
}
_NOT_FOUND: Final = _Why(
    "not_found",
    False,
    "check_url",
    "Not found: {url} returned 404/410 — the page does not exist. Check the URL.",
)


def scrape_failure(url: str, outcome: ResearchOutcome) -> Failure:
    """Why a session that was not stopped has no page, in the specification's words."""
    missed = next((call.unavailable for call in outcome.outcomes if call.unavailable is not None), None)
    # Asked and answered: there is no such page. What came back and was no evidence is a page without content.
    return _failure(url, missed, nothing_there=outcome.verdict.stop is StopReason.NO_SOURCE)


def page_error(url: str, call: CallOutcome) -> Failure:
    """The same for one of several pages of a session."""
    return _failure(url, call.unavailable, nothing_there=call.status is OutcomeStatus.EMPTY)


def _failure(url: str, missed: UnavailableKind | None, *, nothing_there: bool) -> Failure:
    why = _NOT_FOUND if nothing_there and missed is None else _KINDS[missed or UnavailableKind.UNREADABLE]
    return Failure(
        url=url,
        message=why.message.format(url=url, detail=_detail(url)),
        error=ErrorDetail(
            kind=why.kind,
            retryable=why.retryable,
            suggested_action=why.action,
            retry_after_seconds=_RETRY_SECONDS if why.kind == "rate_limited" else None,
        ),
    )


def _detail(url: str) -> str:
    judged = judge_url(url)
    if isinstance(judged, UrlRefusal):
        return _DETAILS.get(judged.code, "it is not a URL that every reader understands alike")
    return "it does not lead to a public address, or to a domain that the operator allows"
