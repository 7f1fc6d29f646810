"""Pairs of words that say the opposite of each other, in the languages of the check; a row is one pair of groups."""

from __future__ import annotations

from typing import Final

__all__ = ["OPPOSITES"]

_OPPOSED: Final = """
more greater higher larger bigger longer above over exceeds exceeded exceed mehr höher größer länger
    über plus supérieur más mayor | less fewer lower smaller shorter below under lesser weniger niedriger
    kleiner kürzer unter moins inférieur menos menor
increase increases increased increasing rise rises rose risen rising grow grows grew grown growing gain
    gained gains climbed climb steigt stieg gestiegen augmente augmenté hausse aumenta aumentó | decrease
    decreases decreased decreasing fall falls fell fallen falling shrink shrinks shrank shrunk decline
    declines declined drop drops dropped reduce reduces reduced lost loses lose sinkt sank gesunken diminue
    baisse disminuye disminuyó bajó
before earlier prior vor früher avant antes | after later nach später après después
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
open opens opened abierto abierta abiertos abiertas aperto aperta aberto aberta geöffnet offen ouvert ouverte ouverts
    open geopend | closed shut cerrado cerrada cerrados cerradas chiuso chiusa fechado fechada geschlossen fermé fermée
    fermés gesloten
allowed permitted may erlaubt zulässig autorisé permitido permesso toegestaan | forbidden prohibited banned barred
    verboten unzulässig untersagt interdit prohibido prohibida vietato vietata proibido verboden
increase increased rise rose grow grew steigen stieg gestiegen zugenommen wuchs augmenter augmenté progressé hausse
    aumentar aumentó subió creció aumentato cresciuto gestegen toegenomen aumentou subiu cresceu | decrease decreased
    fall fell decline declined sinken sank gesunken gefallen abgenommen diminuer diminué reculé baissé baisse
    disminuir disminuyó bajó cayó diminuito calato sceso gedaald afgenomen diminuiu caiu
more mehr plus más più meer mais | less fewer weniger moins menos meno minder
highest tallest largest biggest greatest longest höchste höchsten größte größten plus-grand mayor maggiore hoogste
    grootste | lowest shortest smallest least niedrigste kleinste kleinsten menor minore laagste kleinste
higher taller höher größer supérieur superior hoger | lower shorter niedriger kleiner inférieur inferior lager
before vor avant antes prima voor antes | after nach après después dopo na depois
always stets immer toujours siempre sempre altijd | never niemals nie jamais nunca mai nooit nunca
all every everyone alle jeder jede tous toutes todos todas tutti alle todos | none no-one nobody keine kein aucun aucune
    ninguno nessuno geen nenhum
win won winner beat defeated siegte gewann vainqueur gagné ganó venció vinto gewonnen ganhou venceu | lose lost loser
    defeat verlor unterlag perdu perdió perdieron perso verloren perdeu
buy bought buyer acquired acquire kaufte erwarb acheté acheteur compró comprador comprato kocht comprou | sell sold
    seller verkaufte vendu vendeur vendió vendedor venduto verkocht vendeu
accept accepted approve approved granted grant upheld annahm angenommen genehmigt stattgegeben accordé approuvé aceptó
    aprobó aprobada accolto approvato goedgekeurd aprovou | reject rejected refuse refused denied deny dismissed
    overturned abgelehnt zurückgewiesen rejeté refusé rechazó rechazada respinto rifiutato afgewezen rejeitou
guilty convicted schuldig verurteilt coupable culpable colpevole schuldig culpado | innocent acquitted cleared
    freigesprochen unschuldig acquitté innocent absuelto innocente assolto vrijgesproken absolvido
valid lawful legal gültig rechtmäßig valable válido valido geldig | invalid void unlawful illegal ungültig nichtig
    rechtswidrig nul nulo nullo ongeldig
import imports imported importiert importe importa | export exports exported exportiert exporte exporta
profit profits gain surplus gewinn überschuss bénéfice beneficio utile winst lucro | loss losses deficit verlust defizit
    perte pérdida perdita verlies prejuízo
credit lend lent lender creditor gläubiger créancier acreedor | debit borrow borrowed borrower debtor schuldner
    débiteur deudor
employer arbeitgeber employeur | employee arbeitnehmer employé salarié
arrive arrived arrives ankommen ankam arrivé llegó | depart departed left leaves abfahren abfuhr parti salió
enter entered entry entrance eintritt entrée entrada | exit exited leave austritt sortie salida
upstream flussaufwärts amont | downstream flussabwärts aval
upper obere oberen supérieur superior | lower untere unteren inférieur inferior
inside within innerhalb intérieur dentro | outside beyond außerhalb extérieur fuera
early earlier earliest früh tôt temprano | late later latest spät tard tarde
day daytime tag tagsüber jour día giorno dag dia | night nighttime nacht nachts nuit noche notte nacht noite
summer sommer été verano estate zomer verão | winter hiver invierno inverno winter
morning morgens matin mañana | evening abends soir tarde
male males man men mann männer männlich homme hombre | female females woman women frau frauen weiblich femme mujer
child children kinder enfants niños | adult adults erwachsene erwachsenen adultes adultos
public öffentlich publique público pubblico | private privat privé privado privato
major majority mehrheit majorité mayoría maggioranza meerderheid maioria | minor minority minderheit minorité minoría
    minoranza minderheid minoria
deeper tiefer | shallower flacher
near nearer closer nahe près cerca | far farther further weit loin lejos
visible sichtbar | invisible unsichtbar hidden
possible möglich possible posible possibile mogelijk possível | impossible unmöglich impossible imposible impossibile
    onmogelijk impossível
known bekannt connu conocido noto bekend conhecido | unknown unbekannt inconnu desconocido ignoto onbekend desconhecido
effective wirksam efficace eficaz | ineffective unwirksam useless inefficace ineficaz
benign gutartig bénin benigno | malignant bösartig malin maligno
chronic chronisch chronique crónico | acute akut aigu agudo
raise raises raised erhöht erhöhte relevé subió | lower lowers lowered cut senkt senkte gesenkt abaissé bajó
encrypt encrypted verschlüsselt chiffré cifrado | decrypt decrypted unencrypted plaintext unverschlüsselt
read-only | writable
lock locks locked gesperrt | unlock unlocks unlocked release releases freigegeben
install installs installed | uninstall uninstalls uninstalled removes
upload uploads uploaded | download downloads downloaded
synchronous | asynchronous
older earlier älter old alt alte alten ancien ancienne viejo vieja antiguo vecchio vecchia oude | newer later neuer
    récent reciente new neu neue neuen nouveau nouvelle nuevo nueva nuovo nuova nieuw nieuwe
attack attacked attacks angriff | defend defended defends verteidigt
ally allied verbündet allié aliado | enemy enemies hostile feind ennemi enemigo
victory sieg victoire victoria vittoria overwinning vitória | defeat niederlage défaite derrota sconfitta nederlaag
born geboren né née nació nato geboren nasceu | died dead gestorben starb mort morte murió morto overleden morreu
founded established gegründet fondé fundada fundado | dissolved abolished closed aufgelöst dissous disuelto
build built erbaut construit construyó | demolish demolished destroyed abgerissen zerstört démoli détruit derribó
    destruyó
appointed hired ernannt nommé nombrado nombró | dismissed fired sacked removed entlassen renvoyé destituido destituyó
expanded widened extended erweitert élargi amplió | reduced narrowed shortened verkleinert réduit redujo
voluntary freiwillig volontaire voluntario | compulsory mandatory obligatory pflicht verpflichtend obligatoire
    obligatorio
free gratis kostenlos gratuit gratuito | paid kostenpflichtig payant
domestic inländisch national interno | foreign ausländisch étranger extranjero
direct direkt | indirect indirekt
simple easy einfach leicht facile fácil | difficult hard complicated schwierig schwer difficile difícil
rich reich riche rico | poor arm pauvre pobre
healthy gesund sain sano | sick ill unhealthy krank malade enfermo
full voll plein lleno | empty leer vide vacío
clean sauber propre limpio | dirty schmutzig sale sucio
soft weich doux blando | hard hart dur duro
continue continues continued goes-on weitergeht dauert continúa continue | stop stops stopped cease ceases ceased
keep keeps kept retain retains retained preserve preserves behält garde conserve conserva | remove removes removed
    delete deletes deleted discard discards discarded löscht entfernt supprime elimina
because due owing thanks wegen | despite spite notwithstanding trotz malgré
with mit avec con | without ohne sans sin
stay stays stayed remain remains remained bleibt blieb reste restent queda | leave leaves left depart departs departed
favour favor supported backed zugunsten faveur favor | against opposed gegen contre contra
"""


def _sets(rows: str) -> tuple[tuple[frozenset[str], frozenset[str]], ...]:
    pairs = (row.split("|") for row in rows.strip().replace("\n    ", " ").splitlines())
    return tuple((frozenset(one.split()), frozenset(other.split())) for one, other in pairs)


OPPOSITES: Final = _sets(_OPPOSED)
"""Both sides of every pair; a line that says one side where its evidence says only the other has turned it round."""
