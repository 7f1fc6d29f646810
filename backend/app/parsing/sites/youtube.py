"""Videos of YouTube as text: which addresses name one, what its page tells, which captions to ask for, the words."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Any, Final, Literal

from ...kernel.models import FrozenModel, Text
from ..refusal import ParseRefused, Refusal
from ..text.clean_text import cleaned
from ..text.dates import iso_prefix
from ..text.json_values import at_path, count_of, items_of, line_of, load_json
from ..text.text_cuts import cut_text
from ..url.urls import JudgedUrl, judge_url
from .captions import CaptionLine, read_captions

__all__ = [
    "CaptionLine",
    "CaptionTrack",
    "VideoText",
    "WatchPage",
    "choose_track",
    "read_captions",
    "read_watch_page",
    "render",
    "timedtext_requests",
    "video_id",
    "watch_address",
    "watch_request",
]

_SITE: Final = "https://www.youtube.com"
_HOST_LIST: Final = (
    "m.youtube.com music.youtube.com www.youtube-nocookie.com www.youtube.com youtube-nocookie.com youtube.com "
)
_HOSTS: Final = frozenset(_HOST_LIST.split())
_SHORT_HOSTS: Final = frozenset(("www.youtu.be", "youtu.be"))
_CAPTION_HOSTS: Final = frozenset(("www.youtube.com", "youtube.com"))
_CAPTION_PATH: Final = "/api/timedtext"
_FOLDERS: Final = frozenset(("e", "embed", "live", "shorts", "v", "watch"))
_VIDEO_ID: Final = re.compile(r"[A-Za-z0-9_-]{11}")
# Players that show something else than one video, whose names happen to be as long as an id.
_NO_VIDEOS: Final = frozenset(("live_stream", "videoseries"))
_ENGLISH: Final = ("en", "en-US", "en-GB")

_LARGEST_PAGE: Final = 10_000_000
_MARKER: Final = "ytInitialPlayerResponse"
_ASSIGNED: Final = re.compile(r"[\"'\]]{0,2}\s{0,20}[=:]\s{0,20}(?=\{)")
_BRACES: Final = re.compile(r'\\.|["{}]', re.DOTALL)
_MOST_CANDIDATES: Final = 4
_LONGEST_RESPONSE: Final = 5_000_000
_LONGEST_LINE: Final = 500
_LONGEST_DESCRIPTION: Final = 200_000  # above `_MOST_BYTES`, so that a cut is told
_MOST_TRACKS: Final = 200

_MOST_BYTES: Final = 100_000  # of a transcript
_SPEAKER: Final = ">>"
_PAUSE_MS: Final = 3_000
_GONE: Final = "ERROR"
_SHORT_PARAGRAPH: Final = 200
_PARAGRAPH: Final = 600
_LONG_PARAGRAPH: Final = 1_200
_ENDS: Final = re.compile(r"[.!?\u2026\u3002\uff01\uff1f][\"')\]\u2019\u201d\u300d]{0,4}$")
_UNSPACED: Final = re.compile("[\u3000-\u30ff\u3400-\u9fff\uff00-\uff60]")


class CaptionTrack(FrozenModel):
    """Captions that a page offers."""

    url: Text
    language: Text
    name: Text
    automatic: bool
    """Made by a machine that listened (`asr`)."""


class WatchPage(FrozenModel):
    """What the page of a video tells; empty where it tells nothing."""

    video_id: Text
    title: Text
    author: Text
    description: Text
    published: Text
    """`YYYY-MM-DD`, or nothing."""
    length_seconds: int
    tracks: tuple[CaptionTrack, ...]


class VideoText(FrozenModel):
    """The words of a video, or its description where it has none."""

    title: Text
    author: Text
    date: Text
    text: Text
    origin: Literal["captions", "description"]
    truncated: bool


def video_id(url: str) -> str | None:
    """The video that a URL names; None where it is no video, or not of YouTube."""
    judged = judge_url(url)
    if not isinstance(judged, JudgedUrl) or judged.authority != judged.host:
        return None
    path, _, query = judged.target.partition("?")
    parts = path.strip("/").split("/")
    if judged.host in _SHORT_HOSTS:
        named = parts[0] if len(parts) == 1 else ""
    elif judged.host not in _HOSTS:
        return None
    elif parts == ["watch"]:
        named = next((part[2:] for part in query.split("&") if part.startswith("v=")), "")
    else:
        named = parts[1] if len(parts) == 2 and parts[0] in _FOLDERS else ""
    return named if _VIDEO_ID.fullmatch(named) and named not in _NO_VIDEOS else None


def watch_address(video: str) -> str:
    """How a video is cited."""
    return f"{_SITE}/watch?v={video}"


def watch_request(video: str) -> str:
    """The page that tells about a video, in English whatever the address of the asker."""
    return f"{watch_address(video)}&hl=en"


def timedtext_requests(video: str) -> tuple[str, ...]:
    """Where to ask for captions when the page offers none: English, in the order to try."""
    return tuple(f"{_SITE}{_CAPTION_PATH}?v={video}&lang={language}" for language in _ENGLISH)


def read_watch_page(data: bytes) -> WatchPage | Refusal:
    """What a page says for its player; `empty` where it says that there is no such video."""
    if not data.strip():
        return Refusal.UNREADABLE
    if len(data) > _LARGEST_PAGE:
        return Refusal.TOO_LARGE
    told = _player_response(data.decode("utf-8", "replace"))
    if told is None:
        return Refusal.UNREADABLE
    details = at_path(told, "videoDetails")
    about = at_path(told, "microformat", "playerMicroformatRenderer")
    video = line_of(at_path(details, "videoId"), _LONGEST_LINE)
    if not _VIDEO_ID.fullmatch(video):
        gone = _str(at_path(told, "playabilityStatus", "status")) == _GONE
        return Refusal.EMPTY if gone else Refusal.UNREADABLE
    offered = items_of(at_path(told, "captions", "playerCaptionsTracklistRenderer", "captionTracks"), _MOST_TRACKS)
    return WatchPage(
        video_id=video,
        title=line_of(at_path(details, "title"), _LONGEST_LINE),
        author=line_of(at_path(details, "author") or at_path(about, "ownerChannelName"), _LONGEST_LINE),
        description=_prose(at_path(details, "shortDescription")),
        published=iso_prefix(_str(at_path(about, "publishDate")) or _str(at_path(about, "uploadDate"))),
        length_seconds=count_of(at_path(details, "lengthSeconds")) or 0,
        tracks=tuple(track for one in offered if (track := _track(one)) is not None),
    )


def choose_track(tracks: Sequence[CaptionTrack]) -> CaptionTrack | None:
    """English that somebody wrote, then English that a machine heard, then the first there is."""
    for language in _ENGLISH:
        for track in tracks:
            if track.language.lower() == language.lower() and not track.automatic:
                return track
    english = [track for track in tracks if track.language.lower().partition("-")[0] == "en"]
    # Written before heard; Python's sort keeps the page's order otherwise.
    return next(iter([*sorted(english, key=lambda track: track.automatic), *tracks]), None)


def render(page: WatchPage | None, lines: Sequence[CaptionLine] = ()) -> VideoText | Refusal:
    """The captions in paragraphs, else the description; `empty` where there is neither."""
    spoken = _paragraphs(lines)
    whole = spoken or (page.description if page is not None else "")
    text, truncated = cut_text(whole, _MOST_BYTES)
    if not text:
        return Refusal.EMPTY
    return VideoText(
        title=page.title if page is not None else "",
        author=page.author if page is not None else "",
        date=page.published if page is not None else "",
        text=text,
        origin="captions" if spoken else "description",
        truncated=truncated,
    )


def _player_response(text: str) -> Any:
    """The object that is assigned to the marker; of several, the first that tells about a video, else the first."""
    first = None
    at = tried = 0
    while tried < _MOST_CANDIDATES and (at := text.find(_MARKER, at)) >= 0:
        at += len(_MARKER)
        assigned = _ASSIGNED.match(text, at)
        if assigned is None:
            continue
        tried += 1
        end = _closing(text, assigned.end())
        if end is None:
            continue
        try:
            value = load_json(text[assigned.end() : end], _LONGEST_RESPONSE)
        except ParseRefused:
            continue
        if at_path(value, "videoDetails") is not None:
            return value
        first = value if first is None else first
    return first


def _closing(text: str, start: int) -> int | None:
    """The end of the object that opens at `start`; each character is looked at once, braces in strings do not count."""
    depth, quoted = 0, False
    for found in _BRACES.finditer(text, start, start + _LONGEST_RESPONSE):
        mark = found.group()
        if mark == '"':
            quoted = not quoted
        elif not quoted and mark in "{}":
            depth += 1 if mark == "{" else -1
            if depth == 0:
                return found.end()
    return None


def _track(value: Any) -> CaptionTrack | None:
    """A track whose address is one of the site's own for captions: it came from a page, so it is a stranger's."""
    address = _str(at_path(value, "baseUrl"))
    judged = judge_url(f"{_SITE}{address}" if address.startswith("/api/") else address)
    if not isinstance(judged, JudgedUrl) or judged.scheme != "https" or judged.port != 443:
        return None
    if judged.host not in _CAPTION_HOSTS or not judged.target.startswith(f"{_CAPTION_PATH}?"):
        return None
    runs = items_of(at_path(value, "name", "runs"), 1)
    name = at_path(value, "name", "simpleText") or (at_path(runs[0], "text") if runs else "")
    return CaptionTrack(
        url=judged.href,
        language=line_of(at_path(value, "languageCode"), _LONGEST_LINE),
        name=line_of(name, _LONGEST_LINE),
        automatic=at_path(value, "kind") == "asr",
    )


def _paragraphs(lines: Sequence[CaptionLine]) -> str:
    """Captions have no paragraphs: one ends where another speaks, after a pause, or when it has become long."""
    done: list[str] = []
    parts: list[str] = []
    length = until_ms = 0
    for line in lines:
        pause = line.start_ms - until_ms >= _PAUSE_MS and length >= _SHORT_PARAGRAPH
        ended = length >= _PARAGRAPH and _ENDS.search(parts[-1][-8:]) is not None
        if parts and (line.text.startswith(_SPEAKER) or pause or ended or length >= _LONG_PARAGRAPH):
            done.append("".join(parts))
            parts, length = [], 0
        if parts and not (_UNSPACED.match(parts[-1][-1]) and _UNSPACED.match(line.text[0])):
            parts.append(" ")
        parts.append(line.text)
        length += len(line.text) + 1
        until_ms = line.start_ms + line.duration_ms
    return "\n\n".join([*done, "".join(parts)] if parts else done)


def _prose(value: Any) -> str:
    """A text with its lines."""
    if not isinstance(value, str):
        return ""
    lines = (" ".join(line.split()) for line in cleaned(value[:_LONGEST_DESCRIPTION]).text.split("\n"))
    return re.sub(r"\n{3,}", "\n\n", "\n".join(lines)).strip()


def _str(value: Any) -> str:
    return value if isinstance(value, str) else ""
