"""Write the digests of the golden cases again; a change in anything but a digest is refused and printed as a case."""

from __future__ import annotations

import json
import sys

from tests.golden.cases import case_files, play, read_case

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
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
