"""The catalogue of providers: find `catalog/providers.json`, read it, and hold the operator's settings against it."""

from __future__ import annotations

from pathlib import Path
from typing import Final

from pydantic import ValidationError

from ..kernel.errors import ContractViolation, RequestInvalid
from ..kernel.faults import first_fault
from ..kernel.providers import Access, ProviderEntry, ProviderTable
from .catalog_files import PROVIDERS_FILE, catalog_dir
from .settings import Settings

__all__ = ["check_routing", "missing_settings", "read_providers", "routed_providers"]

_PACKAGE: Final = Path(__file__).resolve().parents[1]


def read_providers(folder: Path | None = None, package: Path = _PACKAGE) -> ProviderTable:
    """Every row, in the order of the file.

    Raises:
        ContractViolation: the file cannot be read, is of a newer version, has a row that is not valid or is there
            twice, or one whose provider has no file.
    """
    try:
        table = ProviderTable.model_validate_json(((folder or catalog_dir()) / PROVIDERS_FILE).read_bytes())
    except OSError as exc:
        raise ContractViolation(f"{PROVIDERS_FILE} of the catalogue cannot be read") from exc
    except ValidationError as exc:
        where, said = first_fault(exc)
        raise ContractViolation(f"{PROVIDERS_FILE} of the catalogue: {where or 'the file'}: {said}") from exc
    for entry in table.providers:
        if not (package / "providers" / f"{entry.name}.py").is_file():
            raise ContractViolation(f"{PROVIDERS_FILE} of the catalogue: provider `{entry.name}` has no file")
    return table


def check_routing(table: ProviderTable, settings: Settings) -> None:
    """Refuse a routing that the catalogue does not know; a provider without its key may stand there.

    Raises:
        RequestInvalid: an unknown kind or provider, or one that does not serve the kind.
    """
    for kind, names in settings.search_routing:
        if kind not in table.kinds:
            raise RequestInvalid(f"PORTCULLIS_SEARCH_ROUTING: no provider serves `{kind}`")
        for name in names:
            entry = table.entry(name)
            if entry is None:
                raise RequestInvalid(f"PORTCULLIS_SEARCH_ROUTING: there is no provider `{name}`")
            if kind not in entry.kinds:
                raise RequestInvalid(f"PORTCULLIS_SEARCH_ROUTING: `{name}` does not serve `{kind}`")


def missing_settings(entry: ProviderEntry, settings: Settings) -> tuple[str, ...]:
    """The settings that a provider needs and the operator has not set."""
    given = {name for name, _ in (*settings.keys, *settings.urls)}
    if Access(contact=settings.contact).mail:
        given.add("PORTCULLIS_CONTACT")
    return tuple(name for name in entry.settings if name not in given)


def routed_providers(table: ProviderTable, settings: Settings, kind: str) -> tuple[str, ...]:
    """Who may be asked for a kind, in order: as the operator routes it, or else whom the settings made usable.

    A base URL or a key in the settings says that its service may be asked: the operator's own come first, then those
    by key, each in the order of the catalogue. An outside service without a key is asked only where it is named.
    """
    if any(named == kind for named, _ in settings.search_routing):
        return settings.routed(kind)
    ready = [entry for entry in table.providers if kind in entry.kinds and not missing_settings(entry, settings)]
    own = (entry.name for entry in ready if entry.url_setting)
    return (*own, *(entry.name for entry in ready if not entry.keyless))
