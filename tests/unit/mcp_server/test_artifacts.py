"""Large results by link: for their tenant alone, for half an hour, within a bound on memory."""

from __future__ import annotations

from tests.fixtures.web import HandClock

from app.mcp_server.artifacts import Artifacts


def test_an_artifact_is_there_for_its_tenant_and_for_half_an_hour():
    clock = HandClock()
    kept = Artifacts(clock)
    digest, until_ms = kept.put("acme", b"body")
    assert until_ms == clock.now + 1_800_000
    assert kept.get("acme", digest) == b"body"
    assert kept.get("other", digest) is None
    clock.now = until_ms
    assert kept.get("acme", digest) is None


def test_the_oldest_make_room():
    kept = Artifacts(HandClock())
    first, _ = kept.put("acme", b"1" * 40_000_000)
    second, _ = kept.put("acme", b"2" * 40_000_000)
    assert kept.get("acme", first) is None
    assert kept.get("acme", second) is not None


def test_the_same_body_is_kept_once():
    kept = Artifacts(HandClock())
    for _ in range(5):
        digest, _ = kept.put("acme", b"3" * 30_000_000)
    assert kept.get("acme", digest) is not None
