"""What all embeddings share: parameters, starts, the fit, and the answers of a map."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Annotated, Any, Self

import numpy as np

from core.embedding.starts import random_start, spectral_start
from core.geometry import distances, principal_axes
from core.loss import Answers, Loss, Objective
from core.method import Choice, Method, Number, checked
from core.optimise import restarts
from core.parallel import single_blas_thread
from core.progress import Progress, silent
from core.triplets import DataError, Triplets, as_triplets

#: Sizes at which a start without a scale is tried.
_SCALES = 2.0 ** np.arange(-4, 4)


@dataclass(kw_only=True, eq=False, repr=False)
class OrdinalEmbedding(Method):
    """Places n objects in d dimensions so that distances answer the triplets.

    Attributes
    ----------
    embedding_ : ndarray, shape (n, d)
        Positions, centred, turned to their principal axes.
    placed_ : ndarray of bool, shape (n,)
        False for objects that no answer mentions; these lie at the origin.
    loss_ : float
        Loss of the best start.
    losses_ : ndarray, shape (n_init,)
        Final loss of every start.
    n_iter_ : int
        Iterations of the best start.
    converged_, stopped_ : bool
        Whether the best start had converged; whether the fit was stopped from outside.
    triplet_error_ : float
        Share of the training answers that the map contradicts.
    n_objects_ : int
    """

    n_components: Annotated[
        int,
        Number(
            1, 20, "Dimensions",
            "Coordinates per object. Two are for looking; more may predict answers better.",
        ),
    ] = 2
    n_init: Annotated[
        int,
        Number(
            1, 100, "Starts",
            "The loss has several minima. The map with the lowest loss of this many starts is "
            "kept.",
            advanced=True,
        ),
    ] = 4
    init: Annotated[
        str,
        Choice(
            {"spectral": "Spectral, then random", "random": "Random"}, "First start",
            "Spectral begins from the leading eigenvectors of the counted answers; it finds the "
            "best map far more often, above all in one dimension.",
            advanced=True,
        ),
    ] = "spectral"
    max_iter: Annotated[
        int,
        Number(
            1, 100_000, "Iterations at most",
            "Where this is reached the fit says that it has not converged.",
            advanced=True,
        ),
    ] = 2000
    tol: Annotated[
        float,
        Number(
            1e-15, 1e-1, "Tolerance",
            "A fit has converged when an iteration lowers the loss by less than this share of it.",
            advanced=True,
        ),
    ] = 1e-9
    seed: Annotated[
        int,
        Number(
            0, 2**31 - 1, "Seed", "The same seed gives the same map, bit for bit.", advanced=True
        ),
    ] = 0

    def _loss(self) -> Loss:
        """The loss of one answer under the present parameters."""
        raise NotImplementedError

    def fit(self, triplets: Triplets, y: Any = None, *, progress: Progress = silent) -> Self:
        """Find the map with the lowest loss.

        Parameters
        ----------
        triplets : Triplets or array-like of int, shape (T, 3)
        y : ignored
        progress : Progress
            Snapshots are maps of shape (n, d); a stop keeps the best map so far.

        Raises
        ------
        DataError
            If there is no answer to learn from.
        ValueError
            If a parameter is outside its range.
        """
        checked(type(self), self.get_params(deep=False))
        triplets = as_triplets(triplets)
        if not np.any(triplets.weight > 0):
            raise DataError(
                "there are no answers to learn from",
                file=triplets.name, remedy="Include at least one answer.",
            )
        answers = Answers(triplets)
        shape = (self.n_components, triplets.n_objects)

        def make_objective() -> Objective:
            return Objective(answers, self._loss(), self.n_components)

        def as_map(
            fraction: float, *, loss: float | None = None,
            snapshot: np.ndarray | None = None, start: int = 0,
        ) -> bool:
            if snapshot is not None:
                snapshot = snapshot.reshape(shape).T
            return progress(fraction, loss=loss, snapshot=snapshot, start=start)

        with single_blas_thread():
            found = restarts(
                make_objective, self._starts(answers, make_objective()),
                max_iter=self.max_iter, tol=self.tol, progress=as_map,
            )
            best = min(found, key=lambda optimum: optimum.loss)
            self.n_objects_ = triplets.n_objects
            self.placed_ = triplets.answers_per_object > 0
            self.embedding_ = np.zeros(shape[::-1])
            self.embedding_[self.placed_] = principal_axes(
                best.x.reshape(shape).T[self.placed_]
            )
        self.loss_ = best.loss
        self.losses_ = np.array([optimum.loss for optimum in found])
        self.n_iter_ = best.n_iter
        self.converged_ = best.converged
        self.stopped_ = any(optimum.stopped for optimum in found)
        self.triplet_error_ = 1.0 - self.score(triplets)
        return self

    def fit_transform(self, triplets: Triplets, y: Any = None, **options: Any) -> np.ndarray:
        """Fit and return `embedding_`, shape (n, d)."""
        return self.fit(triplets, **options).embedding_

    def _starts(self, answers: Answers, objective: Objective) -> list[np.ndarray]:
        starts = []
        for number, seed in enumerate(np.random.SeedSequence(self.seed).spawn(self.n_init)):
            rng = np.random.default_rng(seed)
            if number == 0 and self.init == "spectral":
                start = spectral_start(answers, self.n_components, rng)
            else:
                start = random_start(answers.n_objects, self.n_components, rng)
            x = start.ravel()
            starts.append(min((scale * x for scale in _SCALES), key=lambda x: objective(x)[0]))
        return starts

    def distances(self) -> np.ndarray:
        """(n, n) Euclidean distances in the map."""
        self._require_fit()
        return distances(self.embedding_)

    def margins(self, triplets: Triplets) -> np.ndarray:
        """(T,) distance to far minus distance to near, in units of the map."""
        self._require_fit()
        return margins(self.embedding_, as_triplets(triplets).rows)


def margins(positions: np.ndarray, rows: np.ndarray) -> np.ndarray:
    """(T,) distance from anchor to far minus distance from anchor to near.

    Parameters
    ----------
    positions : ndarray, shape (n, d)
    rows : ndarray of int, shape (T, 3)
    """
    anchor, near, far = (positions[rows[:, role]] for role in range(3))
    return np.linalg.norm(anchor - far, axis=1) - np.linalg.norm(anchor - near, axis=1)
