"""Builds the MCP door over an open gate: its resources, its audit log, and who asks."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from mcp.server.lowlevel.server import Server

from ..capabilities.searching.routing_meta import ROUTED_KINDS
from ..kernel.request import Principal
from ..research.router import Router
from ..system.clock import SystemClock
from ..system.data_folder import AUDIT_FILE
from ..system.lens_files import lens_engine_setting, read_lenses
from ..system.provider_files import missing_settings, read_providers, routed_providers
from ..system.settings import Settings
from ..system.stores.audit.chained_log import ChainedLog
from ..wiring.key_guard import REQUESTS_PER_MINUTE
from .added_parts import NOTHING_ADDED, AddedParts
from .artifacts import Artifacts
from .call_stats import CallStats
from .key_access import SCOPE_NAME
from .resource_views import ResourceViews, View
from .server import McpDoor, build_server

__all__ = ["open_door", "principal_source"]


def principal_source(local: Principal | None) -> Callable[[Any], Principal]:
    """Who asks: whom the border of the HTTP transport found, else the local user of this machine."""

    def principal_of(request: Any) -> Principal:
        found = None if request is None else request.scope.get(SCOPE_NAME)
        who = found or local
        if who is None:
            raise PermissionError("no principal")
        return who

    return principal_of


def open_door(
    router: Router, settings: Settings, local: Principal | None, added: AddedParts = NOTHING_ADDED
) -> Server[Any]:
    """The server over a gate."""
    clock = SystemClock()
    stats, artifacts = CallStats(), Artifacts(clock)
    door = McpDoor(
        router=router,
        principal_of=principal_source(local),
        views=ResourceViews(_views(router, settings, stats), artifacts),
        artifacts=artifacts,
        stats=stats,
        ladders=_ladders(settings),
        audit=ChainedLog(settings.data_dir / AUDIT_FILE),
        clock=clock,
    )
    return build_server(door, added)


def _ladders(settings: Settings) -> frozenset[str]:
    """With one provider, or none, nothing is routed."""
    table = read_providers()
    ways = {name: routed_providers(table, settings, kind) for name, kind in ROUTED_KINDS.items()}
    return frozenset(name for name, providers in ways.items() if len(providers) > 1)


def _views(router: Router, settings: Settings, stats: CallStats) -> tuple[View, ...]:
    return (
        View(
            "lenses://catalog",
            "Search lens catalog",
            "The lenses that a search can be narrowed to: name, what it is for, how many hosts.",
            lambda who: {"lenses": _lenses(settings)},
            operators_only=False,
        ),
        View(
            "stats://tools",
            "Tool statistics",
            "Calls, time and errors per tool, of this tenant.",
            lambda who: stats.tools(who.tenant),
        ),
        View(
            "stats://sessions",
            "Sessions under way",
            "How many sessions of research run at this moment.",
            lambda who: {"sessions": router.health().sessions},
        ),
        View(
            "stats://rate-limits",
            "Rate limits",
            "The request limit of a key at this door; the caps of the gate come from the tier.",
            lambda who: {"requestsPerMinutePerKey": REQUESTS_PER_MINUTE, "tier": who.tier},
        ),
        View(
            "stats://providers",
            "Outside services",
            "Every outside service by name and kind, and whether it may be asked.",
            lambda who: {"providers": _providers(settings)},
        ),
        View(
            "diagnostics://errors/recent",
            "Recent errors",
            "The latest errors of this tenant by tool and kind, the newest first.",
            lambda who: {"errors": stats.errors(who.tenant)},
        ),
        View(
            "diagnostics://health",
            "Health",
            "Whether the gate can answer, check by check.",
            lambda who: router.health().model_dump(mode="json"),
        ),
    )


def _lenses(settings: Settings) -> list[dict[str, Any]]:
    engines = {name for name, _ in settings.keys}
    return [
        {
            "name": lens.name,
            "description": lens.description,
            "domainCount": len(lens.sites),
            "customSearchEngine": bool(lens.cx) or lens_engine_setting(lens.name) in engines,
        }
        for lens in read_lenses()
    ]


def _providers(settings: Settings) -> list[dict[str, Any]]:
    table = read_providers()
    return [
        {
            "name": entry.name,
            "kinds": list(entry.kinds),
            "missing": list(missing_settings(entry, settings)),
            "askedFor": [kind for kind in entry.kinds if entry.name in routed_providers(table, settings, kind)],
        }
        for entry in table.providers
    ]
