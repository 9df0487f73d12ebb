"""Results of two versions of the program, one beside the other: what a refactoring left equal.

    python benchmarks/golden.py record FILE [--only TEXT]      with the version that is imported
    python benchmarks/golden.py compare BEFORE AFTER [--tolerance 0]

Every task and every method on small data sets of each kind: triplets, odd ones out, picks of two
from six, comparisons of pairs. A result is all its numbers and arrays, or what was refused. Two
results are equal where all bits are; within a tolerance, relative to the largest value of an array,
where it is said. Set PYTHONPATH to the version to record.
"""

from __future__ import annotations

import argparse
import sys
import time
from collections.abc import Iterator
from functools import cache
from itertools import combinations
from pathlib import Path
from typing import Any

import joblib
import numpy as np
import pandas as pd

from tripletscope.core.data.errors import DataError
from tripletscope.core.data.quadruples import Quadruples
from tripletscope.core.data.triplets import Answers, Triplets
from tripletscope.core.engine.method import Method, methods
from tripletscope.core.engine.task import fitted_values
from tripletscope.core.features.feature_model import FeatureModel
from tripletscope.core.features.spaces import FeatureSpace
from tripletscope.core.run import TASKS, run

N_OBJECTS, N_PEOPLE = 16, 8
PAIRS = np.array([[0, 1, 2], [0, 2, 1], [1, 2, 0]])
#: Kinds of methods that fit each data set.
KINDS = ("embedding", "kernel", "cluster", "scale", "dimensions", "individuals", "features")
#: Options that make a task short, or that it needs.
OPTIONS: dict[str, dict[str, Any]] = {
    "cross_validate": {}, "split_error": {}, "kernel_map": {},
    "spectrum": {"shuffles": 5}, "count_clusters": {"most": 6, "references": 20},
    "agreement_curve": {"labels": "kind", "repeats": 2}, "stability": {"replicates": 10},
    "learning_curve": {"points": 3, "repeats": 2}, "tune": {"most": 3}, "heterogeneity": {},
    "posterior": {"effective": 50, "most": 400, "chains": 2}, "laplace": {"samples": 50},
    "bootstrap": {"replicates": 10}, "response_model": {},
    "calibrate": {"data_sets": 2, "maps": 10},
    "abstention": {"maps": 10}, "uncertainty_by_dimension": {"most": 2, "maps": 10},
    "reliability": {"maps": 10}, "compare_active": {"more": 100, "batches": 2, "repeats": 2},
    "detect_dimension": {"most": 400, "points": 3, "repeats": 2},
    "bootstrap_scale": {"resamples": 50}, "diagnose": {"simulations": 50},
    "errors_by_group": {}, "observer_maps": {}, "who_predicts_whom": {"folds": 2},
    "pooling_curve": {"repeats": 3}, "ordinal_scale": {"stimulus": "size", "maps": 10},
    "scales_by": {"stimulus": "size", "maps": 10, "most": 3},
    "plan": {"n_objects": 12, "most": 300, "points": 2, "repeats": 2},
    "penalty_curve": {"points": 3, "folds": 2}, "dimension_reproducibility": {"runs": 2},
    "bootstrap_dimensions": {"replicates": 20}, "explain": {"components": 3},
    "map_correlation": {"replicates": 20}, "left_over": {}, "unique_parts": {},
    "feature_weights": {"replicates": 20}, "compare_people": {"most_groups": 2, "folds": 3},
    "compare_conditions": {"permutations": 19, "folds": 3}, "agreement_with_map": {},
    "with_lapses": {"steps": 40}, "search_curve": {"n_trees": 3},
    "predict_column": {"column": "kind"}, "directions": {"columns": ["size", "kind"]},
    "typicality": {},
}
#: Tasks that are also looked at with other methods or options: task, method, options.
OTHERS: list[tuple[str, str, dict[str, Any]]] = [
    *(("bootstrap", name, {"replicates": 10}) for name in ("tste", "ckl", "soe", "gnmds")),
    ("bootstrap", "ste", {"replicates": 10, "scheme": "subsample"}),
    ("bootstrap", "ste", {"replicates": 10, "unit": "participants"}),
    *(("laplace", name, {"samples": 50}) for name in ("tste", "ckl")),
    *(
        ("posterior", name, {"sampler": sampler, "effective": 50, "most": 400, "chains": 2})
        for name in ("ste", "tste") for sampler in ("laplace", "plain")
    ),
    ("predict_column", "k1", {"column": "kind", "learner": "svm"}),
    ("bootstrap_scale", "mlds", {"resamples": 50, "scheme": "answers"}),
    *(("cross_validate", name, {}) for name in ("soe", "k1", "k2", "gaussian", "proximity")),
    *(
        ("calibrate", "ste", {"data_sets": 2, "maps": 10, "source": source})
        for source in ("laplace", "posterior")
    ),
    *(("with_lapses", name, {"steps": 40}) for name in ("tste", "ckl")),
    *(("compare_active", "ste", {"more": 100, "batches": 2, "repeats": 2, "strategy": one})
      for one in ("gain", "landmark")),
]
SETTINGS: dict[str, dict[str, Any]] = {
    "spose": {"n_components": 6}, "vice": {"n_components": 6, "max_iter": 300},
    "mlds": {"stimulus": "size"}, "weighted_euclidean": {"n_init": 2},
    "latent_class_map": {"n_init": 2}, "lore": {"n_components": 4},
    "proximity": {"n_estimators": 20}, "features": {"columns": ["size", "x", "y"]},
}


def _objects(n: int, positions: np.ndarray) -> pd.DataFrame:
    return pd.DataFrame({
        "id": [f"o{i:02}" for i in range(n)], "size": positions[:n, 0] * 3.0 + 10.0,
        "x": positions[:n, 0], "y": positions[:n, 1],
        "kind": np.where(positions[:n, 1] > 0, "warm", "cold"),
    })


@cache
def data_sets() -> dict[str, Answers]:
    """One of each kind, by its name."""
    rng = np.random.default_rng(17)
    x = rng.normal(size=(N_OBJECTS, 2))
    weights = np.exp(0.5 * rng.normal(size=(N_PEOPLE, 2)))
    objects = _objects(N_OBJECTS, x)

    def about(who: np.ndarray) -> dict[str, Any]:
        return {
            "participant": [f"p{p}" for p in who], "light": np.where(who % 2, "day", "night"),
            "side": np.where(rng.random(len(who)) < 0.5, "left", "right"),
            "split": np.where(rng.random(len(who)) < 0.8, "train", "test"),
        }

    def seen(pairs: np.ndarray, who: np.ndarray) -> np.ndarray:
        squares = weights[who][:, None] * (x[pairs[..., 0]] - x[pairs[..., 1]]) ** 2
        return rng.gumbel(size=pairs.shape[:2]) - squares.sum(axis=-1)

    who = rng.integers(N_PEOPLE, size=900)
    shown = rng.random((900, N_OBJECTS)).argsort(axis=1)[:, :3]
    first = np.argmax(seen(shown[:, [[0, 1], [0, 2]]], who), axis=1)
    rows = np.where(first[:, None] == 0, shown, shown[:, [0, 2, 1]])
    triplets = Triplets(rows, objects, pd.DataFrame(about(who)), "triplets")

    chosen = PAIRS[np.argmax(seen(shown[:, [[0, 1], [0, 2], [1, 2]]], who), axis=1)]
    near, other, odd = np.take_along_axis(shown, chosen, axis=1)[:500].T
    both = np.stack([near, other, odd, other, near, odd], axis=1).reshape(-1, 3)
    answers = pd.DataFrame(about(np.repeat(who[:500], 2))).assign(trial=np.repeat(range(500), 2))
    odd_ones = Triplets(both, objects, answers, "odd ones")

    shown = rng.random((120, N_OBJECTS)).argsort(axis=1)[:, :7]
    pairs = np.stack([np.repeat(shown[:, :1], 6, axis=1), shown[:, 1:]], axis=2)
    order = np.argsort(-seen(pairs, who[:120]), axis=1)
    options = np.take_along_axis(shown[:, 1:], order, axis=1)
    places = [(a, b) for a in (0, 1) for b in range(2, 6)]
    both = np.stack(
        [np.column_stack([shown[:, 0], options[:, a], options[:, b]]) for a, b in places], axis=1
    ).reshape(-1, 3)
    answers = pd.DataFrame(about(np.repeat(who[:120], 8))).assign(trial=np.repeat(range(120), 8))
    picks = Triplets(both, objects, answers, "picks")

    quads = np.array([
        row for row in combinations(range(10), 4) if rng.random() < 0.9
    ])
    quads = np.vstack([quads] * 3)
    size = np.sort(x[:10, 0])
    longer = np.abs(size[quads[:, 3]] - size[quads[:, 2]])
    longer -= np.abs(size[quads[:, 1]] - size[quads[:, 0]])
    right = longer + rng.normal(scale=0.4, size=len(quads)) > 0
    quads = np.where(right[:, None], quads, quads[:, [2, 3, 0, 1]])
    few = _objects(10, np.column_stack([size, x[:10, 1]]))
    who = np.sort(rng.integers(N_PEOPLE, size=len(quads)))
    pairs_of = Quadruples(
        quads, objects=few, answers=pd.DataFrame(about(who)), name="pairs"
    )
    return {"triplets": triplets, "odd ones": odd_ones, "picks": picks, "pairs": pairs_of}


def _method(name: str, data: Answers) -> Method:
    for kind in KINDS:
        if name in methods(kind):
            return methods(kind)[name](**SETTINGS.get(name, {}))
    known = data.objects
    values = known[["x", "y"]].to_numpy(float)
    numbers = known[["size"]].to_numpy(float)
    return FeatureModel.of([
        FeatureSpace(name="place", values=values, feature_names=["x", "y"]),
        FeatureSpace(name="size", values=numbers + values[:, 1:] ** 2, feature_names=["size"]),
    ])


#: The method that a task is looked at with, by the kinds that it is for.
FIRST = {
    "embedding": "ste", "kernel": "k1", "cluster": "kmeans", "scale": "mlds",
    "dimensions": "spose", "individuals": "weighted_euclidean", "spaces": "feature_spaces",
}


def cases() -> Iterator[tuple[str, str, str, dict[str, Any]]]:
    """Data set, task, method and options of every case."""
    for data in data_sets():
        for kind in KINDS:
            for name in methods(kind):
                yield data, "fit", name, {}
        for task, options in OPTIONS.items():
            for kind in TASKS[task].kinds or ("embedding",):
                yield data, task, FIRST.get(kind, "ste"), options
        for task, name, options in OTHERS:
            yield data, task, name, options


def result(data: str, task: str, name: str, options: dict[str, Any]) -> dict[str, Any]:
    """All values of a result, or what was said of why there is none."""
    given = data_sets()[data]
    try:
        method = _method(name, given)
        if task == "fit":
            fitted = method.fit(given)
            numbers, arrays = fitted_values(fitted)
            return {**numbers, **arrays, "score": fitted.score(given)}
        done = run(task, method, given, options)
    except (DataError, ValueError) as problem:
        return {"refused": f"{type(problem).__name__}: {problem}"}
    return {**done.numbers, **done.arrays}


def record(path: Path, only: str) -> None:
    """Compute every case whose name has `only` in it."""
    results = {}
    for case in cases():
        key = " | ".join(map(str, case))
        if only in key and key not in results:
            begun = time.process_time()
            results[key] = result(*case)
            taken = time.process_time() - begun
            said = results[key].get("refused", "")[:80]
            print(f"{taken:6.1f} s  {key[:90]}  {said}", flush=True)
    joblib.dump(results, path)
    refused = sum("refused" in one for one in results.values())
    print(f"{len(results)} cases, {refused} refused")


def difference(before: Any, after: Any) -> float:
    """0 where equal, else the largest difference, relative to the largest value."""
    if isinstance(before, np.ndarray) and isinstance(after, np.ndarray):
        if before.shape != after.shape or before.dtype.kind != after.dtype.kind:
            return np.inf
        if before.dtype.kind not in "fc":
            return 0.0 if np.array_equal(before, after) else np.inf
        if np.array_equal(before, after, equal_nan=True):
            return 0.0
        if not np.array_equal(np.isfinite(before), np.isfinite(after)):
            return np.inf
        finite = np.isfinite(before)
        size = np.abs(before[finite]).max(initial=0.0) or 1.0
        return float(np.abs(before[finite] - after[finite]).max(initial=0.0) / size)
    if isinstance(before, float) and isinstance(after, float):
        return difference(np.array([before]), np.array([after]))
    return 0.0 if repr(before) == repr(after) else np.inf


def compare(before: Path, after: Path, tolerance: float) -> int:
    """Print what differs by more than the tolerance; how many results do."""
    one, other = joblib.load(before), joblib.load(after)
    differ, equal = 0, 0
    for key in sorted(set(one) | set(other)):
        first, second = one.get(key, {}), other.get(key, {})
        apart = {
            name: difference(first.get(name), second.get(name))
            for name in sorted(set(first) | set(second))
        }
        wrong = {name: size for name, size in apart.items() if size > tolerance}
        equal += not any(apart.values())
        if wrong:
            differ += 1
            print(f"{key}: " + ", ".join(f"{name} {size:.1e}" for name, size in wrong.items()))
            for name in wrong:
                if not isinstance(first.get(name), np.ndarray):
                    print(f"    {name}: {first.get(name)!r} -> {second.get(name)!r}"[:300])
    print(f"{len(one)} results: {equal} equal in all bits, {differ} beyond {tolerance:g}")
    return differ


def main() -> int:
    """As the command says."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    orders = parser.add_subparsers(dest="order", required=True)
    recording = orders.add_parser("record")
    recording.add_argument("file", type=Path)
    recording.add_argument("--only", default="")
    comparing = orders.add_parser("compare")
    comparing.add_argument("before", type=Path)
    comparing.add_argument("after", type=Path)
    comparing.add_argument("--tolerance", type=float, default=0.0)
    chosen = parser.parse_args()
    if chosen.order == "record":
        record(chosen.file, chosen.only)
        return 0
    return int(compare(chosen.before, chosen.after, chosen.tolerance) > 0)


if __name__ == "__main__":
    sys.exit(main())
