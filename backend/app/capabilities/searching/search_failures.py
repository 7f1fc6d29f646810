"""Why a search has no result: an outage is a failure and never an empty list; a forced provider is named."""

from __future__ import annotations

from typing import Final

from ...kernel.failure import ErrorDetail, ErrorKind, Failure, SuggestedAction
from ...kernel.results import CallOutcome, OutcomeStatus, UnavailableKind
from ...kernel.rungs import Fault, Rung

__all__ = ["NO_SESSIONS", "search_failure"]

NO_SESSIONS: Final = Failure(
    message="sessionId is not supported: research sessions are not available here. Leave it out.",
    error=ErrorDetail(kind="config", retryable=False, suggested_action="fix_arguments"),
)
_RETRY_SECONDS: Final = 60
_NOT_SET_UP: Final = (Fault.NOT_CONFIGURED, Fault.NOT_ROUTED)
_FREE: Final = {
    "web": "web=wikipedia",
    "news": "news=hackernews",
    "papers": "papers=openalex,crossref",
}


def search_failure(call: CallOutcome | None, kind: str, *, provider: str | None, lens: str | None) -> Failure | None:
    """The failure behind a search that nobody answered; None where somebody did, be it with nothing."""
    if call is None or call.status is not OutcomeStatus.UNAVAILABLE:
        return None
    lenses = [offer.name for offer in call.offered if offer.kind == "lens"]
    if lens is not None and lenses:
        return _config(f"Unknown lens. Available lenses: {', '.join(lenses)}.")
    if provider is not None:
        return _forced(call, kind, provider)
    faults = [rung.fault for rung in call.rungs if rung.fault not in _NOT_SET_UP]
    if not faults:
        return _nobody(call, kind)
    if all(fault is Fault.UNSUPPORTED for fault in faults):
        return _unsupported("None of the configured providers supports")
    if call.unavailable is UnavailableKind.RATE_LIMITED:
        return _limited(call.rungs, None)
    return _detail("upstream_unavailable", "Search is not available: no configured provider answered.", retryable=True)


def _nobody(call: CallOutcome, kind: str) -> Failure:
    """One line on how to get a provider, the keyless ones first."""
    missing = sorted({name for rung in call.rungs for name in rung.missing})
    if missing:
        return _config(f"No provider for `{kind}` is configured: {', '.join(missing)} is missing.")
    refused = next((rung.provider for rung in call.rungs if rung.fault is Fault.NOT_CONFIGURED), None)
    if refused is not None:
        return _refuses(refused)
    free = _FREE.get(kind)
    routed = f', or PORTCULLIS_SEARCH_ROUTING="{free}"' if free else ""
    keyless = f"Without a key: set PORTCULLIS_URL_SEARXNG to your own SearXNG{routed}."
    return _config(f"No provider for `{kind}` is configured. {keyless}")


def _refuses(provider: str) -> Failure:
    """It was asked, and its own settings are not right."""
    hint = " Allow the format `json` in `search.formats` of its settings.yml." if provider == "searxng" else ""
    return _config(f"Provider `{provider}` says that it is not set up to answer.{hint}")


def _forced(call: CallOutcome, kind: str, provider: str) -> Failure:
    rung = call.rungs[-1] if call.rungs else None
    fault = rung.fault if rung is not None else Fault.NOT_ROUTED
    usable = [offer.name for offer in call.offered if offer.kind == kind and offer.usable]
    known = [offer.name for offer in call.offered if offer.kind == kind]
    ready = f"Configured: {', '.join(usable)}." if usable else "No provider is configured for it."
    if fault in _NOT_SET_UP and rung is not None:
        if rung.missing:
            return _config(f"Provider `{provider}` is not configured: set {', '.join(rung.missing)}. {ready}")
        if fault is Fault.NOT_CONFIGURED:
            return _refuses(rung.provider)
        if rung.provider in known:
            route = f"name it for `{kind}` in PORTCULLIS_SEARCH_ROUTING"
            return _config(f"Provider `{provider}` may not be asked: {route}. {ready}")
        return _config(f"Unknown provider for `{kind}`. Supported: {', '.join(known)}. {ready}")
    name = rung.provider if rung is not None else provider
    match fault:
        case Fault.RATE_LIMITED | Fault.QUOTA:
            return _limited(call.rungs, name)
        case Fault.UNSUPPORTED:
            return _unsupported(f"Provider `{provider}` does not support", name)
        case Fault.BAD_REQUEST:
            return _detail("validation", f"Provider `{provider}` refused the query.", retryable=False, provider=name)
        case Fault.AUTH:
            said = f"Provider `{provider}` did not accept its key."
            return _detail("auth_required", said, retryable=False, provider=name)
        case Fault.BLOCKED:
            return _detail("blocked", f"Provider `{provider}` takes us for a robot.", retryable=False, provider=name)
        case Fault.SLOW | Fault.UNREACHABLE:
            return _detail(
                "network", f"Provider `{provider}` could not be reached in time.", retryable=True, provider=name
            )
    return _detail("upstream_unavailable", f"Provider `{provider}` did not answer.", retryable=True, provider=name)


def _limited(rungs: tuple[Rung, ...], provider: str | None) -> Failure:
    waits = [rung.retry_after_s for rung in rungs if rung.retry_after_s]
    after = min(waits, default=_RETRY_SECONDS)
    by = f" ({provider})" if provider else ""
    quota = bool(rungs) and all(rung.fault is Fault.QUOTA for rung in rungs if rung.fault not in _NOT_SET_UP)
    if quota:
        said = f"Quota used up{by}. Try a different provider, or wait until it is renewed."
        detail = ErrorDetail(
            kind="rate_limited", retryable=False, suggested_action="check_configuration", provider=provider
        )
        return Failure(message=said, error=detail)
    return Failure(
        message=f"Rate limited{by}. Wait {after} seconds and retry, or try a different provider.",
        error=ErrorDetail(
            kind="rate_limited",
            retryable=True,
            suggested_action="retry_after_delay",
            retry_after_seconds=after,
            provider=provider,
        ),
    )


def _unsupported(who: str, provider: str | None = None) -> Failure:
    detail = ErrorDetail(kind="validation", retryable=False, suggested_action="fix_arguments", provider=provider)
    return Failure(message=f"{who} this combination of filters. Use fewer filters.", error=detail)


def _config(message: str) -> Failure:
    return _detail("config", message, retryable=False)


_ACTIONS: Final[dict[ErrorKind, SuggestedAction]] = {
    "auth_required": "check_configuration",
    "config": "check_configuration",
    "validation": "fix_arguments",
}


def _detail(kind: ErrorKind, message: str, *, retryable: bool, provider: str | None = None) -> Failure:
    action = _ACTIONS.get(kind, "retry" if retryable else "try_alternative_source")
    return Failure(
        message=message,
        error=ErrorDetail(kind=kind, retryable=retryable, suggested_action=action, provider=provider),
    )
