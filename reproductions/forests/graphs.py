"""Graphs classified by a Weisfeiler-Lehman kernel: forests that only compare, k-NN and the SVM."""

from __future__ import annotations

import numpy as np
import pandas as pd
from sklearn.model_selection import StratifiedShuffleSplit
from sklearn.svm import SVC

from tripletscope.core.engine.progress import Progress, Stopped, silent
from tripletscope.core.similarity.kernels.kernel import kernel_distances
from tripletscope.core.trees import ComparisonForestClassifier
from tripletscope.reproductions import data as collections
from tripletscope.reproductions.forests.motifs import motif_graphs
from tripletscope.reproductions.forests.neighbours import nearest
from tripletscope.reproductions.forests.paired import clearly_below, in_splits, listed, splits_of
from tripletscope.reproductions.forests.weisfeiler_lehman import weisfeiler_lehman
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
#: Share of the graphs that is held out of each split.
_HELD_OUT = 0.1


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
            kernel = weisfeiler_lehman(graphs, counts, rounds)
            # Without the root: comparisons, and so forests and neighbours, are the same.
            table = kernel_distances(kernel) ** 2
            length = np.sqrt(kernel.diagonal())
            kernel = kernel / length[:, None] / length
            found = []
            splits = StratifiedShuffleSplit(n_splits, test_size=_HELD_OUT, random_state=seed)
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
                rows.append({
                    "data": name.upper(), "counts": f"WL-{counts}", "method": kind,
                    "published": published, **in_splits(errors[kind].to_list()),
                })
    return pd.DataFrame(rows)


def _errors(
    kernel: np.ndarray, table: np.ndarray, labels: np.ndarray, train: np.ndarray,
    test: np.ndarray, trees: int, seed: int,
) -> dict[str, float]:
    """In per cent, of the four methods."""
    guesses = {
        SVM: _machine(kernel, labels, train, test),
        KNN: nearest(table, labels, train, test, seed),
    }
    for kind, pivots in ((RANDOM_PIVOTS, "random"), (OURS, "supervised")):
        forest = ComparisonForestClassifier(
            metric="precomputed", n_estimators=trees, pivots=pivots, multiclass="summed", seed=seed
        ).fit(table[np.ix_(train, train)], labels[train])
        guesses[kind] = forest.predict(table[np.ix_(test, train)])
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


def check_graphs(table: pd.DataFrame) -> Observation:
    """Forests err less than the SVM on small sets and more on NCI, with both kernels and pivots.

    On graphs made here, which the paper has not, less than k-NN.
    """
    against, gaps, told = [], {}, []
    for name, rows in table.groupby("data", sort=False):
        rival, sign = KNN if name == MOTIFS.upper() else SVM, -1 if name.startswith("NCI") else 1
        for counts, part in rows.groupby("counts", sort=False):
            by = part.set_index("method")
            error = by["error"]
            told.append(f"{name} {counts} " + " / ".join(f"{value:.1f}" for value in error))
            against += [
                f"{kind} ({name}, {counts})" for kind in (RANDOM_PIVOTS, OURS)
                if sign * (error[kind] - error[rival]) >= 0
            ]
            both = np.mean([splits_of(by.loc[kind]) for kind in (RANDOM_PIVOTS, OURS)], axis=0)
            gaps.setdefault(name, []).append(sign * (both - splits_of(by.loc[rival])))
    clear = clearly_below(
        {name: np.mean(own, axis=0) for name, own in gaps.items()}, _HELD_OUT / (1 - _HELD_OUT)
    )
    return Observation(
        DOES_NOT_HOLD if against else HOLDS,
        f"error in %, SVM / k-NN / random pivots / CompRF: {'; '.join(told)}",
        f"On the other side of the SVM than said: {listed(against)}; by t tests over the splits of "
        f"a run clear on: {listed(clear)}.",
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
        ours="Subtrees with h = 5, which the paper does not tell; 100 trees, as in the authors' "
        "program; 30 splits of MUTAG, of whose graphs ten splits test few, and three of NCI1 and "
        "NCI109. In short, graphs made here, on which forests shall err less than k-NN.",
        experiment=errors_of_graphs,
        full={"data": (("mutag", 30, 100), ("enzymes", 10, 100), ("nci1", 3, 100),
                       ("nci109", 3, 100))},
        quick={"data": ((MOTIFS, 10, 100),)}, check=check_graphs,
        rule="Holds if forests with both kinds of pivots and on both kernels have a lower mean "
        "error than the SVM on MUTAG and ENZYMES, and a higher one on NCI1 and NCI109.",
        not_judged="Whether a difference is clear within a run, which a tenth of MUTAG's 188 "
        "graphs cannot tell: the five seeds must agree, but they only split the same graphs anew "
        "and tell nothing of other graphs; how much is slightly.",
        needs=("mutag", "enzymes", "nci1", "nci109"),
    ),
)
