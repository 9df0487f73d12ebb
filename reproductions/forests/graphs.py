"""Graphs classified by a Weisfeiler-Lehman kernel: forests that only compare, k-NN and the SVM."""

from __future__ import annotations

import numpy as np
import pandas as pd
from scipy.stats import mode
from sklearn.model_selection import KFold, StratifiedShuffleSplit
from sklearn.svm import SVC

from tripletscope.core.computing.progress import Progress, Stopped, silent
from tripletscope.core.kernel import WeisfeilerLehman
from tripletscope.core.kernel.kernel import kernel_distances
from tripletscope.core.simulation.motifs import motif_graphs
from tripletscope.core.tree import ComparisonForestClassifier
from tripletscope.reproductions import data as collections
from tripletscope.reproductions.forests.accuracy import NEIGHBOURS, beside
from tripletscope.reproductions.item import (
    DOES_NOT_HOLD,
    HOLDS,
    Item,
    Observation,
)

SVM, KNN, RANDOM_PIVOTS, OURS = "kernel SVM", "k-NN", "CompRF, random pivots", "CompRF"
#: Graphs of a known difference, which need no file.
MOTIFS = "motifs"
#: Table 3 of the paper: SVM, k-NN, forests with random and with supervised pivots.
PUBLISHED = {
    ("mutag", "subtree"): (17.77, 14.00, 14.44, 13.89),
    ("mutag", "edge"): (15.55, 12.78, 11.67, 11.11),
    ("enzymes", "subtree"): (47.16, 48.17, 39.33, 39.83),
    ("enzymes", "edge"): (53.67, 51.00, 38.50, 38.17),
    ("nci1", "subtree"): (15.96, 18.13, 17.96, 17.35),
    ("nci1", "edge"): (15.13, 18.56, 17.91, 18.05),
    ("nci109", "subtree"): (15.55, 18.74, 19.10, 18.71),
    ("nci109", "edge"): (15.38, 18.30, 19.56, 18.40),
}
#: Rounds of the authors' program for edges, and of ours for subtrees.
_ROUNDS = {"subtree": 5, "edge": 3}


def errors_of_graphs(
    *, data: tuple[tuple[str, int, int], ...], seed: int = 0, progress: Progress = silent
) -> pd.DataFrame:
    """Errors in splits 90/10; of `data` the name, the number of splits and that of trees."""
    rows = []
    total = 2 * sum(n_splits for _, n_splits, _ in data)
    done = 0
    for name, n_splits, trees in data:
        graphs = motif_graphs() if name == MOTIFS else collections.graphs(name)
        labels = np.unique([str(graph.label) for graph in graphs], return_inverse=True)[1]
        for counts, rounds in _ROUNDS.items():
            kernel = WeisfeilerLehman(counts=counts, rounds=rounds).fit(graphs).kernel_
            # Without the root: comparisons, and so forests and neighbours, are the same.
            table = kernel_distances(kernel.astype(float)) ** 2
            length = np.sqrt(kernel.diagonal())
            kernel = kernel / length[:, None] / length
            found = []
            splits = StratifiedShuffleSplit(n_splits, test_size=0.1, random_state=seed)
            for number, (train, test) in enumerate(splits.split(kernel, labels)):
                found.append(_errors(kernel, table, labels, train, test, trees, seed + number))
                done += 1
                if progress(done / total):
                    raise Stopped
            errors = pd.DataFrame(found)
            for kind, published in zip(
                (SVM, KNN, RANDOM_PIVOTS, OURS), PUBLISHED.get((name, counts), (np.nan,) * 4),
                strict=True,
            ):
                gap, gap_error = beside(errors[kind].to_numpy(), errors[SVM].to_numpy(), 0.1)
                rows.append({
                    "data": name.upper(), "counts": f"WL-{counts}", "method": kind,
                    "error": errors[kind].mean(), "spread": errors[kind].std(),
                    "more": gap, "more_error": gap_error, "published": published,
                    "pooled": errors["pooled"].mean(), "splits": n_splits,
                })
    return pd.DataFrame(rows)


def _errors(
    kernel: np.ndarray, table: np.ndarray, labels: np.ndarray, train: np.ndarray,
    test: np.ndarray, trees: int, seed: int,
) -> dict[str, float]:
    """In per cent, of the four methods, and of the forest with one pooled vote."""
    guesses = {
        SVM: _machine(kernel, labels, train, test),
        KNN: _nearest(table, labels, train, test, seed),
    }
    kinds = {RANDOM_PIVOTS: ("random", "summed"), OURS: ("supervised", "summed")}
    if labels.max() > 1:
        kinds["pooled"] = ("supervised", "pooled")
    for kind, (pivots, multiclass) in kinds.items():
        forest = ComparisonForestClassifier(
            metric="precomputed", n_estimators=trees, pivots=pivots, multiclass=multiclass,
            seed=seed,
        ).fit(table[np.ix_(train, train)], labels[train])
        guesses[kind] = forest.predict(table[np.ix_(test, train)])
    guesses.setdefault("pooled", guesses[OURS])
    return {kind: 100 * np.mean(guess != labels[test]) for kind, guess in guesses.items()}


def _machine(
    kernel: np.ndarray, labels: np.ndarray, train: np.ndarray, test: np.ndarray
) -> np.ndarray:
    """The authors' support vector machine of a normalised kernel, its penalty chosen on a ninth."""
    penalties = 10.0 ** np.arange(-1, 8, 2) / len(train)
    inner, held = np.split(train, [len(train) * 8 // 9])
    scores = [
        SVC(kernel="precomputed", C=penalty).fit(kernel[np.ix_(inner, inner)], labels[inner])
        .score(kernel[np.ix_(held, inner)], labels[held])
        for penalty in penalties
    ]
    chosen = SVC(kernel="precomputed", C=penalties[int(np.argmax(scores))])
    chosen.fit(kernel[np.ix_(train, train)], labels[train])
    return chosen.predict(kernel[np.ix_(test, train)])


def _nearest(
    table: np.ndarray, labels: np.ndarray, train: np.ndarray, test: np.ndarray, seed: int
) -> np.ndarray:
    """Nearest neighbours, as many of `NEIGHBOURS` as ten folds of the training objects choose."""
    wrong = np.zeros(len(NEIGHBOURS))
    for inner, held in KFold(10, shuffle=True, random_state=seed).split(train):
        votes = _neighbours(table, labels, train[inner], train[held])
        wrong += [np.sum(_vote(votes, k) != labels[train[held]]) for k in NEIGHBOURS]
    return _vote(_neighbours(table, labels, train, test), NEIGHBOURS[int(np.argmin(wrong))])


def _neighbours(
    table: np.ndarray, labels: np.ndarray, train: np.ndarray, test: np.ndarray
) -> np.ndarray:
    """(m, largest k) labels of the nearest objects, nearest first."""
    near = table[np.ix_(test, train)]
    most = min(NEIGHBOURS[-1], len(train))
    found = np.argpartition(near, most - 1, axis=1)[:, :most]
    order = np.argsort(np.take_along_axis(near, found, axis=1), axis=1, kind="stable")
    return labels[train][np.take_along_axis(found, order, axis=1)]


def _vote(votes: np.ndarray, k: int) -> np.ndarray:
    return mode(votes[:, :k], axis=1).mode


def check_graphs(table: pd.DataFrame) -> Observation:
    """Forests beat the SVM on MUTAG and ENZYMES, are beaten on NCI1 and NCI109, are near k-NN.

    Each by the mean over both kernels and both kinds of pivots, and nowhere by two standard errors
    the other way. On the graphs made here, only: they do not err more than k-NN by 5 points.
    """
    wrong, told, clear = [], [], 0
    for name, rows in table.groupby("data", sort=False):
        by = rows.groupby("method", sort=False)[["error", "more", "more_error"]].mean()
        forests = by.loc[[RANDOM_PIVOTS, OURS]].mean()
        told += [
            f"{name} {counts} " + " / ".join(f"{value:.1f}" for value in part["error"])
            for counts, part in rows.groupby("counts", sort=False)
        ]
        if name == MOTIFS.upper():
            wrong += [name] * bool(forests["error"] > by.loc[KNN, "error"] + 5)
            continue
        sign = 1 if name.startswith("NCI") else -1
        clear += sign * forests["more"] > 2 * forests["more_error"]
        wrong += [name] * bool(sign * forests["more"] < 0)
    many = table[(table["data"] == "ENZYMES") & (table["method"] == OURS)]
    pooled = "".join(
        f"; with one pooled vote the forest errs {row.pooled:.1f} % on {row.data} ({row.counts})"
        for row in many.itertuples()
    )
    names = list(dict.fromkeys(table["data"]))
    published = [name for name in names if name != MOTIFS.upper()]
    sides = "Forests err less than the SVM on MUTAG and ENZYMES and more on NCI, as published,"
    counted = published
    if not published:
        counted = names
        sides = "Forests of graphs that differ in a motif err no more than k-NN and five points"
    return Observation(
        DOES_NOT_HOLD if wrong else HOLDS,
        f"error in %, SVM / k-NN / random pivots / CompRF: {'; '.join(told)}",
        f"{sides} on {len(counted) - len(set(wrong) & set(counted))} of {len(counted)} data sets"
        f"{f', {clear} of them by two standard errors' if clear else ''}{pooled}.",
    )


ITEMS = (
    Item(
        key="forests-table-3",
        title="Graphs by Weisfeiler-Lehman kernels",
        also=("thesis-table-3.3",),
        claim="A forest that only asks which of two graphs is more similar to a third errs less "
        "than the kernel SVM on MUTAG and ENZYMES, and slightly more on NCI1 and NCI109.",
        published="SVM / k-NN / random pivots / CompRF, %, subtree: MUTAG 17.8 / 14.0 / 14.4 / "
        "13.9, ENZYMES 47.2 / 48.2 / 39.3 / 39.8, NCI1 16.0 / 18.1 / 18.0 / 17.4, NCI109 15.6 / "
        "18.7 / 19.1 / 18.7; edge: MUTAG 15.6 / 12.8 / 11.7 / 11.1, ENZYMES 53.7 / 51.0 / 38.5 / "
        "38.2, NCI1 15.1 / 18.6 / 17.9 / 18.1, NCI109 15.4 / 18.3 / 19.6 / 18.4",
        setting="Ten splits 90/10, n0 = 1, 200 trees; edges with h = 3; votes for each two classes "
        "summed; k of {2, 6, 10, 14, 18}",
        ours="Subtrees with h = 5, which the paper does not tell; on NCI1 and NCI109 100 trees and "
        "three splits. The quick run is on graphs made by the program, with a known difference.",
        experiment=errors_of_graphs,
        full={"data": ((MOTIFS, 10, 200), ("mutag", 10, 200), ("enzymes", 10, 200),
                       ("nci1", 3, 100), ("nci109", 3, 100))},
        quick={"data": ((MOTIFS, 5, 100),)}, check=check_graphs,
        needs=("mutag", "enzymes", "nci1", "nci109"),
    ),
)
