"""Do features explain the answers: held-out accuracy and likelihood of each feature space."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from itertools import islice
from typing import Annotated

import numpy as np
import pandas as pd

from tripletscope.core.data.quadruples import as_answers
from tripletscope.core.data.triplets import Judgements
from tripletscope.core.engine.declared import Number
from tripletscope.core.engine.options import Seed
from tripletscope.core.engine.parallel import results_of
from tripletscope.core.engine.progress import Progress, silent
from tripletscope.core.engine.task import task
from tripletscope.core.features.combining import FeatureModel
from tripletscope.core.features.holding_out import (
    AskedChoices,
    Division,
    averaged,
    divisions_of,
    predict,
    prepared,
)
from tripletscope.core.features.intervals import Units
from tripletscope.core.features.models import MODELS, chance, guessing
from tripletscope.core.inference.evaluation.ceiling import noise_ceiling
from tripletscope.core.inference.evaluation.choice_ceiling import ChoiceCeiling
from tripletscope.core.inference.evaluation.choosing import choice_accuracies
from tripletscope.core.inference.evaluation.share import Share
from tripletscope.core.inference.evaluation.units import LearnedUnit

#: How choices were held out.
SCHEMES = ("objects", "trials")
#: Of a one-sided test on null data: as an interval of 95 %, so that both say the same.
LEVEL = 0.025
TrialFolds = Annotated[
    int, Number(2, 20, "Folds of trials", "Questions and trials are predicted from the others.")
]
ObjectFolds = Annotated[
    int,
    Number(
        2, 10, "Folds of objects", "Choices among the objects of a fold are predicted from choices "
        "among all others. Only one triplet in the square of this number is predicted.",
    ),
]


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

    Silent on: random features (tests/core/features/test_explain.py::test_random_features).

    table: As `Explained.table`.
    """
    of_objects = table["held_out"] == "objects"
    rows = table[of_objects] if of_objects.any() else table[table["model"] == "raw"]
    return rows.assign(surely=rows["p"] * len(rows) <= LEVEL)


@task("Predicting answers from features", "spaces", columns=("participant",))
def explain(
    spaces: FeatureModel,
    answers: Judgements,
    *,
    object_folds: ObjectFolds = 3,
    folds: TrialFolds = 5,
    components: Annotated[
        int,
        Number(
            2, 200, "Components", "Larger feature spaces are transformed by this many principal "
            "components; their residuals stay unchanged.", advanced=True,
        ),
    ] = 50,
    unit: LearnedUnit = "auto",
    seed: Seed = 0,
    progress: Progress = silent,
) -> Explained:
    """How well features predict the answers of people.

    Of each space the distances as they are ("raw"), with a weight of 0 or more for each dimension
    ("weighted"), and after a linear transform ("linear") predict choices that nothing was learned
    from: those among objects that were held out, and, beside it, those of trials that were held
    out. The former says whether features tell what people see in objects they know nothing of;
    the latter does not, as many features can learn the objects by heart.

    Parameters
    ----------
    spaces : FeatureModel, FeatureSpace or list of FeatureSpace
    answers : Triplets, Quadruples or array-like of int, shape (T, 3) or (T, 4)
    progress : Progress

    Returns
    -------
    Explained

    Raises
    ------
    DataError
        If there are features of other objects, or too few choices among those that have some.
    Stopped
        If `progress` asks to stop before the end.

    Notes
    -----
    All spaces predict the same choices, those among objects that have features in each of them.
    The log-odds of a choice are differences of ``sum_k w_k (f_ik - f_jk)²``, or of
    ``|W (f_i - f_j)|²``, which for distances as they are is their square times one scale; of
    cosine and correlation distances they are these, of city block sums of absolute differences.
    Weights have a normal prior about their mean, W one about a multiple of the identity, as in
    gLocal (there W is learned of products, not of distances). The prior's width is chosen by
    likelihood within what is learned from, where objects are held out in the same way if there
    are enough. With few choices objects are divided up to five times. Intervals are over objects
    and, at once, over people, or questions and trials, with the models as they were learned: luck
    with these objects does not shrink with the number of answers.

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
    >>> objects = ts.read_objects("sample_data/ekman_colors/objects.csv")
    >>> wavelength = ts.features.FeatureSpace.of(objects, answers, name="wavelength")
    >>> found = ts.features.explain(wavelength, answers)
    >>> found.table.query("held_out == 'trials'")[["model", "accuracy"]].round(2)
      model  accuracy
    1   raw      0.78
    """
    given = as_answers(answers)
    tables, known, data = prepared(spaces, given)
    divided, notes = divisions_of(given, known, data, object_folds, folds, seed)
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
            *averaged(as_asked, divisions, data.asked),
            averaged([part.right_of_two for part in parts], divisions, data.between_two),
        )
        strengths[at] = np.median([part.strength for part in parts])
    units = Units.of(given, unit)
    counted = given.take(data.between_two.answer)
    return Explained(
        [space.name for space in tables], names, list(SCHEMES),
        **_scores(held, strengths.shape, data, units), strengths=strengths,
        **_sizes(held, divided, data),
        **_ceilings(counted, unit),
        n_objects=int((counted.answers_per_object > 0).sum()),
        n_left_out=int(((given.answers_per_object > 0) & ~known).sum()),
        n_dropped=int((given.weight > 0).sum()) - len(data.between_two),
        components=components, notes=notes, **units.said,
    )


def _ceilings(given: Judgements, unit: str) -> dict[str, np.ndarray]:
    """Bounds of both accuracies, as fields of an `Explained`."""
    of_two = noise_ceiling(given, unit=unit)
    kinds = choice_accuracies(given, unit=unit)
    asked = of_two
    if kinds:
        one = kinds[0].kind
        alike = len(kinds) == 1 and (given.choices.n_shown > 2).all()
        # Several that were chosen count one by one, which is another question than all at once.
        alike &= one.chosen == 1 and one.steps == 1
        asked = kinds[0].ceiling if alike else ChoiceCeiling()
    return {
        f"{name}_{end}": _bound(bound)
        for name, result in (("ceiling", asked), ("of_two_ceiling", of_two))
        for end, bound in (("lower", result.lower), ("upper", result.upper))
    }


def _bound(bound: Share | None) -> np.ndarray:
    return np.full(3, np.nan) if bound is None else np.array([bound.value, bound.low, bound.high])


def _scores(
    held: Mapping[tuple[int, int, int], tuple[np.ndarray, ...]], shape: tuple[int, ...],
    data: AskedChoices, units: Units,
) -> dict[str, np.ndarray]:
    """Means with intervals, as fields of an `Explained`."""
    names = ("accuracy", "of_two", "log_likelihood", "gain", "behind")
    result = {
        f"{name}{end}": np.full(shape, np.nan) for name in names for end in ("", "_low", "_high")
    }
    result["p"], result["of_two_p"] = np.full((2, *shape), np.nan)

    mine = {}
    for at, (right, *_) in held.items():
        # All spaces and models predict the same choices.
        if at[2] not in mine:
            mine[at[2]] = units.about(data.asked.take(np.isfinite(right)))

    def write(name: str, at: tuple[int, int, int], values: tuple[float, float, float]) -> None:
        for end, value in zip(("", "_low", "_high"), values, strict=True):
            result[f"{name}{end}"][at] = value

    for at, (right, log, of_two) in held.items():
        there, two = np.isfinite(right), np.isfinite(of_two)
        crossed = mine[at[2]]
        write("accuracy", at, crossed.share(right[there]))
        write("log_likelihood", at, crossed.mean(log[there]))
        result["p"][at] = crossed.p_above(right[there], chance(data.asked.take(there)))
        pairwise = units.about(data.between_two.take(two))
        write("of_two", at, pairwise.share(of_two[two]))
        result["of_two_p"][at] = pairwise.p_above(of_two[two], 0.5)
    for at, (right, *_) in held.items():
        there = np.isfinite(right)
        crossed = mine[at[2]]
        accuracy = result["accuracy"][:, at[1], at[2]]
        best = held[int(np.nanargmax(accuracy)), at[1], at[2]][0]
        raw = held[at[0], 0, at[2]][0]
        write("gain", at, crossed.mean((right - raw)[there]))
        write("behind", at, crossed.mean((best - right)[there]))
    return result


def _sizes(
    held: Mapping[tuple[int, int, int], tuple[np.ndarray, ...]],
    divided: Mapping[str, list[Division]], data: AskedChoices,
) -> dict[str, np.ndarray]:
    """How much was learned from and predicted by each scheme, as fields of an `Explained`."""
    result = {name: np.zeros(len(SCHEMES), dtype=np.int64) for name in ("n_choices", "n_answers")}
    result |= {name: np.full(len(SCHEMES), np.nan) for name in ("n_learned", "chance", "guessing")}
    for k, scheme in enumerate(SCHEMES):
        if not divided[scheme]:
            continue
        right, _, of_two = held[0, 0, k]
        predicted = data.asked.take(np.isfinite(right))
        result["n_choices"][k], result["n_answers"][k] = len(predicted), np.isfinite(of_two).sum()
        sizes = [part.learned(data.asked).sum() for part in divided[scheme]]
        result["n_learned"][k] = np.mean(sizes)
        result["chance"][k], result["guessing"][k] = chance(predicted), guessing(predicted)
    return result
