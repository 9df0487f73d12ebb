"""Maps of measured dissimilarities, and where other raters would have put the objects."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from sklearn.base import clone

from tripletscope.core.computing.parallel import Halt, in_parallel
from tripletscope.core.computing.progress import Progress, part, silent
from tripletscope.core.data.errors import DataError
from tripletscope.core.embedding.mds import Scaling
from tripletscope.core.ratings.measured import Dissimilarities
from tripletscope.core.uncertainty.samples import Samples, aligned

#: Starts of every replicate: classical scaling, and one at random.
_STARTS = 2
#: What further iterations change is far less than what replicates differ by.
_ROUGH = 1e-6


@dataclass(frozen=True, eq=False)
class MapOfDissimilarities:
    """A map of dissimilarities with its uncertainty.

    Attributes
    ----------
    fitted : NMDS or MDS
        The map of their means.
    samples : Samples or None
        Maps of what they could as well have been; None where that is not known.
    """

    fitted: Scaling
    samples: Samples | None


def map_dissimilarities(
    method: Scaling, dissimilarities: Dissimilarities, *, weigh: bool = False, most: int = 100,
    progress: Progress = silent,
) -> MapOfDissimilarities:
    """Map measured dissimilarities and their replicates.

    Parameters
    ----------
    method : NMDS or MDS
        Fitted as a clone.
    dissimilarities : Dissimilarities
        Pairs that nobody judged do not count.
    weigh : bool
        Whether pairs count by their standard errors, see `Dissimilarities.weights`; by default
        all that are known count the same.
    most : int
        Replicates that are mapped; 0 for none.
    progress : Progress
        Snapshots are maps of the means. A stop keeps the map, without samples.

    Raises
    ------
    DataError
        If all dissimilarities of an object are unknown.

    Examples
    --------
    >>> import pandas as pd
    >>> import tripletscope as ts
    >>> table = pd.DataFrame({
    ...     "participant": ["ann"] * 6 + ["bob"] * 6, "item1": list("aaabbc") * 2,
    ...     "item2": list("bcdcdd") * 2, "rating": [6, 3, 1, 5, 2, 7, 7, 2, 1, 4, 3, 6]})
    >>> found = ts.map_dissimilarities(ts.MDS(), ts.Ratings(table).dissimilarities(), most=20)
    >>> found.fitted.embedding_.shape, found.samples.n_units
    ((4, 2), 2)
    """
    known = np.isfinite(dissimilarities.mean).astype(float)
    weights = dissimilarities.weights if weigh else known
    fitted = clone(method).fit_dissimilarities(
        dissimilarities.mean, weights=weights, progress=part(progress, 0.0, 0.2)
    )
    drawn = dissimilarities.replicates[:most]
    if fitted.stopped_ or len(drawn) < 2:
        return MapOfDissimilarities(fitted, None)
    rough = clone(method).set_params(
        n_init=min(_STARTS, method.n_init), tol=max(_ROUGH, method.tol)
    )
    maps, reference = [], fitted.embedding_
    jobs = [(rough, each, weights, reference) for each in drawn]
    for number, result in enumerate(in_parallel(_replicate, jobs)):
        maps.append(result)
        if progress(0.2 + 0.8 * number / len(drawn)):
            return MapOfDissimilarities(fitted, None)
    people = dissimilarities.unit == "raters"
    return MapOfDissimilarities(fitted, Samples(
        np.array(maps), reference, unit="participants" if people else "answers",
        n_units=dissimilarities.n_raters if people else None,
    ))


def _replicate(
    method: Scaling, matrix: np.ndarray, weights: np.ndarray, reference: np.ndarray, halt: Halt
) -> np.ndarray:
    """(n, d) map of a replicate, aligned; NaN where objects are unknown in it."""
    weights = np.where(np.isfinite(matrix), weights, 0.0)
    try:
        result = clone(method).fit_dissimilarities(matrix, weights=weights).embedding_
    except DataError:  # the raters who were drawn have not judged some object at all
        return np.full(reference.shape, np.nan)
    return aligned(result, np.ones(len(result), dtype=bool), reference)
