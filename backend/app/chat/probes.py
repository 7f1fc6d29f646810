"""Whether the server lives and whether it can answer, for supervisors and load balancers."""

from __future__ import annotations

from typing import Literal

from fastapi import APIRouter, Request, Response

from ..kernel.canonical import digest_of
from ..kernel.health import HealthCheck
from ..kernel.models import FrozenModel
from ..system.certificate_files import read_certificate
from ..system.contract_files import read_contract
from .access import caller_in
from .door import ChatDoor

__all__ = ["probe_router"]

_CERTIFICATE = {
    "absent": "an installation has none",
    "current": "",
    "other_files": "of other sealed files: run `make stale`",
    "unreadable": "cannot be read",
}


class Alive(FrozenModel):
    """The server answers."""

    status: Literal["ok"] = "ok"


class ReadinessCheck(FrozenModel):
    """One thing that the server stands on; a warning keeps nothing from being answered."""

    name: str
    state: Literal["ok", "warning", "failed"]
    detail: str | None = None
    """For operators."""


class Readiness(FrozenModel):
    """Whether questions can be answered at this moment."""

    ready: bool
    checks: tuple[ReadinessCheck, ...]
    contract: str | None = None
    """For operators: the digests of the contract and of the caps."""
    caps: str | None = None
    sandbox: str | None = None


def probe_router(door: ChatDoor) -> APIRouter:
    """`/healthz` and `/readyz`."""
    router = APIRouter(tags=["operations"])
    contract = read_contract()
    caps = digest_of(contract.caps)
    certificate = read_certificate()
    certified = HealthCheck(
        name="certificate",
        state="ok" if certificate.state == "current" else "warning",
        detail=_CERTIFICATE[certificate.state],
    )

    @router.get("/healthz", summary="Whether the server lives")
    async def healthz() -> Alive:
        return Alive()

    @router.get(
        "/readyz",
        summary="Whether questions can be answered",
        responses={503: {"model": Readiness, "description": "questions cannot be answered now"}},
    )
    def readyz(request: Request, response: Response) -> Readiness:
        health = door.router.health()
        caller = caller_in(request.scope)
        told = caller is not None and caller.is_operator
        response.status_code = 200 if health.healthy else 503
        return Readiness(
            ready=health.healthy,
            checks=tuple(
                ReadinessCheck(name=check.name, state=check.state, detail=check.detail if told else None)
                for check in (*health.checks, certified)
                if told or not check.name.startswith("provider.")
            ),
            contract=contract.digest if told else None,
            caps=(f"custom, the contract's are {caps}" if health.custom_caps else caps) if told else None,
            sandbox=health.sandbox if told else None,
        )

    return router
