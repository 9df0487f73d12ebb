"""Numbers of dimensions, learning curves and tuning, by held-out error."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import Annotated

import numpy as np
from sklearn.base import clone

from tripletscope.core.data.errors import DataError
from tripletscope.core.data.geometry import distances
from tripletscope.core.data.places import different
from tripletscope.core.data.triplets import Answers, Triplets, as_triplets
from tripletscope.core.engine.declared import Number, Seed
from tripletscope.core.engine.method import Method
from tripletscope.core.engine.parallel import results_of
from tripletscope.core.engine.progress import Progress, silent
from tripletscope.core.engine.task import task
from tripletscope.core.inference.held_out.paired import (
    PairedDifference,
    behind_best,
    holm,
    paired_difference,
)
from tripletscope.core.inference.held_out.score import (
    CHANCE,
    ErrorEstimate,
    corrected_half_width,
    corrected_spread,
    half_width_over_people,
    has_split,
    mistakes_on,
    n_groups,
    question_folds,
    require_groups,
    split_of,
)
from tripletscope.core.inference.held_out.share import wilson
from tripletscope.core.inference.held_out.units import (
    IntervalUnit,
    known_people,
    shared_covariance,
    unit_fields,
)

#: Parts of the questions, one of which a learning curve predicts.
_PARTS = 5
_RATIO = 1.0 / (_PARTS - 1)
#: Most held-out error that fewer dimensions may cost.
_HARDLY = 0.01
#: Most that other numbers of dimensions may gain where one is decided.
_LITTLE = 0.02
#: Values that `tune` tries.
DIMENSIONS = (1, 2, 3, 5, 8, 12, 20)
PRIORS = (0.03, 0.1, 0.3, 1.0, 3.0)


@dataclass(frozen=True)
class FewerDimensions:
    """Fewer dimensions, with which another method predicts as well.

    gain: By how much its error is below the lowest of the method that needs more.
    """

    method: str
    n_components: int
    gain: PairedDifference


@dataclass(frozen=True)
class Suggestion:
    """A number of dimensions, and the evidence for it.

    n_components: The smallest whose held-out error exceeds the lowest by at most a standard error
        of the difference, and less than a point.
    behind: By how much every other number is worse than the best, with Holm's p values.
    needed: Different questions by the rule of thumb, d n ln n.
    n_answers, n_questions: Answers, and different questions among them (`Answers.n_questions`).
    is_chance: Whether even the lowest error may be that of guessing.
    elsewhere: What `fewer_elsewhere` finds, where other methods were compared.
    """

    n_components: int
    best: int
    behind: dict[int, PairedDifference] = field(default_factory=dict)
    level: float = 0.05
    needed: float = np.nan
    n_answers: int = 0
    n_questions: int = 0
    is_chance: bool = False
    elsewhere: FewerDimensions | None = None

    @property
    def tried(self) -> list[int]:
        """All numbers that were compared, ascending."""
        return sorted([self.best, *self.behind])

    @property
    def undecided(self) -> list[int]:
        """The best and all that are not significantly worse, ascending."""
        alike = [d for d, difference in self.behind.items() if difference.p >= self.level]
        return sorted([self.best, *alike])

    @property
    def most_gain(self) -> float:
        """Upper end of the interval of what another number may gain over this one."""
        if self.best != self.n_components:
            return self.behind[self.n_components].high
        return max((-difference.low for difference in self.behind.values()), default=np.nan)

    @property
    def is_decided(self) -> bool:
        """Whether all fewer are significantly worse, and more could gain only little."""
        certain = self.undecided[0] == self.n_components and self.most_gain <= _LITTLE
        return certain and not self.is_chance

    @property
    def is_at_the_edge(self) -> bool:
        """Whether the best is the largest number that was tried."""
        return self.best == self.tried[-1]


def is_chance(error: ErrorEstimate) -> bool:
    """Whether an error may be that of guessing."""
    return "guessing" in error.doubted


def needed_answers(n_objects: int, n_components: int) -> float:
    """Different triplets for a map by the rule of thumb, d n ln n."""
    return n_components * n_objects * float(np.log(max(n_objects, 1)))


def suggest_dimension(fold_errors: Mapping[int, np.ndarray], ratio: float) -> int:
    """A number of dimensions that predicts about as well as the best.

    fold_errors (m,): Held-out error in the same m folds, by number of dimensions.
    ratio: Held-out answers to training answers in every fold.

    With few answers no number is significantly worse than the best, so that the smallest such
    number would be 1: fewer dimensions than the best are taken only if that costs less than a
    point, and less than a standard error (`corrected_spread`).
    """
    means = {d: float(np.mean(errors)) for d, errors in fold_errors.items()}
    best = min(sorted(means), key=means.__getitem__)
    spread = {
        d: corrected_spread(errors - fold_errors[best], ratio)
        for d, errors in fold_errors.items()
    }
    return _fewest(best, {d: (means[d] - means[best], float(spread[d])) for d in means})


def recommend_dimension(
    estimates: Mapping[int, ErrorEstimate], triplets: Triplets, ratio: float
) -> Suggestion:
    """As `suggest_dimension`, over participants where the estimates are.

    `Suggestion.is_chance` follows from the interval of the lowest error, and from Wilson's over
    trials, because each guess is a toss of its own, corrected for the numbers tried (Bonferroni).
    """
    best, behind = behind_best(dict(sorted(estimates.items())), triplets, ratio)
    enough = _fewest(best, {d: (pair.difference, pair.spread) for d, pair in behind.items()})
    n, lowest = triplets.n_objects, estimates[best]
    high = wilson(
        lowest.error, _n_trials(lowest, triplets), 1 - (1 - lowest.level) / len(estimates)
    )[1]
    return Suggestion(
        enough, best, behind, needed=needed_answers(n, enough), n_answers=len(triplets),
        n_questions=triplets.n_questions, is_chance=high >= CHANCE or is_chance(lowest),
    )


def fewer_elsewhere(
    name: str, suggestions: Mapping[str, Suggestion],
    errors: Mapping[str, Mapping[int, ErrorEstimate]], triplets: Answers, ratio: float,
) -> FewerDimensions | None:
    """Fewer dimensions that suffice another method, which predicts as well with them.

    suggestions, errors: Of methods by name, in the same folds; errors by number of dimensions.

    As well: worse than the method at its best by a standard error at most, and surely by less than
    a point, where the method is surely worse in as few dimensions (Holm's p values for the number
    of others; these, not the method's own errors, choose the number of dimensions). The other
    method's number must be decided, with more dimensions tried: it may predict better, and need as
    many.
    """
    suggestion, own = suggestions[name], errors[name]
    if suggestion.is_chance:
        return None
    candidates = {
        other: errors[other][d] for other, theirs in suggestions.items()
        if other != name and theirs.is_decided and (d := theirs.n_components) in own
        and d < min(suggestion.n_components, theirs.tried[-1])
    }
    gains = {other: paired_difference(own[suggestion.best], error, triplets, ratio)
             for other, error in candidates.items()}
    not_worse = holm({other: gain.p_within(_HARDLY) for other, gain in gains.items()})
    needed = holm({
        other: paired_difference(
            own[suggestions[other].n_components], own[suggestion.best], triplets, ratio
        ).p_above for other in candidates
    })
    alike = [
        other for other, gain in gains.items() if -gain.difference <= gain.spread
        and max(not_worse[other], needed[other]) < suggestion.level
    ]
    if not alike:
        return None
    other = min(alike, key=lambda one: (suggestions[one].n_components, candidates[one].error))
    return FewerDimensions(other, suggestions[other].n_components, gains[other])


def _n_trials(estimate: ErrorEstimate, triplets: Triplets) -> int:
    """Trials that were predicted: the two answers of an odd one out are one toss.

    Comparisons of ratings are as many as their weights say are independent.
    """
    predicted = np.isfinite(estimate.wrong) & (triplets.weight > 0)
    rated = triplets.held_together & predicted
    if triplets.trials is None and not rated.any():
        return estimate.n_answers
    trials = np.arange(len(triplets)) if triplets.trials is None else triplets.trials
    others = len(different(trials[predicted & ~rated]))
    return max(others + int(triplets.weight[rated].sum()), 1)


def _fewest(best: int, behind: Mapping[int, tuple[float, float]]) -> int:
    """The smallest number that is worse by at most its standard error, and hardly."""
    near = [d for d, (more, spread) in behind.items() if more <= min(spread, _HARDLY)]
    return min([best, *near])


@dataclass(frozen=True)
class LearningCurve:
    """Held-out error against the number of answers.

    Attributes
    ----------
    n_answers : ndarray of int, shape (p,)
        Answers learned from, ascending.
    errors : ndarray, shape (r, p)
        Error in r random divisions of the questions, on the same held-out answers for all p.
    influence : ndarray, shape (p, P) or (0, 0)
        By how much each participant moves the mean error; none where the unit is answers.
    unit : {"answers", "participants"}
        What the intervals take as independent.
    n_units : int or None
        How many participants.
    shared : ndarray, shape (p, p) or (0, 0)
        Covariance of the mean errors that comes of questions which several participants were asked.
    """

    n_answers: np.ndarray
    errors: np.ndarray
    influence: np.ndarray = field(default_factory=lambda: np.zeros((0, 0)))
    unit: str = "answers"
    n_units: int | None = None
    shared: np.ndarray = field(default_factory=lambda: np.zeros((0, 0)))

    @property
    def mean(self) -> np.ndarray:
        """(p,) mean error."""
        return self.errors.mean(axis=0)

    @property
    def half_width(self) -> np.ndarray:
        """(p,) half the width of the 95 % interval."""
        if self.unit == "answers":
            return corrected_half_width(self.errors, _RATIO)
        return np.array([self._half_width(point) for point in np.eye(len(self.n_answers))])

    def gain(self) -> tuple[float, float, float]:
        """Fall of the error over the second half of the answers, with its interval."""
        logs = np.log(self.n_answers)
        points = np.eye(len(logs))
        fall = np.array([np.interp(logs[-1] - np.log(2), logs, one) for one in points]) - points[-1]
        mean = float((self.errors @ fall).mean())
        if self.unit == "answers":
            half_width = float(corrected_half_width(self.errors @ fall, _RATIO))
        else:
            half_width = self._half_width(fall)
        return mean, mean - half_width, mean + half_width

    def _half_width(self, weights: np.ndarray) -> float:
        """Half the width of the 95 % interval over people of errors summed with weights (p,)."""
        shared = float(weights @ self.shared @ weights) if self.shared.size else 0.0
        return half_width_over_people(
            self.errors @ weights, _RATIO, weights @ self.influence, self.n_units, max(shared, 0.0)
        )


@task("Learning from more and more answers", columns=("participant",))
def learning_curve(
    method: Method, triplets: Triplets, *,
    points: Annotated[
        int, Number(3, 20, "Points", "Training-set sizes at which the error is measured.")
    ] = 6,
    repeats: Annotated[
        int, Number(2, 50, "Repeats", "Random splits; more of them narrow the band.")
    ] = 5,
    unit: IntervalUnit = "auto", seed: Seed = 0, progress: Progress = silent,
) -> LearningCurve:
    """Error on a fifth of the questions, learned from more and more of the others.

    The numbers of answers are equal steps of their logarithm, from a tenth to all.
    """
    triplets = as_triplets(triplets)
    if n_groups(triplets) < 50:
        raise DataError(
            "fewer than 50 different questions give no learning curve",
            file=triplets.name, remedy="Use more answers.",
        )
    people = known_people(triplets, unit)
    shares = np.geomspace(0.1, 1.0, points)
    parts, sizes = [], []
    for child in np.random.SeedSequence(seed).spawn(repeats):
        rng = np.random.default_rng(child)
        held_out = question_folds(triplets, _PARTS, rng) == 0
        learned = np.flatnonzero(~held_out & (triplets.weight > 0))
        # Whole groups in random order, so that every part contains the smaller ones.
        place = rng.permutation(int(triplets.groups.max()) + 1)[triplets.groups[learned]]
        learned = learned[np.argsort(place, kind="stable")]
        cuts = np.round(shares * len(learned)).astype(int)
        parts += [(method, triplets, learned[:cut], held_out) for cut in cuts]
        sizes.append(cuts)
    missed = list(results_of(mistakes_on, parts, progress))
    errors = [
        _error(wrong, triplets.weight[held_out])
        for wrong, (*_, held_out) in zip(missed, parts, strict=True)
    ]
    curve = LearningCurve(
        np.round(np.mean(sizes, axis=0)).astype(int),
        np.reshape(errors, (repeats, points)),
    )
    if people is None:
        return curve
    influence = [
        people.influence(wrong, triplets.weight[held_out], held_out)
        for wrong, (*_, held_out) in zip(missed, parts, strict=True)
    ]
    influence = np.reshape(influence, (repeats, points, -1)).mean(axis=0)
    curve = replace(curve, influence=influence, **unit_fields(people))
    if people.question is None:
        return curve
    moved = np.zeros((len(triplets), points))
    for place, (wrong, (*_, held_out)) in enumerate(zip(missed, parts, strict=True)):
        weight = triplets.weight[held_out] / triplets.weight[held_out].sum()
        moved[held_out, place % points] += weight * (wrong - weight @ wrong) / repeats
    return replace(curve, shared=shared_covariance(people.question, people.cell, moved))


def _error(wrong: np.ndarray, weight: np.ndarray) -> float:
    """The same bits as `triplet_error`."""
    return 1.0 - float(1.0 - np.average(wrong, weights=weight))


@dataclass(frozen=True)
class Tuning:
    """Settings of a method and how well each predicts.

    Attributes
    ----------
    n_components, prior : ndarray, shape (s,)
    errors : ndarray, shape (s, folds)
        Held-out error of every setting in the same folds.
    """

    n_components: np.ndarray
    prior: np.ndarray
    errors: np.ndarray

    @property
    def best(self) -> int:
        """Position of the setting with the lowest mean error."""
        return int(np.argmin(self.errors.mean(axis=1)))

    def setting(self) -> dict[str, float | int | bool]:
        """Parameters of the best setting."""
        return {
            "n_components": int(self.n_components[self.best]),
            "prior": float(self.prior[self.best]), "average": True,
        }


@task("Cross-validating hyperparameters", "embedding", columns=("split",))
def tune(
    method: Method, triplets: Triplets, *,
    most: Annotated[int, Number(
        1, 20, "Max. dimensions", "1, 2, 3, 5, 8, 12 and 20 are tried, up to this maximum."
    )] = 8,
    folds: Annotated[int, Number(2, 20, "Folds")] = 5,
    seed: Seed = 0, progress: Progress = silent,
) -> Tuning:
    """Number of dimensions and strength of the prior that predict best, averaging the starts.

    Only training answers take part where the data name them. The chosen setting's error is too low
    for new answers.
    """
    triplets = as_triplets(triplets)
    if has_split(triplets):
        triplets = triplets.take(split_of(triplets)[0])
    require_groups(triplets, folds)
    dimensions = [d for d in DIMENSIONS if d <= most]
    settings = [(d, prior) for d in dimensions for prior in PRIORS]
    fold = question_folds(triplets, folds, np.random.default_rng(seed))
    parts = [
        (
            clone(method).set_params(n_components=d, prior=prior, average=True), triplets,
            np.flatnonzero(fold != held_out), fold == held_out,
        )
        for d, prior in settings for held_out in range(folds)
    ]
    errors = [
        _error(wrong, triplets.weight[held_out])
        for (*_, held_out), wrong in zip(
            parts, results_of(mistakes_on, parts, progress), strict=True
        )
    ]
    tried = np.array(settings, dtype=float)
    return Tuning(tried[:, 0].astype(int), tried[:, 1], np.reshape(errors, (len(settings), -1)))


def neighbour_overlap(first: np.ndarray, second: np.ndarray, n_neighbours: int = 10) -> float:
    """Mean share of each object's nearest neighbours that two maps have in common."""
    k = min(n_neighbours, len(first) - 1)
    nearest = []
    for positions in (first, second):
        lengths = distances(positions)
        np.fill_diagonal(lengths, np.inf)
        nearest.append(np.argpartition(lengths, k - 1, axis=1)[:, :k])
    shared = [len(np.intersect1d(a, b)) for a, b in zip(*nearest, strict=True)]
    return float(np.mean(shared)) / k
