"""The simulated observer of the thesis's chapter 4, and what every method makes of its answers."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import combinations

import numpy as np
import pandas as pd

from tripletscope.core.data.geometry import distances
from tripletscope.core.data.triplets import Triplets
from tripletscope.core.engine.progress import Progress, Stopped
from tripletscope.core.models.embedding import NMDS, SOE, STE, TSTE
from tripletscope.core.models.embedding.ordinal import OrdinalEmbedding
from tripletscope.core.models.optimise.loss import margins
from tripletscope.core.models.simulation.simulate import answer
from tripletscope.core.scales.mlds import MLDS

#: Noises and shares of the C(n, 3) triples that the thesis simulates.
SIGMAS, SHARES = (0.01, 0.05, 0.1, 0.5), (0.2, 0.4, 0.6, 0.8, 1.0)
#: The ordinal embeddings that are compared.
EMBEDDINGS = ("STE", "t-STE", "LOE")
#: Which of ten starts is kept: the thesis's rule, and ours.
LEAST_ERROR, LEAST_LOSS = "lowest training error", "lowest loss"
#: Distances that differ by less are equal: the scales of the thesis are symmetric.
_EQUAL = 1e-9


@dataclass(frozen=True)
class EstimatedScale:
    """What a method says of where the stimuli lie.

    Shapes: positions (n, d).
    kept: `LEAST_ERROR` or `LEAST_LOSS`, by which one of several starts was chosen.
    own_error: Share of the answers learned from that it contradicts; NaN where it had none.
    """

    method: str
    kept: str
    positions: np.ndarray
    own_error: float


def questions(n: int, *, of_middle: bool = False) -> np.ndarray:
    """All different questions about n stimuli, or those about the middle one of three.

    of_middle: Only what difference scaling may ask: whether the middle of three stimuli is more
        similar to the lower or to the higher one.
    Returns: (C(n, 3), 3) or (3 C(n, 3), 3): Anchor, and the two others.
    """
    low, middle, high = np.array(list(combinations(range(n), 3))).T
    asked = [np.column_stack([middle, low, high])]
    if not of_middle:
        asked += [np.column_stack([low, middle, high]), np.column_stack([high, low, middle])]
    return np.concatenate(asked)


def published_embeddings(d: int, seed: int = 0) -> dict[str, OrdinalEmbedding]:
    """The embeddings of the thesis: without priors, from ten random starts, t-STE with α = 1.

    Of triplets, the loss of LOE is that of SOE.
    """
    common = {"n_components": d, "n_init": 10, "init": "random", "prior": 0.0, "seed": seed}
    return {"STE": STE(**common), "t-STE": TSTE(**common, alpha=1.0), "LOE": SOE(**common)}


def contradicted(positions: np.ndarray, rows: np.ndarray) -> float:
    """Share of answers that a map contradicts; ties count one half."""
    return float(np.mean(0.5 - np.sign(margins(positions, rows)) / 2))


def clear_answers(truth: np.ndarray) -> np.ndarray:
    """(T, 3) answers without noise to all questions that have one."""
    rows = answer(truth, questions(len(truth)), np.random.default_rng(0))
    return rows[margins(truth, rows) > _EQUAL]


def estimates(truth: np.ndarray, sigma: float, share: float, seed: int) -> Iterator[EstimatedScale]:
    """What MLDS, NMDS and the embeddings find, each from so many answers of the same observer.

    Shapes: truth (n, d).
    sigma: Standard deviation of the noise of every perceived position, drawn anew in every
        question.
    share: Of the C(n, 3) triples: so many questions are drawn without replacement from those that
        the method may be asked. NMDS has no answers, but the distances of one noisy draw of all
        positions, and takes part where the share is 1.
    """
    n, d = truth.shape
    rng = np.random.default_rng([seed, n, d, int(1000 * sigma), int(100 * share)])

    def answered(asked: np.ndarray) -> Triplets:
        wanted = round(share * n * (n - 1) * (n - 2) / 6)
        drawn = asked[rng.permutation(len(asked))[:wanted]]
        rows = answer(truth, drawn, rng, noise="positions", level=sigma)
        return Triplets.from_array(rows, n)

    triads = answered(questions(n, of_middle=True))
    scale = MLDS().fit(triads).unconstrained_[:, None]
    for kept in (LEAST_ERROR, LEAST_LOSS):
        yield EstimatedScale("MLDS", kept, scale, contradicted(scale, triads.rows))
    for name, method in published_embeddings(d, seed).items():
        triplets = answered(questions(n))
        starts = method.fit(triplets).embeddings_
        errors = [contradicted(start, triplets.rows) for start in starts]
        # Of starts with the same error the one with the lower loss; the thesis does not say.
        by_error = int(np.lexsort((method.losses_, errors))[0])
        for kept, which in (
            (LEAST_ERROR, by_error), (LEAST_LOSS, int(np.argmin(method.losses_))),
        ):
            yield EstimatedScale(name, kept, starts[which], errors[which])
    if share == 1.0:
        seen = truth + sigma * rng.standard_normal(truth.shape)
        found = NMDS(n_components=d, seed=seed).fit_dissimilarities(distances(seen)).embedding_
        for kept in (LEAST_ERROR, LEAST_LOSS):
            yield EstimatedScale("NMDS", kept, found, np.nan)


def runs(
    truth: np.ndarray, *, sigmas: Sequence[float], shares: Sequence[float], repeats: int,
    seed: int, progress: Progress, more: Mapping[tuple[float, float], int] | None = None,
) -> Iterator[tuple[float, float, int, EstimatedScale]]:
    """Noise, share, number of the repeat and estimate of all simulated observers of a truth.

    Of `more` settings there are other numbers of repeats.
    """
    cells = [(sigma, share) for sigma in sigmas for share in shares]
    for done, (sigma, share) in enumerate(cells, 1):
        for repeat in range((more or {}).get((sigma, share), repeats)):
            for found in estimates(truth, sigma, share, seed * repeats + repeat):
                yield sigma, share, repeat, found
        if progress(done / len(cells)) and done < len(cells):
            raise Stopped


def summary(errors: pd.DataFrame, measured: Sequence[str]) -> pd.DataFrame:
    """Mean and standard deviation over repeats of what was measured in each of them.

    errors: A row for every estimate: what was measured, ``repeat``, and what else it is about.
    """
    about = [name for name in errors if name not in (*measured, "repeat")]
    groups = errors.groupby(about, sort=False)[list(measured)]
    table = groups.mean()
    for name, values in groups.std(ddof=1).items():
        table[f"{name}_sd"] = values
    table["repeats"] = groups.size()
    table = table.reset_index()
    table.insert(0, "kind", "errors")
    table["noise"] = "σ = " + table["sigma"].map("{:g}".format)
    return table


def gap(rows: pd.DataFrame, measure: str, worse: str, better: str) -> tuple[float, float, float]:
    """By how much one method is above another on average, its standard error and degrees.

    Methods have answers of their own, so that the errors are independent (Welch's test).

    rows: Of `summary`, with the settings that are averaged over.
    """
    cells = rows[rows["method"].isin([worse, better])]
    signs = np.where(cells["method"] == worse, 1.0, -1.0)
    n_settings = len(cells) / 2
    variances = cells[f"{measure}_sd"] ** 2 / cells["repeats"] / n_settings**2
    total = variances.sum()
    degrees = total**2 / (variances**2 / (cells["repeats"] - 1)).sum() if total else 1.0
    return float((signs * cells[measure]).sum() / n_settings), float(np.sqrt(total)), degrees
