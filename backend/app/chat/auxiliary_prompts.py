"""Tells a person's question from the prompts that a user interface sends of its own accord."""

from __future__ import annotations

import re
from typing import Final

__all__ = ["is_auxiliary"]

_TASK: Final = "### task:"
_LOOKED_AT: Final = 300
# "Your task is to ...": said to a model, never asked of sources. "Write a short title for this conversation": a chat
# that is to be named, tagged, summed up or continued.
_YOUR_TASK: Final = re.compile(r"your (?:task|job|role) is to ")
_ACT: Final = (
    r"(?:please )?(?:provide|generate|create|give|write|suggest|propose|summari[sz]e|name|find|sum up|make|return)"
)
_WHAT: Final = r"(?:titles?|tags?|names?|emojis?|summar(?:y|ies)|headings?|subjects?|follow-?ups?|questions?)"
_TALK: Final = r"(?:th(?:e|is|ese)|our) (?:\w+ ){0,2}(?:conversation|chat|dialogue|messages?|exchange)"
_OF_THE_CHAT: Final = re.compile(rf"{_ACT}\b[^.?!]{{0,80}}\b{_WHAT}\b[^.?!]{{0,60}}\b{_TALK}\b|{_ACT} {_TALK}\b")


def is_auxiliary(message: str) -> bool:
    """True for the prompts with which a user interface asks for titles, tags, follow-ups and the like."""
    opening = " ".join(message[:_LOOKED_AT].casefold().split())
    return opening.startswith(_TASK) or bool(_YOUR_TASK.match(opening)) or bool(_OF_THE_CHAT.match(opening))
