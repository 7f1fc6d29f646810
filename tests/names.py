"""Lets the tests, which import `app`, run on the package under its installed name: each `app.x` is `portcullis.x`."""

from __future__ import annotations

import os
import sys
from collections.abc import Sequence
from importlib import import_module
from importlib.abc import Loader, MetaPathFinder
from importlib.machinery import ModuleSpec
from types import ModuleType

VARIABLE = "PORTCULLIS_TEST_PACKAGE"
WRITTEN = "app"
INSTALLED = "portcullis"


class _Alias(MetaPathFinder, Loader):
    """Answers an import of `app.x` with the module `portcullis.x` itself, so that there is one object of each."""

    def find_spec(
        self, fullname: str, path: Sequence[str] | None = None, target: ModuleType | None = None
    ) -> ModuleSpec | None:
        return ModuleSpec(fullname, self) if fullname.partition(".")[0] == WRITTEN else None

    def create_module(self, spec: ModuleSpec) -> ModuleType:
        module = import_module(INSTALLED + spec.name.removeprefix(WRITTEN))
        spec.loader_state = module.__spec__
        return module

    def exec_module(self, module: ModuleType) -> None:
        # The import system has put the alias's spec there; relative imports inside the module need its own.
        module.__spec__ = module.__spec__ and module.__spec__.loader_state


def use_chosen_name() -> None:
    """Let `app` be `portcullis` where a run asks for it, and in workers, which get no environment, of such a run."""
    chosen = os.environ.get(VARIABLE, WRITTEN)
    if chosen not in (WRITTEN, INSTALLED):
        raise ValueError(f"{VARIABLE} is `{WRITTEN}` or `{INSTALLED}`, not `{chosen}`")
    if WRITTEN not in sys.modules and (
        chosen == INSTALLED or f"{INSTALLED}.tools.sandbox.inside.program" in sys.modules
    ):
        sys.meta_path.insert(0, _Alias())
