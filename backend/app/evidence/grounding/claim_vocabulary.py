"""Words that decide what a sentence claims: negators, opposites, units, number words, prepositions."""

from __future__ import annotations

from typing import Final

__all__ = [
    "BE_FORMS",
    "CONTRASTS",
    "COORDINATORS",
    "NEGATORS",
    "NUMBER_WORDS",
    "OPENERS",
    "OPPOSITES",
    "RELATIONS",
    "ROLE_WORDS",
    "SAFE_PREPOSITIONS",
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
    "ne pas jamais aucun aucune sans ni rien personne ningún ninguna ninguno nunca sin tampoco nada nadie"
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
CONTRASTS: Final = COORDINATORS | _set("and against although though und et y")
RELATIONS: Final = {
    "than": "than",
    "because": "cause",
    "since": "cause",
    "unless": "unless",
    "before": "before",
    "until": "before",
    "after": "after",
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
    ("two", "zwei", "deux", "dos", "2"),
    ("three", "drei", "trois", "tres", "3"),
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
_OPPOSED: Final = """
more greater higher larger bigger longer above over exceeds exceeded exceed mehr höher größer länger
    über plus supérieur más mayor | less fewer lower smaller shorter below under lesser weniger niedriger
    kleiner kürzer unter moins inférieur menos menor
increase increases increased increasing rise rises rose risen rising grow grows grew grown growing gain
    gained gains climbed climb steigt stieg gestiegen augmente augmenté hausse aumenta aumentó | decrease
    decreases decreased decreasing fall falls fell fallen falling shrink shrinks shrank shrunk decline
    declines declined drop drops dropped reduce reduces reduced lost loses lose sinkt sank gesunken diminue
    baisse disminuye disminuyó bajó
before earlier prior vor früher avant antes | after later following nach später après después
minimum least mindestens minimal | maximum most höchstens maximal
always all every everyone everybody usually often mostly frequently immer alle toujours tous siempre
    todos | never none nobody sometimes rarely seldom nie selten jamais rarement nunca raramente
faster quicker fast quick schneller plus-vite rápido | slower slow slowly langsamer lentement lento
better best improves improved improve besser mieux mejor | worse worst worsens worsened worsen
    schlechter pire peor
north northern norden nord norte | south southern süden sud sur
east eastern osten est este | west western westen ouest oeste
warm warmer hot hotter heated warming wärmer heiß chaud caliente | cold colder cool cooler cooled
    cooling kälter kalt froid frío
win wins won winning gewann gewinnt gagne gagné ganó | lose loses lost losing verlor verliert perd perdu
    perdió
start starts started begin begins began opened opens open opening beginnt eröffnet ouvre ouvert abre
    abrió | end ends ended finish finishes finished closed closes close closing endet schließt geschlossen
    ferme fermé cierra cerró cerrado cerrada
allow allows allowed permits permitted permit erlaubt permet autorise permite | forbid forbids forbidden
    prohibits prohibited bans banned ban verboten verbietet interdit prohíbe prohibido
cause causes caused verursacht cause provoque provoca | prevent prevents prevented verhindert empêche
    impide previene
safe sicher sûr seguro | unsafe dangerous hazardous gefährlich dangereux peligroso
same identical equal gleich même mismo | different differs differ unequal verschieden différent distinto
left links gauche izquierda | right rechts droite derecha
first erste premier primero | last letzte dernier último
bought buys buy kaufte achète compró | sold sells sell verkaufte vend vendió
suspect suspects suspected suggest suggests suggested may might could possibly perhaps probably likely believed
    thought | proved proves proven certainly definitely confirmed confirms surely undoubtedly
few hardly barely little | most nearly almost all many much
only nur seulement solo | all alle every tous todos
true wahr vrai verdadero correct | false falsch faux falso incorrect wrong
stronger strong stark fort fuerte | weaker weak schwach faible débil
young younger jung jeune joven | old older alt vieux viejo
accepted accepts accept approved approves approve angenommen accepté aprobó | rejected rejects reject
    refused refuses refuse denied denies abgelehnt refusé rechazó
add adds added | remove removes removed
succeeded succeeds succeed success successful | failed fails fail failure
present | absent
heavier heavy schwer lourd pesado | lighter light leicht léger ligero
thicker thick dick épais grueso | thinner thin dünn mince delgado
wet wetter moist | dry drier dryer
cheaper cheap billiger | dearer expensive costlier teurer
positive positiv positif positivo | negative negativ négatif negativo
encourages encouraged encourage supports supported support | discourages discouraged discourage opposes
    opposed oppose
enable enables enabled | disable disables disabled
required requires require mandatory must | optional voluntary
"""
OPPOSITES: Final = tuple(
    (_set(one), _set(other))
    for one, other in (row.split("|") for row in _OPPOSED.strip().replace("\n    ", " ").splitlines())
)
"""A sentence that says one side where its evidence says only the other has turned it round."""
OPENERS: Final = _set(
    "according generally typically usually overall here there this that these those it they he she one some many most "
    "several both each every all any another other such as in on at for with from by to of if when while after before "
    "since until although because however also then thus today once twice only even just"
)
"""What may begin a sentence although its evidence does not hold it."""
