"""Writes the main content of a page, as clean text and as Markdown."""

from __future__ import annotations

import re
from typing import Final

from .blocks import Block
from .inline import inline_markdown
from .main_content import Content
from .markdown_tables import data_table
from .tree import Node

__all__ = ["written"]

_DEEPEST_LIST: Final = 6
_DEEPEST_QUOTE: Final = 3
_FENCES: Final = re.compile(r"`{3,}")
_LANGUAGE: Final = re.compile(r"(?:^|\s)(?:lang|language|highlight-source)-([A-Za-z0-9+#-]{1,20})(?:\s|$)")


class _Sheet:
    """Pieces with the gaps between them."""

    def __init__(self) -> None:
        self._parts: list[str] = []

    def add(self, gap: str, text: str) -> None:
        if self._parts:
            self._parts.append(gap)
        self._parts.append(text)

    def text(self) -> str:
        return "".join(self._parts)


def written(content: Content, nodes: list[Node], base: str) -> tuple[str, str]:
    """Clean text and Markdown; tables of data are Markdown tables in both."""
    text, markdown = _Sheet(), _Sheet()
    numbers: dict[int, int] = {}
    tables: dict[int, str | None] = {}
    before: Block | None = None
    for block in content.blocks:
        if block.table > content.root:
            if block.table not in tables:
                table = data_table(nodes, block.table, base)
                tables[block.table] = None if table is None else table.markdown()
                if table is not None:
                    text.add("\n\n", table.markdown())
                    markdown.add("\n\n", table.markdown())
                    before = block
            if tables[block.table] is not None:
                continue
        same_line = before is not None and before.within == block.within and before.table == block.table
        in_list = before is not None and before.item >= 0 and block.item >= 0
        opens = block.item >= 0 and (before is None or before.item != block.item)
        if opens:
            numbers[block.list_at] = numbers.get(block.list_at, 0) + 1
        text.add("\n" if same_line or (in_list and opens) else "\n\n", f"- {block.text}" if opens else block.text)
        gap = "  \n" if same_line and not opens else "\n" if in_list and opens else "\n\n"
        markdown.add(gap, _block(block, nodes, base, numbers.get(block.list_at, 1), opens=opens))
        before = block
    return text.text(), markdown.text()


def _block(block: Block, nodes: list[Node], base: str, number: int, *, opens: bool) -> str:
    if block.pre:
        return _quoted(block, _code(block, nodes))
    line = inline_markdown(nodes, block.start, block.end, block.within, base) or block.text
    if block.level:
        line = f"{'#' * block.level} {line}"
    if block.item >= 0:
        indent = "  " * (min(block.lists, _DEEPEST_LIST) - 1) if block.lists else ""
        ordered = block.list_at >= 0 and nodes[block.list_at].tag == "ol"
        mark = f"{number}. " if ordered else "- "
        line = f"{indent}{mark}{line}" if opens else f"{indent}{' ' * len(mark)}{line}"
    return _quoted(block, line)


def _code(block: Block, nodes: list[Node]) -> str:
    longest = max((len(run) for run in _FENCES.findall(block.text)), default=2)
    fence = "`" * (longest + 1)
    within = nodes[block.within]
    named = _LANGUAGE.search(within.attributes.get("class") or "")
    if named is None and within.end > within.at + 1:
        inner = next((node for node in nodes[within.at + 1 : within.at + 3] if node.tag == "code"), None)
        named = _LANGUAGE.search(inner.attributes.get("class") or "") if inner is not None else None
    return f"{fence}{named.group(1) if named else ''}\n{block.text}\n{fence}"


def _quoted(block: Block, text: str) -> str:
    if not block.quotes:
        return text
    mark = "> " * min(block.quotes, _DEEPEST_QUOTE)
    return "\n".join(f"{mark}{line}".rstrip() for line in text.split("\n"))
