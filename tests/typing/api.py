"""The public names as a host uses them: type-checked, never executed."""

from __future__ import annotations

from app import (
    Action,
    Principal,
    ResearchOutcome,
    ResearchRequest,
    Settings,
    StopReason,
    for_caller,
    for_end_user,
    for_operator,
    open_gate,
    read_request,
)
from app.kernel.results import Source


async def host(settings: Settings) -> tuple[str, tuple[Source, ...]]:
    """Everything a chat backend touches."""
    principal = Principal(tenant="acme", user="u1", tier="PRO", scopes=("operator",), collections=("documents",))
    request: ResearchRequest = read_request(question="why?", clarified=True)
    async with open_gate("documents", settings=settings) as router:
        outcome: ResearchOutcome = await router.run(request, principal)
    stop: StopReason = for_operator(outcome, principal).verdict.stop
    action: Action = for_end_user(outcome).action
    seconds: int | None = error.retry_after_seconds if (error := for_caller(outcome).error) else None
    return f"{stop} {action} {seconds}", for_caller(outcome).sources
