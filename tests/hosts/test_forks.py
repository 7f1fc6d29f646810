"""A gate that was opened before a fork refuses in the child, with a word, and goes on in the parent."""

from __future__ import annotations

import json
import subprocess
import sys
import textwrap

import pytest
from tests.hosts.test_threads import SAMPLES

HOST = """
    import asyncio, json, os, sys
    from pathlib import Path
    from app import Settings, StoreUnusable, open_gate, read_principal, read_request

    data, samples, first = Path(sys.argv[1]), sys.argv[2], sys.argv[3]
    request = read_request(question="How long should sourdough proof in the fridge?")

    def who(name):
        return read_principal(tenant="local", user=name, tier="PRO", collections=("documents",))

    def asked(router, name):
        return asyncio.run(router.run(request, who(name))).verdict.stop.name

    runner = asyncio.Runner()
    gate = open_gate(samples, settings=Settings(data_dir=data, environment="prod"))
    router = runner.run(gate.__aenter__())
    told = {}
    if first == "asked":
        told["before"] = asked(router, "anna")
    child = os.fork()
    if not child:
        refused = []
        for attempt in (
            lambda: router.run(request, who("ben")),
            lambda: router.run(request, who("ben"), session_key="k"),
            lambda: router.call("ask_documents", {"question": "why?"}, who("ben")),
        ):
            try:
                asyncio.run(attempt())
            except StoreUnusable as exc:
                refused.append(str(exc))
        asyncio.run(gate.__aexit__(None, None, None))  # as a child does that leaves the block

        async def anew():
            async with open_gate(samples, settings=Settings(data_dir=data, environment="prod")) as own:
                return (await own.run(request, who("cleo"))).verdict.stop.name

        print(json.dumps({"refused": refused, "anew": asyncio.run(anew())}), flush=True)
        os._exit(0)
    os.waitpid(child, 0)
    told["after"] = [asked(router, f"user-{number}") for number in range(3)]
    runner.run(gate.__aexit__(None, None, None))
    print(json.dumps(told), flush=True)
"""


@pytest.mark.parametrize("first", ["asked", "cold"])
def test_a_gate_opened_before_a_fork(tmp_path, first):
    line = [sys.executable, "-c", textwrap.dedent(HOST), str(tmp_path), str(SAMPLES), first]
    done = subprocess.run(line, capture_output=True, text=True, timeout=120)
    assert done.returncode == 0, done.stderr
    child, parent = map(json.loads, done.stdout.splitlines())
    assert len(child["refused"]) == 3
    assert all("open a gate in each process, after the fork" in message for message in child["refused"])
    assert child["refused"][0] in done.stderr, "the logger `portcullis` says it, too"
    assert child["anew"] == "SUCCESS_COMPLETED"
    assert parent.pop("before", "SUCCESS_COMPLETED") == "SUCCESS_COMPLETED"
    assert parent == {"after": ["SUCCESS_COMPLETED"] * 3}
