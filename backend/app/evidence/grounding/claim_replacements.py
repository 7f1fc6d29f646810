"""One word in the place of another: a sentence that is its evidence but for a word that means something else."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from ...parsing.text.words.languages import is_function_word
from ...parsing.text.words.tokens import words_of
from .claim_vocabulary import COORDINATORS, NEGATORS, PREPOSITIONS, SUBORDINATORS, VERB_LEADS
from .claim_words import ClaimToken, ReadClaim

__all__ = ["replaces_nothing"]

_LANGUAGE: Final = "en"
"""Only here there is a list of words that may stand for each other."""
_EDGE: Final = ""
_SMALL_WORDS: Final = (
    NEGATORS
    | VERB_LEADS
    | COORDINATORS
    | SUBORDINATORS
    | PREPOSITIONS.keys()
    | frozenset(("one", "ones", "above", "due"))
)
"""What stands in a sentence for the sake of another word: a content word in such a place says it otherwise."""
_SAME: Final = (
    "begin begins began begun start starts started commence commences commenced open opens opened launch launched",
    "end ends ended finish finishes finished conclude concludes concluded close closes closed complete completes "
    "completed expire expires expired",
    "stay stays stayed remain remains remained keep keeps kept retain retains retained persist last "
    "lasts lasted continue",
    "get gets got receive receives received obtain obtains obtained gain gains gained acquire acquires acquired earn "
    "win wins won take takes took taken",
    "buy buys bought purchase purchases purchased acquire acquires acquired takeover",
    "sell sells sold trade trades traded market",
    "fall falls fell fallen drop drops dropped decline declines declined decrease decreases decreased sink sinks sank "
    "shrink shrank dip dipped lower reduce reduces reduced cut cuts lessen slow slows slowed",
    "slow slows slowed brake brakes braked delay delays delayed hinder hinders hindered",
    "sign signs signed conclude concludes concluded enter enters entered agree agreed",
    "mean means meant intend intends intended serve serves served design designed",
    "rise rises rose risen increase increases increased grow grows grew grown climb climbs climbed go up raise raised",
    "show shows showed shown reveal reveals revealed indicate indicates indicated demonstrate demonstrates display",
    "find finds found discover discovers discovered detect detects detected identify identified",
    "need needs needed require requires required demand demands demanded call",
    "let lets allow allows allowed permit permits permitted enable enables enabled",
    "ban bans banned forbid forbids forbidden prohibit prohibits prohibited bar barred",
    "help helps helped aid aids assist assists assisted support supports supported",
    "use uses used employ employs employed apply applies applied utilise utilised",
    "make makes made produce produces produced create creates created manufacture manufactured form forms formed",
    "build builds built construct constructs constructed erect erected",
    "give gives gave given provide provides provided offer offers offered supply supplies supplied grant granted "
    "deliver delivers hand pay pays",
    "have has had possess own owns owned hold holds held contain contains contained include includes included comprise "
    "comprises consist consists feature features carry carries come comes",
    "come comes came arrive arrives arrived return returns returned appear appears reach reaches",
    "leave leaves left depart departs departed exit quit",
    "send sends sent ship ships shipped transmit transmits dispatch dispatched",
    "live lives lived dwell reside resides inhabit",
    "say says said state states stated report reports reported tell told announce announced note noted explain declare "
    "declared claim claims",
    "rule rules ruled decide decides decided judge judged hold held find found",
    "think thought believe believes consider considers regard regarded view viewed expect expects expected",
    "call calls called name names named term termed known title titled",
    "choose chose chosen select selects selected pick picks picked elect elected",
    "appoint appointed name named",
    "change changes changed alter alters altered modify modified adjust adjusted",
    "replace replaces replaced substitute substituted supersede superseded succeed succeeded",
    "move moves moved transfer transferred shift shifted relocate relocated",
    "cause causes caused trigger triggers triggered produce lead leads led bring brings provoke",
    "prevent prevents prevented stop stops stopped avoid avoids avoided halt halts halted",
    "remove removes removed delete deletes deleted eliminate eliminated discard discards discarded throw",
    "stop stops stopped discontinue discontinued cease ceases ceased halt halted abandon abandoned",
    "work works worked operate operates operated function functions run runs ran serve serves served",
    "lead leads led head heads headed direct directed chair chaired manage managed",
    "write writes wrote written author authored compose composed pen",
    "put puts place places placed lay lays laid set sets install installs installed fit fitted",
    "store stores stored keep keeps kept save saved hold",
    "check checks checked test tests tested examine examined inspect inspected verify verified",
    "protect protects protected shield guard guards guarded defend",
    "look looks seem seems appear appears",
    "ripen ripens ripened mature matures matured age ages aged",
    "eat eats ate consume consumes consumed feed feeds",
    "burn burns burned burnt scorch",
    "kill kills killed",
    "die dies died perish",
    "repair repairs repaired fix fixes fixed mend restore restored",
    "separate separates divide divides divided split splits",
    "join joins joined merge merges merged combine combines combined unite link linked connect connected",
    "cover covers covered include span spans",
    "cost costs price priced charge charged",
    "measure measures measured",
    "big large great huge major considerable substantial sizeable",
    "small little slight minor tiny slightly",
    "quick fast rapid swift quicker faster quickly rapidly swiftly promptly immediately instantly once",
    "slow slowly gradual gradually",
    "main chief principal primary key major central",
    "mainly mostly chiefly primarily largely predominantly",
    "usually normally generally typically commonly often ordinarily",
    "rarely seldom hardly infrequently",
    "about around roughly approximately nearly some almost",
    "very highly extremely especially particularly",
    "also too additionally moreover furthermore",
    "yearly annual annually year",
    "daily day",
    "monthly month",
    "weekly week",
    "old former previous earlier prior ancient",
    "new recent modern latest",
    "next following subsequent later",
    "whole entire full complete total overall",
    "same identical equal",
    "different other various distinct",
    "good fine excellent splendid suitable",
    "bad poor harmful harsh",
    "important significant crucial vital essential necessary",
    "enough sufficient adequate",
    "free complimentary gratis",
    "sick ill unwell",
    "correct right accurate",
    "wrong incorrect",
    "dangerous hazardous risky",
    "hard difficult tough",
    "easy simple straightforward",
    "people persons humans individuals inhabitants residents",
    "person someone individual anyone",
    "employees staff workers personnel",
    "pupils students",
    "children kids",
    "physician doctor doctors physicians medic",
    "car cars vehicle vehicles automobile",
    "home house houses homes dwelling",
    "firm company business firms companies enterprise",
    "town city towns cities municipality",
    "study trial research experiment studies",
    "way method manner means",
    "part portion share section piece parts",
    "kind type sort variety",
    "amount quantity volume",
    "speed pace rate",
    "aim goal purpose target objective",
    "outcome result effect results effects",
    "reason cause",
    "rule regulation law statute rules laws",
    "fee charge cost price fare",
    "salary wage pay wages",
    "illness disease sickness",
    "begin start beginning",
    "middle centre center mid",
    "area region zone district",
    "place site location spot",
    "border boundary frontier",
    "sea ocean",
    "job task work",
    "error mistake fault",
    "picture image photo photograph",
    "film movie",
    "autumn fall",
)


def _groups() -> dict[str, frozenset[int]]:
    found: dict[str, set[int]] = {}
    for number, words in enumerate(_SAME):
        for word in words.split():
            for form in (word, *words_of(word, _LANGUAGE)):
                found.setdefault(form, set()).add(number)
    return {form: frozenset(numbers) for form, numbers in found.items()}


_GROUPS: Final = _groups()


def replaces_nothing(line: ReadClaim, evidence: Sequence[ReadClaim]) -> bool:
    """False if a new word stands between the two words between which the evidence has another one, and the two do not
    mean the same: `failure in cats` for `failure in dogs`."""
    if line.language != _LANGUAGE:
        return True
    held = frozenset[str]().union(*(one.stems for one in evidence))
    said = _in_order(line)
    places = [_between(one) for one in evidence]
    for before, token, behind in _threes(said):
        if token.kind not in ("word", "name") or token.stem in held or before == behind == _EDGE:
            continue
        there = [other for place in places for other in place.get((before, behind), ()) if other.stem not in line.stems]
        if there and not any(_alike(token, other) for other in there):
            return False
    return True


def _in_order(claim: ReadClaim) -> list[ClaimToken]:
    """Every word but those that only join others."""
    return [
        token
        for token in claim.tokens
        if token.kind != "mark" and not (token.kind == "light" and is_function_word(token.text.lower(), claim.language))
    ]


def _threes(tokens: list[ClaimToken]) -> list[tuple[str, ClaimToken, str]]:
    stems = [_EDGE, *(token.stem for token in tokens), _EDGE]
    return list(zip(stems, tokens, stems[2:], strict=False))


def _between(claim: ReadClaim) -> dict[tuple[str, str], list[ClaimToken]]:
    found: dict[tuple[str, str], list[ClaimToken]] = {}
    for before, token, behind in _threes(_in_order(claim)):
        if token.kind != "number" and token.text.lower() not in _SMALL_WORDS:
            found.setdefault((before, behind), []).append(token)
    return found


def _alike(one: ClaimToken, other: ClaimToken) -> bool:
    return bool(_groups_of(one) & _groups_of(other))


def _groups_of(token: ClaimToken) -> frozenset[int]:
    return _GROUPS.get(token.text.lower(), frozenset()) | _GROUPS.get(token.stem, frozenset())
