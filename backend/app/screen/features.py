"""What a window of text shows: concepts in their order, words, and the marks of another voice."""

from __future__ import annotations

import re
from binascii import crc32
from collections.abc import Collection, Iterable, Sequence
from itertools import chain, combinations
from typing import Final

from .concepts import Tag

__all__ = ["BUCKETS", "concepts_of", "feature_names", "hashed", "hint_names", "marks", "places_of"]

BUCKETS: Final = 1 << 18
_MASK: Final = BUCKETS - 1
_NEAR: Final = 7  # tokens between two concepts that belong together
_MOST_TOKENS: Final = 80
_ASCII: Final = re.ASCII | re.IGNORECASE
_SPECIAL: Final = (
    r"<\|[a-z_]{1,20}\|?>|\[/?inst\]|<</?sys>>"
    r"|</?(?:system|user|assistant|tool|instructions?|documents?|data|context|email|text|important|admin|prompt)[^<>\n]{0,40}>"
)
_TURN: Final = (
    r"(?:^|[\n\[<(#*|/\"'-])[ ]{0,3}"
    r"(?:system|assistant|user|human|admin|ai|developer|instructions?|inst|chatgpt|bot|llm)"
    r"[ ]{0,2}(?:\]|>|:|\||=|(?:notes?|message|prompt|override|update|instructions?|notice|alert|command)\b)"
)
# What a mark cannot do without, any one of these characters, is looked for first; most windows have few of them.
_MARKS: Final = (
    ("mark:label", ":", re.compile(r"[^\n:]{2,40}:[ \n]", _ASCII)),
    ("mark:turn", "", re.compile(_TURN, _ASCII)),
    ("mark:special", "<[", re.compile(_SPECIAL, _ASCII)),
    ("mark:line", "-=#*_~%", re.compile(r"[-=#*_~%]{3,}", _ASCII)),
    ("mark:caps", "", re.compile(r"\b[A-Z]{4,}\b[^a-z]{0,12}\b[A-Z]{3,}\b", re.ASCII)),
    ("mark:url", ":.", re.compile(r"https?://|www\.", _ASCII)),
    ("mark:mail", "@", re.compile(r"[a-z0-9]@[a-z0-9-]{1,40}\.[a-z]", _ASCII)),
    ("mark:slot", "{[<", re.compile(r"\$\{|\{\{|\{[a-z_ ]{2,40}\}|\[[a-z_ ]{3,40}\]|<[a-z_ ]{3,30}>", _ASCII)),
    ("mark:json", "\"'", re.compile(r"[\"'][ ]?:[ ]?[\"'\[{]|[\"'],[ \n]?[\"']", _ASCII)),
    ("mark:comment", "!/#", re.compile(r"<!--|/\*|(?:^|\n)[ ]{0,4}(?://|#[^#!\[])", _ASCII)),
    ("mark:bang", "!", None),
    ("mark:question", "?", None),
    ("mark:quote", "\"\x60'", re.compile(r"[\"\x60]|(?:^|[\s(:])'")),
    ("mark:bracket", "[({<", re.compile(r"[\s*_>#-]{0,4}[\[({<]")),
    ("mark:image", "[", re.compile(r"!\[")),
    ("mark:code", "\x60();{}:->=", re.compile(r"\x60\x60\x60|[a-z_]\(\)|[;{}]\n|::|->|==", _ASCII)),
    ("mark:number", "0123456789", None),
)
_START: Final = frozenset(("mark:label", "mark:bracket"))


def marks(window: str) -> list[str]:
    """The marks of structure that a window shows, by name."""
    characters = set(window)
    return [name for name, needed, mark in _MARKS if _shows(window, characters, name, needed, mark)]


def _shows(window: str, characters: set[str], name: str, needed: str, mark: re.Pattern[str] | None) -> bool:
    if needed and characters.isdisjoint(needed):
        return False
    return mark is None or (mark.match if name in _START else mark.search)(window) is not None


def concepts_of(tags: Iterable[Tag]) -> frozenset[int]:
    """The concepts that tokens stand for."""
    return frozenset(chain.from_iterable([tag[1] for tag in tags]))


def hint_names(present: Iterable[int], classes: Sequence[str]) -> list[str]:
    """The concepts of a window and each pair of them, in no order of the text: what is known before it is scored."""
    names = [classes[number] for number in sorted(present)]
    return [*names, *map("+".join, combinations(names, 2))]


def feature_names(tags: Sequence[Tag], shown: Sequence[str], classes: Sequence[str]) -> set[str]:
    """Everything that has a weight, by name."""
    words = [tag[0] for tag in tags[:_MOST_TOKENS]]
    plain = [classes[tag[1][0]] if tag[1] else tag[0] for tag in tags[:_MOST_TOKENS]]
    found = set(shown)
    acts = [(at, classes[number]) for at, tag in enumerate(tags[:_MOST_TOKENS]) for number in tag[1]]
    for i, (at, act) in enumerate(acts):
        found.add(f"c:{act}")
        for later, other in acts[i + 1 : i + 12]:
            if later - at > _NEAR:
                break
            found.add(f"p:{act}>{other}")
            if later - at <= 2:
                found.add(f"q:{act}>{other}")
    order = [act for _, act in acts]
    found.update(map("t:{}>{}>{}".format, order, order[1:], order[2:]))
    present = dict.fromkeys(order)
    found.update(f"m:{mark}+{act}" for mark in shown for act in present)
    found.update(map("s:{} {}".format, plain, plain[1:]))
    found.update(map("s:{} {} {}".format, plain, plain[1:], plain[2:]))
    found.update(map("w:{}".format, words))
    found.update(map("w:{} {}".format, words, words[1:]))
    if tags and tags[0][1]:
        found.add(f"first:{classes[tags[0][1][0]]}")
    return found


def hashed(name: str) -> int:
    """The place of a feature's weight."""
    return crc32(name.encode("utf-8")) & _MASK


def places_of(names: Collection[str]) -> set[int]:
    """The places of many features: what `hashed` says of each, without a call of it for each."""
    if not names:
        return set()
    return {place & _MASK for place in map(crc32, "\n".join(names).encode("utf-8").split(b"\n"))}
