"""Triplet error, held out by question and trial."""

from __future__ import annotations

import heapq
from dataclasses import dataclass, replace
from typing import Annotated

import numpy as np
import pandas as pd
from scipy.special import stdtrit
from sklearn.base import clone

from tripletscope.core.data.errors import DataError
from tripletscope.core.data.places import different
from tripletscope.core.data.quadruples import as_answers
from tripletscope.core.data.triplets import Answers, Triplets
from tripletscope.core.engine.declared import Number, Seed
from tripletscope.core.engine.method import Method
from tripletscope.core.engine.parallel import CancelToken, results_of
from tripletscope.core.engine.progress import Progress, Stopped, silent
from tripletscope.core.engine.task import task
from tripletscope.core.inference.held_out.popularity import popularity_mistakes
from tripletscope.core.inference.held_out.share import Share, wilson
from tripletscope.core.inference.held_out.units import (
    IntervalUnit,
    SamplingUnits,
    known_people,
    unit_fields,
)

#: Error of guessing.
CHANCE = 0.5
#: Error of a prediction without preference.
_TIE = 0.5
#: Fewest comparisons of held-out pairs in a fold.
_FEWEST_COMPARED = 5


def triplet_error(fitted: Method, triplets: Triplets) -> float:
    """Weighted share of answers that a fitted method contradicts; ties count one half.

    Parameters
    ----------
    fitted : Method
    triplets : Triplets or array-like of int, shape (T, 3)

    Examples
    --------
    >>> import tripletscope as ts
    >>> answers = ts.read("sample_data/ekman_colors/answers.csv")
    >>> ts.triplet_error(ts.STE().fit(answers), answers) < 0.1
    True
    """
    return 1.0 - fitted.score(triplets)


@dataclass(frozen=True)
class ErrorEstimate:
    """Triplet error on answers that the method has not seen.

    Attributes
    ----------
    error : float
    low, high : float
        Interval of confidence `level`.
    level : float
    n_answers : int
        Predicted answers, without those of weight 0.
    scheme : str
        How they were held out, in words.
    fold_errors : ndarray, shape (folds,)
        Error of every fold; empty for a single split.
    wrong : ndarray, shape (T,)
        Error of each answer's prediction, from 0 (right) to 1; NaN where there is none.
    unit : {"answers", "participants"}
        What the interval takes as independent.
    n_units : int or None
        How many participants.
    popularity : ndarray, shape (2, 3), or None
        Error of predicting by how often each object was chosen, whatever it was compared with, and
        by how much this is above that of the method; each with its 95 % interval. None of other
        models than maps and scales.
    missed : ndarray, shape (T,), or None
        Error of the whole choice among several that each answer belongs to; None where answers are
        choices between two. See `missed_choices`, and
        `tripletscope.core.inference.held_out.choice_accuracy.choice_accuracies`.
    """

    error: float
    low: float
    high: float
    n_answers: int
    scheme: str
    fold_errors: np.ndarray
    wrong: np.ndarray
    level: float = 0.95
    unit: str = "answers"
    n_units: int | None = None
    missed: np.ndarray | None = None
    popularity: np.ndarray | None = None

    @property
    def doubted(self) -> tuple[str, ...]:
        """Codes of doubts: see `tripletscope.core.inference.validity`."""
        codes = ("guessing",) if self.high >= CHANCE else ()
        return (*codes, "popularity") if self.is_surpassed_by_popularity else codes

    @property
    def is_surpassed_by_popularity(self) -> bool:
        """Whether popularity surely predicts better than guesses, and than the method."""
        if self.popularity is None:
            return False
        error, above = self.popularity
        return bool(error[2] < CHANCE and above[2] < 0)


def question_folds(triplets: Answers, folds: int, rng: np.random.Generator) -> np.ndarray:
    """(T,) fold of every answer, with whole groups in one (`Answers.groups`).

    Folds have about equally many answers of positive weight, and at least one if there are as many
    groups.
    """
    if triplets.is_one_rating:
        require_groups(triplets, folds)
    groups = triplets.groups
    sizes = np.bincount(groups, triplets.weight > 0).astype(np.int64)
    order = rng.permutation(len(sizes))
    before = np.cumsum(sizes[order]) - sizes[order]
    fold = np.empty(len(sizes), dtype=np.int64)
    fold[order] = np.minimum(before * folds // max(int(sizes.sum()), 1), folds - 1)
    if len(np.unique(fold[sizes > 0])) < folds:
        # A group fills more than one fold: the largest groups are dealt out first.
        answers_in = [(0, k) for k in range(folds)]
        for group in order[np.argsort(-sizes[order], kind="stable")].tolist():
            answers, fold[group] = answers_in[0]
            heapq.heapreplace(answers_in, (answers + int(sizes[group]), int(fold[group])))
    return fold[groups]


def divisions(
    triplets: Answers, folds: int, rng: np.random.Generator
) -> list[tuple[np.ndarray, np.ndarray]]:
    """(T,) masks of the answers to learn from, and of those to predict, for every fold.

    Of one set of ratings whole pairs are held out: two comparisons of a pair share its rating. What
    compares a pair of the fold with another one is neither learned from nor predicted.
    """
    if not triplets.is_one_rating:
        fold = question_folds(triplets, folds, rng)
        return [(fold != k, fold == k) for k in range(folds)]
    fold = pair_folds(triplets, folds, rng)
    return [((fold != k).all(axis=1), (fold == k).all(axis=1)) for k in range(folds)]


def pair_folds(triplets: Answers, folds: int, rng: np.random.Generator) -> np.ndarray:
    """(T, 2) fold of the nearer and of the farther pair of every answer."""
    pair = np.unique(triplets.compared_pairs, return_inverse=True)[1].reshape(-1, 2)
    return (rng.permutation(int(pair.max()) + 1) % folds)[pair]


def can_divide(triplets: Answers, folds: int, repeats: int = 1, seed: int = 0) -> bool:
    """Whether each of so many `divisions` has answers to learn from and to predict."""
    if not triplets.is_one_rating:
        return n_groups(triplets) >= folds
    there = triplets.weight > 0
    return all(
        np.count_nonzero(part & there) >= _FEWEST_COMPARED
        for drawn in np.random.SeedSequence(seed).spawn(repeats)
        for both in divisions(triplets, folds, np.random.default_rng(drawn)) for part in both
    )


def n_groups(triplets: Answers) -> int:
    """Number of groups to hold out: questions or trials with answers of positive weight."""
    return len(different(triplets.groups[triplets.weight > 0]))


def missed_choices(wrong: np.ndarray, data: Answers) -> np.ndarray | None:
    """(T,) error of every choice among several as a whole, from 0 (right) to 1; None without any.

    A choice is right if all of its answers are. If some are ties and none is wrong, the chosen is
    one of several equals; in rankings and choices of several, each tie counts as a guess of its
    own, at most what guessing gets.

    wrong (T,): 0, 1/2 or 1, as `tripletscope.core.engine.method.Method.mistakes`.
    Returns: The same for all answers of a trial; NaN for choices between two.
    """
    choices = data.choices
    if choices.are_triplets:
        return None
    trials = data.trials
    ties = np.bincount(trials, wrong == _TIE)
    right = np.where(np.bincount(trials, wrong > _TIE) > 0, 0.0, 1.0 / (1.0 + ties))
    several, one = np.zeros((2, len(right)), dtype=bool)
    several[trials[choices.answer[choices.n_shown > 2]]] = True
    alone = (choices.n_chosen == 1) & (np.bincount(choices.trial)[choices.trial] == 1)
    one[trials[choices.answer[alone]]] = True
    right = np.where(one, right, np.sign(right) * _TIE**ties)
    return np.where(several, 1.0 - right, np.nan)[trials]


@task("Predicting held-out answers", columns=("participant",))
def cross_validate(
    method: Method, triplets: Answers, *,
    folds: Annotated[int, Number(
        2, 100, "Folds", "Answers are split into this many folds; each is predicted from the "
        "others."
    )] = 5,
    repeats: Annotated[
        int, Number(1, 100, "Repeats", "Repeating the division into folds narrows the interval.")
    ] = 1,
    unit: IntervalUnit = "auto", seed: Seed = 0, progress: Progress = silent,
) -> ErrorEstimate:
    """Triplet error by cross-validation over questions and trials.

    Parameters
    ----------
    method : Method
        Fitted as a clone on every training part.
    triplets : Triplets, Quadruples or array-like of int, shape (T, 3) or (T, 4)
    progress : Progress
        Called after every fold; the loss is the mean error of the folds so far.

    Returns
    -------
    ErrorEstimate
        With the corrected resampled t interval of Nadeau & Bengio (2003), because training parts
        overlap; with participants, see `half_width_over_people`.

    Raises
    ------
    DataError
        If there are fewer groups of answers than folds, or fewer than two participants for a unit
        of participants.
    Stopped
        If `progress` asks to stop before all folds are done.

    Examples
    --------
    >>> import tripletscope as ts
    >>> answers = ts.read("sample_data/ekman_colors/answers.csv")
    >>> found = ts.cross_validate(ts.STE(), answers)
    >>> found.low < found.error < found.high
    True
    >>> len(found.fold_errors)
    5
    """
    triplets = as_answers(triplets)
    if not can_divide(triplets, folds, repeats, seed):
        require_groups(triplets, folds)
    people = known_people(triplets, unit)
    parts = [
        (method, triplets, *masks)
        for seed in np.random.SeedSequence(seed).spawn(repeats)
        for masks in divisions(triplets, folds, np.random.default_rng(seed))
    ]
    errors, of_popularity, missed = [], [], []
    once = np.full(len(triplets), np.nan, dtype=np.float32)
    wrong, times_predicted, popular = np.zeros((3, len(triplets)), dtype=np.float32)
    mistakes = results_of(
        mistakes_on, parts, lambda share: progress(share, loss=float(np.mean(errors)))
    )
    for (*_, learned, held_out), each in zip(parts, mistakes, strict=True):
        errors.append(np.average(each, weights=triplets.weight[held_out]))
        popularity = popularity_mistakes(triplets, learned, held_out)
        of_popularity.append(np.average(popularity, weights=triplets.weight[held_out]))
        popular[held_out] += popularity
        once[held_out] = each
        if not len(errors) % folds:  # every answer is predicted once more, or hardly any of ratings
            predicted = np.isfinite(once)
            wrong[predicted] += once[predicted]
            times_predicted += predicted
            missed.append(missed_choices(once, triplets))
            once[:] = np.nan
    wrong, popular = (
        np.divide(total, times_predicted, where=times_predicted > 0,
                  out=np.full_like(total, np.nan)) for total in (wrong, popular)
    )
    errors = np.array(errors)
    mean = float(errors.mean())
    reach = held_out_half_width(errors, 1.0 / (folds - 1), people, wrong, triplets.weight)
    times = f", {repeats} times" if repeats > 1 else ""
    return ErrorEstimate(
        mean, max(mean - reach, 0.0), min(mean + reach, 1.0),
        int(np.count_nonzero(triplets.weight[times_predicted > 0])),
        f"{folds}-fold cross-validation by {triplets.grouped_by}{times}", errors, wrong,
        missed=None if missed[0] is None else sum((m / repeats).astype(np.float32) for m in missed),
        popularity=popularity_beside(
            popular, wrong, triplets, people, (np.array(of_popularity), errors), 1.0 / (folds - 1)
        ), **unit_fields(people),
    )


def popularity_beside(
    popular: np.ndarray, wrong: np.ndarray, triplets: Answers, people: SamplingUnits | None,
    of_folds: tuple[np.ndarray, np.ndarray] | None = None, ratio: float = 0.0,
) -> np.ndarray:
    """(2, 3) error of popularity, and by how much it is above another, with 95 % intervals.

    popular, wrong (T,): Errors of the prediction of each answer; NaN where there is none.
    of_folds (m,) each: Errors of both in every fold, with the `ratio` of held-out answers to those
        learned from. Comparisons of one set of ratings are one group: intervals are over folds.
    """
    which = np.flatnonzero(np.isfinite(wrong) & (triplets.weight > 0))
    units = people or SamplingUnits("answers", int(triplets.groups.max()) + 1, triplets.groups)
    weight, result = triplets.weight[which], []
    for less in (0.0, 1.0):
        values = popular[which].astype(float) - less * wrong[which]
        mean = float(np.average(values, weights=weight))
        if of_folds is not None and triplets.is_one_rating:
            parts = of_folds[0] - less * of_folds[1]
            reach = float(corrected_half_width(parts, ratio))
        else:
            reach = half_width_over_people(
                np.array([]), 0.0, units.influence(values, weight, which), units.number,
                units.shared(values, weight, which),
            )
        result.append((mean, mean - reach, mean + reach))
    return np.array(result)


def require_groups(triplets: Answers, folds: int) -> None:
    """Raise a `DataError` if there are fewer groups of answers than folds."""
    if triplets.is_one_rating:
        raise DataError(
            "all answers are comparisons of one set of ratings, which share them: none can be held "
            f"out in {folds} folds",
            file=triplets.name, remedy="Use the ratings of several people, or more objects.",
        )
    n = n_groups(triplets)
    if n < folds:
        kind = "trials" if triplets.grouped_by == "trial" else "different questions"
        raise DataError(
            f"{n} {kind} cannot be divided into {folds} folds",
            file=triplets.name, remedy="Use fewer folds or more answers.",
        )


def corrected_half_width(errors: np.ndarray, ratio: float) -> np.ndarray:
    """Half the width of the 95 % interval of `corrected_spread`."""
    return corrected_spread(errors, ratio) * stdtrit(len(errors) - 1, 0.975)


def corrected_spread(errors: np.ndarray, ratio: float) -> np.ndarray:
    """Standard error of a mean over parts that were held out in turn.

    Training parts overlap, so that the plain one would be too small.

    errors (m, ...): In every part, or differences of errors.
    ratio: Held-out answers to training answers.

    References
    ----------
    Nadeau, C., & Bengio, Y. (2003). Inference for the generalization error. Machine Learning,
    52, 239-281.
    """
    return np.sqrt((1.0 / len(errors) + ratio) * errors.var(axis=0, ddof=1))


def held_out_half_width(
    errors: np.ndarray, ratio: float, people: SamplingUnits | None, wrong: np.ndarray,
    weight: np.ndarray, which: np.ndarray | slice = slice(None),
) -> float:
    """Half the width of the 95 % interval of a held-out error, over people or over parts.

    See `corrected_half_width` and `SamplingUnits.influence`.
    """
    if people is None:
        return float(corrected_half_width(errors, ratio))
    return half_width_over_people(
        errors, ratio, people.influence(wrong, weight, which), people.number,
        people.shared(wrong, weight, which),
    )


def half_width_over_people(
    errors: np.ndarray, ratio: float, influence: np.ndarray, people: int, shared: float = 0.0
) -> float:
    """Half the width of the 95 % interval of a held-out error, by `spread_over_people`."""
    spread, degrees = spread_over_people(errors, ratio, influence, people, shared)
    return float(spread * stdtrit(degrees, 0.975)) if spread else 0.0


def spread_over_people(
    errors: np.ndarray, ratio: float, influence: np.ndarray, people: int, shared: float = 0.0
) -> tuple[float, float]:
    """Standard error over people, and its degrees of freedom (Satterthwaite).

    Its variance is that between people and that of training (`corrected_half_width`), which parts
    share for the most part; without `errors` only the former. Infinite for one participant.

    influence (P,): See `SamplingUnits.influence`.
    people: Known participants: other answers say nothing of how people differ.
    shared: See `SamplingUnits.shared`.
    """
    parts = len(errors)
    if people < 2:
        return float("inf"), 1.0
    between = people / (people - 1) * float(influence @ influence) + shared
    learned = ratio * float(errors.var(ddof=1)) if parts > 1 else 0.0
    variance = between + learned
    if variance == 0:
        return 0.0, float(people - 1)
    degrees = variance**2 / (between**2 / (people - 1) + learned**2 / max(parts - 1, 1))
    return float(np.sqrt(variance)), float(degrees)


def mistakes_on(
    method: Method, triplets: Answers, learned: np.ndarray, held_out: np.ndarray, halt: CancelToken
) -> np.ndarray:
    """Error of each held-out answer, predicted from the training answers."""
    fitted = clone(method).fit(triplets.take(learned), progress=halt)
    return fitted.mistakes(triplets.take(held_out))


def holdout(
    fitted: Method, test: Triplets, scheme: str = "held-out answers", *, unit: str = "auto"
) -> ErrorEstimate:
    """Triplet error of a fitted method on other answers, with the interval of `mean_over`."""
    test = as_answers(test, known=fitted.n_objects_)
    wrong = fitted.mistakes(test)
    people = known_people(test, unit)
    return ErrorEstimate(
        *mean_over(people, wrong, test.weight, test.groups),
        int(np.count_nonzero(test.weight)), scheme, np.array([]), wrong,
        missed=missed_choices(wrong, test), **unit_fields(people),
    )


def mean_over(
    people: SamplingUnits | None, wrong: np.ndarray, weight: np.ndarray, groups: np.ndarray,
    between: float | None = None,
) -> tuple[float, float, float]:
    """`clustered_mean` over people or, if there are none, over groups of answers."""
    if people is None:
        return clustered_mean(wrong, weight, groups)
    return clustered_mean(
        wrong, weight, people.part, people=people.number, shared=people.shared(wrong, weight),
        between=between,
    )


def share_right(
    people: SamplingUnits | None, wrong: np.ndarray, weight: np.ndarray, groups: np.ndarray
) -> Share:
    """Share of right predictions; see `mean_over`."""
    error, low, high = mean_over(people, wrong, weight, groups)
    number = None if people is None else people.number
    return Share(1 - error, 1 - high, 1 - low, len(wrong), number)


def clustered_mean(
    wrong: np.ndarray, weight: np.ndarray, groups: np.ndarray, *, people: int | None = None,
    shared: float = 0.0, between: float | None = None,
) -> tuple[float, float, float]:
    """Mean of values (T,) from 0 to 1, with Wilson's interval at the effective number of answers.

    The variance is cluster-robust over groups (T,), such as `Answers.groups`, or over so many
    `people`: then it is unbiased, with what is `shared` between them, and the quantile Student's.
    Where people change each other's values, the variance `between` them is another one.
    """
    weight = weight / weight.sum()
    error = float(weight @ wrong)
    by_group = np.bincount(groups, weight * (wrong - error))
    variance = float(by_group @ by_group)
    if people is not None:
        variance = (variance * people / (people - 1) if between is None else between) + shared
    # The variance of equal values is rounding.
    differ = variance > 0 and np.ptp(wrong) > 0
    effective = error * (1 - error) / variance if differ else len(different(groups))
    degrees = None if people is None else people - 1
    return error, *wilson(error, min(effective, len(wrong)), degrees=degrees)


def errors_by(estimate: ErrorEstimate, triplets: Triplets, column: str) -> pd.DataFrame:
    """Error for each value of a column of the answers: sampler, participant, split.

    Columns: ``column``, ``answers`` (predicted), ``error``, ``low``, ``high``, ``participants`` (0
    where the interval is over answers). Intervals take the maps as fixed, and are narrower than
    that of the whole estimate.
    """
    counted = np.flatnonzero(np.isfinite(estimate.wrong) & (triplets.weight > 0))
    unit = "answers" if estimate.unit == "answers" else "auto"
    values = triplets.answers[column].astype("str").fillna("").iloc[counted]
    rows = []
    for value, places in values.groupby(values.to_numpy()).indices.items():
        of = counted[places]
        people = known_people(triplets.take(of), unit)
        interval = mean_over(people, estimate.wrong[of], triplets.weight[of], triplets.groups[of])
        rows.append((value, len(of), *interval, 0 if people is None else people.number))
    return pd.DataFrame(rows, columns=[column, "answers", "error", "low", "high", "participants"])


@task("Predicting the test answers", columns=("split", "participant"))
def split_error(
    method: Method, triplets: Triplets, *, unit: IntervalUnit = "auto", progress: Progress = silent
) -> ErrorEstimate:
    """Triplet error on the data's own test answers, learned from its training answers."""
    train, test = split_of(triplets)
    fitted = clone(method).fit(triplets.take(train), progress=progress)
    if getattr(fitted, "stopped_", False):
        raise Stopped
    estimate = holdout(fitted, triplets.take(test), "the data's own test answers", unit=unit)
    wrong, missed = np.full((2, len(triplets)), np.nan)
    wrong[test] = estimate.wrong
    popular = np.full(len(triplets), np.nan)
    popular[test] = popularity_mistakes(triplets, train, test)
    beside = popularity_beside(popular, wrong, triplets, known_people(triplets, unit))
    estimate = replace(estimate, popularity=beside)
    if estimate.missed is None:
        return replace(estimate, wrong=wrong)
    missed[test] = estimate.missed
    return replace(estimate, wrong=wrong, missed=missed)


def split_of(triplets: Triplets) -> tuple[np.ndarray, np.ndarray]:
    """(T,) bool masks of the training and test answers that the data name.

    Entries of the column ``split`` begin with "train", and with "test" or "val", in any case.
    """
    words = triplets.answers.get("split", pd.Series("", range(len(triplets))))
    words = words.astype("str").str.strip().str.lower()
    train = words.str.startswith("train").to_numpy(dtype=bool, na_value=False)
    test = words.str.startswith(("test", "val")).to_numpy(dtype=bool, na_value=False)
    counts = triplets.weight > 0
    if not (train & counts).any() or not (test & counts).any():
        raise DataError(
            "the data have no division into training and test answers",
            file=triplets.name, remedy="Choose a column as split, or use cross-validation.",
        )
    return train, test


def has_split(triplets: Triplets) -> bool:
    """Whether the data name training and test answers."""
    try:
        split_of(triplets)
    except DataError:
        return False
    return True
