"""The public names as a host uses them: type-checked, never executed."""

from __future__ import annotations

from collections.abc import Sequence

from portcullis import (
    Action,
    Answer,
    Failure,
    Health,
    HostTool,
    Principal,
    ResearchOutcome,
    ResearchRequest,
    Settings,
    StopReason,
    for_caller,
    for_end_user,
    for_operator,
    open_archive,
    open_gate,
    read_request,
)
from portcullis.kernel.results import Source


async def host(settings: Settings) -> tuple[str, tuple[Source, ...]]:
    """Everything a chat backend touches."""
    principal = Principal(tenant="acme", user="u1", tier="PRO", scopes=("operator",), collections=("documents",))
    request: ResearchRequest = read_request(question="why?", clarified=True)
    async with open_gate("documents", settings=settings) as router:
        outcome: ResearchOutcome = await router.run(request, principal)
        health: Health = router.health()
        assert health.healthy or any(check.state == "failed" for check in health.checks)
    stop: StopReason = for_operator(outcome, principal).verdict.stop
    action: Action = for_end_user(outcome).action
    seconds: int | None = error.retry_after_seconds if (error := for_caller(outcome).error) else None
    return f"{stop} {action} {seconds}", for_caller(outcome).sources


async def host_with_its_own(settings: Settings, tools: Sequence[HostTool], principal: Principal) -> str:
    """A capability by name, with tools, caps and documents of the host's own."""
    async with open_gate(
        settings=settings,
        tools=tools,
        caps="caps.json",
        collections={"acme": "documents", "rival": {"recipes": "recipes", "letters": "letters"}},
    ) as gate:
        answer: Answer = await gate.call("scrape_page", {"url": "https://example.com/"}, principal, session_key="once")
    records = open_archive(settings, capabilities=())
    replayed: str = records.replay(answer.outcomes[0].session_id).result
    match answer.result:
        case Failure() as failure:
            return f"{failure.error.kind} {replayed}"
        case found:
            return found.model_dump_json()
