"""How far foreign bytes are confined on this machine: told to the operator, and refused where it is not far enough."""

from __future__ import annotations

import logging

from ..kernel.errors import ContractViolation
from ..kernel.models import FrozenModel
from ..research.adapter import ToolOpener
from ..system.settings import Settings

__all__ = ["SandboxReport", "require_sandbox", "sandbox_report"]

_FULL = "full"


class SandboxReport(FrozenModel):
    """What a worker has raised round itself."""

    level: str
    landlock_abi: int
    seccomp: bool
    required: str
    sufficient: bool


def require_sandbox(settings: Settings) -> str:
    """The level of this machine; one that is too weak for the settings is refused, a weak one warned about.

    Raises:
        ContractViolation: the settings require the full level, and the kernel does not have it.
    """
    level = str(ToolOpener.sandbox_offered().level)
    if level == _FULL:
        return level
    if settings.sandbox == _FULL:
        raise ContractViolation(
            f"the sandbox must be `{_FULL}` (PORTCULLIS_SANDBOX), and this machine offers `{level}`: "
            "a kernel with Landlock and seccomp is needed"
        )
    logging.getLogger("portcullis").warning("documents are read in a sandbox of level `%s`, not `%s`", level, _FULL)
    return level


def sandbox_report(settings: Settings) -> SandboxReport:
    """Start a worker, have it confine itself, and say what stands.

    Raises:
        StoreUnusable: no worker can be started.
    """
    with ToolOpener.document_reader() as reader:
        state = reader.level()
    return SandboxReport(
        level=str(state.level),
        landlock_abi=state.landlock_abi,
        seccomp=state.seccomp,
        required=settings.sandbox,
        sufficient=settings.sandbox != _FULL or str(state.level) == _FULL,
    )
