"""Settings: what an operator can choose, read from the environment once, at the top of the house."""

from __future__ import annotations

import os
import re
from collections.abc import Collection, Iterator, Mapping
from pathlib import Path
from typing import Annotated, Final, Literal

from pydantic import AfterValidator, Field, SecretStr

from ..kernel.errors import RequestInvalid
from ..kernel.models import FrozenModel, Text
from ..parsing.url.urls import is_host_and_port, own_service_of
from .config_file import CONFIG_VARIABLE, with_config_file
from .serve_settings import ServeSettings, serve_settings_from

__all__ = [
    "ModelEndpoint",
    "Routing",
    "Settings",
    "ToldSetting",
    "settings_from",
    "told_settings",
    "unread_settings",
    "variables",
]

_OFF: Final = ("0", "off", "false", "no")
_ON: Final = ("1", "on", "true", "yes")
_PREFIX: Final = "PORTCULLIS_"
_MODEL_VARIABLES: Final = tuple(f"PORTCULLIS_MODEL_{name}" for name in ("URL", "NAME", "KEY", "TIMEOUT_MS"))
_KEY_PREFIX: Final = "PORTCULLIS_KEY_"
_URL_PREFIX: Final = "PORTCULLIS_URL_"
_DOMAIN: Final = re.compile(r"[a-z0-9_-]{1,63}(?:\.[a-z0-9_-]{1,63}){1,8}")

Routing = tuple[tuple[str, tuple[str, ...]], ...]


def _printable(text: str) -> str:
    if not (text.isascii() and text.isprintable()):
        raise ValueError("must be printable ASCII")
    return text


def _hosts_and_ports(places: tuple[str, ...]) -> tuple[str, ...]:
    for place in places:
        if not is_host_and_port(place):
            raise ValueError(f"`{place}` is not of the form host:port")
    return places


def _domains(names: tuple[str, ...]) -> tuple[str, ...]:
    for name in names:
        if _DOMAIN.fullmatch(name) is None:
            raise ValueError(f"`{name}` is not a domain such as example.org")
    return names


class ModelEndpoint(FrozenModel):
    """An OpenAI-compatible endpoint of the operator's, for answers in its words (R33)."""

    url: Text
    model: Text
    key: SecretStr | None = None
    timeout_ms: Annotated[int, Field(ge=1_000, le=120_000)] = 20_000


class Settings(FrozenModel):
    """Where data lives and which environment this is; caps are not settings (R13)."""

    data_dir: Annotated[Path, AfterValidator(Path.absolute)]
    environment: str = "dev"
    research_enabled: bool = True
    sandbox: Literal["any", "full"] = "any"
    """`full`: refuse to work where the kernel cannot confine the readers of foreign bytes with all its walls."""
    contact: Annotated[str, AfterValidator(_printable)] = ""
    """Whom the operators of fetched sites can turn to; part of the User-Agent."""
    own_services: Annotated[tuple[str, ...], AfterValidator(_hosts_and_ports)] = ()
    """`host:port` of the operator's own services, which may be private; never applied to URLs from outside."""
    allowed_domains: Annotated[tuple[str, ...], AfterValidator(_domains)] = ()
    """The only domains, with all below them, of which pages are fetched; empty: every public one."""
    search_routing: Routing = ()
    """Which providers may be asked for which kind, in order; none unless the operator names them."""
    keys: tuple[tuple[str, SecretStr], ...] = ()
    """`PORTCULLIS_KEY_<NAME>`: keys of metered providers, masked wherever a setting is printed."""

    urls: tuple[tuple[str, str], ...] = ()
    """`PORTCULLIS_URL_<NAME>`: base URLs of providers that the operator runs; each names an own service."""
    serve: ServeSettings = ServeSettings()
    """`PORTCULLIS_SERVE_<NAME>`: how the HTTP door is served."""

    model: ModelEndpoint | None = None
    """`PORTCULLIS_MODEL_URL`, `_NAME`, `_KEY`, `_TIMEOUT_MS`: the model that words grounded answers, if any."""

    @property
    def services_of_urls(self) -> tuple[str, ...]:
        """`host:port` of every base URL."""
        return tuple(own_service_of(url) for _, url in self.urls)

    def routed(self, kind: str) -> tuple[str, ...]:
        """The providers that may be asked for a kind, in the operator's order."""
        return next((names for named, names in self.search_routing if named == kind), ())


def variables() -> dict[str, str]:
    """The variables of this process."""
    return dict(os.environ)


def settings_from(environ: Mapping[str, str] | None = None, config: Path | None = None) -> Settings:
    """Read every `PORTCULLIS_` variable, and beneath them the file `config`, or the one that PORTCULLIS_CONFIG names.
    The catalogue is not asked here whether it knows the routed providers.

    Raises:
        RequestInvalid: a switch that has no such position, a contact that no header can hold, a service with no port,
            a key that no header can hold, a base URL that is not one, a domain that is not one, a routing that cannot
            be read.
    """
    given = with_config_file(variables() if environ is None else environ, config)
    switch = given.get("PORTCULLIS_RESEARCH", "on").strip().lower()
    if switch not in (*_ON, *_OFF):
        raise RequestInvalid("PORTCULLIS_RESEARCH must be `on` or `off`")
    sandbox = given.get("PORTCULLIS_SANDBOX", "any").strip().lower()
    if sandbox not in ("any", "full"):
        raise RequestInvalid("PORTCULLIS_SANDBOX must be `any` or `full`")
    home = given.get("XDG_DATA_HOME") or str(Path(given.get("HOME") or Path.home()) / ".local" / "share")
    contact = given.get("PORTCULLIS_CONTACT", "").strip()
    services = tuple(filter(None, (place.strip() for place in given.get("PORTCULLIS_OWN_SERVICES", "").split(","))))
    try:
        _printable(contact)
        _hosts_and_ports(services)
    except ValueError as exc:
        raise RequestInvalid(f"PORTCULLIS_CONTACT or PORTCULLIS_OWN_SERVICES: {exc}") from exc
    return Settings(
        data_dir=Path(given.get("PORTCULLIS_DATA") or Path(home) / "portcullis"),
        environment=given.get("PORTCULLIS_ENV") or "dev",
        research_enabled=switch in _ON,
        sandbox="full" if sandbox == "full" else "any",
        contact=contact,
        own_services=services,
        allowed_domains=_allowed(given.get("PORTCULLIS_ALLOWED_DOMAINS", "")),
        search_routing=_routing(given.get("PORTCULLIS_SEARCH_ROUTING", "")),
        keys=tuple((name, _key(name, value)) for name, value in _named(given, _KEY_PREFIX)),
        urls=tuple((name, _base_url(name, value)) for name, value in _named(given, _URL_PREFIX)),
        serve=serve_settings_from(given),
        model=_model(given),
    )


def _model(given: Mapping[str, str]) -> ModelEndpoint | None:
    """The model's endpoint; without a URL there is none, and what else is set for it is a mistake."""
    url, model = given.get("PORTCULLIS_MODEL_URL", "").strip(), given.get("PORTCULLIS_MODEL_NAME", "").strip()
    key, timeout = given.get("PORTCULLIS_MODEL_KEY", "").strip(), given.get("PORTCULLIS_MODEL_TIMEOUT_MS", "").strip()
    if not url:
        if model or key or timeout:
            raise RequestInvalid("PORTCULLIS_MODEL_URL is missing, and other PORTCULLIS_MODEL_ settings are there")
        return None
    if not model:
        raise RequestInvalid("PORTCULLIS_MODEL_NAME is missing")
    if timeout and not (timeout.isascii() and timeout.isdigit() and 1_000 <= int(timeout) <= 120_000):
        raise RequestInvalid("PORTCULLIS_MODEL_TIMEOUT_MS must be a number from 1000 to 120000")
    return ModelEndpoint(
        url=_base_url("PORTCULLIS_MODEL_URL", url),
        model=model,
        key=_key("PORTCULLIS_MODEL_KEY", key) if key else None,
        timeout_ms=int(timeout) if timeout else 20_000,
    )


class ToldSetting(FrozenModel):
    """A setting as it is shown: a key never is."""

    variable: str
    value: str
    origin: Literal["environment", "file", "default"]


def told_settings(settings: Settings, config: Path | None = None) -> tuple[ToldSetting, ...]:
    """Every setting with its variable, and whether it was given by the environment or by the configuration file.

    Raises:
        RequestInvalid: the file cannot be read.
    """
    file, environ = with_config_file({}, config or _config_named()), os.environ
    routing = ";".join(f"{kind}={','.join(names)}" for kind, names in settings.search_routing)
    values = {
        "PORTCULLIS_DATA": str(settings.data_dir),
        "PORTCULLIS_ENV": settings.environment,
        "PORTCULLIS_RESEARCH": "on" if settings.research_enabled else "off",
        "PORTCULLIS_SANDBOX": settings.sandbox,
        "PORTCULLIS_CONTACT": settings.contact,
        "PORTCULLIS_OWN_SERVICES": ",".join(settings.own_services),
        "PORTCULLIS_ALLOWED_DOMAINS": ",".join(settings.allowed_domains),
        "PORTCULLIS_SEARCH_ROUTING": routing,
        **{name: "set" for name, _ in settings.keys},
        **dict(settings.urls),
        **_told_model(settings.model),
        **{f"PORTCULLIS_SERVE_{name.upper()}": _shown(value) for name, value in settings.serve},
    }

    def origin(name: str) -> Literal["environment", "file", "default"]:
        return "environment" if environ.get(name, "").strip() else "file" if name in file else "default"

    return tuple(ToldSetting(variable=name, value=value, origin=origin(name)) for name, value in values.items())


def unread_settings(
    told: tuple[ToldSetting, ...], read: Collection[str], config: Path | None = None
) -> tuple[str, ...]:
    """Names of ours, in the environment or the file, that no setting has; of keys and base URLs those not in `read`.

    Raises:
        RequestInvalid: the file cannot be read.
    """
    given = {**with_config_file({}, config or _config_named()), **os.environ}
    known = {one.variable for one in told if not one.variable.startswith((_KEY_PREFIX, _URL_PREFIX))}
    known |= {CONFIG_VARIABLE, *_MODEL_VARIABLES, *read}
    return tuple(sorted(name for name in given if name.startswith(_PREFIX) and name not in known))


def _told_model(model: ModelEndpoint | None) -> dict[str, str]:
    if model is None:
        return {}
    told = {
        "PORTCULLIS_MODEL_URL": model.url,
        "PORTCULLIS_MODEL_NAME": model.model,
        "PORTCULLIS_MODEL_TIMEOUT_MS": str(model.timeout_ms),
    }
    return told if model.key is None else {**told, "PORTCULLIS_MODEL_KEY": "set"}


def _config_named() -> Path | None:
    named = os.environ.get(CONFIG_VARIABLE, "").strip()
    return Path(named) if named else None


def _shown(value: object) -> str:
    return ",".join(value) if isinstance(value, tuple) else str(value)


def _named(given: Mapping[str, str], prefix: str) -> Iterator[tuple[str, str]]:
    """The variables whose names begin so and that say something, sorted."""
    for name, value in sorted(given.items()):
        if name.startswith(prefix) and value.strip():
            yield name, value.strip()


def _key(name: str, value: str) -> SecretStr:
    if not (value.isascii() and value.isprintable()):
        raise RequestInvalid(f"{name} must be printable ASCII")
    return SecretStr(value)


def _base_url(name: str, value: str) -> str:
    """A base URL; its text is never echoed, as a password may stand in it by mistake."""
    if not own_service_of(value) or "?" in value or "#" in value:
        raise RequestInvalid(f"{name} must be an http or https URL without credentials, query or fragment")
    return value.rstrip("/")


def _allowed(text: str) -> tuple[str, ...]:
    """Names between commas, each with everything below it; `*.` before one says the same."""
    names = (name.strip().lower().rstrip(".").removeprefix("*.") for name in text.split(","))
    found = tuple(dict.fromkeys(filter(None, names)))
    if text.strip() and not found:  # a slip must not open everything
        raise RequestInvalid("PORTCULLIS_ALLOWED_DOMAINS names no domain")
    try:
        return _domains(found)
    except ValueError as exc:
        raise RequestInvalid(f"PORTCULLIS_ALLOWED_DOMAINS: {exc}") from exc


def _routing(text: str) -> Routing:
    """`kind=provider,provider;kind=provider` as pairs."""
    found: dict[str, tuple[str, ...]] = {}
    for part in filter(None, (part.strip() for part in text.split(";"))):
        kind, _, listed = (word.strip() for word in part.partition("="))
        names = tuple(name.strip() for name in listed.split(","))
        if not kind or not all(names):
            raise RequestInvalid(f"PORTCULLIS_SEARCH_ROUTING: `{part}` is not of the form kind=provider,provider")
        if kind in found or len(set(names)) != len(names):
            raise RequestInvalid(f"PORTCULLIS_SEARCH_ROUTING: `{part}` names a kind or a provider twice")
        found[kind] = names
    return tuple(found.items())
