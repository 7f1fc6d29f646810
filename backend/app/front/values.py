"""The value types among the package's public names: requests, plans, results, errors. Cheap to load."""

from __future__ import annotations

from ..capabilities.answers.research_input import ConversationTurn
from ..capabilities.answers.research_models import ResearchConstraints, ResearchResult
from ..capabilities.plans import OneCallPlan
from ..kernel.calls import Batch, CallContext, Done, ToolCall
from ..kernel.capability import Capability, Ports
from ..kernel.catalog import ToolEntry
from ..kernel.conversation import SourceOfTurn
from ..kernel.errors import ContractViolation, RequestInvalid, ResearchError, StoreBusy, StoreUnusable, ToolUnavailable
from ..kernel.failure import ErrorDetail, Failure
from ..kernel.health import Health, HealthCheck
from ..kernel.outcome import ResearchOutcome, SoFar, SourceBundle, Verdict
from ..kernel.ports import Observer, Plan
from ..kernel.request import Grant, Principal, ResearchRequest, read_principal, read_request
from ..kernel.results import CallOutcome, RawItem, RawResult, Source, SourceKind, text_item
from ..kernel.stops import Action, StopReason
from ..research.audience import CallerView, EndUserView, for_caller, for_end_user, for_operator
from ..research.basis import Answer
from ..system.settings import Settings, settings_from

__all__ = [
    "Action",
    "Answer",
    "Batch",
    "CallContext",
    "CallOutcome",
    "CallerView",
    "Capability",
    "ContractViolation",
    "ConversationTurn",
    "Done",
    "EndUserView",
    "ErrorDetail",
    "Failure",
    "Grant",
    "Health",
    "HealthCheck",
    "Observer",
    "OneCallPlan",
    "Plan",
    "Ports",
    "Principal",
    "RawItem",
    "RawResult",
    "RequestInvalid",
    "ResearchConstraints",
    "ResearchError",
    "ResearchOutcome",
    "ResearchRequest",
    "ResearchResult",
    "Settings",
    "SoFar",
    "Source",
    "SourceBundle",
    "SourceKind",
    "SourceOfTurn",
    "StopReason",
    "StoreBusy",
    "StoreUnusable",
    "ToolCall",
    "ToolEntry",
    "ToolUnavailable",
    "Verdict",
    "for_caller",
    "for_end_user",
    "for_operator",
    "read_principal",
    "read_request",
    "settings_from",
    "text_item",
]
