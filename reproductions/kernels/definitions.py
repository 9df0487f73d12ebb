"""The two kernels as they are defined, beside how they are computed; and what they mean."""

from __future__ import annotations

from collections import Counter
from functools import partial
from itertools import permutations

import numpy as np
import pandas as pd
from scipy.spatial.distance import pdist, squareform
from scipy.stats import kendalltau

from tripletscope.core.data.triplets import Triplets
from tripletscope.core.engine.progress import Progress, Stopped, silent
from tripletscope.core.similarity.kernels.triplet import K1, K2
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


def features_by_definition(triplets: Triplets, kernel: str) -> np.ndarray:
    """(n, n * n) feature vectors of length 1, written out entry by entry.

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
    return np.divide(features, length, out=np.zeros_like(features), where=length > 0)


def by_definition(triplets: Triplets, kernel: str) -> np.ndarray:
    """(n, n) kernel: products of `features_by_definition`."""
    features = features_by_definition(triplets, kernel)
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
    *, kernel: str, of: str, n_objects: int, seed: int = 0, progress: Progress = silent
) -> pd.DataFrame:
    """Every entry of a kernel, or of its feature vectors, by its definition and by the program.

    kernel: one of {"k1", "k2"}.
    of: one of {"kernel", "features"}.
    """
    parts = []
    for answers, triplets in _cases(n_objects, np.random.default_rng(seed)).items():
        method = _KERNELS[kernel](reduce_diagonal=False)
        if of == "kernel":
            cells = np.triu_indices(n_objects)
            defined, found = by_definition(triplets, kernel), method.fit(triplets).kernel_
        else:
            found, _ = method._features(triplets)
            cells = np.ones(found.shape, bool)
            defined = features_by_definition(triplets, kernel)[:, _columns(triplets, kernel)]
        parts.append(pd.DataFrame({
            "answers": answers, "definition": defined[cells], "program": found[cells],
        }).assign(difference=lambda t: (t["definition"] - t["program"]).abs()))
    progress(1.0)
    return pd.concat(parts, ignore_index=True)


def _columns(triplets: Triplets, kernel: str) -> np.ndarray:
    """Places among the n * n features of those that the program has, in its order.

    It has none of objects that are never asked about, where all are 0.
    """
    n, (anchors, *choices) = triplets.n_objects, triplets.rows.T
    others = np.unique(choices)
    if kernel == "k2":
        return (np.unique(anchors)[:, None] * n + others).ravel()
    high, low = np.tril_indices(len(others), -1)
    return others[low] * n + others[high]


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


def rankings(*, n_objects: int, seed: int = 0, progress: Progress = silent) -> pd.DataFrame:
    """Kernels of all answers beside how two objects rank the others, or are ranked by them."""
    rows, rng = [], np.random.default_rng(seed)
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
    progress(1.0)
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
    """(n, 2) two objects far above and below a row of others, which all are on their right.

    Gaps in the row grow, and one of the two is a little farther, so that no distances are equal.
    """
    place = np.arange(1.0, n_objects - 1.0)
    row = np.column_stack([place + 1e-4 * place**2, np.zeros(n_objects - 2)])
    far = 10.0 * n_objects
    return np.vstack([[[0.0, far], [0.0, -far - 1.0]], row])


def halfspaces(
    *, sizes: tuple[int, ...], seed: int = 0, progress: Progress = silent
) -> pd.DataFrame:
    """k1 of the two objects at the largest distance, and of the two ends of the row.

    ``difference`` is that from what the drawing says: pairs of others that both see alike less
    pairs that they do not, of all that one of them compares. ``farther`` is by how much the
    largest distance is larger, and ``less`` by how much k1 is less than the largest.
    """
    rows = []
    for done, n in enumerate(sizes, 1):
        apart = squareform(pdist(_far_apart(n)))
        triplets = answered(apart, all_questions(n), 0.0, np.random.default_rng(seed))
        kernel = K1(reduce_diagonal=False).fit(triplets).kernel_
        row, every, two = n - 4, (n - 1) * (n - 2) / 2, np.triu_indices(n, 1)
        for pair, (a, b), alike in (
            # Of the row, the two see all pairs alike: none is on another side.
            ("far above and below", (0, 1), (n - 2) * (n - 3) / 2),
            # The ends see all pairs of the row the other way, and only the two far ones alike.
            ("ends of the row", (2, n - 1), 2 * row + 1 - row * (row - 1) / 2),
        ):
            rows.append({
                "objects": n, "pair": pair, "distance": apart[a, b], "k1": kernel[a, b],
                "difference": abs(kernel[a, b] - alike / every),
                "farther": apart.max() - apart[a, b], "less": kernel[two].max() - kernel[a, b],
            })
        if progress(done / len(sizes)) and done < len(sizes):
            raise Stopped
    return pd.DataFrame(rows)


def _check_halfspaces(table: pd.DataFrame) -> Observation:
    far, ends = (
        table[table["pair"] == pair].sort_values("objects")
        for pair in ("far above and below", "ends of the row")
    )
    counted = float(table["difference"].max())
    holds = bool(
        counted < _ROUNDING and far[["farther", "less"]].to_numpy().max() < _ROUNDING
        and (np.diff(ends["k1"]) < 0).all() and ends["k1"].iloc[-1] < -0.8
    )
    last, other = far.iloc[-1], ends.iloc[-1]
    return Observation(
        HOLDS if holds else DOES_NOT_HOLD,
        f"n = {last['objects']}: k1 {last['k1']:.2f} of the two at distance "
        f"{last['distance']:,.0f}, {other['k1']:.2f} of the two at distance "
        f"{other['distance']:,.0f}; largest difference from what is counted {counted:.1g}",
        "k1 sees in which halfspaces objects lie together, not how far apart they are."
        if holds else "The construction does not show what the drawing explains.",
    )


def row_answers() -> Triplets:
    apart = squareform(pdist(_far_apart(12)))
    return answered(apart, all_questions(12), 0.0, np.random.default_rng(0))


def _definition_item(number: int, kernel: str, of: str, title: str, claim: str) -> Item:
    return Item(
        key=f"kernels-equation-{number}", title=title, claim=claim,
        setting="Entries 1 and -1 by the answers, 0 where there is none, divided by the length",
        ours="with all answers, a fifth, some of them contradicting, and an object that is no "
        "anchor",
        experiment=partial(recomputed, kernel=kernel, of=of),
        full={"n_objects": 14 if of == "kernel" else 7}, quick={"n_objects": 7},
        check=check_recomputed,
        rule=f"Holds if every entry of the {of}, written out by the definition, is the program's "
        "but for 1e-9, in each of four sets of answers.",
    )


ITEMS = (
    _definition_item(
        2, "k1", "features", "Features of k1",
        "An object's features say of every two others which is nearer to it, 0 if nobody was "
        "asked, and have the length 1 together.",
    ),
    _definition_item(
        3, "k1", "kernel", "Kernel k1",
        "Two objects are similar if they give the same answers about which of two others is "
        "nearer to them.",
    ),
    _definition_item(
        4, "k2", "features", "Features of k2",
        "An object's features say of every two others whether the first is nearer to it than to "
        "the second, 0 if nobody was asked, and have the length 1 together.",
    ),
    _definition_item(
        5, "k2", "kernel", "Kernel k2",
        "Two objects are similar if the others rank them alike: whether they are nearer to i than "
        "j is.",
    ),
    Item(
        key="kernels-figure-1", title="What the kernels count",
        claim="With all answers k1 compares two rankings of the objects by Kendall's tau, and k2 "
        "counts on which sides of the others two objects lie.",
        setting="Two rankings of the same objects; all answers, none wrong",
        experiment=rankings, full={"n_objects": 20}, quick={"n_objects": 10},
        check=_check_rankings,
        rule="Holds if with all answers about 20 points every entry of k1 is Kendall's "
        "tau, and every entry of k2 concordant less discordant pairs, times (n - 3) / (n - 1) as "
        "each object also compares the other, but for 1e-9.",
    ),
    Item(
        key="kernels-figure-2", title="Far apart, and yet similar",
        claim="Two objects at the largest distance are as similar as can be if no comparison "
        "separates them; two near ones with many objects between them are almost opposite.",
        published="similarity of the two far ones near 1, of the two ends near -1 (the numbers "
        "are not in the text at hand)",
        setting="All answers, none wrong",
        ours="Objects in a row, two others far above and below it; the text at hand has lost the "
        "coordinates",
        experiment=halfspaces, full={"sizes": (5, 8, 12, 20, 40, 80)},
        quick={"sizes": (5, 10, 40, 80)}, check=_check_halfspaces, exact=True,
        rule="Holds if k1 of both pairs is the number of pairs of others that they see alike less "
        "the number of those they do not, of all (but for 1e-9); the far pair is at the largest of "
        "all distances and has the largest of all k1; and k1 of the ends falls with n and is below "
        "-.8 at n = 80.",
    ),
)
