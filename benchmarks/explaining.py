"""Features against answers whose truth is planted: what is found, and how often intervals hold it.

    python benchmarks/explaining.py                    half an hour on two cores
    python benchmarks/explaining.py --repetitions 5    minutes
    python benchmarks/explaining.py --only unique      one of the tables

Thirty objects with five features; people see some of these with known weights and answer by the
logistic model. Truths of what is no parameter (unique parts, accuracy where people differ) are
those of very many answers; that of a correlation is of 400 objects, of which 25 are drawn.
"""

from __future__ import annotations

import argparse
from collections.abc import Callable

import numpy as np
import pandas as pd
from report import machine, print_table
from scipy.spatial.distance import pdist
from scipy.stats import spearmanr

import tripletscope as ts

N, NAMES = 30, ["a", "b", "c", "d", "e"]
WEIGHTS = np.array([1.5, 0.8, 0.3, 0.0, 0.0])
TRIALS = 1
#: So many folds of objects that they are too few to be held out.
NO_OBJECTS = 10


def features() -> np.ndarray:
    """(30, 5) standardised features that do not go together."""
    x = np.random.default_rng(0).normal(size=(N, 5))
    return (x - x.mean(axis=0)) / x.std(axis=0)


def space_of(x: np.ndarray) -> ts.features.FeatureSpace:
    return ts.features.FeatureSpace(name="ratings", values=x, feature_names=NAMES[: x.shape[1]])


def by_people(x: np.ndarray, people: int, each: int, differ: float, seed: int) -> ts.Triplets:
    """Answers of people who stretch each feature by their own log-normal factor."""
    rng = np.random.default_rng(seed)
    parts = [
        ts.simulate(
            x * np.exp(differ * rng.normal(size=x.shape[1])), each, noise="logistic",
            seed=seed * 1000 + person,
        )
        for person in range(people)
    ]
    who = np.repeat([f"p{person}" for person in range(people)], [len(part) for part in parts])
    rows = np.concatenate([part.rows for part in parts])
    return ts.Triplets(rows, parts[0].objects, pd.DataFrame({"participant": who}))


def held(low: np.ndarray, high: np.ndarray, truth: np.ndarray) -> np.ndarray:
    return (low <= truth + 1e-9) & (truth <= high + 1e-9)


def weights(repetitions: int) -> None:
    """Weights of 1,500 answers, and of twenty people who differ with 100 answers each."""
    x = features()
    many = by_people(x * np.sqrt(WEIGHTS), 400, 150, 0.3, 999)
    of_many = ts.features.feature_weights(space_of(x), many, replicates=20).weight.value
    for title, truth, draw in (
        ("answers", WEIGHTS, lambda k: ts.simulate(
            x * np.sqrt(WEIGHTS), 1500, noise="logistic", seed=k)),
        ("people", of_many, lambda k: by_people(x * np.sqrt(WEIGHTS), 20, 100, 0.3, k)),
    ):
        found = [
            ts.features.feature_weights(space_of(x), draw(k), replicates=100, seed=k)
            for k in range(repetitions)
        ]
        inside = np.mean([held(f.weight.low, f.weight.high, truth) for f in found], axis=0)
        print(f"Weights, resampled {title}")
        print_table(("feature", "truth", "mean", "covered"), zip(
            NAMES, truth.round(3), np.mean([f.weight for f in found], axis=0).round(3), inside,
            strict=True,
        ))


def unique(repetitions: int) -> None:
    """Five predictors that go together, of which two add nothing; trials are held out."""
    x = features()
    x[:, 3] = 0.7 * x[:, 0] + 0.7 * x[:, 3]
    x[:, 1] = 0.6 * x[:, 0] + 0.8 * x[:, 1]
    seen = x * np.sqrt([1.0, 0.6, 0.3, 0.0, 0.0])

    def parts(n_answers: int, seed: int) -> object:
        answers = ts.simulate(seen, n_answers, noise="logistic", seed=seed)
        return ts.features.unique_parts(space_of(x), answers, object_folds=NO_OBJECTS, seed=seed)

    truth, found = parts(60_000, 9999), [parts(1500, k) for k in range(repetitions)]
    print("Unique parts of the deviance explained")
    inside, alone = (
        np.mean([
            held(getattr(f, f"{part}_low"), getattr(f, f"{part}_high"), getattr(truth, part))
            for f in found
        ], axis=0)[:, TRIALS]
        for part in ("unique", "alone")
    )
    adds = np.mean([f.adds for f in found], axis=0)
    print_table(
        ("predictor", "truth", "mean", "covered", "alone covered", "adds"),
        zip(
            NAMES, truth.unique[:, TRIALS].round(4),
            np.mean([f.unique[:, TRIALS] for f in found], axis=0).round(4), inside, alone,
            adds[:, TRIALS], strict=True,
        ),
    )


def accuracy(repetitions: int) -> None:
    """Triplet accuracy of distances, twenty people who differ with 60 answers each."""
    x = features()
    two = ts.features.FeatureSpace(
        name="two",
        distances=ts.features.FeatureSpace(name="two", values=x[:, :2]).dissimilarities(),
    )

    def found(people: int, each: int, seed: int) -> ts.Triplets:
        answers = by_people(x * np.sqrt(WEIGHTS), people, each, 0.4, seed)
        return ts.features.explain(two, answers, object_folds=NO_OBJECTS, seed=seed)

    truth = found(400, 150, 999).accuracy[0, 0, TRIALS]
    inside, means = [], []
    for k in range(repetitions):
        one = found(20, 60, k)
        at = 0, 0, TRIALS
        inside.append(held(one.accuracy.low[at], one.accuracy.high[at], truth))
        means.append(one.accuracy.value[at])
    print("Accuracy of raw distances, over people")
    print_table(("truth", "mean", "covered"), [
        (round(truth, 3), np.mean(means).round(3), np.mean(inside))
    ])


def random(repetitions: int) -> None:
    """Sixty random features of thirty objects: what they seem to explain."""
    x, found = features(), []
    for k in range(repetitions):
        values = np.random.default_rng(k).normal(size=(N, 60))
        answers = ts.simulate(x[:, :2] * 1.3, 1500, noise="logistic", seed=k)
        space = ts.features.FeatureSpace(name="random", values=values)
        found.append(ts.features.explain(space, answers, seed=k, components=20, folds=3))
    rows = []
    for j, model in enumerate(found[0].models):
        for i, scheme in enumerate(found[0].schemes):
            above = np.mean([one.accuracy.low[0, j, i] > 0.5 for one in found])
            mean = np.mean([one.accuracy.value[0, j, i] for one in found])
            rows.append((model, scheme, round(mean, 3), above))
    print("Sixty random features of thirty objects")
    print_table(("model", "held out", "accuracy", "above chance"), rows)


def correlation(repetitions: int) -> None:
    """Spearman's correlation of 25 of 400 objects, from 1,500 answers each."""
    rng = np.random.default_rng(1)
    seen = rng.normal(size=(400, 2))
    measured = seen + rng.normal(size=(400, 2)) * 0.7
    truth = spearmanr(pdist(seen), pdist(measured)).statistic
    both, objects, means = [], [], []
    for k in range(repetitions):
        which = np.random.default_rng(k + 5).choice(400, 25, replace=False)
        answers = ts.simulate(seen[which] * 1.5, 1500, noise="logistic", seed=k)
        space = ts.features.FeatureSpace(name="measured", values=measured[which])
        found = ts.features.map_correlation(space, answers, replicates=60, seed=k)
        both.append(held(found.correlation.low, found.correlation.high, truth)[0])
        objects.append(held(found.objects.low, found.objects.high, truth)[0])
        means.append(found.correlation.value[0])
    print("Rank correlation with the map")
    print_table(("truth", "mean", "covered", "covered, objects alone"), [
        (round(truth, 3), np.mean(means).round(3), np.mean(both), np.mean(objects))
    ])


TABLES: dict[str, Callable[[int], None]] = {
    one.__name__: one for one in (weights, unique, accuracy, random, correlation)
}


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--repetitions", type=int, default=100)
    parser.add_argument("--only", choices=TABLES)
    given = parser.parse_args()
    print(machine(), flush=True)
    for name, table in TABLES.items():
        if given.only in (None, name):
            table(given.repetitions)


if __name__ == "__main__":
    main()
