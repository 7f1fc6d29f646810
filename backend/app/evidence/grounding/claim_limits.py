"""How far a sentence goes beside its evidence: duties and permissions, `all` and `some`, doubts, bounds, ranges."""

from __future__ import annotations

import re
from collections.abc import Sequence
from itertools import pairwise
from typing import Final

from .claim_vocabulary import NEGATORS, WEAK_NEGATORS
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
_MAY: Final = _set(
    "may can might could allowed permitted optional voluntary voluntarily darf dürfen kann können erlaubt freiwillig "
    "peut peuvent autorisé facultatif puede pueden permitido opcional può possono mag mogen kan kunnen pode podem"
)
"""Words of permission."""
_IF: Final = _set("if when whenever provided")
_UNLESS: Final = _set("unless except")
_BEGIN: Final = _set("from since")
_END: Final = _set("until till")
_FROM_TO: Final = re.compile(r"\b(?:from|since)\b(?:\W+\w+){1,4}?\W+(?:to|until|till)\b", re.IGNORECASE)
_RANGE: Final = _set("to or and - \u2013")
_WILL: Final = _set("will shall wird werden sera seront será serán sarà saranno zal zullen")
_RANGE_LEADS: Final = {"between": ("and",), "from": ("to", "until"), "zwischen": ("und",), "von": ("bis",),
                       "entre": ("et", "y"), "de": ("à",), "desde": ("hasta",)}  # fmt: skip
_RANGE_NAMES: Final = _set(
    "january february march april may june july august september october november december monday tuesday wednesday "
    "thursday friday saturday sunday spring summer autumn winter morning noon evening night midnight januar februar "
    "märz mai juni juli oktober dezember montag dienstag mittwoch donnerstag freitag samstag sonntag janvier février "
    "mars avril juin juillet août septembre octobre novembre décembre lundi mardi mercredi jeudi vendredi samedi "
    "dimanche enero febrero marzo abril mayo junio julio agosto septiembre octubre noviembre diciembre lunes martes "
    "miércoles jueves viernes sábado domingo"
)
"""What a range in time begins and ends with; of other things, such as two towns, either may stand first."""
_REACH: Final = 3


def keeps_limits(line: ReadClaim, evidence: Sequence[ReadClaim]) -> bool:
    """True if the sentence says no more than its evidence: no duty, no `all`, no certainty and no bound of its own."""
    said, there = _lows(line), frozenset[str]().union(*(_lows(one) for one in evidence))
    if (said & _STRONG_MUST and not there & _MUST) or (said & _STRONG and not there & _ALL):
        return False
    if there & _DOUBTS and not said & _HEDGES and _doubted(line, evidence):
        return False
    if _without_its_unless(line, evidence) or _counts_otherwise(line, evidence) or _begins_for_ends(line, evidence):
        return False
    if _other_duty(line, evidence) or _ranges(line) & {(end, begin) for one in evidence for begin, end in _ranges(one)}:
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


def _other_duty(line: ReadClaim, evidence: Sequence[ReadClaim]) -> bool:
    """True if a duty of the nearest sentence is a permission in the line, or the other way round."""
    near = max((len(one.content & line.content) for one in evidence), default=0)
    nearest = [_lows(one) for one in evidence if near and len(one.content & line.content) == near]
    said = _lows(line)
    weaker = said & _MAY and not said & _MUST and all(one & _STRONG_MUST and not one & _MAY for one in nearest)
    stronger = said & _WILL and not said & _HEDGES and all(one & _MAY and not one & _WILL for one in nearest)
    return bool(nearest) and bool(weaker or stronger)


def _without_its_unless(line: ReadClaim, evidence: Sequence[ReadClaim]) -> bool:
    """True if `if` stands without a `not` where the evidence says `unless`."""
    said, there = _lows(line), frozenset[str]().union(*(_lows(one) for one in evidence))
    return (
        "unless" in there and not there & _IF and bool(said & _IF) and not said & (NEGATORS | WEAK_NEGATORS | _UNLESS)
    )


def _begins_for_ends(line: ReadClaim, evidence: Sequence[ReadClaim]) -> bool:
    """True if the line names the begin where the evidence names the end, or the other way round: `from` for `until`."""
    if any(_FROM_TO.search(one.text) for one in (line, *evidence)):
        return False
    said, there = _lows(line), frozenset[str]().union(*(_lows(one) for one in evidence))
    one = said & _BEGIN and not said & _END and there & _END and not there & _BEGIN
    other = said & _END and not said & _BEGIN and there & _BEGIN and not there & _END
    return bool(one or other)


def _counts_otherwise(line: ReadClaim, evidence: Sequence[ReadClaim]) -> bool:
    """True if another number stands before a word than in the evidence: 80 cycles for 800 cycles."""
    known: dict[str, set[str]] = {}
    for one in evidence:
        for number, counted in _counted(one):
            known.setdefault(counted, set()).add(number)
    return any(number not in known.get(counted, (number,)) for number, counted in _counted(line))


def _counted(claim: ReadClaim) -> list[tuple[str, str]]:
    """Every number with the word that it counts, also behind the end of its range: six to eight loaves."""
    found: list[tuple[str, str]] = []
    waiting: list[str] = []
    for token in claim.tokens:
        if token.kind == "number":
            waiting.append(token.stem)
        elif token.text.lower() not in _RANGE:
            if token.kind == "word":
                found += [(number, token.stem) for number in waiting]
            waiting = []
    return found


def _ranges(claim: ReadClaim) -> frozenset[tuple[str, str]]:
    """Begin and end of every range in time: from Tuesday to Sunday, between April and September."""
    lows = [token.text.lower() for token in claim.tokens]
    return frozenset(
        (begin, end)
        for lead, begin, link, end in zip(lows, lows[1:], lows[2:], lows[3:], strict=False)
        if link in _RANGE_LEADS.get(lead, ()) and begin in _RANGE_NAMES and end in _RANGE_NAMES
    )


def _lows(claim: ReadClaim) -> frozenset[str]:
    """Every word; `has to` is a duty."""
    lows = [token.text.lower() for token in claim.tokens if token.kind != "name"]  # May is no permission
    duty = any(low in ("has", "have", "had", "needs", "need") and behind == "to" for low, behind in pairwise(lows))
    return frozenset((*lows, "must")) if duty else frozenset(lows)


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
