"""Lines and settings that loosen a rule."""

from __future__ import annotations

import re
import tomllib
from pathlib import Path
from typing import Any

from scripts.certify.results import Found

__all__ = ["exemptions"]

# What loosens a rule for one line or block, and how it looks when it says why: codes, then words.
EXEMPTIONS = {
    "noqa": (re.compile(r"#\s*noqa\b"), re.compile(r"# noqa: [A-Z]+\d+(?:, ?[A-Z]+\d+)*\s+(?:[-#] )?\w+ \w+")),
    "type_ignore": (re.compile(r"#\s*type:\s*ignore"), re.compile(r"# type: ignore\[[a-z-]+\]\s+# \w+ \w+")),
    "no_cover": (re.compile(r"#\s*pragma:\s*no"), re.compile(r"(?!)")),
    "lint_off": (re.compile(r"#\s*(?:ruff:|mypy:|fmt:\s*off|flake8:|nosec|isort:\s*skip)"), re.compile(r"(?!)")),
}
EXEMPTED = ("backend", "scripts", "tests", "benchmarks")
# Settings that keep the other checks sharp.
STRICT = {
    "mypy.strict": True,
    "mypy.warn_unreachable": True,
    "mypy.packages": ["app"],
    "pytest.ini_options.addopts": "-ra --strict-markers --strict-config -p no:cacheprovider",
    "pytest.ini_options.xfail_strict": True,
    "pytest.ini_options.filterwarnings": ["error"],
    "coverage.run.branch": True,
    "coverage.run.source": ["backend/app/kernel", "backend/app/research", "backend/app/screen"],
    "coverage.run.omit": None,
    "coverage.report.omit": None,
    "coverage.report.fail_under": 100,
    "coverage.report.exclude_also": ["if TYPE_CHECKING:", "assert_never\\(", "^\\s*\\.\\.\\.$"],
}


def exemptions(root: Path) -> Found:
    """Every line that loosens a rule says which rule and why; how many there are is capped by the manifest."""
    counts: dict[str, int] = {"files": 0, **dict.fromkeys(EXEMPTIONS, 0)}
    problems = []
    for path in sorted(path for name in EXEMPTED for path in (root / name).rglob("*.py")):
        if path == Path(__file__).resolve():
            continue  # spells what it looks for
        counts["files"] += 1
        for number, line in enumerate(path.read_text(encoding="utf-8").splitlines(), 1):
            for kind, (loose, reasoned) in EXEMPTIONS.items():
                if loose.search(line):
                    counts[kind] += 1
                    if not reasoned.search(line):
                        problems.append(f"{path.relative_to(root).as_posix()}:{number} loosens a rule without a reason")
    settings = tomllib.loads((root / "pyproject.toml").read_text(encoding="utf-8"))["tool"]
    lint = settings["ruff"]["lint"]
    listed = [*lint["ignore"], *lint.get("extend-ignore", ()), *settings["ruff"].get("extend-exclude", ())]
    listed += [code for codes in lint["per-file-ignores"].values() for code in codes]
    counts["settings"] = len(listed) + len(settings["mypy"].get("overrides", ()))
    problems += [
        f"pyproject.toml: {name} is not {wanted}" for name, wanted in STRICT.items() if _at(settings, name) != wanted
    ]
    return Found(counts, {}, tuple(problems))


def _at(settings: Any, name: str) -> Any:
    for word in name.split("."):
        settings = settings.get(word) if isinstance(settings, dict) else None
    return settings
