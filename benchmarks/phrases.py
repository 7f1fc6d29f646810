"""The rules as plain phrases, for engines that know nothing but literal strings."""

from __future__ import annotations

import re
from itertools import product

from app.research.injection import RuleSet

EACH = 12  # phrases of one rule, spread over what its pattern can say
SHORTEST = 6
_TOKEN = re.compile(
    r"%[a-z_]+%|\\.|\[(?:\\.|[^\]\\])*\]|\(\?[-a-z]*:|[()|]|\{\d*,?\d*\}|[?*+^$.]|[^\\()\[\]|{}?*+^$.%]"
)


def literal_phrases(rules: RuleSet) -> list[str]:
    """Some phrases of every rule, in order and without doubles."""
    found = {
        " ".join(phrase.lower().split())
        for rule in rules.rules
        for phrase in _said(_with_fragments(rules, rule.pattern))
    }
    return sorted(phrase for phrase in found if len(phrase) >= SHORTEST)


def _with_fragments(rules: RuleSet, pattern: str) -> str:
    put = re.sub(r"%([a-z_]+)%", lambda match: f"(?:{rules.fragments[match[1]]})", pattern)
    return put if put == pattern else _with_fragments(rules, put)


def _said(pattern: str) -> list[str]:
    tokens = _TOKEN.findall(pattern)
    phrases, _ = _alternatives(tokens, 0)
    return phrases


def _alternatives(tokens: list[str], at: int) -> tuple[list[str], int]:
    every: list[str] = []
    so_far = [""]
    while at < len(tokens) and tokens[at] != ")":
        sign = tokens[at]
        at += 1
        if sign == "|":
            every += so_far
            so_far = [""]
            continue
        here, at = _one(tokens, sign, at)
        joined = ["".join(pair) for pair in product(so_far, here)]
        so_far = joined[:: max(1, len(joined) // EACH)][:EACH]
    every += so_far
    return every[:: max(1, len(every) // EACH)] if len(every) > EACH else every, at + 1


def _one(tokens: list[str], sign: str, at: int) -> tuple[list[str], int]:
    """What one piece says, behind its own repetition; what may be left out is."""
    if sign.startswith("("):
        here, at = _alternatives(tokens, at)
    elif sign[0] in "^$" or sign == "\\b":
        here = [""]
    elif sign[0] in "[\\.":
        here = [sign[1:] if sign[0] == "\\" and not sign[1:].isalnum() else " "]
    else:
        here = [sign]
    if at < len(tokens) and (tokens[at] in ("?", "*") or tokens[at].startswith("{0")):
        here = [""]
    while at < len(tokens) and (tokens[at] in ("?", "*", "+") or tokens[at].startswith("{")):
        at += 1
    return here, at
