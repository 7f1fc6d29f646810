"""MCP resources: the lenses, large results by link, and for operators the numbers and the health of this door."""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, Final

import mcp_types as types

from ..kernel.request import Principal
from .artifacts import ARTIFACT_URI, Artifacts

__all__ = ["ResourceViews", "View"]

_MIME: Final = "application/json"
_OPERATOR: Final = "operator"


@dataclass(frozen=True, slots=True)
class View:
    """One resource that is made when it is read."""

    uri: str
    name: str
    description: str
    read: Callable[[Principal], Any]
    operators_only: bool = True

    def open_to(self, principal: Principal) -> bool:
        """Whether it exists for a principal."""
        return not self.operators_only or _OPERATOR in principal.scopes


class ResourceViews:
    """Lists and reads resources; what a principal may not see is not there."""

    def __init__(self, views: tuple[View, ...], artifacts: Artifacts) -> None:
        self._views = views
        self._artifacts = artifacts

    def listed(self, principal: Principal) -> list[types.Resource]:
        """The resources with a fixed address."""
        return [
            types.Resource(uri=view.uri, name=view.name, description=view.description, mime_type=_MIME)
            for view in self._views
            if view.open_to(principal)
        ]

    def templates(self) -> list[types.ResourceTemplate]:
        """The one template: large results."""
        about = "A large result, for 30 minutes after the call that made it."
        template = types.ResourceTemplate(
            uri_template=f"{ARTIFACT_URI}{{id}}", name="Research artifact", description=about, mime_type=_MIME
        )
        return [template]

    def read(self, uri: str, principal: Principal) -> str | None:
        """The text of a resource; None where it does not exist for this principal."""
        if uri.startswith(ARTIFACT_URI):
            found = self._artifacts.get(principal.tenant, uri.removeprefix(ARTIFACT_URI))
            return None if found is None else found.decode()
        view = next((view for view in self._views if view.uri == uri and view.open_to(principal)), None)
        return None if view is None else json.dumps(view.read(principal), ensure_ascii=False, indent=2)
