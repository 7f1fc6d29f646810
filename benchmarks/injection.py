"""Rates and speed of the injection screen: recall per kind, false alarms per file, MB/s beside yara, hostile texts.

python -m benchmarks.injection             table and JSON on stdout
python -m benchmarks.injection --write     also write docs/injection-rates.json, from which the documents are made
python -m benchmarks.injection --rates     rates only
"""

from __future__ import annotations

import json
import sys
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import yara

from app.research.injection import InjectionScreen, RuleSet
from app.screen.fold import fold
from app.system.contract_files import read_rules
from benchmarks.corpora import injection_files, injection_rows, other_honest_texts, trigger_of
from benchmarks.disturbances import disturbed
from benchmarks.fakers import FAKES
from benchmarks.hostile_texts import hostile_texts, ordinary_text
from benchmarks.phrases import literal_phrases

ROOT = Path(__file__).parents[1]
FIGURES = ROOT / "docs" / "injection-rates.json"
BY_SOURCE = ROOT / "docs" / "injection-by-source.json"
FRESH = ROOT / "benchmarks" / "data" / "injection-fresh.jsonl"
FRESH_2 = ROOT / "benchmarks" / "data" / "injection-fresh-2.jsonl"
FRESH_3 = ROOT / "benchmarks" / "data" / "injection-fresh-3.jsonl"
VALIDATION = ROOT / "scripts" / "training" / "acts-validation.json"
PAGES = ("aeb_article_benign", "aeb_pagetext_benign")
TEN_MB = 10_000_000
ROUNDS = 5


def rates(screen: InjectionScreen) -> dict[str, Any]:
    """Flagged and all rows, by file and by kind."""
    found: dict[str, Any] = {}
    for name in injection_files():
        kinds: dict[str, list[int]] = {}
        for row in injection_rows(name):
            count = kinds.setdefault(row.kind, [0, 0])
            count[0] += screen.screen(row.text).flagged
            count[1] += 1
        found[name] = {
            "flagged": sum(hit for hit, _ in kinds.values()),
            "rows": sum(rows for _, rows in kinds.values()),
            **({"kinds": dict(sorted(kinds.items()))} if 1 < len(kinds) < 30 else {}),
        }
    triggers = [trigger_of(row.text) for row in injection_rows("tasktracker_train_attack")]
    found["tasktracker_trigger_only"] = _counted(screen, triggers)
    return found


def held_out(screen: InjectionScreen) -> dict[str, Any]:
    """Honest texts of other folders; the catalogue says which of them the weights were fitted on."""
    return {name: _counted(screen, texts) for name, texts in other_honest_texts().items()}


def faked(screen: InjectionScreen) -> dict[str, Any]:
    """Recall against attackers who dress their directive as a quotation: what the rule on mentions costs."""
    plain = [row.text for row in injection_rows("obfuscated_attack") if row.kind == "plain"]
    return {name: _counted(screen, [fake(text) for text in plain]) for name, fake in FAKES.items()}


def fresh(screen: InjectionScreen, path: Path) -> dict[str, Any]:
    """Texts of our own that were never tuned on."""
    rows = [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines()]
    return {
        label: _counted(screen, [row["text"] for row in rows if row["label"] == label])
        for label in ("attack", "benign")
    }


def validation(screen: InjectionScreen) -> dict[str, Any]:
    """The framings of our own sentences that are not fitted on; choices were made with their totals in view."""
    document = json.loads(VALIDATION.read_text(encoding="utf-8"))
    return {
        label: _counted(screen, [text for texts in document[label].values() for text in texts])
        for label in ("attack", "honest")
    }


def left_out() -> Iterator[str]:
    """What was found in sources that the weights were not fitted on, as `scripts.train_windows` wrote it."""
    for name, halves in json.loads(BY_SOURCE.read_text(encoding="utf-8"))["views"].items():
        for half, found in halves.items():
            alarms = "  ".join(f"{group} {_percent(found[group])}" for group in ("ordinary", "hard", "about"))
            for corpus in ("by_source", "older"):
                part = found[corpus]
                recall = "  ".join(f"{cue} {_percent(part[cue])}" for cue in ("all", "explicit", "implicit"))
                mean = f"mean over sources {part['mean_per_mille'] / 10}"
                yield f"{name}, {half}, {corpus}: false alarms {alarms}; recall {recall}  {mean}"


def _percent(counts: list[int]) -> str:
    return f"{100 * counts[0] / counts[1]:.2f} %" if counts[1] else "-"


def speed(screen: InjectionScreen, rules: RuleSet) -> dict[str, Any]:
    """Ten megabytes of pages: our fold and match, the whole screen, and yara on the rules' literal phrases."""
    pages = [row.text for name in PAGES for row in injection_rows(name)]
    if not pages:
        return {}
    texts: list[str] = []
    size = 0
    while size < TEN_MB:
        texts += pages
        size = sum(len(text.encode("utf-8", "surrogatepass")) for text in texts)
    encoded = [text.encode("utf-8", "surrogatepass") for text in texts]
    phrases = literal_phrases(rules)
    matcher = yara.compile(source=_yara_rule(phrases))
    folds = [fold(text).data for text in texts]
    series: dict[str, list[float]] = {"fold": [], "match": [], "whole_screen": [], "yara": []}
    for _ in range(ROUNDS):
        series["fold"].append(_mb_per_s(size, lambda: [fold(text) for text in texts]))
        series["match"].append(_mb_per_s(size, lambda: [screen.matches(data) for data in folds]))
        series["whole_screen"].append(_mb_per_s(size, lambda: [screen.screen(text) for text in texts]))
        series["yara"].append(_mb_per_s(size, lambda: [matcher.match(data=data) for data in encoded]))
    both = [round(1 / (1 / f + 1 / m), 1) for f, m in zip(series["fold"], series["match"], strict=True)]
    return {
        "bytes": size,
        "phrases": len(phrases),
        "mb_per_s": {**series, "fold_and_match": both},
        "ratio_to_yara": [round(b / y, 2) for b, y in zip(both, series["yara"], strict=True)],
    }


def hostile(screen: InjectionScreen, rules: RuleSet) -> dict[str, Any]:
    """Nanoseconds per byte at 200 kB and 2 MB, and beside ordinary text."""

    def cost(text: str) -> float:
        return 1000 / _mb_per_s(len(text.encode("utf-8", "surrogatepass")), lambda: screen.screen(text))

    ordinary = min(cost(ordinary_text(2_000_000)) for _ in range(3))
    kinds = {}
    small = dict(hostile_texts(rules, 200_000))
    for name, text in hostile_texts(rules, 2_000_000):
        # The best of three at either size: one pause of the machine would look like growth.
        low, high = (min(cost(one) for _ in range(3)) for one in (small[name], text))
        kinds[name] = {
            "ns_per_byte": [round(low), round(high)],
            "growth": round(high / low, 2),
            "to_ordinary": round(high / ordinary, 1),
        }
    return {
        "kinds": len(kinds),
        "ordinary_ns_per_byte": round(ordinary, 1),
        "most_growth": max(kind["growth"] for kind in kinds.values()),
        "most_to_ordinary": max(kind["to_ordinary"] for kind in kinds.values()),
        "by_kind": kinds,
    }


def _counted(screen: InjectionScreen, texts: list[str]) -> dict[str, int]:
    return {"flagged": sum(screen.screen(text).flagged for text in texts), "rows": len(texts)}


def _mb_per_s(size: int, work: Callable[[], object]) -> float:
    started = time.process_time_ns()
    work()
    return round(size * 1000 / max(1, time.process_time_ns() - started), 2)


def _yara_rule(phrases: list[str]) -> str:
    lines = []
    for number, phrase in enumerate(phrases):
        if phrase.isascii() and not set(phrase) & set('"\\\n\r\t'):
            lines.append(f'    $s{number} = "{phrase}" nocase')
        else:
            lines.append(f"    $s{number} = {{ {phrase.encode('utf-8').hex(' ')} }}")
    return "rule phrases {\n  strings:\n" + "\n".join(lines) + "\n  condition: any of them\n}\n"


def _table(figures: dict[str, Any]) -> Iterator[str]:
    parts = ("rates", "held_out", "faked", "disturbed", "fresh", "fresh_2", "fresh_3", "validation")
    for name, counts in ((name, counts) for part in parts for name, counts in figures[part].items()):
        yield f"{name:44s} {counts['flagged']:5d} of {counts['rows']:5d}  {counts['flagged'] / counts['rows']:.3f}"
        for kind, (hit, rows) in counts.get("kinds", {}).items():
            yield f"    {kind:44s} {hit:4d} of {rows:4d}"


def main() -> int:
    """Exit code 2 where the corpora are not at hand."""
    if not injection_files():
        print("the corpora are not beside this checkout: set PORTCULLIS_CORPORA", file=sys.stderr)
        return 2
    rules = RuleSet.parse(read_rules())
    screen = InjectionScreen(rules)
    figures: dict[str, Any] = {
        "rules": rules.version,
        "digest": rules.digest,
        "rates": rates(screen),
        "held_out": held_out(screen),
        "faked": faked(screen),
        "disturbed": disturbed(screen),
        "fresh": fresh(screen, FRESH),
        "fresh_2": fresh(screen, FRESH_2),
        "fresh_3": fresh(screen, FRESH_3),
        "validation": validation(screen),
    }
    print("\n".join(left_out()))
    print("\n".join(_table(figures)))
    if "--rates" not in sys.argv:
        figures["speed"] = speed(screen, rules)
        figures["hostile"] = hostile(screen, rules)
        print(f"fold and match / yara: {figures['speed']['ratio_to_yara']}  {figures['speed']['mb_per_s']}")
        print(
            f"hostile: {figures['hostile']['kinds']} kinds, growth at most {figures['hostile']['most_growth']}, "
            f"at most {figures['hostile']['most_to_ordinary']} times ordinary text"
        )
    print(json.dumps(figures))
    if "--write" in sys.argv and "--rates" in sys.argv and FIGURES.is_file():
        # The times of the last whole run stay.
        before = json.loads(FIGURES.read_text(encoding="utf-8"))
        figures.update({part: before[part] for part in ("speed", "hostile")})
    if "--write" in sys.argv:
        FIGURES.write_text(json.dumps(figures, indent=1) + "\n", encoding="utf-8")
    return 0


if __name__ == "__main__":
    sys.exit(main())
