"""Whom a call of `services` asks: the plan's ladder, one forced provider, or the operator's order; with its lens."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Annotated, Final

from pydantic import Field, SecretStr, ValidationError

from ..kernel.calls import ToolCall
from ..kernel.errors import ContractViolation
from ..kernel.models import FrozenModel, Text
from ..kernel.providers import (
    Access,
    Fault,
    KindName,
    Offer,
    Provider,
    ProviderEntry,
    ProviderError,
    ProviderName,
    ProviderTable,
    ServiceQuery,
)
from ..kernel.results import RawResult, UnavailableKind
from ..system.lens_files import Lens, lens_engine_setting
from ..system.provider_code import load_provider
from ..system.provider_files import missing_settings, routed_providers
from ..system.reputation_files import HostReputation
from ..system.settings import Settings

__all__ = ["ServiceDesk", "ServiceParams", "ServiceRoute", "read_params"]

_ENGINE_PROVIDER: Final = "google_cse"
_ENGINE_SETTING: Final = "PORTCULLIS_KEY_GOOGLE_CSE_ID"
_QUERY: Final = ("kind", "query", "ids", "limit")
_OWN: Final = ("providers", "provider", "lens", "wishes", "offers", "max_age_s")


class ServiceParams(FrozenModel):
    """What a plan may set beside the question."""

    asked: ServiceQuery
    providers: Annotated[tuple[ProviderName, ...], Field(max_length=16)] = ()
    """The ladder; the operator's order for the kind where it is empty."""
    provider: ProviderName | None = None
    """The only one to ask."""
    lens: Text | None = None
    wishes: tuple[ProviderName, ...] = ()
    """Options that a provider may leave out where it does not know them; every other one it has to honour."""
    offers: tuple[KindName, ...] = ()
    """Further kinds of which the plan wants to know who could be asked."""
    max_age_s: Annotated[int, Field(ge=0, le=86_400)] = 0
    """How old a stored answer may be."""


@dataclass(frozen=True, slots=True)
class ServiceRoute:
    """The ladder of one call, and its question with the sites of its lens."""

    names: tuple[str, ...]
    asked: ServiceQuery
    engine: str = ""
    """The Google engine of the lens."""


def read_params(call: ToolCall, now_ms: int) -> ServiceParams:
    """The parameters of a call; whatever is not ours is an option of the question.

    Raises:
        ContractViolation: the plan set parameters that the tool does not take.
    """
    given = dict(call.params)
    options = tuple((name, value) for name, value in call.params if name not in (*_OWN, *_QUERY))
    asked = {name: given[name] for name in _QUERY if name in given}
    own = {name: given[name] for name in _OWN if name in given}
    try:
        query = ServiceQuery.model_validate({**asked, "options": options, "now_ms": now_ms})
        params = ServiceParams.model_validate({**own, "asked": query})
    except ValidationError as exc:
        raise ContractViolation("the parameters of services are invalid") from exc
    if "providers" in given and not params.providers:
        raise ContractViolation("the parameters of services are invalid: an empty ladder")
    return params


@dataclass(frozen=True, slots=True)
class ServiceDesk:
    """Who may be asked for what: the catalogue, the operator's choices, and the way to the code of a provider."""

    table: ProviderTable
    settings: Settings
    load: Callable[[str], Provider] = load_provider
    lenses: tuple[Lens, ...] = ()
    reputation: Mapping[str, HostReputation] = field(default_factory=dict)

    def route(self, wish: ServiceParams) -> ServiceRoute | RawResult:
        """The ladder of a call; a result where its lens does not exist."""
        names = (wish.provider,) if wish.provider else wish.providers or self._routed(wish.asked.kind)
        if wish.lens is None:
            return ServiceRoute(names, wish.asked)
        lens = next((one for one in self.lenses if one.name == wish.lens), None)
        if lens is None:
            choices = tuple(Offer(kind="lens", name=one.name) for one in self.lenses)
            return RawResult(status="unavailable", unavailable=UnavailableKind.AUTH, offered=choices)
        engine = self._engine(lens, wish)
        if engine:
            return ServiceRoute((_ENGINE_PROVIDER,), wish.asked, engine)
        options = (*wish.asked.without(("sites",)).options, ("sites", lens.sites))
        return ServiceRoute(names, ServiceQuery.model_validate({**dict(wish.asked), "options": options}))

    def ready(self, name: str, kind: str, engine: str = "") -> ProviderEntry | ProviderError:
        """The row of a provider that the operator lets be asked for this kind."""
        entry = self.table.entry(name)
        if entry is None or kind not in entry.kinds:
            return ProviderError(fault=Fault.NOT_ROUTED)
        if self.missing(entry, engine):
            return ProviderError(fault=Fault.NOT_CONFIGURED)
        # Who names an engine for a lens says that it may be asked.
        return entry if engine or name in self._routed(kind) else ProviderError(fault=Fault.NOT_ROUTED)

    def missing(self, entry: ProviderEntry, engine: str = "") -> tuple[str, ...]:
        """The settings that a provider still needs."""
        return tuple(
            name for name in missing_settings(entry, self.settings) if not (engine and name == _ENGINE_SETTING)
        )

    def access(self, entry: ProviderEntry, engine: str = "") -> Access:
        """The keys and the base URL that a row names, and no others; the engine of a lens in place of the usual."""
        named = (*entry.settings, *entry.optional)
        keys = {name: secret for name, secret in self.settings.keys if name in named}
        if engine:
            keys[_ENGINE_SETTING] = SecretStr(engine)
        urls = tuple((name, url) for name, url in self.settings.urls if name in named)
        return Access(contact=self.settings.contact, keys=tuple(keys.items()), urls=urls)

    def offers(self, kinds: tuple[str, ...], healthy: Callable[[ProviderEntry], bool]) -> tuple[Offer, ...]:
        """Who could be asked for these kinds, in the operator's order."""
        rows = [(kind, self.table.entry(name)) for kind in kinds for name in self._routed(kind)]
        return tuple(
            Offer(kind=kind, name=entry.name, healthy=healthy(entry))
            for kind, entry in rows
            if entry is not None and not self.missing(entry)
        )

    def supported(self, kind: str) -> tuple[Offer, ...]:
        """Every provider that serves a kind, whether or not it may be asked: what an error lists."""
        return tuple(
            Offer(kind=kind, name=entry.name, usable=isinstance(self.ready(entry.name, kind), ProviderEntry))
            for entry in self.table.providers
            if kind in entry.kinds
        )

    def _routed(self, kind: str) -> tuple[str, ...]:
        return routed_providers(self.table, self.settings, kind)

    def _engine(self, lens: Lens, wish: ServiceParams) -> str:
        """The Google engine of a lens, where there is one, it serves the kind, and nobody else is forced."""
        keys = dict(self.settings.keys)
        own = keys.get(lens_engine_setting(lens.name))
        engine = own.get_secret_value() if own is not None else lens.cx
        entry = self.table.entry(_ENGINE_PROVIDER)
        if not engine or entry is None or wish.provider not in (None, _ENGINE_PROVIDER):
            return ""
        serves = wish.asked.kind in entry.kinds and not self.missing(entry, engine)
        return engine if serves else ""
