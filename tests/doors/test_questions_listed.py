"""`sessions list --questions`: what was asked, shown to the tenant that asked it, until it is erased."""

from __future__ import annotations

import asyncio
import json

from app import Principal, Settings, open_gate, read_request
from app.system.contract_files import samples_dir
from tests.doors.command import portcullis

QUESTION = "Can I freeze bread?"


def _asked(tmp_path, question):
    return json.loads(portcullis("ask", question, "--json", data_dir=tmp_path).stdout)["session_id"]


def test_questions_are_listed_and_erased_ones_say_so(tmp_path):
    first, second = _asked(tmp_path, QUESTION), _asked(tmp_path, "Why is rye bread so dense?")
    shown = portcullis("sessions", "list", "--questions", data_dir=tmp_path).stdout.decode()
    assert QUESTION in shown
    assert "Why is rye bread so dense?" in shown
    assert QUESTION not in portcullis("sessions", "list", data_dir=tmp_path).stdout.decode()
    assert portcullis("erase", first, data_dir=tmp_path).returncode == 0
    rows = json.loads(portcullis("sessions", "list", "--questions", "--json", data_dir=tmp_path).stdout)["sessions"]
    assert {row["session_id"]: row["question"] for row in rows} == {
        first: "erased",
        second: "Why is rye bread so dense?",
    }


def test_a_question_that_the_store_has_lost_is_missing(tmp_path):
    _asked(tmp_path, QUESTION)
    for path in (tmp_path / "store").rglob("*"):
        if path.is_file():
            path.unlink()
    assert b"missing" in portcullis("sessions", "list", "--questions", data_dir=tmp_path).stdout


def test_questions_of_another_tenant_are_shown_only_by_its_name(tmp_path):
    async def by_acme():
        who = Principal(tenant="acme", user="u1", tier="PRO", collections=("documents",))
        async with open_gate(samples_dir(), settings=Settings(data_dir=tmp_path)) as router:
            await router.run(read_request(question="Which oven is the hottest?"), who)

    asyncio.run(by_acme())
    own = portcullis("sessions", "list", "--questions", data_dir=tmp_path).stdout
    assert b"no sessions" in own
    theirs = portcullis("sessions", "list", "--questions", "--tenant", "acme", data_dir=tmp_path).stdout
    assert b"Which oven is the hottest?" in theirs
