"""Texts that would act in a careless page; each would set `window.taken` if it ran."""

from __future__ import annotations

__all__ = ["BODIES", "FILE_NAMES", "QUESTIONS", "TITLES"]

_RUN = "window.taken=1"
QUESTIONS = (
    f"<script>{_RUN}</script> How long does rye bread keep?",
    f'"><img src=x onerror="{_RUN}"> rye bread storing',
    f"'-{_RUN}-' {{{{ 7*7 }}}} {{% raw %}} rye bread",
    f"</textarea><svg onload={_RUN}> rye bread keeps",
    f"javascript:{_RUN} rye bread \u202edaerb",
)
TITLES = (
    f"<script>{_RUN}</script> Pumpernickel",
    f'Pumpernickel" onfocus="{_RUN}" autofocus x="',
    f"</title></svg><iframe srcdoc='<script>parent.{_RUN}</script>'>",
    "${7*7} #{7*7} {{7*7}} <%= 7*7 %> pumpernickel " + "very long title " * 20,
)
FILE_NAMES = (
    f'"><img src=x onerror={_RUN}>.md',
    f"'onmouseover='{_RUN}'.md",
    "javascript:alert(1).md",
    "&lt;b&gt;not markup&amp;.md",
)
BODIES = (
    f"Pumpernickel keeps for ten days. <script>{_RUN}</script> It is baked for sixteen hours at a low heat.",
    f'Pumpernickel is dark. <img src="x" onerror="{_RUN}"> <a href="javascript:{_RUN}">Pumpernickel crust</a> is thin.',
    f"Pumpernickel dough rests. ]]><svg/onload={_RUN}> <math><mtext></mtext></math> Pumpernickel is cut thin.",
    f"Pumpernickel is sweet. </mark></blockquote><details open ontoggle={_RUN}> Pumpernickel has whole grains.",
)
