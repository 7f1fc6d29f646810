"""Negations: the words by which a sentence says that something is not so."""

from __future__ import annotations

import re
from typing import Final

__all__ = ["denies"]

_WORDS: Final = {
    "en": (
        r"not|never|no longer|cannot|without|neither|nor|no|isn't|aren't|wasn't|doesn't|don't|didn't|won't|can't"
        r"|forbidden|prohibited"
    ),
    "de": r"nicht|nie|niemals|kein(?:e[mnrs]?)?|ohne|weder|verboten|untersagt",
    "fr": r"pas|jamais|aucune?|sans|ni|interdite?s?",
    "es": r"no|nunca|jam\u00e1s|sin|ning\u00fan|ninguna?|tampoco|prohibid[oa]s?",
    "it": r"non|mai|senza|nessun[oa]?|n\u00e9|vietat[oaie]",
    "nl": r"niet|nooit|geen|zonder|verboden",
    "pt": r"n\u00e3o|nunca|jamais|sem|nenhuma?|proibid[oa]s?",
    "ru": r"\u043d\u0435|\u043d\u0435\u0442|\u043d\u0438\u043a\u043e\u0433\u0434\u0430|\u0431\u0435\u0437",
}
_DENIES: Final = {language: re.compile(rf"\b(?:{words})\b", re.IGNORECASE) for language, words in _WORDS.items()}


def denies(text: str, language: str) -> bool:
    """True if a text holds a word of negation in its language."""
    return _DENIES[language].search(text) is not None
