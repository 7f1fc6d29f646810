"""The meters of a server: counts, buckets, several processes, and what Prometheus reads."""

from __future__ import annotations

import json

from app.chat.meters import MeterState, ServerMeters, merged_states, metrics_text
from app.chat.shared_meters import SharedMeters


def _meters():
    meters = ServerMeters()
    meter = meters.get_meter("portcullis")
    sessions = meter.create_counter("portcullis.sessions")
    seconds = meter.create_histogram("portcullis.session.duration")
    sessions.add(1, {"stop_reason": "TIMEOUT", "cause": "cancelled"})
    sessions.add(2, {"cause": 'a"b\\c\nd'})
    for value in (0.005, 0.01, 0.3, 500.0):
        seconds.record(value, {"stop_reason": "TIMEOUT"})
    meter.create_counter("http.server.active").add(5)
    meter.create_up_down_counter("http.server.other").add(1)
    return meters


def test_counts_and_buckets_are_told_as_prometheus_reads_them():
    lines = metrics_text(_meters().state(), [("portcullis_ready", "ready", (), 1.0)]).splitlines()
    assert 'portcullis_sessions_total{cause="cancelled",stop_reason="TIMEOUT"} 1' in lines
    assert r'portcullis_sessions_total{cause="a\"b\\c\nd"} 2' in lines
    for bound, count in (("0.01", 2), ("0.32", 3), ("163.84", 3), ("+Inf", 4)):
        row = f'portcullis_session_duration_seconds_bucket{{stop_reason="TIMEOUT",le="{bound}"}} {count}'
        assert row in lines
    assert 'portcullis_session_duration_seconds_count{stop_reason="TIMEOUT"} 4' in lines
    assert 'portcullis_session_duration_seconds_sum{stop_reason="TIMEOUT"} 500.315' in lines
    assert lines[-1] == "portcullis_ready 1"
    assert not [line for line in lines if "http" in line]
    helped = {line.split()[2] for line in lines if line.startswith("# HELP")}
    assert helped == {line.split()[2] for line in lines if line.startswith("# TYPE")}


def test_the_states_of_several_processes_add_up():
    one, other = _meters().state(), _meters().state()
    again = MeterState.of_document(json.loads(json.dumps(other.document())))
    whole = merged_states((one, again))
    assert 'portcullis_sessions_total{cause="cancelled",stop_reason="TIMEOUT"} 2' in metrics_text(whole, [])
    assert 'portcullis_session_duration_seconds_count{stop_reason="TIMEOUT"} 8' in metrics_text(whole, [])
    assert metrics_text(one, []) == metrics_text(_meters().state(), [])


def test_a_process_reads_the_files_of_the_others_and_passes_over_damaged_ones(tmp_path):
    shared = SharedMeters(tmp_path, _meters())
    shared.write()
    assert shared.others() == ()
    (mine,) = tmp_path.glob("*.json")
    (tmp_path / "1.json").write_bytes(mine.read_bytes())
    for name, text in (("2", "{"), ("3", "[]"), ("4", '{"counts": [], "buckets": [["n", [], [1]]]}'), ("5", "{}")):
        (tmp_path / f"{name}.json").write_text(text)
    (other,) = shared.others()
    assert json.loads(json.dumps(other.document())) == json.loads(mine.read_text())
    SharedMeters.begin_anew(tmp_path)
    assert list(tmp_path.glob("*.json")) == []
