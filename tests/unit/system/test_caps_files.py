"""Caps tables of an operator's own: what is refused, what is kept, and when they are called custom."""

from __future__ import annotations

import json

import pytest

from app.kernel.canonical import digest_of
from app.kernel.caps import CapsUnusable
from app.kernel.errors import RequestInvalid, StoreUnusable
from app.system.caps_files import keep_caps, kept_caps, raises_defaults, read_caps
from app.system.contract_files import contract_dir, read_contract

DEFAULT = read_contract().caps


def _table(tmp_path, change=lambda data: None):
    data = json.loads((contract_dir() / "caps.json").read_bytes())
    change(data)
    path = tmp_path / "caps.json"
    path.write_text(json.dumps(data), encoding="utf-8")
    return path


def _entry(data, tier, environment):
    return next(one for one in data["entries"] if (one["tier"], one["environment"]) == (tier, environment))


def _grant_free(data):
    entry = _entry(data, "FREE", "prod")
    entry.update(granted=True, caps=_entry(data, "PRO", "prod")["caps"])


def _pro(data):
    return [one for one in data["entries"] if one["tier"] == "PRO"]


def _tier(data, name):
    data["tiers"].append(name)
    data["entries"] += [{**one, "tier": name} for one in _pro(data)]


@pytest.mark.ruling("R24")
@pytest.mark.parametrize(
    ("change", "said"),
    [
        (lambda data: data["entries"].pop(), "exactly one entry"),
        (lambda data: _entry(data, "PRO", "prod")["caps"].update(max_tool_calls_total=-5), "max_tool_calls_total"),
        (lambda data: _entry(data, "PRO", "prod")["caps"].update(max_tool_calls_total=10**9), "max_tool_calls_total"),
        (lambda data: _entry(data, "PRO", "prod")["caps"].pop("budget_units_clamp"), "budget_units_clamp"),
        (_grant_free, "grants research to FREE"),
        (lambda data: _tier(data, "free."), r"grants research to free\."),
        (lambda data: _tier(data, "PRO"), "listed twice"),
        (lambda data: data.update(contract_version="17.0.0"), "another contract"),
        (
            lambda data: data.update(
                tiers=["PRO", "MAX"], entries=[one for one in data["entries"] if one["tier"] != "FREE"]
            ),
            "there is no `FREE`",
        ),
    ],
    ids=["incomplete", "negative", "range", "field", "FREE", "FREE by another name", "twice", "contract", "tier"],
)
def test_a_table_that_cannot_be_used_is_refused_by_name(change, said, tmp_path):
    with pytest.raises(RequestInvalid, match=said):
        read_caps(_table(tmp_path, change), DEFAULT)


def test_a_table_that_is_not_there_is_refused(tmp_path):
    with pytest.raises(RequestInvalid, match="cannot be read"):
        read_caps(tmp_path / "none.json", DEFAULT)


def test_caps_are_custom_where_they_raise_a_default(tmp_path):
    same = read_caps(_table(tmp_path), DEFAULT)
    lower = read_caps(
        _table(tmp_path, lambda data: _entry(data, "PRO", "prod")["caps"].update(max_tool_calls_total=1)), DEFAULT
    )
    higher = read_caps(
        _table(tmp_path, lambda data: _entry(data, "PRO", "prod")["caps"].update(max_tool_calls_total=6)), DEFAULT
    )
    assert [raises_defaults(one, DEFAULT) for one in (same, lower, higher)] == [False, False, True]
    assert raises_defaults(same, CapsUnusable(why="damaged"))
    assert read_caps(_table(tmp_path), CapsUnusable(why="damaged")) == same


def test_a_table_is_kept_by_its_digest(tmp_path):
    folder = tmp_path / "kept"
    keep_caps(folder, DEFAULT)
    keep_caps(folder, DEFAULT)
    keep_caps(folder, CapsUnusable(why="damaged"))
    digest = digest_of(DEFAULT)
    assert kept_caps(folder, digest) == DEFAULT
    assert [path.name for path in folder.iterdir()] == [f"{digest}.json"]
    (folder / f"{digest}.json").write_bytes(b"{}")
    assert kept_caps(folder, digest) is None
    assert kept_caps(folder, "0" * 64) is None


def test_a_folder_that_cannot_be_written_says_so(tmp_path):
    (tmp_path / "file").touch()
    with pytest.raises(StoreUnusable, match="cannot be written"):
        keep_caps(tmp_path / "file", DEFAULT)
