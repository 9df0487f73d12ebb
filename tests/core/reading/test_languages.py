"""Headers and words for sides in other languages than English are understood."""

from __future__ import annotations

import unicodedata
from collections import Counter

import pytest

from tripletscope.core.reading import load, propose
from tripletscope.core.reading.interpretation.interpret import interpret
from tripletscope.core.reading.languages import foreign_names, spellings
from tripletscope.core.reading.names import ALIASES, normalised

#: participant, trial, anchor, left, right, choice, response time; then nearer and farther; then
#: left and right as they stand in cells.
HEADERS = {
    "English": (("Participant", "Trial", "Reference", "Left", "Right", "Response",
                 "Response time (ms)"), ("nearer", "farther"), ("left", "right")),
    "German": (("Versuchsperson", "Durchgang", "Referenz", "Bild links", "Bild rechts", "Antwort",
                "Reaktionszeit (ms)"), ("ähnlicher", "unähnlicher"), ("links", "rechts")),
    "German, on an English keyboard": (
        ("Teilnehmer-ID", "Durchgang_Nr", "Referenz", "linkes_Bild", "rechtes_Bild", "gewaehlt",
         "Antwortzeit"), ("aehnlich", "unaehnlich"), ("Links", "Rechts")),
    "French": (("ID du sujet", "Essai", "Référence", "Image de gauche", "Image de droite",
                "Réponse", "Temps de réaction"), ("plus proche", "plus éloigné"),
               ("gauche", "droite")),
    "French, in capitals": (("SUJET", "ESSAI", "REFERENCE", "GAUCHE", "DROITE", "REPONSE",
                             "TEMPS_DE_REPONSE"), ("PROCHE", "ELOIGNE"), ("GAUCHE", "DROITE")),
    "Spanish": (("ID participante", "Ensayo", "Referencia", "Opción 1", "Opción 2", "Elección",
                 "Tiempo de reacción"), ("más cercano", "más lejano"), ("izquierda", "derecha")),
    "Italian": (("Soggetto", "Prova", "Riferimento", "Sinistra", "Destra", "Risposta",
                 "Tempo di risposta"), ("più vicino", "più lontano"), ("sinistra", "destra")),
    "Portuguese": (("Participante", "Tentativa", "Referência", "Esquerda", "Direita", "Resposta",
                    "Tempo de reação"), ("mais próximo", "mais distante"),
                   ("esquerda", "direita")),
    "Dutch": (("Proefpersoon", "Trialnummer", "Referentie", "Links", "Rechts", "Antwoord",
               "Reactietijd"), ("dichterbij", "verder af"), ("links", "rechts")),
    "Polish": (("Uczestnik", "Próba", "Wzorzec", "Lewy", "Prawy", "Odpowiedź", "Czas reakcji"),
               ("bliższy", "dalszy"), ("lewy", "prawy")),
    "Turkish": (("KATILIMCI", "Deneme No", "Hedef", "Sol", "Sağ", "Yanıt", "Tepki süresi"),
                ("daha yakın", "daha uzak"), ("sol", "sağ")),
    "Russian": (("Испытуемый", "Номер пробы", "Эталон", "Левый", "Правый", "Ответ",
                 "Время реакции, мс"), ("ближе", "далекий"), ("слева", "справа")),
    "Japanese": (("参加者ID", "試行番号", "基準刺激", "左画像", "右画像", "回答", "反応時間（ms）"),
                 ("近い", "遠い"), ("左", "右")),
    "Chinese": (("被试编号", "试次", "参考", "左图", "右图", "选择", "反应时"), ("更近", "更远"),
                ("左", "右")),
}
_TRIALS = (("P1", 1, "ham", "pea", "oat", 0, 1200), ("P1", 2, "fig", "oat", "pea", 1, 950),
           ("P2", 1, "pea", "ham", "fig", 0, 1801), ("P2", 2, "oat", "fig", "ham", 0, 777))
_ENGLISH = HEADERS["English"]


def asked(header, sides) -> str:
    """A file in which the choice is a side."""
    rows = [[*map(str, [*row[:5], sides[row[5]], row[6]])] for row in _TRIALS]
    return "\n".join(";".join(cells) for cells in (header, *rows))


def told(header, names) -> str:
    """A file with the nearer and the farther object, two answers in each trial."""
    head = (*header[:3], *names, header[6])
    rows = [[*map(str, (who, trial, anchor, *pair, time))]
            for who, trial, anchor, a, b, _, time in _TRIALS for pair in ((a, b), (b, "yam"))]
    return "\n".join(";".join(cells) for cells in (head, *rows))


def understood(text: str) -> tuple[dict[str, int], list]:
    """Place of the column of each role, and the answers."""
    table = load(text.encode(), "answers.csv")
    reading = propose(table)[0]
    triplets = interpret(table, reading).triplets
    places = {role: table.columns.index(column) for role, column in reading.roles.items()}
    return places, [[triplets.ids[i] for i in row] for row in triplets.rows]


@pytest.mark.parametrize("language", HEADERS)
def test_roles_are_recognised_by_their_names(language):
    header, pair, sides = HEADERS[language]
    places, answers = understood(asked(header, sides))
    assert {"anchor", "left", "right", "choice", "participant", "response_time",
            "time"} <= set(places)
    assert places == understood(asked(_ENGLISH[0], _ENGLISH[2]))[0]
    assert answers[:2] == [["ham", "pea", "oat"], ["fig", "pea", "oat"]]

    places, answers = understood(told(header, pair))
    assert {"anchor", "near", "far", "participant", "response_time", "trial"} <= set(places)
    assert places == understood(told(*_ENGLISH[:2]))[0]
    assert answers[0] == ["ham", "pea", "oat"]


def test_accents_may_be_missing_written_apart_or_as_two_letters():
    assert spellings("Ähnlich") == ("ähnlich", "ahnlich", "aehnlich")
    assert spellings("wybór") == ("wybór", "wybor")
    assert spellings("ответ") == ("ответ",)
    assert normalised(unicodedata.normalize("NFD", "Réponse")) == "réponse"
    assert normalised("反応時間（ＭＳ）") == "反応時間ms"


def test_a_word_has_one_meaning_in_all_languages():
    """Those that have two have them in English, too: a choice may be what is nearer."""
    roles = ("anchor", "left", "right", "choice", "near", "far", "participant", "response_time",
             "trial")
    meanings = Counter(name for role in roles for name in set(ALIASES[role]))
    doubled = {name for name, times in meanings.items() if times > 1}
    english = {"option1", "winner", "primary", "chosen", "selected"}
    assert doubled - english == {"gewählt", "gewahlt", "gewaehlt"}
    # Single letters, and pairs of Latin ones, are too often something else.
    short = {name for role in roles for name in foreign_names(role) if len(name) < 3}
    assert {name for name in short if name.isascii()} == {"vp", "rz"}


@pytest.mark.parametrize("column", ["weiter", "verder", "nombre", "temps", "Zeit", "tiempo", "TR"])
def test_words_that_mean_something_else_elsewhere_are_left_alone(column):
    assert normalised(column) not in set().union(*ALIASES.values())
