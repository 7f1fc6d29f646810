"""Hold the HTTP door against its own OpenAPI document: schemathesis makes requests, right and wrong, and reads answers.

`python -m scripts.openapi_trial [EXAMPLES]` starts the real server with scripted tools, asks every operation with as
many generated requests (40), and prints one JSON document; exit code 1 where an answer is a 5xx that the document does
not name, or does not fit its schema.
"""

from __future__ import annotations

import itertools
import json
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import schemathesis
from hypothesis import HealthCheck, Phase, given, settings
from schemathesis.checks import not_a_server_error
from schemathesis.generation import GenerationMode
from schemathesis.specs.openapi.checks import (
    content_type_conformance,
    response_schema_conformance,
    status_code_conformance,
)
from tests.chat.serving import SCRIPTED, bearer, make_key, served

__all__ = ["main"]

_CHECKS = (not_a_server_error, status_code_conformance, content_type_conformance, response_schema_conformance)
_KEYS = 60


def main() -> int:
    """Ask and print."""
    examples = int(sys.argv[1]) if len(sys.argv) > 1 else 40
    with tempfile.TemporaryDirectory() as folder, served(Path(folder), program=SCRIPTED) as one:
        # A key has a request limit; so many keys have none that matters here.
        keys = [make_key(one.data, f"u{number}", scopes=("chat", "operator")) for number in range(_KEYS)]
        headers = itertools.cycle([bearer(key) for key in keys])
        document = one.client().get("/openapi.json").json()
        rows = dict(_tried(document, one.url, headers, examples))
        said = [line for line in one.said if "unexpected" in line or "Traceback" in line]
    faults = {name: row["fault"] for name, row in rows.items() if row["fault"]}
    told = {"operations": len(rows), "requests": sum(row["requests"] for row in rows.values()), "statuses": _sums(rows)}
    print(json.dumps({**told, "faults": faults, "said": said}, indent=2))
    return int(bool(faults or said or len(rows) < 20))


def _tried(
    document: dict[str, Any], url: str, headers: Iterator[dict[str, str]], examples: int
) -> Iterator[tuple[str, dict[str, Any]]]:
    schema = schemathesis.openapi.from_dict(document)
    schema.config.update(base_url=url)
    for found in schema.get_all_operations():
        operation = found.ok()
        row: dict[str, Any] = {"requests": 0, "statuses": {}, "fault": ""}
        for mode in (GenerationMode.POSITIVE, GenerationMode.NEGATIVE):
            try:
                _one(operation, mode, headers, examples, row)
            except (Exception, BaseExceptionGroup) as exc:  # noqa: BLE001  whatever a check or a client raises is a finding
                row["fault"] = str(exc)[:600] or type(exc).__name__
        yield f"{operation.method.upper()} {operation.path}", row


def _one(operation: Any, mode: GenerationMode, headers: Iterator[dict[str, str]], examples: int, row: Any) -> None:
    @settings(
        max_examples=examples,
        deadline=None,
        derandomize=True,
        database=None,
        phases=(Phase.generate,),
        suppress_health_check=list(HealthCheck),
    )
    @given(case=operation.as_strategy(generation_mode=mode))
    def asked(case: Any) -> None:
        response = case.call(headers=next(headers), timeout=60)
        row["requests"] += 1
        status = str(response.status_code)
        row["statuses"][status] = row["statuses"].get(status, 0) + 1
        case.validate_response(response, checks=_CHECKS)

    asked()


def _sums(rows: dict[str, dict[str, Any]]) -> dict[str, int]:
    found: dict[str, int] = {}
    for row in rows.values():
        for status, count in row["statuses"].items():
            found[status] = found.get(status, 0) + count
    return dict(sorted(found.items()))


if __name__ == "__main__":
    sys.exit(main())
