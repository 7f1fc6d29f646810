"""`portcullis version`: the versions of product, contract and injection rules."""

from __future__ import annotations

import json
import sys

from ..system.contract_files import CONTRACT_VERSION, read_rules
from ..system.version import VERSION

__all__ = ["print_versions"]


def print_versions(*, as_json: bool) -> None:
    """One line each, or one JSON document."""
    rules = json.loads(read_rules())["version"]
    versions = {"portcullis": VERSION, "contract": CONTRACT_VERSION, "injection_rules": rules}
    if as_json:
        sys.stdout.write(json.dumps(versions) + "\n")
        return
    for name, version in versions.items():
        sys.stdout.write(f"{name} {version}\n")
