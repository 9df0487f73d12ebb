"""Maps that are compatible with the answers, and their uncertainty."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import asdict, dataclass, field, replace

import numpy as np

from tripletscope.core.data.geometry import coverage_radius, procrustes, rms, widened
from tripletscope.core.data.lazy import cached_property
from tripletscope.core.data.quadruples import as_answers
from tripletscope.core.data.triplets import Answers, Triplets, as_triplets, refuse_others
from tripletscope.core.engine.progress import Progress, silent
from tripletscope.core.inference.held_out.units import ENOUGH
from tripletscope.core.inference.uncertainty.comparisons import Comparisons, certainty, moments
from tripletscope.core.inference.uncertainty.response import ResponseModel
from tripletscope.core.inference.uncertainty.sampling import AGREED
from tripletscope.core.models.optimise.loss import margins

#: Sources of samples.
SOURCES = {
    "bootstrap": "Bootstrap",
    "posterior": "Bayesian posterior",
    "laplace": "Normal approximation",
}

#: Spreads of a difference of two distances.
SPREADS = {
    "joint": "From the maps",
    "independent": "As if independent",
    "published": "As published",
}


@dataclass(frozen=True)
class Samples:
    """Maps that are compatible with the answers, aligned to one reference.

    Attributes
    ----------
    embeddings : ndarray, shape (b, n, d)
        NaN where a map does not place an object.
    reference : ndarray, shape (n, d)
        The map that the others are aligned to.
    correction : float
        Factor from the variance between the maps to the variance of the reference.
    source : str
        One of `SOURCES`.
    effective : float or None
        Effective number of maps of chains; None for independent maps.
    rhat : float or None
        Largest ratio of the spread of all chains to that within chains; near 1 where they agree.
    unit : {"answers", "participants", "both"}
        What was resampled. A posterior takes answers as independent, those of one observer.
    n_units : int or None
        Number of participants or trials; None where nothing was resampled.
    conditional : ndarray, shape (n, d, d), or None
        Second moments of each position by its own answers, with the rest of the map held, as of
        `tripletscope.core.inference.uncertainty.conditional.conditional`; NaN where these do not
        determine it. None where there are no answers, as between maps of dissimilarities.
    response : dict or None
        Fields of a `tripletscope.core.inference.uncertainty.response.ResponseModel`; None until it
        is learned.
    learn : callable or None
        Learns a `ResponseModel` from the answers, with a ``progress``; not stored with a result.
    """

    embeddings: np.ndarray
    reference: np.ndarray
    correction: float = 1.0
    source: str = "bootstrap"
    effective: float | None = None
    rhat: float | None = None
    unit: str = "answers"
    n_units: int | None = None
    conditional: np.ndarray | None = None
    response: dict | None = None
    learn: Callable[..., ResponseModel] | None = field(
        default=None, repr=False, compare=False, metadata={"kept": False}
    )

    @property
    def counts(self) -> np.ndarray:
        """(n,) number of maps that place each object."""
        return np.isfinite(self.embeddings[..., 0]).sum(axis=0)

    @property
    def mean(self) -> np.ndarray:
        """(n, d) mean position; NaN for objects that no map places."""
        placed = np.isfinite(self.embeddings)
        total = np.where(placed, self.embeddings, 0.0).sum(axis=0)
        count = placed.sum(axis=0)
        return np.where(count > 0, total / np.maximum(count, 1), np.nan)

    @property
    def centre(self) -> np.ndarray:
        """(n, d) centres of ellipses: the map of all answers for the bootstrap, else the mean."""
        # The mean of a posterior can lie well beside its mode.
        return self.reference if self.source == "bootstrap" else self.mean

    @property
    def covariances(self) -> np.ndarray:
        """(n, d, d) covariance of each position; NaN where it is not `determined`.

        The wider of that between the maps and `conditional`: maps of few answers about an object
        hardly differ where the prior or the start has put it.
        """
        deviations = np.nan_to_num(self.embeddings - self.mean)
        total = np.einsum("bni,bnj->nij", deviations, deviations)
        count = self.counts[:, None, None]
        between = np.where(count > 1, self.correction * total / np.maximum(count - 1, 1), np.nan)
        return between if self.conditional is None else widened(between, self._least)

    @property
    def _least(self) -> np.ndarray:
        """`conditional`, for the radius of the maps, which a normal cloud does not need."""
        exact = coverage_radius(0.95, self.reference.shape[1]) / self.radius(0.95)
        return self.conditional * (exact**2 if np.isfinite(exact) else 1.0)

    @property
    def determined(self) -> np.ndarray:
        """(n,) bool: whether answers determine the position, so that there is an ellipse.

        They do not if they are too few about the object, or do not link it with most others, or if
        fewer than two maps place it.
        """
        return np.isfinite(self.covariances).all(axis=(1, 2))

    @property
    def degrees(self) -> float:
        """Degrees of freedom of the covariances.

        The relative squared errors of P participants and b maps add: 1 / (P - 1) + 1 / (b - 1).
        """
        maps = min(self.effective or np.inf, len(self.embeddings)) - 1
        if self.unit == "answers" or self.n_units is None:
            return maps
        return 1.0 / (1.0 / (self.n_units - 1) + 1.0 / maps)

    @property
    def sampling(self) -> str:
        """What was resampled and how many, in words; what a posterior takes as independent."""
        if self.source != "bootstrap":
            return "answers, as those of one observer"
        if self.n_units is None:
            return self.unit
        words = {"both": "participants and their answers"}.get(self.unit, self.unit)
        return f"{self.n_units:,} {words}"

    @property
    def chains_agree(self) -> bool:
        """Whether the chains of a posterior have converged."""
        return self.rhat is not None and self.rhat <= AGREED

    @property
    def is_rough(self) -> bool:
        """Whether participants are too few (`ENOUGH`) to estimate how much people differ."""
        return self.unit != "answers" and self.n_units is not None and self.n_units < ENOUGH

    def radius(self, coverage: float) -> float:
        """Standard deviations that ellipses reach at `coverage`; see `coverage_radius`."""
        return coverage_radius(coverage, self.reference.shape[1], self.degrees)

    def are_apart(self, first: int, second: int, coverage: float = 0.95) -> bool | None:
        """Whether the region of the difference of two positions leaves out 0; None if unknown.

        Positions vary together, so that overlapping ellipses do not decide this.
        """
        differences = self.embeddings[:, first] - self.embeddings[:, second]
        differences = differences[np.isfinite(differences[:, 0])]
        degrees = min(self.degrees, len(differences) - 1)
        radius = coverage_radius(coverage, differences.shape[1], degrees)
        if self.is_rough or not np.isfinite(radius):
            return None
        spread = self.correction * np.atleast_2d(np.cov(differences.T))
        if self.conditional is not None:
            spread = widened(spread[None], self._least[[first, second]].sum(axis=0)[None])[0]
        if not np.isfinite(spread).all():
            return None
        between = self.centre[first] - self.centre[second]
        return bool(between @ np.linalg.pinv(spread) @ between > radius**2)

    @cached_property
    def comparisons(self) -> Comparisons:
        """Mean and standard deviation of every distance, with published spreads of differences."""
        return moments(self.embeddings, self.correction)

    @cached_property
    def calibrated(self) -> Comparisons:
        """The same with independent spreads, which are closer to the truth."""
        return replace(self.comparisons, spread="independent")

    @property
    def knows_responses(self) -> bool:
        """Whether `response_probability` is available."""
        return self.response is not None or self.learn is not None

    def learned(self, progress: Progress = silent) -> Samples:
        """The same with a response model.

        Raises
        ------
        ValueError
            If there is none, and no answers to learn it from.
        Stopped
            If `progress` asks to stop.
        """
        if self.response is not None:
            return self
        if self.learn is None:
            raise ValueError(
                "these samples have no response model, and no answers to learn one from; use "
                "run.samples(answers), or compute them again"
            )
        return replace(self, response=asdict(self.learn(progress=progress)))

    @cached_property
    def response_model(self) -> ResponseModel:
        """The response model, learned at first use; see `learned`."""
        return ResponseModel(**self.learned().response)

    def response_probability(self, triplets: Answers) -> np.ndarray:
        """Probability that a person gives each answer.

        People err and differ, so that it stays below 1 however many answers there are: use it to
        predict answers. It is the method's likelihood averaged over the maps, otherwise the margin
        in units of the map, calibrated on held-out responses. Calibration runs at first use and
        takes about half as many fits as the samples.

        Parameters
        ----------
        triplets : Triplets, Quadruples or array-like of int, shape (T, 3) or (T, 4)

        Returns
        -------
        ndarray, shape (T,)
            NaN where no map has all objects.

        Raises
        ------
        ValueError
            If the samples have no response model, and no answers to learn it from.

        Examples
        --------
        >>> import tripletscope as ts
        >>> answers = ts.read("sample_data/ekman_colors/answers.csv")
        >>> samples = ts.bootstrap(ts.STE(), answers, replicates=20)
        >>> responses = samples.response_probability(answers)
        >>> samples.order_certainty(answers).mean() > responses.mean() > 0.8
        True
        """
        asked = as_answers(triplets, known=self.embeddings.shape[1])
        refuse_others(asked, self.embeddings.shape[1])
        return self.response_model.from_maps(self.embeddings, asked.rows)

    def order_certainty(self, triplets: Triplets, *, spread: str = "joint") -> np.ndarray:
        """Probability that each answer has the order of its two distances right.

        It is about the map: what is undecided, and what to ask next. For how people answer, see
        `response_probability`.

        Parameters
        ----------
        triplets : Triplets or array-like of int, shape (T, 3)
        spread : {"joint", "independent", "published"}
            Standard deviation of the difference of distances: over the maps, which is best
            calibrated, or as in `Comparisons`.

        Returns
        -------
        ndarray, shape (T,)
            NaN where an object has no place.
        """
        return self.probability(triplets, spread=spread)

    def probability(self, triplets: Triplets, *, spread: str = "published") -> np.ndarray:
        """The paper's name of `order_certainty`, with the published spread.

        Parameters
        ----------
        triplets : Triplets or array-like of int, shape (T, 3)
        spread : {"published", "independent", "joint"}
            See `order_certainty`.

        Returns
        -------
        ndarray, shape (T,)
        """
        triplets = as_triplets(triplets, known=self.embeddings.shape[1])
        if spread == "published":
            return self.comparisons.probability(triplets)
        if spread == "independent":
            return self.calibrated.probability(triplets)
        if spread != "joint":
            raise ValueError(f"spread is {spread!r}; it must be one of {', '.join(SPREADS)}.")
        rows = triplets.rows
        count, total, squares = np.zeros((3, len(rows)))
        # Shifted by the reference's difference, so that the sums of squares lose no digits.
        shift = margins(np.nan_to_num(self.reference), rows)
        for embedding in self.embeddings:
            off = margins(embedding, rows) - shift
            finite = np.isfinite(off)
            off = np.where(finite, off, 0.0)
            count += finite
            total += off
            squares += off**2
        with np.errstate(invalid="ignore", divide="ignore"):
            mean = total / count
            variance = np.maximum(squares - total * mean, 0.0) / (count - 1)
        return certainty(shift + mean, np.sqrt(self.correction * variance), self.degrees)

    def most_uncertain(self, k: int, *, spread: str = "published") -> tuple[np.ndarray, np.ndarray]:
        """The k least certain of all comparisons.

        Parameters
        ----------
        k : int
        spread : {"published", "independent"}
            See `Comparisons`.

        Returns
        -------
        rows : ndarray of int, shape (min(k, all), 3)
            Anchor, nearer and farther object, least certain first.
        probability : ndarray
            That this order is right, from 1/2 up.
        """
        if spread not in ("published", "independent"):
            raise ValueError(f"spread is {spread!r}; it must be 'published' or 'independent'.")
        return replace(self.comparisons, spread=spread).most_uncertain(k)

    @property
    def average_uncertainty(self) -> float:
        """Mean probability that the likelier answer of a comparison is wrong, as published."""
        return self.comparisons.average_uncertainty


def aligned(
    positions: np.ndarray, placed: np.ndarray, reference: np.ndarray, *, size: str = "same",
    anchors: np.ndarray | None = None, onto: Callable = procrustes,
) -> np.ndarray:
    """(n, d) positions aligned to the reference by their placed objects; the others NaN.

    positions, reference (n, d), placed bool (n,).
    anchors (n,): The placed objects to align by, if there are more of them than dimensions; by
        default all. Those that could lie anywhere would move all others.
    size {"same", "fit", "own"}: That of the reference, of the best fit, or as it is. The best fit
        shrinks maps that have little in common with the reference, and so ellipses of few answers.
    onto: As `OrdinalEmbedding.onto`.
    """
    result = np.full(reference.shape, np.nan)
    by = placed if anchors is None else placed & anchors
    by = by if by.sum() > reference.shape[1] else placed
    points, target = positions[by], reference[by]
    ratio = rms(target) / rms(points) if size == "same" and rms(points) > 0 else 1.0
    there = onto(ratio * points, target, scaled=size == "fit")
    result[placed] = there(ratio * positions[placed])
    return result
