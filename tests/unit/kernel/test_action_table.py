"""The table of actions is total: whichever single combination has no row or two, there is no table."""

from __future__ import annotations

from itertools import product

import pytest
from pydantic import ValidationError

from app.kernel.contract import ActionRow, ActionTable
from app.kernel.stops import StopReason
from app.system.contract_files import read_contract

SHIPPED = read_contract().actions
PLACES = tuple(product(StopReason, (True, False), (True, False)))


def _table(places):
    rows = tuple(
        ActionRow(stop=stop, bundle_empty=empty, clarified=clarified, action=SHIPPED.action(stop, empty, clarified))
        for stop, empty, clarified in places
    )
    return ActionTable(contract_version=SHIPPED.contract_version, texts=SHIPPED.texts, rows=rows)


def test_written_out_it_says_the_same():
    whole = _table(PLACES)
    assert all(whole.action(*place) is SHIPPED.action(*place) for place in PLACES)


@pytest.mark.parametrize("place", PLACES, ids=str)
def test_no_place_may_be_missing_or_there_twice(place):
    with pytest.raises(ValidationError, match=f"not exactly one action for {place[0]}"):
        _table([one for one in PLACES if one != place])
    with pytest.raises(ValidationError, match=f"not exactly one action for {place[0]}"):
        _table([*PLACES, place])
