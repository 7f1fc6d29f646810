"""The languages whose inflections are known, each by the small words that a text in it is full of."""

from __future__ import annotations

import re
from collections.abc import Iterable
from itertools import islice
from typing import Final

__all__ = ["ENGLISH", "LANGUAGES", "STEMMERS", "counted_word", "degree_word", "is_function_word", "language_of"]

ENGLISH: Final = "en"
STEMMERS: Final = {
    "en": "english",
    "de": "german",
    "es": "spanish",
    "fr": "french",
    "it": "italian",
    "nl": "dutch",
    "pt": "portuguese",
    "ru": "russian",
}
"""A language and the name of its Snowball stemmer."""
LANGUAGES: Final = tuple(STEMMERS)
_LOOKED_AT: Final = 2_000  # words; the language of a text shows early
_ENOUGH: Final = 5  # different small words that show a language, fewer in a short text
_FOR_EACH: Final = 20

_WORDS: Final = {
    "en": (
        "a about all also am an and any are as at be been being but by can could did do does doing for from had "
        "has have having he her here him his how i if in into is it its me my no not of on or our she should so "
        "some such than that the their them then there these they this those to was we were what when where which "
        "who whom why will with would you your"
    ),
    "de": (
        "aber alle als also am an auch auf aus bei bin bis da damit dann das dass dem den denn der des die dies "
        "diese diesem diesen dieser dieses doch du durch ein eine einem einen einer eines er es etwas euch für "
        "gegen gibt haben hat hatte hier ich ihm ihn ihr ihre ihrer im in ist ja jede jeder kann kein keine man "
        "mein meine mich mir mit muss nach nicht noch nur ob oder ohne sehr sein seine sich sie sind so soll um "
        "und uns unser unter viel vom von vor wann war waren warum was welche welcher welches wenn wer werden wie "
        "wieviel wir wird wo wurde während zu zum zur zwischen über"
    ),
    "es": (
        "a al algo alguna ante como con contra cual cuando cuanto cuál cuáles cuándo cuánta cuántas cuánto "
        "cuántos cómo de del desde donde durante dónde e el ella en entre era es esa ese eso esta este esto está "
        "están ha hace han hasta hay la las le les lo los me mi muy más no nos o para pero por porque puede puedo "
        "que quien quién qué se sea ser si sin sobre son su sus sí también tiene tienen todo todos tu un una uno "
        "unos y ya yo él"
    ),
    "fr": (
        "a au aux avec avoir c ce ces cette ceux chez combien "
        "comme comment d dans de des donc dont du elle elles en est "
        "et eux fait faut il ils j je l la le les leur leurs lors lui m mais me mes moi mon n ne nos notre nous "
        "on ont ou où par pas peut plus pour pourquoi qu quand que quel quelle quelles quels qui quoi s sa sans "
        "se ses si son sont sous sur t ta te tes toi ton tous tout tu un une vers vos votre vous y à être"
    ),
    "it": (
        "a ad agli ai al alla alle allo anche c che chi ci come con cosa cui d da dagli dai dal dalla dalle dei "
        "del della delle dello di dopo dove e ed era essere fa fra gli ha hanno i il in io l la le lei li lo loro "
        "ma mi mio nei nel nella nelle non o ogni per perché più può qual quale quali quando quanta quante quanti "
        "quanto quello questa queste questi questo se si sia sono sua sue sugli sui sul sulla suo tra tutti tutto "
        "un una uno è"
    ),
    "nl": (
        "aan al alle als bij daar dan dat de deze die dit door een en er geen had heb hebben heeft hem het hij "
        "hoe hoeveel hun ik in is je kan kun kunnen maar me meer men met mij mijn moet na naar niet nog nu of om "
        "omdat onder ons onze ook op over te tegen tijdens tot tussen u uit uw van veel voor waar waarom wanneer "
        "waren was wat we welk welke wie wij worden wordt zal ze zich zij zijn zo zonder"
    ),
    "pt": (
        "a ao aos as até com como da das de dela dele deve do dos e ela ele eles em entre era essa esse esta este "
        "está eu foi há isso isto já lhe mais mas me meu minha muito na nas nem no nos não o onde os ou para pela "
        "pelas pelo pelos pode por porque quais qual quando quanta quantas quanto quantos que quem se sem ser seu "
        "seus sobre sua suas são só também tem ter têm um uma umas uns você à às é"
    ),
    "ru": (
        "\u0430 \u0431\u0435\u0437 \u0431\u043e\u043b\u0435\u0435 \u0431\u044b \u0431\u044b\u043b "
        "\u0431\u044b\u043b\u0430 \u0431\u044b\u043b\u0438 \u0431\u044b\u043b\u043e \u0431\u044b\u0442\u044c "
        "\u0432 \u0432\u0430\u043c \u0432\u0430\u0441 \u0432\u043e \u0432\u043e\u0442 \u0432\u0441\u0435 "
        "\u0432\u0441\u0435\u0445 \u0432\u044b \u0433\u0434\u0435 \u0434\u0430 \u0434\u043b\u044f \u0434\u043e "
        "\u0435\u0433\u043e \u0435\u0435 \u0435\u0439 \u0435\u0441\u043b\u0438 \u0435\u0441\u0442\u044c "
        "\u0435\u0449\u0435 \u0436\u0435 \u0437\u0430 \u0438 \u0438\u0437 \u0438\u043b\u0438 \u0438\u043c "
        "\u0438\u0445 \u043a \u043a\u0430\u043a \u043a\u0430\u043a\u0430\u044f \u043a\u0430\u043a\u0438\u0435 "
        "\u043a\u0430\u043a\u043e\u0432\u0430 \u043a\u0430\u043a\u043e\u0439 \u043a\u043e "
        "\u043a\u043e\u0433\u0434\u0430 \u043a\u0442\u043e \u043b\u0438 \u043c\u0435\u0436\u0434\u0443 "
        "\u043c\u043d\u0435 \u043c\u043e\u0436\u043d\u043e \u043c\u044b \u043d\u0430 \u043d\u0430\u0434\u043e "
        "\u043d\u0430\u0441 \u043d\u0435 \u043d\u0435\u0433\u043e \u043d\u0435\u0442 \u043d\u0438 \u043d\u043e "
        "\u043d\u0443\u0436\u043d\u043e \u043e \u043e\u0431 \u043e\u043d \u043e\u043d\u0430 \u043e\u043d\u0438 "
        "\u043e\u0442 \u043f\u043e \u043f\u043e\u0434 \u043f\u043e\u0447\u0435\u043c\u0443 \u043f\u0440\u0438 "
        "\u0441 \u0441\u043a\u043e\u043b\u044c\u043a\u043e \u0441\u043e \u0442\u0430\u043a \u0442\u0430\u043c "
        "\u0442\u043e \u0442\u043e\u0433\u043e \u0442\u043e\u043b\u044c\u043a\u043e \u0442\u044b \u0443 "
        "\u0443\u0436\u0435 \u0447\u0435\u0433\u043e \u0447\u0435\u043c \u0447\u0442\u043e "
        "\u0447\u0442\u043e\u0431\u044b \u044d\u0442\u0430 \u044d\u0442\u0438 \u044d\u0442\u043e "
        "\u044d\u0442\u043e\u0442 \u044f"
    ),
}
# What is counted, or done by whom: no passage answers without it.
_COUNTS: Final = {
    language: re.compile(rf"(?:^|[.!?;,]\s*)(?:{opening})\s+(\w+)")
    for language, opening in {
        "en": "how many|how much|who",
        "de": "wie ?viele?|wer",
        "es": "cu[a\u00e1]nt[oa]s?|qui[e\u00e9]n",
        "fr": "combien de|qui",
        "it": "quant[oaie]|chi",
        "nl": "hoeveel|wie",
        "pt": "quant[oa]s?|quem",
        "ru": "\u0441\u043a\u043e\u043b\u044c\u043a\u043e|\u043a\u0442\u043e",
    }.items()
}
_DEGREES: Final = {
    language: re.compile(rf"\b{opening}\s+(\w+)")
    for language, opening in {"en": "how", "de": "wie", "nl": "hoe"}.items()
}
_CONTRACTED: Final = frozenset({"d", "ll", "m", "re", "s", "t", "ve"})
_FUNCTION_WORDS: Final = {language: frozenset(words.split()) for language, words in _WORDS.items()}
# Word -> the places in LANGUAGES of those that have it among their small words.
_SPEAKERS: Final = {
    word: tuple(place for place, language in enumerate(LANGUAGES) if word in _FUNCTION_WORDS[language])
    for word in sorted(frozenset().union(*_FUNCTION_WORDS.values()))
}


def language_of(words: Iterable[str], preferred: str = ENGLISH) -> str:
    """The language with most of its small words among these lower-case words; the preferred one where several have.

    A text in which few of them stand, however often, is a table or a list: `van` in it is a name or a car.
    """
    taken = list(islice(words, _LOOKED_AT))
    counts = [0] * len(LANGUAGES)
    for word in taken:
        for place in _SPEAKERS.get(word, ()):
            counts[place] += 1
    most = max(counts)
    tied = [place for place, count in enumerate(counts) if count == most]
    small = {word for word in taken if tied[0] in _SPEAKERS.get(word, ())}
    if len(small) < min(_ENOUGH, 1 + len(taken) // _FOR_EACH):
        return preferred
    languages = [LANGUAGES[place] for place in tied]
    return preferred if preferred in languages else languages[0]


def is_function_word(word: str, language: str) -> bool:
    """Whether a lower-case word of a question says nothing about what it is after: `the`, `who's`, `isn't`."""
    known = _FUNCTION_WORDS[language]
    if word in known:
        return True
    first, *rest = word.split("'")
    if not rest:
        return False
    first = first.removesuffix("n") if rest == ["t"] and first not in known else first
    return first in known and all(part in known or part in _CONTRACTED for part in rest)


def counted_word(question: str, language: str) -> str:
    """What a question counts or asks the doer of: "how many *employees*", "who *painted*"; empty where it does not."""
    found = _COUNTS[language].search(question.lower())
    return found[1] if found else ""


def degree_word(question: str, language: str) -> str:
    """How something is measured: "how *fast*", "wie *hoch*"; the answer gives it in numbers and seldom repeats it."""
    opening = _DEGREES.get(language)
    found = opening.search(question.lower()) if opening else None
    return found[1] if found else ""
