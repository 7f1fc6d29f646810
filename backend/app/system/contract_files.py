"""The frozen files: find `contracts/18.0.0` and the rule file, and read them into their types."""

from __future__ import annotations

from pathlib import Path
from typing import Final, TypeVar

from pydantic import ValidationError

from ..kernel.caps import CapsTable, CapsUnusable
from ..kernel.contract import ActionTable, ContractData, StopTable
from ..kernel.errors import ContractViolation
from ..kernel.models import FrozenModel

__all__ = ["CONTRACT_VERSION", "contract_dir", "read_contract", "read_rules", "samples_dir", "shipped"]

CONTRACT_VERSION: Final = "18.0.0"
RULES_FILE: Final = "injection-2.json"
CONCEPTS_FILE: Final = "concepts-1.json"
WEIGHTS_FILE: Final = "weights-1.json"
_PACKAGE: Final = Path(__file__).resolve().parents[1]

N = TypeVar("N", bound=FrozenModel)


def contract_dir() -> Path:
    """The contract's folder: inside the package once it is built or vendored, beside `backend/` in a checkout."""
    return shipped("contracts") / CONTRACT_VERSION


def samples_dir() -> Path:
    """The sample documents that ship with the product."""
    return shipped("samples") / "bread"


def read_rules() -> str:
    """The text of the injection rules, with the concepts and the weights of the window scorer."""
    folder = _PACKAGE / "screen" / "rules"
    # Every character counts towards the digest of the rules, those behind the last bracket, too.
    rules, _, rest = (folder / RULES_FILE).read_text(encoding="utf-8").rpartition("}")
    concepts = (folder / CONCEPTS_FILE).read_text(encoding="utf-8")
    weights = (folder / WEIGHTS_FILE).read_text(encoding="utf-8")
    return f'{rules}, "lexicon": {concepts}, "window": {weights}}}{rest}'


def read_contract(folder: Path | None = None) -> ContractData:
    """Read the frozen tables.

    Raises:
        ContractViolation: stops or actions cannot be read. Caps that cannot be read disable research (R13).
    """
    folder = folder or contract_dir()
    stops = _table(folder / "stop_reasons.json", StopTable)
    return ContractData(
        version=stops.contract_version,
        stops=stops,
        actions=_table(folder / "actions.json", ActionTable),
        caps=_caps(folder / "caps.json"),
    )


def _caps(path: Path) -> CapsTable | CapsUnusable:
    try:
        return _table(path, CapsTable)
    except ContractViolation as exc:
        return CapsUnusable(why=str(exc))


def _table(path: Path, kind: type[N]) -> N:
    try:
        return kind.model_validate_json(path.read_bytes())
    except (OSError, ValidationError) as exc:
        raise ContractViolation(f"{path.name} of the contract cannot be read") from exc


def shipped(name: str) -> Path:
    """A folder of data that ships with the product: inside the package, or at the root of a checkout."""
    inside = _PACKAGE / name
    return inside if inside.is_dir() else _PACKAGE.parent.parent / name
