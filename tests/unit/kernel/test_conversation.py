"""Turns of a conversation and their session keys."""

from __future__ import annotations

from app.kernel.conversation import SourceOfTurn, turn_key


def test_a_turn_has_one_key_and_no_two_turns_share_it():
    keys = {turn_key(name, turn) for name in ("a", "b", "a.1") for turn in (1, 2, 11)}
    assert len(keys) == 9
    assert turn_key("a", 1) == "conversation/a/turn/1"
    assert max(map(len, (turn_key("x" * 128, 100_000),))) <= 200


def test_a_source_is_named_by_turn_and_number():
    assert SourceOfTurn(turn=1, number=2) == SourceOfTurn.model_validate({"turn": 1, "number": 2})
