"""The ports: what the frozen core needs from outside, one protocol per file."""

from __future__ import annotations

from .audit import Audit
from .clock import Clock
from .content_store import ContentStore
from .document_index import DocumentIndex
from .earlier_sources import EarlierSources
from .finished_sessions import FinishedSessions, ShownSources
from .ids import Ids
from .journal import FoundSession, Journal
from .ledger import Ledger, LedgerRule
from .machine import Machine
from .notices import Notices
from .observer import Observer
from .plan import Plan
from .tool import Tool, Toolbox

__all__ = [
    "Audit",
    "Clock",
    "ContentStore",
    "DocumentIndex",
    "EarlierSources",
    "FinishedSessions",
    "FoundSession",
    "Ids",
    "Journal",
    "Ledger",
    "LedgerRule",
    "Machine",
    "Notices",
    "Observer",
    "Plan",
    "ShownSources",
    "Tool",
    "Toolbox",
]
