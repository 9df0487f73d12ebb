"""Maps that the answers could as well have given, and what follows from them."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import asdict, dataclass, field, replace
from functools import cached_property

import numpy as np

from tripletscope.core.data.geometry import coverage_radius, procrustes, rms
from tripletscope.core.data.quadruples import as_answers
from tripletscope.core.data.triplets import Judgements, Triplets, as_triplets
from tripletscope.core.engine.progress import Progress, silent
from tripletscope.core.inference.evaluation.units import ENOUGH
from tripletscope.core.inference.uncertainty.comparisons import Comparisons, certainty, moments
from tripletscope.core.inference.uncertainty.response import ResponseModel
from tripletscope.core.inference.uncertainty.sampling import AGREED
from tripletscope.core.models.optimise.loss import margins

#: Where samples come from.
SOURCES = {
    "bootstrap": "Bootstrap",
    "posterior": "Bayesian posterior",
    "laplace": "Normal approximation",
}

#: How the spread of a difference of two distances is found.
SPREADS = {
    "joint": "From the maps: calibrated",
    "independent": "As if independent: nearly calibrated",
    "published": "As published: conservative",
}


@dataclass(frozen=True)
class Samples:
    """Maps that the answers could as well have given, aligned to one reference.

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
        How many independent maps those of a chain are worth; None for independent ones.
    rhat : float or None
        Largest ratio of the spread of all chains to that within chains; near 1 where they agree.
    unit : {"answers", "participants", "both"}
        What was resampled. A posterior takes every answer as independent: it is that of one
        observer, or of people who do not differ.
    n_units : int or None
        How many participants or trials; None where nothing was resampled.
    response : dict or None
        Fields of a `tripletscope.core.inference.uncertainty.response.ResponseModel`, by which
        `response_probability` is found; None as long as it was not learned.
    learn : callable or None
        Learns a `ResponseModel` from the answers, given a ``progress``; `response_probability`
        calls it once. It is not kept with a result.
    """

    embeddings: np.ndarray
    reference: np.ndarray
    correction: float = 1.0
    source: str = "bootstrap"
    effective: float | None = None
    rhat: float | None = None
    unit: str = "answers"
    n_units: int | None = None
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
        """(n, d) where the ellipses belong.

        For the bootstrap the map of all answers, around which other data would scatter; for a
        posterior its mean, which can lie well beside its mode.
        """
        return self.reference if self.source == "bootstrap" else self.mean

    @property
    def covariances(self) -> np.ndarray:
        """(n, d, d) covariance of each position; NaN for objects that under two maps place."""
        deviations = np.nan_to_num(self.embeddings - self.mean)
        total = np.einsum("bni,bnj->nij", deviations, deviations)
        count = self.counts[:, None, None]
        return np.where(count > 1, self.correction * total / np.maximum(count - 1, 1), np.nan)

    @property
    def degrees(self) -> float | None:
        """Degrees of freedom of the covariances; None where answers were resampled.

        Those of a variance between P participants, P - 1, of which b maps lose some more: the
        squared errors of both, relative to the variance, add.
        """
        if self.unit == "answers" or self.n_units is None:
            return None
        return 1.0 / (1.0 / (self.n_units - 1) + 1.0 / (len(self.embeddings) - 1))

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
        """Whether the chains of a posterior have converged.

        Silent on: chains that are apart
        (tests/core/inference/uncertainty/test_posterior.py::test_chains_that_are_apart_do_not_agree).
        """
        return self.rhat is not None and self.rhat <= AGREED

    @property
    def is_rough(self) -> bool:
        """Whether participants are too few (`ENOUGH`) for it to be known how much people differ."""
        return self.unit != "answers" and self.n_units is not None and self.n_units < ENOUGH

    def radius(self, coverage: float) -> float:
        """Standard deviations out to which the ellipses reach to hold a share `coverage`.

        See `tripletscope.core.data.geometry.coverage_radius`.
        """
        return coverage_radius(coverage, self.reference.shape[1], self.degrees)

    def are_apart(self, first: int, second: int, coverage: float = 0.95) -> bool | None:
        """Whether the region of the difference of two positions leaves out 0; None if unknown.

        Positions vary together, so that this is no question of overlapping ellipses.

        Silent on: two objects at one place
        (tests/core/inference/uncertainty/test_uncertainty.py::test_objects_at_one_place_are_not_told_apart).
        """
        differences = self.embeddings[:, first] - self.embeddings[:, second]
        differences = differences[np.isfinite(differences[:, 0])]
        d, maps = differences.shape[1], min(self.effective or np.inf, len(differences))
        degrees = min(self.degrees or np.inf, maps - 1)
        radius = coverage_radius(coverage, d, degrees) if degrees >= d else np.nan
        if self.is_rough or not np.isfinite(radius):
            return None
        spread = self.correction * np.atleast_2d(np.cov(differences.T))
        between = self.centre[first] - self.centre[second]
        return bool(between @ np.linalg.pinv(spread) @ between > radius**2)

    @cached_property
    def comparisons(self) -> Comparisons:
        """Mean and standard deviation of every distance, and how sure every comparison is.

        As published; `calibrated` is closer to the truth.
        """
        return moments(self.embeddings, self.correction)

    @cached_property
    def calibrated(self) -> Comparisons:
        """The same with differences of distances spread as if they were independent."""
        return replace(self.comparisons, spread="independent")

    @property
    def knows_responses(self) -> bool:
        """Whether `response_probability` can be asked."""
        return self.response is not None or self.learn is not None

    def learned(self, progress: Progress = silent) -> Samples:
        """The same with a response model.

        Raises
        ------
        ValueError
            If there is none, and nothing to learn it from.
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
        """How people respond, learned when it is first asked for; see `learned`."""
        return ResponseModel(**self.learned().response)

    def response_probability(self, triplets: Judgements) -> np.ndarray:
        """Probability that a person gives each answer.

        For what people are going to answer: predictions, and leaving some open. It takes into
        account that people err and differ, and stays below 1 however many answers there are. The
        method's likelihood, averaged over the maps, or, where it has none, the margin in units of
        the map, calibrated on held-out responses. The calibration takes about half as many fits as
        the samples did; it is done when it is first asked for, and remembered.

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
        return self.response_model.from_maps(self.embeddings, as_answers(triplets).rows)

    def order_certainty(self, triplets: Triplets, *, spread: str = "joint") -> np.ndarray:
        """How sure the maps are that each answer has the order of the two distances right.

        For what is known of the map: what is undecided, and what to ask next. Nothing is said of
        how a person will answer; see `response_probability`.

        Parameters
        ----------
        triplets : Triplets or array-like of int, shape (T, 3)
        spread : {"joint", "independent", "published"}
            Standard deviation of the difference of the two distances: that over the maps, which
            measures as the best calibrated, or of `Comparisons`.

        Returns
        -------
        ndarray, shape (T,)
            NaN where an object has no place.
        """
        return self.probability(triplets, spread=spread)

    def probability(self, triplets: Triplets, *, spread: str = "published") -> np.ndarray:
        """The paper's name of `order_certainty`, with its own spread of differences.

        Parameters
        ----------
        triplets : Triplets or array-like of int, shape (T, 3)
        spread : {"published", "independent", "joint"}
            See `order_certainty`.

        Returns
        -------
        ndarray, shape (T,)
        """
        triplets = as_triplets(triplets)
        if spread == "published":
            return self.comparisons.probability(triplets)
        if spread == "independent":
            return self.calibrated.probability(triplets)
        if spread != "joint":
            raise ValueError(f"spread is {spread!r}; it must be one of {', '.join(SPREADS)}.")
        rows = triplets.rows
        count, total, squares = np.zeros((3, len(rows)))
        # Shifted by the reference's own difference, so that the sums of squares lose no digits.
        shift = margins(np.nan_to_num(self.reference), rows)
        for embedding in self.embeddings:
            off = margins(embedding, rows) - shift
            known = np.isfinite(off)
            off = np.where(known, off, 0.0)
            count += known
            total += off
            squares += off**2
        with np.errstate(invalid="ignore", divide="ignore"):
            mean = total / count
            variance = np.maximum(squares - total * mean, 0.0) / (count - 1)
        return certainty(shift + mean, np.sqrt(self.correction * variance), self.degrees)

    def most_uncertain(
        self, k: int, *, spread: str = "published"
    ) -> tuple[np.ndarray, np.ndarray]:
        """The k least certain of all comparisons; see `Comparisons.most_uncertain`.

        Parameters
        ----------
        k : int
        spread : {"published", "independent"}
            See `Comparisons`.

        Returns
        -------
        rows : ndarray of int, shape (min(k, all), 3)
        probability : ndarray
        """
        if spread not in ("published", "independent"):
            raise ValueError(f"spread is {spread!r}; it must be 'published' or 'independent'.")
        return replace(self.comparisons, spread=spread).most_uncertain(k)

    @property
    def average_uncertainty(self) -> float:
        """Mean over all comparisons of how likely their likelier answer is wrong, as published."""
        return self.comparisons.average_uncertainty


def aligned(
    positions: np.ndarray, placed: np.ndarray, reference: np.ndarray, *, size: str = "same"
) -> np.ndarray:
    """(n, d) positions brought to the reference by their placed objects; the others NaN.

    Shapes: positions, reference (n, d), placed bool (n,).
    size {"same", "fit", "own"}: That of the reference, that of the best fit, or as it is. Resampled
        maps that have little in common with the reference would shrink to the best fit, and
        ellipses of few answers would be too small.
    """
    result = np.full(reference.shape, np.nan)
    own, target = positions[placed], reference[placed]
    if size == "same" and rms(own) > 0:
        own = own * (rms(target) / rms(own))
    result[placed] = procrustes(own, target, scaled=size == "fit")(own)
    return result
