"""What results say, in English; see `Words` for how fields are written."""

FINDINGS = {
    # Features
    "model raw": "by its distances as they are",
    "model weighted": "with weighted dimensions",
    "model linear": "after a linear transform",
    "features best objects": "Of the features, {best:name} predicts choices among held-out objects "
                             "best, {how}: accuracy {accuracy:estimate} (95% interval over objects "
                             "and, at once,{over:over}; chance {chance:share}; {choices:whole} "
                             "choices).",
    "features best trials": "Of the features, {best:name} predicts held-out trials best, {how}: "
                            "accuracy {accuracy:estimate} (95% interval over objects and, at once,"
                            "{over:over}; chance {chance:share}; {choices:whole} choices). Objects "
                            "could not be held out.",
    "features one objects": "{best:name} predicts choices among held-out objects {how}: accuracy "
                            "{accuracy:estimate} (95% interval over objects and, at once,"
                            "{over:over}; chance {chance:share}; {choices:whole} choices).",
    "features one trials": "{best:name} predicts held-out trials {how}: accuracy "
                           "{accuracy:estimate} (95% interval over objects and, at once,"
                           "{over:over}; chance {chance:share}; {choices:whole} choices). Objects "
                           "could not be held out.",
    "features none objects": "No features are seen to predict choices among held-out objects "
                             "better than chance ({chance:share}): at best {best:name}, {how}, "
                             "with accuracy {accuracy:estimate} (95% interval over objects and, at "
                             "once,{over:over}).",
    "features none trials": "No features are seen to predict held-out trials better than chance "
                            "({chance:share}): at best {best:name}, {how}, with accuracy "
                            "{accuracy:estimate} (95% interval over objects and, at once,"
                            "{over:over}).",
    "features at chance": "Not told apart from chance: {names:names}.",
    "features ahead": "It is ahead of {next:name}, the next, by {behind:estimate} on the same "
                      "choices.",
    "features not ahead": "It is not told apart from {next:name}: ahead by {behind:estimate} on "
                          "the same choices.",
    "features no ceiling": "How much could be predicted at all is not known well enough: too few "
                           "questions were asked more than once to tell the noise ceiling.",
    "features at ceiling": "The noise ceiling lies between {lower:share} and {upper:share}: what "
                           "is left may be noise.",
    "features below ceiling": "The noise ceiling lies between {lower:share} and {upper:share}: "
                              "beyond chance, {share:percent 0} of what could be predicted is.",
    "learned by heart": "Held-out objects ask whether features tell of objects that nothing was "
                        "learned of. Held-out trials are about the same objects as before, which "
                        "many features can learn by heart: the right panel may be higher for that "
                        "reason alone.",
    "nothing learned": "Nothing was learned of the objects, so that the two panels differ only in "
                       "the choices they count.",
    "one feature": "There is only one feature, which has all the weight.",
    "features count": "What counts, as a share of what decides a choice (95% intervals"
                      "{over:over}): {names}.",
    "and more": "{names}, and {number:whole} more",
    "features do not count": "Not seen to count beside the others: {names}.",
    "weights are shared": "Features that go together share their weight in no certain way: Unique "
                          "and shared says what each adds.",
    "choose several": "Choose several features to compare them.",
    "parts together objects": "On held-out objects, the predictors together explain "
                              "{total:estimate} of the deviance of guessing (95% interval over "
                              "objects and, at once,{over:over}).",
    "parts together trials": "On held-out trials, the predictors together explain {total:estimate} "
                             "of the deviance of guessing (95% interval over objects and, at once,"
                             "{over:over}).",
    "parts none objects": "On held-out objects, the predictors together are not seen to explain "
                          "more than chance: {total:estimate} of the deviance of guessing (95% "
                          "interval over objects and, at once,{over:over}).",
    "parts none trials": "On held-out trials, the predictors together are not seen to explain more "
                         "than chance: {total:estimate} of the deviance of guessing (95% interval "
                         "over objects and, at once,{over:over}).",
    "parts add": "Adds something that the others do not have: {names}.",
    "parts add none": "None is seen to add anything to the others.",
    "parts do not add": "Not seen to add anything to the others: {names:names}.",
    "parts help": "Predictors help each other: together they explain more than the sum of unique "
                  "parts allows (shared {joint:estimate}).",
    "parts shared": "Shared by several, each of which would do: {joint:estimate}.",
    "features correlate": "{best:name} ranks pairs most like the map: rank correlation "
                          "{value:estimate} (95% interval over objects and, at once,{over:over}).",
    "features correlate none": "None of the features is seen to rank pairs better than chance: at "
                               "best {best:name}, with a rank correlation of {value:estimate} (95% "
                               "interval over objects and, at once,{over:over}).",
    "correlates ahead": "It is ahead of {next:name}, the next, by {behind:estimate}.",
    "correlates not ahead": "It is not told apart from {next:name}: ahead by {behind:estimate}.",
    "halves correlate": "Maps of two halves of the answers correlate at {lower:share}; no features "
                        "can be expected above {upper:share}.",
    "map between": "The map stands between features and answers here: what it does not hold, this "
                   "cannot see. Accuracy asks the answers themselves.",
    "left over something": "Something is left over: beside the features, a map explains "
                           "{gain:estimate} more of the deviance of held-out trials (95% interval "
                           "over objects and, at once,{over:over}).",
    "left over nothing": "No more than chance is seen to be left over: beside the features, a map "
                         "explains {gain:estimate} of the deviance of held-out trials (95% "
                         "interval over objects and, at once,{over:over}). It is not to be read.",
    "features help the map": "Features help a map that knows none of them, by {beyond:estimate}.",
    "map beats features": "A map without any features predicts better ({beyond:estimate}): it can "
                          "learn of the objects what features tell.",
    "map as features": "A map without any features is not seen to predict worse "
                       "({beyond:estimate}): it can learn of the objects what features tell.",
    "left over accuracy": "Accuracy on held-out trials, where chance is {chance:share}: {parts}.",
    # People
    "estimated change": "{value} [{low}, {high}]",
    "view one map": "one map for all",
    "view consistency": "one map, with each person's consistency",
    "view weights": "weights of its axes for each person",
    "view own maps": "a map for each person",
    "view groups": "{number:whole} groups",
    "view of conditions weights": "weights of each",
    "view of conditions own maps": "a map of each",
    "people one map": "One map for all predicts held-out answers best: nothing more about each "
                      "{by:name} helps.",
    "people best": "Held-out answers are predicted best by {view}: the probability of an answer "
                   "changes by {gain:change} (95% interval{over:over}), accuracy by {right:points} "
                   "percentage points.",
    "people better": "Weights predict {better:whole} of {people:whole} better than one map, "
                     "{clearly:whole} clearly, and {worse:whole} clearly worse; {chance} on either "
                     "side would be clear by chance.",
    "people better of some": "Weights predict {better:whole} of {people:whole} better than one "
                             "map, {clearly:whole} of the {told:whole} with answers enough to tell "
                             "clearly, and {worse:whole} clearly worse; {chance} on either side "
                             "would be clear by chance.",
    "people not told": "Weights predict {better:whole} of {people:whole} better than one map; "
                       "nobody gave answers enough to tell of whom this is clear.",
    "by chance": "about {number:whole}",
    "hardly by chance": "fewer than 1",
    "weights add nothing": "Beyond consistency, weights add nothing that is clear.",
    "one axis": "With one axis, weights say how consistent people are, and no more.",
    "axes not tested": "Whether the axes mean something has not been tested on held-out answers.",
    "axes not needed": "The axes are not fixed by these answers, as weights do not predict them "
                       "better than consistency: the map may be turned freely, and no axis be "
                       "named.",
    "axes fixed": "People differ in how they weight the axes, and that fixes the rotation of the "
                  "map: to within ± {error}° (95%). The axes may be named; their signs and order "
                  "mean nothing.",
    "axes free": "The axes are not fixed by these answers: people weight them too much alike. The "
                 "map may be turned freely, and no axis be named.",
    "weights not shown": "Weights of each {by:name} are not shown: no test has shown that they "
                         "differ.",
    "who differs": "Who differs most",
    "groups not tested": "How many groups there are has not been tested on held-out answers. None "
                         "are shown before: groups can always be made.",
    "one group": "One group: two groups do not predict held-out answers better (change of the "
                 "probability of an answer {gain:change}, 95% interval over people). None are "
                 "shown: groups can always be made.",
    "groups predict": "{number:whole} groups predict held-out answers best: the probability of an "
                      "answer changes by {gain:change} over one map (95% interval over people).",
    "groups not converged": "The search has not converged: memberships may still change.",
    "conditions seen": "What is attended to differs between the conditions of {by:name}. Guessing "
                       "under one condition alone can look like this.",
    "conditions stretched": "The conditions of {by:name} stretch the map differently, by too "
                            "little for held-out answers to be predicted better. Guessing under "
                            "one condition alone can look like this.",
    "conditions unseen": "It is not seen that what is attended to differs between the conditions "
                         "of {by:name}.",
    "conditions vary": "Answers of these people are predicted best by {view}, as they may be where "
                       "people vary without a common direction.",
    "conditions permuted": "Permutation test {how} that all weight the map alike: {p:p} "
                           "({number:whole} permutations).",
    "permuted within participants": "within participants",
    "permuted between participants": "between participants",
    "permuted between trials": "between trials",
    "conditions gain": "Weights of the conditions change the probability of held-out answers by "
                       "{gain:change} over consistency alone (95% interval over {over}).",
    "conditions over participants": "participants",
    "conditions over answers": "parts of the answers",
}
