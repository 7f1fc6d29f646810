"""Reading a request's arguments into the input model of a capability."""

from __future__ import annotations

from typing import TypeVar

from pydantic import ValidationError

from ..kernel.errors import RequestInvalid
from ..kernel.noun import Noun
from ..kernel.request import ResearchRequest

__all__ = ["read_arguments"]

N = TypeVar("N", bound=Noun)


def read_arguments(model: type[N], request: ResearchRequest) -> N:
    """The typed arguments.

    Raises:
        RequestInvalid: names the first argument that is wrong.
    """
    try:
        return model.model_validate(dict(request.arguments))
    except ValidationError as exc:
        first = exc.errors(include_url=False, include_input=False)[0]
        name = ".".join(map(str, first["loc"]))
        said = str(first["msg"]).removeprefix("Value error, ")
        where = f"argument `{name}` is wrong" if name else "the arguments do not fit"
        raise RequestInvalid(f"{where}: {said[:1].lower()}{said[1:]}") from exc
