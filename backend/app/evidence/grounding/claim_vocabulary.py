"""Words that decide what a sentence claims: negators, opposites, units, number words, prepositions."""

from __future__ import annotations

from typing import Final

__all__ = [
    "ARTICLES",
    "BE_FORMS",
    "CONTRASTS",
    "COORDINATORS",
    "NEGATORS",
    "NUMBER_WORDS",
    "OPENERS",
    "PREPOSITIONS",
    "PRONOUNS",
    "RELATIONS",
    "ROLE_WORDS",
    "SAFE_PREPOSITIONS",
    "STEP_WORDS",
    "SUBORDINATORS",
    "UNITS",
    "VERB_LEADS",
    "WEAK_NEGATORS",
    "YEAR_LEADS",
]


def _set(words: str) -> frozenset[str]:
    return frozenset(words.split())


NEGATORS: Final = _set(
    "no not never none nobody nothing neither nor without cannot hardly nor "
    "nicht kein keine keinen keinem keiner nie niemals ohne weder niemand nichts "
    "ne pas jamais aucun aucune sans ni rien personne ningún ninguna ninguno nunca sin tampoco nada nadie "
    "non mai nessuno nessuna senza né niente niet geen nooit niemand niets zonder noch não nenhum nenhuma sem "
    "ninguém nem"
)
WEAK_NEGATORS: Final = _set(
    "refuse refuses refused fail fails failed lack lacks lacked unable unknown unlikely impossible drop drops dropped "
    "end ends ended stop stops stopped cease ceases avoid avoids avoided regardless except only rarely seldom few "
    "little instead decline declines declined undetected unchanged unaware exempt excluded excludes survive survives "
    "sauf seulement selten kaum solo apenas"
)
"""Words that say no by themselves: a sentence may put a plain `not` in their place, and the other way round."""
COORDINATORS: Final = _set("but while whereas yet aber sondern während mais tandis pero sino mientras")
SUBORDINATORS: Final = _set(
    "because if when although though once unless until so wenn weil falls obwohl sobald bis dass si quand parce "
    "lorsque cuando porque aunque"
)
SAFE_PREPOSITIONS: Final = _set(
    "in on at for during since until within throughout around about near under inside outside along across upon "
    "im am an auf bei seit zwischen während für um vor en à dans pendant depuis chez sur pour durante desde para sobre "
    "between per roughly approximately"
)
"""A phrase behind one of these may move without a change of meaning; `than`, `by`, `of`, `to`, `from`, `before` and
`after` are not among them."""
VERB_LEADS: Final = _set(
    "should must can could may might will would shall do does did to cannot sollte soll muss kann darf wird zu doit "
    "peut devrait debe puede"
)
"""A verb stands behind one of these; its place among the nouns says nothing."""
BE_FORMS: Final = _set("is are was were be been being get gets got wird wurde werden est sont fut es son fue")
ROLE_WORDS: Final = BE_FORMS | _set(
    "than by to from before after of because if until unless so since while not into als von zu nach aus weil bis "
    "que de par avant après por antes desde hasta a for der die das dem den des"
)
"""Small words that tell roles apart."""
CONTRASTS: Final = COORDINATORS | _set("and against although though und et y e ed")
ARTICLES: Final = _set(
    "the a an der die das den dem des ein eine einen einem einer eines le la les l un une des el los las una unos unas "
    "il lo gli i o os as um uma de het een his her its their this that these those"
)
PRONOUNS: Final = _set(
    "it its he his she her they their them this that these those there here who which such each both some others one "
    "er sie es ihr ihre sein seine dieser diese dieses dies das dort beide il elle ils elles son sa ses leur leurs ce "
    "cette ces cela on él ella ellos ellas su sus este esta estos estas eso esto ello esso essa essi loro suo sua "
    "questo questa hij zij ze het hun deze dit ele ela eles elas seu isso isto"
)
STEP_WORDS: Final = _set(
    "first then next finally afterwards zuerst dann danach anschließend schließlich abord puis ensuite enfin "
    "primero luego después finalmente prima poi infine eerst daarna primeiro depois"
)
"""Words that count steps."""
_PREPOSITION_FORMS: Final = {
    "in": "in into im ins en dans nel nella no na em em",
    "on": "on onto auf am an sur sobre su op sob",
    "at": "at bei beim chez",
    "to": "to nach zu zum zur à au aux vers hacia verso naar para",
    "from": "from von vom aus depuis desde dal da van",
    "by": "by durch par por door",
    "for": "for für pour per voor",
    "of": "of du de del della do dos",
    "with": "with mit avec con met com",
    "against": "against gegen contre contra tegen contro",
    "before": "before vor avant antes",
    "after": "after après tras después dopo na nach",
    "over": "over über",
    "under": "under unter sous bajo sotto onder",
}
PREPOSITIONS: Final = {form: name for name, forms in _PREPOSITION_FORMS.items() for form in forms.split()}
RELATIONS: Final = {
    "than": "than",
    "because": "cause",
    "since": "cause",
    "unless": "unless",
    "before": "before",
    "until": "before",
    "after": "after",
    "when": "when",
    "once": "when",
    "if": "when",
    "wenn": "when",
    "sobald": "when",
    "falls": "when",
    "quand": "when",
    "lorsque": "when",
    "cuando": "when",
    "quando": "when",
    "bevor": "before",
    "avant": "before",
    "nachdem": "after",
    "après": "after",
    "weil": "cause",
    "parce": "cause",
    "porque": "cause",
}
YEAR_LEADS: Final = _set("in since by until from year im jahr seit bis en depuis desde hasta año before after")
_UNIT_FORMS: Final = {
    "second": "s sec secs second seconds sekunde sekunden seconde secondes segundo segundos",
    "minute": "min mins minute minutes minuten minuto minutos",
    "hour": "h hr hrs hour hours stunde stunden heure heures hora horas",
    "day": "day days tag tage tagen jour jours día días",
    "week": "week weeks woche wochen semaine semaines semana semanas",
    "month": "month months monat monate monaten mois mes meses",
    "year": "year years jahr jahre jahren an ans année années año años",
    "century": "century centuries jahrhundert jahrhunderte siècle siècles siglo siglos",
    "degree": "\u00b0 degree degrees grad degré degrés grado grados",
    "celsius": "\u00b0c celsius",
    "fahrenheit": "\u00b0f fahrenheit",
    "percent": "% percent prozent pourcent",
    "metre": "m metre metres meter meters metern mètre mètres metro metros",
    "kilometre": "km kilometre kilometres kilometer kilometers kilometern kilomètre kilomètres kilómetro kilómetros",
    "centimetre": "cm centimetre centimetres centimeter centimeters zentimeter centimètres centímetros",
    "millimetre": "mm millimetre millimetres millimeter millimeters",
    "mile": "mile miles meile meilen",
    "foot": "ft foot feet",
    "inch": "inch inches",
    "gram": "g gram grams gramm gramme grammes gramo gramos",
    "kilogram": "kg kilo kilos kilogram kilograms kilogramm kilogramme kilogrammes kilogramos",
    "tonne": "t tonne tonnes ton tons tonnen tonelada toneladas",
    "milligram": "mg milligram milligrams",
    "litre": "l litre litres liter liters litro litros",
    "millilitre": "ml millilitre millilitres milliliter milliliters",
    "watt": "w watt watts",
    "kilowatt": "kw kilowatt kilowatts",
    "megawatt": "mw megawatt megawatts",
    "volt": "v volt volts",
    "hertz": "hz hertz",
    "byte": "byte bytes",
    "kilobyte": "kb kilobyte kilobytes",
    "megabyte": "mb megabyte megabytes",
    "gigabyte": "gb gigabyte gigabytes",
    "thousand": "thousand thousands tausend mille mil",
    "million": "million millions millionen millones",
    "billion": "billion billions milliarde milliarden milliard milliards",
    "dollar": "dollar dollars usd",
    "euro": "euro euros eur",
    "pound": "pound pounds gbp",
    "hectare": "ha hectare hectares hektar hectárea hectáreas",
}
UNITS: Final = {form: unit for unit, forms in _UNIT_FORMS.items() for form in forms.split()}
_NUMBERS: Final = (
    ("two", "zwei", "deux", "dos", "twice", "zweimal", "2"),
    ("three", "drei", "trois", "tres", "thrice", "dreimal", "3"),
    ("four", "vier", "quatre", "cuatro", "4"),
    ("five", "fünf", "cinq", "cinco", "5"),
    ("six", "sechs", "six", "seis", "6"),
    ("seven", "sieben", "sept", "siete", "7"),
    ("eight", "acht", "huit", "ocho", "8"),
    ("nine", "neun", "neuf", "nueve", "9"),
    ("ten", "zehn", "dix", "diez", "10"),
    ("eleven", "elf", "onze", "once", "11"),
    ("twelve", "zwölf", "douze", "doce", "12"),
    ("thirteen", "dreizehn", "treize", "trece", "13"),
    ("fourteen", "vierzehn", "quatorze", "catorce", "14"),
    ("fifteen", "fünfzehn", "quinze", "quince", "15"),
    ("sixteen", "sechzehn", "seize", "dieciséis", "16"),
    ("seventeen", "siebzehn", "dix-sept", "diecisiete", "17"),
    ("eighteen", "achtzehn", "dix-huit", "dieciocho", "18"),
    ("nineteen", "neunzehn", "dix-neuf", "diecinueve", "19"),
    ("twenty", "zwanzig", "vingt", "veinte", "20"),
    ("thirty", "dreißig", "trente", "treinta", "30"),
    ("forty", "vierzig", "quarante", "cuarenta", "40"),
    ("fifty", "fünfzig", "cinquante", "cincuenta", "50"),
    ("sixty", "sechzig", "soixante", "sesenta", "60"),
    ("seventy", "siebzig", "soixante-dix", "setenta", "70"),
    ("eighty", "achtzig", "quatre-vingts", "ochenta", "80"),
    ("ninety", "neunzig", "quatre-vingt-dix", "noventa", "90"),
    ("hundred", "hundert", "cent", "cien", "100"),
    ("dozen", "dutzend", "douzaine", "docena", "12"),
    ("half", "halb", "demi", "medio", "0.5"),
)
# `once` is eleven in Spanish and a conjunction in English; the conjunction is the one that matters.
NUMBER_WORDS: Final = {word: row[-1] for row in _NUMBERS for word in row[:-1] if word != "once"}
OPENERS: Final = _set(
    "according generally typically usually overall here there this that these those it they he she one some many most "
    "several both each every all any another other such as in on at for with from by to of if when while after before "
    "since until although because however also then thus today once twice only even just"
)
"""What may begin a sentence although its evidence does not hold it."""
