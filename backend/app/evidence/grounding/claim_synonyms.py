"""Words that may stand for each other: a line may use a word that its evidence lacks only if one of these does.

An entry matches words that begin with it, so that endings do not matter; one of three letters or less matches itself.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from .claim_words import ClaimToken, ReadClaim

__all__ = ["says_in_other_words"]

_LISTED: Final = """
begin began begun start commenc launch outset initial
end ends ended ending finish complet conclu
stop ceas halt
big bigger biggest large larger largest great
small smaller smallest little tiny
show indicat reveal demonstrat suggest
say says said state stated states according report announce declar
buy bought acquir purchas
sell sold
get gets got receiv obtain given
give gives gave given provid offer supply suppli grant award
keep keeps kept retain preserv remain stay
need needs needed requir necessar
help helps helped assist support aid
choose chose chosen select pick
build built construct erect
make makes made produc creat manufactur
fix repair mend
find finds found discover detect
use uses used using employ utili
live lives lived inhabit resid
house houses housing home
people person inhabitant resident
also additional moreover
quick quickly fast faster rapid swift
kid kids child children
doctor physician
illness disease
operation surgery surgical
medicine medication drug
treat treated treatment therap
job jobs work post
firm firms compan business enterpris
worker employee staff
pupil student
town city municipal
road street route
sea ocean
hill slope
river stream
part parts portion share section
third thirds
annual annually yearly year years
daily day days every
weekly week weeks
monthly month months
night nightly nights
autumn fall
automatic automatically
frequent often
rare rarely seldom
usual usually normal generally typical commonly common mostly
main chief principal mainly
original first initial
whole entire complete
exceed above over beyond more
under below fewer less younger
least minimum
most maximum
almost nearly practically
about around roughly approximately circa some
allow permit may can let
forbid forbidden prohibit ban banned
must obliged compulsory mandatory required requir have
may can might could
should recommended ought
called named known
lie lies lay located situated stands
belong belongs owned own owns
contain include compris hold holds consist
carry carries carried transport
wide width
long length lasts last takes
high height altitude elevation
deep depth
weigh weight
cost price charge costs
pay pays paid payment
raise raised increas rise rose grow grew growth
fall fell drop dropped declin decreas reduc lower
cut cuts shorten
damage harm
die dies died death
marry married marriage
beat beats defeat
win wins won victor
lose loses lost defeat loss
lead leads led head
rule rules ruled govern
begin founded establish
fire burn burnt burned
open opens opened opening
close closes closed closure shut
file files filed lodge lodged submit
appeal appeals
allowed entitled right
terminate cancel end
sent send sends transmit
delete deletes deleted remov erase
store stores stored storage save saves saved kept
write writes wrote written writing
read reads reading
change changes chang alter modif
replace replaced successor succeed substitut
throw discard
bake baked baking
mix mixed mixing stir stirred
fridge refrigerator
because since due therefore so thus as weil denn da deshalb daher car parce puisque donc porque pues perché poiché
if when once whenever provided wenn falls sobald sofern si lorsque quand cuando quando
although though but while whereas however despite yet obwohl aber während trotz bien mais tandis aunque pero mientras
until till before bis jusqu hasta fino
after following once nach nachdem après depuis tras después dopo na após
before prior earlier previous vor bevor avant antes
without lacking no ohne sans sin senza zonder sem
only sole alone solely exclusively just nur allein seul seulement uniquement solo solamente únicamente soltanto alleen
except apart unless
from since ab seit von depuis desde dal
against contra gegen contre
than
not no never none nicht kein nie pas jamais aucun non nunca ningún niet geen não
is was are were been being
which that who whose whom
beginnen begann anfangen startet
enden endete
zeigen zeigt
kaufen kaufte erwarb
haben besitzen gehört
speichern speichert legt
löschen gelöscht löscht
dauern dauert braucht beträgt
kosten kostet preis
erhalten bekommen bekam erhielt
erstmal zum
schon bereits
etwa rund ungefähr circa zirka
meist üblicherweise gewöhnlich
jährlich jahr jahre
täglich tag tage
entspringt quelle
mündet fließt
muss müssen verpflichtet
kann können darf dürfen
commencer commence débute début
finir fini achevé terminé
prévenir avertir informer
envoyer envoie transmet
réunit regroupe
environ près quelque
peut peuvent
doit doivent faut
utiliser utilise emploi
chaque tous toutes tout
situé trouve
durer dure duré
acheter acheté
vendre vendu exporte
empezar comienza empieza inicia
terminar termina acaba
nevera frigorífico
debe deben hay
unos aproximadamente cerca
cada todos todas
durar dura
comprar compró adquirió
"""
_EXACT: Final = 3


def _set(words: str) -> frozenset[str]:
    return frozenset(words.split())


def _groups() -> tuple[frozenset[str], ...]:
    return tuple(_set(row) for row in _LISTED.strip().splitlines())


_GROUPS: Final = _groups()
_PLAIN: Final = _set(
    "also both there here one ones some being having too either total respectively namely however whereas although "
    "become becomes became thus still "
    "auch dort hier dabei jeweils zudem aussi ainsi également là también además allí anche inoltre ook "
    "have has had having does did done been were was will would hat haben hatte wurde wurden wird werden sind waren "
    "avait avaient sont étaient avoir être está están fue fueron había stato stata sono zijn wordt werd foram são"
)
"""Words that add nothing by themselves."""


def says_in_other_words(words: Sequence[ClaimToken], evidence: Sequence[ReadClaim]) -> bool:
    """True if each of these words, which the evidence lacks, may stand for one that it has."""
    there = frozenset(token.text.lower() for one in evidence for token in one.tokens)
    fresh = [low for low in (token.text.lower() for token in words) if low not in _PLAIN]
    known: dict[int, bool] = {}
    for low in fresh:
        mine = [place for place, group in enumerate(_GROUPS) if _in(low, group)]
        for place in mine:
            if place not in known:
                known[place] = any(_in(other, _GROUPS[place]) for other in there)
        if not any(known[place] for place in mine):
            return False
    return True


def _in(low: str, group: frozenset[str]) -> bool:
    return low in group or any(len(entry) > _EXACT and low.startswith(entry) for entry in group)
