"""When only answers are to be had: a forest, or an embedding of them and a classifier."""

from __future__ import annotations

import time
from collections.abc import Mapping
from itertools import product
from typing import NamedTuple

import numpy as np
import pandas as pd
from sklearn.ensemble import RandomForestClassifier
from sklearn.model_selection import StratifiedKFold, cross_val_score
from sklearn.neighbors import KNeighborsClassifier

from tripletscope.core.data.triplets import Triplets
from tripletscope.core.engine.progress import Progress, Stopped, silent
from tripletscope.core.models.embedding import GNMDS, SOE, STE, TSTE
from tripletscope.core.models.embedding.ordinal import OrdinalEmbedding
from tripletscope.core.trees import ComparisonForestClassifier
from tripletscope.core.trees.oracle import Vectors, answered_rows
from tripletscope.reproductions.data import LabelledVectors
from tripletscope.reproductions.forests.neighbours import NEIGHBOURS
from tripletscope.reproductions.forests.objects import objects
from tripletscope.reproductions.forests.paired import clearly_fewer, listed
from tripletscope.reproductions.item import DOES_NOT_HOLD, HOLDS, Item, Observation

OURS = "CompRF"
BARS = (
    OURS, "t-STE + k-NN, same answers", "t-STE + CART, same answers",
    "t-STE + k-NN, random answers", "t-STE + CART, random answers",
)
EMBEDDINGS = {"GNMDS": GNMDS, "SOE (LOE)": SOE, "STE": STE, "t-STE": TSTE}
_TIMED = "t-STE + k-NN, d = "
#: Times as long, of what is said to take orders of magnitude longer.
_ORDERS = 100


class Halves(NamedTuple):
    """Objects of which the first half is learned from, and what a forest of them asked.

    Shapes: labels (n,).
    rows (T, 3): Answers (anchor, near, far) that grew the forest and let the other half down its
        trees.
    wrong bool (n / 2,): Which of the other half the forest gets wrong.
    seconds: Of the processor.
    """

    labels: np.ndarray
    rows: np.ndarray
    wrong: np.ndarray
    seconds: float

    @property
    def n_train(self) -> int:
        return len(self.labels) // 2


def shuffled(name: str, most: int, seed: int) -> LabelledVectors:
    """An even number of objects of two classes, in random order."""
    rng = np.random.default_rng(seed)
    given = objects(name, most, rng)
    order = rng.permutation(len(given.points))[: len(given.points) // 2 * 2]
    return LabelledVectors(name, given.points[order], given.target[order])


def asked_by_a_forest(given: LabelledVectors, trees: int, seed: int) -> Halves:
    """Grow a forest as published of the first half, and predict the other half."""
    oracle, numbers = Vectors(given.points, listed=True), np.arange(len(given.points))
    train, test = np.split(numbers, 2)
    forest = ComparisonForestClassifier(
        metric=oracle, n_estimators=trees, divide_pure=True, seed=seed
    )
    begun = time.process_time()
    guess = forest.fit(train, given.target[train]).predict(test)
    seconds = time.process_time() - begun
    rows = oracle.listing()[["anchor", "near", "far"]].to_numpy()
    return Halves(given.target, rows, guess != given.target[test], seconds)


def random_answers(points: np.ndarray, n_answers: int, rng: np.random.Generator) -> np.ndarray:
    """(T, 3) answers (anchor, near, far) about random objects, three different ones each."""
    drawn = rng.integers(len(points), size=(2 * n_answers, 3))
    a, b, c = drawn.T
    drawn = drawn[(a != b) & (a != c) & (b != c)][:n_answers]
    return answered_rows(drawn, Vectors(points).ask(drawn))


def _embedded(
    kind: type[OrdinalEmbedding], rows: np.ndarray, n: int, n_components: int, seed: int
) -> np.ndarray:
    answers = Triplets.from_array(rows, n)
    return kind(n_components=n_components, n_init=1, seed=seed).fit(answers).embedding_


def _cart(trees: int, seed: int) -> RandomForestClassifier:
    return RandomForestClassifier(trees, random_state=seed)


def wrong_by_map(
    kind: type[OrdinalEmbedding], given: Halves, rows: np.ndarray, dimensions: tuple[int, ...],
    seed: int, *, cart: bool = True,
) -> list[np.ndarray]:
    """Which of the test half k-NN and CART get wrong in a map of answers.

    Dimensions and k are chosen by two folds of the training half, in maps of the answers about
    training objects alone.
    """
    half, labels = given.n_train, given.labels
    among = rows[(rows < half).all(axis=1)]
    folds = StratifiedKFold(2, shuffle=True, random_state=seed)
    # Of all equally good ones the first: the fewest dimensions, the fewest neighbours.
    near_best, cart_best = (-1.0, 0, 0), (-1.0, 0)
    for d in dimensions:
        place = _embedded(kind, among, half, d, seed)
        for k in [k for k in NEIGHBOURS if 2 * k <= half]:
            score = cross_val_score(KNeighborsClassifier(k), place, labels[:half], cv=folds).mean()
            near_best = max(near_best, (score, -d, -k))
        if cart:
            score = cross_val_score(_cart(50, seed), place, labels[:half], cv=folds).mean()
            cart_best = max(cart_best, (score, -d))
    maps: dict[int, np.ndarray] = {}
    wrong = []
    models = [(-near_best[1], KNeighborsClassifier(-near_best[2]))]
    models += [(-cart_best[1], _cart(200, seed))] if cart else []
    for d, model in models:
        if d not in maps:
            maps[d] = _embedded(kind, rows, len(labels), d, seed)
        model.fit(maps[d][:half], labels[:half])
        wrong.append(model.predict(maps[d][half:]) != labels[half:])
    return wrong


def _row(wrong: np.ndarray, reference: np.ndarray) -> dict[str, float]:
    """Error in per cent, its standard error, and who alone is wrong of the same test objects."""
    share = np.mean(wrong)
    return {
        "error": 100 * share, "spread": 100 * np.sqrt(share * (1 - share) / len(wrong)),
        "alone": np.sum(wrong & ~reference), "reference_alone": np.sum(reference & ~wrong),
    }


# Figure 4 --------------------------------------------------------------------------------------


def five_bars(
    *, data: tuple[str, ...], trees: tuple[int, ...], dimensions: tuple[int, ...], most: int,
    seed: int = 0, progress: Progress = silent,
) -> pd.DataFrame:
    """Errors of a forest, and of classifiers in maps of its answers and of as many random ones."""
    rows = []
    for done, (name, n_trees) in enumerate(product(data, trees), 1):
        given = shuffled(name, most, seed)
        asked = asked_by_a_forest(given, n_trees, seed)
        rng = np.random.default_rng([seed, n_trees])
        wrong = [asked.wrong]
        for answers in (asked.rows, random_answers(given.points, len(asked.rows), rng)):
            wrong += wrong_by_map(TSTE, asked, answers, dimensions, seed)
        rows += [
            {"data": f"{name}, n = {len(given.target)}", "trees": n_trees, "method": method,
             "answers": len(asked.rows), **_row(own, asked.wrong)}
            for method, own in zip(BARS, wrong, strict=True)
        ]
        if progress(done / len(data) / len(trees)):
            raise Stopped
    return pd.DataFrame(rows)


def check_bars(table: pd.DataFrame) -> Observation:
    """In no set of bars a map errs clearly less, and on average the forest errs least."""
    beaten, told = [], []
    for (name, trees), rows in table.groupby(["data", "trees"], sort=False):
        by = rows.set_index("method")
        maps = by.drop(OURS)
        better = clearly_fewer(dict(zip(
            maps.index, zip(maps["alone"], maps["reference_alone"], strict=True), strict=True
        )))
        beaten += [f"{method} ({name}, M = {trees})" for method in better]
        told.append(f"{name} M = {trees}: " + " / ".join(f"{by['error'][k]:.1f}" for k in BARS))
    mean = table.groupby("method", sort=False)["error"].mean()
    return Observation(
        DOES_NOT_HOLD if beaten or mean.idxmin() != OURS else HOLDS,
        f"error in %, forest / same k-NN / same CART / random k-NN / random CART: "
        f"{'; '.join(told)}",
        f"Clearly below the forest: {listed(beaten)}; mean over all sets: "
        f"{' / '.join(f'{mean[bar]:.1f}' for bar in BARS)} %.",
    )


# Supplement, figure 9 --------------------------------------------------------------------------


def four_embeddings(
    *, data: str, trees: tuple[int, ...], dimensions: tuple[int, ...], most: int, n_repeats: int,
    seed: int = 0, progress: Progress = silent,
) -> pd.DataFrame:
    """Errors of nearest neighbours in maps of a forest's answers by four methods."""
    parts: dict[tuple[int, str], list[np.ndarray]] = {}
    work = list(product(trees, range(n_repeats)))
    for done, (n_trees, repeat) in enumerate(work, 1):
        # Other objects for each number of trees, so that they can be counted together.
        own = seed + len(trees) * repeat + trees.index(n_trees)
        asked = asked_by_a_forest(shuffled(data, most, own), n_trees, own)
        for name, kind in EMBEDDINGS.items():
            parts.setdefault((n_trees, name), []).extend(
                wrong_by_map(kind, asked, asked.rows, dimensions, own, cart=False)
            )
        if progress(done / len(work)):
            raise Stopped
    wrong = {place: np.concatenate(found) for place, found in parts.items()}
    return pd.DataFrame([
        {"trees": n_trees, "embedding": name, **_row(own, wrong[n_trees, "t-STE"])}
        for (n_trees, name), own in wrong.items()
    ])


def check_embeddings(table: pd.DataFrame) -> Observation:
    """t-STE errs clearly less than each other over all trees, and clearly more at no number."""
    others = table[table["embedding"] != "t-STE"]
    total = others.groupby("embedding", sort=False)[["reference_alone", "alone"]].sum()
    behind = clearly_fewer({row.Index: (row[1], row[2]) for row in total.itertuples()})
    beaten = clearly_fewer({
        f"{row.embedding} at M = {row.trees}": (row.alone, row.reference_alone)
        for row in others.itertuples()
    })
    mean = table.groupby("embedding", sort=False)["error"].mean()
    return Observation(
        HOLDS if len(behind) == len(total) and not beaten else DOES_NOT_HOLD,
        "mean error in %: " + ", ".join(f"{name} {value:.1f}" for name, value in mean.items()),
        f"t-STE errs clearly less than: {listed(behind)}; clearly more than: {listed(beaten)}.",
    )


# Supplement, table 1 ---------------------------------------------------------------------------


def times(
    *, data: str, trees: tuple[int, ...], dimensions: tuple[int, ...], most: int, n_repeats: int,
    seed: int = 0, progress: Progress = silent,
) -> pd.DataFrame:
    """Seconds of the processor of a forest, and of t-STE and k-NN of the same answers."""
    given = shuffled(data, most, seed)
    asked_by_a_forest(given, 1, seed)  # compiles
    rows = []
    for number, n_trees in enumerate(trees):
        runs = [asked_by_a_forest(given, n_trees, seed + k) for k in range(3)]
        forest = float(np.mean([run.seconds for run in runs]))
        rows.append({"trees": n_trees, "method": OURS, "seconds": forest, "ratio": 1.0,
                     "answers": len(runs[0].rows)})
        for d in dimensions:
            taken = []
            for repeat in range(n_repeats):
                begun = time.process_time()
                place = _embedded(TSTE, runs[0].rows, len(given.target), d, seed + repeat)
                half = runs[0].n_train
                model = KNeighborsClassifier(5).fit(place[:half], given.target[:half])
                model.predict(place[half:])
                taken.append(time.process_time() - begun)
            rows.append({"trees": n_trees, "method": f"{_TIMED}{d}", "seconds": np.mean(taken),
                         "ratio": np.mean(taken) / forest, "answers": len(runs[0].rows)})
        if progress((number + 1) / len(trees)):
            raise Stopped
    table = pd.DataFrame(rows)
    keys = zip(table["method"], table["trees"], strict=True)
    return table.assign(published=[_SECONDS.get(key, np.nan) for key in keys])


#: The paper's seconds, by method and number of trees.
_SECONDS: Mapping[tuple[str, int], float] = {
    (name, trees): seconds
    for name, row in ((OURS, (1, 4, 8, 16)), (f"{_TIMED}10", (148, 236, 350, 595)),
                      (f"{_TIMED}50", (185, 654, 1214, 2398)))
    for trees, seconds in zip((1, 5, 10, 20), row, strict=True)
}


def check_times(table: pd.DataFrame) -> Observation:
    """The embedding takes a hundred times as long as the forest or more, in every cell."""
    maps = table[table["method"] != OURS]
    told = [
        f"{name} " + " / ".join(f"{value:.3g}" for value in rows["seconds"])
        for name, rows in table.groupby("method", sort=False)
    ]
    return Observation(
        HOLDS if maps["ratio"].min() >= _ORDERS else DOES_NOT_HOLD,
        f"processor seconds at M = {' / '.join(map(str, table['trees'].unique()))}: "
        f"{'; '.join(told)}",
        f"t-STE and k-NN take {maps['ratio'].min():.0f} to {maps['ratio'].max():.0f} times as long "
        "as the forest.",
    )


ITEMS = (
    Item(
        key="forests-figure-4",
        title="A forest against embeddings, from answers alone",
        also=("thesis-figure-3.13",),
        claim="With the same number of answers a forest errs no more than an embedding followed by "
        "a classifier, whichever answers the embedding is given.",
        published="The forest outperforms the embeddings, or is as good, in each set of bars",
        setting="First two classes, at most 1,000 objects, half for testing; n0 = 1, M in {1, 5, "
        "10, 20}; t-STE with d of {10, ..., 50} and k of {2, 6, 10, 14, 18} by two folds",
        ours="At most 300 objects, other ones at each seed; M in {1, 5, 20}, d of {10, 30}. (The "
        "authors' program gives the fifth bar the forest's own answers, with a dimension chosen on "
        "random ones.)",
        experiment=five_bars,
        full={"data": ("MNIST 0/1", "MNIST 4/9", "cancer", "wine 0/1"),
              "trees": (1, 5, 20), "dimensions": (10, 30), "most": 300},
        quick={"data": ("cancer", "wine 0/1"), "trees": (1, 10), "dimensions": (10,)},
        check=check_bars, needs=("mnist",),
        rule="Holds if in no set of bars, of a data set and a number of trees, one of the four "
        "maps errs clearly less than the forest on the same test objects (McNemar's exact "
        "one-sided test, 5 %, Holm over the four), and the forest's error averaged over all sets "
        "is below that of each.",
        stand_in="MNIST's 4 and 9 in place of Gisette; cancer and wine in place of UCIHAR and "
        "Isolet",
    ),
    Item(
        key="forests-supplement-figure-9",
        title="Four embeddings of a forest's answers",
        claim="Of four embeddings of the same answers, t-STE lets nearest neighbours err least.",
        published="t-STE consistently outperforms GNMDS, LOE and STE",
        setting="500 objects of Gisette, half for testing; d of {10, ..., 50}, k of {2, 6, 10, 14, "
        "18} by two folds",
        ours="300 objects, others for each M and seed, d of {10, 30}; SOE is LOE's loss on "
        "answers.",
        experiment=four_embeddings,
        full={"data": "MNIST 4/9", "trees": (1, 5, 10), "dimensions": (10, 30), "most": 300,
              "n_repeats": 1},
        quick={"data": "digits 4/9", "trees": (1, 5), "dimensions": (5,), "most": 200,
               "n_repeats": 2},
        check=check_embeddings, needs=("mnist",),
        rule="Holds if t-STE errs clearly less than each of the other three over all test objects, "
        "and clearly more than none of them at any number of trees (McNemar's exact one-sided "
        "test, 5 %, Holm).",
        stand_in="MNIST's 4 and 9 in place of Gisette, which is made of them",
    ),
    Item(
        key="forests-supplement-table-1",
        title="Running times of a forest and of t-STE",
        also=("thesis-table-3.4",),
        claim="Classifying by an embedding takes orders of magnitude longer than growing a forest.",
        published="Seconds at M = 1 / 5 / 10 / 20: forest 1 / 4 / 8 / 16; t-STE and k-NN, d = 10: "
        "148 / 236 / 350 / 595, d = 50: 185 / 654 / 1214 / 2398",
        setting="1,000 objects of Gisette, k = 5, five starts, one core",
        ours="1,000 images of MNIST's 4 and 9, one start, M of 1 and 10; processor seconds. The "
        "paper's own are 37 to 185 times as many.",
        experiment=times,
        full={"data": "MNIST 4/9", "trees": (1, 10), "dimensions": (10, 50), "most": 1000,
              "n_repeats": 1},
        quick={"data": "digits 4/9", "trees": (1, 5), "dimensions": (10,), "most": 150},
        check=check_times, needs=("mnist",),
        rule="Holds if embedding and classifying takes at least a hundred times the processor time "
        "of the forest, two orders of magnitude, at every M and in 10 and 50 dimensions.",
        stand_in="MNIST's 4 and 9 in place of Gisette, which is made of them",
    ),
)
