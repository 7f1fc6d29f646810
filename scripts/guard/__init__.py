"""The static guard: reads source as trees and names every way round the adapter (docs/threat-model.md)."""

from __future__ import annotations

from .finding import Finding
from .house import House, read_house
from .judge import check_source, check_tree

__all__ = ["Finding", "House", "check_source", "check_tree", "read_house"]
