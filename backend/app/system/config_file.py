"""The configuration file: every setting as TOML, read as the environment variables that it stands for."""

from __future__ import annotations

import re
import tomllib
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any, Final

from ..kernel.errors import RequestInvalid

__all__ = [
    "CONFIG_VARIABLE",
    "SETTING_NAMES",
    "SETTING_TABLES",
    "config_faults",
    "read_config_file",
    "with_config_file",
]

CONFIG_VARIABLE: Final = "PORTCULLIS_CONFIG"
_PREFIX: Final = "PORTCULLIS_"
SETTING_NAMES: Final = (
    "allowed_domains",
    "contact",
    "data",
    "env",
    "own_services",
    "research",
    "sandbox",
)
"""Settings at the top of the file."""
SETTING_TABLES: Final[Mapping[str, tuple[str, ...]]] = {
    "model": ("key", "name", "timeout_ms", "url"),
    "serve": (
        "host",
        "log",
        "max_running",
        "max_waiting",
        "names",
        "port",
        "retention_days",
        "shutdown_grace_s",
        "workers",
    ),
}
"""Tables with a fixed set of settings: `[serve] port` is PORTCULLIS_SERVE_PORT."""
# Tables whose names the operator chooses: `[keys] BRAVE` is PORTCULLIS_KEY_BRAVE.
_NAMED_TABLES: Final = {"keys": "KEY", "urls": "URL"}
_ROUTING: Final = "search_routing"
_BYTES_MAX: Final = 1_000_000
_NAME: Final = re.compile(r"[A-Za-z][A-Za-z0-9_]{0,63}")


def with_config_file(environ: Mapping[str, str], config: Path | None = None) -> Mapping[str, str]:
    """The environment, and beneath it what a file says: `config`, or the one that PORTCULLIS_CONFIG names.

    Raises:
        RequestInvalid: the file cannot be read, or something in it is not a setting.
    """
    named = environ.get(CONFIG_VARIABLE, "").strip()
    place = config or (Path(named) if named else None)
    return environ if place is None else {**read_config_file(place), **environ}


def read_config_file(path: Path) -> dict[str, str]:
    """The variables that a file stands for; a value is never repeated in an error.

    Raises:
        RequestInvalid: as `with_config_file` does.
    """
    return dict(_variables(_read(path)))


def config_faults(path: Path) -> tuple[dict[str, str], tuple[str, ...]]:
    """The variables that a file stands for as far as they can be read, and everything that is wrong with the rest.

    Raises:
        RequestInvalid: the file as a whole cannot be read.
    """
    found: dict[str, str] = {}
    faults = []
    for name, value in _read(path).items():
        whole = isinstance(value, dict) and (name in SETTING_TABLES or name in _NAMED_TABLES)
        for one in ({inner: part} for inner, part in value.items()) if whole else (value,):
            try:
                found.update(_variables({name: one}))
            except RequestInvalid as exc:
                faults.append(str(exc))
    return found, tuple(dict.fromkeys(faults))


def _read(path: Path) -> dict[str, Any]:
    try:
        with path.open("rb") as file:
            return tomllib.loads(file.read(_BYTES_MAX).decode())
    except (OSError, ValueError, RecursionError) as exc:
        raise RequestInvalid(f"configuration file `{path}` cannot be read or is not TOML") from exc


def _variables(told: Mapping[str, object]) -> Iterator[tuple[str, str]]:
    for name, value in told.items():
        if name in SETTING_NAMES:
            yield f"{_PREFIX}{name.upper()}", _text(name, value)
        elif name == _ROUTING:
            pairs = [f"{kind}={_text(f'{name}.{kind}', one)}" for kind, one in _table(name, value)]
            yield f"{_PREFIX}SEARCH_ROUTING", ";".join(pairs)
        elif name in _NAMED_TABLES:
            for inner, one in _table(name, value):
                yield f"{_PREFIX}{_NAMED_TABLES[name]}_{inner.upper()}", _text(f"{name}.{inner}", one)
        elif name in SETTING_TABLES:
            for inner, one in _table(name, value):
                if inner not in SETTING_TABLES[name]:
                    raise RequestInvalid(f"`{_shown(name)}.{_shown(inner)}` is not a setting")
                yield f"{_PREFIX}{name.upper()}_{inner.upper()}", _text(f"{name}.{inner}", one)
        else:
            raise RequestInvalid(f"`{_shown(name)}` is not a setting")


def _table(name: str, value: object) -> list[tuple[str, object]]:
    if not isinstance(value, dict):
        raise RequestInvalid(f"`{name}` must be a table")
    wrong = [inner for inner in value if not _NAME.fullmatch(inner)]
    if wrong:
        raise RequestInvalid(f"`{name}` has a name that is not made of letters, digits and `_`")
    return list(value.items())


def _text(name: str, value: object) -> str:
    """A value as the variable would hold it: lists with commas, switches as words."""
    match value:
        case bool():
            return "on" if value else "off"
        case int() | str():
            text = str(value)
        case list() if all(isinstance(one, str) and "," not in one for one in value):
            text = ",".join(value)
        case _:
            raise RequestInvalid(f"`{name}` must be a text, a whole number, a switch or a list of texts")
    if not text.isprintable():
        raise RequestInvalid(f"`{name}` holds a character that cannot be printed")
    return text


def _shown(name: str) -> str:
    return name if _NAME.fullmatch(name) else "a name in the file"
