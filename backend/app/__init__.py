"""Portcullis: the research mode of a chat backend, behind one gate."""

from __future__ import annotations

TYPE_CHECKING = False  # type checkers take it for true; importing `typing` for it takes ten times as long as all else
if TYPE_CHECKING:
    from .archive.archive import Archive
    from .capabilities.answers.research_input import ConversationTurn
    from .capabilities.answers.research_models import ResearchConstraints, ResearchResult
    from .capabilities.plans import OneCallPlan
    from .front.researcher import Researcher, ResearchEvent
    from .kernel.calls import Batch, CallContext, Done, ToolCall
    from .kernel.capability import Capability, Ports
    from .kernel.catalog import ToolEntry
    from .kernel.conversation import SourceOfTurn
    from .kernel.errors import (
        ContractViolation,
        RequestInvalid,
        ResearchError,
        StoreBusy,
        StoreUnusable,
        ToolUnavailable,
    )
    from .kernel.failure import ErrorDetail, Failure
    from .kernel.health import Health, HealthCheck
    from .kernel.outcome import ResearchOutcome, SoFar, SourceBundle, Verdict
    from .kernel.ports import Observer, Plan
    from .kernel.request import Grant, Principal, ResearchRequest, read_principal, read_request
    from .kernel.results import CallOutcome, RawItem, RawResult, Source, SourceKind, text_item
    from .kernel.stops import Action, StopReason
    from .research.audience import CallerView, EndUserView, for_caller, for_end_user, for_operator
    from .research.basis import Answer
    from .research.router import Router
    from .system.settings import Settings, settings_from
    from .system.version import VERSION
    from .wiring.archive_setup import open_archive
    from .wiring.document_setup import prepare_documents
    from .wiring.gate import open_gate
    from .wiring.host_parts import HostTool

    __version__ = VERSION

__all__ = [
    "Action",
    "Answer",
    "Archive",
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
    "HostTool",
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
    "ResearchEvent",
    "ResearchOutcome",
    "ResearchRequest",
    "ResearchResult",
    "Researcher",
    "Router",
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
    "open_archive",
    "open_gate",
    "prepare_documents",
    "read_principal",
    "read_request",
    "settings_from",
    "text_item",
]


_GATE_NAMES = (
    "Archive",
    "HostTool",
    "ResearchEvent",
    "Researcher",
    "Router",
    "open_archive",
    "open_gate",
    "prepare_documents",
)


def __getattr__(name: str) -> object:
    """Load the part of the house that a name needs: the values are cheap, the gate is not."""
    if name == "__version__":
        from .system.version import VERSION

        return VERSION
    if name not in __all__:
        raise AttributeError(f"module `{__name__}` has no attribute `{name}`")
    if name in _GATE_NAMES:
        from .front import gate

        return getattr(gate, name)
    from .front import values

    return getattr(values, name)


def __dir__() -> list[str]:
    return sorted((*__all__, "__version__"))
