"""The ranking is a function of the documents alone: any history of changes ends where a fresh index starts."""

from __future__ import annotations

import tempfile
from pathlib import Path

from hypothesis import given, settings
from hypothesis import strategies as st

from app.system.stores.documents.index import open_index

WORDS = st.sampled_from(["barley", "rye", "wheat", "oat", "soup", "bread", "the", "dark"])
TEXTS = st.lists(WORDS, min_size=1, max_size=12).map(" ".join)
PATHS = st.sampled_from(["a.txt", "b.txt", "c.md", "d/e.txt", "d/f.html"])
STEP = st.dictionaries(PATHS, TEXTS | st.none(), max_size=4)
QUESTIONS = ("barley soup", "dark rye bread", "the wheat", "oat oat barley")


def apply(folder: Path, step: dict[str, str | None]) -> None:
    for name, text in step.items():
        path = folder / name
        path.parent.mkdir(exist_ok=True)
        if text is None:
            path.unlink(missing_ok=True)
        else:
            path.write_text(text)


def answers(index):
    found = [tuple(hit.model_dump_json() for hit in index.search(question, 10)) for question in QUESTIONS]
    return found + [index.rank(question, 10) for question in QUESTIONS]


@settings(max_examples=25, deadline=None)
@given(st.lists(STEP, min_size=1, max_size=5))
def test_history_leaves_no_trace(steps):
    with tempfile.TemporaryDirectory() as scratch:
        folder = Path(scratch) / "folder"
        folder.mkdir()
        lived = open_index(folder, Path(scratch) / "lived")
        for step in steps:
            apply(folder, step)
            lived.refresh()
        fresh = open_index(folder, Path(scratch) / "fresh")
        assert lived.refresh().documents == fresh.refresh().documents
        assert answers(lived) == answers(fresh)
        lived.close()
        fresh.close()
