"""Portcullis: the research mode of a chat backend, behind one gate."""

from __future__ import annotations

from .kernel.errors import ContractViolation, RequestInvalid, ResearchError, StoreUnusable
from .kernel.outcome import ResearchOutcome, SourceBundle, Verdict
from .kernel.request import Principal, ResearchRequest, read_principal, read_request
from .kernel.stops import Action, StopReason
from .research.audience import for_caller, for_end_user, for_operator
from .research.router import Router
from .system.settings import Settings, settings_from
from .system.version import VERSION
from .wiring import open_gate

__all__ = [
    "Action",
    "ContractViolation",
    "Principal",
    "RequestInvalid",
    "ResearchError",
    "ResearchOutcome",
    "ResearchRequest",
    "Router",
    "Settings",
    "SourceBundle",
    "StopReason",
    "StoreUnusable",
    "Verdict",
    "for_caller",
    "for_end_user",
    "for_operator",
    "open_gate",
    "read_principal",
    "read_request",
    "settings_from",
]

__version__ = VERSION
