"""German."""

from tripletscope.dashboard.wording.german_findings import FINDINGS
from tripletscope.dashboard.wording.german_report import REPORT

THOUSANDS, PERCENT, INTERVAL = "\N{NARROW NO-BREAK SPACE}", " %", "95-%-KI"
AND, LAST_COMMA = "und", ""

NOUNS = {
    "comparison": ("Vergleich", "Vergleiche"),
    "answer": ("Antwort", "Antworten"),
    "catch trial": ("Kontrollfrage", "Kontrollfragen"),
    "cluster": ("Cluster", "Cluster"),
    "comparison of pairs": ("Paarvergleich", "Paarvergleiche"),
    "component": ("Eigenwert", "Eigenwerte"),
    "column": ("Spalte", "Spalten"),
    "dimension": ("Dimension", "Dimensionen"),
    "feature space": ("Merkmalsraum", "Merkmalsräume"),
    "fold": ("Teil", "Teile"),
    "landmark": ("Landmarke", "Landmarken"),
    "object": ("Objekt", "Objekte"),
    "participant": ("Person", "Personen"),
    "question": ("Frage", "Fragen"),
    "restart": ("Neustart", "Neustarts"),
    "simulated data set": ("simulierter Datensatz", "simulierte Datensätze"),
    "step": ("Schritt", "Schritten"),
    "trial": ("Durchgang", "Durchgänge"),
    "triad": ("Triade", "Triaden"),
    "tree": ("Baum", "Bäume"),
}

# Figures ---------------------------------------------------------------------------------------

FIGURES = {
    "about": "{name}: {objects}, {answers}.",
    "on the basis of": "auf der Grundlage von {method}",
    "as in": ", wie bei {cited}",
    "switched off": "ohne {name}",
    "average linkage": "Average-Linkage",
    "of distances": "auf den Distanzen aus {name}",
    "over answers": " über Antworten",
    "over people": " über {people}",
    "over both": " über {people} und ihre Antworten",
    "error bars": "Fehlerbalken",
    "ellipses": "Ellipsen",
    "map of": "Karte, {objects} ({method}).",
    "first axes": "Gezeigt sind die ersten zwei Hauptachsen.",
    "coloured": "Farbe: {column}.",
    "of some": " ({number} Objekte)",
    "shapes": "95-%-{shape}{whose} aus {origin}.",
    "from bootstrap": "{number} Bootstrap-Stichproben{over}",
    "from posterior": "{number} Ziehungen aus der A-posteriori-Verteilung, die alle Antworten als "
                      "die einer einzigen Person behandelt",
    "from laplace": "der Normalapproximation der A-posteriori-Verteilung, die alle Antworten als "
                    "die einer einzigen Person behandelt",
    "along the first axis": " Auf der waagerechten Achse liegen {first} und {last} am weitesten "
                            "auseinander.",
    "title map": "Karte ({method})",
    "alt map": "Streudiagramm, {objects} an ihren Orten in der Karte.{far}",
    "strips of": "Die Objekte mit den höchsten Gewichten in jeder Dimension ({method}), ihre "
                 "Gewichte als Balken im Verhältnis zum höchsten aller Dimensionen, und das "
                 "Histogramm aller Gewichte mit logarithmischen Höhen. {about}",
    "from to": ", {first} bis {last}",
    "title strips": "Dimensionen ({method})",
    "alt strips": "Zeilen mit den Objekten der höchsten Gewichte, {number}, je mit Histogramm.",
    "reproducibility of": "Korrelation jeder Dimension mit der ähnlichsten in {number} Anpassungen "
                          "{against} ({method}): Mittel und Spannweiten. Gepunktet: r = 0,8.",
    "halves": "an Hälften der Durchgänge",
    "starts": "mit anderen Startwerten",
    "title reproducibility": "Wiederfindbarkeit der Dimensionen",
    "penalty of": "Log-Likelihood zurückgehaltener Durchgänge je nach Stärke der Strafe "
                  "({method}), und die Zahl der Dimensionen. Balken: Standardfehler des "
                  "Unterschieds zum besten Wert in denselben Durchgängen. Gewählt: {chosen}, "
                  "{why}.",
    "predicts best": "womit am besten vorhergesagt wird",
    "none is left": "wo keine Dimension bleibt, da bei keiner Strafe sicher besser als durch Raten "
                    "vorhergesagt wird",
    "title penalty": "Vorhersage je nach Stärke der Strafe",
    "matrix of": "Ähnlichkeiten nach {method}, geordnet nach dem Average-Linkage-Baum darüber; "
                 "ohne Diagonale. {about}",
    "title matrix": "Ähnlichkeiten ({method})",
    "alt matrix": "Matrix der Ähnlichkeiten in Farben ({objects}), darüber ein Baum.",
    "spectrum of": "Eigenwerte des zentrierten Kerns ({method}) und der Bereich, in dem {share} "
                   "der Eigenwerte von {number} Datensätzen mit permutierten Antworten liegen.",
    "title spectrum": "Spektrum des Kerns",
    "alt spectrum": "Fallende Eigenwerte; {number} oberhalb des Bandes permutierter Antworten.",
    "reliability of": "Anteil der {number} zurückgehaltenen Antworten, die wie vorhergesagt "
                      "ausfielen, gegen die vorhergesagte Wahrscheinlichkeit ({method}). Auf der "
                      "Diagonalen sind Vorhersagen verlässlich.",
    "title reliability": "Verlässlichkeit vorhergesagter Antworten",
    "caption coverage": "Anteil der wahren Orte in ihren Ellipsen, gegen den nominalen Anteil.",
    "title coverage": "Überdeckung der Ellipsen",
    "caption calibration": "Anteil richtig geordneter Distanzen, gegen die Ordnungssicherheit.",
    "title calibration": "Kalibrierung der Ordnungssicherheit",
    "calibration of": "{number} wie diese Antworten, mit dem Antwortmodell von {method}.",
    "alt diagonal": "Kurven neben einer Diagonalen, auf der beobachtete und vorhergesagte Anteile "
                    "gleich sind.",
    "dimensions of": "Fehler auf zurückgehaltenen Antworten nach der Zahl der Dimensionen "
                     "({methods}), mit 95-%-Intervallen{over}.",
    "ceiling band": "Band: die Rauschgrenze, von ihrer unteren zu ihrer oberen Schranke.",
    "title dimensions": "Vorhersagefehler nach der Zahl der Dimensionen",
    "alt dimensions": "Kurve des Vorhersagefehlers, am niedrigsten mit {d} Dimensionen bei "
                      "{error}.",
    "uncertainty by dimension of": "Mittlere Unsicherheit von Distanzvergleichen nach der Zahl der "
                                   "Dimensionen ({method}).",
    "title uncertainty by dimension": "Mittlere Unsicherheit nach der Zahl der Dimensionen",
    "tuning of": "Kreuzvalidierter Fehler nach der Stärke des Priors und der Zahl der Dimensionen "
                 "({method}, gemittelt über Neustarts).",
    "title tuning": "Vorhersagefehler nach der Stärke des Priors",
    "learning of": "Fehler auf einem zurückgehaltenen Fünftel der Fragen gegen die Zahl der "
                   "Antworten ({method}), {number} zufällige Teilungen, mit 95-%-Band{over}.",
    "title learning": "Lernkurve",
    "alt learning": "Kurve des Vorhersagefehlers, von {first} mit den wenigsten bis {last} mit den "
                    "meisten Antworten.",
    "alt curve": "Kurven; ihre Werte stehen in der Tabelle gleichen Namens.",
    "alt rows": "Punkte mit Intervallen, eine Zeile je Gruppe.",
    "forest of": "Fehler von Vergleichswäldern bei der Vorhersage von {column} ({number}) gegen "
                 "die Zahl der Bäume (Blattgröße {size}, {folds} Teile), mit 95-%-Intervallen. Die "
                 "anderen Verfahren sehen {source}.",
    "sees map": "die Karte",
    "sees features": "die Merkmale der Objekte ({method})",
    "title forest": "Vorhersage von {column} durch Vergleichswälder",
    "search of": "Wie oft Bäume den nächsten Nachbarn verfehlen ({number}, nicht in den Bäumen), "
                 "gegen die Blattgröße, mit 95-%-Intervallen.",
    "title search": "Nächste Nachbarn durch Bäume",
    "features of": "Anteil zurückgehaltener Wahlen, die Merkmale vorhersagen, vom Zufall aus, mit "
                   "95-%-Intervallen über Objekte und zugleich{over}: die Distanzen, wie sie "
                   "sind, mit Gewichten ihrer Dimensionen und nach einer linearen Abbildung. "
                   "{about}",
    "title features": "Vorhersage der Wahlen durch Merkmale",
    "alt features": "Balken der Genauigkeit von {number}; am besten ist {best}.",
    "feature weights of": "Anteil jedes Merkmals an dem, was eine Wahl entscheidet (Gewichte von "
                          "mindestens 0), mit 95-%-Intervallen aus {number} Bootstrap-"
                          "Stichproben{over}. {about}",
    "title feature weights": "Was jedes Merkmal zählt",
    "alt feature weights": "Eine Zeile für jedes Merkmal mit seinem Intervall; am größten ist "
                           "{first}.",
    "unique of objects": "Devianz des Ratens, die Prädiktoren an zurückgehaltenen Objekten "
                         "erklären, jeder allein und über alle anderen hinaus, mit "
                         "95-%-Intervallen über Objekte und zugleich{over}. {about}",
    "unique of trials": "Devianz des Ratens, die Prädiktoren an zurückgehaltenen Durchgängen "
                        "erklären, jeder allein und über alle anderen hinaus, mit "
                        "95-%-Intervallen über Objekte und zugleich{over}. {about}",
    "title unique": "Eigene und gemeinsame Anteile der Prädiktoren",
    "alt unique": "Eine Zeile für jeden von {number} Prädiktoren, mit dem, was er allein und über "
                  "alle anderen hinaus erklärt.",
    "map correlation of": "Rangkorrelation der Distanzen zwischen Merkmalen mit denen der Karte "
                          "({map}), mit 95-%-Intervallen über Objekte und zugleich{over}. {about}",
    "halves band": "Band: die Korrelation der Karten zweier Hälften der Antworten und die höchste, "
                   "die zu erwarten ist.",
    "title map correlation": "Merkmale und die Karte",
    "alt map correlation": "Eine Zeile für jeden von {number}; am höchsten korreliert {best}.",
    "left over of": "Karte dessen, was übrig lassen: {features}. Objekte, die auseinander liegen, "
                    "wirken verschiedener, als ihre Merkmale sagen. {about}",
    "left over noise": "Sie hilft nicht bei der Vorhersage und kann Rauschen sein.",
    "title left over": "Was Merkmale übrig lassen",
    "alt left over": "Streudiagramm von {objects} nach dem, was ihre Merkmale nicht erklären.",
    "left over parts of": "Devianz des Ratens, die Merkmale, eine Karte neben ihnen und eine "
                          "Karte allein an zurückgehaltenen Durchgängen erklären, mit "
                          "95-%-Intervallen über Objekte und zugleich{over}. {about}",
    "title left over parts": "Merkmale mit und ohne Karte",
    "group errors of": "Fehler auf zurückgehaltenen Antworten je {by}, gelernt aus dessen übrigen "
                       "Antworten ({method}), mit 95-%-Intervallen.",
    "title group errors": "Vorhersagefehler nach {by}",
    "weights of": "Gewichte, die je {by} den Achsen einer gemeinsamen Karte gegeben werden "
                  "({method}), {people} insgesamt; das Mittel ist 1.",
    "weights read": "Balken: 95-%-Intervalle. Die Richtung zeigt, worauf geachtet wird, der "
                    "Abstand vom Ursprung, wie beständig geantwortet wird; auf der "
                    "gepunkteten Linie zählen alle Achsen gleich.",
    "weights triangle": "Nahe einer Ecke zählt nur diese Achse, in der Mitte zählen alle gleich; "
                        "Beständigkeit ist nicht zu sehen.",
    "weights strips": "Balken: 95-%-Intervalle. In jedem Streifen stehen die Punkte nach "
                      "Beständigkeit.",
    "title weights": "Gewichte der Achsen nach {by}",
    "alt weights": "Punkte nach den Gewichten der Achsen; die Werte stehen in der gleichnamigen "
                   "Tabelle.",
    "membership of": "Wahrscheinlichkeit, mit der je {by} zu jeder von {groups} Gruppen gehört "
                     "({method}), {people} insgesamt.",
    "title membership": "Zugehörigkeit zu Gruppen",
    "alt membership": "Ein gestapelter Balken je Person, nach Gruppen.",
    "group maps of": "Karte aller Antworten und von {groups} Gruppen ({method}), zur Karte aller "
                     "gedreht.",
    "title group maps": "Karten der Gruppen",
    "alt group maps": "Kleine Karten nebeneinander.",
    "map of all": "alle",
    "map of group": "Gruppe {number} ({share})",
    "people gains of": "Gewinn an Wahrscheinlichkeit zurückgehaltener Antworten gegenüber einer "
                       "Karte für alle, nach {by} ({method}, {folds} Teile), geometrisches Mittel "
                       "mit gepaarten 95-%-Intervallen{over}.",
    "title people gains": "Was individuelle Unterschiede vorhersagen, nach {by}",
    "lapses of": "Anteil der Antworten, die geraten erscheinen ({method}, mit der Karte "
                 "geschätzt), mit 95-%-Intervallen: die {shown} höchsten ({people}). Deutlich "
                 "häufiger: als die mittlere Person (Linie) und als in {low} der Durchgänge, "
                 "korrigiert für die Zahl der Personen.",
    "title lapses": "Anteile geratener Antworten",
    "alt lapses": "Punkte mit Intervallen, einer je Person ({number}).",
    "tree of": "{method}. {about} Geschnitten in {clusters}.",
    "support": "Zahlen: Prozent der Bootstrap-Bäume, die den Zweig enthalten.",
    "title tree": "Baum ({method})",
    "alt tree": "Baum ({objects}), geschnitten in Cluster mit so vielen Objekten: {clusters}.",
    "clusters on a map": "{method}: {clusters}, gezeigt auf der Karte von {map}.",
    "title clusters": "Cluster ({method})",
    "alt clusters": "Karte, deren Farben Cluster mit so vielen Objekten zeigen: {clusters}.",
    "silhouettes of": "Mittlere Silhouette gegen die Zahl der Cluster ({method}). Gestrichelt: "
                      "Teile einer Linie, eines Rings oder einer Wolke gleicher Ausdehnung, je "
                      "nachdem, welche am dichtesten sind, mit Standardabweichungen.",
    "title silhouettes": "Zahl der Cluster: Silhouetten",
    "alt silhouettes": "Kurve der Silhouetten, am höchsten für {number}, neben der eines "
                       "Kontinuums.",
    "stability of": "Übereinstimmung (korrigierter Rand-Index) mit den Clustern von {number} "
                    "Bootstrap-Stichproben{over} ({method}), mit Standardabweichungen.",
    "title stability": "Stabilität der Cluster",
    "alt stability": "Kurve der Übereinstimmung, am höchsten für {number}.",
    "rank of objects": "Rang in der Reihenfolge der Objekte",
    "object id": "Objekt",
    "scale of": "Wahrnehmungsskala gegen {stimulus}: {methods}. {about} Punktweise "
                "95-%-Bänder{over}.",
    "scales aligned": "Alle außer der ersten sind nach kleinsten Quadraten auf sie verschoben und "
                      "skaliert.",
    "title scale": "Wahrnehmungsskala gegen {stimulus}",
    "alt scale": "Kurve der Wahrnehmungsskala von 0 bis 1 über {stimulus} von {low} bis {high}, "
                 "mit Band.",
    "alt scales": "Kurven von Wahrnehmungsskalen, die erste von 0 bis 1, über {stimulus} von {low} "
                  "bis {high}, mit Bändern.",
    "residuals of": "Verteilung der Devianzresiduen ({method}) in der 95-%-Hülle von "
                    "Antworten nach dem Modell.",
    "title residuals": "Residuen der Differenzskalierung",
    "alt residuals": "Kurve der Residuen; {share} liegen außerhalb ihrer Hülle.",
}

TEXTS = FIGURES | FINDINGS | REPORT
