"""What a capability answers when it has no result: one line for a reader, and kinds for a program (R18)."""

from __future__ import annotations

from typing import Literal

from .models import WireModel

__all__ = ["ErrorDetail", "ErrorKind", "Failure", "SuggestedAction"]

ErrorKind = Literal[
    "validation",
    "network",
    "blocked",
    "not_found",
    "content_empty",
    "auth_required",
    "rate_limited",
    "config",
    "upstream_unavailable",
]
SuggestedAction = Literal[
    "fix_url",
    "fix_arguments",
    "retry",
    "retry_after_delay",
    "try_alternative_source",
    "check_url",
    "check_configuration",
]


class ErrorDetail(WireModel):
    """What a program can branch on."""

    kind: ErrorKind
    retryable: bool
    suggested_action: SuggestedAction
    retry_after_seconds: int | None = None
    provider: str | None = None


class Failure(WireModel):
    """Why there is no result; no stop code, cap value or exception text is in it (R14)."""

    message: str
    error: ErrorDetail
    url: str | None = None
    """The page that was asked for, where it was one."""
