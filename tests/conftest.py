"""Hypothesis profiles (the same examples by default, a wide search on request), test ids, coroutines as tests."""

from __future__ import annotations

import asyncio
import gc
import inspect
import os
import signal

import pytest
from hypothesis import HealthCheck, settings

settings.register_profile(
    "steady", derandomize=True, deadline=None, max_examples=100, suppress_health_check=[HealthCheck.too_slow]
)
settings.register_profile(
    "search", deadline=None, max_examples=3_000, suppress_health_check=[HealthCheck.too_slow], print_blob=True
)
settings.load_profile(os.environ.get("HYPOTHESIS_PROFILE", "steady"))

# A shell hands "ignore interrupts" on to what it starts in the background. Commands that the tests start would keep to
# it, as they should, and could not be interrupted.
if signal.getsignal(signal.SIGINT) is signal.SIG_IGN:
    signal.signal(signal.SIGINT, signal.default_int_handler)
# `nohup` hands on that a closed terminal is no matter.
if signal.getsignal(signal.SIGHUP) is signal.SIG_IGN:
    signal.signal(signal.SIGHUP, signal.SIG_DFL)

LONGEST_ID = 100


def pytest_collection_finish(session):
    """What was collected stays to the end; each `gc.collect()` would look through it again for a third of a second."""
    gc.collect()
    gc.freeze()


def pytest_make_parametrize_id(val, argname):
    """Bytes and long texts are called after their argument.

    A digest of test ids is part of the evidence, and bytes may hold the time of day (in a ZIP file) or depend on the
    version of a compression library.
    """
    return argname if isinstance(val, bytes) or (isinstance(val, str) and len(val) > LONGEST_ID) else None


@pytest.hookimpl(tryfirst=True)
def pytest_pyfunc_call(pyfuncitem):
    """A test that is a coroutine runs in a loop of its own."""
    if not inspect.iscoroutinefunction(pyfuncitem.obj):
        return None
    names = inspect.signature(pyfuncitem.obj).parameters
    asyncio.run(pyfuncitem.obj(**{name: pyfuncitem.funcargs[name] for name in names}))
    return True
