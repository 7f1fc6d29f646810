"""YouTube: which addresses name a video, what a watch page tells, which captions are taken, and what they become."""

from __future__ import annotations

import json

import pytest

from app.parsing.refusal import Refusal
from app.parsing.sites.youtube import (
    CaptionLine,
    CaptionTrack,
    choose_track,
    read_captions,
    read_watch_page,
    render,
    timedtext_requests,
    video_id,
    watch_request,
)

ID = "a-B_c1D2e3F"
CAPTIONS = f"https://www.youtube.com/api/timedtext?v={ID}&lang=en"


def response(**changed):
    return {
        "playabilityStatus": {"status": "OK"},
        "videoDetails": {
            "videoId": ID,
            "title": 'Rye } at "home" {',
            "author": "The Loaf",
            "lengthSeconds": "754",
            "shortDescription": "How to bake.\n\n\n\nPart  one: };\nflour",
        },
        "microformat": {"playerMicroformatRenderer": {"publishDate": "2021-05-06T08:00:00-07:00"}},
        "captions": {
            "playerCaptionsTracklistRenderer": {
                "captionTracks": [
                    {"baseUrl": f"{CAPTIONS}&kind=asr", "languageCode": "en", "kind": "asr"},
                    {"baseUrl": CAPTIONS, "languageCode": "en", "name": {"simpleText": "English"}},
                ]
            }
        },
        **changed,
    }


def page(value, before="", assigned="var ytInitialPlayerResponse = "):
    told = value if isinstance(value, str) else json.dumps(value)
    return f"<html><script>{before}{assigned}{told};var next = {{}};</script></html>".encode()


@pytest.mark.parametrize(
    "url",
    [
        f"https://www.youtube.com/watch?v={ID}",
        f"http://youtube.com/watch?app=desktop&v={ID}&t=5s#x",
        f"https://m.youtube.com/watch?v={ID}",
        f"https://music.youtube.com/watch?v={ID}&list=x",
        f"https://youtu.be/{ID}",
        f"https://youtu.be/{ID}?si=abc&t=10",
        f"https://www.youtube.com/shorts/{ID}",
        f"https://www.youtube.com/embed/{ID}?start=1",
        f"https://www.youtube.com/live/{ID}/",
        f"https://www.youtube.com/v/{ID}",
        f"https://www.youtube-nocookie.com/embed/{ID}",
    ],
)
def test_addresses_of_a_video(url):
    assert video_id(url) == ID


@pytest.mark.parametrize(
    "url",
    [
        "https://www.youtube.com/",
        "https://www.youtube.com/watch",
        "https://www.youtube.com/watch?v=short",
        f"https://www.youtube.com/watch?v={ID}x",
        f"https://www.youtube.com/watch?list={ID}",
        f"https://www.youtube.com/watch?v={ID[:-1]}%41",
        f"https://www.youtube.com/watch?v={ID[:-1]}\u00e9",
        f"https://www.youtube.com/results?v={ID}",
        f"https://www.youtube.com/@{ID}",
        "https://www.youtube.com/embed/videoseries?list=x",
        "https://www.youtube.com/embed/live_stream?channel=x",
        f"https://youtu.be/x/{ID}",
        f"https://youtube.com.evil.example/watch?v={ID}",
        f"https://evil.example/youtu.be/{ID}",
        f"https://notyoutube.com/watch?v={ID}",
        f"https://www.youtube.com:8443/watch?v={ID}",
        f"https://user@youtu.be/{ID}",
        f"ftp://youtu.be/{ID}",
        "",
    ],
)
def test_what_is_no_video(url):
    assert video_id(url) is None


def test_what_to_ask_for():
    assert video_id(watch_request(ID)) == ID
    assert timedtext_requests(ID) == (
        f"https://www.youtube.com/api/timedtext?v={ID}&lang=en",
        f"https://www.youtube.com/api/timedtext?v={ID}&lang=en-US",
        f"https://www.youtube.com/api/timedtext?v={ID}&lang=en-GB",
    )


@pytest.mark.parametrize(
    "assigned",
    ["var ytInitialPlayerResponse = ", "ytInitialPlayerResponse=", 'window["ytInitialPlayerResponse"] = '],
)
def test_a_watch_page(assigned):
    found = read_watch_page(
        page(response(), "if (window.ytInitialPlayerResponse) {} ytInitialPlayerResponse = null;", assigned)
    )
    assert (found.video_id, found.title, found.author) == (ID, 'Rye } at "home" {', "The Loaf")
    assert (found.published, found.length_seconds) == ("2021-05-06", 754)
    assert found.description == "How to bake.\n\nPart one: };\nflour"
    assert [(track.url, track.automatic, track.name) for track in found.tracks] == [
        (f"{CAPTIONS}&kind=asr", True, ""),
        (CAPTIONS, False, "English"),
    ]


def test_the_response_that_tells_about_a_video_is_taken():
    decoy = 'ytInitialPlayerResponse = {"a": 1}; ytInitialPlayerResponse = {broken}; '
    assert read_watch_page(page(response(), decoy)).title == 'Rye } at "home" {'


@pytest.mark.parametrize(
    ("data", "wanted"),
    [
        (b"", Refusal.UNREADABLE),
        (b" \n", Refusal.UNREADABLE),
        (b"<html>a consent form</html>", Refusal.UNREADABLE),
        (b"ytInitialPlayerResponse", Refusal.UNREADABLE),
        (b"ytInitialPlayerResponse = {", Refusal.UNREADABLE),
        (b'ytInitialPlayerResponse = {"a": "}', Refusal.UNREADABLE),
        (b"ytInitialPlayerResponse = {not json}", Refusal.UNREADABLE),
        (page("{}"), Refusal.UNREADABLE),
        (page({"playabilityStatus": {"status": "ERROR"}}), Refusal.EMPTY),
        (page({"videoDetails": []}), Refusal.UNREADABLE),
        (page({"playabilityStatus": {"status": "LOGIN_REQUIRED"}}), Refusal.UNREADABLE),
        (page({"videoDetails": {"videoId": 5}}), Refusal.UNREADABLE),
        (page('{"videoDetails":' + '{"a":' * 100_000 + "1" + "}" * 100_001), Refusal.UNREADABLE),
        (b"x" * 10_000_001, Refusal.TOO_LARGE),
        (b"ytInitialPlayerResponse" * 100_000, Refusal.UNREADABLE),
        (b'ytInitialPlayerResponse = {"' * 100_000, Refusal.UNREADABLE),
        (bytes(range(256)) * 100, Refusal.UNREADABLE),
    ],
    ids=lambda value: str(value)[:40],
)
def test_a_page_that_tells_nothing(data, wanted):
    assert read_watch_page(data) is wanted


def test_wrong_types_are_left_out():
    found = read_watch_page(
        page(
            response(
                videoDetails={
                    "videoId": ID,
                    "title": ["x"],
                    "author": None,
                    "lengthSeconds": -3,
                    "shortDescription": 5,
                },
                microformat={
                    "playerMicroformatRenderer": {"publishDate": 7, "ownerChannelName": "Mill\u200b\n\ud800er"}
                },
                captions={"playerCaptionsTracklistRenderer": {"captionTracks": {"0": {}}}},
            )
        )
    )
    assert (found.title, found.author, found.description, found.published) == ("", "Mill er", "", "")
    assert (found.length_seconds, found.tracks) == (0, ())


@pytest.mark.parametrize(
    "url",
    [
        "http://www.youtube.com/api/timedtext?v=x",
        "https://evil.example/api/timedtext?v=x",
        "https://www.youtube.com.evil.example/api/timedtext",
        "https://www.youtube.com@evil.example/api/timedtext",
        "https://www.youtube.com:8443/api/timedtext",
        "https://www.youtube.com/redirect?q=https://evil.example",
        "https://www.youtube.com/api/timedtext/../../redirect?q=x",
        "https://m.youtube.com/api/timedtext?v=x",
        "https://127.0.0.1/api/timedtext",
        "//evil.example/api/timedtext",
        "file:///etc/passwd",
        "/api/../redirect",
        "",
        7,
        None,
    ],
)
def test_captions_elsewhere_are_no_track(url):
    captions = {
        "playerCaptionsTracklistRenderer": {"captionTracks": [{"baseUrl": url, "languageCode": "en"}, "x", None]}
    }
    assert read_watch_page(page(response(captions=captions))).tracks == ()


def test_a_track_of_the_same_site_may_be_relative():
    captions = {"playerCaptionsTracklistRenderer": {"captionTracks": [{"baseUrl": "/api/timedtext?v=x"}]}}
    (track,) = read_watch_page(page(response(captions=captions))).tracks
    assert track.url == "https://www.youtube.com/api/timedtext?v=x"


def tracks(*names):
    return [
        CaptionTrack(url=name, language=name.removesuffix("*"), name="", automatic=name.endswith("*")) for name in names
    ]


@pytest.mark.parametrize(
    ("offered", "taken"),
    [
        (["de", "en*", "en-GB", "en-US", "en"], "en"),
        (["de", "en*", "en-GB", "en-US"], "en-US"),
        (["de", "en*", "en-GB"], "en-GB"),
        (["de", "en*", "en-IE"], "en-IE"),
        (["de", "en*"], "en*"),
        (["de", "en-US*"], "en-US*"),
        (["de*", "fr"], "de*"),
        (["ens"], "ens"),
    ],
)
def test_which_track_is_taken(offered, taken):
    assert choose_track(tracks(*offered)).url == taken


def test_no_track():
    assert choose_track([]) is None


SPOKEN = (
    CaptionLine(start_ms=500, duration_ms=1_250, text="It's rye & \u201cwheat\u201d"),
    CaptionLine(start_ms=2_000, duration_ms=0, text="a < b"),
)


TRANSCRIPT = """<?xml version="1.0" encoding="utf-8" ?><transcript>
<text start="0.5" dur="1.25">It&amp;#39;s &lt;i&gt;rye&lt;/i&gt; &amp;amp; \u201cwheat\u201d</text>
<text start="1.8"> </text><text start="2">a &amp;lt;\nb</text></transcript>"""
TIMEDTEXT = """<timedtext format="3"><head><pen id="1"/></head><body>
<p t="500" d="1250"><s>It's </s><s t="4">rye &amp;</s> \u201cwheat\u201d</p>
<p t="2000">a<br/>&lt; b</p><p t="2100">a &lt; b</p></body></timedtext>"""
EVENTS = [
    {
        "tStartMs": 500,
        "dDurationMs": 1250,
        "segs": [{"utf8": "It&#39;s rye"}, {"utf8": " & \u201cwheat\u201d"}, {"x": 1}],
    },
    {"tStartMs": 1800, "segs": [{"utf8": "\n"}], "aAppend": 1},
    {"id": 1},
    7,
    {"tStartMs": 2000, "segs": [{"utf8": "a\n<"}, {"utf8": " b"}]},
]


@pytest.mark.parametrize(
    "data",
    [TRANSCRIPT, TIMEDTEXT, json.dumps({"wireMagic": "pb3", "events": EVENTS})],
    ids=["transcript", "timedtext", "json3"],
)
def test_captions_in_three_formats(data):
    assert read_captions(data.encode()) == SPOKEN
    assert read_captions(b"\xef\xbb\xbf\n" + data.encode()) == SPOKEN


@pytest.mark.parametrize(
    ("data", "wanted"),
    [
        (b"", Refusal.EMPTY),
        (b"  \n", Refusal.EMPTY),
        (b"<transcript/>", Refusal.EMPTY),
        (b"<transcript><text>", Refusal.UNREADABLE),
        (b"<html><text>x</text></html>", Refusal.UNSUPPORTED),
        (b"WEBVTT\n\n00:00", Refusal.UNREADABLE),
        (b'{"events": []}', Refusal.EMPTY),
        (b'{"events": 5}', Refusal.UNSUPPORTED),
        (b"{}", Refusal.UNSUPPORTED),
        (b"{", Refusal.UNREADABLE),
        (b'{"events":' * 100_000, Refusal.UNREADABLE),
        (b'<!DOCTYPE x [<!ENTITY a "x"><!ENTITY b "&a;&a;">]><transcript><text>&b;</text></transcript>', Refusal.BOMB),
        (b"<transcript>" + b"<text>" * 1_000, Refusal.UNREADABLE),
        (b" " * 10_000_001, Refusal.TOO_LARGE),
    ],
    ids=lambda value: str(value)[:40],
)
def test_what_is_no_captions(data, wanted):
    assert read_captions(data) is wanted


def test_times_that_are_none_are_nothing():
    (line,) = read_captions(b'<transcript><text start="soon" dur="-1">rye</text></transcript>')
    assert (line.start_ms, line.duration_ms) == (0, 0)
    (line,) = read_captions(b'<transcript><text start="999999.9999" dur="0.05">rye</text></transcript>')
    assert (line.start_ms, line.duration_ms) == (86_400_000, 50)
    (line,) = read_captions(b'{"events": [{"tStartMs": 1e400, "dDurationMs": "x", "segs": [{"utf8": "rye"}]}]}')
    assert (line.start_ms, line.duration_ms) == (0, 0)


def lines(*texts, gap_ms=0):
    return tuple(
        CaptionLine(start_ms=at * (1_000 + gap_ms), duration_ms=1_000, text=text) for at, text in enumerate(texts)
    )


def test_captions_become_paragraphs():
    watched = read_watch_page(page(response()))
    found = render(watched, lines("Rye is old.", "It keeps", ">> Does it?", ">> Yes."))
    assert found.text == "Rye is old. It keeps\n\n>> Does it?\n\n>> Yes."
    assert (found.title, found.author, found.date) == ('Rye } at "home" {', "The Loaf", "2021-05-06")
    assert (found.origin, found.truncated) == ("captions", False)
    assert (
        render(None, lines("\u9ed2\u9ea6\u306f", "\u53e4\u3044\u3002")).text == "\u9ed2\u9ea6\u306f\u53e4\u3044\u3002"
    )


def test_long_speech_is_broken_up():
    sentence = "The dough rests for an hour before it goes in."
    found = render(None, lines(*[sentence] * 50))
    parts = found.text.split("\n\n")
    assert len(parts) > 2
    assert all(len(part) < 700 for part in parts)
    assert " ".join(parts) == " ".join([sentence] * 50)
    endless = render(None, lines(*["and then and then and"] * 200)).text.split("\n\n")
    assert max(len(part) for part in endless) < 1_300
    paused = render(None, lines(*["and then and then and so on"] * 20, gap_ms=4_000)).text.split("\n\n")
    assert all(len(part) < 300 for part in paused)


def test_a_long_transcript_is_cut():
    found = render(None, lines(*["The dough rests for an hour."] * 10_000))
    assert found.truncated
    assert 50_000 <= len(found.text.encode()) <= 100_000
    assert found.text.endswith("hour.")


def test_without_captions_the_description():
    watched = read_watch_page(page(response()))
    found = render(watched)
    assert (found.text, found.origin) == ("How to bake.\n\nPart one: };\nflour", "description")
    assert render(None) is Refusal.EMPTY
    assert render(read_watch_page(page(response(videoDetails={"videoId": ID})))) is Refusal.EMPTY
