"""The prior over distance matrices that the paper tried and left: appendix B."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence

import numpy as np
import pandas as pd

from tripletscope.core.data.geometry import distances
from tripletscope.core.data.triplets import Triplets
from tripletscope.core.engine.progress import Progress, silent
from tripletscope.core.inference.uncertainty.comparisons import Comparisons
from tripletscope.core.models.embedding.ste import STE
from tripletscope.core.models.simulation.simulate import comparisons_of
from tripletscope.core.models.simulation.truth import true_positions
from tripletscope.reproductions.item import (
    DOES_NOT_HOLD,
    HOLDS,
    Item,
    Observation,
)
from tripletscope.reproductions.uncertainty.published import (
    StepReports,
    share_of_answers,
    short_chain,
    spread_of,
)

INDEPENDENT, SHARED, MAPS = "distances", "distances, correlated", "maps"
LONGER = "distances, 5,000 draws"
WRONG, NEGATIVE, TRIANGLES = "triplets wrong", "negative distances", "triangle inequality broken"
#: Correlation of two objects under W, where it has a shared part.
_CORRELATION = 0.5
_N_OBJECTS, _DRAWS = 30, 500
#: Draws of a chain that is to forget the map at which it began; the second half of them is kept.
_MANY = 5000


def symmetric_draw(root: np.ndarray, rng: np.random.Generator) -> np.ndarray:
    """A symmetric matrix from the normal distribution of mean 0 and covariance W (x)_s W.

    The symmetric Kronecker product is that of W with itself between two projections on symmetric
    matrices, so a draw is the symmetric part of one from the plain product.

    root (n, n): L of W = L L'.
    Returns: (n, n).

    References
    ----------
    Bartels, S., & Hennig, P. (2016). Probabilistic approximate least-squares. AISTATS.
    """
    plain = root @ rng.standard_normal(root.shape) @ root.T
    return (plain + plain.T) / 2.0


def elliptical_slice(
    start: np.ndarray,
    draw: Callable[[], np.ndarray],
    log_likelihood: Callable[[np.ndarray], float],
    n_draws: int,
    rng: np.random.Generator,
) -> np.ndarray:
    """Draws of a chain under a normal prior of mean 0 and any likelihood.

    start: Deviation from the prior's mean.
    draw: ``draw()`` is a deviation from the prior.
    log_likelihood: Of a deviation.
    Returns: (n_draws, ...).

    References
    ----------
    Murray, I., Adams, R. P., & MacKay, D. J. C. (2010). Elliptical slice sampling. AISTATS.
    Figure 2.
    """
    here, value, found = start, log_likelihood(start), []
    for _ in range(n_draws):
        other, floor = draw(), value + math.log(1.0 - rng.random())
        angle = 2.0 * math.pi * rng.random()
        low, high = angle - 2.0 * math.pi, angle
        while True:
            trial = math.cos(angle) * here + math.sin(angle) * other
            value = log_likelihood(trial)
            if value > floor:
                here = trial
                break
            low, high = (angle, high) if angle < 0 else (low, angle)
            angle = low + (high - low) * rng.random()
        found.append(here)
    return np.array(found)


def distance_chain(
    answers: Triplets, correlation: float, n_draws: int, seed: int
) -> np.ndarray:
    """Distance matrices from the posterior under the prior over them, by STE's likelihood.

    The prior's mean of every distance is the mean distance of STE's map, and its standard
    deviation as large; the chain begins at the map's distances.

    correlation: Of two objects under W; 0 makes distances independent.
    Returns: (n_draws, n, n): Symmetric; a prior of this kind keeps neither the sign nor the
        triangle inequality.
    """
    n, rng = answers.n_objects, np.random.default_rng(seed)
    begin = distances(STE(seed=seed).fit(answers).embedding_)
    mean = begin[np.triu_indices(n, 1)].mean()
    centre = mean * (1.0 - np.eye(n))
    objects = (1.0 - correlation) * np.eye(n) + correlation
    # An entry off the diagonal has the variance (W_ii W_jj + W_ij^2) / 2.
    scale = mean / math.sqrt((1.0 + correlation**2) / 2.0)
    root = math.sqrt(scale) * np.linalg.cholesky(objects)
    anchor, near, far = answers.rows.T

    def log_likelihood(deviation: np.ndarray) -> float:
        squared = (centre + deviation) ** 2
        return -float(np.logaddexp(0.0, squared[anchor, near] - squared[anchor, far]).sum())

    chain = elliptical_slice(
        begin - centre, lambda: symmetric_draw(root, rng), log_likelihood, n_draws, rng
    )
    return centre + chain


def broken_triangles(drawn: np.ndarray) -> float:
    """Share of the triangle inequalities of all objects that symmetric matrices break.

    Shapes: drawn (b, n, n).
    """
    n = drawn.shape[1]
    first, second, third = (axis.ravel() for axis in np.indices((n, n, n)))
    kept = (first < second) & (third != first) & (third != second)
    first, second, third = first[kept], second[kept], third[kept]
    return float(np.mean([
        np.mean(d[first, second] > d[first, third] + d[third, second]) for d in drawn
    ]))


def prior_over_distances(
    *,
    shares: Sequence[float],
    repeats: int,
    seed: int = 0,
    progress: Progress = silent,
) -> pd.DataFrame:
    """What posteriors under priors over distances and over maps predict, and what they break.

    shares: Of all comparisons, which are answered without noise.
    repeats: With answers of their own about the same objects.
    """
    truth = true_positions("mixture", _N_OBJECTS, 2, np.random.default_rng(seed))
    true = comparisons_of(distances(truth))
    steps = StepReports(progress, len(shares) * repeats)
    found: dict[tuple[str, str, float], list[float]] = {}
    for share in shares:
        for repeat in range(repeats):
            answers = share_of_answers(truth, share, 0.0, seed + 1 + repeat)
            for prior, drawn in _matrices(answers, seed + repeat).items():
                known = Comparisons(drawn.mean(axis=0), drawn.std(axis=0, ddof=1))
                probability = known.probability(Triplets.from_array(true, _N_OBJECTS))
                upper = drawn[:, *np.triu_indices(_N_OBJECTS, 1)]
                for quantity, value in (
                    (WRONG, np.mean(probability < 0.5) + np.mean(probability == 0.5) / 2),
                    (NEGATIVE, np.mean(upper < 0)), (TRIANGLES, broken_triangles(drawn[::25])),
                ):
                    found.setdefault((quantity, prior, share), []).append(float(value))
            steps.next()
    return pd.DataFrame([
        {"quantity": quantity, "prior": prior, "x": 100 * share, "y": np.mean(values),
         "spread": spread_of(values), "repeats": repeats}
        for (quantity, prior, share), values in found.items()
    ])


def _matrices(answers: Triplets, seed: int) -> dict[str, np.ndarray]:
    """(500, n, n) distances by prior."""
    maps = short_chain(STE(), answers, seed).embeddings
    return {
        INDEPENDENT: distance_chain(answers, 0.0, _DRAWS, seed),
        SHARED: distance_chain(answers, _CORRELATION, _DRAWS, seed),
        LONGER: distance_chain(answers, 0.0, _MANY, seed)[_MANY // 2 :: 5],
        MAPS: np.array([distances(positions) for positions in maps]),
    }


def _check(table: pd.DataFrame) -> Observation:
    """Draws are no distances, and predict worse than maps once the chain has left its start."""
    wide = table.pivot_table(index=["quantity", "prior"], columns="x", values=["y", "spread"])
    mean, spread = wide["y"], wide["spread"]
    doubt = np.hypot(*(spread.loc[(WRONG, prior)] for prior in (LONGER, MAPS)))
    doubt = (doubt / np.sqrt(table["repeats"].iloc[0])).clip(lower=1e-9)
    worse = (mean.loc[(WRONG, LONGER)] - mean.loc[(WRONG, MAPS)]) / doubt
    broken = mean.loc[(TRIANGLES, LONGER)]
    ours = "; ".join(
        f"{quantity}: " + ", ".join(
            f"{prior} {mean.loc[(quantity, prior)].iloc[0]:.3f} -> "
            f"{mean.loc[(quantity, prior)].iloc[-1]:.3f}"
            for prior in (INDEPENDENT, SHARED, LONGER, MAPS)
        ) for quantity in (WRONG, NEGATIVE, TRIANGLES)
    )
    if (broken > 0.01).all() and (worse > 3.0).all():
        return Observation(
            HOLDS, ours,
            f"At least {100 * broken.min():.0f} % of the triangle inequalities are broken, and at "
            "every number of answers a chain that has left the map at which it began clearly "
            "predicts worse than maps.",
        )
    return Observation(
        DOES_NOT_HOLD, ours, "At some number of answers, draws keep the triangle inequality or do "
        "not clearly predict worse than maps.",
    )


def distance_answers() -> Triplets:
    truth = true_positions("mixture", _N_OBJECTS, 2, np.random.default_rng(0))
    return share_of_answers(truth, 0.05, 0.0, seed=1)


ITEMS = (
    Item(
        key="uncertainty-appendix-b",
        title="A prior over distance matrices",
        claim="A normal prior over distance matrices can be made symmetric, but it knows too "
        "little of distances, which is why a prior over maps took its place.",
        published="Did not behave satisfactorily in initial experiments; no figures",
        setting="Mean D0 and covariance the symmetric Kronecker product of W with itself; STE's "
        "likelihood; elliptical slice sampling",
        ours="three normal clouds, n = 30, no noise; 500 draws, or half of 5,000; D0 and the "
        "standard deviation are the mean distance of STE's map; W the identity, or with a "
        "correlation of .5 between objects",
        experiment=prior_over_distances,
        full={"shares": (0.01, 0.02, 0.05, 0.1, 0.2), "repeats": 3},
        quick={"shares": (0.02, 0.1), "repeats": 3}, check=_check,
        rule="Holds if at every number of answers the draws of the long chain over distances break "
        "more than 1 % of the triangle inequalities, and predict more true answers wrong than "
        "draws of maps do, by over three standard errors.",
        not_judged="That the prior is symmetric, as every draw is by construction.",
        also=("uncertainty-equation-7",),
    ),
)
