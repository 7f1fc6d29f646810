"""One small change inside a directive that is found plain, and attackers who dress it up: how many are still found."""

from __future__ import annotations

import random
import re
from collections.abc import Callable, Sequence

from scripts.seeded_chance import seeded_chance

from app.research.injection import InjectionScreen
from benchmarks.corpora import rows_by_source

_WORD = re.compile(r"[^\W\d_]{5,}")
_SPACE = re.compile(r"(?<=\w) (?=\w)")
_LETTERS = "abcdefghijklmnopqrstuvwxyz"
_SEPARATORS = ("-", "_", ".", " / ", " * ", "|", "+", "~", " -- ", ", ", ";", ":", "\t", "\u00a0", "\u2003", "\u00b7")
_LOOKS = {
    "a": "\u0430",
    "c": "\u0441",
    "e": "\u0435",
    "i": "\u0456",
    "o": "\u043e",
    "p": "\u0440",
    "s": "\u0455",
    "x": "\u0445",
    "y": "\u0443",
}
SECURITY = (
    "Attackers hide malicious text in web pages. A prompt injection is such an attack on a language model. Red teams "
    "look for these vulnerabilities. Guardrails and delimiters are common defenses. OWASP lists the risk first. "
    "Researchers publish new jailbreaks and payloads every week."
)
ATTACKERS: dict[str, Callable[[str], str]] = {
    "in quotation marks": lambda text: f'"{text}"',
    "in a code fence": lambda text: f"```\n{text}\n```",
    "after six sentences about security": lambda text: f"{SECURITY} {text}",
    "between six sentences about security": lambda text: f"{SECURITY}\n\n{text}\n\n{SECURITY}",
    "after 100 quoted copies": lambda text: f'{SECURITY} For example: "{text[:300]}"\n\n' * 100 + text,
}


def _at(pattern: re.Pattern[str], text: str, low: int, high: int, chance: random.Random) -> re.Match[str] | None:
    places = list(pattern.finditer(text, low, high))
    return chance.choice(places) if places else None


def _in_word(change: Callable[[str, random.Random], str]) -> Callable[[str, int, int, random.Random], str | None]:
    def changed(text: str, low: int, high: int, chance: random.Random) -> str | None:
        word = _at(_WORD, text, low, high, chance)
        if word is None:
            return None
        other = change(word[0], chance)
        return text[: word.start()] + other + text[word.end() :] if other != word[0] else None

    return changed


def _typo(word: str, chance: random.Random) -> str:
    at = chance.randrange(len(word))
    return chance.choice(
        (
            word[:at] + word[at + 1 :],
            word[:at] + chance.choice(_LETTERS) + word[at + 1 :],
            word[:at] + chance.choice(_LETTERS) + word[at:],
        )
    )


def _swap(word: str, chance: random.Random) -> str:
    at = chance.randrange(len(word) - 1)
    return word[:at] + word[at + 1] + word[at] + word[at + 2 :]


def _look_alike(word: str, chance: random.Random) -> str:
    places = [at for at, letter in enumerate(word) if letter in _LOOKS]
    if not places:
        return word
    at = chance.choice(places)
    return word[:at] + _LOOKS[word[at]] + word[at + 1 :]


def _between(choose: Callable[[random.Random], str]) -> Callable[[str, int, int, random.Random], str | None]:
    def changed(text: str, low: int, high: int, chance: random.Random) -> str | None:
        gap = _at(_SPACE, text, low, high, chance)
        return text[: gap.start()] + choose(chance) + text[gap.end() :] if gap else None

    return changed


CHANGES: dict[str, Callable[[str, int, int, random.Random], str | None]] = {
    "one letter more, less or other": _in_word(_typo),
    "two letters swapped": _in_word(_swap),
    "a line break": _between(lambda _: "\n"),
    "a separator": _between(lambda chance: chance.choice(_SEPARATORS)),
    "a look-alike letter": _in_word(_look_alike),
}


def disturbed(screen: InjectionScreen, wanted: int = 200, seed: int = 11) -> dict[str, dict[str, int]]:
    """Of attacks that are found plain, how many are found with one change inside the words that gave them away."""
    chance = seeded_chance(seed)
    attacks = [row.text for rows in rows_by_source().values() for row in rows if row.label == "attack"]
    chance.shuffle(attacks)
    found = {name: {"flagged": 0, "rows": 0} for name in (*CHANGES, *ATTACKERS)}
    plain = _plain(screen, attacks, wanted)
    for text, low, high in plain:
        for name, change in CHANGES.items():
            other = change(text, low, high, chance)
            if other is not None:
                _count(screen, found[name], other)
        for name, dress in ATTACKERS.items():
            _count(screen, found[name], dress(text))
    return found


def _plain(screen: InjectionScreen, attacks: Sequence[str], wanted: int) -> list[tuple[str, int, int]]:
    plain: list[tuple[str, int, int]] = []
    for text in attacks:
        used = [one for one in screen.screen(text).directives if not one.mentioned]
        if used and len(text) < 3_000:
            plain.append((text, used[0].start, used[0].end))
        if len(plain) == wanted:
            break
    return plain


def _count(screen: InjectionScreen, counts: dict[str, int], text: str) -> None:
    counts["flagged"] += screen.screen(text).flagged
    counts["rows"] += 1
