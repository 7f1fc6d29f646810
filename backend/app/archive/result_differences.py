"""Where a research result is not the one that its session yields: field by field, by its path."""

from __future__ import annotations

import json
from typing import Final

from ..capabilities.answers.research_models import ResearchResult
from ..kernel.canonical import JsonValue

__all__ = ["differences_between"]

_SHOWN: Final = 60
_MOST: Final = 20
_OF_THE_WORDING: Final = ("answer", "cost_metadata.model_id")


def differences_between(result: ResearchResult, yields: ResearchResult, *, worded: bool = False) -> list[str]:
    """One line for every field that differs, at most twenty; with `worded` the fields of a model's wording are left
    out."""
    found: list[str] = []
    _walk("", result.model_dump(mode="json"), yields.model_dump(mode="json"), found)
    told = [line for line in found if not (worded and line.partition(":")[0] in _OF_THE_WORDING)]
    more = len(told) - _MOST
    return told if more <= 0 else [*told[:_MOST], f"{more} more fields differ"]


def _walk(path: str, given: JsonValue, wanted: JsonValue, found: list[str]) -> None:
    if isinstance(given, dict) and isinstance(wanted, dict):
        for name in sorted(given.keys() | wanted.keys()):
            _walk(f"{path}.{name}" if path else name, given.get(name), wanted.get(name), found)
    elif isinstance(given, list) and isinstance(wanted, list):
        if len(given) != len(wanted):
            found.append(f"{path}: {len(given)} of them, and the session yields {len(wanted)}")
        for place, (one, other) in enumerate(zip(given, wanted, strict=False), start=1):
            _walk(f"{path}.{place}", one, other, found)
    elif type(given) is not type(wanted) or given != wanted:
        found.append(f"{path}: {_shown(given)}, and the session yields {_shown(wanted)}")


def _shown(value: JsonValue) -> str:
    text = json.dumps(value, ensure_ascii=False)
    return text if len(text) <= _SHOWN else f"{text[: _SHOWN - 4]} ..."
