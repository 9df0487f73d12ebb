"""Typical and odd objects: how deep each lies among the others, in answers and on a map."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Annotated, NamedTuple, Self

import numpy as np
from scipy import sparse
from scipy.spatial.distance import cdist
from scipy.special import fdtrc, polygamma, stdtrit
from scipy.stats import spearmanr
from sklearn.base import clone

from tripletscope.core.data.errors import DataError
from tripletscope.core.data.grouping import linked
from tripletscope.core.data.triplets import Triplets, as_triplets
from tripletscope.core.engine.declared import Choice
from tripletscope.core.engine.estimate import Estimate
from tripletscope.core.engine.parallel import single_blas_thread
from tripletscope.core.engine.progress import Progress, part, silent
from tripletscope.core.engine.task import task
from tripletscope.core.features.intervals import Units
from tripletscope.core.inference.held_out.share import wilson
from tripletscope.core.inference.held_out.units import ENOUGH, UNITS, sampling_units
from tripletscope.core.models.embedding.ordinal import OrdinalEmbedding

#: Level of the test of all objects, and of all comparisons of two together.
LEVEL = 0.05
#: What trials say of their objects, and how often chance says so.
CHANCE = {"not odd": 2 / 3, "central": 1 / 3, "nearer": 1 / 2}
#: Fewest objects that can be ranked.
_FEWEST = 3
#: And most: memory and time grow with the square and the cube.
_MOST = 3_000
#: Most pairs of objects whose lenses are looked into.
_PAIRS = 50_000
#: Of three objects, the two that are not chosen are not compared, which counts one half: so far are
#: scores of the chosen one from the others', where those of two options are 1 apart.
_OF_THREE = 0.75
#: Successes and failures that are added to a share before two are compared (Agresti & Caffo).
_ADDED = 2
#: So many times as rare as the average, objects weigh no more: one trial would outweigh many.
_RARE = 4.0
#: Company that is so near is said to be alike; at random it is one half.
_ALIKE = 0.4


@dataclass(frozen=True)
class Typicality:
    """How deep each of n objects lies among the others: typical ones deep, odd ones not.

    Attributes
    ----------
    role : {"not odd", "central", "nearer"}
        What `depth` counts: trials in which an object is not the odd one out of three; is the most
        central of three; or is the nearer of two to a third, if there are also other answers.
    depth : Estimate, shape (n,)
        Share of the trials about an object, had it been shown with average company; NaN for
        objects that no answers compare with most others.
    n_answers : ndarray of int, shape (n,)
        Trials that say something of the object.
    side : ndarray of int, shape (n,)
        1 for objects that are more typical than the average of all, -1 for odder ones, 0 for others
        and where `p` is above .05; for all objects together.
    highest, lowest : ndarray of int, shape (n,)
        Ranks that each object may have, from 1 for the most typical; those of all objects hold at
        once. 0 for objects without a depth.
    p : float
        That depths differ as much if all objects are equally typical.
    lens : ndarray, shape (n,)
        Lens depth on the map: share of pairs of others that are farther from each other than either
        is from the object. NaN without a place.
    agreement : float
        Spearman's correlation of both depths; NaN without a map.
    company : float
        How far apart objects of one answer lie on the map, from 0 to 1 for the farthest; one half
        if they were drawn at random. NaN without a map.
    """

    role: str
    depth: Estimate
    n_answers: np.ndarray
    side: np.ndarray
    highest: np.ndarray
    lowest: np.ndarray
    p: float
    lens: np.ndarray
    agreement: float
    company: float

    @property
    def order(self) -> np.ndarray:
        """(m,) objects with a depth, the most typical first."""
        known = np.isfinite(self.depth.value)
        return np.argsort(-self.depth.value, kind="stable")[: np.count_nonzero(known)]

    @property
    def differs(self) -> bool:
        """Whether some objects are more typical than others."""
        return bool(self.p <= LEVEL)

    @property
    def are_alike(self) -> bool:
        """Whether trials show objects that are alike, so that depths are among neighbours."""
        return bool(self.company < _ALIKE)


@task("Comparing objects with all others", "embedding", columns=("participant",))
def typicality(
    method: OrdinalEmbedding | None, answers: Triplets, *,
    unit: Annotated[str, Choice(
        {name: UNITS[name] for name in ("auto", "participants", "answers")}, "Sampling unit",
        "Unit of intervals and tests. Participants: variation over samples of people, and over the "
        "questions that they share. Answers: variation over questions to the same people. "
        f"Automatic: participants from {ENOUGH} on.",
    )] = "auto",
    progress: Progress = silent,
) -> Typicality:
    """How typical or odd each object is: its depth among the others in the answers.

    Parameters
    ----------
    method : OrdinalEmbedding or None
        Of the map, on which depths are compared with those in the answers; None for no map.
    answers : Triplets or array-like of int, shape (T, 3)

    Raises
    ------
    DataError
        If the answers compare fewer than three objects with each other, or more than 3,000, or are
        about pairs of pairs.

    Notes
    -----
    The central object of three is nearer to both others than these are to each other, the odd one
    to none. So every answer is about who is nearer: a triplet says it of its options, an odd one
    out of that one and each of the others (the crowd median is the object that is least often odd).
    How often depends on who else is shown. Depths solve, by least squares, that what a trial says
    of an object is the mean difference between its depth and those of the others; a trial weighs
    more, the more seldom its objects are shown. Where these are drawn at random, depth is the plain
    share. *Not* corrected is company that is alike, as of samplers that ask for neighbours: see
    `Typicality.company`.

    Variances are of sums over people and over questions that they share; or over questions and
    trials; or, of comparisons of ratings, over ratings. Intervals are Wilson's at the effective
    number of trials. All objects are tested by the ANOVA-type statistic of Brunner et al., with the
    variance that holds where they are alike. One object and the average, and two objects, are told
    apart by t tests with Bonferroni's correction for all, with variances drawn towards their mean
    (Smyth 2004); ranks hold at once for all objects (Al Mohamad et al.).

    References
    ----------
    Heikinheimo, H., & Ukkonen, A. (2013). The crowd-median algorithm. HCOMP. Ukkonen, A.,
    Derakhshan, B., & Heikinheimo, H. (2015). Crowdsourced nonparametric density estimation using
    relative distances. HCOMP. Kleindessner, M., & von Luxburg, U. (2017). Lens depth function and
    k-relative neighborhood graph. Journal of Machine Learning Research, 18(58). Brunner, E., Dette,
    H., & Munk, A. (1997). Box-type approximations in nonparametric factorial designs. Journal of
    the American Statistical Association, 92, 1494-1502. Smyth, G. K. (2004). Linear models and
    empirical Bayes methods for assessing differential expression. Statistical Applications in
    Genetics, 3(1). Al Mohamad, D., Goeman, J. J., & van Zwet, E. W. (2019). Simultaneous confidence
    intervals for ranks. arXiv:1812.05507. Cameron, A. C., Gelbach, J. B., & Miller, D. L. (2011).
    Robust inference with multiway clustering. Journal of Business & Economic Statistics, 29,
    238-249. Bell, R. M., & McCaffrey, D. F. (2002). Bias reduction in standard errors for linear
    regression with multi-stage samples. Survey Methodology, 28, 169-181.

    Examples
    --------
    >>> import numpy as np, tripletscope as ts
    >>> places = np.random.default_rng(0).normal(size=(12, 2))
    >>> places[3] = 5.0
    >>> answers = ts.simulate(places, 1500, noise="logistic", seed=0)
    >>> found = ts.features.typicality(ts.STE(), answers)
    >>> found.differs, found.order[-1], found.side[3], bool(found.agreement > 0.7)
    (True, np.int64(3), np.int64(-1), True)
    """
    answers, positions = as_triplets(answers), None
    if method is not None:
        fitted = clone(method).fit(answers, progress=part(progress, high=0.9))
        positions = np.where(fitted.placed_[:, None], fitted.embedding_, np.nan)
    result = typicality_in(answers, positions, unit=unit)
    progress(1.0)
    return result


def typicality_in(
    answers: Triplets, positions: np.ndarray | None = None, *, unit: str = "auto"
) -> Typicality:
    """Depths of objects in the answers alone, compared with a map (n, d) where there is one."""
    answers = as_triplets(answers)
    said, n = _Said.of(answers), answers.n_objects
    objects, place = np.unique(said.object, return_inverse=True)
    if len(objects) < _FEWEST:
        raise DataError(
            "the answers compare fewer than three objects with each other", file=answers.name,
            remedy="Collect trials in which an object is shown with different others.",
        )
    if len(objects) > _MOST:
        raise DataError(
            f"ranks of {len(objects):,} objects would need all pairs of them", file=answers.name,
            remedy=f"Choose at most {_MOST:,} objects.",
        )
    units, trials = Units.of(answers, unit), np.bincount(place)
    with single_blas_thread():
        solved = _Solved(said, place)
        spread, equal = (
            _Spread.of(solved, said, answers, units, equal=one) for one in (False, True)
        )
    share, degrees = np.clip(solved.share, 0, 1), units.people and units.people.degrees
    # As if one trial more had said so, and one the contrary: no share is known to be 0 or 1.
    inside = (trials * share + 1) / (trials + 2)
    effective = inside * (1 - inside) / np.maximum(spread.variance, 1e-12)
    low, high = wilson(share, np.clip(effective, 1.0, trials), degrees=degrees)
    # What was never said of an object may never be, whatever its company makes of that.
    for end, bound, score in ((low, 0.0, said.score.min()), (high, 1.0, said.score.max())):
        end[np.bincount(place, said.score == score) == trials] = bound
    p = equal.p_equal(solved.share)
    side, above = spread.told_apart(solved.share, trials, CHANCE[said.role])

    def everywhere(values: np.ndarray, missing: float) -> np.ndarray:
        result = np.full(n, missing, dtype=values.dtype)
        result[objects] = values
        return result

    depth = units.estimate(*(everywhere(one, np.nan) for one in (share, low, high)))
    lens, agreement, company = np.full(n, np.nan), np.nan, np.nan
    if positions is not None:
        lens, company = lens_depth(positions), _company(positions, answers.rows)
        both = np.isfinite(lens) & np.isfinite(depth.value)
        if both.sum() >= _FEWEST and np.ptp(lens[both]) > 0 and np.ptp(depth.value[both]) > 0:
            agreement = float(spearmanr(depth.value[both], lens[both]).statistic)
    return Typicality(
        said.role, depth, everywhere(trials, 0), everywhere(side * (p <= LEVEL), 0),
        everywhere(1 + above.sum(axis=0), 0), everywhere(len(objects) - above.sum(axis=1), 0),
        p, lens, agreement, company,
    )


def lens_depth(positions: np.ndarray) -> np.ndarray:
    """(n,) share of the pairs of other objects in whose lens each lies; NaN without a place.

    Of more than some 300 objects, of pairs that are drawn: to a third of a percent.
    """
    placed = np.flatnonzero(np.isfinite(positions).all(axis=1))
    result, m = np.full(len(positions), np.nan), len(placed)
    if m < _FEWEST:
        return result
    apart = cdist(positions[placed], positions[placed])
    one, other = np.triu_indices(m, 1)
    if len(one) > _PAIRS:
        drawn = np.sort(np.random.default_rng(0).choice(len(one), _PAIRS, replace=False))
        one, other = one[drawn], other[drawn]
    longest = apart[one, other]
    inside = [np.count_nonzero(np.maximum(row[one], row[other]) < longest) for row in apart]
    # Pairs with the object itself are no pairs of others.
    own = np.bincount(one, minlength=m) + np.bincount(other, minlength=m)
    result[placed] = np.array(inside) / (len(one) - own)
    return result


def _company(positions: np.ndarray, rows: np.ndarray) -> float:
    """Mean rank of the distance of two objects of one answer, from 0 to 1 for the farthest."""
    apart, (i, j, k) = cdist(positions, positions), rows.T
    every = np.sort(apart[np.triu_indices(len(apart), 1)])
    shown = np.concatenate([apart[i, j], apart[i, k], apart[j, k]])
    every, shown = (one[np.isfinite(one)] for one in (every, shown))
    if not len(shown):
        return np.nan
    ranks = [np.searchsorted(every, shown, side) for side in ("left", "right")]
    return float(np.mean(ranks)) / len(every)


class _Said(NamedTuple):
    """What trials say of their objects, an entry for both.

    trial, object (e,): Their numbers.
    score (e,): By how much the object was nearer than the others, from -1/2 to 1/2.
    size (e,): Objects of the trial that were compared.
    weight (e,): Of the trial, and for rare objects.
    answer (e,): An answer that belongs to the trial.
    """

    role: str
    trial: np.ndarray
    object: np.ndarray
    score: np.ndarray
    size: np.ndarray
    weight: np.ndarray
    answer: np.ndarray

    @classmethod
    def of(cls, answers: Triplets) -> _Said:
        """Of the objects that trials link with the most others."""
        choices = answers.choices.take(answers.choices.weight > 0)
        of_three, role = choices.are_of_three, "nearer"
        if of_three.any() and of_three.all() and (choices.sign == choices.sign[0]).all():
            role = "not odd" if choices.sign[0] > 0 else "central"
        three, rest = choices.take(of_three), choices.take(~of_three)
        # The third object is odd if the others were said to be alike, central if unlike.
        scores = three.sign[:, None] * np.array([0.25, 0.25, -0.5])
        trial, shown, chosen = rest.stage, rest.n_shown[rest.stage], rest.n_chosen[rest.stage]
        is_chosen = np.arange(len(trial)) - rest.bounds[trial] < chosen
        better = np.where(is_chosen, shown - chosen, -chosen) * rest.sign[trial]
        often = np.maximum(answers.answers_per_object, 1)
        rare = -np.log(np.maximum(often, often.mean() / _RARE))
        of_options = np.bincount(trial, rare[rest.pairs[:, 1]], len(rest)) / rest.n_shown
        by_rest = rest.weight * np.exp(rare[rest.pairs[rest.bounds[:-1], 0]] + 2 * of_options)
        by_three = three.weight * np.exp(rare[three.triples].sum(axis=1))
        said = [np.concatenate(both) for both in (
            (np.repeat(np.arange(len(three)), 3), len(three) + trial),
            (three.triples.ravel(), rest.pairs[:, 1]),
            (scores.ravel(), better / (2.0 * (shown - 1))),
            (np.full(3 * len(three), 3), shown),
            (np.repeat(by_three, 3), by_rest[trial]),
            (np.repeat(three.answer, 3), rest.answer[trial]),
        )]
        group = linked(*said[:2])
        most = np.argmax(np.bincount(group[np.unique(said[1], return_index=True)[1]], minlength=1))
        return cls(role, *(one[group == most] for one in said))


class _Solved:
    """Depths `share` (m,) by least squares, from what trials say of objects at places (e,)."""

    def __init__(self, said: _Said, place: np.ndarray) -> None:
        self._said, self._place, self._trial = said, place, said.trial
        self._m = m = int(place.max()) + 1
        each = said.weight / (said.size - 1)
        trial = np.unique(said.trial, return_inverse=True)[1]
        shown = sparse.csr_array((np.sqrt(each), (trial, place)))
        normal = np.diag(np.bincount(place, each * said.size)) - (shown.T @ shown).toarray()
        # Depths are known up to a constant: their mean is 0.
        inverse = np.linalg.inv(normal + np.trace(normal) / m**2)
        # From the mean of all objects to that of the others, in the units of a share.
        times = m / (m - 1) / (1.0 if said.role == "nearer" else _OF_THREE)
        self._inverse = times * (inverse - inverse.mean())
        self._raised = said.weight * said.score
        self._own = normal.diagonal()
        solved = self._inverse @ np.bincount(place, self._raised)
        self.share = CHANCE[said.role] + solved
        self._left = self._raised - self._from_others(solved / times, place, trial, slice(None))

    def _from_others(
        self, values: np.ndarray, place: np.ndarray, trial: np.ndarray, which: np.ndarray | slice
    ) -> np.ndarray:
        """(e,) weighted mean differences between values at some places and others of a trial."""
        weight, size, own = self._said.weight[which], self._said.size[which], values[place]
        return weight * (size * own - np.bincount(trial, own)[trial]) / (size - 1)

    def covariance(
        self, unit: np.ndarray, which: np.ndarray | slice = slice(None), *, equal: bool = False
    ) -> np.ndarray:
        """(m, m) of depths, if sums over units are independent.

        unit (e,), which: Of the entries which count, by default all.
        equal: Whether all objects are taken to be equal; by default, they are as estimated.
        """
        m, unit = self._m, np.unique(unit, return_inverse=True)[1]
        cells, cell = np.unique(unit * m + self._place[which], return_inverse=True)
        moved = (self._raised if equal else self._left)[which]
        if not equal:
            # A unit has pulled depths towards itself, and half of that is missing in a square:
            # the first term of Bell & McCaffrey's correction.
            pull = np.bincount(cell, moved) / self._own[cells % m]
            trial = np.unique(unit * (self._trial.max() + 1) + self._trial[which],
                              return_inverse=True)[1]
            moved = moved + self._from_others(pull, cell, trial, which) / 2
        sums = sparse.csr_array((np.bincount(cell, moved), np.divmod(cells, m)))
        return self._inverse @ (sums.T @ sums).toarray() @ self._inverse


@dataclass(frozen=True, eq=False)
class _Spread:
    """Covariance (m, m) of depths.

    total: Of units of all kinds.
    least: Of single kinds; no variance is below these.
    n_units: Independent units, of the kind of which there are fewer.
    """

    total: np.ndarray
    least: list[np.ndarray]
    n_units: int

    @classmethod
    def of(cls, solved: _Solved, said: _Said, answers: Triplets, units: Units, **how: bool) -> Self:
        answer, people = said.answer, units.people
        if people is not None:
            single = [solved.covariance(people.part[answer], **how)]
            if people.question is None:
                return cls(single[0], single, people.number)
            single.append(solved.covariance(people.question[answer], **how))
            total = sum(single) - solved.covariance(people.cell[answer], **how)
            asked = len(np.unique(people.question[answer]))
            return cls(total, single, min(people.number, asked))
        if answers.are_rated:
            ratings = sampling_units(answers, "answers").ratings[answer]
            alone = solved.covariance(answer, **how)
            twice = np.tile(np.arange(len(answer)), 2)
            total = solved.covariance(ratings.T.ravel(), twice, **how) - alone
            return cls(total, [alone], len(np.unique(ratings)))
        total = solved.covariance(units.groups[answer], **how)
        return cls(total, [total], len(np.unique(units.groups[answer])))

    def _most(self, function: Callable[[np.ndarray], np.ndarray]) -> np.ndarray:
        return np.max([function(one) for one in (self.total, *self.least)], axis=0)

    @property
    def variance(self) -> np.ndarray:
        """(m,) of depths."""
        return self._most(np.diagonal)

    def told_apart(
        self, share: np.ndarray, trials: np.ndarray, average: float
    ) -> tuple[np.ndarray, np.ndarray]:
        """(m,) 1 for what is above the average and -1 below; (m, m) bool, what is above another."""
        m, variance = len(share), self.variance
        # Few trials that all say the same vary too little.
        padded = trials + 2 * _ADDED
        inside = (trials * np.clip(share, 0, 1) + _ADDED) / padded
        more = np.maximum(inside * (1 - inside) / padded - variance, 0)
        reach = self._half_width(variance, more, m)
        side = (share > average + reach).astype(int) - (share < average - reach)
        between = self._most(lambda one: np.add.outer(one.diagonal(), one.diagonal()) - 2 * one)
        one, other = np.triu_indices(m, 1)
        apart = np.full((m, m), np.inf)
        apart[one, other] = apart[other, one] = self._half_width(
            between[one, other], more[one] + more[other], len(one)
        )
        return side, share[:, None] - share > apart

    def _half_width(self, variance: np.ndarray, more: np.ndarray, number: int) -> np.ndarray:
        """How far estimates must be from another number, two-sided, for so many at once."""
        tail, f = 1 - LEVEL / (2 * number), max(self.n_units - 1, 0.5)
        # By how much true variances differ, of the variance of logarithms of estimated ones.
        logs = np.log(np.maximum(variance, 1e-12))
        excess = logs.var() - polygamma(1, f / 2)
        before = 2.0 / excess + 1.0 if excess > 0 else np.inf
        share = 1.0 if before == np.inf else before / (before + f)
        drawn = share * variance.mean() + (1 - share) * variance + more
        return stdtrit(min(before + f, 1e6), tail) * np.sqrt(drawn)

    def p_equal(self, share: np.ndarray) -> float:
        """That shares differ as much, by the sum of their squares.

        Both moments of its distribution are those without the bias by which the square of a matrix
        of few units is too large.
        """
        trace, square, f = np.trace(self.total), np.sum(self.total**2), self.n_units - 1
        if f < 2 or trace <= 0:
            return 1.0
        unbiased = f**2 / ((f - 1) * (f + 2)) * (square - trace**2 / f)
        degrees = np.clip(trace**2 / max(unbiased, 1e-300), 1.0, len(share) - 1)
        total = np.sum((share - share.mean()) ** 2)
        return float(fdtrc(degrees, f * degrees, total / trace))
