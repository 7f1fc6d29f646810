"""Installed packages as inputs: the pinned version of whatever an input imports, and of what that needs itself."""

from __future__ import annotations

import re
from collections.abc import Iterable
from functools import lru_cache

__all__ = ["REQUIREMENTS", "pins_of"]

REQUIREMENTS = "requirements/dev.txt"
# Where a module is not called after its package.
_DISTRIBUTIONS = {
    "_pytest": "pytest",
    "backports": "backports-zstd",
    "crosshair": "crosshair-tool",
    "lint-imports": "import-linter",
    "opentelemetry": "opentelemetry-api",
    "re2": "google-re2",
    "z3": "z3-solver",
}
_PIN = re.compile(r"^([a-z0-9][a-z0-9._-]*)==([^ ;\\]+)", re.IGNORECASE)
_VIA = re.compile(r"^\s+#(?:\s+via)?\s+([A-Za-z0-9][\w.-]*)$")


def pins_of(requirements: bytes, modules: Iterable[str]) -> dict[str, str]:
    """Package → version, for packages that hold one of the modules (or are the tool of that name) and all they need."""
    versions, needs = _read(requirements.decode("utf-8", "replace"))
    waiting = [_normal(_DISTRIBUTIONS.get(module, module)) for module in modules]
    found: dict[str, str] = {}
    while waiting:
        package = waiting.pop()
        if package in versions and package not in found:
            found[package] = versions[package]
            waiting += needs.get(package, ())
    return dict(sorted(found.items()))


def _normal(name: str) -> str:
    return re.sub(r"[-_.]+", "-", name).lower()


@lru_cache(maxsize=8)
def _read(text: str) -> tuple[dict[str, str], dict[str, list[str]]]:
    """Versions, and package → what it needs, which the file tells the other way round in its `via` comments."""
    versions: dict[str, str] = {}
    needs: dict[str, list[str]] = {}
    package = ""
    for line in text.splitlines():
        if pin := _PIN.match(line):
            package = _normal(pin[1])
            versions[package] = pin[2]
        elif package and (via := _VIA.match(line)) and via[1] != "via":
            needs.setdefault(_normal(via[1]), []).append(package)
    return versions, needs
