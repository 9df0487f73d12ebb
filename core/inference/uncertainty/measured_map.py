"""Maps of what people measured, as ratings or piles, with their uncertainty, as a task."""

from __future__ import annotations

from contextlib import suppress
from dataclasses import asdict, dataclass
from typing import Annotated, Any

import numpy as np
from sklearn.base import clone

from tripletscope.core.data.geometry import distances
from tripletscope.core.engine.declared import Number, Switch
from tripletscope.core.engine.progress import Progress, Stopped, part, silent
from tripletscope.core.engine.short_repr import short_repr
from tripletscope.core.engine.task import Computation, task
from tripletscope.core.inference.held_out.stress import StressTest, permuted_stress
from tripletscope.core.inference.uncertainty.resampling import map_dissimilarities
from tripletscope.core.inference.uncertainty.samples import Samples
from tripletscope.core.models.embedding.mds import Scaling
from tripletscope.core.models.embedding.ordinal import Embedding
from tripletscope.core.ratings.dissimilarities import RatedDissimilarities

#: Most objects of which replicates are mapped, and random orders tried: of more, the first would
#: take an hour, and structure is hardly in doubt.
MOST_DRAWN, _MOST_TESTED = 150, 60
#: Neighbours that LOE keeps by default.
_NEIGHBOURS = 5


@short_repr
@dataclass(frozen=True)
class MeasuredMap:
    """A map of dissimilarities that people measured, of m objects.

    Attributes
    ----------
    ids : ndarray of str, shape (m,)
        Names of the objects.
    embedding : ndarray, shape (m, d)
    dissimilarities : ndarray, shape (m, m)
        Mean over raters; NaN for pairs that nobody judged.
    loss : float
        Stress-1 of NMDS and MDS, or the loss of LOE.
    converged : bool
    n_raters : int
        0 where nobody is named.
    kind : str
        Of the data, as in `tripletscope.core.ratings.KINDS`.
    repeated : bool
        Whether pairs were judged more than once, so that their errors are known.
    table : str
        Name of the table that they come from, where it is not the data set's own.
    neighbours : int or None
        Nearest objects that the map is to keep nearest, by LOE.
    disparities : ndarray, shape (m, m), or None
        See `tripletscope.core.models.embedding.mds.Scaling`; None of LOE.
    stress_per_object : ndarray, shape (m,), or None
        Share of each object in the squared stress; None of LOE.
    drawn : ndarray, shape (b, m, d), or None
        Maps of resamples of raters, or of trials.
    unit : str or None
        What was resampled, "participants" or "answers".
    n_units : int or None
    stress : float or None
        Stress from as few starts as `permuted`.
    permuted : ndarray, shape (p,), or None
        Stress of the same data of people who have nothing in common; None of more than 60 objects.
    structured : bool
        Whether the data are known to have structure, whatever the stress.

    Examples
    --------
    >>> import tripletscope as ts
    >>> given = ts.ratings.read_measured("sample_data/ekman_colors/similarity.csv")
    >>> found = ts.ratings.map_measured(ts.ratings.MDS(n_init=2), given)
    >>> found.ids[0], found.dissimilarities.shape, found.samples is None
    (np.str_('434'), (14, 14), True)
    """

    ids: np.ndarray
    embedding: np.ndarray
    dissimilarities: np.ndarray
    loss: float
    converged: bool
    n_raters: int
    kind: str
    repeated: bool
    table: str = ""
    neighbours: int | None = None
    disparities: np.ndarray | None = None
    stress_per_object: np.ndarray | None = None
    drawn: np.ndarray | None = None
    unit: str | None = None
    n_units: int | None = None
    stress: float | None = None
    permuted: np.ndarray | None = None
    structured: bool = False

    @property
    def samples(self) -> Samples | None:
        """Maps of other raters; None where errors are unknown."""
        if self.drawn is None:
            return None
        return Samples(self.drawn, self.embedding, unit=self.unit, n_units=self.n_units)

    @property
    def chance(self) -> StressTest | None:
        """Whether the map fits better than random order; None where that was not tried."""
        return None if self.permuted is None else StressTest(
            self.stress, self.permuted, self.structured
        )

    @property
    def distances(self) -> np.ndarray:
        """(m, m) distances on the map."""
        return distances(self.embedding)


class _OfMeasured(Computation):
    """A task whose data are ratings, confusions, piles or arrangements."""

    of_measured = True


@task("Mapping dissimilarities", "matrix_embedding", computation=_OfMeasured)
def map_measured(
    method: Embedding, given: RatedDissimilarities, *,
    weigh: Annotated[bool, Switch(
        "Weigh by precision", "Weights pairs by one over their squared standard error: pairs on "
        "which raters agree count more. With few raters, agreement is mostly chance, and plain "
        "means give a better map.",
    )] = False,
    neighbours: Annotated[int | None, Number(
        1, 10_000, "Neighbours", "The map is to keep this number of most similar objects nearest "
        "to each object. Of LOE alone.", automatic="5",
    )] = None,
    replicates: Annotated[int, Number(
        0, 10_000, "Replicates", "Resamples of raters, or of trials, that are mapped; none of more "
        "than 150 objects.", advanced=True,
    )] = 100,
    progress: Progress = silent,
) -> MeasuredMap:
    """Map ratings, confusions, piles or arrangements, with ellipses and a test against chance.

    Parameters
    ----------
    method : NMDS, MDS or LOE
        Fitted as a clone.
    given : RatedDissimilarities
        Such as `tripletscope.ratings.Piles`.
    progress : Progress
        A stop keeps the map.

    Raises
    ------
    DataError
        If all dissimilarities of an object are unknown.
    ValueError
        If pairs are to be weighed by LOE, or neighbours kept by another method, or the data are
        answers.

    Examples
    --------
    >>> import tripletscope as ts
    >>> given = ts.ratings.read_measured("sample_data/ekman_colors/similarity.csv")
    >>> found = ts.ratings.map_measured(ts.ratings.NMDS(), given)
    >>> found.embedding.shape, found.loss < 0.1, found.chance.is_chance
    ((14, 2), True, False)
    """
    if not isinstance(given, RatedDissimilarities):
        raise ValueError(f"Of {given!r} nothing was measured: give ratings, piles or the like.")
    scales = isinstance(method, Scaling)
    if (scales and neighbours is not None) or (weigh and not scales):
        raise ValueError("LOE keeps neighbours, NMDS and MDS weigh pairs, and not the other way.")
    measured = given.dissimilarities(replicates if given.n_objects <= MOST_DRAWN else 0)
    errors = measured.standard_error[np.triu_indices(given.n_objects, 1)]
    about = {
        "ids": np.array(measured.ids, dtype=str), "dissimilarities": measured.mean,
        "n_raters": int(measured.n_raters), "kind": given.kind,
        "repeated": bool(np.isfinite(errors).any()), "table": given.source,
    }
    if not scales:
        number = min(neighbours or _NEIGHBOURS, given.n_objects - 2)
        away = np.where(np.isfinite(measured.mean), measured.mean, np.inf)
        fitted = clone(method).fit_graph(nearest(away, number), progress=progress)
        return MeasuredMap(**about, **_of_fit(fitted), neighbours=number)
    found = map_dissimilarities(
        method, measured, weigh=weigh, most=replicates, progress=part(progress, 0.0, 0.5)
    )
    fitted, samples = found.fitted, found.samples
    chance = None
    if given.n_objects <= _MOST_TESTED and not fitted.stopped_:
        weights = measured.weights if weigh else None
        with suppress(Stopped):
            chance = permuted_stress(method, given, weights, progress=part(progress, 0.5, 1.0))
    drawn = {} if samples is None else {
        "drawn": samples.embeddings, "unit": samples.unit, "n_units": samples.n_units,
    }
    tested = {} if chance is None else asdict(chance)
    return MeasuredMap(
        **about, **_of_fit(fitted), disparities=fitted.disparities_,
        stress_per_object=fitted.stress_per_object_, **drawn, **tested,
    )


def _of_fit(fitted: Embedding) -> dict[str, Any]:
    return {"embedding": fitted.embedding_, "loss": float(fitted.loss_),
            "converged": bool(fitted.converged_)}


def nearest(matrix: np.ndarray, neighbours: int) -> np.ndarray:
    """(m, m) whether an object is among so many nearest ones of another."""
    away = matrix + np.diag(np.full(len(matrix), np.inf))
    near = np.zeros(matrix.shape, dtype=bool)
    order = np.argsort(away, axis=1, kind="stable")[:, : min(neighbours, len(matrix) - 1)]
    np.put_along_axis(near, order, True, axis=1)
    return near
