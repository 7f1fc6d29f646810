"""Each guide is followed literally in a copy of the checkout: what it adds works, and it changes few files."""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

from tests.guides.checkout import ROOT, Copy, Past
from tests.guides.following import AddLines, Command, NewFile, follow, steps_of

DOCS = ROOT / "docs"
IN_HOUSE, OF_A_HOST = "## A tool that ships with the product", "## A tool of your own backend"
FROZEN = ("backend/app/kernel/", "backend/app/research/", "contracts/", "scripts/", "importlinter.ini")
CHECK = Command("make check")
WRITES = ("make seal-catalog", "make readme", "make provider-page", "make mcp-page")
TABLE_OF_TOOLS = "docs/mcp.md"
MOST_OF_A_PROVIDER, MOST_OF_A_CAPABILITY = 4, 3
# Lines of `make check` about files that no guide touches.
ELSEWHERE = {"tests/typing/api.py", "scripts/guard", "scripts.fold_tables", "scripts.rule_catalogue"}


def _text(name: str) -> str:
    return (DOCS / f"{name}.md").read_text(encoding="utf-8")


def _in_house() -> str:
    return _text("adding-a-tool").partition(IN_HOUSE)[2].partition(OF_A_HOST)[0]


GUIDES = {
    "a provider": steps_of(_text("adding-a-provider")),
    "a capability": steps_of(_text("adding-a-capability")),
    "a tool": steps_of(_in_house()),
}


@pytest.fixture
def copy(tmp_path):
    return Copy(tmp_path / "checkout")


def _told(guide: str) -> int:
    """How many files the README says that following a guide changes."""
    row = re.compile(rf"^\| [^|]+ \| (\d+)[^|]*\| \[[^]]+\]\(docs/{guide}\.md\) \|$", re.MULTILINE)
    (count,) = row.findall((ROOT / "README.md").read_text(encoding="utf-8"))
    return int(count)


def _followed(copy: Copy, what: str) -> tuple[dict[str, str], list[str]]:
    """Outputs and changed files; `make check` takes longest and runs once, on all guides together."""
    assert GUIDES[what][-1] == CHECK
    outputs = follow(GUIDES[what], copy.folder, copy.env, skip=lambda step: step == CHECK)
    changed = copy.changed()
    print(f"adding {what}: {len(changed)} files: {', '.join(changed)}")
    assert [name for name in changed if name.startswith(FROZEN)] == []
    return outputs, changed


def test_adding_a_provider(copy):
    outputs, changed = _followed(copy, "a provider")
    assert len(changed) == _told("adding-a-provider") <= MOST_OF_A_PROVIDER
    assert "almanac" in outputs[".venv/bin/portcullis providers"]
    read = json.loads(outputs[".venv/bin/portcullis parse --provider almanac rye.json"])
    assert (read["kind"], [result["url"] for result in read["results"]]) == ("baking", ["https://almanac.example/rye"])


def test_adding_a_capability(copy):
    outputs, changed = _followed(copy, "a capability")
    by_hand = [name for name in changed if name != TABLE_OF_TOOLS]
    assert len(by_hand) == _told("adding-a-capability") <= MOST_OF_A_CAPABILITY
    assert "find_article" in outputs[".venv/bin/portcullis capabilities"]
    shown = json.loads(outputs[".venv/bin/portcullis capabilities find_article"])
    assert (shown["tools"], sorted(shown["input_schema"]["properties"])) == (["services"], ["limit", "question"])
    refused = [json.loads(said)["error"]["kind"] for line, said in outputs.items() if " call " in line]
    assert refused == ["config", "validation"]


def test_adding_a_tool(copy):
    outputs, changed = _followed(copy, "a tool")
    assert len(changed) == _told("adding-a-tool")
    assert "README.md" in changed
    assert json.loads(outputs[".venv/bin/portcullis capabilities define_term"])["tools"] == ["glossary"]


@pytest.mark.ruling("R22")
def test_all_guides_together_pass_the_checks_and_leave_old_sessions_as_they_were(copy):
    past = Past(copy)
    for steps in GUIDES.values():
        follow(steps, copy.folder, copy.env, skip=lambda step: step.line not in WRITES)
    past.check()
    _check(copy)


def _check(copy: Copy) -> None:
    """The lines of `make check`. A comparison that fails must fail here in the same words: no guide is the cause."""
    dry = ["make", "--dry-run", "check"]
    recipe = subprocess.run(dry, cwd=copy.folder, env=copy.env, capture_output=True, text=True, check=True)
    lines = [line.removeprefix(".venv/bin/").split() for line in recipe.stdout.splitlines()]
    assert {words[0] for words in lines} == {"ruff", "mypy", "lint-imports", "python"}
    assert ["python", "-m", "scripts.guard"] in lines
    for words in (words for words in lines if not ELSEWHERE & set(words)):
        done = copy.run(*words)
        if done.returncode:
            assert words[:2] == ["python", "-m"], done.stdout + done.stderr
            here = subprocess.run([sys.executable, *words[1:]], cwd=ROOT, capture_output=True, text=True)
            assert done.stdout == here.stdout


@pytest.mark.ruling("R24")
def test_a_host_brings_a_tool(tmp_path):
    """The second half of the guide in an empty folder: package, documents, caps, program and what it prints."""
    steps = steps_of(_text("adding-a-tool").partition(OF_A_HOST)[2])
    beside = str(Path(sys.executable).parent)
    env = {"PATH": f"{beside}:{os.environ['PATH']}", "HOME": str(tmp_path), "PYTHONPATH": str(ROOT / "backend")}
    outputs = follow(steps, tmp_path, env)
    assert "custom caps" in outputs["portcullis caps --check caps.json"]
    assert steps[-1].output == outputs["python -m acme.ask"]
    assert [step.path for step in steps if isinstance(step, NewFile)] == ["acme/orders.py", "acme/ask.py"]


def test_guides_quote_messages_that_exist():
    """Every message in a table of errors stands in the code; `…` is what a message fills in."""
    sources = [*(ROOT / "backend" / "app").rglob("*.py"), *(ROOT / "scripts").rglob("*.py"), ROOT / "importlinter.ini"]
    code = "\n".join(path.read_text(encoding="utf-8") for path in sources)
    # A message may be put together from several literals.
    code = re.sub(r'"\s*\n\s*f?"', "", code).replace("{PROVIDERS_FILE}", "providers.json")
    quoted = []
    for name in ("adding-a-provider", "adding-a-capability", "adding-a-tool"):
        for table in re.findall(r"^\| you see \|.*\n\|[-|]+\n((?:\|.*\n)+)", _text(name), re.MULTILINE):
            quoted += [row.split(" | ")[0] for row in table.splitlines()]
    messages = [said for row in quoted for said in re.findall(r"`([^`]+)`", row) if not said.startswith("portcullis ")]
    fragments = [part.strip(" ,") for said in messages for part in said.split("…")]
    assert len(quoted) >= 20
    assert [part for part in fragments if part and part not in code] == []


def test_edits_are_few():
    """Apart from catalogue, registry and toolbox no file that exists is edited by hand."""
    edited = {step.path for steps in GUIDES.values() for step in steps if isinstance(step, AddLines)}
    assert edited == {
        "backend/app/capabilities/registry.py",
        "backend/app/tools/toolbox.py",
        "catalog/providers.json",
        "catalog/tools.json",
    }
