"""`bench retrieval` on small collections of our own, and on SciFact where it is at hand."""

from __future__ import annotations

import gzip
import json
import os
from contextlib import redirect_stderr, redirect_stdout
from io import StringIO
from pathlib import Path
from types import SimpleNamespace

import pytest

from app.cli.bench import bench_retrieval

DOCUMENTS = [
    {"_id": "d/1", "title": "Rye", "text": "Rye bread is dark and dense."},
    {"_id": "d 2", "title": "", "text": "Wheat bread is light."},
    {"_id": "3", "title": "Oats", "text": "Oat porridge for breakfast."},
]
QUERIES = [
    {"_id": "q1", "text": "dark rye"},
    {"_id": "q2", "text": "light wheat bread"},
    {"_id": "q3", "text": "unjudged"},
]
JUDGED = [("q1", "d/1", "1"), ("q2", "d 2", "2"), ("q2", "3", "0")]


def lines(records):
    return "".join(json.dumps(record) + "\n" for record in records).encode()


def lay_out(folder, *, packed=False, qrels="qrels/test.tsv", header=True, columns=3):
    folder.mkdir(exist_ok=True)
    for name, data in (("corpus.jsonl", lines(DOCUMENTS)), ("queries.jsonl", lines(QUERIES))):
        path = folder / (name + ".gz" if packed else name)
        path.write_bytes(gzip.compress(data) if packed else data)
    rows = [("query-id", "corpus-id", "score")] if header else []
    rows += [row if columns == 3 else (row[0], "0", *row[1:]) for row in JUDGED]
    (folder / qrels).parent.mkdir(exist_ok=True)
    (folder / qrels).write_text("".join("\t".join(row) + "\n" for row in rows))
    return folder


def bench(*arguments):
    given = dict(zip(arguments[::2], arguments[1::2], strict=True))
    out, err = StringIO(), StringIO()
    with redirect_stdout(out), redirect_stderr(err):
        code = bench_retrieval(given["--beir"], given.get("--run"))
    return SimpleNamespace(exit_code=code, stdout=out.getvalue(), stderr=err.getvalue())


@pytest.mark.parametrize(
    "layout",
    [{}, {"packed": True}, {"qrels": "qrels.tsv", "header": False}, {"columns": 4, "header": False}],
    ids=["plain", "packed", "no header", "four columns"],
)
def test_one_json_document_and_trec_lines(tmp_path, layout):
    result = bench("--beir", lay_out(tmp_path / "set", **layout), "--run", tmp_path / "run.txt")
    assert result.exit_code == 0, result.stderr
    figures = json.loads(result.stdout)
    assert (figures["ndcg_at_10"], figures["recall_at_100"]) == (1.0, 1.0)
    assert (figures["docs"], figures["queries"]) == (3, 2)
    assert figures["p50_ms"] > 0
    ranked = [line.split(" ") for line in (tmp_path / "run.txt").read_text().splitlines()]
    assert ranked[0][:4] == ["q1", "Q0", "d/1", "1"]
    assert all(float(row[-2]) > 0 and row[-1] == "portcullis" for row in ranked)


def test_a_question_that_is_a_document_does_not_find_itself(tmp_path):
    folder = lay_out(tmp_path / "set")
    (folder / "queries.jsonl").write_bytes(lines([{"_id": "d 2", "text": "Wheat bread is light."}]))
    (folder / "qrels/test.tsv").write_text("d 2\td/1\t1\n")
    result = bench("--beir", folder)
    assert json.loads(result.stdout)["ndcg_at_10"] == 1.0


def broken(name, content):
    def apply(folder):
        if content is None:
            (folder / name).unlink()
        else:
            (folder / name).write_bytes(content)

    return apply


@pytest.mark.parametrize(
    ("breakage", "message"),
    [
        (broken("corpus.jsonl", None), "has no corpus.jsonl"),
        (broken("queries.jsonl", None), "has no queries.jsonl"),
        (broken("qrels/test.tsv", None), "has no qrels/test.tsv"),
        (broken("corpus.jsonl", b'{"_id": "a"\n'), "line 1 is not JSON"),
        (broken("corpus.jsonl", b"[]\n"), "line 1 is not a JSON object"),
        (broken("corpus.jsonl", b'{"text": "a"}\n'), "line 1 has no _id"),
        (broken("corpus.jsonl", b""), "no documents"),
        (broken("corpus.jsonl", b'{"_id": "a"}\n{"_id": "a"}\n'), "two documents of one id"),
        (broken("corpus.jsonl", b"\xff\xfe"), "cannot be read"),
        (broken("corpus.jsonl.gz", b"no gzip"), ""),
        (broken("queries.jsonl", b'{"_id": "zz", "text": "x"}\n'), "is not among the queries"),
        (broken("qrels/test.tsv", b"q1\td/1\n"), "has 2 columns"),
        (broken("qrels/test.tsv", b"q1\td/1\t1\nq1\td/1\tx\n"), "line 2 has no grade"),
        (broken("qrels/test.tsv", b"q1\td/1\t0\n"), "no question"),
    ],
)
def test_broken_collections_are_named(tmp_path, breakage, message):
    folder = lay_out(tmp_path / "set")
    breakage(folder)
    if not message:
        (folder / "corpus.jsonl").unlink()
        message = "cannot be read"
    result = bench("--beir", folder)
    assert result.exit_code == 2
    assert result.stdout == ""
    assert message in result.stderr


def test_a_folder_that_is_not_there(tmp_path):
    result = bench("--beir", tmp_path / "nowhere")
    assert result.exit_code == 2
    assert "does not exist" in result.stderr


def test_scifact_reaches_its_target():
    named = os.environ.get("PORTCULLIS_CORPORA")
    corpora = Path(named) if named else Path(__file__).resolve().parents[3].parent / "shared" / "corpora"
    if not (corpora / "retrieval" / "scifact").is_dir():
        pytest.skip("the corpora are not here: set PORTCULLIS_CORPORA to measure SciFact")
    result = bench("--beir", corpora / "retrieval" / "scifact")
    figures = json.loads(result.stdout)
    assert figures["ndcg_at_10"] >= 0.69
    assert figures["recall_at_100"] >= 0.9
    assert (figures["docs"], figures["queries"]) == (5183, 300)
