"""Sentences of reports in German."""

REPORT = {
    "figure": "Abbildung",
    "table": "Tabelle",
    "references": "Literatur",
    "note": "Anmerkung.",
    "made": "Erstellt mit TripletScope {version} ({day}).",
    "usual title": "{name}: Ähnlichkeitsurteile",
    "contents": "Inhalt",
    "interactive": "Diese Abbildung erkunden",
    "ticked": "in diesem Bericht",
    "not ticked": "nicht in diesem Bericht: von den Autorinnen und Autoren anzugeben",
    "chapter method": "Methode",
    "chapter results": "Ergebnisse",
    "chapter end": "Anmerkungen",
    "part data": "Daten und Ausschlüsse",
    "part design": "Versuchsplan",
    "part quality": "Güte der Daten",
    "part analysis": "Auswertung",
    "part dimension": "Zahl der Dimensionen",
    "part map": "Karte",
    "part interpretable": "Interpretierbare Dimensionen",
    "part comparison": "Vergleich der Verfahren",
    "part similarities": "Ähnlichkeiten ohne Karte",
    "part clusters": "Cluster",
    "part scales": "Wahrnehmungsskalen",
    "part trees": "Vergleichsbäume und -wälder",
    "part groups": "Unterschiede zwischen Gruppen",
    "part limitations": "Einschränkungen",
    "part checklist": "Prüfliste",
    "part software": "Software und Einstellungen",
    # Data
    "collected": "Ähnlichkeitsurteile über {objects} wurden erhoben: {trials}.",
    "derived": "Erhoben wurden {kind} zu {objects}{whose}. Die hier ausgewerteten Antworten wurden "
               "daraus abgeleitet: {answers}, jeder von zwei verschiedenen Werten derselben "
               "Person. Sie überschneiden sich und wiegen so viel wie {effective} unabhängige "
               "Antworten.",
    "measured ratings": "Einschätzungen von Paaren",
    "measured values": "Ähnlichkeiten oder Unähnlichkeiten von Paaren",
    "measured confusions": "Verwechslungen",
    "measured piles": "Sortierungen in Stapel",
    "measured arrangements": "räumliche Anordnungen",
    "from people": " von {people}",
    "each": " (je {number})",
    "each in the median": " (im Median {median} je Person, {least} bis {most})",
    "asked": "Die Aufgabe war: {task}.",
    "catch": "In weiteren Durchgängen ({trials}) war der Anker unter den Antwortmöglichkeiten; der "
             "Anteil richtiger Antworten war {share}.",
    "no exclusions": "Es wurden keine Antworten ausgeschlossen.",
    "excluded": "Ausgeschlossen wurde in {number} (@tab-flow); es blieben {left}.",
    "weighted": "Die Antworten von {people} wurden danach gewichtet, wie selten sie geraten "
                "erscheinen (Gewicht im Median {median}, mindestens {least}); das entspricht "
                "{effective} Durchgängen gleichen Gewichts.",
    "collected row": "Erhoben",
    "flow step": "Schritt",
    "flow trials": "Durchgänge entfernt",
    "flow people": "Personen entfernt",
    "flow trials left": "Durchgänge übrig",
    "flow people left": "Personen übrig",
    "flow caption": "Durchgänge und Personen nach jedem Schritt des Ausschlusses",
    "flow note": "Eine Person ist entfernt, wenn keiner ihrer Durchgänge übrig ist.",
    # Design
    "questions": "Von {possible} möglichen Vergleichen wurden {asked} gestellt, {repeated} davon "
                 "mehr als einmal.",
    "questions asked once": "Von {possible} möglichen Vergleichen wurden {asked} gestellt, keine "
                            "mehr als einmal.",
    "all per object": "Jedes Objekt kommt in {number} Antworten vor.",
    "per object": "Ein Objekt kommt im Median in {median} Antworten vor ({least} bis {most}).",
    "see per object": "@fig-answers-per-object zeigt die Antworten je Objekt.",
    "samplers": "Die Fragen wurden ausgewählt durch {names}.",
    "landmarks": "Die Fragen folgen einem Landmarkenplan für {kernel} mit {number}: {asked} seiner "
                 "{possible} Fragen wurden gestellt [@kleindessner2017].",
    "rule of thumb": "Die Antworten sind das {times}-Fache der *d n* ln *n* Antworten, die die "
                     "Faustregel für eine Karte von *n* Objekten in *d* = {d} Dimensionen "
                     "verlangt.",
    "per object caption": "Zahl der Antworten, in denen ein Objekt vorkommt.",
    "title per object": "Antworten je Objekt",
    "alt per object": "Histogramm der Zahl der Antworten je Objekt, von {least} bis {most}.",
    # Quality
    "within people": "Übereinstimmung mit sich selbst: Von {pairs} Paaren wiederholter Antworten "
                     "war ein Anteil von {share} gleich ({interval}).",
    "between people": "Übereinstimmung untereinander: Von {pairs} Paaren von Antworten "
                      "verschiedener Personen auf dieselbe Frage war ein Anteil von {share} "
                      "gleich ({interval}).",
    "bound unknown": "unbekannter Größe",
    "ceiling": "Nach Fragen, die mehrere Personen beantworteten ({questions}), liegt die "
               "Rauschgrenze zwischen einer unteren Schranke von {lower}, der Übereinstimmung "
               "einer Antwort mit der Mehrheit der anderen Antworten auf dieselbe Frage, und einer "
               "oberen Schranke von {upper}, der Treffsicherheit bei bekannter Wahrscheinlichkeit "
               "jeder Antwort (Intervalle{over}) [@nili2014].",
    "no ceiling": "Keine Frage wurde zweimal gestellt, so dass sich die Rauschgrenze nicht "
                  "schätzen lässt.",
    "choices": "Als Wahlen betrachtet ({kind}; {trials} Durchgänge), von denen Raten {chance} "
               "trifft, liegt die Rauschgrenze wiederholter Durchgänge zwischen {lower} und "
               "{upper}.",
    "choices without ceiling": "Als Wahlen betrachtet ({kind}; {trials} Durchgänge), trifft Raten "
                               "{chance}; kein solcher Durchgang wurde wiederholt.",
    "choice odd one out": "das Unpassende von {shown}",
    "choice most central": "das Mittlere von {shown}",
    "choice some": "{chosen} von {shown}",
    "choice ranking": "eine Rangfolge von {shown} in {steps} Schritten",
    "checks": "Von {pairs} Kontroll- und Goldfragen wurde ein Anteil von {share} falsch "
              "beantwortet ({interval}).",
    "circular": "Von den Dreiergruppen von Objekten zu einem Anker ({triads}) war ein Anteil von "
                "{share} zirkulär (.250 bei zufälligen Antworten).",
    "times": "Die mediane Antwortzeit war {middle} s (Quartile {low} und {high} s).",
    "stand out": "Personen, die nach Übereinstimmung mit den anderen, Seitenvorliebe, "
                 "Kontrollfragen oder Geschwindigkeit auffallen, soweit bekannt: {number} von "
                 "{people}.",
    "all guess": "Die Antworten aller zusammen ({people}) sind von geratenen nicht zu "
                 "unterscheiden.",
    # Analysis
    "embedded": "Eine ordinale Einbettung wurde berechnet mit {method} [@{source}]{kept}.",
    "prior": "Ein Normalprior der Stärke {prior} hielt die Koordinaten davon ab, unbegrenzt zu "
             "wachsen.",
    "held out": "Der Vorhersagefehler ist der Anteil der Antworten, die aus den übrigen falsch "
                "vorhergesagt werden, in {folds}-facher Kreuzvalidierung{repeats}, bei der alle "
                "Antworten auf eine Frage in einem Teil liegen.",
    "repeated": ", {number}-mal wiederholt",
    "paired": "Fehler wurden paarweise, auf denselben Antworten, verglichen, mit einer Korrektur "
              "für die Überlappung der Lernmengen [@nadeau2003] und für mehrfaches Testen "
              "[@holm1979].",
    "intervals": "Intervalle von Fehlern sind 95-%-Konfidenzintervalle{over}.",
    "resampled participants": "Die Unsicherheit der Orte wurde aus {number} Bootstrap-Stichproben "
                              "der Personen geschätzt [@davison1997], deren Karten durch "
                              "Procrustes-Rotation zur Deckung gebracht wurden.",
    "resampled answers": "Die Unsicherheit der Orte wurde aus {number} Bootstrap-Stichproben der "
                         "Antworten geschätzt [@davison1997; @lohaus2019], deren Karten durch "
                         "Procrustes-Rotation zur Deckung gebracht wurden.",
    "resampled both": "Die Unsicherheit der Orte wurde aus {number} Bootstrap-Stichproben der "
                      "Personen und ihrer Antworten geschätzt [@davison1997], deren Karten durch "
                      "Procrustes-Rotation zur Deckung gebracht wurden.",
    "sampled posterior": "Die Unsicherheit der Orte wurde aus {number} Ziehungen aus der "
                         "A-posteriori-Verteilung geschätzt [@lohaus2019], durch elliptisches "
                         "Slice-Sampling [@murray2010], mit Prüfung der Konvergenz [@vehtari2021].",
    "sampled laplace": "Die Unsicherheit der Orte wurde durch eine Normalapproximation der "
                       "A-posteriori-Verteilung an ihrem Maximum geschätzt ({number} Ziehungen).",
    "also used": "Weitere Verfahren waren {methods}.",
    "used": "Die Antworten wurden ausgewertet mit {methods}.",
    # Dimensions
    "best dimension": "Von {least} bis {most} Dimensionen war der Vorhersagefehler am niedrigsten "
                      "mit {best}: {error} (@fig-dimensions).",
    "cannot decide": "{number} können zwischen diesen Zahlen von Dimensionen nicht entscheiden: "
                     "{numbers}.",
    "no number at chance": "Dass zurückgehaltene Antworten besser als durch Raten vorhergesagt "
                           "werden, ist nicht gezeigt: Keine Zahl von Dimensionen wird empfohlen.",
    "little with more": "Mehr als {d} Dimensionen würden den Fehler um höchstens {gain} senken "
                        "(95-%-Intervall).",
    "worse with fewer": "Mit {d} war der Fehler signifikant höher ({error}; korrigiert {p}).",
    "shown best": "Die gezeigte Karte hat {d}, die Zahl mit dem niedrigsten Fehler.",
    "shown as well": "Die gezeigte Karte hat {d}, deren Fehler ({error}) nicht signifikant höher "
                     "ist.",
    "shown worse": "Die gezeigte Karte hat {d}, deren Fehler ({error}) signifikant höher ist.",
    "at the edge": "Mehr als {best} Dimensionen wurden nicht versucht; mehr könnten besser "
                   "vorhersagen.",
    # Map
    "map shown": "@fig-map zeigt die Karte mit *d* = {d}.",
    "no held-out error": "Wie gut sie neue Antworten vorhersagt, wurde nicht gemessen; ihr Fehler "
                         "auf den gelernten Antworten war {error}, was niedriger ist als auf neuen "
                         "Antworten.",
    "map predicts": "Sie sagte zurückgehaltene Antworten mit einem Fehler von {error} vorher; "
                    "Raten ergäbe .500.",
    "choices predicted": "Von ganzen Durchgängen ({kind}) sagte sie einen Anteil von {share} "
                         "vorher ({interval}); Raten ergäbe {chance}.",
    "like guessing": "Dieser Fehler ist von dem des Ratens nicht zu unterscheiden: Die Karte darf "
                     "nicht gedeutet werden.",
    "least error": "Nach den Schranken der Rauschgrenze der wiederholten Fragen liegt der "
                   "niedrigste Fehler, den eine Vorhersage von Personen im Allgemeinen erreichen "
                   "könnte, zwischen {low} und {high}.",
    "ceiling reached": "Die Karte lässt keinen Fehler übrig, der sich von Rauschen in den "
                       "Antworten unterscheiden ließe.",
    "turned": "Nur die Distanzen zwischen Objekten haben eine Bedeutung: Eine Karte darf gedreht "
              "und gespiegelt werden.",
    "ellipses over participants": "Bereiche sind 95-%-Konfidenzbereiche: In 95 % der "
                                  "Wiederholungen des Experiments mit ebenso vielen anderen "
                                  "Personen enthielte der dann berechnete Bereich den Ort, den "
                                  "unbegrenzt viele Antworten dem Objekt gäben. Fehler des Modells "
                                  "und nie gestellte Fragen sind nicht abgedeckt.",
    "ellipses over both": "Bereiche sind 95-%-Konfidenzbereiche: In 95 % der Wiederholungen des "
                          "Experiments mit ebenso vielen anderen Personen enthielte der dann "
                          "berechnete Bereich den Ort, den unbegrenzt viele Antworten dem Objekt "
                          "gäben. Fehler des Modells und nie gestellte Fragen sind nicht "
                          "abgedeckt.",
    "ellipses over answers": "Bereiche sind 95-%-Konfidenzbereiche: In 95 % der Wiederholungen des "
                             "Experiments mit ebenso vielen Antworten derselben Personen enthielte "
                             "der dann berechnete Bereich den Ort, den unbegrenzt viele Antworten "
                             "dem Objekt gäben. Fehler des Modells, nie gestellte Fragen und "
                             "Unterschiede zwischen Personen sind nicht abgedeckt.",
    "ellipses over posterior": "Bei diesen Antworten liegt ein Objekt mit einer Wahrscheinlichkeit "
                               "von 95 % in seinem Bereich, sofern sie von einer einzigen Person "
                               "oder von Personen stammen, die sich nicht unterscheiden, und "
                               "Modell und Prior stimmen.",
    "average uncertainty": "Die mittlere Unsicherheit der Ordnung zweier Distanzen war, in ihrer "
                           "veröffentlichten, vorsichtigen Form, {value} (0, "
                           "wenn jede Ordnung sicher, .500, wenn nichts bekannt ist) "
                           "[@lohaus2019].",
    "chains agree": "Die Ketten stimmten überein (R-hat = {rhat}, {effective} effektive "
                    "Ziehungen).",
    "chains disagree": "Die Ketten stimmten nicht überein (R-hat = {rhat}, {effective} effektive "
                       "Ziehungen): Bereiche und mittlere Unsicherheit sind nicht verlässlich.",
    "calibrated responses": "Vorhergesagte Wahrscheinlichkeiten zurückgehaltener Antworten hatten "
                            "einen erwarteten Kalibrierungsfehler von {error}, {interval} "
                            "({chance} allein durch Zufall) [@guo2017].",
    "covered": "In simulierten Daten wie diesen enthielten {nominal}-Bereiche {share} der wahren "
               "Orte.",
    # Comparison
    "compared": "Von allen verglichenen Verfahren und Einstellungen (@tab-methods) hatte {best} "
                "den niedrigsten Vorhersagefehler ({error}); der niedrigste von mehreren Fehlern "
                "ist etwas zu niedrig.",
    "methods method": "Verfahren",
    "methods error": "Vorhersagefehler",
    "methods interval": "95-%-KI",
    "methods caption": "Vorhersagefehler aller verglichenen Verfahren",
    "methods note": "Intervalle{over}. Abstände zum niedrigsten Fehler sind gepaart, auf denselben "
                    "Antworten, mit für ihre Zahl korrigierten *p*-Werten.",
    "learned": "{place} zeigt den Vorhersagefehler von {method} gegen die Zahl der Antworten: "
               "{first} mit {few}, {last} mit {many} ({interval}{over}).",
    # Similarities
    "similar": "Ähnlichkeiten wurden allein aus den Antworten berechnet, mit {method}{place}.",
    "shared": "{share} der Paare von Objekten haben einen Vergleich gemeinsam.",
    "mostly chance": "Die Ähnlichkeiten streuen kaum mehr als die zufälliger Antworten auf "
                     "dieselben Fragen: Einzelne Ähnlichkeiten dürfen nicht gedeutet werden.",
    "signal": "Oberhalb der Eigenwerte permutierter Antworten lagen [@horn1965]: {number}; das "
              "sind keine Dimensionen.",
    # Clusters
    "clustered": "{method} [@{source}] ergab {number} (Objekte je Cluster: {sizes}{place}).",
    "by silhouette": "Die Zahl {number} hat die höchste mittlere Silhouette [@rousseeuw1987], die "
                     "für beliebige Daten eine Zahl nennt.",
    "stable": "{method}, {clusters} Cluster, in {number} Bootstrap-Stichproben{over}: stabil "
              "(mittlere Jaccard-Überlappung über .75) {sure}, aufgelöst (unter .50) {lost} "
              "[@hennig2007].",
    "stability untold": "{method}: Ob die Cluster stabil sind, wird nicht gesagt, denn dass "
                        "zurückgehaltene Antworten besser als durch Zufall vorhergesagt werden, "
                        "ist nicht gezeigt.",
    "clusters seen": "Die Antworten stützen {number}: Deren Silhouetten [@rousseeuw1987] liegen "
                     "über denen von Teilen einer Linie, eines Rings oder einer Wolke gleicher "
                     "Ausdehnung.",
    "no clusters": "Cluster sind mit diesen Antworten nicht zu sehen: Silhouetten "
                   "[@rousseeuw1987] liegen nicht über denen von Teilen einer Linie, eines Rings "
                   "oder einer Wolke gleicher Ausdehnung.",
    "clusters too small": "Silhouetten [@rousseeuw1987] liegen nur mit Clustern von weniger als "
                          "drei Objekten über denen von Teilen einer Linie, eines Rings oder einer "
                          "Wolke gleicher Ausdehnung; das können Paare oder Ausreißer sein.",
    # Scales
    "scale shown": "@fig-scale zeigt die Wahrnehmungsskala.",
    "rises": "Die von {method} ist mit einer monotonen Kurve vereinbar, die in ihr simultanes "
             "95-%-Band passt.",
    "falls": "Die von {method} ist mit keiner monotonen Kurve vereinbar: Keine passt in ihr "
             "simultanes 95-%-Band.",
    "difference scaling": "Die Differenzskalierung [@maloney2003; @knoblauch2008] verwendete "
                          "{answers}; das Rauschen war σ = {sigma} auf einer Skala von 0 bis 1 "
                          "(AIC = {aic}, {daf} der Devianz erklärt).",
    "scale lapses": "Der Anteil geratener Antworten wurde mit der Skala geschätzt: {rates}.",
    "scale predicts": "{method} sagte zurückgehaltene Antworten mit einem Fehler von {error} "
                      "vorher.",
    # Trees
    "searched": "{place} zeigt, wie oft Vergleichsbäume [@haghiri2017] und andere Bäume den "
                "nächsten Nachbarn verfehlen.",
    "predicted": "Vergleichswälder [@haghiri2018] ({trees}) sagten {column} ({number}) mit einem "
                 "Fehler von {error} vorher ({place}); stets dasselbe vorherzusagen ergibt "
                 "{chance}.",
    "optimistic": "Blattgröße und Zahl der Bäume sind die mit dem niedrigsten Fehler, der deshalb "
                  "etwas zu niedrig ist.",
    "no gain": "Das ist nicht klar besser, als stets dasselbe vorherzusagen.",
    # Groups
    "by group": "Mit {method} je {by} einzeln gelernt, lagen die Vorhersagefehler zwischen {least} "
                "und {most} ({place}).",
    "lapses found": "Der Anteil geratener Antworten wurde mit der Karte geschätzt ({method}): "
                    "{usual} der Durchgänge bei der mittleren Person, deutlich mehr als dies und "
                    "als {low} bei {number} (korrigiert für die Zahl der Personen; {place}).",
    "no lapses found": "Der Anteil geratener Antworten wurde mit der Karte geschätzt ({method}): "
                       "{usual} der Durchgänge bei der mittleren Person; bei niemandem deutlich "
                       "mehr als dies und als {low} (korrigiert für die Zahl der Personen; "
                       "{place}).",
    "lapses withheld": "Anteile geratener Antworten werden nicht berichtet: Die Antworten "
                       "bestätigen die Antwortfunktion nicht, auf der sie beruhen ({method}).",
    "lapses not converged": "Anteile geratener Antworten werden nicht berichtet: Die Anpassung ist "
                            "nicht konvergiert ({method}).",
    "lapses of ste": "Anteile geratener Antworten werden nicht berichtet: Sie brauchen die "
                     "Antwortfunktion von STE ({method}).",
    # Limitations
    "no limits": "Antworten und Ergebnisse geben keinen Anlass zu einer Warnung.",
    "nobody known": "Die Datei nennt keine Personen, so dass Intervalle über Fragen oder Antworten "
                    "gehen; sie sagen nicht, was andere Personen antworten würden.",
    "few people": "Wie sehr sich Personen unterscheiden, ist bei einer so kleinen Zahl ({people}) "
                  "kaum bekannt: Was über andere Personen gesagt wird, beruht auf wenigen.",
    "in pieces": "Die Objekte zerfallen in {number} Gruppen, die keine Antwort verbindet: Ihre "
                 "gegenseitige Lage ist unbestimmt.",
    "never asked": "In keiner Antwort vorkommend und daher ohne Ort: {number}.",
    "vague ceiling": "Zu wenige Fragen wurden wiederholt, um die Rauschgrenze genau zu schätzen: "
                     "Wie viel des Fehlers Rauschen in den Antworten ist, bleibt unbekannt.",
    "selected": "Fragen wurden auf mehrere Weisen ausgewählt; adaptiv ausgewählte sind schwerer, "
                "so dass Fehler auf ihnen höher sind als auf zufälligen.",
    "stopped": "Manche Berechnungen wurden vor ihrem Ende angehalten.",
    "nobody excluded": "Niemand wurde ausgeschlossen; unaufmerksame Personen, wenn es sie gab, "
                       "erhöhen das Rauschen.",
    "few answers": "Es gibt weniger Antworten als die {needed}, die die Faustregel für *d* = {d} "
                   "verlangt.",
    "not predicted": "Ohne Vorhersagefehler ist unbekannt, ob die Karte irgendetwas vorhersagt.",
    "no better than guessing": "Die Karte sagt zurückgehaltene Antworten nicht besser vorher als "
                               "Raten.",
    "not converged": "Die Anpassung der Karte ist nicht konvergiert.",
    "uncertainty unknown": "Die Unsicherheit der Orte wurde nicht geschätzt: Wie weit Objekte "
                           "anderswo liegen könnten, ist unbekannt.",
    "one observer": "Die A-posteriori-Verteilung behandelt alle Antworten als die einer einzigen "
                    "Person: Unterschiede zwischen Personen gehören nicht zur Unsicherheit.",
    "same people": "Antworten, nicht Personen, wurden neu gezogen: Die Unsicherheit sagt nicht, "
                   "was andere Personen antworten würden.",
    "chosen by the same answers": "Die Zahl der Dimensionen wurde nach den berichteten "
                                  "Vorhersagefehlern gewählt, die dadurch etwas zu niedrig sind.",
    "never covered": "Kein Intervall deckt Fehler des Modells selbst oder nie gestellte Fragen ab.",
    # Checklist
    "checklist": "Wonach Gutachten über Studien mit Triplets fragen:",
    "check people": "Zahl der Personen",
    "check exclusions": "Ausschlüsse, mit dem, was jeder entfernte",
    "check stated before": "Ob Ausschlussregeln vor der Sichtung der Daten festgelegt waren",
    "check answers": "Zahl der Antworten, insgesamt und je Objekt",
    "check error": "Fehler auf zurückgehaltenen Antworten, mit Intervall",
    "check ceiling": "Rauschgrenze, mit beiden Schranken",
    "check dimension": "Wie die Zahl der Dimensionen gewählt wurde",
    "check uncertainty": "Unsicherheit der Orte oder Skalenwerte, mit dem, worüber sie geht",
    "check code": "Wo Daten und Programme zu finden sind",
    # Software
    "computed by": "Alle Auswertungen erfolgten mit TripletScope {version} [@tripletscope] in "
                   "Python {python}, das mit {libraries} rechnet.",
    "settings caption": "Einstellungen aller Ergebnisse",
    "settings result": "Ergebnis",
    "settings set": "Einstellungen",
    "settings version": "Version",
    "errors over answers": "Manche Intervalle von Fehlern gehen über Fragen, nicht über Personen: "
                           "Sie sagen nicht, was andere Personen antworten würden.",
    "errors of the learned": "Bei der Kreuzvalidierung wird aus anderen Antworten derselben "
                             "Personen gelernt: Intervalle über Personen gelten einer anderen "
                             "Stichprobe solcher Personen, und Personen, von denen nichts bekannt "
                             "ist, werden schlechter vorhergesagt, wo Personen sich unterscheiden.",
    "no regions": "Bei dieser Zahl ({people}) gibt es keine Konfidenzbereiche mit *d* = {d}.",
    "without a cluster": "Ohne Cluster, mangels Antworten: {number}.",
    "predicted values": "Vergleichswälder [@haghiri2018] ({trees}) sagten {column} ({number}) mit "
                        "einem mittleren quadratischen Fehler (Wurzel) von {error} vorher, in "
                        "Einheiten von {column} ({place}); stets das Mittel vorherzusagen ergibt "
                        "{chance}.",
    "methods behind": "Abstand zum besten",
    "methods p": "*p*",
    "one predicts": "{method} sagte zurückgehaltene Antworten mit einem Fehler von {error} vorher; "
                    "Raten ergäbe .500.",
    "split": "Der Vorhersagefehler der Karte ist der auf den Testantworten, die die Daten selbst "
             "nennen.",
    "one start": ", von einem Startpunkt aus",
    "averaged": ", aus {restarts}; die Karte ist die mit dem niedrigsten Verlust, Vorhersagen sind "
                "über alle gemittelt",
    "lowest loss": ", aus {restarts}, von denen der mit dem niedrigsten Verlust gewählt wurde",
    "ceiling of one": "Nach wiederholt gestellten Fragen ({questions}) liegt die Rauschgrenze "
                      "zwischen einer unteren Schranke von {lower}, der Übereinstimmung einer "
                      "Antwort mit der Mehrheit der eigenen anderen Antworten auf dieselbe Frage, "
                      "und einer oberen Schranke von {upper}, der Treffsicherheit bei bekannter "
                      "Wahrscheinlichkeit jeder Antwort (Intervalle{over}) [@nili2014].",
    # Interpretierbare Dimensionen
    "dimensions found": "{method} [{source}] beschrieb {objects} mit Gewichten ab 0 in {number}, "
                        "von höchstens {most}; zwei Objekte ähneln sich in dem, was sie gemeinsam "
                        "haben ({place}).",
    "no dimension left": "{method} ließ keine Dimension übrig.",
    "penalty chosen": "Die Strafe von {penalty} wurde nach zurückgehaltenen Durchgängen gewählt.",
    "penalty set": "Die Strafe war {penalty}.",
    "all dimensions used": "Alle erlaubten wurden verwendet; es kann mehr geben.",
    "dimensions not tested": "Wie gut sie neue Durchgänge vorhersagen, wurde nicht gemessen.",
    "dimensions predict": "Von zurückgehaltenen Durchgängen ({kind}) sagten sie einen Anteil von "
                          "{share} vorher, {interval}{over}; Raten ergäbe {chance}.",
    "dimensions predict answers": "Sie sagten zurückgehaltene Antworten mit einem Fehler von "
                                  "{error} vorher; Raten ergäbe .500.",
    "dimensions guess": "Das ist von Raten nicht zu unterscheiden: Die Dimensionen dürfen nicht "
                        "gedeutet werden.",
    "dimensions ceiling": "Nach {questions}, die wiederholt gestellt wurden, liegt die "
                          "Rauschgrenze zwischen {lower} und {upper}.",
    "dimensions without ceiling": "Kein solcher Durchgang wurde wiederholt; die Rauschgrenze ist "
                                  "unbekannt.",
    "dimensions in halves": "In {runs} Anpassungen an Hälften der Durchgänge korrelierte die "
                            "ähnlichste Dimension im Mittel über {least} bei {found} von "
                            "insgesamt {number} (Mittel über alle {mean}) [@muttenthaler2022].",
    "dimensions from starts": "In {runs} Anpassungen mit anderen Startwerten korrelierte die "
                              "ähnlichste Dimension im Mittel über {least} bei {found} von "
                              "insgesamt {number} (Mittel über alle {mean}) [@muttenthaler2022].",
    "dimensions not repeated": "Ob andere Anpassungen dieselben Dimensionen finden, wurde nicht "
                               "gemessen.",
    "dimensions named": "Benannt, nach dem, was ihre Objekte gemeinsam haben: {named} von "
                        "insgesamt {number} ({place}).",
    "dimensions unnamed": "{place} nennt die Objekte mit den höchsten Gewichten; keine Dimension "
                          "hat einen Namen.",
    "dimensions caption": "Dimensionen ({method})",
    "dimensions position": "Dimension",
    "dimensions name": "Name",
    "dimensions highest": "Höchste Gewichte",
    "dimensions share": "Anteil an allen Gewichten",
    "dimensions again": "*r*",
    "dimensions note": "*r*: mittlere Korrelation mit der ähnlichsten Dimension von Anpassungen "
                       "{against}.",
    # Merkmale
    "part features": "Merkmale",
    "see figure": "Siehe {place}.",
}
