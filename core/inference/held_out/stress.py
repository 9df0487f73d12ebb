"""Whether dissimilarities fit a map better than the same numbers in random order."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from sklearn.base import clone

from tripletscope.core.data.errors import refuse_lengths
from tripletscope.core.engine.declared import Seed, with_random_state
from tripletscope.core.engine.parallel import CancelToken, in_parallel
from tripletscope.core.engine.progress import Progress, Stopped, silent
from tripletscope.core.engine.short_repr import short_repr
from tripletscope.core.models.embedding.mds import Scaling
from tripletscope.core.ratings.dissimilarities import RatedDissimilarities

#: Level of the test.
_LEVEL = 0.05
#: Starts of each map, that of the dissimilarities as well: more would have less stress.
_STARTS = 4


@short_repr
@dataclass(frozen=True, eq=False)
class StressTest:
    """Stress of a map of dissimilarities, and of maps of the same values in random order.

    Attributes
    ----------
    stress : float
        Stress-1 of the dissimilarities, from as many starts as the others.
    permuted : ndarray, shape (p,)
    structured : bool
        Whether the data are known to have structure, whatever the stress.
    """

    stress: float
    permuted: np.ndarray
    structured: bool = False

    @property
    def p(self) -> float:
        """How often random order fits as well, if the order of these is random, too."""
        lower = int(np.count_nonzero(self.permuted <= self.stress))
        return (1 + lower) / (1 + len(self.permuted))

    @property
    def is_chance(self) -> bool:
        """Whether these may be in random order, too."""
        return self.p > _LEVEL and not self.structured


@with_random_state
def permuted_stress(
    method: Scaling, dissimilarities: np.ndarray | RatedDissimilarities,
    weights: np.ndarray | None = None, *, permutations: int = 39, seed: Seed = 0,
    progress: Progress = silent,
) -> StressTest:
    """Compare the stress of dissimilarities with that of the same values between other pairs.

    Of the data of several people, with that of data of people who have nothing in common: a
    person's piles make a map by themselves. Of confusions, with that of errors that depend on how
    hard a stimulus is, and how often a response is given, alone; unless pairs are known to be
    confused otherwise, this decides: such errors lie around the hardest stimulus, which fits well.

    Parameters
    ----------
    method : NMDS or MDS
        Fitted as clones, from up to four starts.
    dissimilarities : ndarray, shape (n, n), or RatedDissimilarities
        Symmetric; NaN where unknown. Or what they come from, such as `tripletscope.ratings.Piles`.
    weights : ndarray, shape (n, n), optional
        Of pairs; values change places, weights do not. By default all known pairs count the same.
    permutations : int
        Below 19 nothing can be told from chance.
    seed : int

    Returns
    -------
    StressTest

    Raises
    ------
    Stopped
        If `progress` asks to stop.

    References
    ----------
    Mair, P., Borg, I., & Rusch, T. (2016). Goodness-of-fit assessment in multidimensional scaling
    and unfolding. Multivariate Behavioral Research, 51(6), 772-789.

    Examples
    --------
    >>> import numpy as np
    >>> import tripletscope as ts
    >>> places = np.arange(8.0)[:, None]
    >>> found = ts.ratings.permuted_stress(
    ...     ts.ratings.MDS(n_components=1), np.abs(places - places.T), permutations=19)
    >>> found.p, found.is_chance
    (0.05, False)
    """
    rng, measured, structured = np.random.default_rng(seed), None, False
    if isinstance(dissimilarities, RatedDissimilarities):
        measured, dissimilarities = dissimilarities, dissimilarities.dissimilarities(0).mean
        structured = measured.differs_from_random(np.random.default_rng(seed))
    values = np.asarray(dissimilarities, dtype=float)
    refuse_lengths(rows=values, columns=values.T)
    weights = np.isfinite(values).astype(float) if weights is None else weights
    method = clone(method).set_params(n_init=min(_STARTS, method.n_init))
    others = [_at_random(values, measured, rng) for _ in range(permutations)]
    jobs = [(method, one, weights) for one in (values, *others)]
    found = []
    for stress in in_parallel(_stress_of, jobs):
        found.append(stress)
        if progress(len(found) / len(jobs)):
            raise Stopped
    return StressTest(found[0], np.array(found[1:]), structured)


def _at_random(
    values: np.ndarray, measured: RatedDissimilarities | None, rng: np.random.Generator
) -> np.ndarray:
    """(n, n) dissimilarities of people who have nothing in common, or of one in random order."""
    other = None if measured is None else measured.at_random(rng)
    if other is not None:
        drawn = other.dissimilarities(0).mean
        if np.array_equal(np.isfinite(drawn), np.isfinite(values)):  # no object loses its pairs
            return drawn
    result = values.copy()
    first, second = np.triu_indices(len(values), 1)
    known = np.isfinite(values[first, second])
    first, second = first[known], second[known]
    order = rng.permutation(len(first))
    result[first, second] = result[second, first] = values[first[order], second[order]]
    return result


def _stress_of(
    method: Scaling, values: np.ndarray, weights: np.ndarray, halt: CancelToken
) -> float:
    """Stress-1 of a map of dissimilarities."""
    known = np.where(np.isfinite(values), weights, 0.0)
    return float(clone(method).fit_dissimilarities(values, weights=known).loss_)
