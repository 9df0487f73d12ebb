"""Held-out accuracy and likelihood of each feature space."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from itertools import islice
from typing import Annotated

import numpy as np
import pandas as pd

from tripletscope.core.data.quadruples import as_answers
from tripletscope.core.data.triplets import Answers
from tripletscope.core.engine.declared import Number, Seed
from tripletscope.core.engine.estimate import Estimate
from tripletscope.core.engine.parallel import results_of
from tripletscope.core.engine.progress import Progress, silent
from tripletscope.core.engine.task import task
from tripletscope.core.features.feature_model import FeatureModel
from tripletscope.core.features.intervals import Units
from tripletscope.core.features.models import MODELS, chance, guessing
from tripletscope.core.features.splits import (
    ChoiceSets,
    Division,
    averaged,
    divisions_of,
    predict,
    prepared,
)
from tripletscope.core.features.ways import better_way, other_ways
from tripletscope.core.inference.held_out.ceiling import VAGUE, noise_ceiling
from tripletscope.core.inference.held_out.choice_accuracy import choice_accuracies
from tripletscope.core.inference.held_out.choice_ceiling import ChoiceCeiling
from tripletscope.core.inference.held_out.share import Share
from tripletscope.core.inference.held_out.units import LearnedUnit

#: Held-out units.
SCHEMES = ("objects", "trials")
#: Of a one-sided test, so that it agrees with an interval of 95 %.
LEVEL = 0.025
TrialFolds = Annotated[
    int, Number(2, 20, "Folds of trials", "Questions and trials are predicted from the others.")
]
ObjectFolds = Annotated[int, Number(
    2, 10, "Folds of objects", "Choices among the objects of a fold are predicted from choices "
    "among all others. Only one triplet in the square of this number is predicted."
)]


@dataclass(frozen=True)
class Explained:
    """How well feature spaces predict held-out choices.

    Arrays are of feature spaces, models, and schemes, (s, 3, 2): models are "raw", "weighted" and
    "linear", schemes "objects" and "trials"; NaN where one does not apply.

    Attributes
    ----------
    spaces, models, schemes : list of str
    accuracy : Estimate, shape (s, 3, 2)
        Share of choices as asked, such as an odd one out, that are predicted. All intervals are
        over objects and their unit at once.
    p : ndarray, shape (s, 3, 2)
        One-sided, that the accuracy is above chance.
    of_two : Estimate, shape (s, 3, 2)
        Triplet accuracy, on answers between two pairs; an odd one out is two of them.
    of_two_p : ndarray, shape (s, 3, 2)
        One-sided, that this is above one half.
    log_likelihood : Estimate, shape (s, 3, 2)
        Mean log-probability of a choice; of raw distances after the best scale.
    gain : Estimate, shape (s, 3, 2)
        Accuracy beyond that of raw distances.
    behind : Estimate, shape (s, 3, 2)
        Lead in accuracy of the best space with the same model.
    strengths : ndarray, shape (s, 3, 2)
        Strength of the penalty, median over training parts.
    n_choices, n_answers : ndarray of int, shape (2,)
        Held-out choices, and held-out answers between two pairs.
    n_learned : ndarray, shape (2,)
        Training choices, mean over parts.
    chance, guessing : ndarray, shape (2,)
        Accuracy and log-likelihood of guessing on the held-out choices.
    ceiling, of_two_ceiling : Estimate, shape (2,)
        Lower and upper bound of the noise ceilings of `accuracy` and `of_two`; NaN without repeated
        questions, or with choices of several kinds.
    n_objects : int
        Objects that have features in every space.
    n_left_out : int
        Other objects of the answers.
    n_dropped : int
        Choices about the latter, which are left out.
    components : int
        Most transformed principal components.
    by_way : Estimate, shape (s, w)
        Accuracy as they are, if rows are compared by each of w `ways.WAYS`: a metric, and whether
        columns are standardised. NaN for distances, single columns and very large tables.
    by_way_p : ndarray, shape (s, w)
        One-sided, that a way predicts the same choices better than the space's own.
    own_way : ndarray of int, shape (s,)
        Position of the latter; -1 where none is compared.
    n_by_way : int
        Choices that `by_way` is of, a sample of many.
    not_held_out : dict
        Why objects were not held out: a ``code`` and its numbers; empty where they were.
    """

    spaces: list[str]
    models: list[str]
    schemes: list[str]
    accuracy: Estimate
    p: np.ndarray
    of_two: Estimate
    of_two_p: np.ndarray
    log_likelihood: Estimate
    gain: Estimate
    behind: Estimate
    strengths: np.ndarray
    n_choices: np.ndarray
    n_answers: np.ndarray
    n_learned: np.ndarray
    chance: np.ndarray
    guessing: np.ndarray
    ceiling: Estimate
    of_two_ceiling: Estimate
    n_objects: int
    n_left_out: int
    n_dropped: int
    components: int
    by_way: Estimate
    by_way_p: np.ndarray
    own_way: np.ndarray
    n_by_way: int
    not_held_out: dict = field(default_factory=dict)

    @property
    def deviance_explained(self) -> np.ndarray:
        """(s, 3, 2) explained share of the deviance of guessing (McFadden's R²)."""
        return 1.0 - self.log_likelihood.value / self.guessing

    def better_way(self, space: int) -> int | None:
        """The way that predicts best, if it is better than the space's own, at 2.5 % for all."""
        return better_way(self.by_way.value, self.by_way_p, space)

    @property
    def table(self) -> pd.DataFrame:
        """One row for each space, model and scheme with a number; no ceiling where it is vague."""
        rows, bounds = [], {}
        for of, ceiling in (("", self.ceiling), ("triplet_", self.of_two_ceiling)):
            lower, upper = ceiling.value if _is_precise(ceiling) else (np.nan, np.nan)
            bounds |= {f"{of}ceiling_lower": lower, f"{of}ceiling_upper": upper}
        for k, scheme in enumerate(self.schemes):
            for i, space in enumerate(self.spaces):
                for j, model in enumerate(self.models):
                    at = i, j, k
                    if np.isnan(self.accuracy.value[at]):
                        continue
                    accuracy, low, high = self.accuracy[at].interval
                    of_two, of_two_low, of_two_high = self.of_two[at].interval
                    rows.append({
                        "space": space, "model": model, "held_out": scheme,
                        "accuracy": accuracy, "low": low, "high": high, "p": self.p[at],
                        "chance": self.chance[k], **bounds, "triplet_accuracy": of_two,
                        "triplet_low": of_two_low, "triplet_high": of_two_high,
                        "triplet_p": self.of_two_p[at],
                        "log_likelihood": self.log_likelihood.value[at],
                        "deviance_explained": self.deviance_explained[at],
                        **self.gain[at].columns("gain"), **self.behind[at].columns("behind"),
                        "choices": self.n_choices[k], "learned_from": self.n_learned[k],
                    })
        return pd.DataFrame(rows)


def _is_precise(ceiling: Estimate) -> bool:
    return bool((ceiling.high - ceiling.low < VAGUE).all())


def above_chance(table: pd.DataFrame) -> pd.DataFrame:
    """The rows of `Explained.table` by which features are judged, and which are ``significant``.

    All models for held-out objects; without these raw distances alone, because weights and
    transforms of random numbers learn the objects of held-out trials by heart. The level is 2.5 %
    for all rows together (one-sided, Bonferroni).
    """
    of_objects = table["held_out"] == "objects"
    rows = table[of_objects] if of_objects.any() else table[table["model"] == "raw"]
    return rows.assign(significant=rows["p"] * len(rows) <= LEVEL)


@task("Predicting answers from features", "spaces", columns=("participant",))
def explain(
    spaces: FeatureModel, answers: Answers, *, object_folds: ObjectFolds = 3, folds: TrialFolds = 5,
    components: Annotated[int, Number(
        2, 200, "Components", "Larger feature spaces are transformed by this many principal "
        "components; their residuals stay unchanged.", advanced=True
    )] = 50,
    unit: LearnedUnit = "auto", seed: Seed = 0, progress: Progress = silent,
) -> Explained:
    """How well features predict people's answers.

    Distances as they are ("raw"), with a weight of 0 or more for each dimension ("weighted"), and
    after a linear transform ("linear") predict choices among held-out objects, and of held-out
    trials. Only the former generalise to new objects: many features can learn the objects of
    the latter by heart.

    Parameters
    ----------
    spaces : FeatureModel, FeatureSpace or list of FeatureSpace
    answers : Triplets, Quadruples or array-like of int, shape (T, 3) or (T, 4)

    Raises
    ------
    DataError
        If there are features of other objects, or too few choices among those that have some.

    Notes
    -----
    All spaces predict the same choices, among objects with features in each of them. The log-odds
    of a choice are differences of ``sum_k w_k (f_ik - f_jk)²``, or of ``|W (f_i - f_j)|²``; raw
    distances are squared and scaled. Cosine and correlation distances are not squared, city block
    sums absolute differences, and products are ``sum_k w_k f_ik f_jk`` with the sign changed, as
    a transform makes them of ``W f``. Weights have a normal prior about their mean, W one about a
    multiple of the identity, as in gLocal (whose W is of products). The prior's width is
    chosen by held-out likelihood within the training part. With few choices objects are divided up
    to five times. Intervals take the models as learned.

    References
    ----------
    Muttenthaler, L., et al. (2023). Improving neural network representations using human
    similarity judgments. NeurIPS (gLocal). Peterson, J. C., Abbott, J. T., & Griffiths, T. L.
    (2018). Evaluating (and improving) the correspondence between deep neural networks and human
    representations. Cognitive Science, 42, 2648-2669: weights of dimensions.

    Examples
    --------
    >>> import tripletscope as ts
    >>> answers = ts.read("sample_data/ekman_colors/answers.csv")
    >>> objects = ts.features.read_objects("sample_data/ekman_colors/objects.csv")
    >>> wavelength = ts.features.FeatureSpace.of(objects, answers, name="wavelength")
    >>> found = ts.features.explain(wavelength, answers)
    >>> found.table.query("held_out == 'trials'")[["model", "accuracy"]].round(2)
      model  accuracy
    1   raw      0.78
    """
    answers = as_answers(answers)
    tables, has_features, data = prepared(spaces, answers)
    divided, refused = divisions_of(answers, has_features, data, object_folds, folds, seed)
    places = [
        (i, j, k)
        for i, space in enumerate(tables) for j, kind in enumerate(MODELS.values())
        for k, scheme in enumerate(SCHEMES) if kind.fits(space) and divided[scheme]
    ]
    names = list(MODELS)
    pieces = [
        (tables[i], names[j], data, division, components, seed)
        for i, j, k in places for division in divided[SCHEMES[k]]
    ]
    rest, held = iter(list(results_of(predict, pieces, progress))), {}
    strengths = np.full((len(tables), len(names), len(SCHEMES)), np.nan)
    for at in places:
        divisions = divided[SCHEMES[at[2]]]
        parts = list(islice(rest, len(divisions)))
        as_asked = [np.stack([part.right, part.log_likelihood]) for part in parts]
        held[at] = (
            *averaged(as_asked, divisions, data.choices),
            averaged([part.right_of_two for part in parts], divisions, data.between_two),
        )
        strengths[at] = np.median([part.strength for part in parts])
    units = Units.of(answers, unit)
    counted = answers.take(data.between_two.answer)
    return Explained(
        [space.name for space in tables], names, list(SCHEMES),
        **_scores(held, strengths.shape, data, units), strengths=strengths,
        **_sizes(held, divided, data),
        **_ceilings(counted, unit, units),
        n_objects=int((counted.answers_per_object > 0).sum()),
        n_left_out=int(((answers.answers_per_object > 0) & ~has_features).sum()),
        n_dropped=int((answers.weight > 0).sum()) - len(data.between_two),
        components=components, not_held_out=refused,
        **other_ways(tables, data.choices, units, np.random.default_rng(seed)),
    )


def _ceilings(answers: Answers, unit: str, units: Units) -> dict[str, Estimate]:
    """Bounds of both accuracies, as fields of an `Explained`."""
    of_two = noise_ceiling(answers, unit=unit)
    kinds = choice_accuracies(answers, unit=unit)
    of_choices = of_two
    if kinds:
        one = kinds[0].kind
        alike = len(kinds) == 1 and (answers.choices.n_shown > 2).all()
        # Several chosen ones count one by one, which differs from all at once.
        alike &= one.chosen == 1 and one.steps == 1
        of_choices = kinds[0].ceiling if alike else ChoiceCeiling()
    bounds = {
        name: [Share.of(0, 0) if bound is None else bound for bound in (found.lower, found.upper)]
        for name, found in (("ceiling", of_choices), ("of_two_ceiling", of_two))
    }
    return {
        name: units.estimate(*(np.array([getattr(bound, part) for bound in both])
                               for part in ("value", "low", "high")))
        for name, both in bounds.items()
    }


def _scores(
    held: Mapping[tuple[int, int, int], tuple[np.ndarray, ...]], shape: tuple[int, ...],
    data: ChoiceSets, units: Units,
) -> dict[str, Estimate | np.ndarray]:
    """Means with intervals, as fields of an `Explained`."""
    names = ("accuracy", "of_two", "log_likelihood", "gain", "behind")
    found = {name: np.full((3, *shape), np.nan) for name in names}
    p, of_two_p = np.full((2, *shape), np.nan)

    mine = {}
    for at, (right, *_) in held.items():
        # All spaces and models predict the same choices.
        if at[2] not in mine:
            mine[at[2]] = units.about(data.choices.take(np.isfinite(right)))

    for at, (right, log, of_two) in held.items():
        there, two = np.isfinite(right), np.isfinite(of_two)
        crossed = mine[at[2]]
        found["accuracy"][:, *at] = crossed.share(right[there])
        found["log_likelihood"][:, *at] = crossed.mean(log[there])
        p[at] = crossed.p_above(right[there], chance(data.choices.take(there)))
        pairwise = units.about(data.between_two.take(two))
        found["of_two"][:, *at] = pairwise.share(of_two[two])
        of_two_p[at] = pairwise.p_above(of_two[two], 0.5)
    for at, (right, *_) in held.items():
        there = np.isfinite(right)
        crossed = mine[at[2]]
        accuracy = found["accuracy"][0, :, at[1], at[2]]
        best = held[int(np.nanargmax(accuracy)), at[1], at[2]][0]
        raw = held[at[0], 0, at[2]][0]
        found["gain"][:, *at] = crossed.mean((right - raw)[there])
        found["behind"][:, *at] = crossed.mean((best - right)[there])
    estimates = {name: units.estimate(*values) for name, values in found.items()}
    return {**estimates, "p": p, "of_two_p": of_two_p}


def _sizes(
    held: Mapping[tuple[int, int, int], tuple[np.ndarray, ...]],
    divided: Mapping[str, list[Division]], data: ChoiceSets,
) -> dict[str, np.ndarray]:
    """Sizes of training and held-out parts by scheme, as fields of an `Explained`."""
    result = {name: np.zeros(len(SCHEMES), dtype=np.int64) for name in ("n_choices", "n_answers")}
    result |= {name: np.full(len(SCHEMES), np.nan) for name in ("n_learned", "chance", "guessing")}
    for k, scheme in enumerate(SCHEMES):
        if not divided[scheme]:
            continue
        right, _, of_two = held[0, 0, k]
        predicted = data.choices.take(np.isfinite(right))
        result["n_choices"][k], result["n_answers"][k] = len(predicted), np.isfinite(of_two).sum()
        sizes = [part.learned(data.choices).sum() for part in divided[scheme]]
        result["n_learned"][k] = np.mean(sizes)
        result["chance"][k], result["guessing"][k] = chance(predicted), guessing(predicted)
    return result
