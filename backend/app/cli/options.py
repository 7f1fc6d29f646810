"""Options that several commands share, and the settings they make."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, Final

import typer

if TYPE_CHECKING:
    from ..system.settings import Settings

__all__ = [
    "ENVIRONMENTS",
    "TIERS",
    "Calls",
    "Config",
    "DataDir",
    "Docs",
    "Env",
    "Json",
    "Key",
    "Millis",
    "Tier",
    "Units",
    "chosen_settings",
    "data_folder",
    "folder",
    "narrowing",
    "new_app",
]

TIERS: Final = ("FREE", "PRO", "MAX")
ENVIRONMENTS: Final = ("dev", "staging", "prod")


def new_app(name: str | None = None) -> typer.Typer:
    """A group of commands; it stays a group also when it has one command."""
    app = typer.Typer(name=name, no_args_is_help=True, add_completion=False)
    app.callback()(_no_options)
    return app


def _no_options() -> None:
    pass


def folder(text: str, what: str = "folder of documents") -> Path:
    """An empty name is a slip, often of a variable that is not set; `Path` would read it as the current folder."""
    if not text:
        from ..kernel.errors import RequestInvalid

        raise RequestInvalid(f"the {what} has no name")
    return Path(text)


def data_folder(text: str) -> Path:
    """The same for the data folder."""
    return folder(text, "data folder")


Docs = Annotated[
    Path | None,
    typer.Option(
        "--docs", parser=folder, metavar="DIR", help="Folder of documents. Default: the sample documents about bread."
    ),
]
DataDir = Annotated[
    Path | None,
    typer.Option(
        "--data-dir",
        parser=data_folder,
        metavar="DIR",
        help="Where records and indexes are kept. Default: PORTCULLIS_DATA, else a folder of your own.",
    ),
]
Config = Annotated[
    Path | None,
    typer.Option(
        "--config",
        metavar="FILE",
        help="Settings in TOML; environment variables win over it. Default: PORTCULLIS_CONFIG, else none.",
    ),
]
Tier = Annotated[
    str, typer.Option("--tier", metavar="TIER", help=f"{', '.join(TIERS)}.", autocompletion=lambda: list(TIERS))
]
Env = Annotated[
    str | None,
    typer.Option(
        "--env",
        metavar="ENV",
        help=f"{', '.join(ENVIRONMENTS)}. Default: PORTCULLIS_ENV, else dev.",
        autocompletion=lambda: list(ENVIRONMENTS),
    ),
]
Calls = Annotated[
    int | None,
    typer.Option("--max-calls", metavar="N", min=1, help="At most this many tool calls. Default: the tier's cap."),
]
Units = Annotated[
    int | None,
    typer.Option(
        "--max-units", metavar="N", min=1, help="Spend at most this many budget units. Default: the tier's cap."
    ),
]
Millis = Annotated[
    int | None,
    typer.Option(
        "--timeout-ms", metavar="N", min=1, help="Stop after this many milliseconds. Default: the tier's cap."
    ),
]
Json = Annotated[bool, typer.Option("--json", help="Print exactly one JSON document on stdout.")]
Key = Annotated[
    str | None,
    typer.Option(
        "--session-key",
        metavar="KEY",
        help="1 to 200 characters. The same key again: a finished session is answered from its record, an unfinished "
        "one is continued.",
    ),
]


def chosen_settings(data_dir: Path | None, env: str | None = None, config: Path | None = None) -> Settings:
    """The settings of the environment, beneath them those of the configuration file, above them the command line's.

    Raises:
        RequestInvalid: there is no such environment, or a setting cannot be read.
    """
    from ..kernel.errors import RequestInvalid
    from ..system.settings import Settings, settings_from

    settings = settings_from(config=config)
    chosen: dict[str, Any] = {}
    if data_dir is not None:
        chosen["data_dir"] = data_dir
    if env is not None:
        if env not in ENVIRONMENTS:
            raise RequestInvalid(f"environment `{env}` is not one of {', '.join(ENVIRONMENTS)}")
        chosen["environment"] = env
    return Settings.model_validate({**settings.model_dump(), **chosen}) if chosen else settings


def narrowing(
    max_calls: int | None = None, max_units: int | None = None, timeout_ms: int | None = None
) -> dict[str, int]:
    """What the command line asks for below its caps."""
    wishes = {
        "max_tool_calls_total": max_calls,
        "budget_units_clamp": max_units,
        "total_research_timeout_ms": timeout_ms,
    }
    return {name: wish for name, wish in wishes.items() if wish is not None}
