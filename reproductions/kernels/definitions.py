"""The two kernels as they are defined, beside how they are computed; and what they mean."""

from __future__ import annotations

from collections import Counter
from functools import partial
from itertools import permutations

import numpy as np
import pandas as pd
from scipy.spatial.distance import pdist, squareform
from scipy.stats import kendalltau

from tripletscope.core.computing.progress import Progress, Stopped, silent
from tripletscope.core.data.triplets import Triplets
from tripletscope.core.kernel.triplet import K1, K2
from tripletscope.reproductions.item import (
    DOES_NOT_HOLD,
    HOLDS,
    Item,
    Observation,
)
from tripletscope.reproductions.kernels.asking import all_questions, answered

#: Numbers that differ by no more are the same but for rounding.
_ROUNDING = 1e-9
_KERNELS = {"k1": K1, "k2": K2}


def by_definition(triplets: Triplets, kernel: str) -> np.ndarray:
    """(n, n) kernel, from feature vectors that are written out entry by entry.

    Of k1, entry (i, j) with i < j of object a says which of i and j is nearer to a; of k2, entry
    (i, j) says whether i is nearer to a than to j. Answers that contradict each other give the
    difference of their numbers, divided by their sum; 0 where nobody was asked.
    """
    n, times = triplets.n_objects, Counter(map(tuple, triplets.rows.tolist()))
    features = np.zeros((n, n, n))
    for a, i, j in permutations(range(n), 3):
        if kernel == "k1":
            yes, no = times[a, i, j], times[a, j, i]
            counts = i < j
        else:
            yes, no = times[i, a, j], times[i, j, a]
            counts = True
        if counts and yes + no:
            features[a, i, j] = (yes - no) / (yes + no)
    features = features.reshape(n, -1)
    length = np.linalg.norm(features, axis=1, keepdims=True)
    features = np.divide(features, length, out=np.zeros_like(features), where=length > 0)
    return features @ features.T


def _cases(n: int, rng: np.random.Generator) -> dict[str, Triplets]:
    """Answers of the kinds that the definition tells apart."""
    apart = squareform(pdist(rng.normal(size=(n, 2))))
    every = all_questions(n)
    some = every[rng.choice(len(every), len(every) // 5, replace=False)]
    silent_anchor = every[every[:, 0] != 0]
    return {
        "all answers": answered(apart, every, 0.0, rng),
        "a fifth of them": answered(apart, some, 0.0, rng),
        "each up to three times, 30 % wrong": answered(
            apart, np.repeat(some, rng.integers(1, 4, len(some)), axis=0), 0.3, rng
        ),
        "one object is never an anchor": answered(apart, silent_anchor, 0.0, rng),
    }


def recomputed(
    *, kernel: str, n_objects: int, runs: int, seed: int = 0, progress: Progress = silent
) -> pd.DataFrame:
    """Every entry of a kernel by its definition and by the program."""
    parts = []
    for run in range(runs):
        rng = np.random.default_rng([seed, run])
        for answers, triplets in _cases(n_objects, rng).items():
            found = _KERNELS[kernel](reduce_diagonal=False).fit(triplets).kernel_
            pairs = np.triu_indices(n_objects)
            parts.append(pd.DataFrame({
                "answers": answers, "definition": by_definition(triplets, kernel)[pairs],
                "program": found[pairs],
            }).assign(difference=lambda t: (t["definition"] - t["program"]).abs()))
        if progress((run + 1) / runs) and run + 1 < runs:
            raise Stopped
    return pd.concat(parts, ignore_index=True)


def check_recomputed(table: pd.DataFrame) -> Observation:
    """Whether the program computes what is defined."""
    furthest = table["difference"].max()
    same = bool(furthest < _ROUNDING)
    return Observation(
        HOLDS if same else DOES_NOT_HOLD,
        f"largest difference {furthest:.1g} of {len(table):,} entries",
        "Every entry, written out by the definition, is the same but for rounding, also with "
        "repeated and contradicting answers and for an object without any." if same else
        "The program's kernel is another one than the definition's.",
    )


def rankings(
    *, n_objects: int, runs: int, seed: int = 0, progress: Progress = silent
) -> pd.DataFrame:
    """Kernels of all answers beside how two objects rank the others, or are ranked by them."""
    rows = []
    for run in range(runs):
        rng = np.random.default_rng([seed, run])
        apart = squareform(pdist(rng.normal(size=(n_objects, 2))))
        triplets = answered(apart, all_questions(n_objects), 0.0, rng)
        # Objects compare the others in pairs, of which two share all but those with themselves.
        shared = (n_objects - 1) / (n_objects - 3)
        for name, method in _KERNELS.items():
            found = method(reduce_diagonal=False).fit(triplets).kernel_ * shared
            agreement = _by_own_rankings if name == "k1" else _by_others
            rows += [
                (name, said := agreement(apart, a, b), found[a, b], abs(said - found[a, b]))
                for a in range(n_objects) for b in range(a)
            ]
        if progress((run + 1) / runs) and run + 1 < runs:
            raise Stopped
    return pd.DataFrame(
        rows, columns=["kernel", "agreement", "rescaled kernel", "difference"]
    )


def _by_own_rankings(apart: np.ndarray, a: int, b: int) -> float:
    """Kendall's tau of how two objects rank the others."""
    others = np.delete(np.arange(len(apart)), [a, b])
    return float(kendalltau(apart[a, others], apart[b, others]).statistic)


def _by_others(apart: np.ndarray, a: int, b: int) -> float:
    """Pairs (i, j) for which both are nearer to i than j is, or both farther, less the others."""
    others = np.delete(np.arange(len(apart)), [a, b])
    square = apart[np.ix_(others, others)]
    side_a = np.sign(square - apart[others, a][:, None])
    side_b = np.sign(square - apart[others, b][:, None])
    return float((side_a * side_b)[~np.eye(len(others), dtype=bool)].mean())


def _check_rankings(table: pd.DataFrame) -> Observation:
    off = table.groupby("kernel")["difference"].max()
    same = bool((off < _ROUNDING).all())
    return Observation(
        HOLDS if same else DOES_NOT_HOLD,
        "; ".join(f"{kernel}: largest difference {value:.1g}" for kernel, value in off.items()),
        "With all answers k1 is Kendall's tau, and k2 concordant less discordant pairs, both times "
        "(n - 3) / (n - 1), because each object also compares, or is compared with, the other."
        if same else "The kernels of all answers are not what the drawing explains.",
    )


def _far_apart(n_objects: int) -> np.ndarray:
    """(n, 2) two objects far above and below a row of others, which all are on their right."""
    row = np.column_stack([np.arange(1.0, n_objects - 1.0), np.zeros(n_objects - 2)])
    far = 10.0 * n_objects
    return np.vstack([[[0.0, far], [0.0, -far]], row])


def halfspaces(
    *, sizes: tuple[int, ...], seed: int = 0, progress: Progress = silent
) -> pd.DataFrame:
    """k1 of the two objects at the largest distance, and of the two ends of the row."""
    rows = []
    for done, n in enumerate(sizes, 1):
        apart = squareform(pdist(_far_apart(n)))
        triplets = answered(apart, all_questions(n), 0.0, np.random.default_rng(seed))
        kernel = K1(reduce_diagonal=False).fit(triplets).kernel_
        rows += [
            (n, "far above and below", apart[0, 1], kernel[0, 1]),
            (n, "ends of the row", apart[2, -1], kernel[2, -1]),
        ]
        if progress(done / len(sizes)) and done < len(sizes):
            raise Stopped
    return pd.DataFrame(rows, columns=["objects", "pair", "distance", "k1"])


def _check_halfspaces(table: pd.DataFrame) -> Observation:
    wide = table.pivot_table(index="objects", columns="pair")
    far, ends = wide["k1"]["far above and below"], wide["k1"]["ends of the row"]
    longer = wide["distance"]["far above and below"] > wide["distance"]["ends of the row"]
    holds = bool((far >= ends).all() and longer.all() and far.iloc[-1] > 0.9 and (
        ends.iloc[-1] < -0.5
    ))
    n = wide.index[-1]
    return Observation(
        HOLDS if holds else DOES_NOT_HOLD,
        f"n = {n}: k1 {far.iloc[-1]:.2f} of the two at distance "
        f"{wide['distance']['far above and below'].iloc[-1]:,.0f}, {ends.iloc[-1]:.2f} of the two "
        f"at distance {wide['distance']['ends of the row'].iloc[-1]:,.0f}",
        "k1 sees in which halfspaces objects lie together, not how far apart they are."
        if holds else "The construction does not show what the drawing explains.",
    )


def row_answers() -> Triplets:
    apart = squareform(pdist(_far_apart(12)))
    return answered(apart, all_questions(12), 0.0, np.random.default_rng(0))


def _definition_item(key: str, kernel: str, title: str, claim: str) -> Item:
    return Item(
        key=key, title=title, claim=claim,
        setting="Entries 1 and -1 by the answers, 0 where there is none, divided by the length",
        experiment=partial(recomputed, kernel=kernel), full={"n_objects": 14, "runs": 5},
        quick={"n_objects": 9, "runs": 2}, check=check_recomputed,
    )


ITEMS = (
    _definition_item(
        "kernels-equation-3", "k1", "Kernel k1",
        "Two objects are similar if they give the same answers about which of two others is "
        "nearer to them.",
    ),
    _definition_item(
        "kernels-equation-5", "k2", "Kernel k2",
        "Two objects are similar if the others rank them alike: whether they are nearer to i than "
        "j is.",
    ),
    Item(
        key="kernels-figure-1", title="What the kernels count",
        claim="With all answers k1 compares two rankings of the objects by Kendall's tau, and k2 "
        "counts on which sides of the others two objects lie.",
        setting="Two rankings of the same objects; all answers, none wrong",
        experiment=rankings, full={"n_objects": 20, "runs": 3},
        quick={"n_objects": 10, "runs": 1}, check=_check_rankings,
    ),
    Item(
        key="kernels-figure-2", title="Far apart, and yet similar",
        claim="Two objects at the largest distance have the largest similarity if no comparison "
        "separates them; two near ones with many objects between them have the smallest.",
        published="similarity of the two far ones near 1, of the two ends near -1 (the numbers "
        "are not in the text at hand)",
        setting="All answers, none wrong",
        ours="Objects in a row, two others far above and below it; the text at hand has lost the "
        "coordinates",
        experiment=halfspaces, full={"sizes": (5, 8, 12, 20, 40, 80)},
        quick={"sizes": (5, 10, 40)}, check=_check_halfspaces,
    ),
)
