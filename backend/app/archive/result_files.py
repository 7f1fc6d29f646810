"""Reads a research result as somebody hands it over: one meaning per name, whatever reads it."""

from __future__ import annotations

import json

from pydantic import ValidationError

from ..capabilities.answers.research_models import ResearchResult
from ..kernel.errors import RequestInvalid

__all__ = ["read_result"]


def read_result(text: bytes) -> ResearchResult:
    """A research result.

    Raises:
        RequestInvalid: it is none, or a name stands in it twice, so that two readers could see two results.
    """
    try:
        json.loads(text, object_pairs_hook=_each_name_once)
        return ResearchResult.model_validate_json(text)
    except _NameTwice as exc:
        raise RequestInvalid("a name stands twice in this result") from exc
    except (ValidationError, ValueError, RecursionError) as exc:
        raise RequestInvalid("this is not a research result") from exc


class _NameTwice(ValueError):
    """A JSON object with the same name twice."""


def _each_name_once(pairs: list[tuple[str, object]]) -> dict[str, object]:
    found = dict(pairs)
    if len(found) != len(pairs):
        raise _NameTwice
    return found
