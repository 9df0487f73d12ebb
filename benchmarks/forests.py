"""Comparison-based random forests beside scikit-learn's, and beside the paper's figures.

    python benchmarks/forests.py --data FOLDER [--sizes 1000 7000 60000]

FOLDER holds mnist10k and regression; without it these tables are left out. Times are of fits of 100
trees to the same bytes, on as many threads; ratios are of processor seconds, which other work on
the machine disturbs least.
"""

from __future__ import annotations

import argparse
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import numpy as np
from joblib import cpu_count, parallel_config
from objects import images, mnist, regression
from report import machine, print_table
from sklearn.base import BaseEstimator, clone
from sklearn.datasets import load_breast_cancer, load_digits, load_wine
from sklearn.ensemble import RandomForestClassifier, RandomForestRegressor
from sklearn.model_selection import (
    GridSearchCV,
    RepeatedStratifiedKFold,
    ShuffleSplit,
    StratifiedShuffleSplit,
)
from sklearn.neighbors import KNeighborsClassifier, KNeighborsRegressor
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.svm import SVC

from tripletscope.core.data.triplets import Triplets
from tripletscope.core.embedding import TSTE
from tripletscope.core.tree import ComparisonForestClassifier, ComparisonForestRegressor
from tripletscope.core.tree.oracle import Distances, Vectors

Splits = list[tuple[np.ndarray, np.ndarray]]


def timed(work: Callable[[], Any]) -> tuple[float, float]:
    """Wall and processor seconds."""
    wall, processor = time.perf_counter(), time.process_time()
    work()
    return time.perf_counter() - wall, time.process_time() - processor


def speed(size: int, repeats: int) -> tuple[str, ...]:
    """One row: fits and predictions of both forests, the least of some repeats."""
    vectors, classes = images(size + 10_000)
    train, test = vectors[:size], vectors[size:]
    ours = ComparisonForestClassifier()
    theirs = RandomForestClassifier(n_jobs=cpu_count())
    fits, peer_fits, guesses, peer_guesses = [], [], [], []
    for _ in range(repeats):
        fits.append(timed(lambda: ours.fit(train, classes[:size])))
        guesses.append(timed(lambda: ours.predict(test)))
        peer_fits.append(timed(lambda: theirs.fit(train, classes[:size])))
        peer_guesses.append(timed(lambda: theirs.predict(test)))
    wall, processor, peer_wall, peer_processor, guess, peer_guess = (
        min(each[which] for each in found)
        for found, which in (
            (fits, 0), (fits, 1), (peer_fits, 0), (peer_fits, 1), (guesses, 1), (peer_guesses, 1)
        )
    )
    return (
        f"{size:,}", f"{wall:.3f}", f"{processor:.3f}", f"{peer_wall:.3f}",
        f"{peer_processor:.3f}", f"{peer_processor / processor:.1f}",
        f"{10_000 / guess:,.0f}", f"{10_000 / peer_guess:,.0f}",
        f"{ours.n_questions_ / 1e6:.2f}",
    )


def calls(size: int) -> tuple[str, ...]:
    """One row: batches in which an oracle is asked that no compiled loop knows."""
    vectors, classes = images(size)
    oracle = Distances(Vectors(vectors).distances(), listed=True)
    seconds = timed(
        lambda: ComparisonForestClassifier(metric=oracle).fit(np.arange(size), classes)
    )
    return (
        f"{size:,}", str(oracle.n_calls), f"{oracle.n_questions / 1e6:.2f}",
        f"{seconds[1] / oracle.n_questions * 1e9:.0f}",
    )


def errors(
    estimator: BaseEstimator, vectors: np.ndarray, y: np.ndarray, splits: Splits
) -> np.ndarray:
    """Share of wrong classes, or root mean square error, in every split."""
    found = []
    for train, test in splits:
        guess = clone(estimator).fit(vectors[train], y[train]).predict(vectors[test])
        if y.dtype.kind == "f":
            found.append(np.sqrt(np.mean((guess - y[test]) ** 2)))
        else:
            found.append(np.mean(guess != y[test]))
    return np.array(found)


def interval(found: np.ndarray, splits: Splits, scale: float) -> str:
    """Mean with the half-width of its 95 % interval.

    Over several splits that of Nadeau & Bengio (2003), of a single one the binomial.
    """
    train, test = map(len, splits[0])
    if len(found) > 1:
        variance = (1 / len(found) + test / train) * found.var(ddof=1)
    else:
        variance = found[0] * (1 - found[0]) / test
    digits = 2 if found.mean() * scale >= 1 else 3
    return f"{scale * found.mean():.{digits}f} ± {scale * 1.96 * np.sqrt(variance):.{digits}f}"


CLASSIFIERS = {
    "CompRF": ComparisonForestClassifier(),
    "CompRF, random pivots": ComparisonForestClassifier(pivots="random"),
    "CompRF, one-vs-one": ComparisonForestClassifier(multiclass="one-vs-one"),
    "CART forest": RandomForestClassifier(100, random_state=0),
    "k-NN": GridSearchCV(KNeighborsClassifier(), {"n_neighbors": [1, 3, 5, 9, 15]}),
    "SVM, RBF": GridSearchCV(SVC(), {"C": [1, 10, 100]}),
}

#: As the paper's, whose distances seem to be of features as they come.
RAW = "CompRF, random pivots, features as they are"

REGRESSORS = {
    "CompRF, best of 10 pairs": ComparisonForestRegressor(leaf_size=1),
    "the same, n₀ by out-of-bag error": ComparisonForestRegressor(),
    "the same, n₀ = 5": ComparisonForestRegressor(leaf_size=5),
    "CompRF, different responses": ComparisonForestRegressor(leaf_size=1, pivots="different"),
    "CompRF, random pivots": ComparisonForestRegressor(leaf_size=1, pivots="random"),
    RAW: ComparisonForestRegressor(leaf_size=1, pivots="random"),
    "CART forest": RandomForestRegressor(100, random_state=0),
    "k-NN": GridSearchCV(KNeighborsRegressor(), {"n_neighbors": [1, 3, 5, 9, 15]}),
}


def classification(names: dict[str, tuple[np.ndarray, np.ndarray, Splits]]) -> None:
    """Errors of all classifiers."""
    rows = []
    for name, estimator in CLASSIFIERS.items():
        row = [name]
        for vectors, classes, splits in names.values():
            pictures = vectors.shape[1] >= 64
            model = estimator if pictures else make_pipeline(StandardScaler(), estimator)
            found = errors(model, vectors, classes, splits)
            row.append(interval(found, splits, 100))
        rows.append(row)
    print("Error, %")
    print_table(("method", *names), rows)


def responses(names: dict[str, tuple[np.ndarray, np.ndarray]]) -> None:
    """Root mean square errors of all regressors in ten 90/10 splits."""
    rows = []
    for name, estimator in REGRESSORS.items():
        row = [name]
        for vectors, y in names.values():
            splits = list(ShuffleSplit(10, test_size=0.1, random_state=0).split(vectors))
            model = estimator if name == RAW else make_pipeline(StandardScaler(), estimator)
            row.append(interval(errors(model, vectors, y, splits), splits, 1))
        rows.append(row)
    print("RMSE, features standardised unless said otherwise")
    print_table(("method", *names), rows)


def from_the_same_answers(n_objects: int = 400) -> Iterator[tuple[str, ...]]:
    """Two digits; a forest, and t-STE in ten dimensions given the very answers it asked for."""
    vectors, classes = load_digits(return_X_y=True)
    keep = np.flatnonzero(np.isin(classes, [3, 8]))[:n_objects]
    keep = np.random.default_rng(0).permutation(keep)
    vectors, classes = vectors[keep], classes[keep]
    half = len(keep) // 2
    numbers = np.arange(len(keep))
    for n_estimators in (1, 4, 16):
        oracle = Vectors(vectors, listed=True)
        forest = ComparisonForestClassifier(metric=oracle, n_estimators=n_estimators)

        def use(forest: BaseEstimator = forest) -> float:
            forest.fit(numbers[:half], classes[:half])
            return 1 - forest.score(numbers[half:], classes[half:])

        results = []
        seconds = timed(lambda use=use, results=results: results.append(use()))[1]
        rows = oracle.listing()[["anchor", "near", "far"]].to_numpy()
        answers = Triplets.from_array(rows, len(keep))
        placed = []
        embedding = timed(
            lambda placed=placed, answers=answers: placed.append(
                TSTE(n_components=10, n_init=1).fit(answers).embedding_
            )
        )[1]
        others = [
            np.mean(
                model.fit(placed[0][:half], classes[:half]).predict(placed[0][half:])
                != classes[half:]
            )
            for model in (KNeighborsClassifier(5), RandomForestClassifier(100, random_state=0))
        ]
        yield (
            str(n_estimators), f"{len(rows):,}", f"{100 * results[0]:.1f}",
            *(f"{100 * error:.1f}" for error in others), f"{seconds:.3f}", f"{embedding:.2f}",
        )


def main() -> None:
    """Print the tables."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--data", type=Path, metavar="FOLDER", help="mnist10k, regression")
    parser.add_argument("--sizes", type=int, nargs="*", default=[1000, 7000, 60_000])
    parser.add_argument("--only-speed", action="store_true")
    options = parser.parse_args()
    print(machine())
    small, classes = images(100)
    ComparisonForestClassifier(n_estimators=2).fit(small, classes).predict(small)  # compiles
    with parallel_config(n_jobs=cpu_count()):
        print_table(
            ("n", "fit s", "fit CPU s", "RF fit s", "RF fit CPU s", "CPU ratio",
             "queries / CPU s", "RF queries / CPU s", "million questions"),
            [speed(size, 1 if size > 10_000 else 3) for size in options.sizes],
        )
    print_table(
        ("n", "calls", "million questions", "CPU ns per question"), [calls(1000), calls(7000)]
    )
    if options.only_speed:
        return
    tables = {}
    loads = {"digits": load_digits, "wine": load_wine, "cancer": load_breast_cancer}
    for name, load in loads.items():
        vectors, classes = load(return_X_y=True)
        folds = RepeatedStratifiedKFold(n_splits=5, n_repeats=2 if name == "digits" else 5,
                                        random_state=0)
        tables[name] = vectors, classes, list(folds.split(vectors, classes))
    classification(tables)
    if (found := mnist(options.data)) is not None:
        split = StratifiedShuffleSplit(1, test_size=3000, random_state=0)
        CLASSIFIERS.pop("CompRF, one-vs-one")
        classification({"MNIST 7,000 / 3,000": (
            found[0].astype(np.float32), found[1], list(split.split(*found))
        )})
    print("Two digits, half of 360 objects unseen: error, % (CPU s)")
    print_table(
        ("trees", "answers", "CompRF", "t-STE + k-NN", "t-STE + CART", "CompRF s", "t-STE s"),
        list(from_the_same_answers()),
    )
    sets = {name: regression(options.data, name) for name in ("boston", "white_wine")}
    if all(value is not None for value in sets.values()):
        responses(sets)


if __name__ == "__main__":
    main()
