"""Tells a person's question from the prompts that a user interface sends of its own accord."""

from __future__ import annotations

import re
from typing import Final

__all__ = ["is_auxiliary"]

_LOOKED_AT: Final = 300
# How the templates of Open WebUI begin: title, tags, follow-ups and searches; the merging of several answers.
_OPENINGS: Final = ("### task:", "you have been provided with a set of responses from various models")
# Its choice of a tool: the system prompt lists the tools, and the message is made from the history.
_TOOLS: Final = "available tools:"
_TOOL_QUERY: Final = ("query:", "history:")
# "Your task is to ...": said to a model, never asked of sources.
_YOUR_TASK: Final = re.compile(r"your (?:task|job|role) is to ")
# "Write a short title for this conversation": a chat that is to be named, tagged, summed up or continued. It is this
# chat or the one above; other conversations, and all that is named after a chat, can be asked about.
_ACT: Final = (
    r"(?:please )?(?:provide|generate|create|give|write|suggest|propose|summari[sz]e|analy[sz]e|name|find|sum up|make"
    r"|return)"
)
_WHAT: Final = r"(?:titles?|tags?|names?|emojis?|summar(?:y|ies)|headings?|subjects?|follow-?ups?|questions?)"
_TALK: Final = r"(?:conversation|chat)(?: history)?"
_ENDS: Final = r"(?= (?:above|below|so far|as|in|into|with|using|and)\b| ?[.,:;!?)\"'`]| ?$)"
_THIS_TALK: Final = (
    rf"(?:(?:this|our)(?: (?:whole|entire|short|long))?|the (?:above|following|preceding|previous|current)) {_TALK}"
    rf"{_ENDS}|(?:the )?{_TALK} (?:above|below|so far)\b"
)
_THE_TALK: Final = rf"the {_TALK} ?(?=[.,:;]|$)"
_OF_THE_CHAT: Final = re.compile(
    rf"{_ACT}\b[^.?!]{{0,80}}\b{_WHAT}\b[^.?!]{{0,60}}\b(?:{_THIS_TALK}|for {_THE_TALK})"
    rf"|{_ACT} (?:{_THIS_TALK}|{_THE_TALK})"
)


def is_auxiliary(message: str, system: str = "") -> bool:
    """True for the prompts with which a user interface asks for titles, tags, follow-ups, tools and the like."""
    opening, above = _opening(message), _opening(system)
    if above.startswith(_TOOLS) and opening.startswith(_TOOL_QUERY):
        return True
    return opening.startswith(_OPENINGS) or bool(_YOUR_TASK.match(opening)) or bool(_OF_THE_CHAT.match(opening))


def _opening(text: str) -> str:
    return " ".join(text[:_LOOKED_AT].casefold().split())
