"""Average uncertainty against the dimension of the map: figures 2 (a) and 7."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import pandas as pd
from sklearn.decomposition import PCA

from tripletscope.core.data.triplets import Triplets
from tripletscope.core.engine.progress import Progress, silent
from tripletscope.core.models.embedding.ste import STE
from tripletscope.reproductions.data import vectors
from tripletscope.reproductions.item import (
    DOES_NOT_HOLD,
    HOLDS,
    Item,
    Observation,
)
from tripletscope.reproductions.uncertainty.published import (
    BOOTSTRAP,
    SHORT_CHAIN,
    StepReports,
    published_bootstrap,
    share_of_answers,
    short_chain,
    spread_of,
)

#: Objects, share of all comparisons that is answered, noise of the answers.
_N_OBJECTS, _SHARE, _NOISE = 50, 0.2, 0.1
AVERAGE, LOSS = "average uncertainty", "STE loss per answer"


def digits_in(data: str, dimensions: int, seed: int) -> np.ndarray:
    """(50, d) sixes and eights on so many principal components.

    data: one of {"mnist", "digits"}.
    """
    points = vectors(data).of_classes((6, 8)).points.astype(float)
    projected = PCA(dimensions, random_state=seed).fit_transform(points)
    return projected[np.random.default_rng(seed).permutation(len(points))[:_N_OBJECTS]]


def by_dimension(
    *,
    data: str,
    true: Sequence[int],
    most: int,
    repeats: int,
    seed: int = 0,
    progress: Progress = silent,
) -> pd.DataFrame:
    """Average uncertainty and loss of maps of one dimension, two, and so on.

    data: one of {"mnist", "digits"}.
    true: Numbers of principal components that distances are of.
    most: Dimensions of the largest map.
    repeats: With objects and answers of their own: which fifty are drawn matters.
    """
    steps = StepReports(progress, len(true) * most * repeats)
    rows = []
    for d_true in true:
        found: dict[tuple[str, str], list[list[float]]] = {}
        for repeat in range(repeats):
            points = digits_in(data, d_true, seed + repeat)
            answers = share_of_answers(points, _SHARE, _NOISE, seed + repeat)
            curves: dict[tuple[str, str], list[float]] = {}
            for d in range(1, most + 1):
                for key, value in _of_dimension(answers, d, seed + repeat).items():
                    curves.setdefault(key, []).append(value)
                steps.next()
            for key, values in curves.items():
                found.setdefault(key, []).append(values)
        for (quantity, curve), runs in found.items():
            least = np.argmin(runs, axis=1) + 1
            rows += [
                {"panel": f"d = {d_true}", "quantity": quantity, "curve": curve, "true": d_true,
                 "x": d, "y": np.mean(values), "spread": spread_of(values), "repeats": repeats,
                 "least": int(np.sum(least == d))}
                for d, values in enumerate(np.transpose(runs), 1)
            ]
    return pd.DataFrame(rows)


def _of_dimension(answers: Triplets, d: int, seed: int) -> dict[tuple[str, str], float]:
    method = STE(n_components=d)
    return {
        (AVERAGE, f"STE, {BOOTSTRAP}"):
            published_bootstrap(method, answers, seed).average_uncertainty,
        (AVERAGE, f"STE, {SHORT_CHAIN}"):
            short_chain(method, answers, seed).average_uncertainty,
        (LOSS, "STE, map"): method.fit(answers).loss_ / len(answers),
    }


def _in_words(chain: pd.Series, d_true: int) -> str:
    """How a curve goes on beyond the true dimension."""
    before, at = chain.loc[d_true - 1], chain.loc[d_true]
    return f"{before:.3f} before, {at:.3f} at and {chain.iloc[-1]:.3f} at {chain.index[-1]:g}"


def verdict_of_dimensions(table: pd.DataFrame) -> Observation:
    """The bootstrap is least at the true dimension, up to two standard errors; the loss falls."""
    told, missed, rising = [], [], []
    for d_true, own in table.groupby("true"):
        curve = own[own["curve"] == f"STE, {BOOTSTRAP}"].set_index("x")
        least = int(curve["y"].idxmin())
        gap = curve.loc[d_true, "y"] - curve.loc[least, "y"]
        doubt = np.hypot(curve.loc[d_true, "spread"], curve.loc[least, "spread"])
        if gap > 2.0 * doubt / np.sqrt(curve["repeats"].iloc[0]):
            missed.append(f"{d_true:g}")
        loss = own[own["quantity"] == LOSS].sort_values("x")["y"].to_numpy()
        if (np.diff(loss) > 0).any():
            rising.append(f"{d_true:g}")
        chain = own[own["curve"] == f"STE, {SHORT_CHAIN}"].set_index("x")["y"]
        told.append(
            f"d = {d_true:g}: bootstrap least at {least} ({curve.loc[least, 'y']:.3f}; at "
            f"{d_true:g} {curve.loc[d_true, 'y']:.3f}; there in {curve.loc[d_true, 'least']:g} of "
            f"{curve['repeats'].iloc[0]:g} draws), Bayesian {_in_words(chain, d_true)}"
        )
    ours = "; ".join(told)
    if missed or rising:
        why = (
            f"The least uncertainty of the bootstrap is elsewhere for {', '.join(missed)} "
            "dimensions, by more than two standard errors." if missed else
            f"The loss does not fall throughout for {', '.join(rising)} dimensions."
        )
        return Observation(DOES_NOT_HOLD, ours, why)
    return Observation(
        HOLDS, ours, "The bootstrap's average uncertainty is least at the true dimension, or not "
        "above its least by more than two standard errors, while the loss falls on.",
    )


def _check_figure_7(table: pd.DataFrame) -> Observation:
    """The bootstrap is least at the true dimension itself, and the loss falls."""
    found = verdict_of_dimensions(table)
    curves = table[table["curve"] == f"STE, {BOOTSTRAP}"]
    least = curves.loc[curves.groupby("true")["y"].idxmin()].set_index("true")["x"]
    missed = [f"{true:g}" for true, x in least.items() if x != true]
    if found.shows == HOLDS and missed:
        return Observation(
            DOES_NOT_HOLD, found.ours, "The least uncertainty of the bootstrap is elsewhere for "
            f"{' and '.join(missed)} dimensions, if not clearly.",
        )
    if found.shows == HOLDS:
        return Observation(HOLDS, found.ours, "The bootstrap's average uncertainty is least at the "
                           "true dimension, while the loss falls on.")
    return found


def digit_answers() -> Triplets:
    return share_of_answers(digits_in("digits", 4, 0), _SHARE, _NOISE, 0)


ITEMS = (
    Item(
        key="uncertainty-figure-7",
        title="Uncertainty against the dimension of the map",
        claim="The bootstrap's average uncertainty is least for a map of the true dimension, while "
        "the loss falls with every further dimension.",
        published="Least at d = 2, 4 and 5 for data of 2, 4 and 5 dimensions",
        setting="MNIST 6 and 8 on 2, 4 or 5 principal components, n = 50, 20 % of all comparisons, "
        "noise .1; bootstrap of 20 times 40 %, one chain of 500 draws; 5 repetitions",
        ours="other objects in every repetition, as it matters which fifty are drawn",
        stand_in="MNIST's 1,932 test images of six and eight in place of its 11,769 for training",
        experiment=by_dimension,
        full={"data": "mnist", "true": (2, 4, 5), "most": 8, "repeats": 5},
        quick={"data": "digits", "true": (2,), "most": 4, "repeats": 2},
        check=_check_figure_7, needs=("mnist",),
        rule="Holds if the bootstrap's average uncertainty, in the mean of five repetitions, is "
        "least at 2, 4 and 5 dimensions for data of 2, 4 and 5, and the mean loss falls with every "
        "further dimension.",
    ),
)
