"""Patterns of the kinds of answers: how a question asks for one, and what one looks like, in four languages."""

from __future__ import annotations

import re
from typing import Final

from ...parsing.text.words.late_expression import LateExpression

__all__ = ["ASKED", "BOUNDS", "COUNT", "NOUN", "NOUN_ENDS", "ROLES", "SAME_NOUNS", "STANDS_FOR", "VALUES"]

_LESS: Final = re.IGNORECASE
_DIGITS: Final = r"\d[\d.,]{0,20}"
_SPELLED: Final = (
    r"an?|half|one|two|three|four|five|six|seven|eight|nine|ten|eleven|twelve|(?:thir|four|fif|six|seven|eigh|nine)teen"
    r"|twenty|thirty|forty|fifty|sixty|seventy|eighty|ninety|hundred|thousand|million|dozen|several|few|both|no|none"
    r"|single|ein(?:e[nmrs]?)?|zwei|drei|vier|f\u00fcnf|sechs"
    r"|sieben|acht|neun|zehn|elf|zw\u00f6lf|(?:drei|vier|f\u00fcnf|sech|sieb|acht|neun)zehn|zwanzig|drei\u00dfig"
    r"|(?:vier|f\u00fcnf|sech|sieb|acht|neun)zig|hundert|tausend|kein(?:e[nmrs]?)?"
    r"|une?|deux|trois|quatre"
    r"|cinq|sept|huit|neuf|dix|onze|douze|treize|quatorze|quinze|seize|vingt|trente|quarante|cinquante|soixante|cent"
    r"|mille|aucune?|un[ao]?|dos|tres|cuatro|cinco|seis|siete|ocho|nueve|diez|once|doce|trece|catorce|quince"
    r"|diecis\u00e9is|veinte|treinta|cuarenta|cincuenta|sesenta|setenta|ochenta|noventa|cien|mil"
)
COUNT: Final = rf"(?:{_DIGITS}|(?:{_SPELLED})(?![\w]))"
_NOT_EVERY: Final = r"(?<!every )(?<!each )(?<!alle )(?<!jede )(?<!les )(?<!cada )"
_TIME_UNITS: Final = (
    r"ms|seconds?|secs?|s|minutes?|mins?|hours?|hrs?|h|days?|weeks?|months?|years?|decades?|centur(?:y|ies)|nights?"
    r"|sekunden?|minuten?|stunden?|tage?n?|wochen?|monate?n?|jahre?n?|secondes?|heures?|jours?|semaines?|mois"
    r"|ann\u00e9es?|ans?|segundos?|minutos?|horas?|d\u00edas?|semanas?|mes(?:es)?|a\u00f1os?"
)
_LENGTH_UNITS: Final = (
    r"(?:kilo|centi|milli|kilo|zenti|mili|cent\u00ed|kil\u00f3|mil\u00ed)?m(?:et(?:re|er)s?n?"
    r"|\u00e8tres?|etros?)|km|cm|mm|m"
    r"|miles?|feet|foot|ft|inch(?:es)?|yards?|pages?|characters?|letters?|words?|lines?|bits?|bytes?|zeichen|seiten?"
    r"|stellen|caract\u00e8res?|caracteres"
)
_MONEY_UNITS: Final = (
    r"eur(?:os?)?|usd|gbp|chf|sek|nok|dkk|dollars?|pounds?|francs?|franken|rappen|cents?|centimes?"
    r"|crowns?|kron(?:er|or|en)"
    r"|pence|yen|pesos?|rupees?|rubles?|reais|real"
)
_BIG: Final = r"(?:million(?:en|s|es)?|billion|milliard(?:en|s)?|thousand|mio\.?|mrd\.?|k)"
_MONTHS: Final = (
    r"january|february|march|april|may|june|july|august|september|october|november|december|januar"
    r"|februar|m\u00e4rz|mai"
    r"|juni|juli|oktober|dezember|janvier|f\u00e9vrier|mars|avril|juin|juillet|ao\u00fbt|septembre|octobre|novembre"
    r"|d\u00e9cembre|enero|febrero|marzo|abril|mayo|junio|julio|agosto|septiembre|octubre|noviembre|diciembre"
)
_DAYS: Final = (
    r"(?:mon|tues|wednes|thurs|fri|satur|sun)days?|(?:mon|diens|donners|frei|sams|sonn)tags?|mittwochs?|lundi|mardi"
    r"|mercredi|jeudi|vendredi|samedi|dimanche|lunes|martes|mi\u00e9rcoles|jueves|viernes|s\u00e1bado|domingo"
)
_MOMENT_WORDS: Final = (
    r"spring|summer|autumn|winter|century|mornings?|afternoons?|evenings?|nights?|noon|midnight|easter|christmas|daily"
    r"|o'clock|dawn|dusk|sunrise|sunset|weekends?|tomorrow|yesterday|monthly|yearly|annually"
    r"|weekly|today|immediately"
    r"|fr\u00fchling|sommer|herbst|morgens?|abends?|mittags?|t\u00e4glich|\u00e9t\u00e9|hiver"
    r"|automne|printemps|verano"
    r"|invierno|oto\u00f1o|primavera"
)
_HOURS: Final = (
    r"one|two|three|four|five|six|seven|eight|nine|ten|eleven|twelve|half past|quarter (?:past|to)"
    r"|eins|zwei|drei|vier|f\u00fcnf|sechs|sieben|acht|neun|zehn|elf|zw\u00f6lf|halb"
    r"|dos|tres|cuatro|cinco|seis|siete|ocho|nueve|diez|once|doce"
)
_ORDINALS: Final = (
    r"first|second|third|fourth|fifth|sixth|seventh|eighth|ninth|tenth|last|next|every|each"
    r"|erste[nrsm]?|zweite[nrsm]?|dritte[nrsm]?"
    r"|letzte[nrsm]?|jede[nrsm]?|premi(?:er|\u00e8re)|deuxi\u00e8me|troisi\u00e8me|derni(?:er"
    r"|\u00e8re)|chaque|primer[ao]?|segund[ao]"
    r"|tercer[ao]?|\u00faltim[ao]|cada"
)
BOUNDS: Final = (
    r"after|before|until|till|within|during|since|once|when|as soon as|nach|vor|bis|seit|innerhalb"
    r"|w\u00e4hrend|sobald"
    r"|apr\u00e8s|avant|jusqu|depuis|pendant|despu\u00e9s|antes|hasta|desde|durante"
)
ROLES: Final = (
    r"(?:(?:line |team |office |project |general |managing )?managers?|directors?|officers?"
    r"|committees?|councils?|boards?"
    r"|teams?|departments?|ministers?|owners?|staff|volunteers?|members?|leaders?|heads?|chairs?|engineers?|doctors?"
    r"|nurses?|teachers?|parents?|rangers?|wardens?|keepers?|guests?|visitors?|everyone|anyone|nobody|no one)"
)
_MONEY_WORDS: Final = (
    r"costs?|costing|prices?|priced|fees?|fares?|tolls?|rents?|salar(?:y|ies)|wages?|expensive|cheap|charges?|kostet|kosten|preise?"
    r"|teuer|geb\u00fchr|co\u00fbte(?:nt)?|co\u00fbts?|prix|tarifs?|cuestan?|precios?|tarifas?"
)
_PRICE_NOUNS: Final = (
    r"costs?|prices?|fees?|fares?|rents?|salar(?:y|ies)|wages?|kosten|preise?|geb\u00fchr(?:en)?|miete|gehalt|prix"
    r"|tarifs?|loyer|salaire|precios?|tarifas?|alquiler|salario"
)
_ABOUT: Final = (
    r"(?:(?:about|around|approximately|approx\.?|only|just|now|currently|nur|rund|etwa|ca\.?|environ|seulement|unos|s\u00f3lo"
    r"|up to|at least|at most|from|de) )?"
)
# A number without a currency, followed by the end of the clause or by "per night". Years and dates do not match, nor do
# numbers that belong to other words, as in "3 to 4 weeks" and "5 times".
_BARE_PRICE: Final = (
    r"(?!(?:1[5-9]|20)\d\d(?![\d.,]*\d))\d{1,7}(?:[.,]\d{1,3}){0,2}(?!\d|[.,]\d)"
    r"(?=\s*(?:$|[.;)|\n]|,\s"
    r"|(?:per|a|an|for|each|on|if|when|and|plus|including|pro|je|f\u00fcr|par|pour|por|al?)\b(?! \d)))"
)
VALUES: Final = {
    "money": LateExpression(
        rf"[\u20ac$\u00a3\u00a5]\s?\d|\b(?:EUR|USD|GBP|CHF)\s?\d|{COUNT}\s{{0,2}}(?:{_BIG}\s{{0,2}})?"
        rf"(?:(?:{_MONEY_UNITS})\b|[\u20ac$\u00a3\u00a5])|\bfree (?:of charge|entry|admission)\b"
        # "The fee for dogs is 15 per night", "Price: 12.50": the word says that it is money.
        rf"|\b(?:{_PRICE_NOUNS})(?: (?:of|for|to|in|per|at|des|der|f\u00fcr|pro|du|pour|por|para) [^,.;:|\n]{{1,40}}?)?"
        rf" (?:is|are|was|were|ist|sind|betr\u00e4gt|betragen|est|sont|es|son) {_ABOUT}{_BARE_PRICE}"
        rf"|\b(?:{_PRICE_NOUNS})(?: \([^()\n]{{1,20}}\))?:\s{{1,2}}{_ABOUT}{_BARE_PRICE}"
        rf"|\b(?:costs?|kostet|kosten|co\u00fbte(?:nt)?|cuestan?) {_ABOUT}{_BARE_PRICE}"
        r"|\b(?:is|are|for|travels?|enters?|entry|admission) free\b|\b(?:kostenlos|kostenfrei|gratuite?|gratis)\b",
        _LESS,
    ),
    "long": LateExpression(
        rf"{_NOT_EVERY}\b{COUNT}(?:[ \u00a0-]?(?:{_BIG}|and a half|or \w+|to \w+"
        rf"|bis \w+)[ \u00a0])?[ \u00a0-]?(?:calendar |working |full )?"
        rf"(?:{_TIME_UNITS}|{_LENGTH_UNITS})\b|\bovernight\b|\ba night\b",
        _LESS,
    ),
    "time": LateExpression(rf"{_NOT_EVERY}\b{COUNT}[ \u00a0-]?(?:{_TIME_UNITS})\b|\bovernight\b|\ba night\b", _LESS),
    "length": LateExpression(rf"\b{COUNT}[ \u00a0-]?(?:{_BIG}[ \u00a0])?(?:{_LENGTH_UNITS})\b", _LESS),
    "weight": LateExpression(
        rf"\b{COUNT}[ \u00a0-]?(?:kilos?|kg|kilogram(?:me)?s?|g|grams?|gramm|tons?|tonnes?|t|pounds?"
        rf"|lbs?|ounces?|oz)\b",
        _LESS,
    ),
    "warmth": LateExpression(
        rf"{COUNT}[ \u00a0]?(?:\u00b0|degrees?\b|grad\b|degr\u00e9s?\b|grados?\b)|\b(?:luke)?warm\b"
        rf"|\bcold\b|\bhot\b",
        _LESS,
    ),
    "age": LateExpression(
        rf"\b{COUNT}[ -]?(?:years?|jahre?|ans|a\u00f1os|(?:weeks?|months?)[ -]old)\b|\baged \d"
        r"|\b(?:born|founded|built|opened|established|geboren|gebaut|gegr\u00fcndet|n\u00e9e?"
        r"|fond\u00e9e?|nacid[ao]|fundad[ao])\b.{0,80}\d{4}",
        _LESS,
    ),
    "often": LateExpression(
        rf"\b(?:every|each|once|twice|thrice|times|daily|weekly|monthly|yearly|annually|annual|hourly"
        rf"|quarterly|nightly"
        rf"|interval|between|continuously|jede[nrs]?|alle|einmal|zweimal|mal|t\u00e4glich|w\u00f6chentlich|monatlich"
        rf"|j\u00e4hrlich|chaque|tous|toutes|fois|cada|veces|diario|(?:per|a|an|pro|par|al) (?:{_TIME_UNITS}))\b",
        _LESS,
    ),
    "moment": LateExpression(
        rf"\b(?:1\d\d\d|20\d\d)\b|\b\d{{1,2}}[:.]\d\d\b|\b\d{{1,2}} ?(?:am|pm|uhr|heures?|h)\b|\b\d+ {_BIG} years\b"
        rf"|\b(?:{_MONTHS}|{_DAYS}|{_MOMENT_WORDS}|{BOUNDS})\b|\b(?:{_ORDINALS}) (?:{_TIME_UNITS})\b"
        rf"|\b{COUNT} (?:{_TIME_UNITS}) (?:ago|later|earlier|before|after|old)\b"
        r"|\b(?:at|by|around|past|um|gegen|\u00e0|vers|las) \d{1,2}"
        r"(?=[.,;:!?]|$| (?:on|in|from|every|and|or|to|until)\b)"
        rf"|\b(?:at|by|around|past|um|gegen|vers|las) (?:{_HOURS})\b",
        _LESS,
    ),
    "amount": LateExpression(rf"{_DIGITS}|\b(?:{_SPELLED})\b", _LESS),
    "digits": LateExpression(_DIGITS),
    "place": LateExpression(
        r"\b(?:in(?:to|side)?|at|on|from|near|to|under|above|below|behind|beside|between|opposite|outside|next to"
        r"|through|im|am|auf|aus|bei|nach|unter|\u00fcber|hinter|neben|zwischen|vor|\u00e0|aux?|dans|sur|sous|chez|devant|derri\u00e8re"
        r"|en|al|del?|desde|sobre|bajo|detr\u00e1s|junto) (?:the |an? |de[mnr] |die |das |la |les? |el |los |las )?"
        r"(?P<where>[^\W\d]\w*(?: [^\W\d]\w*)?)",
        _LESS,
    ),
    "version": LateExpression(r"\bv?\d+(?:\.\d+)+\b|\b[A-Za-z]*[A-Z][A-Za-z]* v?\d{1,3}\b"),
}
_WHICH_PRICE: Final = (
    r"starting|average|mean|median|monthly|yearly|annual|hourly|daily|weekly|minimum|maximum|usual|current|total|entry"
    r"|entrance|admission|ticket"
)
_KINDS: Final = (
    ("version", r"\b(?:which|what|welche[rs]?|quelle|qu\u00e9) (?:[\w.-]+ )?(?:version|release)s?\b"),
    ("money", (
            rf"\b(?:how much|what|was|wie|quel(?:le)?|combien|cu\u00e1nto"
            rf"|qu\u00e9)\b.*\b(?:{_MONEY_WORDS})\b"
            rf"|^(?:the )?(?:(?:{_WHICH_PRICE}) ){{0,2}}(?:price|cost|fee|fare|rent|salary|wage)s? (?:of|for)\b"
            r"|^how much (?:do|must|should) \w+ pay\b"
            r"|^(?:for )?how much\b.*\b(?:acquired|bought|earn(?:s|ed)?|paid|sold|spen[dt]|worth)\b"
        )),
    ("weight", (
            r"\bhow (?:heavy|much)\b.*\bweighs?\b|\bhow heavy\b|\bwie (?:schwer|viel wiegt)\b"
            r"|\bcombien p\u00e8se|\bcu\u00e1nto pesan?\b|\bwhat .*\bweight\b|^(?:the )?weight of\b"
        )),
    ("age", r"\bhow old\b|^(?:the )?age of\b|\bwie alt\b|\bquel \u00e2ge\b|\bqu\u00e9 edad\b"),
    ("often", r"\bhow (?:often|frequently)\b|\bwie oft\b|\bquelle fr\u00e9quence\b|\bqu\u00e9 frecuencia\b"),
    ("warmth", (
            r"^(?:the )?temperature of\b|\bhow (?:hot|warm|cold)\b|\bwie (?:hei\u00df|warm|kalt)\b"
            r"|\b(?:what|which|welcher?|quelle|qu\u00e9) (?:\w+ ){0,2}temperatur"
        )),
    ("time", (
            r"\bwie lange\b|\bcombien de temps\b|\bcu\u00e1nto (?:tiempo|dura|tarda)|\bhow long (?:do|does|did"
            r"|will|should|can|may|must)\b.*\b(?:takes?|lasts?)\b|\bhow many \w+ does it take\b"
        )),
    ("long", r"\bhow long\b|\bwie lang\b"),
    ("length", (
            r"\bhow (?:high|tall|deep|wide|far|thick|broad)\b|\bwie (?:tief|breit|weit|dick)\b"
            r"|(?:^(?:the )?|\bwhat(?:'s| is| was) the )(?:depth|height|length|width|distance)\b (?!limit)"
            r"|\b(?:quelle est la|cu\u00e1l es la) (?:hauteur|longueur|profondeur|distance|altura|longitud)\b"
            r"|\bquelle (?:hauteur|longueur|profondeur|distance)\b|\bqu\u00e9 (?:altura|profundidad"
            r"|longitud|distancia)\b"
        )),
    ("count", (
            r"\bhow many\b|\bwie ?viele\b|\bcombien d['e\u2019]|\bcu\u00e1nt[oa]s\b|\bpopulation\b"
            r"|\beinwohnerzahl\b"
        )),
    ("moment", (
            r"\b(?:since|until) when\b|^(?:and |but |or )?(?:[a-z]+ )?when\b|\b(?:what|which) (?:year|date"
            r"|day|time|month)\b|\b(?:seit |bis |ab )?wann\b|\bquand\b|\b\u00e0 quelle heure\b"
            r"|\bquelle (?:date|ann\u00e9e)\b|\bcu\u00e1ndo\b|\bqu\u00e9 (?:a\u00f1o|fecha)\b"
            r"|\bum wie viel uhr\b|^(?:the )?(?:date|year|month|day|time) (?:of|in|when|that|the)\b"
        )),
    ("person", (
            r"^(?:and |but |or |by |to |from |with |for )?who(?:m|se)?\b|^(?:von |mit |bei "
            r"|f\u00fcr )?we(?:r|m|n|ssen)\b|^(?:par |\u00e0 |avec )?qui\b|^(?:por |a "
            r"|con )?qui\u00e9n(?:es)?\b"
        )),
    ("place", (
            r"^(?:and |but |or )?(?:from )?where\b|^(?:und |aber )?wo(?:her|hin)?\b"
            r"|^(?:et |mais )?(?:d['\u2019])?o\u00f9\b|^\u00bf?(?:de |a)?d\u00f3nde\b"
        )),
    ("digits", r"^(?:what|which)(?:'s| is| are) the (?:(?:tele)?phone |emergency )?number (?:of|for)\b|\bwie hoch\b"),
    ("amount", (
            r"\bhow (?:much|fast|big|large|strong)\b|\bwie ?viel\b|\bwie (?:gro\u00df|schnell)\b"
            r"|\bcombien\b|\bcu\u00e1nt[oa]\b"
        )),
)  # fmt: skip
ASKED: Final = tuple((name, LateExpression(pattern, _LESS)) for name, pattern in _KINDS)
STANDS_FOR: Final = {
    "money": LateExpression(rf"(?:{_MONEY_WORDS}|pay|paid|much)$", _LESS),
    "weight": LateExpression(r"(?:weighs?|weight|heavy|schwer|wiegt|gewicht|p\u00e8se|poids|pesa|peso)$", _LESS),
    "age": LateExpression(r"(?:old|alt|\u00e2ge|edad|age)$", _LESS),
    "often": LateExpression(r"(?:often|frequently|oft|fr\u00e9quence|frecuencia|taken?)$", _LESS),
    "warmth": LateExpression(r"(?:hot|warm|cold|hei\u00df|kalt|temperature?n?|temp\u00e9rature|temperatura)$", _LESS),
    "time": LateExpression(
        r"(?:long|lange|takes?|lasts?|temps|tiempo|dura|tarda|dauert|dauern|dure|duration|dauer)$", _LESS
    ),
    "long": LateExpression(
        r"(?:long|lang|takes?|lasts?|duration|length|l\u00e4nge|dauer|longueur|dur\u00e9e|longitud|duraci\u00f3n)$",
        _LESS,
    ),
    "length": LateExpression(
        r"(?:high|tall|deep|wide|far|thick|broad|depth|height|length|width|tiefe?|breite?|weite?|dicke?|h\u00f6he|l\u00e4nge|hauteur|longueur|profondeur|distance|altura"
        r"|longitud|profundidad|distancia)$",
        _LESS,
    ),
    "count": LateExpression(r"(?:many|viele|combien|cu\u00e1nt[oa]s|population|einwohnerzahl)$", _LESS),
    "moment": LateExpression(
        r"(?:year|date|day|time|month|heure|jour|mois|ann\u00e9e|a\u00f1o|fecha|uhr|jahr|datum|monat|baujahr)$", _LESS
    ),
    "person": LateExpression(r"(?!)"),
    "place": LateExpression(
        r"(?:located|location|situated|lies?|comes?|liegen|liegt|befindet|kommt|trouve|vient|encuentra|viene)$", _LESS
    ),
    "version": LateExpression(r"(?:versions?|releases?|needs?|requires?|supports?|runs?)$", _LESS),
    "digits": LateExpression(r"(?:(?:tele)?phone|number|hoch)$", _LESS),
    "amount": LateExpression(
        r"(?:much|fast|big|large|strong|speed|size|amount|quantity|viel|gro\u00df|gr\u00f6\u00dfe|schnell|menge|combien|quantit\u00e9)$",
        _LESS,
    ),
}
NOUN: Final = LateExpression(
    r"\b(?:how many|wie ?viele|combien d(?:e |['\u2019])|cu\u00e1nt[oa]s) ?(\w[\w-]*(?: \w[\w-]*){0,2})", _LESS
)
NOUN_ENDS: Final = LateExpression(
    r"(?:does|do|did|are|is|was|were|can|may|must|should|has|have|had|will|of|in|per|on|from|at"
    r"|there|could|would|hat|haben"
    r"|sind|ist|gibt|kann|darf|a|y|ont|sont|peut|tiene|hay|son)$",
    _LESS,
)
SAME_NOUNS: Final = (
    frozenset({"inhabitants", "residents", "people", "population", "citizens"}),
    frozenset({"einwohner", "einwohnerinnen", "menschen"}),
    frozenset({"employees", "staff", "workers"}),
    frozenset({"litres", "liters", "l"}),
    frozenset({"kilograms", "kilogrammes", "kilos", "kg"}),
    frozenset({"grams", "grammes", "g"}),
    frozenset({"kilometres", "kilometers", "km"}),
    frozenset({"metres", "meters", "m"}),
    frozenset({"centimetres", "centimeters", "cm"}),
    frozenset({"minutes", "minuten", "min"}),
    frozenset({"seconds", "sekunden", "s"}),
    frozenset({"hours", "h"}),
)
