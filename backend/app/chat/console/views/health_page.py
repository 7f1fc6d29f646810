"""Health as the console shows it: the strip on every page, checks, providers with their breakers, stores."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Final

from ....archive.provider_answers import LastAnswer
from ....kernel.health import Health
from ....system.certificate_files import CertificateState
from .shown_words import age

__all__ = [
    "CheckRow",
    "Fact",
    "HealthPage",
    "ProviderFacts",
    "ProviderRow",
    "StoreFacts",
    "StripItem",
    "health_page",
    "strip_of",
]

_PROVIDER: Final = "provider."
_WORDS: Final = {"ok": "ok", "warning": "warning", "failed": "failed"}
_CERTIFICATE: Final = {
    "absent": ("ok", "not part of this installation"),
    "current": ("ok", ""),
    "other_files": ("warning", "speaks of other sealed files; run make certify"),
    "unreadable": ("warning", "cannot be read; run make certify"),
}
_ADVICE: Final = {
    "catalogue": "put the released catalogue back, or run make seal-catalog after a change of your own",
    "content_store": "free the disk or mend the rights of the data folder",
    "documents": "start the server again: it builds a lost or damaged index again",
    "gate": "start the server again",
    "journal": "free the disk or mend the rights of the data folder",
    "ledger": "free the disk or mend the rights of the data folder; move a damaged file away and start again",
    "lock": "put the released files back, or install the package again",
    "research": "switch research on in the settings, or mend what is named",
    "sandbox": "this kernel lacks a wall for readers of foreign bytes; see portcullis sandbox",
}


@dataclass(frozen=True, slots=True)
class StripItem:
    """One light of the strip."""

    name: str
    state: str
    word: str
    anchor: str


@dataclass(frozen=True, slots=True)
class CheckRow:
    """One thing that the gate stands on."""

    name: str
    state: str
    detail: str
    advice: str


@dataclass(frozen=True, slots=True)
class ProviderFacts:
    """One outside service as settings and catalogue have it."""

    name: str
    kinds: tuple[str, ...]
    routed: tuple[str, ...]
    missing: tuple[str, ...]
    price_units: int


@dataclass(frozen=True, slots=True)
class ProviderRow:
    """One outside service with its last answer."""

    name: str
    kinds: str
    ready: str
    ready_state: str
    routed: str
    breaker: str
    breaker_state: str
    last: str
    price: str


@dataclass(frozen=True, slots=True)
class StoreFacts:
    """What the stores hold for this tenant."""

    sessions: int
    open_sessions: int
    damaged: int
    objects: int
    free_bytes: int


@dataclass(frozen=True, slots=True)
class Fact:
    """A name and a value."""

    name: str
    value: str


@dataclass(frozen=True, slots=True)
class HealthPage:
    """Everything but the bars."""

    healthy: bool
    headline: str
    checks: tuple[CheckRow, ...]
    providers: tuple[ProviderRow, ...]
    stores: tuple[Fact, ...]
    process: tuple[Fact, ...]


def strip_of(health: Health, certificate: CertificateState, queue: tuple[int, int]) -> tuple[StripItem, ...]:
    """The lights on every page; one that is not ok leads to its cause."""
    states = {check.name: check.state for check in health.checks}
    failed = [check.name for check in health.checks if check.state == "failed"]
    open_breakers = _left_alone(health)
    running, waiting = queue
    certified, said = _CERTIFICATE[certificate.state]
    return (
        StripItem("gate", "failed" if failed else "ok", failed[0] if failed else "ok", "checks"),
        StripItem("sandbox", states.get("sandbox", "warning"), health.sandbox or "unknown", "checks"),
        StripItem("breakers", "warning" if open_breakers else "ok", f"{len(open_breakers)} open", "providers"),
        StripItem("certificate", certified, "stale" if said and certified != "ok" else "ok", "checks"),
        StripItem("ledger", states.get("ledger", "ok"), _WORDS[states.get("ledger", "ok")], "checks"),
        StripItem("queue", "warning" if waiting else "ok", f"{running} run, {waiting} wait", "process"),
    )


def health_page(
    health: Health,
    certificate: CertificateState,
    providers: Iterable[ProviderFacts],
    answers: Iterable[LastAnswer],
    stores: StoreFacts,
    process: Mapping[str, str],
    now_ms: int,
) -> HealthPage:
    """The page."""
    last = {one.provider: one for one in answers}
    alone = _left_alone(health)
    failed = [check.name for check in health.checks if check.state == "failed"]
    certified, said = _CERTIFICATE[certificate.state]
    detail = said or f"{certificate.passed} of {certificate.checks} checks passed, for the files that are sealed now"
    checks = [CheckRow(one.name.replace("_", " "), one.state, one.detail, _advice(one.name, one.state))
              for one in health.checks]  # fmt: skip
    checks.append(CheckRow("certificate", certified, detail, ""))
    return HealthPage(
        healthy=health.healthy,
        headline="Questions can be answered." if not failed else f"Questions cannot be answered: {', '.join(failed)}.",
        checks=tuple(checks),
        providers=tuple(_provider(one, last.get(one.name), now_ms, is_open=one.name in alone) for one in providers),
        stores=(
            Fact("sessions of this tenant", f"{stores.sessions:,}"),
            Fact("of these still open", f"{stores.open_sessions:,}"),
            Fact("of these damaged", f"{stores.damaged:,}"),
            Fact("stored objects of this tenant", f"{stores.objects:,}"),
            Fact("free on this disk", f"{stores.free_bytes / 1_000_000_000:.1f} GB"),
        ),
        process=tuple(Fact(name, value) for name, value in process.items()),
    )


def _left_alone(health: Health) -> tuple[str, ...]:
    """The providers whose circuit breakers are open."""
    named = (check.name for check in health.checks if check.name.startswith(_PROVIDER))
    return tuple(name.removeprefix(_PROVIDER) for name in named)


def _advice(name: str, state: str) -> str:
    return "" if state == "ok" else _ADVICE.get(name, "")


def _provider(one: ProviderFacts, last: LastAnswer | None, now_ms: int, *, is_open: bool) -> ProviderRow:
    ready = f"missing {', '.join(one.missing)}" if one.missing else "yes"
    told = "never asked"
    if last is not None:
        told = f"{'answered' if last.fault is None else last.fault.value.replace('_', ' ')}, {_ago(last.at_ms, now_ms)}"
    return ProviderRow(
        name=one.name,
        kinds=", ".join(one.kinds),
        ready=ready,
        ready_state="quiet" if one.missing else "ok",
        routed=", ".join(one.routed) or "-",
        breaker="open" if is_open else "closed",
        breaker_state="warning" if is_open else "ok",
        last=told,
        price=f"{one.price_units}",
    )


def _ago(at_ms: int, now_ms: int) -> str:
    told = age(at_ms, now_ms)
    return told if told == "now" else f"{told} ago"
