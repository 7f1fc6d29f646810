"""How far a sentence goes beside its evidence: duties, `all` and `some`, doubts, bounds and times of numbers."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from .claim_words import ReadClaim

__all__ = ["keeps_limits"]


def _set(words: str) -> frozenset[str]:
    return frozenset(words.split())


_MUST: Final = _set(
    "must shall need needs needed required requires require obliged obligation compulsory mandatory has have had "
    "muss müssen musste mussten soll sollen sollte verpflichtet pflicht doit doivent devait faut obligatoire tenu "
    "devra devront should "
    "debe deben debía hay obligatorio tiene tienen deberá deberán deve devono devi obbligatorio moet moeten verplicht "
    "devem obrigatório necessary nötig erforderlich nécessaire necesario only belongs"
)
_ALL: Final = _set(
    "all every each everyone everybody always entire entirely whole completely only solely exclusively exactly any "
    "none no alle jeder jede jedes immer ganz gesamte gesamten nur ausschließlich genau tous toutes toujours tout "
    "toute both "
    "seul seulement uniquement exactement chaque todos todas siempre todo toda solo únicamente exactamente cada tutti "
    "tutte sempre solo ogni alle altijd elke alleen steeds sempre apenas somente whoever anyone unless never"
)
_STRONG: Final = _set(
    "all every everyone everybody always entirely completely solely exclusively exactly alle jeder jede jedes immer "
    "ausschließlich genau tous toutes toujours uniquement exactement todos todas siempre únicamente exactamente tutti "
    "tutte sempre altijd proven proved proves certainly definitely bewiesen sicherlich prouvé certainement demostrado"
)
_STRONG_MUST: Final = _set(
    "must shall obliged compulsory mandatory muss müssen musste verpflichtet pflicht doit doivent obligatoire debe "
    "deben "
    "obligatorio deve devono moet moeten verplicht devem obrigatório"
)
_HEDGES: Final = _set(
    "may might could possibly perhaps probably likely suggest suggests suggested suspect suspects suspected believed "
    "thought estimated reportedly apparently allegedly seems seem appears könnte könnten möglicherweise wahrscheinlich "
    "vermutlich offenbar mutmaßlich pourrait pourraient peut-être probablement semble selon podría podrían quizás "
    "probablemente parece potrebbe forse probabilmente misschien waarschijnlijk poderia talvez provavelmente can "
    "accord according unlikely possible usually often mostly kann können peut peuvent puede pueden"
)
_DOUBTS: Final = _set(
    "might could possibly perhaps probably suspect suspects suspected allegedly reportedly apparently könnte könnten "
    "möglicherweise wahrscheinlich vermutlich mutmaßlich pourrait pourraient probablement podría podrían quizás "
    "probablemente potrebbe forse probabilmente misschien waarschijnlijk poderia talvez provavelmente"
)
_FLOOR: Final = _set(
    "least over above exceeds exceeding exceed more minimum mindestens über mehr moins-de au-moins plus más almeno "
    "oltre minstens mínimo since after from seit nach ab depuis après desde dal dopo sinds vanaf após"
)
_CEILING: Final = _set(
    "most under below less fewer within maximum up until before höchstens unter weniger maximal bis vor jusqu avant "
    "hasta "
    "máximo antes fino entro prima hoogstens tot voor até"
)
_REACH: Final = 3


def keeps_limits(line: ReadClaim, evidence: Sequence[ReadClaim]) -> bool:
    """True if the sentence says no more than its evidence: no duty, no `all`, no certainty and no bound of its own."""
    said, there = _lows(line), frozenset[str]().union(*(_lows(one) for one in evidence))
    if (said & _STRONG_MUST and not there & _MUST) or (said & _STRONG and not there & _ALL):
        return False
    if there & _DOUBTS and not said & _HEDGES and _doubted(line, evidence):
        return False
    bounds: dict[str, set[str]] = {}
    for one in evidence:
        for value, bound in _bounds(one):
            bounds.setdefault(value, set()).add(bound)
    return not any(bound and value in bounds and bounds[value] == {_OTHER[bound]} for value, bound in _bounds(line))


_OTHER: Final = {"floor": "ceiling", "ceiling": "floor"}


def _doubted(line: ReadClaim, evidence: Sequence[ReadClaim]) -> bool:
    """True if every sentence that has something in common with the line has a doubt."""
    near = [one for one in evidence if len(one.content & line.content) > 1]
    return bool(near) and all(_lows(one) & _DOUBTS for one in near)


def _lows(claim: ReadClaim) -> frozenset[str]:
    return frozenset(token.text.lower() for token in claim.tokens)


def _bounds(claim: ReadClaim) -> list[tuple[str, str]]:
    """Each number with the bound that stands before it."""
    found = []
    for at, token in enumerate(claim.tokens):
        if token.kind != "number":
            continue
        bound = ""
        for before in reversed(claim.tokens[max(0, at - _REACH) : at]):
            low = before.text.lower()
            if before.kind in ("mark", "number"):
                break
            if low in _FLOOR or low in _CEILING:
                bound = "floor" if low in _FLOOR else "ceiling"
                break
        found.append((token.stem, bound))
    return found
