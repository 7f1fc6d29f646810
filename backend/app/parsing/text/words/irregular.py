"""Forms of English verbs and nouns that no stemmer brings together: `lost` for `lose`, `feet` for `foot`."""

from __future__ import annotations

from typing import Final

__all__ = ["other_forms"]

_FORMS: Final = (
    "begin began begun", "bite bit bitten", "blow blew blown", "break broke broken", "build built", "buy bought",
    "catch caught", "child children", "choose chose chosen", "die death", "draw drew drawn", "drive drove driven",
    "eat ate eaten", "feed fed", "fight fought", "find found", "fly flew flown", "foot feet",
    "forbid forbade forbidden",
    "freeze froze frozen", "grow grew grown", "hang hung", "hide hid hidden", "hold held", "keep kept", "lay laid",
    "lead led", "leave left", "lend lent", "lose lost loss", "man men", "meet met", "mouse mice", "pay paid",
    "person people", "ride rode ridden", "ring rang rung", "rise rose risen", "run ran", "sell sold sale",
    "send sent", "shoot shot", "sing sang sung", "sink sank sunk", "sleep slept", "speak spoke spoken", "spend spent",
    "steal stole stolen", "swim swam swum", "teach taught", "throw threw thrown", "tooth teeth", "wear wore worn",
    "weave wove woven", "win won", "woman women", "write wrote written",
)  # fmt: skip
_GROUPS: Final = tuple(frozenset(forms.split()) for forms in _FORMS)
_OF: Final = {word: group for group in _GROUPS for word in group}
_INFLECTED: Final = ("ing", "es", "s")


def other_forms(word: str) -> tuple[str, ...]:
    """The other forms of an English word in lower case, sorted; none for a regular one."""
    bare = (word.removesuffix(ending) for ending in _INFLECTED if word.endswith(ending))
    group = next((_OF[one] for one in (word, *bare) if one in _OF), frozenset())
    return tuple(sorted(group - {word}))
