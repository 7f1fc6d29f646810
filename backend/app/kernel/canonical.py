"""Canonical JSON (RFC 8785) and the digests over it: the only bytes that are ever hashed."""

from __future__ import annotations

import hashlib
from collections.abc import Mapping

import rfc8785
from pydantic import BaseModel

from .errors import ContractViolation

__all__ = ["JsonValue", "canonical_bytes", "digest_of", "sha256_hex"]

JsonValue = None | bool | int | str | list["JsonValue"] | tuple["JsonValue", ...] | Mapping[str, "JsonValue"]


def canonical_bytes(value: JsonValue | BaseModel) -> bytes:
    """The RFC 8785 bytes of a value; floats and integers beyond 2**53 are refused."""
    plain = value.model_dump(mode="json") if isinstance(value, BaseModel) else value
    _refuse_floats(plain)
    try:
        return rfc8785.dumps(plain)
    except (rfc8785.CanonicalizationError, UnicodeEncodeError) as exc:
        raise ContractViolation("value has no canonical form") from exc


def digest_of(value: JsonValue | BaseModel) -> str:
    """The sha256 over the canonical bytes, in hex."""
    return sha256_hex(canonical_bytes(value))


def sha256_hex(data: bytes) -> str:
    """The sha256 of raw bytes, in hex."""
    return hashlib.sha256(data).hexdigest()


def _refuse_floats(value: object) -> None:
    if isinstance(value, float):
        raise ContractViolation("a float has no place in hashed bytes")
    if isinstance(value, Mapping):
        for item in value.values():
            _refuse_floats(item)
    elif isinstance(value, list | tuple):
        for item in value:
            _refuse_floats(item)
