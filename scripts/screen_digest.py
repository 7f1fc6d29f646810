"""One digest of all verdicts of the screen over three Pythons: rules' examples, samples, hostile texts, corpora."""

from __future__ import annotations

import hashlib
import json
import os
import sys
from collections.abc import Iterator

from benchmarks.corpora import injection_files, injection_rows
from benchmarks.hostile_texts import hostile_texts

from app.research.injection import InjectionScreen, RuleSet
from app.system.contract_files import read_rules, samples_dir
from scripts.programs import ended

SIZE = 2_000


def texts(rules: RuleSet) -> Iterator[str]:
    """Everything that is judged, in a fixed order."""
    for rule in (*rules.rules, rules.handover):
        yield from (*rule.hits, *rule.near_misses)
    for path in sorted(samples_dir().iterdir()):
        if path.is_file():
            yield path.read_text(encoding="utf-8")
    yield from (text for _, text in hostile_texts(rules, SIZE))
    for name in injection_files():
        yield from (row.text for row in injection_rows(name))


def digest() -> dict[str, object]:
    """What this Python finds, in one number."""
    rules = RuleSet.parse(read_rules())
    screen = InjectionScreen(rules)
    whole = hashlib.sha256()
    count = 0
    for text in texts(rules):
        screening = screen.screen(text)
        told = [[one.rule_id, one.start, one.end, one.disguised, one.mentioned] for one in screening.directives]
        whole.update(json.dumps([told, screening.carriers]).encode())
        count += 1
    return {"python": f"{sys.version_info[0]}.{sys.version_info[1]}", "texts": count, "digest": whole.hexdigest()}


def main() -> int:
    """Exit code 1 when two Pythons or two hash seeds disagree, 2 when one of them is not here."""
    if "--here" in sys.argv:
        print(json.dumps(digest()))
        return 0
    from scripts.determinism import HASH_SEEDS, PYTHONS, ROOT, NotEvaluated, prepare

    found = []
    for version in PYTHONS:
        try:
            python = prepare(version, os.environ)
        except NotEvaluated as exc:
            print(exc, file=sys.stderr)
            return 2
        for seed in HASH_SEEDS[:2]:
            env = {**os.environ, "PYTHONHASHSEED": seed, "PYTHONPATH": f"{ROOT / 'backend'}{os.pathsep}{ROOT}"}
            line = [str(python), "-m", "scripts.screen_digest", "--here"]
            done = ended(line, cwd=ROOT, env=env)
            done.check_returncode()
            found.append({"seed": seed, **json.loads(done.stdout)})
            print(json.dumps(found[-1]))
    return int(len({one["digest"] for one in found}) != 1)


if __name__ == "__main__":
    sys.exit(main())
