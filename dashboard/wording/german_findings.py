"""What results say, in German; see `Words` for how fields are written."""

FINDINGS = {
    # Merkmale
    "model raw": "mit seinen Distanzen, wie sie sind",
    "model weighted": "mit gewichteten Dimensionen",
    "model linear": "nach einer linearen Abbildung",
    "features best objects": "Von den Merkmalen sagt {best:name} Wahlen unter zurückgehaltenen "
                             "Objekten am besten vorher, {how}: Genauigkeit {accuracy:estimate} "
                             "(95-%-Intervall über Objekte und zugleich{over:over}; Zufall "
                             "{chance:share}; {choices:whole} Wahlen).",
    "features best trials": "Von den Merkmalen sagt {best:name} zurückgehaltene Durchgänge am "
                            "besten vorher, {how}: Genauigkeit {accuracy:estimate} "
                            "(95-%-Intervall über Objekte und zugleich{over:over}; Zufall "
                            "{chance:share}; {choices:whole} Wahlen). Objekte konnten nicht "
                            "zurückgehalten werden.",
    "features one objects": "{best:name} sagt Wahlen unter zurückgehaltenen Objekten vorher, "
                            "{how}: Genauigkeit {accuracy:estimate} (95-%-Intervall über Objekte "
                            "und zugleich{over:over}; Zufall {chance:share}; {choices:whole} "
                            "Wahlen).",
    "features one trials": "{best:name} sagt zurückgehaltene Durchgänge vorher, {how}: "
                           "Genauigkeit {accuracy:estimate} (95-%-Intervall über Objekte und "
                           "zugleich{over:over}; Zufall {chance:share}; {choices:whole} Wahlen). "
                           "Objekte konnten nicht zurückgehalten werden.",
    "features none objects": "Von keinem Merkmal ist zu sehen, dass es Wahlen unter "
                             "zurückgehaltenen Objekten besser vorhersagt als der Zufall "
                             "({chance:share}): am besten {best:name}, {how}, mit Genauigkeit "
                             "{accuracy:estimate} (95-%-Intervall über Objekte und "
                             "zugleich{over:over}).",
    "features none trials": "Von keinem Merkmal ist zu sehen, dass es zurückgehaltene Durchgänge "
                            "besser vorhersagt als der Zufall ({chance:share}): am besten "
                            "{best:name}, {how}, mit Genauigkeit {accuracy:estimate} "
                            "(95-%-Intervall über Objekte und zugleich{over:over}).",
    "features at chance": "Nicht vom Zufall zu unterscheiden: {names:names}.",
    "features ahead": "Bei denselben Wahlen liegt es {behind:estimate} vor dem nächsten, "
                      "{next:name}.",
    "features not ahead": "Von {next:name} ist es nicht zu unterscheiden: Bei denselben Wahlen "
                          "liegt es {behind:estimate} davor.",
    "features no ceiling": "Wie viel sich überhaupt vorhersagen ließe, ist nicht gut genug "
                           "bekannt: Zu wenige Fragen wurden mehrmals gestellt.",
    "features at ceiling": "Die Rauschgrenze liegt zwischen {lower:share} und {upper:share}: Was "
                           "fehlt, kann Rauschen sein.",
    "features below ceiling": "Die Rauschgrenze liegt zwischen {lower:share} und {upper:share}: "
                              "Über den Zufall hinaus wird {share:percent 0} dessen vorhergesagt, "
                              "was vorherzusagen wäre.",
    "learned by heart": "Zurückgehaltene Objekte prüfen, ob Merkmale etwas über Objekte sagen, "
                        "von denen nichts gelernt wurde. Zurückgehaltene Durchgänge handeln von "
                        "denselben Objekten wie zuvor, die viele Merkmale auswendig lernen "
                        "können: Das rechte Bild kann allein deshalb höher liegen.",
    "nothing learned": "Von den Objekten wurde nichts gelernt; die beiden Bilder unterscheiden "
                       "sich nur in den Wahlen, die sie zählen.",
    "one feature": "Es gibt nur ein Merkmal; es hat alles Gewicht.",
    "features count": "Was zählt, als Anteil an dem, was eine Wahl entscheidet "
                      "(95-%-Intervalle{over:over}): {names}.",
    "and more": "{names} und {number:whole} weitere",
    "features do not count": "Dass sie neben den anderen zählen, ist nicht zu sehen: {names}.",
    "weights are shared": "Merkmale, die miteinander gehen, teilen ihr Gewicht auf keine "
                          "bestimmte Weise: Was jedes hinzufügt, steht unter Unique and shared.",
    "choose several": "Zum Vergleich müssen mehrere Merkmale gewählt sein.",
    "parts together objects": "An zurückgehaltenen Objekten erklären die Prädiktoren zusammen "
                              "{total:estimate} der Devianz des Ratens (95-%-Intervall über "
                              "Objekte und zugleich{over:over}).",
    "parts together trials": "An zurückgehaltenen Durchgängen erklären die Prädiktoren zusammen "
                             "{total:estimate} der Devianz des Ratens (95-%-Intervall über "
                             "Objekte und zugleich{over:over}).",
    "parts none objects": "Dass die Prädiktoren zusammen an zurückgehaltenen Objekten mehr "
                          "erklären als der Zufall, ist nicht zu sehen: {total:estimate} der "
                          "Devianz des Ratens (95-%-Intervall über Objekte und "
                          "zugleich{over:over}).",
    "parts none trials": "Dass die Prädiktoren zusammen an zurückgehaltenen Durchgängen mehr "
                         "erklären als der Zufall, ist nicht zu sehen: {total:estimate} der "
                         "Devianz des Ratens (95-%-Intervall über Objekte und "
                         "zugleich{over:over}).",
    "parts add": "Über alle anderen hinaus erklären etwas: {names}.",
    "parts add none": "Von keinem ist zu sehen, dass er über die anderen hinaus etwas erklärt.",
    "parts do not add": "Dass sie über die anderen hinaus etwas erklären, ist nicht zu sehen: "
                        "{names:names}.",
    "parts help": "Prädiktoren helfen einander: Zusammen erklären sie mehr als die Summe der "
                  "eigenen Teile (gemeinsam {joint:estimate}).",
    "parts shared": "Mehreren gemeinsam, von denen jeder genügte: {joint:estimate}.",
    "features correlate": "{best:name} ordnet Paare am ehesten wie die Karte: Rangkorrelation "
                          "{value:estimate} (95-%-Intervall über Objekte und "
                          "zugleich{over:over}).",
    "features correlate none": "Von keinem Merkmal ist zu sehen, dass es Paare besser ordnet als "
                               "der Zufall: am besten {best:name}, mit einer Rangkorrelation von "
                               "{value:estimate} (95-%-Intervall über Objekte und "
                               "zugleich{over:over}).",
    "correlates ahead": "Es liegt {behind:estimate} vor dem nächsten, {next:name}.",
    "correlates not ahead": "Von {next:name} ist es nicht zu unterscheiden: Es liegt "
                            "{behind:estimate} davor.",
    "halves correlate": "Karten zweier Hälften der Antworten korrelieren mit {lower:share}; mehr "
                        "als {upper:share} ist von keinem Merkmal zu erwarten.",
    "map between": "Zwischen Merkmalen und Antworten steht hier die Karte: Was sie nicht hat, ist "
                   "hier nicht zu sehen. Accuracy fragt die Antworten selbst.",
    "left over something": "Etwas bleibt übrig: Neben den Merkmalen erklärt eine Karte weitere "
                           "{gain:estimate} der Devianz zurückgehaltener Durchgänge "
                           "(95-%-Intervall über Objekte und zugleich{over:over}).",
    "left over nothing": "Dass mehr als Zufall übrig bleibt, ist nicht zu sehen: Neben den "
                         "Merkmalen erklärt eine Karte {gain:estimate} der Devianz "
                         "zurückgehaltener Durchgänge (95-%-Intervall über Objekte und "
                         "zugleich{over:over}). Sie ist nicht zu deuten.",
    "features help the map": "Merkmale helfen einer Karte, die keine kennt, um {beyond:estimate}.",
    "map beats features": "Eine Karte ohne Merkmale sagt besser vorher ({beyond:estimate}): Sie "
                          "kann von den Objekten lernen, was Merkmale sagen.",
    "map as features": "Dass eine Karte ohne Merkmale schlechter vorhersagt, ist nicht zu sehen "
                       "({beyond:estimate}): Sie kann von den Objekten lernen, was Merkmale sagen.",
    "left over accuracy": "Genauigkeit an zurückgehaltenen Durchgängen, wo der Zufall "
                          "{chance:share} erreicht: {parts}.",
    # Personen
    "estimated change": "{value} [{low}, {high}]",
    "view one map": "einer Karte für alle",
    "view consistency": "einer Karte mit der Beständigkeit jeder Person",
    "view weights": "Gewichten ihrer Achsen je Person",
    "view own maps": "einer Karte je Person",
    "view groups": "{number:whole} Gruppen",
    "view of conditions weights": "Gewichten für jede",
    "view of conditions own maps": "einer Karte für jede",
    "people one map": "Eine Karte für alle sagt zurückgehaltene Antworten am besten vorher: Mehr "
                      "über {by:name} zu wissen hilft nicht.",
    "people best": "Zurückgehaltene Antworten werden am besten vorhergesagt mit {view}: Die "
                   "Wahrscheinlichkeit einer Antwort ändert sich um {gain:change} "
                   "(95-%-Intervall{over:over}), die Genauigkeit um {right:points} Prozentpunkte.",
    "people better": "Gewichte sagen {better:whole} von {people:whole} besser vorher als eine "
                     "Karte, {clearly:whole} klar, und {worse:whole} klar schlechter; {chance} "
                     "wären auf jeder Seite durch Zufall klar.",
    "people better of some": "Gewichte sagen {better:whole} von {people:whole} besser vorher als "
                             "eine Karte, {clearly:whole} klar von den {told:whole} mit genug "
                             "Antworten dafür, und {worse:whole} klar schlechter; {chance} wären "
                             "auf jeder Seite durch Zufall klar.",
    "people not told": "Gewichte sagen {better:whole} von {people:whole} besser vorher als eine "
                       "Karte; von niemandem gibt es genug Antworten, dass das klar wäre.",
    "by chance": "etwa {number:whole}",
    "hardly by chance": "weniger als 1",
    "weights add nothing": "Über Beständigkeit hinaus tragen Gewichte nichts Klares bei.",
    "one axis": "Mit einer Achse sagen Gewichte nur, wie beständig Personen antworten.",
    "axes not tested": "Ob die Achsen etwas bedeuten, ist nicht an zurückgehaltenen Antworten "
                       "geprüft.",
    "axes not needed": "Diese Antworten legen die Achsen nicht fest, denn Gewichte sagen sie nicht "
                       "besser vorher als Beständigkeit: Die Karte darf beliebig gedreht, und "
                       "keine Achse benannt werden.",
    "axes fixed": "Personen gewichten die Achsen verschieden, und das legt die Drehung der Karte "
                  "fest: auf ± {error}° (95 %). Die Achsen dürfen benannt werden; Vorzeichen und "
                  "Reihenfolge bedeuten nichts.",
    "axes free": "Diese Antworten legen die Achsen nicht fest: Personen gewichten sie zu ähnlich. "
                 "Die Karte darf beliebig gedreht, und keine Achse benannt werden.",
    "weights not shown": "Gewichte je {by:name} werden nicht gezeigt: Dass sie sich unterscheiden, "
                         "hat kein Test gezeigt.",
    "who differs": "Wer am meisten abweicht",
    "groups not tested": "Wie viele Gruppen es gibt, ist nicht an zurückgehaltenen Antworten "
                         "geprüft. Vorher werden keine gezeigt: Gruppen lassen sich immer bilden.",
    "one group": "Eine Gruppe: Zwei Gruppen sagen zurückgehaltene Antworten nicht besser vorher "
                 "(Änderung der Wahrscheinlichkeit einer Antwort {gain:change}, 95-%-Intervall "
                 "über Personen). Es werden keine gezeigt: Gruppen lassen sich immer bilden.",
    "groups predict": "{number:whole} Gruppen sagen zurückgehaltene Antworten am besten vorher: "
                      "Die Wahrscheinlichkeit einer Antwort ändert sich gegenüber einer Karte um "
                      "{gain:change} (95-%-Intervall über Personen).",
    "groups not converged": "Die Suche ist nicht zu Ende: Zugehörigkeiten können sich noch ändern.",
    "conditions seen": "Worauf geachtet wird, unterscheidet sich zwischen den Bedingungen von "
                       "{by:name}. Raten unter nur einer Bedingung kann so aussehen.",
    "conditions stretched": "Die Bedingungen von {by:name} strecken die Karte verschieden, aber zu "
                            "wenig, als dass zurückgehaltene Antworten besser vorhergesagt würden. "
                            "Raten unter nur einer Bedingung kann so aussehen.",
    "conditions unseen": "Dass sich zwischen den Bedingungen von {by:name} unterscheidet, worauf "
                         "geachtet wird, ist nicht zu sehen.",
    "conditions vary": "Antworten dieser Personen werden am besten vorhergesagt mit {view}; das "
                       "kann sein, wo Personen sich ohne gemeinsame Richtung unterscheiden.",
    "conditions permuted": "Permutationstest {how}, dass alle die Karte gleich gewichten: {p:p} "
                           "({number:whole} Permutationen).",
    "permuted within participants": "innerhalb von Personen",
    "permuted between participants": "zwischen Personen",
    "permuted between trials": "zwischen Durchgängen",
    "conditions gain": "Gewichte der Bedingungen ändern die Wahrscheinlichkeit zurückgehaltener "
                       "Antworten um {gain:change} gegenüber Beständigkeit allein "
                       "(95-%-Intervall über {over}).",
    "conditions over participants": "Personen",
    "conditions over answers": "Teile der Antworten",
}
