"""The answerer, where the operator has named a model."""

from __future__ import annotations

from ..answering.answerer import Answerer
from ..answering.model_endpoint import OpenAICompatible
from ..system.ids import RandomIds
from ..system.settings import Settings

__all__ = ["open_answerer"]


def open_answerer(settings: Settings) -> Answerer | None:
    """What words grounded answers; None where no model is configured."""
    if settings.model is None:
        return None
    return Answerer(OpenAICompatible(settings.model), RandomIds())
