"""One name per process: `app` is the checkout's package, or the installed `portcullis` where a run asks for it."""

from __future__ import annotations

import os
import sys

import pytest
from tests.names import INSTALLED, VARIABLE, WRITTEN, use_chosen_name

import app.kernel.stops
import app.research.router

CHOSEN = os.environ.get(VARIABLE, WRITTEN)


def test_the_package_has_the_name_that_was_chosen():
    assert app.__name__ == CHOSEN
    assert app.research.router.__name__ == f"{CHOSEN}.research.router"
    assert app.kernel.stops.StopReason.__module__ == f"{CHOSEN}.kernel.stops"
    assert app.research.router.__spec__.name == f"{CHOSEN}.research.router"


def test_no_module_is_loaded_under_two_names():
    ours = {name: module for name, module in sys.modules.items() if name.partition(".")[0] in (WRITTEN, INSTALLED)}
    assert len(ours) > 30
    assert {module.__name__.partition(".")[0] for module in ours.values()} == {CHOSEN}
    written = [name for name in ours if name.partition(".")[0] == WRITTEN]
    assert all(ours[name] is sys.modules[CHOSEN + name.removeprefix(WRITTEN)] for name in written)


def test_a_name_that_is_unknown_is_refused(monkeypatch):
    monkeypatch.setenv(VARIABLE, "gate")
    with pytest.raises(ValueError, match="not `gate`"):
        use_chosen_name()
