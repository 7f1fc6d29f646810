"""Words so general that a passage may answer without them: a question about the sea needs `sea`, not `usually`."""

from __future__ import annotations

from typing import Final

__all__ = ["EMPTY_WORDS", "LIGHT_WORDS"]

LIGHT_WORDS: Final = {
    "en": (
        "able accept account across act add affect again against agree ahead allow almost alone along already "
        "always amount another answer anyone anything appear apply around arrive ask available avoid away back "
        "bad base basic became become before begin behind believe best better between big bit both bring brought "
        "build call came carry case cause certain chance change check choose clear close come common complete "
        "consider contain continue copy correct course create cut deal decide deep detail determine differ "
        "difference different difficult directly done down drop due during each early easy effect either else end "
        "enough ensure entire especially even event ever every everyone everything exactly example exist expect "
        "experience fact fall far feel few fill final fine first fit follow force form free full further gave "
        "general get give given go gone good got great group grow handle happen hard hear held high hold idea "
        "important improve include increase indeed inside instead involve issue item job just keep kind knew know "
        "known lack large last late lead learn least leave left less let level like likely line little live local "
        "long look lose lot low made main maintain major make many matter may maybe mean meant meet mention "
        "method might mind moment more most mostly move much must near necessary need never new next nice none "
        "normal note nothing now occur off offer often ok old once one only open option order other out outside "
        "over overall own part particular pass past people per perform perhaps person pick place plan play point "
        "possible prefer present pretty prevent probably produce properly purpose put quick quickly quite rather "
        "reach read ready real really reason receive recent relate remain remove replace require rest result "
        "right role round rule run said same save saw say see seem seen send separate serious set several shall "
        "short shown side similar simple simply since situation small soft someone something sometimes soon sort "
        "speak special specific spend stand start stay step still stop suggest supply suppose sure take taken "
        "talk term thing think though three through thus today together too took top total toward tried true try "
        "turn two type under understand until up upon use used useful usual usually value various very view wait "
        "walk want watch way well went whatever whether while whole wide win wish within without wonder work "
        "worth write wrong yes yet"
    ),
    "de": (
        "zeit allein allgemein ander arbeiten art bedeuten bedeutet beginnen beispiel bekommen besonders besser "
        "bestimmt bleiben brauchen bringen dabei dafür dazu dürfen eigentlich einfach einige enthalten erhalten "
        "erst erste fall finden folgend früher ganz geben gehen gelegt gelten gemacht genau gerade gilt gleich "
        "groß gut halten heißt immer jetzt kennen kommen kommt kurz können lange lassen laufen legen leicht "
        "letzte liegen machen macht möglich müssen nehmen neu nie normal nutzen oft passieren sagen schnell schon "
        "sehen selbst setzen sollen sollte sonst stehen stellen stets teil tun unterschied verwenden viele "
        "vielleicht warten weg weise weiter wenig wichtig wissen wohl wollen ziemlich zwei überhaupt"
    ),
    "es": (
        "tiempo ahora algunos algún antes aquí así aunque bien bueno cada casi caso cierto conocer creer cualquier "
        "cuenta dar debe deber decir dejar dentro después diferencia diferente dos ejemplo empezar encontrar "
        "entonces entrar estar existe existir forma fuera general gran grande haber hablar hacer importante "
        "incluir incluye ir largo llegar llevar lugar manera mayor mejor menos mismo modo mucho muchos nada "
        "necesario necesita necesitar nuevo nunca ocurrir otro parte pasar poco poder poner posible primero "
        "propio quedar querer recibir saber salir seguir según siempre significa tanto tener tipo tomar trabajar "
        "tratar usa usar varios venir ver vez"
    ),
    "fr": (
        "temps aller alors après arriver aujourd aussi autre avant beaucoup besoin bien bon cas certain chaque chose "
        "commencer connaître demander dernier devenir devoir devrait différence différent dire doit donner déjà "
        "encore ensuite entre exemple existe exister facile facilement faire falloir façon fois grand général "
        "important inclure inclut jamais jour laisser lieu long maintenant manière meilleur mettre mieux moins "
        "même nombre nouveau nécessaire partie passer petit peu possible pouvoir premier prendre propre quelque "
        "recevoir rendre rester savoir selon signifie souvent suivre sujet tenir toujours travailler trouver très "
        "type utilise utiliser venir voir vouloir vrai"
    ),
    "it": (
        "tempo alcuni allora altro ancora andare avere bene "
        "bisogno buono capire caso certo chiedere ciascuno conoscere "
        "così dare deve devo differenza dire diverso dovere due esempio esiste esistere fare finire forma "
        "generale già grande importante include includere iniziare lasciare lungo maggiore mai meglio meno mentre "
        "mettere modo molti molto necessario niente nuovo ora parte passare piccolo poco poi possibile posso "
        "potere prendere prima primo proprio qualche ricevere rimanere sapere sempre significa spesso stare "
        "stesso tenere tipo trovare usa usare vedere venire volere volta"
    ),
    "nl": (
        "tijd af alleen allemaal altijd ander beginnen betekenen betekent beter bijvoorbeeld blijven brengen daarna "
        "deel doen doet eerst eerste eigen elk even gaan gaat gebeuren gebruiken gebruikt geeft geven goed groot "
        "hier houden iets jaar komen komt kort krijgen laat laatste lang lange laten leggen liggen lijken maakt "
        "maken manier meest moeten mogelijk mogen nemen nieuw nodig nooit normaal nu ooit pas plaats precies snel "
        "soms soort staan stellen te toch twee vaak verschil verschillend vinden volgen vragen weer weg weinig "
        "werken weten wil willen worden zeer zeggen zelf zetten zien zoals zullen"
    ),
    "pt": (
        "tempo agora ainda algum alguns ali antes aqui assim bem bom cada caso certo chegar coisa começar conhecer dar "
        "deixar depois dever devo diferente diferença dizer dois encontrar então estar exemplo existe existir "
        "falar faz fazer ficar forma geral grande haver importante inclui incluir ir levar lugar maior maneira "
        "melhor menos mesmo modo muito muitos nada necessário nova novo nunca ocorrer outro parte passar pequeno "
        "poder posso possível pouco precisar preciso primeiro próprio querer receber saber sair seguir segundo "
        "sempre significa tanto tipo todo tomar trabalhar usa usar ver vez vir vários"
    ),
    "ru": (
        "\u0431\u043e\u043b\u044c\u0448\u043e\u0439 \u0432\u0437\u044f\u0442\u044c \u0432\u0438\u0434 "
        "\u0432\u043e\u0437\u043c\u043e\u0436\u043d\u043e \u0432\u0440\u0435\u043c\u044f "
        "\u0432\u0441\u0435\u0433\u0434\u0430 \u0433\u043b\u0430\u0432\u043d\u044b\u0439 "
        "\u0433\u043e\u0432\u043e\u0440\u0438\u0442\u044c \u0434\u0430\u0432\u0430\u0442\u044c "
        "\u0434\u0430\u0436\u0435 \u0434\u0435\u043b\u0430\u0442\u044c \u0434\u043e\u043b\u0436\u0435\u043d "
        "\u0434\u0440\u0443\u0433\u043e\u0439 \u0437\u043d\u0430\u0442\u044c "
        "\u0437\u043d\u0430\u0447\u0438\u0442 \u0438\u043c\u0435\u0442\u044c "
        "\u0438\u043d\u043e\u0433\u0434\u0430 "
        "\u0438\u0441\u043f\u043e\u043b\u044c\u0437\u043e\u0432\u0430\u0442\u044c "
        "\u043a\u0430\u0436\u0434\u044b\u0439 \u043a\u043e\u0442\u043e\u0440\u044b\u0439 "
        "\u043b\u0443\u0447\u0448\u0435 \u043c\u043d\u043e\u0433\u043e \u043c\u043e\u0447\u044c "
        "\u043d\u0430\u0439\u0442\u0438 \u043d\u0430\u0447\u0430\u0442\u044c "
        "\u043d\u0435\u043e\u0431\u0445\u043e\u0434\u0438\u043c\u043e \u043d\u0438\u043a\u043e\u0433\u0434\u0430 "
        "\u043d\u043e\u0432\u044b\u0439 \u043e\u0431\u044b\u0447\u043d\u043e \u043e\u0434\u0438\u043d "
        "\u043e\u0447\u0435\u043d\u044c \u043f\u0435\u0440\u0432\u044b\u0439 "
        "\u043f\u043e\u043b\u0443\u0447\u0438\u0442\u044c \u043f\u043e\u0441\u043b\u0435 "
        "\u043f\u0440\u0438\u043c\u0435\u0440 \u0440\u0430\u0431\u043e\u0442\u0430\u0442\u044c "
        "\u0440\u0430\u0437 \u0440\u0430\u0437\u043d\u0438\u0446\u0430 \u0440\u0430\u0437\u043d\u044b\u0439 "
        "\u0441\u0430\u043c\u044b\u0439 \u0441\u0432\u043e\u0439 \u0441\u0434\u0435\u043b\u0430\u0442\u044c "
        "\u0441\u043a\u0430\u0437\u0430\u0442\u044c \u0441\u043b\u0435\u0434\u0443\u0435\u0442 "
        "\u0441\u043b\u0443\u0447\u0430\u0439 \u0441\u0442\u0430\u0442\u044c \u0442\u0430\u043a\u043e\u0439 "
        "\u0442\u043e\u0436\u0435 \u0445\u043e\u0440\u043e\u0448\u043e \u0445\u043e\u0442\u0435\u0442\u044c "
        "\u0447\u0430\u0441\u0442\u043e \u0447\u0430\u0441\u0442\u044c"
    ),
}
"""Verbs, adverbs and the like, by language, each in one of its forms: they are compared by their stems."""

_EMPTY: Final = (
    "able affect allow always amount anyone anything apply ask available away back become believe best better "
    "bring case certain change come consider contain day deal difference different do does done easy effect "
    "else especially ever every everything exactly example exist expect find first follow full gave general "
    "get give given go gone good got great happen have help idea important include information involve issue "
    "item just keep kind knew know known level like likely line long look lot made main major make many "
    "matter may maybe mean meant method might most mostly much must near need normal normally now off offer "
    "often ok old one out over part particular people perform perhaps person place play point possible prefer "
    "present probably properly provide purpose put quite rather really reason receive relate require right "
    "role said same say see seem set several should show similar simple simply since situation something "
    "sometimes still sure take taken tell term thing think time together took total try type under understand "
    "up use used usual usually value various version very want way well whole work write"
)
EMPTY_WORDS: Final = frozenset(_EMPTY.split())
"""Of the English ones, those that no answer has to hold: "how do I *make* a backup", and not "who *maintains* it"."""
