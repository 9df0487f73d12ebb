"""Graphs classified by comparisons: the forest paper's table of Weisfeiler-Lehman kernels.

    python benchmarks/graphs.py --data FOLDER

FOLDER holds graphs/mutag.jsonl.gz and graphs/enzymes.jsonl.gz. As in the paper: error in per cent,
mean over ten random splits 90/10, forests of 200 trees with leaves of one graph; support vector
machine and nearest neighbours choose their setting on the training graphs.
"""

from __future__ import annotations

import argparse
from collections.abc import Iterator
from pathlib import Path

import numpy as np
from report import machine, print_table
from sklearn.model_selection import GridSearchCV, StratifiedShuffleSplit
from sklearn.neighbors import KNeighborsClassifier
from sklearn.svm import SVC

from tripletscope.core.computing.parallel import single_blas_thread
from tripletscope.core.kernel import WeisfeilerLehman
from tripletscope.core.kernel.graphs import read_graphs
from tripletscope.core.kernel.kernel import kernel_distances
from tripletscope.core.tree import ComparisonForestClassifier

#: Haghiri, Garreau & von Luxburg (2018), table 3: SVM, nearest neighbours, CompRF with random and
#: with supervised pivots.
PAPER = {
    ("mutag", "subtree"): (17.8, 14.0, 14.4, 13.9), ("mutag", "edge"): (15.6, 12.8, 11.7, 11.1),
    ("enzymes", "subtree"): (47.2, 48.2, 39.3, 39.8), ("enzymes", "edge"): (53.7, 51.0, 38.5, 38.2),
}


def errors(kernel: np.ndarray, labels: np.ndarray) -> np.ndarray:
    """(10, 4) errors of the four classifiers in ten splits."""
    distances = kernel_distances(kernel)
    kernel = kernel / np.mean(kernel.diagonal())  # so that one range of penalties fits
    found = []
    splits = StratifiedShuffleSplit(10, test_size=0.1, random_state=0)
    for number, (train, test) in enumerate(splits.split(kernel, labels)):
        inside, across = np.ix_(train, train), np.ix_(test, train)
        svm = GridSearchCV(SVC(kernel="precomputed"), {"C": 10.0 ** np.arange(-2, 5)}, cv=5)
        near = GridSearchCV(
            KNeighborsClassifier(metric="precomputed"), {"n_neighbors": [1, 3, 5, 7, 11]}, cv=5
        )
        row = [
            1 - svm.fit(kernel[inside], labels[train]).score(kernel[across], labels[test]),
            1 - near.fit(distances[inside], labels[train]).score(distances[across], labels[test]),
        ]
        for pivots in ("random", "supervised"):
            forest = ComparisonForestClassifier(
                metric="precomputed", n_estimators=200, leaf_size=1, pivots=pivots, seed=number
            )
            forest.fit(distances[inside], labels[train])
            row.append(1 - forest.score(distances[across], labels[test]))
        found.append(row)
    return np.array(found)


def rows(folder: Path) -> Iterator[tuple[str, ...]]:
    """A row for each data set and kernel."""
    for (name, counts), paper in PAPER.items():
        graphs = read_graphs(folder / "graphs" / f"{name}.jsonl.gz")
        labels = np.unique([str(graph.label) for graph in graphs], return_inverse=True)[1]
        kernel = WeisfeilerLehman(counts=counts).fit(graphs).kernel_.astype(float)
        found = 100 * errors(kernel, labels)
        mean, spread = found.mean(axis=0), found.std(axis=0, ddof=1) / np.sqrt(len(found))
        yield (
            name, counts,
            *(f"{m:.1f} ± {s:.1f} ({p})" for m, s, p in zip(mean, spread, paper, strict=True)),
        )


def main() -> None:
    """Print the table."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--data", type=Path, metavar="FOLDER", required=True)
    options = parser.parse_args()
    print(machine())
    header = ("data", "WL counts", "kernel SVM", "k-NN", "CompRF, random pivots", "CompRF")
    with single_blas_thread():
        print_table(header, rows(options.data))


if __name__ == "__main__":
    main()
