"""From answers about ten objects to a map and to clusters: the example that the thesis begins with.

Ekman's colours take the place of images of food. They lie on a circle, so that it is known which
clusters make sense: those that are one arc of it.
"""

from __future__ import annotations

import numpy as np
import pandas as pd

from tripletscope.core.cluster.kmeans import KMeans
from tripletscope.core.computing.progress import Progress, Stopped, silent
from tripletscope.core.data.triplets import Triplets
from tripletscope.core.embedding import TSTE
from tripletscope.core.kernel.space import space_of
from tripletscope.reproductions.item import (
    DOES_NOT_HOLD,
    HOLDS,
    Item,
    Observation,
)
from tripletscope.reproductions.samples import sample

#: Objects that are drawn, and answers about them that the thesis has.
_N, _ANSWERS = 10, 136


def colour_answers() -> Triplets:
    return sample("ekman_colors").triplets


def _among(triplets: Triplets, drawn: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Positions of the answers about drawn objects alone, and their rows by number among these."""
    place = np.full(triplets.n_objects, -1)
    place[drawn] = np.arange(len(drawn))
    rows = place[triplets.rows]
    kept = np.flatnonzero((rows >= 0).all(axis=1))
    return kept, rows[kept]


def remaining(*, draws: int, seed: int = 0, progress: Progress = silent) -> pd.DataFrame:
    """Numbers of answers that are about ten drawn objects alone."""
    triplets = colour_answers()
    rows = []
    for draw in range(draws):
        rng = np.random.default_rng([seed, draw])
        drawn = rng.choice(triplets.n_objects, _N, replace=False)
        rows.append({"draw": draw, "answers": len(_among(triplets, drawn)[0])})
        if progress((draw + 1) / draws) and draw + 1 < draws:
            raise Stopped
    n = triplets.n_objects
    return pd.DataFrame(rows).assign(
        expected=len(triplets) * _N * (_N - 1) * (_N - 2) / (n * (n - 1) * (n - 2))
    )


def check_remaining(table: pd.DataFrame) -> Observation:
    """The mean number must be the expected one, within three standard errors."""
    found, expected = table["answers"], table["expected"].iloc[0]
    foods = 190_376 * 10 * 9 * 8 / (100 * 99 * 98)
    error = found.std(ddof=1) / np.sqrt(len(found))
    said = (
        f"{found.mean():.0f} ± {error:.0f} of 800 answers (expected {expected:.0f}); of the "
        f"190,376 about foods {foods:.0f} are to be expected"
    )
    if abs(found.mean() - expected) < 3 * error:
        return Observation(HOLDS, said, "So many answers are left as the number of triples among "
                           "ten objects lets one expect.")
    return Observation(DOES_NOT_HOLD, said, "Another number of answers is left than triples among "
                       "ten objects let one expect.")


def _arcs(labels: np.ndarray) -> int:
    """Number of pieces that clusters make on a circle in whose order the objects are."""
    return int(np.sum(labels != np.roll(labels, 1)))


def mapped(*, draws: int, seed: int = 0, progress: Progress = silent) -> pd.DataFrame:
    """Maps by t-STE and two clusters by k-means, from 136 answers about ten drawn colours."""
    triplets = colour_answers()
    names = triplets.objects["label"].to_numpy()
    parts = []
    for draw in range(draws):
        rng = np.random.default_rng([seed, draw])
        drawn = np.sort(rng.choice(triplets.n_objects, _N, replace=False))
        rows = rng.permutation(_among(triplets, drawn)[1])
        learned, held_out = (
            Triplets.from_array(part, _N) for part in (rows[:_ANSWERS], rows[_ANSWERS:])
        )
        fitted = TSTE(n_components=2, seed=seed).fit(learned)
        clusters = KMeans(n_clusters=2, seed=seed).fit_space(space_of(fitted)).labels_
        parts.append(pd.DataFrame({
            "draw": draw, "colour": names[drawn], "x": fitted.embedding_[:, 0],
            "y": fitted.embedding_[:, 1], "cluster": clusters + 1, "pieces": _arcs(clusters),
            "agrees": fitted.score(learned), "predicts": fitted.score(held_out),
        }))
        if progress((draw + 1) / draws) and draw + 1 < draws:
            raise Stopped
    return pd.concat(parts, ignore_index=True)


def check_mapped(table: pd.DataFrame) -> Observation:
    """Nine of ten draws must have clusters that are arcs; two at random are so in a fifth."""
    draws = table.groupby("draw").first()
    arcs = float((draws["pieces"] == 2).mean())
    said = (
        f"both clusters are an arc of the colour circle in {arcs:.0%} of {len(draws)} draws; maps "
        f"agree with {draws['agrees'].mean():.1%} of their answers and predict "
        f"{draws['predicts'].mean():.1%} of the others"
    )
    if arcs >= 0.9 and draws["predicts"].mean() > 0.8:
        return Observation(HOLDS, said, "A hundred odd answers are enough for a map of ten objects "
                           "whose clusters make sense.")
    return Observation(DOES_NOT_HOLD, said, "Clusters often put together what lies apart on the "
                       "colour circle.")


_STAND_IN = "Ekman's colours (simulated answers after his table) in place of foods"

ITEMS = (
    Item(
        key="thesis-figure-1.1", title="Ten of a hundred foods, and a question",
        claim="Of many answers about a hundred objects few are left about ten of them.",
        published="136 answers of those about 100 foods",
        setting="10 of 100 images, drawn at random; questions with an anchor and two others",
        ours="10 of 14 colours",
        experiment=remaining, full={"draws": 200}, quick={"draws": 30}, check=check_remaining,
        stand_in=_STAND_IN,
    ),
    Item(
        key="thesis-figure-1.2", title="From answers to a map and to clusters",
        claim="A map made of 136 answers about ten objects, and two clusters in it, make sense.",
        published="left main dishes and a salad, right desserts (a picture)",
        setting="t-STE in two dimensions, k-means with two clusters",
        ours="10 of 14 colours, 136 of the answers about them; 50 draws, the first is drawn",
        experiment=mapped, full={"draws": 50}, quick={"draws": 8}, check=check_mapped,
        stand_in=_STAND_IN,
    ),
)
