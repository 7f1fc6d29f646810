"""Any bytes, with any status, are a named outcome for every provider and kind of the catalogue."""

from __future__ import annotations

import json

from hypothesis import given
from hypothesis import strategies as st

from app.kernel.providers import Parsed, ProviderError
from app.system.provider_code import ANSWERS, AnswerAbout, read_answer
from app.system.provider_files import read_providers

ASKED = [(entry.name, kind) for entry in read_providers().providers for kind in entry.kinds]
# Words that the parsers look for, so that a search finds its way inside.
NAMES = (
    "DOI abstract author code container-title continue date-parts error extract family issued items message"
    " message-type missing next-cursor pageid pages query search searchinfo snippet status title total-results"
    " totalhits type update-to updated work 10.5555/a ok failed"
)
WORDS = st.sampled_from(NAMES.split())
VALUES = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | WORDS | st.text(),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(WORDS | st.text(), inner, max_size=5),
    max_leaves=25,
)
BODIES = st.binary(max_size=400) | VALUES.map(lambda value: json.dumps(value).encode())


@given(asked=st.sampled_from(ASKED), body=BODIES, status=st.sampled_from([200, 200, 200, 404, 429, 500, 999]))
def test_any_bytes_are_a_named_outcome(asked, body, status):
    name, kind = asked
    about = AnswerAbout(provider=name, kind=kind, status=status).model_dump_json()
    said = read_answer(body, about)
    assert isinstance(said, Parsed | ProviderError)
    assert ANSWERS.validate_json(said.model_dump_json()) == said
