"""Providers, the outside services behind the tool `services`: what one is asked, what it answers, its catalogue row."""

from __future__ import annotations

from enum import StrEnum
from typing import Annotated, Final, Literal, Protocol

from pydantic import Field, SecretStr, StringConstraints, model_validator

from .calls import Params, ParamValue
from .catalog import CATALOG_VERSION
from .models import FrozenModel, Identifier, Text

__all__ = [
    "Access",
    "Fault",
    "HttpAnswer",
    "HttpRequest",
    "KindName",
    "Parsed",
    "Provider",
    "ProviderEntry",
    "ProviderError",
    "ProviderName",
    "ProviderTable",
    "RatePolicy",
    "Rung",
    "ServiceAnswer",
    "ServiceHit",
    "ServiceQuery",
]

_MOST_HITS: Final = 1_000
ProviderName = Annotated[str, StringConstraints(pattern=r"^[a-z][a-z0-9_]{0,39}$")]
KindName = Annotated[str, StringConstraints(pattern=r"^[a-z][a-z0-9_]{0,39}$")]
SettingName = Annotated[str, StringConstraints(pattern=r"^PORTCULLIS_KEY_[A-Z0-9_]{1,60}$")]
HostPattern = Annotated[str, StringConstraints(pattern=r"^(?:\*\.)?[a-z0-9-]{1,63}(?:\.[a-z0-9-]{1,63}){1,8}$")]
Locator = Annotated[Text, StringConstraints(pattern=r"^https?://[^\s\x00-\x1f\x7f]{1,2000}$")]
# Other characters stand in the names that the tool itself adds, so no parser can say those.
FactName = Annotated[Text, StringConstraints(pattern=r"^[a-z][a-z0-9_]{0,59}$")]
WholeNumber = Annotated[Text, StringConstraints(pattern=r"^[0-9]{1,18}$")]
Headers = tuple[tuple[Text, Text], ...]


class Fault(StrEnum):
    """Why a provider of a ladder gave no answer and the next one was asked."""

    AUTH = "auth"
    BAD_REQUEST = "bad_request"
    NOT_CONFIGURED = "not_configured"
    NOT_ROUTED = "not_routed"
    OVER_PRICE = "over_price"
    PROVIDER_DOWN = "provider_down"
    QUOTA = "quota"
    RATE_LIMITED = "rate_limited"
    REFUSED_DESTINATION = "refused_destination"
    SLOW = "slow"
    TOO_LARGE = "too_large"
    UNREACHABLE = "unreachable"
    UNREADABLE = "unreadable"
    UNSUPPORTED = "unsupported"


class Rung(FrozenModel):
    """One provider of a ladder in the order of the plan; without a fault it is the one that answered."""

    provider: ProviderName
    fault: Fault | None = None
    retry_after_s: Annotated[int, Field(ge=0, le=10**9)] | None = None


class ServiceQuery(FrozenModel):
    """What a plan asks a service for."""

    kind: KindName
    query: Text = ""
    ids: tuple[Text, ...] = ()
    limit: Annotated[int, Field(ge=1, le=100)] = 10
    options: Params = ()
    """Everything else that the plan set, such as a language; a provider that does not know an option is passed over."""

    def option(self, name: str) -> ParamValue | None:
        """The value of an option, or None where the plan did not set it."""
        return dict(self.options).get(name)

    def has_only(self, *known: str) -> bool:
        """True if the plan set no option beside those named here."""
        return {name for name, _ in self.options} <= set(known)


class Access(FrozenModel):
    """What the operator gives a provider: whom to turn to, and the keys that its row names."""

    contact: Text = ""
    keys: tuple[tuple[SettingName, SecretStr], ...] = ()

    def key(self, setting: str) -> str:
        """The key that stands in a setting; empty where the operator set none."""
        return next((secret.get_secret_value() for name, secret in self.keys if name == setting), "")

    @property
    def mail(self) -> str:
        """The contact as an e-mail address; empty where it is a page."""
        address = self.contact.removeprefix("mailto:")
        return address if "@" in address and "/" not in address else ""


class HttpRequest(FrozenModel):
    """A request as a provider writes it; the fetcher adds Host, User-Agent and the codings."""

    url: Text
    method: Literal["GET", "POST"] = "GET"
    headers: Headers = ()
    body: bytes = b""


class HttpAnswer(FrozenModel):
    """A response as a provider reads it; header names in lower case, `retry-after` always in seconds."""

    status: Annotated[int, Field(ge=100, le=999)]
    url: Text = ""
    headers: Headers = ()
    body: bytes = b""

    def header(self, name: str) -> str:
        """The value of a header; empty where it is missing."""
        return next((value for key, value in self.headers if key == name), "")


class ServiceHit(FrozenModel):
    """One record of an answer. Numbers stand as their literal text (R30)."""

    locator: Locator
    title: Text = ""
    text: Text = ""
    metadata: tuple[tuple[FactName, Text], ...] = ()
    hidden: tuple[Text, ...] = ()
    """The texts as they came, where carriers were taken out of them: for the screen, which reads what those spell."""
    carriers_removed: Annotated[int, Field(ge=0, le=2**40)] = 0
    """Like `hidden` set where the answer is read, never by a provider."""


class Parsed(FrozenModel):
    """An answer that could be read; no hits means that the service was asked and has none."""

    hits: Annotated[tuple[ServiceHit, ...], Field(max_length=_MOST_HITS)]
    total: WholeNumber | None = None
    next_page: Text | None = None
    """Where the next page begins, in the service's own words."""


class ProviderError(FrozenModel):
    """An answer, or a question, that leads to the next provider of the ladder."""

    fault: Fault
    retry_after_s: Annotated[int, Field(ge=0, le=10**9)] | None = None


ServiceAnswer = Parsed | ProviderError


class Provider(Protocol):
    """The two functions of a file in `providers/`, both pure."""

    def request(self, asked: ServiceQuery, access: Access) -> HttpRequest | ProviderError: ...

    def parse(self, kind: str, answer: HttpAnswer) -> ServiceAnswer: ...


class RatePolicy(FrozenModel):
    """At most `requests` within any `per_ms` milliseconds, from all sessions of a process together."""

    requests: Annotated[int, Field(ge=1, le=10_000)]
    per_ms: Annotated[int, Field(ge=1, le=86_400_000)]


class ProviderEntry(FrozenModel):
    """One row of `providers.json`: what a service answers, what one request costs, and where it may be asked."""

    name: ProviderName
    title: Text
    kinds: Annotated[tuple[KindName, ...], Field(min_length=1)]
    hosts: Annotated[tuple[HostPattern, ...], Field(min_length=1)]
    price_units: Annotated[int, Field(ge=1, le=1_000_000)]
    rate: RatePolicy
    settings: tuple[SettingName, ...] = ()
    """The keys without which it cannot be asked."""

    @model_validator(mode="after")
    def _unique(self) -> ProviderEntry:
        if len(set(self.kinds)) != len(self.kinds):
            raise ValueError("a kind is listed twice")
        return self

    @property
    def keyless(self) -> bool:
        """True if it can be asked without a key."""
        return not self.settings


class ProviderTable(FrozenModel):
    """`providers.json`: every service that the tool `services` knows, by name."""

    catalog_version: Annotated[int, Field(ge=1, le=CATALOG_VERSION)]
    providers: tuple[ProviderEntry, ...]

    @model_validator(mode="after")
    def _unique(self) -> ProviderTable:
        if len({entry.name for entry in self.providers}) != len(self.providers):
            raise ValueError("a provider is listed twice")
        return self

    def entry(self, name: Identifier) -> ProviderEntry | None:
        """The row of a provider."""
        return next((entry for entry in self.providers if entry.name == name), None)

    @property
    def kinds(self) -> tuple[str, ...]:
        """Every kind that some provider serves, sorted."""
        return tuple(sorted({kind for entry in self.providers for kind in entry.kinds}))
