"""`portcullis extract`: the main content of a folder of HTML files, as one JSON file."""

from __future__ import annotations

import gzip
import json
import zlib
from pathlib import Path
from typing import Final

from rich.console import Console
from rich.progress import track

from ..kernel.errors import RequestInvalid
from ..parsing.document import Refusal
from ..parsing.html.page import LARGEST_PAGE, extract_document

__all__ = ["extract"]

_ENDINGS: Final = (".html.gz", ".html", ".htm.gz", ".htm")
_NAMED: Final = 5


def extract(folder: Path, out: Path) -> None:
    """Write `{"<id>": {"articleBody": "..."}}` for every `<id>.html` or `<id>.html.gz` of a folder.

    Raises:
        RequestInvalid: there is no such folder, no page in it, or two files with the same id; or `out` is no file.
        OSError: the result cannot be written.
    """
    errors = Console(stderr=True, highlight=False)
    pages = _pages(folder)
    if out.is_dir() or not out.parent.is_dir():
        raise RequestInvalid(f"cannot write to `{out}`: no such file, or it is a folder")
    found: dict[str, dict[str, str]] = {}
    without: list[str] = []
    for name, path in track(
        pages.items(), "extracting", console=errors, transient=True, disable=not errors.is_terminal
    ):
        data = _read(path)
        page = Refusal.UNREADABLE if data is None else extract_document(data, path.name)
        found[name] = {"articleBody": "" if isinstance(page, Refusal) else page.text}
        if isinstance(page, Refusal):
            without.append(f"{path.name} ({page.value})")
    out.write_text(json.dumps(found, ensure_ascii=False, indent=1) + "\n", encoding="utf-8")
    errors.print(f"{len(found) - len(without)} of {len(found)} pages have text", markup=False)
    if without:
        more = f" and {len(without) - _NAMED} more" if len(without) > _NAMED else ""
        errors.print(f"nothing in {', '.join(without[:_NAMED])}{more}", markup=False)


def _pages(folder: Path) -> dict[str, Path]:
    if not folder.is_dir():
        raise RequestInvalid(f"no such folder: `{folder}`")
    found: dict[str, Path] = {}
    for path in sorted(folder.iterdir()):
        ending = next((ending for ending in _ENDINGS if path.name.lower().endswith(ending)), None)
        if ending is None or not path.is_file():
            continue
        name = path.name[: -len(ending)]
        if name in found:
            raise RequestInvalid(f"two pages are called `{name}`: `{found[name].name}` and `{path.name}`")
        found[name] = path
    if not found:
        raise RequestInvalid(f"no .html or .html.gz file in `{folder}`")
    return found


def _read(path: Path) -> bytes | None:
    """The file's bytes, one more than a page may have at most; None where it cannot be read."""
    most = 4 * LARGEST_PAGE + 1
    try:
        if path.suffix.lower() == ".gz":
            with gzip.open(path) as packed:
                return packed.read(most)
        with path.open("rb") as plain:
            return plain.read(most)
    except (OSError, EOFError, zlib.error):
        return None
