"""Parameters, starts, fit and answers that all embeddings share."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from itertools import islice
from typing import Annotated, Any, ClassVar, Self

import numpy as np
import pandas as pd
from scipy.spatial.distance import squareform
from sklearn.base import ClassNamePrefixFeaturesOutMixin, TransformerMixin, clone
from sklearn.utils.metaestimators import available_if

from tripletscope.core.data.choices import Choices, choices_of
from tripletscope.core.data.errors import DataError
from tripletscope.core.data.geometry import distances, principal_axes, procrustes, rms, to_unit_rms
from tripletscope.core.data.quadruples import as_answers
from tripletscope.core.data.triplets import Answers, Triplets
from tripletscope.core.engine.declared import Choice, Number, Switch
from tripletscope.core.engine.method import Method
from tripletscope.core.engine.parallel import single_blas_thread
from tripletscope.core.engine.progress import Progress, part, silent
from tripletscope.core.models.embedding.placing import place
from tripletscope.core.models.embedding.starts import line_start, random_start, spectral_start
from tripletscope.core.models.optimise.layout import AnswerLayout
from tripletscope.core.models.optimise.loss import Loss, Objective, likeness, map_losses, margins
from tripletscope.core.models.optimise.minimise import Optimum, minimise, restarts

#: Sizes at which a start without a scale is tried, and answers on which they are.
_SCALES = 2.0 ** np.arange(-4, 4)
_SCALING_ANSWERS = 1024
#: Starts by default, and at most where they lead to maps of different losses.
_STARTS, _MOST_STARTS = 4, 16
#: Up to this many answers further starts are cheap, and different losses common.
_FEW_ANSWERS = 20_000
#: With `_TIMES` as many answers as this for each coordinate (or in all), starts begin on such a
#: part of them, and the best ones go on with all.
_PART_PER_COORDINATE, _PART, _TIMES, _BEST = 30, 200_000, 5, 2
#: Losses this much above the lowest one, as a fraction, count as the same.
SAME_LOSS = 1e-3
#: Starts of `transform` for each object.
_PLACES = 4

# Declarations of parameters to which a method may give another default.

Starts = Annotated[int, Number(
    1, 100, "Restarts",
    "The loss has local minima. Of this many restarts, the map with the lowest loss is kept.",
    advanced=True
)]

Tolerance = Annotated[float, Number(
    1e-15, 1e-1, "Tolerance",
    "A fit has converged when an iteration lowers the loss by less than this fraction.",
    advanced=True
)]

Prior = Annotated[float, Number(
    0.0, 10_000.0, "Prior",
    "Strength of the Gaussian prior on the coordinates. It adds half of this strength times each "
    "object's squared distance from the centre to the loss. This shrinks the map, helps with few "
    "answers, and keeps the map finite.", advanced=True
)]


class Embedding(Method):
    """A map of n objects in d dimensions.

    Attributes
    ----------
    embedding_ : ndarray, shape (n, d)
    n_objects_ : int
    """

    def distances(self) -> np.ndarray:
        """(n, n) Euclidean distances in the map."""
        self._require_fit()
        return distances(self.embedding_)

    def margins(self, triplets: Answers) -> np.ndarray:
        """(T,) distance to far minus distance to near, in units of the map."""
        return margins(self.embedding_, self._to_predict(triplets).rows)


def map_of(method: Embedding, answers: Answers, progress: Progress = silent) -> np.ndarray:
    """(n, d) map that a clone of the method fits; NaN for objects without a place."""
    fitted = clone(method).fit(answers, progress=progress)
    return np.where(fitted.placed_[:, None], fitted.embedding_, np.nan)


class _Tables(ClassNamePrefixFeaturesOutMixin, TransformerMixin):
    """Maps as tables, where scikit-learn is told to make them."""

    def fit_transform(self, triplets: Any, y: Any = None, **options: Any) -> np.ndarray:
        """Fit and return the map."""
        return self.fit(triplets, y, **options).embedding_

    def transform(self, triplets: Any) -> np.ndarray:
        """The map with further objects."""
        return self._placing(triplets)


class _RowsOfObjects:
    """Rows of a map are objects: scikit-learn would name them by the rows of a frame of answers."""

    def fit_transform(self, triplets: Triplets, y: Any = None, **options: Any) -> np.ndarray:
        """Fit and return `embedding_`, shape (n, d); see `set_output` for a table."""
        if isinstance(triplets, pd.DataFrame):
            triplets, y = as_answers(triplets, y), None
        return super().fit_transform(triplets, y, **options)

    def transform(self, triplets: Answers) -> np.ndarray:
        """Place further objects into the fitted map from answers about them.

        Parameters
        ----------
        triplets : Triplets, Quadruples or array-like of int, shape (T, 3) or (T, 4)
            About the fitted objects, in the same order, followed by m others.

        Returns
        -------
        ndarray, shape (n + m, d)
            The fitted objects where they were, then the others where the loss of their answers
            is least; the middle of the map for those without answers.

        Raises
        ------
        DataError
            If there are fewer objects than in the map.
        """
        self._require_fit()
        if isinstance(triplets, pd.DataFrame):
            triplets = as_answers(triplets, known=self.n_objects_)
        return super().transform(triplets)


@dataclass(kw_only=True, eq=False, repr=False)
class OrdinalEmbedding(_RowsOfObjects, _Tables, Embedding):
    """Places n objects in d dimensions so that distances answer the triplets.

    Attributes
    ----------
    embedding_ : ndarray, shape (n, d)
        Positions, centred, on their principal axes.
    embeddings_ : ndarray, shape (starts, n, d)
        The map of every start, likewise.
    placed_ : ndarray of bool, shape (n,)
        False for objects that no answer of a weight above 0 mentions; these lie at the origin.
    loss_ : float
        Loss of the best start, with the prior's share.
    losses_ : ndarray, shape (starts,)
        Final loss of every start.
    n_iter_ : int
        Iterations of the best start.
    converged_ : bool
        Whether the best start converged.
    stopped_ : bool
        Whether `progress` stopped the fit.
    triplet_error_ : float
        Share of the training answers that the map contradicts.
    n_objects_ : int
    """

    #: Whether the loss weighs the size of a map against noise or a margin. Otherwise a larger map
    #: is about as good, and maps are compared after `core.data.geometry.to_unit_rms`.
    fixes_scale: ClassVar[bool] = True
    #: Whether the fit chooses its number of dimensions, at most `n_components`.
    is_rank_chosen: ClassVar[bool] = False
    #: The standard position of a map, and the way of one map to another: what leaves the loss as it
    #: is. Pairs that are not seen by distances have their own.
    standard: ClassVar[Callable[[np.ndarray], np.ndarray]] = staticmethod(principal_axes)
    onto: ClassVar[Callable[..., Callable]] = staticmethod(procrustes)

    n_components: Annotated[int, Number(
        1, 50, "Dimensions",
        "Coordinates per object. Two are easy to look at; more may predict answers better."
    )] = 2
    n_init: Annotated[int | None, Number(
        1, 100, "Restarts",
        "The loss has local minima. Of this many restarts, the map with the lowest loss is "
        "kept. Automatic: 4, then twice as many, up to 16, while only one has reached the lowest "
        "loss (within 0.1 %), there are at most 20,000 answers, and the first does not begin at "
        "the objects' order. With a million answers or more, 4 are "
        "compared on a fifth of them or less, and the best 2 continue with all.", advanced=True,
        automatic=f"{_STARTS} to {_MOST_STARTS}"
    )] = None
    init: Annotated[str, Choice(
        {
            "spectral": "Spectral", "order": "Object order", "random": "Random",
        }, "Initialisation",
        "Where the first restart begins; the others are random. Spectral: at the leading "
        "eigenvectors of the triplet counts, which finds the best map far more often, above "
        "all in one dimension. Object order: on a line, in the listed order, for scales from "
        "comparisons of pairs, which otherwise fold.",
        advanced=True
    )] = "spectral"
    max_iter: Annotated[int, Number(
        1, 100_000, "Max. iterations",
        "A fit that reaches this limit is reported as not converged.", advanced=True
    )] = 2000
    tol: Tolerance = 1e-8
    # With few answers this lowers the held-out error by up to a quarter; with many no difference
    # is measurable.
    prior: Prior = 0.1
    average: Annotated[bool, Switch(
        "Average over restarts",
        "Predicts answers from distances averaged over all restarts. Helps with few answers.",
        advanced=True
    )] = False
    seed: Annotated[int, Number(
        0, 2**31 - 1, "Seed", "The same seed gives the same map, bit for bit.", advanced=True
    )] = 0

    def _loss(self) -> Loss:
        """The loss of one answer under the present parameters."""
        raise NotImplementedError

    def _minimise(self, answers: AnswerLayout, start: np.ndarray, progress: Progress) -> Optimum:
        """The map of lowest loss reached from `start`, both flattened (d, n)."""
        objective = Objective(answers, self._loss(), self.n_components, self.prior)
        return minimise(objective, start, max_iter=self.max_iter, tol=self.tol, progress=progress)

    def fit(
        self, triplets: Answers, y: Any = None, *, sample_weight: Any = None,
        init_embedding: np.ndarray | None = None, progress: Progress = silent,
    ) -> Self:
        """Find the map with the lowest loss.

        Parameters
        ----------
        triplets : Triplets, Quadruples or array-like of int, shape (T, 3) or (T, 4)
            Four columns i, j, k, l say that i and j are more similar than k and l.
        init_embedding : ndarray, shape (n, d), optional
            The first start, unscaled; by default as `init` says.
        progress : Progress
            Snapshots are maps of shape (n, d); a stop keeps the best map so far.

        Raises
        ------
        DataError
            If there is no answer to learn from.
        ValueError
            If a parameter is outside its range, or `init_embedding` does not fit the data.
        """
        data = self._to_learn(triplets, y, sample_weight)
        if not np.any(data.weight > 0):
            raise DataError(
                "there are no answers to learn from",
                file=data.name, remedy="Include at least one answer.",
            )
        answers = AnswerLayout.of(data, self.is_likelihood)
        shape = (self.n_components, data.n_objects)

        with single_blas_thread():
            optima = self._restarts(
                answers, init_embedding, part(progress, show=lambda x: x.reshape(shape).T)
            )
            self._keep(optima, answers.placed)
        self.triplet_error_ = 1.0 - self.score(data)
        return self

    def _keep(self, optima: list[Optimum], placed: np.ndarray) -> None:
        """Set the fitted attributes from the optimum of every start."""
        self.n_objects_, self.placed_ = len(placed), placed
        shape = (self.n_components, len(placed))
        self.embeddings_ = np.zeros((len(optima), *shape[::-1]))
        for embedding, optimum in zip(self.embeddings_, optima, strict=True):
            embedding[placed] = self.standard(optimum.x.reshape(shape).T[placed])
        self.losses_ = np.array([optimum.loss for optimum in optima])
        best = int(np.argmin(self.losses_))
        self.embedding_ = self.embeddings_[best].copy()
        self.loss_, self.n_iter_ = optima[best].loss, optima[best].n_iter
        self.converged_ = optima[best].converged
        self.stopped_ = any(optimum.stopped for optimum in optima)

    def _restarts(
        self, answers: AnswerLayout, init_embedding: np.ndarray | None, progress: Progress
    ) -> list[Optimum]:
        """The optimum of every start; where they disagree, of more starts than at first."""
        # With a known order a folded map is wrong even if its loss is lower.
        more = len(answers) <= _FEW_ANSWERS and self.init != "order"
        most = self.n_init or (_MOST_STARTS if more else _STARTS)
        starts = self._starts(answers, init_embedding, most)
        few = max(_PART, _PART_PER_COORDINATE * self.n_components * answers.n_objects)
        if not self.n_init and init_embedding is None and len(answers) > _TIMES * few:
            thinned = answers.thinned(few)
            drafts = restarts(
                lambda start, progress: self._minimise(thinned, start, progress), list(starts),
                progress=part(progress, 0.0, 0.25),
            )
            drafts.sort(key=lambda draft: draft.loss)
            starts, most = iter([draft.x for draft in drafts[:_BEST]]), _BEST
            progress = part(progress, 0.25, 1.0)
        optima: list[Optimum] = []
        while len(optima) < most:
            wanted = min(self.n_init or max(2 * len(optima), _STARTS), most)
            optima += restarts(
                lambda start, progress: self._minimise(answers, start, progress),
                list(islice(starts, wanted - len(optima))), first=len(optima),
                progress=part(progress, len(optima) / most, wanted / most),
            )
            losses = np.array([optimum.loss for optimum in optima])
            if any(optimum.stopped for optimum in optima) or agreeing(losses) > 1:
                break
        return optima

    def refitted(
        self, answers: AnswerLayout, start: np.ndarray | None = None, progress: Progress = silent
    ) -> np.ndarray:
        """A map (n, d) of prepared answers from one start; the method does not change.

        `start` (n, d) is by default the first that `fit` would try. Positions of objects without
        answers are meaningless.
        """
        shape = (self.n_components, answers.n_objects)
        first = next(self._starts(answers, start, 1))
        return self._minimise(answers, first, progress).x.reshape(shape).T

    @property
    def _n_features_out(self) -> int:
        """Columns of a map, which are named by `get_feature_names_out`."""
        return self.embedding_.shape[1]

    def _placing(self, triplets: Answers) -> np.ndarray:
        """(n + m, d) positions with those of further objects: see `transform`."""
        self._require_fit()
        data = as_answers(triplets, known=self.n_objects_)
        if data.n_objects < self.n_objects_:
            raise DataError(
                f"there are {data.n_objects} objects, but {self.n_objects_} in the map",
                file=data.name, remedy="List the objects of the map first, then the others.",
            )
        with single_blas_thread():
            return place(
                data, self.embedding_, self.placed_, self._loss(), prior=self.prior,
                n_starts=_PLACES, rng=np.random.default_rng(self.seed),
            )

    def _starts(
        self, answers: AnswerLayout, init_embedding: np.ndarray | None, most: int
    ) -> Iterator[np.ndarray]:
        few = answers.thinned(_SCALING_ANSWERS)
        trial = Objective(
            few, self._loss(), self.n_components, self.prior * len(few) / len(answers)
        )
        for number, seed in enumerate(np.random.SeedSequence(self.seed).spawn(most)):
            if number == 0 and init_embedding is not None:
                yield _flattened(init_embedding, trial.shape)
                continue
            rng = np.random.default_rng(seed)
            if number == 0 and self.init == "spectral":
                start = spectral_start(answers.comparisons, self.n_components, rng)
            elif number == 0 and self.init == "order":
                start = line_start(answers.n_objects, self.n_components, rng)
            else:
                start = random_start(answers.n_objects, self.n_components, rng)
            x = start.ravel()
            yield min((scale * x for scale in _SCALES), key=lambda x: trial(x)[0])

    def distances(self) -> np.ndarray:
        """(n, n) Euclidean distances in the map, or with `average` their mean over the starts.

        Of a likelihood of other pairs than distances, how far similarities are below the largest.
        """
        self._require_fit()
        if self._loss().is_of_distances:
            return np.mean([distances(embedding) for embedding in self._maps()], axis=0)
        similar = squareform(self._likeness(np.column_stack(np.triu_indices(self.n_objects_, 1))))
        apart = similar.max(where=~np.eye(len(similar), dtype=bool), initial=-np.inf) - similar
        np.fill_diagonal(apart, 0.0)
        return apart

    def margins(self, triplets: Answers) -> np.ndarray:
        """(T,) distance to far minus distance to near, in units of the map.

        With `average`, the mean over the starts. Of a likelihood of other pairs than distances, the
        difference of similarities.
        """
        rows = self._to_predict(triplets).rows
        if self._loss().is_of_distances:
            return np.mean([margins(embedding, rows) for embedding in self._maps()], axis=0)
        third = -2 if rows.shape[1] == 4 else 0
        return self._likeness(rows[:, :2]) - self._likeness(rows[:, [third, -1]])

    def _likeness(self, pairs: np.ndarray) -> np.ndarray:
        """(E,) mean similarity of pairs (E, 2) over the maps."""
        loss = self._loss()
        return np.mean([likeness(loss, positions, pairs) for positions in self._maps()], axis=0)

    def choice_probabilities(self, data: Triplets) -> np.ndarray:
        """Probability of the choice in each stage of the data, under the fitted map.

        Parameters
        ----------
        data : Triplets, Quadruples or array-like of int, shape (T, 3) or (T, 4)

        Returns
        -------
        ndarray, shape (S,)
            In the order of ``data.choices``: of an odd one out, that of the remaining pair among
            the three; of a ranking, that of each choice from the rest. Fits treat more than eight
            unordered choices as all of their comparisons.

        Raises
        ------
        ValueError
            If the method has no likelihood: use STE, t-STE or CKL.
        """
        self._require_fit()
        if not self.is_likelihood:
            raise ValueError(f"the loss of {self.title} is not a likelihood; use STE, t-STE or CKL")
        return self._probabilities(self._to_predict(data).choices)

    @available_if(lambda method: method.is_likelihood)
    def predict_proba(self, triplets: Answers) -> np.ndarray:
        """Probability that each answer is another one, and that it is given, under the fitted map.

        Each counts for itself, as a comparison of two pairs; see `choice_probabilities` for choices
        among several, such as an odd one out.

        Parameters
        ----------
        triplets : Triplets, Quadruples or array-like of int, shape (T, 3) or (T, 4)

        Returns
        -------
        ndarray, shape (T, 2)
        """
        answers = self._to_predict(triplets)
        given = self._probabilities(choices_of(answers.rows, None, n_objects=answers.n_objects))
        return np.column_stack([1.0 - given, given])

    def _probabilities(self, choices: Choices) -> np.ndarray:
        """(S,) probability of the choice in each stage."""
        loss = self._loss()
        return np.mean(
            [np.exp(-map_losses(loss, positions, choices)) for positions in self._maps()], axis=0
        )

    def _maps(self) -> list[np.ndarray]:
        """The maps that answer; several seen by distances are scaled to the size of the best."""
        if not self.average:
            return [self.embedding_]
        if not self._loss().is_of_distances:
            return list(self.embeddings_)
        size = rms(self.embedding_[self.placed_])
        return [size * to_unit_rms(embedding, self.placed_) for embedding in self.embeddings_]


def agreeing(losses: np.ndarray) -> int:
    """Number of starts that reached the lowest loss, within 0.1 %."""
    lowest = losses.min()
    return int((losses <= lowest + SAME_LOSS * abs(lowest)).sum())


def _flattened(embedding: np.ndarray, shape: tuple[int, int]) -> np.ndarray:
    embedding = np.asarray(embedding, dtype=float)
    if embedding.shape != shape[::-1] or not np.isfinite(embedding).all():
        raise ValueError(
            f"init_embedding has shape {embedding.shape}; it must be finite and {shape[::-1]}"
        )
    return embedding.T.ravel()
