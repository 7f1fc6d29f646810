"""Documents are read in a process that can be killed, and one bad file costs nobody else anything."""

from __future__ import annotations

import os
import threading
import time

import pytest
from tests.fixtures.office import docx, pdf

from app.kernel.errors import StoreUnusable
from app.parsing.document import LARGEST_FILE, ParsedDocument, Refusal, parse_document
from app.system.stores.documents.index import open_index
from app.tools.sandbox.host.document_reading import ReaderProcess, open_reader
from app.tools.sandbox.spec import ParserSpec

PAGE = b"# Rye\n\nRye bread keeps.\n\n<!-- aside -->\n"
LONG_S = 60  # far more than anything here takes, far less than the parsers that never end


@pytest.fixture(scope="module")
def reader():
    spec = ParserSpec(parser="tests.fixtures.odd_parsers:misbehaving", cpu_limit_s=1, wall_limit_ms=4_000)
    with ReaderProcess(spec) as opened:
        yield opened


def text_of(answer):
    assert isinstance(answer, ParsedDocument)
    return answer.text


@pytest.mark.parametrize("name", ["a.md", "a.txt", "a.html", "caf\u00e9 \U0001f35e.md"])
def test_the_process_reads_as_the_parser_does(reader, name):
    assert reader(PAGE, name) == parse_document(PAGE, name)
    assert reader(b"", name) is Refusal.EMPTY
    assert reader(b"a\0b\0c", name) is Refusal.BINARY


@pytest.mark.parametrize(
    ("data", "name"),
    [(pdf(["Rye keeps."]), "a.pdf"), (docx("<w:p><w:r><w:t>Rye keeps.</w:t></w:r></w:p>"), "a.docx")],
    ids=["pdf", "docx"],
)
def test_the_process_reads_what_needs_a_library(data, name):
    with open_reader() as reader:
        assert text_of(reader(data, name)) == "Rye keeps."
        assert reader(data[: len(data) // 2], name) in (Refusal.UNREADABLE, Refusal.EMPTY)
        assert text_of(reader(PAGE, "a.md"))


def test_files_that_are_refused_by_name_or_size_are_not_sent():
    with ReaderProcess(ParserSpec(parser="nowhere:nothing")) as reader:
        assert reader(b"x", "a.exe") is Refusal.UNSUPPORTED
        assert reader(b"x" * (LARGEST_FILE + 1), "a.md") is Refusal.TOO_LARGE
        assert reader.pid is None


@pytest.mark.parametrize(
    ("deed", "refusal"),
    [
        ("spin", "too_slow"),
        ("sleep", "too_slow"),
        ("eat", "unreadable"),
        ("crash", "unreadable"),
        ("exit", "unreadable"),
        ("raise", "unreadable"),
        ("lie", "unreadable"),
    ],
)
def test_a_bad_file_gets_its_name_and_the_next_one_is_read(reader, deed, refusal):
    started = time.monotonic()
    assert reader(deed.encode(), "a.txt") == Refusal(refusal)
    assert text_of(reader(b"good", "a.txt")) == "good"
    assert time.monotonic() - started < LONG_S


def test_a_process_is_used_again_and_replaced_after_its_share():
    spec = ParserSpec(parser="tests.fixtures.odd_parsers:misbehaving", documents_per_process=2)
    with ReaderProcess(spec) as reader:
        pids = [text_of(reader(b"pid", "a.txt")) for _ in range(4)]
        assert pids[0] == pids[1] != pids[2] == pids[3]
    assert reader.pid is None


def test_nothing_of_the_hosts_environment_goes_in(reader, monkeypatch):
    monkeypatch.setenv("SECRET_TOKEN", "x")
    assert "SECRET" not in text_of(reader(b"environment", "a.txt"))


def test_a_process_that_somebody_else_kills_convicts_no_file(reader):
    assert text_of(reader(b"good", "a.txt")) == "good"
    assert reader.pid is not None
    os.kill(reader.pid, 9)
    assert text_of(reader(b"good", "a.txt")) == "good"


def test_a_reader_that_cannot_start_is_a_fault_of_the_machine_not_of_the_file():
    with ReaderProcess(ParserSpec(parser="nowhere:nothing")) as reader, pytest.raises(StoreUnusable):
        reader(b"x", "a.txt")


def test_closing_from_another_thread_ends_the_reading():
    reader = ReaderProcess(ParserSpec(parser="tests.fixtures.odd_parsers:misbehaving", wall_limit_ms=600_000))
    assert text_of(reader(b"good", "a.txt")) == "good"
    started = time.monotonic()
    threading.Timer(0.3, reader.close).start()
    with pytest.raises(StoreUnusable):
        reader(b"sleep", "a.txt")
    assert time.monotonic() - started < LONG_S
    with pytest.raises(StoreUnusable):
        reader(b"good", "a.txt")


def test_a_hostile_file_is_skipped_once_and_the_others_are_indexed(tmp_path, reader):
    folder = tmp_path / "pages"
    folder.mkdir()
    for name, text in (("a.txt", "rye bread"), ("b.txt", "crash"), ("c.txt", "spin"), ("d.txt", "rye cake")):
        (folder / name).write_text(text)
    tried = []

    def parse(data, name, /):
        tried.append(name)
        return reader(data, name)

    index = open_index(folder, tmp_path / "state", parse=parse)
    report = index.refresh()
    assert [(skip.path, skip.reason) for skip in report.skipped] == [("b.txt", "unreadable"), ("c.txt", "too_slow")]
    assert {hit.path for hit in index.search("rye", 5)} == {"a.txt", "d.txt"}
    assert index.refresh().skipped == report.skipped
    index.close()
    assert tried == ["a.txt", "b.txt", "c.txt", "d.txt"]


def test_an_unchanged_folder_starts_no_process(tmp_path):
    folder = tmp_path / "pages"
    folder.mkdir()
    (folder / "a.txt").write_text("rye bread")
    with ReaderProcess() as reader:
        index = open_index(folder, tmp_path / "state", parse=reader)
        index.refresh()
        assert reader.pid is not None
        index.close()
    with ReaderProcess(ParserSpec(parser="nowhere:nothing")) as reader:
        index = open_index(folder, tmp_path / "state", parse=reader)
        assert index.refresh().unchanged == 1
        assert reader.pid is None
        index.close()


def test_many_files_are_read_ahead_and_answered_in_order(reader):
    names = [f"{n}.{suffix}" for n in range(150) for suffix in ("md", "txt", "html", "exe")]
    taken = []

    def files():
        for name in names:
            taken.append(name)
            yield f"# {name}\n\nRye {name}.".encode(), name

    answers = reader.each(files())
    first = next(answers)
    assert 1 < len(taken) < len(names)
    assert [first, *answers] == [parse_document(f"# {name}\n\nRye {name}.".encode(), name) for name in names]


def test_large_files_ahead_of_each_other_block_nobody(reader):
    files = [(bytes([65 + n % 26]) * 900_000, f"{n}.txt") for n in range(8)]
    assert list(reader.each(files)) == [parse_document(*file) for file in files]


def test_a_bad_file_among_many_is_the_only_one_that_is_lost(reader):
    deeds = [b"good", b"crash", b"good again", b"spin", b"raise", b"lie", b"exit", b"and good"]
    found = list(reader.each([(deed, "a.txt") for deed in deeds]))
    assert [answer.text if isinstance(answer, ParsedDocument) else answer.value for answer in found] == [
        "good", "unreadable", "good again", "too_slow", "unreadable", "unreadable", "unreadable", "and good",
    ]  # fmt: skip


def test_processes_are_replaced_in_the_middle_of_many_files():
    spec = ParserSpec(parser="tests.fixtures.odd_parsers:misbehaving", documents_per_process=3)
    with ReaderProcess(spec) as reader:
        pids = [text_of(answer) for answer in reader.each([(b"pid", "a.txt")] * 8)]
    assert [pids.count(pid) for pid in dict.fromkeys(pids)] == [3, 3, 2]


def test_answers_that_nobody_waits_for_are_not_taken_for_others(reader):
    answers = reader.each([(b"one", "a.txt"), (b"two", "a.txt"), (b"three", "a.txt")])
    assert text_of(next(answers)) == "one"
    answers.close()
    assert text_of(reader(b"other", "a.txt")) == "other"


def test_an_error_of_who_gives_the_files_passes_and_the_reader_goes_on(reader):
    def files():
        yield b"one", "a.txt"
        raise OSError("the disk is gone")

    with pytest.raises(OSError, match="disk"):
        list(reader.each(files()))
    assert text_of(reader(b"other", "a.txt")) == "other"


def test_the_same_bytes_are_sent_once_and_every_file_is_indexed(tmp_path, reader):
    folder = tmp_path / "pages"
    folder.mkdir()
    for number in range(40):
        (folder / f"{number:02d}.txt").write_text(f"rye bread {number % 5}")
    sent = []

    class Watched:
        def __call__(self, data, name, /):
            raise AssertionError("one by one")

        def each(self, documents, /):
            def watched():
                for document in documents:
                    sent.append(document)
                    yield document

            return reader.each(watched())

    index = open_index(folder, tmp_path / "state", parse=Watched())
    assert index.refresh().documents == 40
    assert len(sent) == 5
    assert len(index.search("rye", 50)) >= 5
    index.close()
