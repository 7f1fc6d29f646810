"""Write the generated tables of docs/providers.md from catalogue and code; `--check` only compares."""

from __future__ import annotations

import re
import sys
from pathlib import Path

from app.kernel.providers import ProviderEntry
from app.parsing.services.search_options import OPTION_VALUES
from app.system.provider_code import load_provider
from app.system.provider_files import read_providers

PAGE = Path(__file__).parents[1] / "docs" / "providers.md"


def providers() -> str:
    """One row per provider: what it serves, what it needs, and what it costs."""
    rows = [
        "| provider | kinds | needs | takes if set | units | at most | checked on |",
        "|---|---|---|---|---|---|---|",
    ]
    for entry in read_providers().providers:
        cells = (
            f"`{entry.name}`",
            _codes(entry.kinds),
            _needs(entry),
            _codes(entry.optional) or "-",
            f"{entry.price_units}{' (two requests)' if entry.follow_up else ''}",
            _rate(entry),
            entry.checked_on + (f"; {_codes(entry.documented)}: documentation" if entry.documented else ""),
        )
        rows.append(f"| {' | '.join(cells)} |")
    return "\n".join(rows)


def options() -> str:
    """One row per option: what may stand in it, and who knows it for which kind."""
    rows = ["| option | value | known to |", "|---|---|---|"]
    known = [(entry, load_provider(entry.name).OPTIONS) for entry in read_providers().providers]
    for name, values in OPTION_VALUES.items():
        told = []
        for entry, of_kinds in known:
            kinds = [kind for kind in entry.kinds if name in of_kinds.get(kind, ())]
            if kinds:
                told.append(f"{entry.name} ({', '.join(kinds)})")
        rows.append(f"| `{name}` | {values} | {'; '.join(told)} |")
    return "\n".join(rows)


def rendered(text: str) -> str:
    """The page with its tables as the catalogue has them."""
    for name, table in (("providers", providers()), ("options", options())):
        pattern = rf"(<!-- {name} -->\n).*?(<!-- /{name} -->)"
        text, count = re.subn(pattern, lambda m, t=table: f"{m[1]}{t}\n{m[2]}", text, flags=re.DOTALL)
        if count != 1:
            raise SystemExit(f"docs/providers.md has no place for {name}")
    return text


def _needs(entry: ProviderEntry) -> str:
    """Settings, and for an outside service without a key that the operator names it."""
    named = () if entry.url_setting or not entry.keyless else ("its name in the routing",)
    return ", ".join((*(f"`{name}`" for name in entry.settings), *named))


def _codes(names: tuple[str, ...]) -> str:
    return ", ".join(f"`{name}`" for name in names)


def _rate(entry: ProviderEntry) -> str:
    seconds = entry.rate.per_ms / 1000
    return f"{entry.rate.requests} in {seconds:g} s"


def main() -> int:
    """Exit code 1 when `--check` finds a difference."""
    before = PAGE.read_text(encoding="utf-8")
    after = rendered(before)
    if "--check" not in sys.argv:
        PAGE.write_text(after, encoding="utf-8")
    elif before != after:
        print("docs/providers.md differs from the catalogue: make provider-page")
    return int("--check" in sys.argv and before != after)


if __name__ == "__main__":
    sys.exit(main())
