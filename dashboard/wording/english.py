"""English."""

from tripletscope.dashboard.wording.english_findings import FINDINGS
from tripletscope.dashboard.wording.english_report import REPORT

THOUSANDS, PERCENT, INTERVAL = ",", "%", "95% CI"
AND, LAST_COMMA = "and", ","

NOUNS = {
    "comparison": ("comparison", "comparisons"),
    "answer": ("answer", "answers"),
    "catch trial": ("catch trial", "catch trials"),
    "cluster": ("cluster", "clusters"),
    "comparison of pairs": ("comparison of pairs", "comparisons of pairs"),
    "component": ("eigenvalue", "eigenvalues"),
    "column": ("column", "columns"),
    "dimension": ("dimension", "dimensions"),
    "feature space": ("feature space", "feature spaces"),
    "fold": ("fold", "folds"),
    "landmark": ("landmark", "landmarks"),
    "object": ("object", "objects"),
    "participant": ("participant", "participants"),
    "question": ("question", "questions"),
    "restart": ("restart", "restarts"),
    "simulated data set": ("simulated data set", "simulated data sets"),
    "step": ("step", "steps"),
    "trial": ("trial", "trials"),
    "triad": ("triad", "triads"),
    "tree": ("tree", "trees"),
}

# Figures ---------------------------------------------------------------------------------------

FIGURES = {
    "about": "{name}: {objects}, {answers}.",
    "on the basis of": "on {method}",
    "as in": ", as in {cited}",
    "switched off": "{name} off",
    "average linkage": "average linkage",
    "of distances": "on the distances of {name}",
    "over answers": " over answers",
    "over people": " over {people}",
    "over both": " over {people} and their answers",
    "error bars": "error bars",
    "ellipses": "ellipses",
    "map of": "Map of {objects} ({method}).",
    "first axes": "The first two principal axes are shown.",
    "coloured": "Colour: {column}.",
    "of some": " (of {number} objects)",
    "shapes": "95% {shape}{whose} from {origin}.",
    "from bootstrap": "{number} bootstrap replicates{over}",
    "from posterior": "{number} samples of the Bayesian posterior, which takes answers as those of "
                      "one observer",
    "from laplace": "the normal approximation of the Bayesian posterior, which takes answers as "
                    "those of one observer",
    "along the first axis": " Along the horizontal axis {first} and {last} are farthest apart.",
    "title map": "Map ({method})",
    "alt map": "Scatter plot of {objects} by their positions in the map.{far}",
    "strips of": "The objects with the highest weights in each dimension ({method}), their weights "
                 "as bars relative to the highest of all dimensions, and the histogram of all "
                 "weights, with logarithmic heights. {about}",
    "from to": ", {first} to {last}",
    "title strips": "Dimensions ({method})",
    "alt strips": "Rows of objects with the highest weights in {number}, each with a histogram.",
    "reproducibility of": "Correlation of each dimension with its best match in {number} fits "
                          "{against} ({method}): means and ranges. Dotted: r = 0.8.",
    "halves": "to halves of the trials",
    "starts": "from other starts",
    "title reproducibility": "Reproducibility of the dimensions",
    "penalty of": "Log-likelihood of held-out trials by the strength of the penalty ({method}), "
                  "and the number of dimensions. Bars: standard errors of the difference from "
                  "the best in the same trials. Chosen: {chosen}, {why}.",
    "predicts best": "which predicts best",
    "none is left": "where no dimension is left, as no penalty predicts surely better than "
                    "guessing",
    "title penalty": "Held-out log-likelihood by penalty",
    "matrix of": "Similarities by {method}, in the order of the average-linkage tree above; the "
                 "diagonal is omitted. {about}",
    "title matrix": "Similarities ({method})",
    "alt matrix": "Matrix of the similarities of {objects} in colours, below a tree.",
    "spectrum of": "Eigenvalues of the centred kernel ({method}), and the range that holds {share} "
                   "of those of {number} data sets with permuted answers.",
    "title spectrum": "Spectrum of the kernel",
    "alt spectrum": "Falling eigenvalues; {number} above the band of permuted answers.",
    "reliability of": "{number} held-out responses as predicted, against the predicted "
                      "probability ({method}). On the diagonal, predictions are reliable.",
    "title reliability": "Reliability of predicted responses",
    "caption coverage": "Share of true positions inside their ellipses, against the nominal one.",
    "title coverage": "Coverage of the ellipses",
    "caption calibration": "Share of correctly ordered distances, against order certainty.",
    "title calibration": "Calibration of order certainty",
    "calibration of": "{number} like these answers, with the response model of {method}.",
    "alt diagonal": "Curves beside a diagonal, on which observed and predicted shares are equal.",
    "dimensions of": "Error on held-out answers by the number of dimensions ({methods}), with "
                     "95% intervals{over}.",
    "ceiling band": "Band: the noise ceiling, from its lower to its upper bound.",
    "title dimensions": "Held-out error by number of dimensions",
    "alt dimensions": "Curve of the held-out error, lowest with {d} dimensions at {error}.",
    "uncertainty by dimension of": "Average uncertainty of distance comparisons by the number of "
                                   "dimensions ({method}).",
    "title uncertainty by dimension": "Average uncertainty by number of dimensions",
    "tuning of": "Cross-validated error by strength of the prior and number of dimensions "
                 "({method}, averaged over restarts).",
    "title tuning": "Held-out error by strength of the prior",
    "learning of": "Error on a held-out fifth of the questions against the number of answers "
                   "({method}), {number} random splits, with a 95% band{over}.",
    "title learning": "Learning curve",
    "alt learning": "Curve of the held-out error, from {first} with the fewest answers to {last} "
                    "with the most.",
    "alt curve": "Curves; their values are in the table of the same name.",
    "alt rows": "Points with intervals, a row for every group.",
    "forest of": "Held-out error of comparison forests for {column} of {number} against the number "
                 "of trees (leaf size {size}, {folds} folds), with 95% intervals. The other "
                 "methods see {source}.",
    "sees map": "the map",
    "sees features": "the features of the objects ({method})",
    "title forest": "Predicting {column} by comparison forests",
    "search of": "How often trees grown without them miss the nearest neighbour of {number}, "
                 "against the size of leaves, with 95% intervals.",
    "title search": "Nearest neighbours by trees",
    "features of": "Share of held-out choices that features predict, from chance on, with 95% "
                   "intervals over objects and, at once,{over}: the distances as they are, with "
                   "weights for their dimensions, and after a linear transform. {about}",
    "title features": "Choices predicted by features",
    "alt features": "Bars of the accuracy of {number}, the best of which is {best}.",
    "feature weights of": "Share of each feature in what decides a choice (weights of 0 or more), "
                          "with 95% intervals from {number} bootstrap replicates{over}. {about}",
    "title feature weights": "What each feature counts",
    "alt feature weights": "A row for every feature with its interval; the largest is {first}.",
    "unique of objects": "Deviance of guessing that predictors explain on held-out objects, each "
                         "alone and beyond all others, with 95% intervals over objects and, at "
                         "once,{over}. {about}",
    "unique of trials": "Deviance of guessing that predictors explain on held-out trials, each "
                        "alone and beyond all others, with 95% intervals over objects and, at "
                        "once,{over}. {about}",
    "title unique": "Unique and shared parts of predictors",
    "alt unique": "A row for each of {number} predictors, with what it explains alone and beyond "
                  "all others.",
    "map correlation of": "Rank correlation of distances between features with those of the map "
                          "({map}), with 95% intervals over objects and, at once,{over}. {about}",
    "halves band": "Band: the correlation of maps of two halves of the answers, and the most that "
                   "can be expected.",
    "title map correlation": "Features and the map",
    "alt map correlation": "A row for each of {number}; the highest correlation is that of {best}.",
    "left over of": "Map of what is left over by: {features}. Objects that lie apart look more "
                    "different than their features say. {about}",
    "left over noise": "It does not help to predict, and may be of noise.",
    "title left over": "What features leave over",
    "alt left over": "Scatter plot of {objects} by what their features do not explain.",
    "left over parts of": "Deviance of guessing that features, a map beside them, and a map alone "
                          "explain on held-out trials, with 95% intervals over objects and, at "
                          "once,{over}. {about}",
    "title left over parts": "Features with and without a map",
    "group errors of": "Error on held-out answers of every {by}, learned from its other answers "
                       "({method}), with 95% intervals.",
    "title group errors": "Held-out error by {by}",
    "weights of": "Weights that each {by} gives the axes of a shared map ({method}), {people} of "
                  "them; the mean is 1.",
    "weights read": "Bars: 95% intervals. The direction shows what one attends to, the distance "
                    "from the origin how consistent the answers are; on the dotted line all axes "
                    "count alike.",
    "weights triangle": "Near a corner, only that axis counts; in the middle, all count alike. "
                        "Consistency is not shown.",
    "weights strips": "Bars: 95% intervals. In every strip, points stand in order of consistency.",
    "title weights": "Weights of the axes by {by}",
    "alt weights": "Points of people by the weights of the axes; the values are in the table of "
                   "the same name.",
    "membership of": "Probability that each {by} belongs to each of {groups} groups ({method}), "
                     "{people} of them.",
    "title membership": "Membership in groups",
    "alt membership": "A stacked bar for every person, by group.",
    "group maps of": "Map of all answers and of {groups} groups ({method}), turned towards the map "
                     "of all.",
    "title group maps": "Maps of groups",
    "alt group maps": "Small maps beside each other.",
    "map of all": "all",
    "map of group": "group {number} ({share})",
    "people gains of": "Gain in the probability of held-out answers over one map for all, by {by} "
                       "({method}, {folds} folds), geometric mean with paired 95% "
                       "intervals{over}.",
    "title people gains": "What individual differences predict, by {by}",
    "lapses of": "Proportion of answers that are like guesses ({method}, estimated with the map), "
                 "with 95% intervals: the {shown} highest of {people}. Clearly more often: than "
                 "the median person (line) and than in {low}, corrected for the number of "
                 "participants.",
    "title lapses": "Lapse rates",
    "alt lapses": "Points with intervals, one for each of {number}.",
    "tree of": "{method}. {about} Cut into {clusters}.",
    "support": "Numbers: percentage of bootstrap trees that contain the branch.",
    "title tree": "Tree ({method})",
    "alt tree": "Tree of {objects}, cut into clusters with these numbers of objects: {clusters}.",
    "clusters on a map": "{method}: {clusters}, shown on the map by {map}.",
    "title clusters": "Clusters ({method})",
    "alt clusters": "Map in which colours show clusters with these numbers of objects: {clusters}.",
    "silhouettes of": "Mean silhouette against the number of clusters ({method}). Dashed: parts of "
                      "a line, a ring or a cloud of the same extent, whichever are most compact, "
                      "with standard deviations.",
    "title silhouettes": "Number of clusters: silhouettes",
    "alt silhouettes": "Curve of silhouettes, highest for {number}, beside that of a continuum.",
    "stability of": "Agreement (adjusted Rand index) with the clusters of {number} bootstrap "
                    "replicates{over} ({method}), with standard deviations.",
    "title stability": "Stability of clusters",
    "alt stability": "Curve of the agreement, highest for {number}.",
    "rank of objects": "rank in the order of the objects",
    "object id": "object",
    "scale of": "Perceptual scale against {stimulus}: {methods}. {about} Pointwise 95% "
                "bands{over}.",
    "scales aligned": "All but the first are shifted and scaled to it by least squares.",
    "title scale": "Perceptual scale against {stimulus}",
    "alt scale": "Curve of the perceptual scale from 0 to 1 over {stimulus} from {low} to {high}, "
                 "with a band.",
    "alt scales": "Curves of perceptual scales, the first from 0 to 1, over {stimulus} from {low} "
                  "to {high}, with bands.",
    "residuals of": "Distribution of the deviance residuals ({method}) in the 95% envelope of "
                    "answers by the model.",
    "title residuals": "Residuals of difference scaling",
    "alt residuals": "Curve of residuals; {share} lie outside of their envelope.",
}

TEXTS = FIGURES | FINDINGS | REPORT
