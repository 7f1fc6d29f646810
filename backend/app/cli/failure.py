"""What the command line prints with `--json` when there is no answer to print."""

from __future__ import annotations

from typing import Literal

from ..kernel.models import FrozenModel

__all__ = ["CliError", "CliFailure", "FailureKind"]

FailureKind = Literal[
    "invalid_request", "store_unusable", "contract_violation", "not_evaluated", "interrupted", "unexpected_error"
]


class CliError(FrozenModel):
    """The kind for programs, the message for people."""

    kind: FailureKind
    message: str


class CliFailure(FrozenModel):
    """One JSON document, as `--json` promises, also when things go wrong."""

    error: CliError
