"""Which questions to ask: the same ones again, those about landmarks, or always others."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import product

import numpy as np
import pandas as pd

from tripletscope.core.data.landmarks import choose_landmarks, landmark_questions
from tripletscope.core.data.triplets import Triplets
from tripletscope.core.engine.progress import Progress, Stopped, silent
from tripletscope.core.models.embedding import SOE
from tripletscope.core.models.simulation.simulate import (
    answer,
    majority,
    random_questions,
    simulate,
)
from tripletscope.reproductions.item import DOES_NOT_HOLD, HOLDS, Item, Observation
from tripletscope.reproductions.significance import clear, p_above

#: Answers on which accuracy is measured.
_HELD_OUT = 5000
#: Noises that the thesis calls moderate.
_MODERATE = (0.1, 0.2)
#: An accuracy up to which questions are hardly better than guessing.
_GUESSING = 0.6


def _asked(
    positions: np.ndarray, questions: np.ndarray, noise: float, rng: np.random.Generator
) -> np.ndarray:
    return answer(positions, questions, rng, noise="flip", level=noise)


def _accuracy(rows: np.ndarray, positions: np.ndarray, test: np.ndarray, seed: int) -> float:
    """Share of noiseless answers that a map of three dimensions by SOE predicts."""
    triplets = Triplets.from_array(rows, len(positions))
    return SOE(n_components=3, n_init=1, seed=seed).fit(triplets).score(
        Triplets.from_array(test, len(positions))
    )


def _truth(n: int, rng: np.random.Generator) -> tuple[np.ndarray, np.ndarray]:
    """Objects in the unit cube, and right answers that are held out."""
    positions = rng.random((n, 3))
    return positions, answer(positions, random_questions(n, _HELD_OUT, rng), rng)


def _repeated_or_not(
    n: int, different: int, times: int, noise: float, seed: int
) -> Iterator[tuple[str, float]]:
    """Accuracies of strategies that all ask the same number of questions."""
    rng = np.random.default_rng(seed)
    positions, test = _truth(n, rng)
    questions = np.repeat(random_questions(n, different, rng), times, axis=0)
    voted = majority(_asked(positions, questions, noise, rng), times)
    yield "repeated", _accuracy(voted, positions, test, seed)
    rows = _asked(positions, random_questions(n, different * times, rng), noise, rng)
    yield "random", _accuracy(rows, positions, test, seed)


def _summed_up(rows: list[dict], by: list[str]) -> pd.DataFrame:
    """Means over runs, with standard deviations, and the gain over the other strategy."""
    return pd.DataFrame(rows).groupby(by, sort=False).agg(
        accuracy=("accuracy", "mean"), spread=("accuracy", lambda a: a.std(ddof=1)),
        gain=("gain", "mean"), error=("gain", lambda g: g.std(ddof=1) / np.sqrt(len(g))),
        runs=("accuracy", "size"),
    ).reset_index()


def repetition(
    *, sizes: tuple[int, ...], times: tuple[int, ...], noises: tuple[float, ...], different: int,
    runs: int, seed: int = 0, progress: Progress = silent,
) -> pd.DataFrame:
    """Accuracy of maps from repeated questions and from as many different ones."""
    rows: list[dict] = []
    work = list(product(sizes, times, noises, range(runs)))
    for done, (n, often, p, run) in enumerate(work, 1):
        own = int(np.random.default_rng([seed, n, often, run]).integers(2**31))
        found = dict(_repeated_or_not(n, different, often, p, own))
        rows += [
            {"objects": n, "times": often, "noise": p, "strategy": strategy, "accuracy": accuracy,
             "gain": accuracy - found["random"]}
            for strategy, accuracy in found.items()
        ]
        if progress(done / len(work)) and done < len(work):
            raise Stopped
    table = _summed_up(rows, ["objects", "times", "noise", "strategy"])
    return table.assign(
        panel="n = " + table["objects"].astype(str) + ", l = " + table["times"].astype(str)
    )


def check_repetition(table: pd.DataFrame) -> Observation:
    """With many objects repetition must always lose; with few at loud noise, and gain once before.

    A gain or loss is a paired t test over the runs.
    """
    repeated = table[table["strategy"] == "repeated"].set_index(["objects", "times", "noise"])
    n, _, p = (repeated.index.get_level_values(level) for level in range(3))
    may_gain = (n == n.min()) & p.isin(_MODERATE)
    must_lose = (n == n.max()) | (p > max(_MODERATE))
    gains, loses = (
        clear({
            place: p_above(sign * row["gain"], row["error"], row["runs"] - 1)
            for place, row in repeated[judged].iterrows()
        }) for sign, judged in ((1, may_gain), (-1, must_lose))
    )
    said = "; ".join(
        f"n = {n}, l = {often}: gain of repeating " + ", ".join(
            f"{row['gain']:+.3f} ± {row['error']:.3f} (p = {row['noise']:g})"
            for _, row in part.iterrows()
        ) for (n, often), part in repeated.reset_index().groupby(["objects", "times"])
    )
    wrong = [
        f"it costs nothing at n = {n}, l = {often}, p = {p:g}"
        for n, often, p in repeated.index[must_lose] if (n, often, p) not in loses
    ]
    if not gains:
        wrong.append("with few objects and moderate noise it gains nothing")
    return Observation(
        DOES_NOT_HOLD if wrong else HOLDS, said,
        f"Of repeating: {'; '.join(wrong)}." if wrong else "Repeating costs accuracy except with "
        "few objects and moderate noise, where it gains.",
    )


def landmarks(
    *, n_objects: int, numbers: tuple[int, ...], noise: float, runs: int, seed: int = 0,
    progress: Progress = silent,
) -> pd.DataFrame:
    """Accuracy of maps from all questions about pairs of landmarks and from as many random ones."""
    rows: list[dict] = []
    work = [(k, run) for k in numbers for run in range(runs)]
    for done, (k, run) in enumerate(work, 1):
        own = int(np.random.default_rng([seed, k, run]).integers(2**31))
        rng = np.random.default_rng(own)
        positions, test = _truth(n_objects, rng)
        drawn = {
            "landmark": landmark_questions(
                n_objects, choose_landmarks(n_objects, k, rng), "k1"
            )
        }
        drawn["random"] = random_questions(n_objects, len(drawn["landmark"]), rng)
        found = {
            strategy: _accuracy(_asked(positions, questions, noise, rng), positions, test, own)
            for strategy, questions in drawn.items()
        }
        rows += [
            {"landmarks": k, "answers": len(drawn["random"]), "strategy": strategy,
             "accuracy": accuracy, "gain": accuracy - found["random"]}
            for strategy, accuracy in found.items()
        ]
        if progress(done / len(work)) and done < len(work):
            raise Stopped
    return _summed_up(rows, ["landmarks", "answers", "strategy"])


def check_landmarks(table: pd.DataFrame) -> Observation:
    """Random questions must be clearly better wherever they are better than hardly guessing."""
    landmark = table[table["strategy"] == "landmark"].set_index("landmarks").sort_index()
    others = table[table["strategy"] == "random"].set_index("landmarks").sort_index()
    by_random = others["accuracy"]
    worth = landmark.loc[sorted(clear({
        k: p_above(row["accuracy"] - _GUESSING, row["spread"] / np.sqrt(row["runs"]),
                   row["runs"] - 1) for k, row in others.iterrows()
    }))]
    worse = clear({
        k: p_above(-row["gain"], row["error"], row["runs"] - 1) for k, row in worth.iterrows()
    })
    alike = [str(k) for k in worth.index if k not in worse]
    return Observation(
        HOLDS if len(worth) and not alike else DOES_NOT_HOLD,
        "; ".join(
            f"k = {k} ({row['answers']:,} answers): {row['accuracy']:.3f}, random "
            f"{by_random[k]:.3f}" for k, row in landmark.iterrows()
        ),
        f"Random questions are clearly better at {len(worse)} of {len(worth)} numbers of landmarks"
        f"{'; not at ' * bool(alike)}{', '.join(alike)}.",
    )


def few_objects() -> Triplets:
    """Answers to 6,000 random questions about 20 objects in a cube, a tenth of them wrong."""
    truth = np.random.default_rng(0).random((20, 3))
    return simulate(truth, 6000, noise="flip", level=0.1, seed=0)


ITEMS = (
    Item(
        key="thesis-figure-5.1", title="Asking again or asking others",
        claim="As many different questions make better maps than fewer ones that are repeated; "
        "only with few objects and moderate noise may repeating help a little.",
        published="n = 20: slight gain at p = 0.1 or 0.2, loss above; n = 100: loss (no numbers)",
        setting="n = 20 and 100 in the unit cube, 2,000 questions l = 3 or 5 times, answers "
        "flipped with probability p, LOE in three dimensions",
        rule="Holds if repeating costs accuracy with 100 objects at every p of 0, .1, .2, .3 and "
        ".4, and with 20 at .3 and .4, for l = 3 and for l = 5, and gains some with 20 objects at "
        "p = .1 or .2 for one l (paired t tests over the runs, 5 %, Holm for either).",
        ours="SOE, the form of LOE for triplets; accuracy on right answers; 60 runs, as 20 do not "
        "tell so slight a gain",
        not_judged="20 objects at p = 0, of which the thesis says nothing.",
        experiment=repetition,
        full={"sizes": (20, 100), "times": (3, 5), "noises": (0.0, 0.1, 0.2, 0.3, 0.4),
              "different": 2000, "runs": 60},
        quick={"times": (5,), "noises": (0.1, 0.3), "runs": 20},
        check=check_repetition,
    ),
    Item(
        key="thesis-figure-5.2", title="Landmarks or random questions",
        claim="Random questions make better maps than as many questions about pairs of landmarks.",
        published="landmarks worse, except where either is hardly better than guessing (no "
        "numbers)",
        setting="n = 100 in the unit cube, all questions about pairs of k landmarks, LOE",
        rule="Holds if as many random questions predict clearly better (paired t test over the "
        "runs, 5 %, Holm) at every number of landmarks from 2 to 13 where they are right clearly "
        "more often than .6 (t test); what is not is hardly better than guessing.",
        ours="SOE, the form of LOE for triplets; a tenth of the answers flipped; 40 runs",
        experiment=landmarks,
        full={"n_objects": 100, "numbers": (2, 3, 4, 6, 8, 10, 13), "noise": 0.1, "runs": 40},
        quick={"numbers": (2, 4, 8), "runs": 10}, check=check_landmarks,
    ),
)
