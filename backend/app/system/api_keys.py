"""API keys: who may come through a door on the network, and as whom."""

from __future__ import annotations

from typing import Annotated, Final, Literal

from pydantic import Field, StringConstraints

from ..kernel.models import FrozenModel, Identifier
from ..kernel.request import Principal, read_principal

__all__ = ["KEY_SCOPES", "ApiKey", "KeyDialect", "KeyId"]

KEY_SCOPES: Final = ("chat", "operator", "admin")
"""`chat` asks, `operator` sees what the gate did and why; `admin` is reserved for a door that makes keys, and no door
asks for it: keys are made on the command line."""
KeyDialect = Literal["standard", "openwebui"]
"""`openwebui`: progress and excerpts as events that Open WebUI shows; other clients do not understand them."""
KeyId = Annotated[str, StringConstraints(pattern=r"^[0-9a-f]{12}$")]


class ApiKey(FrozenModel):
    """What is known of a key; its secret part is not among it."""

    key_id: KeyId
    tenant: Identifier
    user: Identifier
    tier: Identifier
    collections: tuple[Identifier, ...] = ()
    scopes: Annotated[tuple[Identifier, ...], Field(min_length=1)]
    dialect: KeyDialect = "standard"
    sources_block: bool = True
    """False: the HTTP door adds no list of sources to the text, for clients that show them by themselves."""
    created_at_ms: Annotated[int, Field(ge=0)]
    revoked_at_ms: Annotated[int, Field(ge=0)] | None = None
    ends_at_ms: Annotated[int, Field(ge=0)] | None = None
    """From when on it is not valid any more; None: until it is revoked."""

    @property
    def principal(self) -> Principal:
        """Whoever holds the key, as the gate knows them."""
        return read_principal(
            tenant=self.tenant, user=self.user, tier=self.tier, scopes=self.scopes, collections=self.collections
        )

    def valid_at(self, now_ms: int) -> bool:
        """Whether it still opens anything."""
        return self.revoked_at_ms is None and (self.ends_at_ms is None or now_ms < self.ends_at_ms)

    def revoked(self, at_ms: int | None) -> ApiKey:
        """The same key, revoked at a moment; None where it is valid."""
        return ApiKey.model_validate({**dict(self), "revoked_at_ms": at_ms})
