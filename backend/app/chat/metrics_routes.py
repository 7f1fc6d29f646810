"""`GET /metrics`: what the processes of this server have counted, for operators and for this machine."""

from __future__ import annotations

from fastapi import APIRouter
from fastapi.responses import PlainTextResponse

from .door import ChatDoor
from .meters import Labels, merged_states, metrics_text
from .openapi import Described, refusals

__all__ = ["metrics_router"]

_TYPE = "text/plain; version=0.0.4"
_TEXT: dict[int | str, Described] = {
    200: {"description": "metrics", "content": {"text/plain": {"schema": {"type": "string"}}}}
}


def metrics_router(door: ChatDoor) -> APIRouter:
    """The route."""
    router = APIRouter(tags=["operations"])

    @router.get("/metrics", summary="Metrics for Prometheus", responses={**_TEXT, **refusals()})
    def metrics() -> PlainTextResponse:
        state = merged_states((door.meters.state(), *door.shared_meters.others()))
        return PlainTextResponse(metrics_text(state, _gauges(door)), media_type=_TYPE)

    return router


def _gauges(door: ChatDoor) -> list[tuple[str, str, Labels, float]]:
    """What stands at this moment, in this process."""
    health = door.router.health()
    running, waiting = door.running.under_way
    broken = {check.name for check in health.checks if check.state != "ok"}
    providers = sorted({name for _, names in door.settings.search_routing for name in names})
    return [
        ("portcullis_ready", "1 if questions can be answered", (), float(health.healthy)),
        ("portcullis_research_running", "research requests that run in this process", (), running),
        ("portcullis_research_waiting", "research requests that wait in this process", (), waiting),
        ("portcullis_sessions_under_way", "sessions under way in this process", (), health.sessions),
        ("portcullis_tool_workers", "worker processes of the tools of this process", (), health.workers),
        *(
            (
                "portcullis_breaker_open",
                "1 while a provider is left alone after failures",
                (("provider", name),),
                float(f"provider.{name}" in broken),
            )
            for name in providers
        ),
    ]
