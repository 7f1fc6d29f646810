"""Seal the catalogue: validate its tables and write `catalog/LOCK` and the digest in `providers.json` again.

`--check` only compares.
"""

from __future__ import annotations

import argparse
import json
import re
import sys
from pathlib import Path

from app.kernel.canonical import digest_of
from app.kernel.catalog import CATALOG_VERSION
from app.kernel.errors import ContractViolation
from app.system.catalog_files import PROVIDERS_FILE, CatalogLock, catalog_hashes, own_digest, read_catalog
from app.system.lock_files import LOCK_NAME
from app.system.provider_files import read_providers

ROOT = Path(__file__).parents[1]


def main(arguments: list[str] | None = None, folder: Path = ROOT / "catalog") -> int:
    """Exit code 1 when `--check` finds a difference, 2 when a table cannot be used."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--check", action="store_true", help="compare, and write nothing")
    given = parser.parse_args(arguments)
    try:
        catalog = read_catalog(folder)
        read_providers(folder)
    except ContractViolation as exc:
        print(exc, file=sys.stderr)
        return 2
    for name in catalog.differing:
        print(f"differs from the catalogue's lock: {name}")
    if given.check or catalog.sealed:
        print("if that is meant: make seal-catalog" if catalog.differing else "nothing changed: the lock matches")
        return int(not catalog.sealed)
    providers = _with_digest(folder / PROVIDERS_FILE)
    if providers is None:
        print(f"{PROVIDERS_FILE} is not laid out as a table that can be sealed: indent it by 2", file=sys.stderr)
        return 2
    text, own = providers
    files = catalog_hashes(folder)
    lock = CatalogLock(catalog_version=CATALOG_VERSION, digest=digest_of(files), files=files)
    rendered = json.dumps(lock.model_dump(mode="json"), indent=2, sort_keys=True) + "\n"
    (folder / LOCK_NAME).write_text(rendered, encoding="utf-8")
    (folder / PROVIDERS_FILE).write_text(text, encoding="utf-8")
    print(f"sealed the catalogue {lock.digest[:12]}, its providers {own[:12]}")
    return 0


def _with_digest(path: Path) -> tuple[str, str] | None:
    """The table with the digest of its rows below its version, the rest as it was written; None where that fails."""
    found = own_digest(path)
    if found is None:
        return None
    digest, table = found
    text = re.sub(r'^  "digest": .*\n', "", path.read_text(encoding="utf-8"), flags=re.MULTILINE)
    text = re.sub(r'^  "catalog_version": .*\n', rf'\g<0>  "digest": "{digest}",\n', text, count=1, flags=re.MULTILINE)
    try:
        return (text, digest) if json.loads(text) == {**table, "digest": digest} else None
    except ValueError:
        return None


if __name__ == "__main__":
    sys.exit(main())
