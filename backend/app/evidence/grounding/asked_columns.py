"""Whether a row of a table gives what a question asks for in the column that is headed so."""

from __future__ import annotations

import re
from typing import Final

from ...parsing.text.words.table_columns import cells_of
from ...parsing.text.words.tokens import language_in, words_of
from .kind_of_answer import AskedKind
from .kind_patterns import VALUES

__all__ = ["given_in_column", "what_was_done"]

_LESS: Final = re.IGNORECASE
_WHO_IS: Final = re.compile(
    r"(?:who(?:['\u2019]s| is| are| was| were)|wer (?:ist|sind|war)|qui (?:est|sont|\u00e9tait)"
    r"|qui\u00e9n(?:es)? (?:es|son|era))"
    r" (?:the |our |de[rnm] |die |das |le |la |les |el |los )?(\w+)",
    _LESS,
)
_PLACES: Final = re.compile(
    r"\b(?:where|place|location|room|office|city|town|village|country|county|region|area|district|building|house|hall"
    r"|address|street|site|station|berth|floor|warehouse|store|shelf|branch|venue|port|harbour|harbor|lake|river|seat"
    r"|(?:lager|stand|fund|einsatz)?ort|regal|fach|platz|raum|zimmer|b\u00fcro|stadt|land|lager|geb\u00e4ude|adresse|stra\u00dfe|standort|halle|etage|lieu|ville|pays"
    r"|salle|bureau|b\u00e2timent|rue|si\u00e8ge|lugar|ciudad|pa\u00eds|sala|edificio|direcci\u00f3n|calle|sede)\b",
    _LESS,
)
_MEASURES: Final = tuple(
    re.compile(rf"(?:{words})$", _LESS)
    for words in (
        r"high|tall|height|hoch|h\u00f6he|haute?|hauteur|alt[oa]|altura|elevation",
        r"deep|depth|tief|tiefe|profonde?|profondeur|profund[oa]|profundidad",
        r"wide|broad|width|breadth|breite?|weit|large|largeur|anch[oa]|anchura",
        r"long|length|far|distance|lang|l\u00e4nge|entfernung|longueur|larg[oa]|longitud|distancia",
        r"thick|thickness|dicke?|\u00e9paisseur|grosor",
    )
)
_SPECIFIC: Final = re.compile(
    r"(?:rents?|miete|loyer|alquiler|salar(?:y|ies)|wages?|gehalt|lohn|salaire|salario|fares?|tolls?|deposit|kaution|tax)$",
    _LESS,
)
_FEE: Final = re.compile(r"(?:fees?|charges?|geb\u00fchr(?:en)?|tarif[as]?s?)$", _LESS)
_WAS_DONE: Final = re.compile(r"when (?:was|were)\b.*?\b(\w{2,}(?:ed|[ltw]t|[uo]ng|en|wn|und))\W*$", _LESS)
_DEGREE: Final = re.compile(r"\b(?:fast|big|large|strong|schnell|gro\u00df)\b", _LESS)
_PER: Final = re.compile(r"\b(?:per|pro|par|por|je)\b", _LESS)
_CURRENCY: Final = re.compile(r"\b(?:eur|usd|gbp|chf|euros?|dollars?|pounds?|francs?)\b|[\u20ac$\u00a3\u00a5]", _LESS)
_WORD: Final = re.compile(r"[^\W_]+")
_NO_QUALIFIER: Final = re.compile(
    r"(?:eur|usd|gbp|chf|euros?|dollars?|pounds?|per|day|night|week|month|year|hour|tag|nacht|monat|jahr|pro|par|por|in|of|the|total|and|each|\d+)$",
    _LESS,
)
_NOTHING: Final = re.compile(r"[\W_]*(?:n/?a|none|tbd|tbc|unknown|keine?r?|nil|x)?[\W_]*", _LESS)
_MEASURED: Final = ("length", "money")
_COUNTED: Final = ("age", "amount", "count", "digits", "length", "long", "money", "time", "version", "weight")


def given_in_column(kind: AskedKind, row: str, columns: str) -> bool | None:
    """Whether the cell below the asked heading holds such an answer; None where no column is headed so.

    A column of another measure, or of another sum of money, is no answer either: a depth is no height.
    """
    heads, cells = cells_of(columns), cells_of(row)
    done = what_was_done(kind.question)
    built = [number for number, head in enumerate(heads) if done and _shares_a_word(done, head, kind)]
    asked = built or [number for number, head in enumerate(heads) if _is_asked(kind, head)]
    if not asked:
        of_another = kind.name in _MEASURED and any(map(kind.stands_for, _WORD.findall(columns)))
        return False if of_another or (kind.name == "amount" and _DEGREE.search(kind.question)) else None
    return any(number < len(cells) and _answers(kind, cells[number]) for number in asked)


def what_was_done(question: str) -> str:
    """The verb of "when was it built"; empty where nothing of the kind is asked."""
    found = _WAS_DONE.match(question)
    return found[1] if found else ""


def _answers(kind: AskedKind, cell: str) -> bool:
    if _NOTHING.fullmatch(cell):
        return False
    if kind.name in _COUNTED:
        said = VALUES.get(kind.name)
        return re.search(r"\d", cell) is not None or (said is not None and said.search(cell) is not None)
    return any(one.isalpha() for one in cell) if kind.name == "person" else any(one.isalnum() for one in cell)


def _is_asked(kind: AskedKind, head: str) -> bool:
    own = language_in(kind.question)
    match kind.name:
        case "person":
            role = _WHO_IS.match(kind.question)
            return role is not None and _shares_a_word(role[1], head, kind)
        case "place":
            return _PLACES.search(head) is not None
        case "count":
            said = set(words_of(head, own))
            counted = kind.nouns and kind.nouns[0] != "times"
            return bool(counted) and any(not said.isdisjoint(words_of(noun, own)) for noun in kind.nouns)
        case "money":
            return _names_money(kind, head, own)
    words = _WORD.findall(_PER.split(head)[0])
    if VALUES[kind.name].search(head) or not any(map(kind.stands_for, words)):  # "at 20 °C" is no unit
        return False
    asked = _WORD.findall(kind.question)
    wanted = [one for one in _MEASURES if any(map(one.match, asked))]
    given = [one for one in _MEASURES if any(map(one.match, words))]
    return not wanted or not given or any(one in given for one in wanted)


def _shares_a_word(said: str, head: str, kind: AskedKind) -> bool:
    own = language_in(kind.question)
    return not set(words_of(said, own)).isdisjoint(words_of(head, own))


def _names_money(kind: AskedKind, head: str, own: str) -> bool:
    """A price for a price; a rent, a fare or a deposit only where it is asked for, and whose fee it is, too."""
    words = _WORD.findall(head)
    priced = any(map(kind.stands_for, words))
    if not (priced or _CURRENCY.search(head)) or VALUES["money"].search(head):
        return False
    asked = _WORD.findall(kind.question)
    for special in (_SPECIFIC, _FEE):
        said, named = [one for one in words if special.match(one)], [one for one in asked if special.match(one)]
        if special is _SPECIFIC and (said or named):
            stems = {stem for one in named for stem in words_of(one, own)}
            return any(not stems.isdisjoint(words_of(one, own)) for one in said)
        if (said and not named) or not priced:
            # "Parking fee" is what something costs only where it is asked about parking; "Hire (EUR)" about hiring.
            more = [one for one in words if not special.match(one) and not _NO_QUALIFIER.match(one)]
            stems = {stem for one in asked for stem in words_of(one, own)}
            return all(kind.stands_for(one) or not stems.isdisjoint(words_of(one, own)) for one in more)
    return True
