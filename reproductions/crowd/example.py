"""From answers about ten objects to a map and to clusters: the example that the thesis begins with.

Ekman's colours take the place of images of food. They lie on a circle, so that it is known which
clusters make sense: those that are one arc of it.
"""

from __future__ import annotations

import numpy as np
import pandas as pd

from tripletscope.core.data.triplets import Triplets
from tripletscope.core.engine.progress import Progress, Stopped, silent
from tripletscope.core.models.embedding import TSTE
from tripletscope.core.models.simulation.simulate import random_questions
from tripletscope.core.similarity.clusters.kmeans import KMeans
from tripletscope.core.similarity.kernels.space import space_of
from tripletscope.reproductions.item import (
    DOES_NOT_HOLD,
    HOLDS,
    Item,
    Observation,
)
from tripletscope.reproductions.samples import sample

#: Objects that are drawn, and answers about them that the thesis has.
_N, _ANSWERS = 10, 136
#: Foods, and answers about them all.
_FOODS, _ASKED = 100, 190_376


def colour_answers() -> Triplets:
    return sample("ekman_colors").triplets


def _among(rows: np.ndarray, drawn: np.ndarray, n_objects: int) -> np.ndarray:
    """Answers about drawn objects alone, which are numbered anew."""
    place = np.full(n_objects, -1)
    place[drawn] = np.arange(len(drawn))
    found = place[rows]
    return found[(found >= 0).all(axis=1)]


def remaining(*, draws: int, seed: int = 0, progress: Progress = silent) -> pd.DataFrame:
    """Numbers of as many random questions as there are about foods that ten drawn ones are left."""
    rows = []
    for draw in range(draws):
        rng = np.random.default_rng([seed, draw])
        asked = random_questions(_FOODS, _ASKED, rng)
        drawn = rng.choice(_FOODS, _N, replace=False)
        rows.append({"draw": draw, "answers": len(_among(asked, drawn, _FOODS))})
        if progress((draw + 1) / draws) and draw + 1 < draws:
            raise Stopped
    return pd.DataFrame(rows)


def check_remaining(table: pd.DataFrame) -> Observation:
    """The thesis's number must be among the middle 95 % of those that are left."""
    found = table["answers"]
    low, high = np.percentile(found, [2.5, 97.5])
    return Observation(
        HOLDS if low <= _ANSWERS <= high else DOES_NOT_HOLD,
        f"{found.mean():.0f} of {_ASKED:,} answers are left on average",
        f"95 % of {len(found)} draws leave {low:.0f} to {high:.0f} answers; the thesis has "
        f"{_ANSWERS}.",
    )


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
        rows = rng.permutation(_among(triplets.rows, drawn, triplets.n_objects))
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
    arcs, predicts = float((draws["pieces"] == 2).mean()), float(draws["predicts"].mean())
    return Observation(
        HOLDS if arcs >= 0.9 and predicts > 0.8 else DOES_NOT_HOLD,
        f"both clusters are an arc of the colour circle in {arcs:.0%} of {len(draws)} draws; maps "
        f"agree with {draws['agrees'].mean():.1%} of their answers and predict {predicts:.1%} of "
        "the others",
        f"Clusters {'make' if arcs >= 0.9 else 'often do not make'} sense, and held-out answers "
        f"are {'' if predicts > 0.8 else 'not '}well predicted.",
    )


ITEMS = (
    Item(
        key="thesis-figure-1.1", title="Ten of a hundred foods, and a question",
        claim="Of many answers about a hundred objects few are left about ten of them.",
        published="136 answers of those about 100 foods",
        setting="10 of 100 images, drawn at random; questions with an anchor and two others",
        rule="Holds if 136 answers are among the middle 95 % of what 200 draws of ten objects "
        "leave of 190,376 random questions about a hundred.",
        experiment=remaining, full={"draws": 200}, check=check_remaining,
        stand_in="questions drawn at random in place of those about foods",
    ),
    Item(
        key="thesis-figure-1.2", title="From answers to a map and to clusters",
        claim="A map made of 136 answers about ten objects, and two clusters in it, make sense.",
        published="left main dishes and a salad, right desserts (a picture)",
        setting="t-STE in two dimensions, k-means with two clusters",
        rule="Holds if both clusters are an arc of the colour circle in at least nine of ten draws "
        "and maps predict more than 80 % of the answers that were held out.",
        ours="10 of 14 colours, 136 of the answers about them; 15 draws, as five seeds repeat "
        "them; the first is drawn",
        not_judged="Which foods are together: they are not to be had.",
        experiment=mapped, full={"draws": 15}, quick={"draws": 8}, check=check_mapped,
        stand_in="Ekman's colours (simulated answers after his table) in place of foods",
    ),
)
