"""Pages that are put together from several answers: Hacker News and YouTube, as a reading or as what is wanted next."""

from __future__ import annotations

from ..refusal import Refusal
from . import hacker_news, youtube
from .captions import CaptionLine, read_captions
from .fetch_plan import Wanted
from .hacker_news import HnText
from .joined_answers import unpacked
from .youtube import VideoText, WatchPage

__all__ = ["read_hacker_news", "read_youtube"]


def read_hacker_news(data: bytes, url: str, *, final: bool) -> HnText | Wanted | Refusal:
    """A page of Hacker News from its parcel: the first answer, then those that it leads to."""
    page = hacker_news.route(url)
    if page is None:
        return Refusal.UNSUPPORTED
    answers = [body for _, body in unpacked(data)]
    if len(answers) == 1 and not final and (wanted := hacker_news.next_requests(page, answers)):
        return Wanted(wanted)
    return hacker_news.render(page, answers)


def read_youtube(data: bytes, url: str, *, final: bool) -> VideoText | Wanted | Refusal:
    """A video from its parcel: its page, then the captions that the page offers, then those that can be guessed."""
    video = youtube.video_id(url)
    if video is None:
        return Refusal.UNSUPPORTED
    (_, first), *tried = unpacked(data)
    page = youtube.read_watch_page(first or b"")
    if isinstance(page, WatchPage) and page.video_id != video:
        return Refusal.UNREADABLE  # another video is no evidence of this one
    track = None if isinstance(page, Refusal) else youtube.choose_track(page.tracks)
    if not tried and track is not None and not final:
        return Wanted((track.url,))
    lines = _first_captions([body for _, body in tried])
    guesses = tuple(one for one in youtube.timedtext_requests(video) if one not in [place for place, _ in tried])
    if not lines and guesses and not final:
        return Wanted(guesses)
    read = youtube.render(None if isinstance(page, Refusal) else page, lines)
    # Only a page that says so means that there is no such video; one that cannot be read means nothing (R3).
    return Refusal.UNREADABLE if read is Refusal.EMPTY and page is not Refusal.EMPTY else read


def _first_captions(answers: list[bytes | None]) -> tuple[CaptionLine, ...]:
    for answer in answers:
        lines = read_captions(answer or b"")
        if not isinstance(lines, Refusal):
            return lines
    return ()
