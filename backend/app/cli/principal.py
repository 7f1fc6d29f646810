"""Who asks on the command line: the operator of this machine."""

from __future__ import annotations

from ..kernel.errors import RequestInvalid
from ..kernel.request import Principal, read_principal
from ..research.audience import OPERATOR_SCOPE
from .options import TIERS

__all__ = ["local_principal"]


def local_principal(tier: str) -> Principal:
    """The local user with the operator's scope.

    Raises:
        RequestInvalid: there is no such tier.
    """
    if tier not in TIERS:
        raise RequestInvalid(f"tier `{tier}` is not one of {', '.join(TIERS)}")
    return read_principal(tenant="local", user="local", tier=tier, scopes=(OPERATOR_SCOPE,), collections=("documents",))
