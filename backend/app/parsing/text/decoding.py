"""Turns bytes into text: UTF-8, UTF-16 with its mark, or what an HTML page declares; never a guess."""

from __future__ import annotations

import codecs
import re
from typing import Final

__all__ = ["decoded", "known_codec"]

_DECLARED: Final = re.compile(rb"<meta[^>]{0,200}?charset\s*=\s*(?:[\"']\s*)?([A-Za-z0-9._:-]{1,40})", re.IGNORECASE)
_LOOKED_AT: Final = 2048
# The web reads these names as their Windows supersets.
_WEB_NAMES: Final = {
    "iso-8859-1": "cp1252",
    "latin1": "cp1252",
    "latin-1": "cp1252",
    "us-ascii": "cp1252",
    "ascii": "cp1252",
}
_CODEC_LIST: Final = (
    "big5 cp1250 cp1251 cp1252 cp1253 cp1254 cp1255 cp1256 cp1257 cp1258 cp874 cp932 euc_jp euc_kr gb18030 gb2312 gbk "
    "iso2022_jp iso8859-2 iso8859-3 iso8859-4 iso8859-5 iso8859-6 iso8859-7 iso8859-8 iso8859-9 iso8859-10 iso8859-13 "
    "iso8859-14 iso8859-15 iso8859-16 koi8-r koi8-u mac-roman shift_jis utf-8"
)
_TEXT_CODECS: Final = frozenset(_CODEC_LIST.split())


def decoded(data: bytes, *, html: bool) -> str | None:
    """The text, or None where the bytes are in no encoding that they say themselves."""
    if data.startswith((codecs.BOM_UTF32_LE, codecs.BOM_UTF32_BE)):
        return None
    if data.startswith((codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE)):
        return _strict(data, "utf-16")
    if b"\x00" in data:
        return None
    text = _strict(data, "utf-8-sig")
    if text is None and html:
        named = _DECLARED.search(data[:_LOOKED_AT])
        if named is not None:
            return _strict(data, known_codec(named.group(1).decode("ascii")))
    return text


def known_codec(name: str) -> str | None:
    """The codec that a label of the web stands for, or None where it is no encoding of text."""
    name = name.lower()
    try:
        known = codecs.lookup(_WEB_NAMES.get(name, name)).name
    except (LookupError, ValueError):
        return None
    return known if known in _TEXT_CODECS else None


def _strict(data: bytes, codec: str | None) -> str | None:
    if codec is None:
        return None
    try:
        return data.decode(codec)
    except UnicodeDecodeError:
        return None
