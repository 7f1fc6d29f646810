"""The tripwire's port where no host asked for one."""

from __future__ import annotations

from app.kernel.tripwire import NO_TRIPWIRE


def test_without_a_tripwire_nothing_changes():
    port = object()
    assert NO_TRIPWIRE.outside(port) is port
    with NO_TRIPWIRE.armed(), NO_TRIPWIRE.tool_call():
        assert True
