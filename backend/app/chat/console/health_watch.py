"""What the strip on every page shows: the gate's own checks now, what costs more at most ten seconds old."""

from __future__ import annotations

import shutil
from collections.abc import Mapping
from typing import Final

from ...archive.provider_answers import LastAnswer
from ...archive.session_index import SessionIndex
from ...system.certificate_files import CertificateState, read_certificate
from ...system.contract_files import CONTRACT_VERSION
from ...system.provider_files import missing_settings, read_providers, routed_providers
from ...system.version import VERSION
from ..door import ChatDoor
from ..meters import MODEL_COUNTERS, Labels, merged_states
from .views.health_page import HealthPage, ProviderFacts, StoreFacts, StripItem, health_page, strip_of

__all__ = ["HealthWatch"]

_FRESH_MS: Final = 10_000


class HealthWatch:
    """Looks at what the door stands on."""

    def __init__(self, door: ChatDoor, index: SessionIndex) -> None:
        self._door = door
        self._index = index
        self._answers: tuple[LastAnswer, ...] = ()
        self._looked_ms: int | None = None
        self._certificate: CertificateState = read_certificate()

    def strip(self) -> tuple[StripItem, ...]:
        """The lights."""
        door = self._door
        return strip_of(door.router.health(), self._certificate, door.running.under_way)

    def page(self, tenant: str) -> HealthPage:
        """The page; sessions and objects are counted for one tenant."""
        door, settings = self._door, self._door.settings
        table, health = read_providers(), door.router.health()
        running, waiting = door.running.under_way
        providers = [
            ProviderFacts(
                name=one.name,
                kinds=one.kinds,
                routed=tuple(kind for kind in one.kinds if one.name in routed_providers(table, settings, kind)),
                missing=missing_settings(one, settings),
                price_units=one.price_units,
            )
            for one in table.providers
        ]
        process = {
            "version": VERSION,
            "contract": CONTRACT_VERSION,
            "environment": health.environment,
            "caps": "an operator's own table" if health.custom_caps else "those of the contract",
            "sandbox level": health.sandbox or "unknown",
            "sessions under way": str(health.sessions),
            "research running": str(running),
            "research waiting": str(waiting),
            "workers of tools": str(health.workers),
            "answers by a model": self._model_said(),
        }
        return health_page(
            health,
            self._certificate,
            providers,
            self._last_answers(),
            self._stores(tenant),
            process,
            door.clock.now_ms(),
        )

    def _model_said(self) -> str:
        """Whether the operator's model answers, as every process of the server has seen it; codes and counts alone."""
        door = self._door
        if door.wording is None:
            return "none configured"
        counts = merged_states((door.meters.state(), *door.shared_meters.others())).counts
        answers, lines = (_by_label(counts.get(name, {})) for name in MODEL_COUNTERS)
        worded = answers.pop(("worded", ""), 0)
        kept = lines.pop(("kept", ""), 0)
        return (
            f"{worded} worded, {sum(answers.values())} left as sentences{_shown(answers)};"
            f" lines: {kept} kept, {sum(lines.values())} dropped{_shown(lines)}"
        )

    def web_is_set_up(self) -> bool:
        """True if some provider may be asked for web pages."""
        return bool(routed_providers(read_providers(), self._door.settings, "web"))

    def _stores(self, tenant: str) -> StoreFacts:
        rows = self._index.rows(tenant)
        return StoreFacts(
            sessions=len(rows),
            open_sessions=sum(row.state == "open" for row in rows),
            damaged=sum(row.state == "damaged" for row in rows),
            objects=self._door.archive.store.count(tenant),
            free_bytes=shutil.disk_usage(self._door.settings.data_dir).free,
        )

    def _last_answers(self) -> tuple[LastAnswer, ...]:
        now_ms = self._door.clock.now_ms()
        if self._looked_ms is None or now_ms - self._looked_ms >= _FRESH_MS:
            self._answers, self._looked_ms = self._door.archive.provider_answers(), now_ms
        return self._answers


def _by_label(row: Mapping[Labels, float]) -> dict[tuple[str, str], int]:
    """Counts by outcome and reason."""
    told = ((dict(labels), count) for labels, count in row.items())
    return {(labels.get("outcome", ""), labels.get("why", "")): int(count) for labels, count in told}


def _shown(counts: Mapping[tuple[str, str], int]) -> str:
    told = ", ".join(f"{why} {count}" for (_, why), count in sorted(counts.items()))
    return f" ({told})" if told else ""
