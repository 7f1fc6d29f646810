"""Providers, the outside services behind the tool `services`: what one is asked, what it answers, its catalogue row."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Annotated, Final, Literal, Protocol

from pydantic import Field, SecretStr, StringConstraints, model_validator

from .calls import Params, ParamValue
from .catalog import CATALOG_VERSION
from .models import Digest, FrozenModel, Identifier, Text
from .rungs import Fault, Offer, ProviderName, Rung

__all__ = [
    "Access",
    "Fault",
    "HttpAnswer",
    "HttpRequest",
    "KindName",
    "Offer",
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
KindName = Annotated[str, StringConstraints(pattern=r"^[a-z][a-z0-9_]{0,39}$")]
KeyName = Annotated[str, StringConstraints(pattern=r"^PORTCULLIS_KEY_[A-Z0-9_]{1,60}$")]
UrlName = Annotated[str, StringConstraints(pattern=r"^PORTCULLIS_URL_[A-Z0-9_]{1,60}$")]
SettingName = Annotated[str, StringConstraints(pattern=r"^PORTCULLIS_(?:CONTACT|(?:KEY|URL)_[A-Z0-9_]{1,60})$")]
HostPattern = Annotated[str, StringConstraints(pattern=r"^(?:\*\.)?[a-z0-9-]{1,63}(?:\.[a-z0-9-]{1,63}){1,8}$")]
# The length apart from the pattern: a counted class of Unicode takes longer to compile than all other types here.
Locator = Annotated[Text, StringConstraints(pattern=r"^https?://[^\s\x00-\x1f\x7f]+$", max_length=2_008)]
# Other characters stand in the names that the tool itself adds, so no parser can say those.
FactName = Annotated[Text, StringConstraints(pattern=r"^[a-z][a-z0-9_]{0,59}$")]
WholeNumber = Annotated[Text, StringConstraints(pattern=r"^[0-9]{1,18}$")]
Headers = tuple[tuple[Text, Text], ...]


class ServiceQuery(FrozenModel):
    """What a plan asks a service for."""

    kind: KindName
    query: Text = ""
    ids: tuple[Text, ...] = ()
    limit: Annotated[int, Field(ge=1, le=200)] = 10
    options: Params = ()
    """Everything else that the plan set, such as a language; a provider that does not know an option is passed over."""
    now_ms: Annotated[int, Field(ge=0, le=2**53)] = 0
    """When it is asked, for services that take "the last week" as a date; 0 where nobody knows."""

    def option(self, name: str) -> ParamValue | None:
        """The value of an option, or None where the plan did not set it."""
        return dict(self.options).get(name)

    def followed_by(self, ids: tuple[str, ...]) -> ServiceQuery:
        """The second half of a question: the same, by the ids that the first answer named."""
        return ServiceQuery(kind=self.kind, ids=ids, limit=self.limit, options=self.options, now_ms=self.now_ms)

    def without(self, names: tuple[str, ...]) -> ServiceQuery:
        """The same question without these options."""
        kept = tuple((name, value) for name, value in self.options if name not in names)
        return ServiceQuery(
            kind=self.kind, query=self.query, ids=self.ids, limit=self.limit, options=kept, now_ms=self.now_ms
        )

    def has_only(self, *known: str) -> bool:
        """True if the plan set no option beside those named here."""
        return {name for name, _ in self.options} <= set(known)


class Access(FrozenModel):
    """What the operator gives a provider: whom to turn to, and the keys and the address that its row names."""

    contact: Text = ""
    keys: tuple[tuple[KeyName, SecretStr], ...] = ()
    urls: tuple[tuple[UrlName, Text], ...] = ()

    def key(self, setting: str) -> str:
        """The key that stands in a setting; empty where the operator set none."""
        return next((secret.get_secret_value() for name, secret in self.keys if name == setting), "")

    def url(self, setting: str) -> str:
        """The base URL that stands in a setting, without a slash at its end; empty where the operator set none."""
        return next((value.rstrip("/") for name, value in self.urls if name == setting), "")

    @property
    def mail(self) -> str:
        """The contact as an e-mail address; empty where it is a page."""
        address = self.contact.removeprefix("mailto:")
        return address if "@" in address and "/" not in address else ""


class HttpRequest(FrozenModel):
    """A request as a provider writes it; the fetcher adds Host, User-Agent and the codings."""

    url: Text
    """Without any key: this may be shown and stored."""
    secret_query: tuple[tuple[Text, SecretStr], ...] = ()
    """Parameters that are added to the URL on the wire alone, for services that take a key in no other place."""
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
    follow_up: Annotated[tuple[Text, ...], Field(max_length=_MOST_HITS)] = ()
    """Ids to ask the same provider for next, once; the records of that answer take the place of these."""


class ProviderError(FrozenModel):
    """An answer, or a question, that leads to the next provider of the ladder."""

    fault: Fault
    retry_after_s: Annotated[int, Field(ge=0, le=10**9)] | None = None


ServiceAnswer = Parsed | ProviderError


class Provider(Protocol):
    """A file in `providers/`: two pure functions, and the options that they know."""

    OPTIONS: Mapping[str, tuple[str, ...]]
    """By kind; a kind without options may be missing."""

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
    hosts: tuple[HostPattern, ...] = ()
    """The only hosts that are asked; none for a service of the operator's own, whose host stands in a setting."""
    price_units: Annotated[int, Field(ge=1, le=1_000_000)]
    """Of a whole question, a follow-up included."""
    rate: RatePolicy
    settings: tuple[SettingName, ...] = ()
    """What has to be set before it can be asked: keys, its base URL, or whom it may turn to."""
    optional: tuple[KeyName, ...] = ()
    """Keys that it takes where they are set, for a higher rate or a closed instance."""
    follow_up: bool = False
    """Whether a question may take a second request, built from the first answer."""
    checked_on: Literal["recordings", "documentation"] = "documentation"
    """What its parser was held against."""
    documented: tuple[KindName, ...] = ()
    """Kinds of a provider with recordings of which there was none."""

    @model_validator(mode="after")
    def _consistent(self) -> ProviderEntry:
        if len(set(self.kinds)) != len(self.kinds):
            raise ValueError("a kind is listed twice")
        if not set(self.documented) < set(self.kinds):
            raise ValueError("`documented` has to leave out a kind, and to name none that is not served")
        if bool(self.hosts) is bool(self.url_setting):
            raise ValueError("either hosts or the setting of a base URL has to be there, and not both")
        return self

    @property
    def keyless(self) -> bool:
        """True if it can be asked without a key."""
        return not any(name.startswith("PORTCULLIS_KEY_") for name in self.settings)

    @property
    def url_setting(self) -> str:
        """The setting of the base URL of a service of the operator's own; empty for an outside one."""
        return next((name for name in self.settings if name.startswith("PORTCULLIS_URL_")), "")


class ProviderTable(FrozenModel):
    """`providers.json`: every service that the tool `services` knows, by name, under a digest of its own."""

    catalog_version: Annotated[int, Field(ge=1, le=CATALOG_VERSION)]
    digest: Digest | None = None
    """Over all else in the table; `system/catalog_files.py` compares it."""
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
