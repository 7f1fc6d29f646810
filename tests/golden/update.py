"""Write the digests of the golden cases again; a change in anything but a digest is refused and printed as a case."""

from __future__ import annotations

import json
import sys

from tests.golden.cases import case_files, play, read_case
from tests.searches.search_cases import play_search, search_case_files

SHOWN = 2


def main() -> int:
    """Exit code 1 when a case now ends in another way."""
    wrong = 0
    for path in case_files():
        case = read_case(path)
        _, got = play(case)
        if {**got, "digest": ""} != {**case["want"], "digest": ""}:
            wrong += 1
            print(f"{path.name} ends differently", file=sys.stderr)
            if wrong <= SHOWN:
                print(json.dumps({**case, "want": got}, indent=2), file=sys.stderr)
            continue
        if got["digest"] != case["want"]["digest"]:
            case["want"]["digest"] = got["digest"]
            path.write_text(json.dumps(case, indent=2, ensure_ascii=False) + "\n", encoding="utf-8")
            print(f"updated {path.name}")
    return 1 if wrong + _update_searches() else 0


def _update_searches() -> int:
    """The same for the cases of the search capabilities, whose output has a digest of its own."""
    wrong = 0
    for path in search_case_files():
        case = read_case(path)
        _, got, output = play_search(case)
        now = {**case["want"], **got}
        if {**now, "digest": "", "output": ""} != {**case["want"], "digest": "", "output": ""}:
            wrong += 1
            print(f"{path.name} ends differently: {json.dumps(output)[:2000]}", file=sys.stderr)
        elif now != case["want"]:
            case["want"] = now
            path.write_text(json.dumps(case, indent=2, ensure_ascii=False) + "\n", encoding="utf-8")
            print(f"updated {path.name}")
    return wrong


if __name__ == "__main__":
    sys.exit(main())
