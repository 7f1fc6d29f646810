"""An error of a command, told in one line on stderr and, with `--json`, as one document on stdout."""

from __future__ import annotations

import os
import sys

from rich.console import Console

from ..kernel.errors import ContractViolation, RequestInvalid, StoreUnusable
from .checkout import NoCheckout
from .exits import Exit
from .failure import CliError, CliFailure, FailureKind
from .render import plain, print_json, print_wrapped

__all__ = ["told"]


def told(error: BaseException, usage: str | None = None) -> Exit:
    """Tell an error and give its exit code; `usage` says what is wrong with the words that were typed."""
    code, kind, message = _judged(error, usage)
    message = message.encode("utf-8", "replace").decode().strip().rstrip(".")
    written = not isinstance(error, OSError)
    if written and "--json" in sys.argv:
        print_json(CliFailure(error=CliError(kind=kind, message=message)))
    if not written and sys.stdout is not None:
        # What Python still holds for a stdout that cannot be written goes nowhere.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
    _print(Console(stderr=True, highlight=False), f"portcullis: {message}")
    return code


def _print(console: Console, line: str) -> None:
    """Cut between words; a line with a path that is longer than it stays whole, so that the path can be copied."""
    if max(map(len, line.split())) > console.width:
        console.print(plain(line), style="red", soft_wrap=True)
    else:
        print_wrapped(console, line, style="red")


def _judged(error: BaseException, usage: str | None) -> tuple[Exit, FailureKind, str]:
    if usage is not None:
        return Exit.INVALID, "invalid_request", usage.replace("Value error, ", "")
    match error:
        case RequestInvalid():
            return Exit.INVALID, "invalid_request", str(error)
        case StoreUnusable():
            return Exit.STORE_UNUSABLE, "store_unusable", str(error)
        case ContractViolation():
            return Exit.UNEXPECTED, "contract_violation", str(error)
        case NoCheckout():
            return Exit.NOT_EVALUATED, "not_evaluated", str(error)
        case OSError():
            return Exit.STORE_UNUSABLE, "store_unusable", f"cannot write the answer: {error.strerror}"
        case KeyboardInterrupt():
            return Exit.INTERRUPTED, "interrupted", "interrupted"
        case _:
            return Exit.UNEXPECTED, "unexpected_error", f"unexpected error: {type(error).__name__}"
