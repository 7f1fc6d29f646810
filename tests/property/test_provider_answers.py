"""Any bytes, and any change to a body of the right shape, are a named outcome for every provider and kind."""

from __future__ import annotations

import json

from hypothesis import given
from hypothesis import strategies as st
from tests.fixtures.provider_bodies import BODIES, body_of

from app.kernel.providers import Parsed, ProviderError
from app.system.provider_code import ANSWERS, AnswerAbout, read_answer
from app.system.provider_files import read_providers

ASKED = [(entry.name, kind) for entry in read_providers().providers for kind in entry.kinds]
# Words that the parsers look for, so that a search finds its way inside.
NAMES = (
    "DOI abstract author code container-title continue data date-parts doi error extract family hits id idlist images"
    " issued items link message message-type missing news next-cursor organic page pageid pages paperId query response"
    " result results search searchinfo snippet status statusCode statuses tag title total-results totalhits type uids"
    " update-to updated url web work 10.5555/a https://a.example/ ok failed"
)
WORDS = st.sampled_from(NAMES.split())
ODD = (
    st.none() | st.booleans() | st.integers() | st.floats() | WORDS | st.text() | st.sampled_from(["\u00b2", "9" * 30])
)
VALUES = st.recursive(
    ODD,
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(WORDS | st.text(), inner, max_size=5),
    max_leaves=25,
)
ANY = st.binary(max_size=400) | VALUES.map(lambda value: json.dumps(value).encode())
STATUSES = st.sampled_from([200, 200, 200, 202, 404, 429, 500, 999])


def _named(asked, body, status):
    name, kind = asked
    about = AnswerAbout(provider=name, kind=kind, status=status).model_dump_json()
    said = read_answer(body, about)
    assert isinstance(said, Parsed | ProviderError)
    assert ANSWERS.validate_json(said.model_dump_json()) == said


def _places(value, path=()):
    """Every place inside a JSON value."""
    yield path
    inner = value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else ()
    for name, child in inner:
        yield from _places(child, (*path, name))


def _changed(value, path, new):
    if not path:
        return new
    whole = dict(value) if isinstance(value, dict) else list(value)
    whole[path[0]] = _changed(value[path[0]], path[1:], new)
    return whole


@st.composite
def _mutants(draw):
    """A body of ours with some of its values replaced, or some of its bytes cut out or put in."""
    asked = draw(st.sampled_from(sorted(BODIES)))
    body = BODIES[asked]
    if isinstance(body, str):
        data = body_of(body)
        at, length = draw(st.integers(0, len(data))), draw(st.integers(0, 60))
        return asked, data[:at] + draw(st.binary(max_size=20)) + data[at + length :]
    for _ in range(draw(st.integers(1, 3))):
        body = _changed(body, draw(st.sampled_from(list(_places(body)))), draw(VALUES))
    return asked, body_of(body)


@given(asked=st.sampled_from(ASKED), body=ANY, status=STATUSES)
def test_any_bytes_are_a_named_outcome(asked, body, status):
    _named(asked, body, status)


@given(mutant=_mutants(), status=STATUSES)
def test_any_change_to_a_known_shape_is_a_named_outcome(mutant, status):
    _named(*mutant, status)
