"""Amounts in one form, so that the same amount is read the same: `minus 20`, `half an hour`, `two decades`."""

from __future__ import annotations

import re
from typing import Final

__all__ = ["with_plain_amounts"]

_TENS: Final = {"two": 20, "three": 30, "four": 40, "five": 50, "zwei": 20, "drei": 30, "vier": 40, "fünf": 50}
_DECADES: Final = re.compile(r"\b(two|three|four|five) decades\b|\b(zwei|drei|vier|fünf) Jahrzehnten?\b", re.IGNORECASE)
_FORMS: Final = (
    (r"\b(?:minus|moins|menos|meno) (?=\d)", "\u2212"),
    (r"\bhalf an hour\b|\b(?:a )?half hour\b|\bhalf-hour\b", "30 minutes"),
    (r"\bone per ?cent\b", "1 percent"),
    (
        r"\b(?:no|not) more than (?=\d|[a-z]+ (?:percent|per cent)|two|three|four|five|six|seven|eight|nine|ten)",
        "at most ",
    ),
    (r"\b(?:no|not) (?:less|fewer) than (?=\d|two|three|four|five|six|seven|eight|nine|ten)", "at least "),
    (r"\bnot (\w+) more than (?=\d|two|three|four|five|six|seven|eight|nine|ten)", r"\1 at most "),
    (r"\bnot (\w+) (?:less|fewer) than (?=\d|two|three|four|five|six|seven|eight|nine|ten)", r"\1 at least "),
    (r"\bonce (?=(?:an?|per|every|each|daily|weekly|monthly|yearly)\b)", "1 "),
    (r"\bby (?:a|one) quarter\b(?! of an? )", "by 25 percent"),
    (r"\bby (?:a|one) half\b|\bby half\b(?! an? )", "by 50 percent"),
    (r"\b(?:eine )?halbe Stunde\b", "30 Minuten"),
    (r"\b(?:une )?demi-heure\b", "30 minutes"),
    (r"\bmedia hora\b", "30 minutos"),
    (r"\bhalf a year\b", "6 months"),
    (r"\ba year and a half\b", "18 months"),
    (r"\ban hour and a half\b", "90 minutes"),
    (r"\b(?:in|of|out of) (?:every|each) hundred\b", "percent"),
    (r"\bpour cent\b", "percent"),
    (r"\bpor ciento\b|\bper cento\b|\bpor cento\b", "percent"),
)
_COMPILED: Final = tuple((re.compile(form, re.IGNORECASE), plain) for form, plain in _FORMS)


def with_plain_amounts(text: str) -> str:
    """A sentence with such amounts as numbers; everything else stays."""
    for form, plain in _COMPILED:
        text = form.sub(plain, text)
    return _DECADES.sub(_years, text)


def _years(found: re.Match[str]) -> str:
    return f"{_TENS[(found[1] or found[2]).lower()]} {'years' if found[1] else 'Jahre'}"
