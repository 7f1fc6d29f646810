"""Reading a request's arguments into the input model of a capability."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TypeVar

from pydantic import ValidationError

from ..kernel.errors import RequestInvalid
from ..kernel.noun import Noun
from ..kernel.request import ResearchRequest

__all__ = ["checked", "owned_collection", "read_arguments"]

N = TypeVar("N", bound=Noun)


def read_arguments(model: type[N], request: ResearchRequest) -> N:
    """The typed arguments.

    Raises:
        RequestInvalid: names the first argument that is wrong.
    """
    return checked(model, dict(request.arguments))


def checked(model: type[N], arguments: Mapping[str, object]) -> N:
    """The same for arguments that are no request yet.

    Raises:
        RequestInvalid: names the first argument that is wrong.
    """
    try:
        return model.model_validate(dict(arguments))
    except ValidationError as exc:
        first = exc.errors(include_url=False, include_input=False)[0]
        name = ".".join(map(str, first["loc"]))
        said = str(first["msg"]).removeprefix("Value error, ")
        where = f"argument `{name}` is wrong" if name else "the arguments do not fit"
        raise RequestInvalid(f"{where}: {said[:1].lower()}{said[1:]}") from exc


def owned_collection(request: ResearchRequest) -> None:
    """Documents are somebody's: who asks for them names the collection, so that it can be refused.

    Raises:
        RequestInvalid: the request names none.
    """
    if request.collection is None:
        raise RequestInvalid(f"capability `{request.capability}` needs a collection")
