"""The inputs of a check: what its row declares, and what its steps bring with them."""

from __future__ import annotations

import hashlib
import json

from scripts.inputs.declared import Checkout, Declared, Inputs

from .functions import MODULES
from .manifest import Check, Command, Function, Tests

__all__ = ["declared_by", "inputs_of", "row_digest"]

_PRODUCT = "app.cli.main"


def declared_by(check: Check) -> Declared:
    """With the modules that commands and functions of the row start, and the packages of its tools."""
    executes, packages = list(check.inputs.executes), list(check.inputs.packages)
    for step in check.steps:
        match step:
            case Function(name=name) if name in MODULES:
                executes.append(MODULES[name])
            case Command(line=["python", "-m", module, *_]):
                executes.append(module)
            case Command(line=["portcullis", *_]):
                executes.append(_PRODUCT)
            case Command(line=[tool, *_]):
                packages.append(tool)
            case Tests():
                packages.append("pytest")
    return check.inputs.model_copy(update={"executes": tuple(executes), "packages": tuple(packages)})


def inputs_of(checkout: Checkout, check: Check) -> Inputs:
    """As they are now."""
    return checkout.inputs(declared_by(check), check.paths)


def row_digest(check: Check) -> str:
    """Over everything that the row says: a changed floor, command or claim is another check."""
    return hashlib.sha256(json.dumps(check.model_dump(mode="json"), sort_keys=True).encode()).hexdigest()
