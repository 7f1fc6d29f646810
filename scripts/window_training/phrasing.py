"""Attacks and honest sentences of our own, from `scripts/training/phrases.json` and `scripts/training/acts.json`."""

from __future__ import annotations

import json
import random
import re
from pathlib import Path

from scripts.seeded_chance import seeded_chance

PHRASES = Path(__file__).parents[1] / "training" / "phrases.json"
ACTS = Path(__file__).parents[1] / "training" / "acts.json"
_SLOT = re.compile(r"\{(\w+)\}")
_DEEPEST = 6  # slots inside slots
_PER_FORM = 14
_PER_LANGUAGE = 26
_NO_SPACES = ("zh", "ja")


def own_attacks(seed: int = 7) -> list[tuple[str, str]]:
    """Language and text of each attack; the same ones each time."""
    document = json.loads(PHRASES.read_text(encoding="utf-8"))
    slots: dict[str, list[str]] = document["attack"]["slots"]
    chance = seeded_chance(seed)
    found = []
    for form in document["attack"]["forms"]:
        for _ in range(_PER_FORM if "{" in form else 3):
            text = spelled(form, slots, chance)
            case = chance.random()
            text = text.upper() if case < 0.1 else text.lower() if case < 0.25 else text[:1].upper() + text[1:]
            found.append(("en", text))
    for language, words in document["languages"].items():
        stop = "。" if language in _NO_SPACES else ". "
        for _ in range(_PER_LANGUAGE):
            kind = chance.randrange(4)
            over, first, second = chance.choice(words["override"]), *chance.sample(words["demand"], 2)
            parts = ([over, first], [over, first, second], [first, second], [over])[kind]
            head = chance.choice(words["address"][:3] if kind == 3 else words["address"])
            said = stop.join(part[:1].upper() + part[1:] for part in parts)
            found.append((language, spelled(f"{head} {said}{stop}".strip(), slots, chance)))
    return found


def own_honest(seed: int = 8) -> list[str]:
    """Honest sentences with the words of attacks."""
    document = json.loads(PHRASES.read_text(encoding="utf-8"))["honest"]
    chance = seeded_chance(seed)
    texts = [spelled(form, document["slots"], chance) for form in document["forms"] for _ in range(3)]
    return list(dict.fromkeys(texts))


def own_acts() -> list[tuple[str, str, str]]:
    """Label (`attack` or `honest`), framing and text of every sentence in `scripts/training/acts.json`."""
    document: dict[str, dict[str, list[str]]] = json.loads(ACTS.read_text(encoding="utf-8"))
    return [
        (label, framing, text)
        for label, framings in document.items()
        for framing, texts in framings.items()
        for text in texts
    ]


def spelled(form: str, slots: dict[str, list[str]], chance: random.Random) -> str:
    """A form with a word for each slot; `{n}` without words of its own is a number."""

    def word(match: re.Match[str]) -> str:
        name = match[1]
        if name == "n" and name not in slots:
            return str(chance.randint(2, 99))
        return chance.choice(slots[name]) if name in slots else match[0]

    for _ in range(_DEEPEST):
        filled = _SLOT.sub(word, form)
        if filled == form:
            break
        form = filled
    return form.replace("\\n", "\n").strip()
