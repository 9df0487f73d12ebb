"""Sentences of reports in English."""

REPORT = {
    "figure": "Figure",
    "table": "Table",
    "references": "References",
    "note": "Note.",
    "made": "Made with TripletScope {version} on {day}.",
    "usual title": "{name}: similarity judgements",
    "contents": "Contents",
    "interactive": "Explore this figure",
    "ticked": "in this report",
    "not ticked": "not in this report: to be stated by the authors",
    "chapter method": "Method",
    "chapter results": "Results",
    "chapter end": "Notes",
    "part data": "Data and exclusions",
    "part design": "Design",
    "part quality": "Data quality",
    "part analysis": "Analysis",
    "part dimension": "Number of dimensions",
    "part map": "Map",
    "part interpretable": "Interpretable dimensions",
    "part comparison": "Comparison of methods",
    "part similarities": "Similarities without a map",
    "part clusters": "Clusters",
    "part scales": "Perceptual scales",
    "part trees": "Comparison trees and forests",
    "part groups": "Differences between groups",
    "part limitations": "Limitations",
    "part checklist": "Reporting checklist",
    "part software": "Software and settings",
    # Data
    "collected": "Similarity judgements of {objects} were collected in {trials}.",
    "derived": "{kind} of {objects} were collected{whose}. The answers that are analysed here were "
               "derived from them: {answers}, each of two values of the same rater that differ. "
               "They overlap, and weigh as much as {effective} independent answers.",
    "measured ratings": "Ratings of pairs",
    "measured values": "Similarities or dissimilarities of pairs",
    "measured confusions": "Confusions",
    "measured piles": "Sortings into piles",
    "measured arrangements": "Spatial arrangements",
    "from people": " from {people}",
    "each": " ({number} each)",
    "each in the median": " (median {median} per participant, range {least} to {most})",
    "asked": "The task was: {task}.",
    "catch": "On a further {trials} the anchor was among the options; the proportion of correct "
             "responses was {share}.",
    "no exclusions": "No answers were excluded.",
    "excluded": "Exclusions were made in {number} (@tab-flow) and left {left}.",
    "weighted": "Answers of {people} were weighted by how rarely they looked like guesses (median "
                "weight {median}, lowest {least}), which leaves an effective number of {effective} "
                "trials.",
    "collected row": "Collected",
    "flow step": "Step",
    "flow trials": "Trials removed",
    "flow people": "Participants removed",
    "flow trials left": "Trials left",
    "flow people left": "Participants left",
    "flow caption": "Trials and participants at each step of exclusion",
    "flow note": "A participant is removed when none of their trials is left.",
    # Design
    "questions": "Of {possible} possible comparisons, {asked} occurred, {repeated} of them more "
                 "than once.",
    "questions asked once": "Of {possible} possible comparisons, {asked} were asked, none of them "
                            "more than once.",
    "all per object": "Every object occurs in {number} answers.",
    "per object": "An object occurs in {median} answers in the median (range {least} to {most}).",
    "see per object": "@fig-answers-per-object shows the answers per object.",
    "samplers": "Questions were selected by {names}.",
    "landmarks": "The questions follow a landmark design for {kernel} with {number}: {asked} of "
                 "its {possible} questions were asked [@kleindessner2017].",
    "rule of thumb": "The answers are {times} times the *d n* ln *n* answers that the rule of "
                     "thumb asks for a map of *n* objects in *d* = {d} dimensions.",
    "per object caption": "Number of answers in which an object occurs.",
    "title per object": "Answers per object",
    "alt per object": "Histogram of the number of answers per object, from {least} to {most}.",
    # Quality
    "within people": "Intra-observer consistency: of {pairs} pairs of repeats, a proportion of "
                     "{share} had the same response ({interval}).",
    "between people": "Inter-observer agreement: of {pairs} pairs of responses of different "
                      "participants to one question, a proportion of {share} were the same "
                      "({interval}).",
    "bound unknown": "unknown size",
    "ceiling": "From {questions} that several participants answered, the noise ceiling lies "
               "between a lower bound of {lower}, the agreement of a response with the majority of "
               "the other responses to the same question, and an upper bound of {upper}, the "
               "accuracy of knowing the probability of every response (intervals{over}) "
               "[@nili2014].",
    "no ceiling": "No question was asked twice, so that the noise ceiling cannot be estimated.",
    "choices": "Taken as choices ({kind}; {trials} trials), of which guessing gets {chance} right, "
               "the noise ceiling of repeated trials lies between {lower} and {upper}.",
    "choices without ceiling": "Taken as choices ({kind}; {trials} trials), guessing gets {chance} "
                               "right; no such trial was repeated.",
    "choice odd one out": "the odd one out of {shown}",
    "choice most central": "the most central of {shown}",
    "choice some": "{chosen} of {shown}",
    "choice ranking": "a ranking of {shown} in {steps} steps",
    "checks": "Of {pairs} catch and gold questions, a proportion of {share} were answered wrongly "
              "({interval}).",
    "circular": "Of {triads} of options to one anchor, a proportion of {share} was circular "
                "(.250 if responses were random).",
    "times": "The median response time was {middle} s (quartiles {low} and {high} s).",
    "stand out": "Participants who stand out by agreement with the others, side preference, failed "
                 "checks or speed, as far as these are known: {number} of {people}.",
    "all guess": "The answers of {people} are not told apart from guesses.",
    # Analysis
    "embedded": "An ordinal embedding was computed by {method} [@{source}]{kept}.",
    "prior": "A normal prior of strength {prior} kept coordinates from growing without bound.",
    "held out": "The held-out triplet error is the proportion of answers that are predicted "
                "wrongly by what was learned from the others, in {folds}-fold "
                "cross-validation{repeats} in which all answers to one question share a fold.",
    "repeated": ", repeated {number} times",
    "paired": "Errors were compared in pairs, on the same answers, with a correction for the "
              "overlap of training sets [@nadeau2003] and for multiple tests [@holm1979].",
    "intervals": "Intervals of errors are 95% confidence intervals{over}.",
    "resampled participants": "The uncertainty of positions was estimated by fitting {number} "
                              "bootstrap resamples of the participants [@davison1997], aligned by "
                              "Procrustes rotation.",
    "resampled answers": "The uncertainty of positions was estimated by fitting {number} bootstrap "
                         "resamples of the answers [@davison1997; @lohaus2019], aligned by "
                         "Procrustes rotation.",
    "resampled both": "The uncertainty of positions was estimated by fitting {number} bootstrap "
                      "resamples of the participants and of their answers [@davison1997], aligned "
                      "by Procrustes rotation.",
    "sampled posterior": "The uncertainty of positions was estimated by {number} samples of the "
                         "Bayesian posterior [@lohaus2019], drawn by elliptical slice sampling "
                         "[@murray2010] and checked for convergence [@vehtari2021].",
    "sampled laplace": "The uncertainty of positions was estimated by a normal approximation of "
                       "the Bayesian posterior at its optimum ({number} draws).",
    "also used": "Further methods were {methods}.",
    "used": "Answers were analysed by {methods}.",
    # Dimensions
    "best dimension": "From {least} to {most} dimensions, the held-out error was lowest with "
                      "{best}: {error} (@fig-dimensions).",
    "cannot decide": "{number} cannot decide between these numbers of dimensions: {numbers}.",
    "no number at chance": "Held-out answers are not shown to be predicted better than by chance: "
                           "no number of dimensions is recommended.",
    "little with more": "More dimensions than {d} would lower the error by at most {gain} (95% "
                        "interval).",
    "worse with fewer": "With {d}, the error was significantly higher ({error}; corrected {p}).",
    "shown best": "The map shown has {d}, the number with the lowest error.",
    "shown as well": "The map shown has {d}, whose error ({error}) is not significantly higher.",
    "shown worse": "The map shown has {d}, whose error ({error}) is significantly higher.",
    "at the edge": "No more than {best} dimensions were tried, so that more might predict better.",
    # Map
    "map shown": "@fig-map shows the map in *d* = {d}.",
    "no held-out error": "How well it predicts new answers was not measured; its training error "
                         "was {error}, which is lower than the error on new answers would be.",
    "map predicts": "It predicted held-out answers with an error of {error}; guessing would give "
                    ".500.",
    "choices predicted": "Of whole trials ({kind}), it predicted a proportion of {share} "
                         "({interval}); guessing would give {chance}.",
    "like guessing": "This error cannot be told from that of guessing: the map must not be "
                     "interpreted.",
    "least error": "By the bounds of the noise ceiling of the repeated questions, the lowest error "
                   "that predicting people in general could reach lies between {low} and {high}.",
    "ceiling reached": "The map leaves no error that could be told from noise in the responses.",
    "turned": "Only the distances between objects have a meaning: a map may be rotated and "
              "reflected.",
    "ellipses over participants": "Regions are 95% confidence regions: in 95% of repetitions of "
                                  "the experiment with as many other participants, the region "
                                  "computed then would hold the position that unlimited answers "
                                  "would give the object. Errors of the model and questions that "
                                  "were never asked are not covered.",
    "ellipses over both": "Regions are 95% confidence regions: in 95% of repetitions of the "
                          "experiment with as many other participants, the region computed then "
                          "would hold the position that unlimited answers would give the object. "
                          "Errors of the model and questions that were never asked are not "
                          "covered.",
    "ellipses over answers": "Regions are 95% confidence regions: in 95% of repetitions of the "
                             "experiment with as many answers of the same people, the region "
                             "computed then would hold the position that unlimited answers would "
                             "give the object. Errors of the model and questions that were never "
                             "asked, and differences between people, are not covered.",
    "ellipses over posterior": "Given the answers, an object lies in its region with a probability "
                               "of 95%, provided that they come from one observer, or from people "
                               "who do not differ, and that the model and its prior are right.",
    "average uncertainty": "The average uncertainty of the order of two distances, in its "
                           "published conservative form, was {value} (0 if every order is certain, "
                           ".500 if nothing is known) [@lohaus2019].",
    "chains agree": "The chains agreed (R-hat = {rhat}, {effective} effective samples).",
    "chains disagree": "The chains did not agree (R-hat = {rhat}, {effective} effective samples): "
                       "regions and average uncertainty are not to be relied on.",
    "calibrated responses": "Predicted probabilities of held-out responses had an expected "
                            "calibration error of {error}, {interval} ({chance} by chance alone) "
                            "[@guo2017].",
    "covered": "In simulated data like these, {nominal} regions held {share} of the true "
               "positions.",
    # Comparison
    "compared": "Of all methods and settings compared (@tab-methods), {best} had the lowest "
                "held-out error ({error}); the lowest of several errors is slightly too low.",
    "methods method": "Method",
    "methods error": "Held-out error",
    "methods interval": "95% CI",
    "methods caption": "Held-out error of all methods that were compared",
    "methods note": "Intervals are{over}. Differences to the lowest error are paired, on the same "
                    "answers, with *p* values corrected for their number.",
    "learned": "{place} shows the held-out error of {method} against the number of answers: "
               "{first} with {few}, {last} with {many} ({interval}{over}).",
    # Similarities
    "similar": "Similarities were computed from the answers alone by {method}{place}.",
    "shared": "{share} of the pairs of objects have a comparison in common.",
    "mostly chance": "The spread of the similarities is hardly larger than that of random answers "
                     "to the same questions: single similarities must not be interpreted.",
    "signal": "Eigenvalues that exceeded those of permuted answers [@horn1965]: {number}; these "
              "are not dimensions.",
    # Clusters
    "clustered": "{method} [@{source}] gave {number} (objects in each: {sizes}{place}).",
    "by silhouette": "The number {number} has the highest mean silhouette [@rousseeuw1987], which "
                     "names a number for any data.",
    "stable": "{method}, {clusters} clusters, in {number} bootstrap replicates{over}: stable (mean "
              "Jaccard overlap above .75) {sure}, dissolved (below .50) {lost} [@hennig2007].",
    "stability untold": "{method}: whether the clusters are stable is not told, as it is not shown "
                        "that held-out answers are predicted better than by chance.",
    "clusters seen": "The answers support {number}: their silhouettes [@rousseeuw1987] are above "
                     "those of parts of a line, a ring or a cloud of the same extent.",
    "no clusters": "No clusters are seen with these answers: silhouettes [@rousseeuw1987] are not "
                   "above those of parts of a line, a ring or a cloud of the same extent.",
    "clusters too small": "Silhouettes [@rousseeuw1987] are above those of parts of a line, a ring "
                          "or a cloud of the same extent only with clusters of fewer than three "
                          "objects, which may be pairs or outliers.",
    # Scales
    "scale shown": "@fig-scale shows the perceptual scale.",
    "rises": "That of {method} is compatible with a monotonic curve, which fits into its "
             "simultaneous 95% band.",
    "falls": "That of {method} is not compatible with a monotonic curve, none of which fits into "
             "its simultaneous 95% band.",
    "difference scaling": "Difference scaling [@maloney2003; @knoblauch2008] used {answers}; the "
                          "noise was σ = {sigma} on a scale from 0 to 1 (AIC = {aic}, {daf} of the "
                          "deviance accounted for).",
    "scale lapses": "Lapse rates were estimated with the scale: {rates}.",
    "scale predicts": "{method} predicted held-out answers with an error of {error}.",
    # Trees
    "searched": "{place} shows how often comparison trees [@haghiri2017] and other trees miss the "
                "nearest neighbour.",
    "predicted": "Comparison forests [@haghiri2018] of {trees} predicted {column} of {number} with "
                 "an error of {error} ({place}); always predicting the same gives {chance}.",
    "optimistic": "Leaf size and number of trees are those with the lowest error, which is "
                  "therefore slightly too low.",
    "no gain": "This is not clearly better than always predicting the same.",
    # Groups
    "by group": "Learned by {method} for every {by} alone, held-out errors ranged from {least} to "
                "{most} ({place}).",
    "lapses found": "Answers like guesses were estimated with the map ({method}): in {usual} of "
                    "trials for the median person, and clearly more often than that and than in "
                    "{low} for {number} (corrected for their number; {place}).",
    "no lapses found": "Answers like guesses were estimated with the map ({method}): in {usual} of "
                       "trials for the median person; nobody clearly guessed more often than that "
                       "and than in {low} (corrected for their number; {place}).",
    "lapses withheld": "Rates of answers like guesses are not reported: the answers do not confirm "
                       "the response function that they rest on ({method}).",
    "lapses not converged": "Rates of answers like guesses are not reported: the fit has not "
                            "converged ({method}).",
    "lapses of ste": "Rates of answers like guesses are not reported: they need the response "
                     "function of STE ({method}).",
    # Limitations
    "no limits": "The answers and results give no reason for a warning.",
    "nobody known": "The file names no participants, so that intervals are over questions or "
                    "answers; they do not say what other people would answer.",
    "few people": "With only {people}, it is hardly known how much people differ: what is said of "
                  "other people rests on few.",
    "in pieces": "The objects fall into {number} groups that no answer connects: their relative "
                 "positions are undetermined.",
    "never asked": "Occurring in no answer, and without a place: {number}.",
    "vague ceiling": "Too few questions were repeated for a precise noise ceiling: how much of the "
                     "error is noise in the responses remains unknown.",
    "selected": "Questions were selected in several ways; those selected adaptively are harder, so "
                "that errors on them are higher than on random questions.",
    "stopped": "Some computations were stopped before their end.",
    "nobody excluded": "Nobody was excluded; careless participants, if there were any, add noise.",
    "few answers": "There are fewer answers than the {needed} that the rule of thumb asks for in "
                   "*d* = {d}.",
    "not predicted": "Without a held-out error it is unknown whether the map predicts anything.",
    "no better than guessing": "The map does not predict held-out answers better than guessing.",
    "not converged": "The fit of the map did not converge.",
    "uncertainty unknown": "The uncertainty of positions was not estimated: how far objects could "
                           "lie elsewhere is unknown.",
    "one observer": "The posterior takes all answers as those of one observer: differences between "
                    "people are not part of the uncertainty.",
    "same people": "Answers, not participants, were resampled: the uncertainty does not say what "
                   "other people would answer.",
    "chosen by the same answers": "The number of dimensions was chosen by the held-out errors that "
                                  "are reported, which makes them slightly too low.",
    "never covered": "No interval covers errors of the model itself, or questions that were never "
                     "asked.",
    # Checklist
    "checklist": "What reviewers of studies with triplets ask for:",
    "check people": "Number of participants",
    "check exclusions": "Exclusions, with what each removed",
    "check stated before": "Whether exclusion rules were stated before the data were seen",
    "check answers": "Number of answers, in all and per object",
    "check error": "Error on held-out answers, with its interval",
    "check ceiling": "Noise ceiling, with both bounds",
    "check dimension": "How the number of dimensions was chosen",
    "check uncertainty": "Uncertainty of positions or scale values, with what it is over",
    "check code": "Where data and code are available",
    # Software
    "computed by": "All analyses were done with TripletScope {version} [@tripletscope] in Python "
                   "{python}, which computes with {libraries}.",
    "settings caption": "Settings of all results",
    "settings result": "Result",
    "settings set": "Settings",
    "settings version": "Version",
    "errors over answers": "Some intervals of errors are over questions, not over participants: "
                           "they do not say what other people would answer.",
    "errors of the learned": "In cross-validation, other answers of the same participants are "
                             "learned from: intervals over participants are about another sample "
                             "of such people, and people of whom nothing is known are predicted "
                             "worse where people differ.",
    "no regions": "With {people} there are no confidence regions in *d* = {d}.",
    "without a cluster": "Without a cluster, for lack of answers: {number}.",
    "predicted values": "Comparison forests [@haghiri2018] of {trees} predicted {column} of "
                        "{number} with a root mean square error of {error}, in units of {column} "
                        "({place}); always predicting the mean gives {chance}.",
    "methods behind": "Behind the best",
    "methods p": "*p*",
    "one predicts": "{method} predicted held-out answers with an error of {error}; guessing would "
                    "give .500.",
    "split": "The held-out error of the map is that on the test answers that the data themselves "
             "name.",
    "one start": ", from one start",
    "averaged": ", from {restarts}; the map is the one with the lowest loss, and predictions are "
                "averaged over all",
    "lowest loss": ", from {restarts}, of which the one with the lowest loss was kept",
    "ceiling of one": "From {questions} that were asked repeatedly, the noise ceiling lies between "
                      "a lower bound of {lower}, the agreement of a response with the majority of "
                      "the participant's own other responses to the same question, and an upper "
                      "bound of {upper}, the accuracy of knowing the probability of every response "
                      "(intervals{over}) [@nili2014].",
    # Interpretable dimensions
    "dimensions found": "{method} [{source}] described {objects} by weights from 0 up in {number}, "
                        "of at most {most}; two objects are similar by what they share ({place}).",
    "no dimension left": "{method} left no dimension.",
    "penalty chosen": "Held-out trials chose the penalty of {penalty}.",
    "penalty set": "The penalty was {penalty}.",
    "all dimensions used": "All that were allowed were used, so that there may be more.",
    "dimensions not tested": "How well they predict new trials was not measured.",
    "dimensions predict": "Of held-out trials ({kind}), they predicted a proportion of {share}, "
                          "{interval}{over}; guessing would give {chance}.",
    "dimensions predict answers": "They predicted held-out answers with an error of {error}; "
                                  "guessing would give .500.",
    "dimensions guess": "This cannot be told from guessing: the dimensions must not be "
                        "interpreted.",
    "dimensions ceiling": "From {questions} that were asked repeatedly, the noise ceiling lies "
                          "between {lower} and {upper}.",
    "dimensions without ceiling": "No such trial was repeated, so that the noise ceiling is "
                                  "unknown.",
    "dimensions in halves": "In {runs} fits to halves of the trials, the most similar dimension "
                            "correlated above {least} on average for {found} of {number} "
                            "(mean over all {mean}) [@muttenthaler2022].",
    "dimensions from starts": "In {runs} fits from other starts, the most similar dimension "
                              "correlated above {least} on average for {found} of {number} "
                              "(mean over all {mean}) [@muttenthaler2022].",
    "dimensions not repeated": "Whether other fits find the same dimensions was not measured.",
    "dimensions named": "Named, by what their objects share: {named} of {number} ({place}).",
    "dimensions unnamed": "{place} lists the objects with the highest weights; no dimension has a "
                          "name.",
    "dimensions caption": "Dimensions ({method})",
    "dimensions position": "Dimension",
    "dimensions name": "Name",
    "dimensions highest": "Highest weights",
    "dimensions share": "Share of all weights",
    "dimensions again": "*r*",
    "dimensions note": "*r*: mean correlation with the most similar dimension of fits {against}.",
    # Features
    "part features": "Features",
    "see figure": "See {place}.",
}
