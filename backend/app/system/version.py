"""The version of the product, for whoever has to name it: the package, the command line, the fetcher's User-Agent."""

from __future__ import annotations

from typing import Final

__all__ = ["VERSION"]

VERSION: Final = "0.1.0"
