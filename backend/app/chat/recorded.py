"""Research that this process does not know: another one runs it, or it ended long ago and stands in the record."""

from __future__ import annotations

from typing import Final

from ..capabilities.answers.research_models import ResearchResult
from ..kernel.errors import RequestInvalid, StoreUnusable
from ..kernel.request import Principal
from ..kernel.stops import Action
from ..research.audience import OPERATOR_SCOPE
from ..system.stores.conversations.requests import RequestWish, StoredRequest
from .door import ChatDoor
from .reply import action_shown
from .running import RunView, UnknownResearch

__all__ = ["ended_elsewhere", "kept_view", "recorded_view", "wish_elsewhere", "without_content", "worded_result"]

_STATES: Final = ("ended", "cancelled", "failed")


def recorded_view(door: ChatDoor, request_id: str, principal: Principal) -> RunView:
    """A request from the record; its result is made again from its session. For a thread without an event loop.

    Raises:
        UnknownResearch: there is no such request for this principal.
    """
    found = _found(door, request_id, principal)
    result, action = None, None if found.state == "running" else Action.BASELINE
    if found.state == "ended" and found.session_id is not None:
        result, action = _made_again(door, found.session_id)
    return _view(found, result, action)


def kept_view(door: ChatDoor, view: RunView) -> RunView:
    """What this process keeps of a request, as long as it was not erased meanwhile. For a thread without an event loop.

    Raises:
        UnknownResearch: everything of its tenant was erased.
    """
    if view.ended_at_ms is None:
        return view
    if door.requests.find(view.request_id, view.tenant) is None:
        raise UnknownResearch
    if view.result is None or not door.archive.erased(view.session_id):
        return view
    return without_content(view)


def without_content(view: RunView) -> RunView:
    """What is left of a request whose content was erased."""
    return RunView(
        request_id=view.request_id,
        tenant=view.tenant,
        user=view.user,
        question="",
        conversation=view.conversation,
        state=view.state,
        session_id=view.session_id,
        started_at_ms=view.started_at_ms,
        ended_at_ms=view.ended_at_ms,
        action=None,
        result=None,
        outcome=None,
        wanted=view.wanted,
    )


def ended_elsewhere(door: ChatDoor, request_id: str, principal: Principal) -> bool:
    """True if the request has ended; raises as `recorded_view` does."""
    return _found(door, request_id, principal).state in _STATES


def wish_elsewhere(door: ChatDoor, request_id: str, principal: Principal, wish: RequestWish) -> RunView:
    """Ask whichever process runs it to end it; raises as `recorded_view` does."""
    found = _found(door, request_id, principal)
    door.requests.wish(request_id, wish)
    return _view(found, None, None if found.state == "running" else Action.BASELINE)


def worded_result(door: ChatDoor, view: RunView) -> ResearchResult | None:
    """The result of a request with its answer as the user got it: a model may have worded it."""
    if door.wording is None or view.result is None or view.action is not Action.GROUNDED:
        return view.result
    return door.wording.shown_again(view.tenant, view.session_id, view.result)


def _found(door: ChatDoor, request_id: str, principal: Principal) -> StoredRequest:
    found = door.requests.find(request_id, principal.tenant)
    if found is None or (found.user != principal.user and OPERATOR_SCOPE not in principal.scopes):
        raise UnknownResearch
    return found


def _made_again(door: ChatDoor, session_id: str) -> tuple[ResearchResult | None, Action | None]:
    try:
        action = door.archive.show(session_id).summary.action
        result = door.archive.research_result(session_id)
        return result, action_shown(action, result)
    except (RequestInvalid, StoreUnusable):
        return None, None  # erased or pruned


def _view(found: StoredRequest, result: ResearchResult | None, action: Action | None) -> RunView:
    return RunView(
        request_id=found.request,
        tenant=found.tenant,
        user=found.user,
        question="",
        conversation=found.conversation,
        state=found.state,
        session_id=found.session_id or "",
        started_at_ms=found.started_at_ms,
        ended_at_ms=found.ended_at_ms,
        action=action,
        result=result,
        outcome=None,
    )
