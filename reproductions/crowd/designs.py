"""Which questions to ask: the same ones again, those about landmarks, or always others."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import product

import numpy as np
import pandas as pd

from tripletscope.core.computing.progress import Progress, Stopped, silent
from tripletscope.core.data.triplets import Triplets
from tripletscope.core.embedding import SOE
from tripletscope.core.kernel.landmarks import choose_landmarks, landmark_questions
from tripletscope.core.simulation.simulate import answer, majority, random_questions, simulate
from tripletscope.reproductions.item import (
    DOES_NOT_HOLD,
    HOLDS,
    Item,
    Observation,
)

#: Answers on which accuracy is measured.
_HELD_OUT = 5000
#: Noises that the thesis calls moderate.
_MODERATE = (0.1, 0.2)


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


def _by_majority(rows: np.ndarray) -> np.ndarray:
    """One answer to each question, that of most; ties are left out."""
    first, second = rows[:, 1:].min(axis=1), rows[:, 1:].max(axis=1)
    votes = pd.DataFrame({
        "anchor": rows[:, 0], "first": first, "second": second,
        "lead": np.where(rows[:, 1] == first, 1, -1),
    }).groupby(["anchor", "first", "second"], as_index=False)["lead"].sum()
    votes = votes[votes["lead"] != 0]
    for_first = votes["lead"] > 0
    return np.column_stack([
        votes["anchor"], np.where(for_first, votes["first"], votes["second"]),
        np.where(for_first, votes["second"], votes["first"]),
    ])


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
    yield "random, equal ones voted", _accuracy(_by_majority(rows), positions, test, seed)


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
    """With many objects repetition must lose; with few it may gain at moderate noise.

    A gain or loss is one of more than two standard errors of the difference in the same runs.
    """
    noisy = table[table["noise"] > 0]
    repeated = noisy[noisy["strategy"] == "repeated"]
    many = repeated[repeated["objects"] == repeated["objects"].max()]
    few = repeated[repeated["objects"] == repeated["objects"].min()]
    moderate = few[few["noise"].isin(_MODERATE)]
    said = "; ".join(
        f"n = {n}, l = {often}: gain of repeating " + ", ".join(
            f"{row['gain']:+.3f} ± {row['error']:.3f} (p = {row['noise']:g})"
            for _, row in part.iterrows()
        ) for (n, often), part in repeated.groupby(["objects", "times"])
    )
    loses = bool((many["gain"] < -2 * many["error"]).mean() > 0.5 and not (
        many["gain"] > 2 * many["error"]
    ).any())
    gains = moderate[moderate["gain"] > 2 * moderate["error"]]
    if not loses:
        return Observation(DOES_NOT_HOLD, said, "With many objects repeating costs no accuracy.")
    if not len(gains):
        return Observation(
            DOES_NOT_HOLD, said,
            "With many objects repeating costs accuracy, as published; but with few objects and "
            "moderate noise it gains nothing in these runs, either.",
        )
    best = gains.loc[gains["gain"].idxmax()]
    voted = noisy[(noisy["strategy"] == "random, equal ones voted") & (
        noisy[["objects", "times", "noise"]] == best[["objects", "times", "noise"]]
    ).all(axis=1)]["gain"]
    return Observation(
        HOLDS, said,
        f"With many objects repeating costs accuracy; with few and moderate noise it gains "
        f"{best['gain']:.3f} at most (l = {best['times']}, p = {best['noise']:g}), in {len(gains)} "
        f"of {len(moderate)} settings, where random questions whose equal ones are put to a vote "
        f"gain {voted.iloc[0]:.3f}.",
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
    """Random questions must be better by two standard errors wherever maps are worth anything."""
    landmark = table[table["strategy"] == "landmark"].sort_values("landmarks")
    by_random = table[table["strategy"] == "random"].set_index("landmarks")["accuracy"]
    said = "; ".join(
        f"k = {row['landmarks']} ({row['answers']:,} answers): {row['accuracy']:.3f}, random "
        f"{by_random[row['landmarks']]:.3f}" for _, row in landmark.iterrows()
    )
    worth = landmark[landmark["landmarks"].map(by_random) > 0.7]
    if len(worth) and bool((worth["gain"] < -2 * worth["error"]).all()):
        return Observation(
            HOLDS, said, "Random questions predict better than as many about landmarks wherever "
            "they predict at all (an accuracy above .7).",
        )
    return Observation(
        DOES_NOT_HOLD, said, "Random questions are not clearly better than those about landmarks.",
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
        ours="SOE, the form of LOE for triplets; accuracy on right answers; 40 runs",
        experiment=repetition,
        full={"sizes": (20, 100), "times": (3, 5), "noises": (0.0, 0.1, 0.2, 0.3, 0.4),
              "different": 2000, "runs": 40},
        quick={"times": (5,), "noises": (0.1, 0.3), "runs": 12},
        check=check_repetition,
    ),
    Item(
        key="thesis-figure-5.2", title="Landmarks or random questions",
        claim="Random questions make better maps than as many questions about pairs of landmarks.",
        published="landmarks worse, except where either is hardly better than guessing (no "
        "numbers)",
        setting="n = 100 in the unit cube, all questions about pairs of k landmarks, LOE",
        ours="SOE, the form of LOE for triplets; a tenth of the answers flipped; 10 runs",
        experiment=landmarks,
        full={"n_objects": 100, "numbers": (2, 3, 4, 6, 8, 10, 13), "noise": 0.1, "runs": 10},
        quick={"numbers": (2, 4, 8), "runs": 3}, check=check_landmarks,
    ),
)
