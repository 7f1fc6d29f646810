"""Canonical JSON (RFC 8785) and the digests over it: the only bytes that are ever hashed."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping

import rfc8785
from pydantic import BaseModel

from .errors import ContractViolation

__all__ = ["JsonValue", "Without", "canonical_bytes", "digest_of", "sha256_hex"]

JsonValue = None | bool | int | str | list["JsonValue"] | tuple["JsonValue", ...] | Mapping[str, "JsonValue"]
Without = Mapping[str, set[str] | bool] | set[str]
"""The parts of a model that are left out, as pydantic names them."""

_INTEGER_MAX = 2**53 - 1
_ENCODER = json.JSONEncoder(sort_keys=True, ensure_ascii=False, separators=(",", ":"), allow_nan=False)


def canonical_bytes(value: JsonValue | BaseModel, without: Without | None = None) -> bytes:
    """The RFC 8785 bytes of a value, or of a model without some of its parts; floats and huge integers are refused.

    A model's fields that are at their default are left out, so that a new optional field changes no digest and no
    record. A default of a model that is hashed or recorded is therefore part of the format: it never changes.

    Without floats, and with ASCII keys, the standard library's sorted form is the canonical form and five times
    faster than the reference implementation, which is asked for everything else and in the tests.
    """
    # A model's own types rule out floats and foreign keys, so only loose values are walked.
    try:
        if isinstance(value, BaseModel):
            return _ENCODER.encode(value.model_dump(mode="json", exclude=without, exclude_defaults=True)).encode(
                "utf-8"
            )
        if not _simple(value):
            return rfc8785.dumps(value)
        return _ENCODER.encode(value).encode("utf-8")
    except (rfc8785.CanonicalizationError, UnicodeEncodeError, TypeError) as exc:
        raise ContractViolation("value has no canonical form") from exc


def digest_of(value: JsonValue | BaseModel, without: Without | None = None) -> str:
    """The sha256 over the canonical bytes, in hex."""
    return sha256_hex(canonical_bytes(value, without))


def sha256_hex(data: bytes) -> str:
    """The sha256 of raw bytes, in hex."""
    return hashlib.sha256(data).hexdigest()


def _simple(value: object) -> bool:
    """Whether the standard library writes the canonical form.

    Raises:
        ContractViolation: a float has no place in hashed bytes.
    """
    if isinstance(value, float):
        raise ContractViolation("a float has no place in hashed bytes")
    if isinstance(value, Mapping):
        keys = all(isinstance(key, str) and key.isascii() for key in value)
        return all(map(_simple, value.values())) and keys
    if isinstance(value, list | tuple):
        return all(map(_simple, value))
    return not isinstance(value, int) or -_INTEGER_MAX <= value <= _INTEGER_MAX
