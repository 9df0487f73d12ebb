"""Dimensions of similarities by symmetric non-negative factorisation, and their number."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Annotated, Any, Self

import numpy as np
from scipy.optimize import minimize_scalar

from tripletscope.core.data.choices import Choices
from tripletscope.core.data.triplets import Triplets, as_triplets
from tripletscope.core.engine.declared import Choice, Number, Seed
from tripletscope.core.engine.method import Method, register
from tripletscope.core.engine.parallel import CancelToken, results_of
from tripletscope.core.engine.progress import Progress, part, silent
from tripletscope.core.engine.task import task
from tripletscope.core.models.dimensions.factors import PARTS, Similarities, best_of, held_out
from tripletscope.core.models.dimensions.penalties import SURELY
from tripletscope.core.models.dimensions.sparse import FitSeed, SparseDimensions, products
from tripletscope.core.models.optimise.responses import choice_losses
from tripletscope.core.ratings.dissimilarities import RatedDissimilarities
from tripletscope.core.similarity.kernels import K1, K2

#: A fit has converged when a round lowers the unexplained variance by less than this fraction.
_TOLERANCE = 2e-5
#: Share of the time for choosing the number.
_CHOOSING = 0.8
#: Data of people who have nothing in common, and most objects of which they are made: of more,
#: structure is hardly in doubt.
_AT_RANDOM, _MOST = 19, 300
_KERNELS = {kernel.name: kernel for kernel in (K1, K2)}
#: Logarithms of the smallest and the largest factor of similarities that predict choices.
_FACTORS = (-12.0, 12.0)


@register("dimensions")
@dataclass(kw_only=True, eq=False, repr=False)
class SymmetricNMF(SparseDimensions):
    """Symmetric non-negative factorisation: dimensions of similarities with gaps.

    The similarity of two objects is a level, and the sum over dimensions of the product of their
    weights, which are not negative. Minimises the squared errors of the known similarities,
    weighted by the number of judgements; the similarity of an object to itself does not count. A
    penalty on the sum of the weights follows from their mean and from the noise.

    Of ratings, confusions, piles and arrangements, similarities are the largest dissimilarity minus
    each; of confusions, how often stimuli are confused, relative to being recognised. Of answers,
    they are the shares of the answers with a pair that chose it as the more similar, or a kernel;
    weights are then multiplied by what best predicts the answers.

    Attributes
    ----------
    embedding_ : ndarray, shape (n, d)
        Weights from 0 up; the dimension with the largest sum first.
    embedding_sd_ : None
    level_ : float
        Similarity of objects that share no dimension, in units of the similarities.
    explained_ : float
        Share of the variance of known similarities, in the data of the fit.
    measured_ : bool
        Whether similarities were measured, as ratings or piles, instead of answers given.
    losses_ : ndarray, shape (steps,)
        The unexplained variance in the course of the fit.

    References
    ----------
    Ding, C., He, X., & Simon, H. D. (2005). On the equivalence of nonnegative matrix factorization
    and spectral clustering. SIAM International Conference on Data Mining, 606-610.

    Examples
    --------
    >>> import tripletscope as ts
    >>> rated = ts.ratings.read_measured("sample_data/ekman_colors/similarity.csv")
    >>> fitted = ts.dimensions.SymmetricNMF(n_components=4).fit(rated)
    >>> fitted.embedding_.shape, fitted.explained_ > 0.9
    ((14, 4), True)
    """

    name = "snmf"
    title = "Symmetric NMF"
    caution = "Halves of the people show which dimensions are reproducible."

    n_components: Annotated[int | None, Number(
        1, 150, "Dimensions",
        "Automatic: the smallest number whose predictions of held-out pairs of objects are "
        "within one standard error of the best.", automatic="by held-out pairs"
    )] = None
    basis: Annotated[str, Choice(
        {"shares": "Shares of the answers", "k1": K1.title, "k2": K2.title}, "Similarity",
        "Of answers: how often they chose each pair, or a kernel, whose entries depend on each "
        "other, so that more dimensions seem to predict.", advanced=True,
    )] = "shares"
    max_iter: Annotated[
        int, Number(
            1, 100_000, "Max. iterations", "A fit that reaches this limit is reported as not "
            "converged.", advanced=True,
        ),
    ] = 500
    seed: FitSeed = 0

    def fit(
        self, triplets: Any, y: Any = None, *, sample_weight: Any = None,
        progress: Progress = silent,
    ) -> Self:
        """Fit the dimensions.

        Parameters
        ----------
        triplets : Triplets, RatedDissimilarities or array-like of int, shape (T, 3)
            Answers, or what was measured instead, such as `tripletscope.ratings.Piles`.
        progress : Progress
            Snapshots are weights, of shape (n, dimensions).

        Raises
        ------
        DataError
            If no similarity is known, or too few to choose the number of dimensions.
        Stopped
            If `progress` asks to stop before the number is chosen.
        """
        if not isinstance(triplets, RatedDissimilarities):
            return super().fit(triplets, y, sample_weight=sample_weight, progress=progress)
        self._check_parameters()
        self._lesson = None
        return self.fit_similarities(Similarities.measured(triplets), triplets, progress=progress)

    def fit_similarities(
        self, similar: Similarities, given: RatedDissimilarities | None = None, *,
        progress: Progress = silent,
    ) -> Self:
        """Fit the dimensions of measured similarities.

        given: What they come from, if chance among its people is to be told from structure.
        """
        self._factorise(similar, given, progress)
        self.measured_ = True
        self.n_objects_, self.placed_ = len(similar.values), similar.placed
        self.n_dimensions_ = self.embedding_.shape[1]
        return self

    def _find(self, triplets: Triplets, trials: Choices, progress: Progress) -> None:
        similar = self._of_answers(triplets)
        self._factorise(similar, None, progress)
        self.measured_ = False
        by_pair = products(self.embedding_, trials.pairs)
        if by_pair.any():
            factor = minimize_scalar(
                lambda log: trials.weight @ choice_losses(trials, np.exp(log) * by_pair)[0],
                bounds=_FACTORS, method="bounded",
            ).x
            self.embedding_ *= np.exp(factor / 2)

    def _of_answers(self, triplets: Triplets) -> Similarities:
        if self.basis == "shares":
            return Similarities.chosen(triplets)
        return Similarities.in_kernel(_KERNELS[self.basis]().fit(triplets))

    def _factorise(
        self, similar: Similarities, given: RatedDissimilarities | None, progress: Progress
    ) -> None:
        number, begun = self.n_components, 0.0
        if number is None:
            begun = _CHOOSING
            number = _number_curve(
                self, similar, given, None, self.seed, part(progress, 0.0, begun)
            ).chosen
        found = best_of(
            similar, number, seed=self.seed, max_iter=self.max_iter, tol=_TOLERANCE,
            progress=part(progress, begun, 1.0),
        )
        order = np.argsort(-found.x.sum(axis=0), kind="stable")
        self.embedding_ = np.ascontiguousarray(found.x[:, order])
        self.embedding_sd_ = None
        self.level_ = similar.lowest + found.level
        self.losses_ = found.losses
        known = similar.counts > 0
        variance = np.cov(similar.values[known], aweights=similar.counts[known], ddof=0)
        self.explained_ = float(1.0 - found.losses[-1] / variance) if variance > 0 else 0.0
        self.converged_, self.stopped_ = found.converged, found.stopped


@dataclass(frozen=True)
class NumberCurve:
    """Prediction of held-out similarities, by number of dimensions.

    Attributes
    ----------
    numbers : ndarray of int, shape (k,)
        Ascending, from 0: one level for all pairs.
    explained : ndarray, shape (k,)
        Share of the squared errors of no dimensions that is avoided.
    errors : ndarray, shape (k,)
        Its standard error, over pairs.
    behind : ndarray, shape (k,)
        Difference from the best, in the same pairs.
    behind_errors : ndarray, shape (k,)
        Standard error of that difference.
    by_chance : ndarray, shape (r,)
        Share that the best number explains in data of people who have nothing in common; empty of
        one person, of answers, and of more than 300 objects.
    n_pairs : int
        Held-out pairs.
    measured : bool
        Whether similarities were measured, as ratings or piles, instead of answers given.
    """

    numbers: np.ndarray
    explained: np.ndarray
    errors: np.ndarray
    behind: np.ndarray
    behind_errors: np.ndarray
    by_chance: np.ndarray
    n_pairs: int
    measured: bool

    @property
    def best(self) -> int:
        """The number that explains most of the held-out similarities."""
        return int(self.numbers[np.argmax(self.explained)])

    @property
    def chosen(self) -> int:
        """The smallest number within one standard error of the best.

        None if the best predicts no better than one level for all pairs, by a one-sided test of
        level 5 % in the same pairs, or than in data of people who have nothing in common: a few
        people's piles are dimensions even if nobody agrees with anybody.
        """
        beyond = int((self.by_chance >= self.explained.max()).sum())
        by_chance = (1 + beyond) / (1 + len(self.by_chance)) if len(self.by_chance) else 0.0
        if self.behind[0] <= SURELY * self.behind_errors[0] or by_chance > 0.05:
            return 0
        return int(self.numbers[np.argmax(self.behind <= self.behind_errors)])


@task("Choosing the number of dimensions", "dimensions")
def number_curve(
    method: Method, triplets: Triplets, *,
    parts: Annotated[int | None, Number(
        1, PARTS, "Parts", "Of ten parts of the pairs of objects, so many are held out in turn.",
        automatic="enough for 10,000 pairs",
    )] = None,
    seed: Seed = 0, progress: Progress = silent,
) -> NumberCurve:
    """Held-out similarities by the number of dimensions of a symmetric factorisation.

    Parameters
    ----------
    method : SymmetricNMF
        Its number of dimensions is not used.
    triplets : Triplets, RatedDissimilarities or array-like of int, shape (T, 3)
        A pair is held out for all people.

    Raises
    ------
    DataError
        If there are fewer than ten pairs.
    ValueError
        If the method is no factorisation.

    Examples
    --------
    >>> import tripletscope as ts
    >>> rated = ts.ratings.read_measured("sample_data/ekman_colors/similarity.csv")
    >>> curve = ts.dimensions.number_curve(ts.dimensions.SymmetricNMF(), rated)
    >>> curve.chosen in curve.numbers
    True
    """
    if not isinstance(method, SymmetricNMF):
        raise ValueError(f"{method.title} chooses the number of its dimensions by itself.")
    measured = isinstance(triplets, RatedDissimilarities)
    given = triplets if measured else None
    similar = Similarities.measured(given) if measured else method._of_answers(
        as_triplets(triplets)
    )
    return _number_curve(method, similar, given, parts, seed, progress)


def _number_curve(
    method: SymmetricNMF, similar: Similarities, given: RatedDissimilarities | None,
    parts: int | None, seed: int, progress: Progress,
) -> NumberCurve:
    found = held_out(similar, seed=seed, max_iter=method.max_iter, parts=parts,
                     progress=part(progress, 0.0, 0.8))
    share = found.counts / found.counts.sum()
    of_none = float(found.squares[0] @ share) or 1.0
    gain = 1.0 - found.squares / of_none
    explained = gain @ share
    best = int(np.argmax(explained))
    behind = gain[best] - gain
    difference = behind @ share
    others = []
    rng = np.random.default_rng(seed)
    if given is not None and found.numbers[best] and len(similar.values) <= _MOST:
        others = [other for _ in range(_AT_RANDOM) if (other := given.at_random(rng))]
    pieces = [(method, Similarities.measured(other, given.objects), int(found.numbers[best]), parts,
               seed) for other in others]
    by_chance = list(results_of(_explained, pieces, part(progress, 0.8, 1.0))) if pieces else []
    return NumberCurve(
        found.numbers, explained, np.sqrt(((gain - explained[:, None]) ** 2) @ share**2),
        difference, np.sqrt(((behind - difference[:, None]) ** 2) @ share**2),
        np.array(by_chance), len(share), given is not None,
    )


def _explained(
    method: SymmetricNMF, similar: Similarities, number: int, parts: int | None, seed: int,
    halt: CancelToken,
) -> float:
    """Share of held-out squared errors that a number of dimensions avoids."""
    found = held_out(
        similar, (0, number), seed=seed, max_iter=method.max_iter, parts=parts, progress=halt
    )
    none, some = found.squares @ found.counts
    return float(1.0 - some / none) if none else 0.0
