"""Translations of the words in figures and exclusions."""

from __future__ import annotations

import html
import re
from collections.abc import Mapping

import plotly.graph_objects as go

_GERMAN = {
    "answers per object": "Antworten je Objekt",
    "objects": "Objekte",
    "answers like guesses": "wie geratene Antworten",
    "clearly more often than usual": "deutlich häufiger als üblich",
    "may be as often as usual": "vielleicht so oft wie üblich",
    "held-out error": "Vorhersagefehler",
    "number of runs": "Zahl der Folgen",
    "log-likelihood": "Log-Likelihood",
    "training loss, share of its highest": "Verlust beim Anpassen, Anteil am höchsten",
    "proportion of the row": "Anteil der Zeile",
    "distance error": "Distanzfehler",
    "questions per search": "Fragen je Suche",
    "position on the scale": "Ort auf der Skala",
    "share of the cluster": "Anteil des Clusters",
    "dimensions": "Dimensionen",
    "chance": "Zufall",
    "noise ceiling": "Rauschgrenze",
    "noise ceiling, lower bound": "Rauschgrenze, untere Schranke",
    "noise ceiling, upper bound": "Rauschgrenze, obere Schranke",
    "average uncertainty": "mittlere Unsicherheit",
    "training answers": "gelernte Antworten",
    "predicted probability": "vorhergesagte Wahrscheinlichkeit",
    "held-out responses as predicted": "zurückgehaltene Antworten wie vorhergesagt",
    "response probability": "Antwortwahrscheinlichkeit",
    "order certainty": "Ordnungssicherheit",
    "proportion of true orders": "Anteil wahrer Ordnungen",
    "nominal coverage": "nominale Überdeckung",
    "empirical coverage": "beobachtete Überdeckung",
    "one data set": "ein Datensatz",
    "mean": "Mittel",
    "component": "Komponente",
    "eigenvalue": "Eigenwert",
    "permuted answers": "permutierte Antworten",
    "above permuted answers": "oberhalb permutierter Antworten",
    "within chance": "im Bereich des Zufalls",
    "similarity": "Ähnlichkeit",
    "distance at which branches merge": "Distanz, bei der sich Zweige vereinen",
    "height": "Höhe",
    "cluster": "Cluster",
    "clusters": "Cluster",
    "stability": "Stabilität",
    "silhouette": "Silhouette",
    "perceptual scale (0 to 1)": "Wahrnehmungsskala (0 bis 1)",
    "perceptual scale (first: 0 to 1)": "Wahrnehmungsskala (erste: 0 bis 1)",
    "perceptual scale (units of noise)": "Wahrnehmungsskala (Einheiten des Rauschens)",
    "perceptual scale (all answers: 0 to 1)": "Wahrnehmungsskala (alle Antworten: 0 bis 1)",
    "angle around the centre (degrees)": "Winkel um die Mitte (Grad)",
    "all answers": "alle Antworten",
    "learned from": "gelernt von",
    "predicted": "vorhergesagt",
    "gain in probability of held-out answers (%)":
        "Gewinn an Wahrscheinlichkeit zurückgehaltener Antworten (%)",
    "Nearest neighbours": "Nächste Nachbarn",
    "CART forest": "CART-Wald",
    "variance unexplained": "nicht erklärte Varianz",
    "number of participants in training": "Zahl der Personen, von denen gelernt wird",
    "accuracy on another participant": "Genauigkeit an einer anderen Person",
    "rank in the order of the objects": "Rang in der Reihenfolge der Objekte",
    "number of trees": "Zahl der Bäume",
    "share of wrong classes": "Anteil falscher Klassen",
    "root mean square error": "mittlerer quadratischer Fehler (Wurzel)",
    "leaf size": "Blattgröße",
    "miss rate": "Anteil verfehlter Nachbarn",
    "Comparison forest": "Vergleichswald",
    "weight": "Gewicht",
    "weights": "Gewichte",
    "objects (logarithmic)": "Objekte (logarithmisch)",
    "product of weights": "Produkt der Gewichte",
    "similarity (sum of products)": "Ähnlichkeit (Summe der Produkte)",
    "halves of the trials": "Hälften der Durchgänge",
    "other starts": "andere Startwerte",
    "other dimensions": "andere Dimensionen",
    "correlation with its match": "Korrelation mit der ähnlichsten",
    "dimensions, the best reproduced first": "Dimensionen, am besten wiedergefundene zuerst",
    "penalty": "Strafe",
    "held-out log-likelihood of a trial": "Log-Likelihood eines zurückgehaltenen Durchgangs",
    "deviance residual": "Devianzresiduum",
    "share": "Anteil",
    "part of each participant's answers": "Teil der Antworten jeder Person",
    "share below": "Anteil darunter",
    "cut": "Schnitt",
    "accuracy": "Genauigkeit",
    "rank correlation": "Rangkorrelation",
    "share of the weights": "Anteil an den Gewichten",
    "deviance explained": "erklärte Devianz",
    "alone": "allein",
    "beyond all others": "über alle anderen hinaus",
    "as they are": "wie sie sind",
    "weighted dimensions": "gewichtete Dimensionen",
    "linear transform": "lineare Abbildung",
    "held-out objects": "zurückgehaltene Objekte",
    "held-out trials": "zurückgehaltene Durchgänge",
    "answers collected": "erhobene Antworten",
    "further answers predicted": "vorhergesagte weitere Antworten",
    "radius of ellipses / size of map": "Radius der Ellipsen / Größe der Karte",
    "shape unexplained": "nicht erklärte Form",
    "upper limit (noise)": "Obergrenze (Rauschen)",
    "wanted": "gewünscht",
    "guessing": "Raten",
    "noise level": "Rauschen",
    "length scale": "Längenskala",
    "share of the simulations": "Anteil der Simulationen",
    "manual selection": "Auswahl von Hand",
    "weights by lapse rate": "Gewichte nach dem Anteil geratener Antworten",
    "failed catch or gold questions": "verfehlte Kontrollfragen",
    "other values of a column": "andere Werte einer Spalte",
    "fast participants": "schnelle Personen",
    "fast answers": "schnelle Antworten",
    "slow answers": "langsame Antworten",
    "missing response time": "fehlende Antwortzeit",
    "too few trials": "zu wenige Durchgänge",
    "side bias": "Bevorzugung einer Seite",
    "sequential side pattern": "regelmäßige Folge der Seiten",
    "fast blocks": "schnelle Blöcke",
    "duplicates": "doppelte Antworten",
    "low inter-observer agreement": "geringe Übereinstimmung mit anderen",
    "low intra-observer consistency": "geringe Übereinstimmung mit sich selbst",
    "max. proportion": "höchster Anteil",
    "min. proportion": "kleinster Anteil",
    "max. seconds": "höchstens Sekunden",
    "min. seconds": "mindestens Sekunden",
    "min. trials": "mindestens Durchgänge",
    "min. shared questions": "mindestens gemeinsame Fragen",
    "min. pairs of repeats": "mindestens Paare von Wiederholungen",
    "min. fast blocks": "mindestens schnelle Blöcke",
    "fifth fastest below (s)": "fünftschnellste unter (s)",
    "tenth fastest below (s)": "zehntschnellste unter (s)",
    "p below": "p unter",
    "column": "Spalte",
    "kept values": "behaltene Werte",
}
#: After the name of a column and a comma, on axes: names of objects and groups stay as they are.
_GERMAN_AFTER_COLUMN = {"predicted": "vorhergesagt", "true": "wahr"}
_WORDS: Mapping[str, Mapping[str, str]] = {"en": {}, "de": _GERMAN}
_BREAK, _LIMIT = re.compile(r"\s*<br>\s*"), re.compile(r", (?=[^:,]+: )")


def localised(figure: go.Figure, language: str) -> go.Figure:
    """A figure with title and legend texts in another language where the table has them."""
    words = _WORDS[language]
    if not words:
        return figure
    for axis in (*figure.select_xaxes(), *figure.select_yaxes()):
        column, _, what = (axis.title.text or "").rpartition(", ")
        axis.title.text = (
            f"{column}, {_GERMAN_AFTER_COLUMN[what]}" if column and what in _GERMAN_AFTER_COLUMN
            else _translated(axis.title.text, words)
        )
    for note in figure.layout.annotations:
        note.text = _translated(note.text, words)
    for trace in figure.data:
        trace.name = _translated(trace.name, words)
        for place in (trace, getattr(trace, "marker", None)):
            bar = getattr(place, "colorbar", None)
            if bar is not None and bar.title.text:
                bar.title.text = _translated(bar.title.text, words)
    title = figure.layout.legend.title
    title.text = _translated(title.text, words)
    return figure


def step_said(title: str, language: str) -> str:
    """An exclusion and its limits within a sentence: see `Exclusion.title`."""
    words = _WORDS[language]
    name, _, limits = title.partition(" (")
    name = name[:1].lower() + name[1:]
    pairs = (
        limit.partition(": ") for limit in _LIMIT.split(limits.removesuffix(")")) if limit
    )
    listed = ", ".join(f"{words.get(what, what)}: {value}" for what, _, value in pairs)
    return words.get(name, name) + (f" ({listed})" if listed else "")


def _translated(text: str | None, words: Mapping[str, str]) -> str | None:
    if not text:
        return text
    return words.get(_BREAK.sub(" ", html.unescape(text)), text)
