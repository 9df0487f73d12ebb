"""What `explain` finds: accuracy and likelihood of each feature space, as numbers and a table."""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np
import pandas as pd

#: How choices were held out.
SCHEMES = ("objects", "trials")
#: Of a one-sided test on null data: as an interval of 95 %, so that both say the same.
LEVEL = 0.025


@dataclass(frozen=True)
class Explained:
    """How well feature spaces predict choices that were held out.

    Arrays are of feature spaces, models, and schemes, (s, 3, 2): models are "raw", "weighted" and
    "linear", schemes "objects" and "trials". NaN stands where a model does not suit a space, or
    objects could not be held out.

    Attributes
    ----------
    spaces, models, schemes : list of str
    accuracy, accuracy_low, accuracy_high : ndarray, shape (s, 3, 2)
        Share of choices that are predicted as they were asked: among three pairs for an odd one
        out, with a 95 % interval over objects and, at once, over `unit`, as all others.
    p : ndarray, shape (s, 3, 2)
        One-sided p value that this is above chance.
    of_two, of_two_low, of_two_high : ndarray, shape (s, 3, 2)
        Share of answers between two pairs, an odd one out being two of them: triplet accuracy.
    of_two_p : ndarray, shape (s, 3, 2)
        One-sided p value that this is above one half.
    log_likelihood, log_likelihood_low, log_likelihood_high : ndarray, shape (s, 3, 2)
        Mean log-probability of a choice; of raw distances after the best scale.
    gain, gain_low, gain_high : ndarray, shape (s, 3, 2)
        Accuracy beyond that of the raw distances, on the same choices.
    behind, behind_low, behind_high : ndarray, shape (s, 3, 2)
        Accuracy by which the best space of the same model is ahead, on the same choices.
    strengths : ndarray, shape (s, 3, 2)
        Of the penalties, the median over what was learned from; see `MODELS`.
    n_choices, n_answers : ndarray of int, shape (2,)
        Choices, and answers between two pairs, that were predicted.
    n_learned : ndarray, shape (2,)
        Choices that were learned from, in the mean over parts.
    chance, guessing : ndarray, shape (2,)
        Accuracy of guessing, and its log-likelihood, of the predicted choices.
    ceiling_lower, ceiling_upper : ndarray, shape (3,)
        Bounds of the noise ceiling of `accuracy`, each with its interval; NaN where no question
        was asked twice, or choices are of several kinds.
    of_two_ceiling_lower, of_two_ceiling_upper : ndarray, shape (3,)
        The same of `of_two`.
    n_objects, n_left_out : int
        Objects that have features in every space, and others that answers are about.
    n_dropped : int
        Choices that are about the latter and took no part.
    components : int
        At most so many principal components were transformed.
    notes : list of str
        What could not be done, and why, as sentences.
    unit : {"answers", "participants"}
    n_units : int or None
        What the intervals take as independent beside the objects, and how many.
    """

    spaces: list[str]
    models: list[str]
    schemes: list[str]
    accuracy: np.ndarray
    accuracy_low: np.ndarray
    accuracy_high: np.ndarray
    p: np.ndarray
    of_two: np.ndarray
    of_two_low: np.ndarray
    of_two_high: np.ndarray
    of_two_p: np.ndarray
    log_likelihood: np.ndarray
    log_likelihood_low: np.ndarray
    log_likelihood_high: np.ndarray
    gain: np.ndarray
    gain_low: np.ndarray
    gain_high: np.ndarray
    behind: np.ndarray
    behind_low: np.ndarray
    behind_high: np.ndarray
    strengths: np.ndarray
    n_choices: np.ndarray
    n_answers: np.ndarray
    n_learned: np.ndarray
    chance: np.ndarray
    guessing: np.ndarray
    ceiling_lower: np.ndarray
    ceiling_upper: np.ndarray
    of_two_ceiling_lower: np.ndarray
    of_two_ceiling_upper: np.ndarray
    n_objects: int
    n_left_out: int
    n_dropped: int
    components: int
    notes: list[str] = field(default_factory=list)
    unit: str = "answers"
    n_units: int | None = None

    @property
    def deviance_explained(self) -> np.ndarray:
        """(s, 3, 2) share of the deviance of guessing that is explained (McFadden's R²)."""
        return 1.0 - self.log_likelihood / self.guessing

    @property
    def table(self) -> pd.DataFrame:
        """One row for each space, model and scheme that there is a number for."""
        rows = []
        for k, scheme in enumerate(self.schemes):
            for i, space in enumerate(self.spaces):
                for j, model in enumerate(self.models):
                    at = i, j, k
                    if np.isnan(self.accuracy[at]):
                        continue
                    rows.append({
                        "space": space, "model": model, "held_out": scheme,
                        "accuracy": self.accuracy[at], "low": self.accuracy_low[at],
                        "high": self.accuracy_high[at], "p": self.p[at],
                        "chance": self.chance[k],
                        "ceiling_lower": self.ceiling_lower[0],
                        "ceiling_upper": self.ceiling_upper[0],
                        "triplet_accuracy": self.of_two[at],
                        "triplet_low": self.of_two_low[at], "triplet_high": self.of_two_high[at],
                        "triplet_p": self.of_two_p[at],
                        "triplet_ceiling_lower": self.of_two_ceiling_lower[0],
                        "triplet_ceiling_upper": self.of_two_ceiling_upper[0],
                        "log_likelihood": self.log_likelihood[at],
                        "deviance_explained": self.deviance_explained[at],
                        "gain": self.gain[at], "gain_low": self.gain_low[at],
                        "gain_high": self.gain_high[at], "behind": self.behind[at],
                        "behind_low": self.behind_low[at], "behind_high": self.behind_high[at],
                        "choices": self.n_choices[k], "learned_from": self.n_learned[k],
                    })
        return pd.DataFrame(rows)


def surely_above(table: pd.DataFrame) -> pd.DataFrame:
    """The rows by which features are judged, with ``surely``: whether above chance.

    Of held-out objects all models; of trials, where objects could not be held out, only distances
    as they are: weights and transforms learn the objects by heart, be they told by random numbers.
    A row is surely above chance at 2.5 % for all rows together (one-sided, Bonferroni).

    Silent on: random features (tests/core/explaining/test_explain.py::test_random_features).

    table: As `Explained.table`.
    """
    of_objects = table["held_out"] == "objects"
    rows = table[of_objects] if of_objects.any() else table[table["model"] == "raw"]
    return rows.assign(surely=rows["p"] * len(rows) <= LEVEL)
