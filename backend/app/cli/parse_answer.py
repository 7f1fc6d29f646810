"""`portcullis parse`: what a provider's parser makes of a recorded answer, as one JSON document."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Annotated, Any, Final, Literal

import typer
from pydantic import Field

from ..kernel.errors import RequestInvalid
from ..kernel.models import FrozenModel
from ..kernel.providers import Fault, Parsed, ProviderEntry, ProviderError, ServiceAnswer, ServiceHit
from ..system.provider_code import AnswerAbout, read_answer
from ..system.provider_files import read_providers
from .exits import Exit
from .render import print_json

__all__ = ["ErrorKind", "ReadAnswer", "add_parse_command", "error_kind", "read_recorded"]

_MOST_BYTES: Final = 5_000_001
"""One more than a parser reads: what is longer is refused there, and told like any other answer."""

ErrorKind = Literal[
    "auth_required",
    "blocked",
    "browser_unavailable",
    "config",
    "content_empty",
    "invalid_request",
    "network",
    "not_found",
    "quota",
    "rate_limited",
    "upstream_unavailable",
]
_KINDS: Final[dict[Fault, ErrorKind]] = {
    Fault.AUTH: "auth_required",
    Fault.BAD_REQUEST: "invalid_request",
    Fault.BLOCKED: "blocked",
    Fault.NOT_CONFIGURED: "config",
    Fault.NOT_FOUND: "not_found",
    Fault.NOT_ROUTED: "config",
    Fault.OVER_PRICE: "quota",
    Fault.PROVIDER_DOWN: "upstream_unavailable",
    Fault.QUOTA: "quota",
    Fault.RATE_LIMITED: "rate_limited",
    Fault.REFUSED_DESTINATION: "blocked",
    Fault.SLOW: "network",
    Fault.TOO_LARGE: "upstream_unavailable",
    Fault.UNREACHABLE: "network",
    Fault.UNREADABLE: "upstream_unavailable",
    Fault.UNSUPPORTED: "invalid_request",
}
_RETRYABLE: Final = (Fault.PROVIDER_DOWN, Fault.RATE_LIMITED, Fault.SLOW, Fault.UNREACHABLE)
# The request or the body is wrong, and would be at any other time.
_FAILED: Final = (Fault.BAD_REQUEST, Fault.NOT_FOUND, Fault.TOO_LARGE, Fault.UNREADABLE)
_ALIASES: Final = {("unpaywall", "paper"): "open_access"}
"""Another word for what a provider is asked."""
# One body may answer both: works by their ids come one by one or as a list.
_SIBLINGS: Final = {"paper": "papers", "papers": "paper"}
# What a record of a paper says and one of a page does not.
_OF_PAPERS: Final = frozenset({"doi", "journal", "pdf"})
# Services whose bodies are known and that are not offered as providers.
_NOT_OFFERED: Final = (
    "clinicaltrials", "courtlistener", "edgar", "epo", "eurostat", "fred", "gemini_interactions", "oecd", "uspto",
    "wayback", "worldbank",
)  # fmt: skip


class ReadError(FrozenModel):
    """Why there are no results."""

    kind: ErrorKind
    retryable: bool
    fault: str
    """The same in the words of a ladder."""
    retry_after_s: Annotated[int | None, Field(exclude_if=lambda value: value is None)] = None


class ReadAnswer(FrozenModel):
    """A recorded answer as a provider's parser reads it."""

    outcome: Literal["ok", "empty", "unavailable", "failed", "unsupported"]
    provider: str
    kind: str | None = None
    """What the answer was read as; none where it is an answer to none of the provider's kinds."""
    results: tuple[dict[str, Any], ...] = ()
    total: str | None = None
    next_page: str | None = None
    error: ReadError | None = None


def add_parse_command(app: typer.Typer) -> None:
    """Add the command."""
    app.command("parse")(_parse_command)


def error_kind(fault: Fault) -> ErrorKind:
    """The word of the error vocabulary for a fault."""
    return _KINDS[fault]


def _parse_command(
    file: Annotated[str, typer.Argument(metavar="FILE", help="The body of its answer; `-` reads stdin.")],
    provider: Annotated[str, typer.Option("--provider", help="Whose answer it is; `portcullis providers` lists them.")],
    kind: Annotated[str, typer.Option("--kind", help="What was asked for; told from the body if left out.")] = "",
    status: Annotated[int, typer.Option("--status", help="The status of the answer.")] = 200,
    url: Annotated[str, typer.Option("--url", help="The URL that answered.")] = "",
) -> None:
    """Print what a provider's parser makes of a recorded answer, as one JSON document."""
    if not 100 <= status <= 999 or not (url.isascii() and url.isprintable()):
        raise RequestInvalid("`--status` must be a number from 100 to 999, `--url` a URL in ASCII")
    entry = read_providers().entry(provider)
    if entry is None and provider not in _NOT_OFFERED:
        raise RequestInvalid(f"there is no provider `{provider}`; `portcullis providers` lists them")
    body = _body(file)
    kind = _ALIASES.get((provider, kind), kind)
    if entry is None or (kind and kind not in entry.kinds):
        if entry is not None:
            sys.stderr.write(f"`{provider}` does not serve `{kind}`, but {', '.join(entry.kinds)}\n")
        print_json(ReadAnswer(outcome="unsupported", provider=provider))
    else:
        print_json(read_recorded(entry, kind, body, status, url))
    raise typer.Exit(Exit.GROUNDED.value)


def read_recorded(entry: ProviderEntry, kind: str, body: bytes, status: int, url: str) -> ReadAnswer:
    """A body as the parser of a provider reads it; without a kind it is told from the body."""
    return _told(entry.name, *_best(entry, kind, body, status, url))


def _best(entry: ProviderEntry, kind: str, body: bytes, status: int, url: str) -> tuple[str, ServiceAnswer]:
    """The reading under the kind that was named, or under the first that the body is an answer to."""
    read: list[tuple[str, ServiceAnswer]] = []
    siblings = tuple(one for one in entry.kinds if one == _SIBLINGS.get(kind))
    for one in (kind, *siblings) if kind else entry.kinds:
        about = AnswerAbout(provider=entry.name, kind=one, status=status, url=url)
        read.append((one, read_answer(body, about.model_dump_json())))
    return min(read, key=lambda pair: _rank(pair[1]))


def _rank(said: ServiceAnswer) -> int:
    if isinstance(said, ProviderError):
        return 5 if said.fault is Fault.UNSUPPORTED else 4
    if not said.hits:
        return 3 if said.follow_up else 2
    return 0 if any(name in _OF_PAPERS for hit in said.hits for name, _ in hit.metadata) else 1


def _told(provider: str, kind: str, said: ServiceAnswer) -> ReadAnswer:
    if isinstance(said, Parsed):
        results = tuple(map(_result, said.hits))
        if said.follow_up and not results:  # only says what to ask for next
            return ReadAnswer(outcome="unsupported", provider=provider)
        outcome: Literal["ok", "empty"] = "ok" if results else "empty"
        return ReadAnswer(
            outcome=outcome,
            provider=provider,
            kind=kind,
            results=results,
            total=said.total,
            next_page=said.next_page,
        )
    if said.fault is Fault.UNSUPPORTED:
        return ReadAnswer(outcome="unsupported", provider=provider)
    error = ReadError(
        kind=error_kind(said.fault),
        retryable=said.fault in _RETRYABLE,
        fault=said.fault.value,
        retry_after_s=said.retry_after_s,
    )
    return ReadAnswer(
        outcome="failed" if said.fault in _FAILED else "unavailable", provider=provider, kind=kind, error=error
    )


def _result(hit: ServiceHit) -> dict[str, Any]:
    """A record with its facts beside it; one that may stand there several times is a list, and so are authors."""
    facts: dict[str, list[str]] = {}
    for name, value in hit.metadata:
        facts.setdefault(name, []).append(value)
    told = {name: values if len(values) > 1 or name == "author" else values[0] for name, values in facts.items()}
    return {**told, "title": hit.title, "url": hit.locator, "snippet": hit.text}


def _body(file: str) -> bytes:
    if file == "-":
        if sys.stdin is None:
            raise RequestInvalid("there is no stdin to read")
        return sys.stdin.buffer.read(_MOST_BYTES)
    try:
        with Path(file).open("rb") as opened:
            return opened.read(_MOST_BYTES)
    except (OSError, ValueError) as exc:
        raise RequestInvalid(f"cannot read `{file}`") from exc
