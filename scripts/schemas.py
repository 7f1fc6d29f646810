"""Export the JSON Schemas of the public types into `contracts/18.0.0/schema/`; `--check` only compares."""

from __future__ import annotations

import json
import sys
from typing import Any

from pydantic import BaseModel

from app.capabilities.answers.research_models import ResearchConstraints, ResearchResult
from app.cli.failure import CliFailure
from app.kernel.caps import CapsTable, PolicyCaps
from app.kernel.catalog import ToolTable
from app.kernel.contract import ActionTable, StopTable
from app.kernel.document_index import IndexReport
from app.kernel.failure import Failure
from app.kernel.health import Health
from app.kernel.outcome import ResearchOutcome, SourceBundle
from app.kernel.request import Grant, Principal, ResearchRequest
from app.kernel.results import RawResult, Source
from app.research.audience import CallerView, EndUserView
from app.research.injection import RuleSet
from app.system.contract_files import contract_dir

MODELS: dict[str, type[BaseModel]] = {
    "action_table": ActionTable,
    "caller_view": CallerView,
    "caps_table": CapsTable,
    "cli_failure": CliFailure,
    "end_user_view": EndUserView,
    "failure": Failure,
    "grant": Grant,
    "health": Health,
    "index_report": IndexReport,
    "policy_caps": PolicyCaps,
    "principal": Principal,
    "raw_result": RawResult,
    "research_constraints": ResearchConstraints,
    "research_outcome": ResearchOutcome,
    "research_request": ResearchRequest,
    "research_result": ResearchResult,
    "rule_set": RuleSet,
    "source": Source,
    "source_bundle": SourceBundle,
    "stop_table": StopTable,
    "tool_table": ToolTable,
}


def rendered(model: type[BaseModel]) -> str:
    """The schema as the file holds it."""
    schema: dict[str, Any] = {"$schema": "https://json-schema.org/draft/2020-12/schema", **model.model_json_schema()}
    return json.dumps(schema, indent=2, sort_keys=True) + "\n"


def main() -> int:
    """Exit code 1 when `--check` finds a difference."""
    folder = contract_dir() / "schema"
    folder.mkdir(exist_ok=True)
    stale = []
    for name, model in MODELS.items():
        path = folder / f"{name}.json"
        if not path.is_file() or path.read_text(encoding="utf-8") != rendered(model):
            stale.append(path.name)
            if "--check" not in sys.argv:
                path.write_text(rendered(model), encoding="utf-8")
    print(f"{len(MODELS)} schemas, {len(stale)} different: {', '.join(stale) or 'none'}")
    return int(bool(stale) and "--check" in sys.argv)


if __name__ == "__main__":
    sys.exit(main())
