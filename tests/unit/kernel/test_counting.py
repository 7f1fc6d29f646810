"""A number with its noun."""

from __future__ import annotations

import pytest

from app.kernel.counting import counted


@pytest.mark.parametrize(("number", "said"), [(0, "0 calls"), (1, "1 call"), (2, "2 calls"), (1200, "1,200 calls")])
def test_a_number_with_its_noun(number, said):
    assert counted(number, "call") == said
