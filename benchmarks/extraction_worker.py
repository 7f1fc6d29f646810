"""One timed process of the extraction benchmark: `python -m benchmarks.extraction_worker NAME PART FOLDER`.

Loads its half of the pages, reads one page to warm up, says `ready`, and then, for every line on stdin, reads all of
its pages and answers with a line. Ours reads bytes in a sandboxed process; the others get decoded text in this one.
"""

from __future__ import annotations

import gzip
import sys
from collections.abc import Callable
from pathlib import Path

from app.parsing.document import ParsedDocument
from app.parsing.html.page import extract_document
from app.tools.sandbox.host.document_reading import ParserSpec, ReaderProcess  # type: ignore[attr-defined]  # via host

PARTS = 2


def _trafilatura(**options: bool) -> Callable[[bytes], str]:
    from trafilatura import extract

    return lambda data: extract(data.decode("utf-8", "replace"), include_comments=False, **options) or ""


def _readability() -> Callable[[bytes], str]:
    from lxml.etree import ParserError
    from lxml.html import fromstring
    from readability import Document
    from readability.readability import Unparseable

    def read(data: bytes) -> str:
        try:
            return str(fromstring(Document(data.decode("utf-8", "replace")).summary()).text_content())
        except (ParserError, Unparseable):
            return ""

    return read


def _resiliparse() -> Callable[[bytes], str]:
    from resiliparse.extract.html2text import extract_plain_text

    return lambda data: extract_plain_text(
        data.decode("utf-8", "replace"), main_content=True, alt_texts=False, links=False, comments=False
    )


def _ours() -> Callable[[bytes], str]:
    reader = ReaderProcess(ParserSpec(parser=f"{extract_document.__module__}:{extract_document.__name__}"))

    def read(data: bytes) -> str:
        page = reader(data, "page.html")
        return page.text if isinstance(page, ParsedDocument) else ""

    return read


EXTRACTORS: dict[str, Callable[[], Callable[[bytes], str]]] = {
    "portcullis": _ours,
    "trafilatura fast": lambda: _trafilatura(fast=True),
    "trafilatura default": _trafilatura,
    "trafilatura precision": lambda: _trafilatura(favor_precision=True),
    "readability-lxml": _readability,
    "resiliparse": _resiliparse,
}


def pages(folder: Path) -> dict[str, bytes]:
    """Every page of the corpus by its id."""
    return {path.name.removesuffix(".html.gz"): gzip.decompress(path.read_bytes()) for path in sorted(folder.iterdir())}


def main() -> None:
    """Read half of the pages as often as asked."""
    name, part, folder = sys.argv[1:]
    read = EXTRACTORS[name]()
    mine = list(pages(Path(folder)).values())[int(part) :: PARTS]
    read(mine[0])
    print("ready", flush=True)
    for _ in sys.stdin:
        for data in mine:
            read(data)
        print("done", flush=True)


if __name__ == "__main__":
    main()
