"""What two versions of the program take: fits, gradients, people, features, dimensions.

    git worktree add /tmp/before REVISION
    python benchmarks/versions.py --before /tmp/before [--large]

Both versions get the same answers, in processes of their own, in turn; figures are the least of
some rounds. Without ``--before`` this version alone is measured. ``--large`` adds fits of 100,000
objects in ten dimensions, which take minutes each.
"""

from __future__ import annotations

import argparse
import json
import os
import resource
import subprocess
import sys
import time
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path
from typing import Any

import numpy as np
from report import machine, print_table

HERE = Path(__file__).resolve().parent

#: Objects and dimensions of gradients, whose answers are d n ln n.
GRADIENTS = (
    (1_000, 2), (10_000, 2), (100_000, 2), (1_000, 10), (10_000, 10), (100_000, 10),
)
#: Of fits from one start, by method.
FITS = (
    *((method, f"{n} x 2") for n in (100, 1_000, 5_000) for method in ("STE", "TSTE", "SOE")),
    ("STE", "10000 x 2"), ("STE", "10000 x 10"),
)
LARGE = (("STE", "50000 x 2"), ("STE", "100000 x 10"))
#: What else is computed from choices.
OTHERS = (
    "weights of people", "latent classes", "compare_people", "feature_weights", "explain", "SPoSE",
    "VICE", "SPoSE, size of THINGS", "posterior", "laplace", "bootstrap",
)


def answers_of(n_objects: int, n_components: int) -> Any:
    """About d n ln n answers under STE's own noise about normal positions."""
    from tripletscope.core.data.triplets import Triplets

    rng = np.random.default_rng(0)
    positions = rng.standard_normal((n_objects, n_components))
    size = int(n_components * n_objects * np.log(n_objects))
    anchor = rng.integers(0, n_objects, size)
    near, far = (anchor + rng.integers(1, n_objects, (2, size))) % n_objects
    apart = (near != far) & (far != anchor)
    anchor, near, far = anchor[apart], near[apart], far[apart]
    gap = np.sum((positions[anchor] - positions[far]) ** 2, axis=1)
    gap -= np.sum((positions[anchor] - positions[near]) ** 2, axis=1)
    turned = rng.random(len(gap)) > 1 / (1 + np.exp(-np.clip(gap, -50, 50)))
    near, far = np.where(turned, far, near), np.where(turned, near, far)
    return Triplets.from_array(np.stack([anchor, near, far], axis=1), n_objects)


def public(name: str) -> Any:
    """What has a name in the version that is imported, wherever it is there."""
    import tripletscope as ts

    for module in ("", "dimensions", "people", "features"):
        with suppress(AttributeError):
            return getattr(getattr(ts, module) if module else ts, name)
    raise AttributeError(name)


def computation_of(name: str) -> Callable[[], Any]:
    """One of `OTHERS`: 45 people and 40 objects, or 20,000 odd ones out of 100 objects.

    Of the size of THINGS are 1,000,000 trials of 1,854 objects with 42 sparse dimensions, of which
    twenty steps are taken.
    """
    import tripletscope as ts

    if name == "SPoSE, size of THINGS":
        rng = np.random.default_rng(0)
        truth = rng.exponential(0.5, (1_854, 42)) * (rng.random((1_854, 42)) < 0.2)
        odd = public("simulate_choices")(truth, 1_000_000, seed=1)
        return lambda: public("SPoSE")(n_components=70, penalty=3.0, max_iter=20).fit(odd)
    crowd = ts.read(HERE.parent / "sample_data" / "crowd" / "answers.csv")
    if name in ("SPoSE", "VICE"):
        odd = public("simulate_choices")(np.repeat(np.eye(5), 20, axis=0) * 2, 20_000, seed=1)
        settings = {"penalty": 3.0} if name == "SPoSE" else {"max_iter": 1000}
        return lambda: public(name)(n_components=20, **settings).fit(odd)
    rng = np.random.default_rng(0)
    spaces = [
        public("FeatureSpace")(name=which, values=rng.normal(size=(crowd.n_objects, 5)))
        for which in ("one", "other")
    ]
    return {
        "weights of people": lambda: public("WeightedEuclidean")().fit(crowd),
        "latent classes": lambda: public("LatentClassMap")().fit(crowd),
        "compare_people": lambda: public("compare_people")(
            public("WeightedEuclidean")(), crowd, folds=3
        ),
        "feature_weights": lambda: public("feature_weights")(spaces, crowd, replicates=100),
        "explain": lambda: public("explain")(spaces, crowd),
        "posterior": lambda: ts.sample_posterior(ts.STE(), crowd),
        "laplace": lambda: ts.run("laplace", ts.STE(), crowd),
        "bootstrap": lambda: ts.bootstrap(ts.STE(), crowd, replicates=200),
    }[name]


def least(function: Callable[[], Any], rounds: int) -> tuple[float, float]:
    """Least seconds of the processor and of the clock."""
    processor, clock = [], []
    for _ in range(rounds):
        begun, at = time.process_time(), time.perf_counter()
        function()
        processor.append(time.process_time() - begun)
        clock.append(time.perf_counter() - at)
    return min(processor), min(clock)


def measured(what: str, threads: int) -> dict[str, float]:
    """What one process measures of the version that it finds."""
    from joblib import parallel_config
    from threadpoolctl import threadpool_limits

    kind, method, problem = what.split(":")
    if kind == "other":
        compute = computation_of(method)
        with parallel_config(n_jobs=1):
            compute()  # compiles
            processor, clock = least(compute, 3)
        return {"processor": processor, "clock": clock}
    n_objects, n_components = map(int, problem.split(" x "))
    answers = answers_of(n_objects, n_components)
    settings = {"n_components": n_components, "n_init": 1}
    # As in fits: threads of linear algebra that wait for each other count as work.
    with parallel_config(n_jobs=threads), threadpool_limits(1):
        if kind == "gradient":
            from tripletscope.core.models.optimise.layout import AnswerLayout
            from tripletscope.core.models.optimise.loss import Objective

            objective = Objective(
                AnswerLayout.of(answers), public(method)()._loss(), n_components, 0.1
            )
            x = 0.5 * np.random.default_rng(1).standard_normal(n_components * answers.n_objects)
            objective(x)
            rounds = max(3, min(100, 20_000_000 // len(answers.rows)))
            processor, clock = least(lambda: objective(x), rounds)
            each = 1e9 / len(answers.rows)
            return {"processor": processor * each, "clock": clock * each}
        small = answers.take(np.arange(min(5_000, len(answers.rows))))
        public(method)(**settings, max_iter=2).fit(small)  # compiles
        fitted = public(method)(**settings)
        processor, clock = least(
            lambda: fitted.fit(answers), 20 if len(answers.rows) < 100_000 else 1
        )
        return {
            "processor": processor, "clock": clock, "iterations": fitted.n_iter_,
            "loss": fitted.loss_, "answers": len(answers.rows),
            "memory": resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1e6,
        }


def ask(checkout: Path, what: str, threads: int) -> dict[str, float]:
    """What a process says that runs a version."""
    done = subprocess.run(
        [sys.executable, HERE / "versions.py", "--measure", what, "--threads", str(threads)],
        check=True, capture_output=True, text=True,
        env=os.environ | {"PYTHONPATH": f"{checkout}{os.pathsep}{HERE}"},
    )
    print(checkout.name, what, threads, done.stdout.strip(), file=sys.stderr, flush=True)
    return json.loads(done.stdout)


def compare(
    what: str, threads: int, options: argparse.Namespace
) -> tuple[dict[str, float] | None, dict[str, float]]:
    """Before and now, each the best of some processes in turn."""
    sides: dict[Path, list[dict[str, float]]] = {}
    for _ in range(options.rounds):
        for checkout in filter(None, (options.before, HERE.parent)):
            sides.setdefault(checkout, []).append(ask(checkout, what, threads))
    best = [min(each, key=lambda one: one["clock"]) for each in sides.values()]
    return (None, *best)[-2:]


def main() -> None:
    """Print the tables."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--before", type=Path, metavar="CHECKOUT")
    parser.add_argument("--large", action="store_true")
    parser.add_argument("--rounds", type=int, default=2, help="processes per figure")
    parser.add_argument("--only", choices=["gradients", "fits", "others"])
    parser.add_argument("--measure", help=argparse.SUPPRESS)
    parser.add_argument("--threads", type=int, default=1, help=argparse.SUPPRESS)
    options = parser.parse_args()
    if options.measure:
        print(json.dumps(measured(options.measure, options.threads)))
        return
    print(machine())
    rows = []
    for n_objects, n_components in GRADIENTS if options.only in (None, "gradients") else ():
        what = f"gradient:STE:{n_objects} x {n_components}"
        before, now = compare(what, 1, options)
        _, both = compare(what, 2, options)
        rows.append((
            f"{n_objects:,}", n_components, f"{before['processor']:.1f}" if before else "–",
            f"{now['processor']:.1f}", f"{before['processor'] / now['processor']:.1f}"
            if before else "–", f"{now['clock'] / both['clock']:.2f}",
        ))
    if rows:
        print_table(("n", "d", "before, ns", "now, ns", "ratio", "2 threads"), rows)
    rows = []
    for method, problem in (
        (*FITS, *(LARGE if options.large else ())) if options.only in (None, "fits") else ()
    ):
        before, now = compare(f"fit:{method}:{problem}", 1, options)
        earlier, both = compare(f"fit:{method}:{problem}", 2, options)
        rows.append((
            problem, method, f"{now['answers']:,}",
            f"{before['clock']:.4g}" if before else "–", f"{now['clock']:.4g}",
            f"{both['clock']:.4g}", f"{now['clock'] / both['clock']:.2f}",
            f"{before['clock'] / now['clock']:.2f}" if before else "–",
            f"{earlier['clock'] / both['clock']:.2f}" if earlier else "–",
            f"{before['iterations'] if before else 0} → {now['iterations']}",
            f"{now['memory']:.1f}",
        ))
    if rows:
        print_table(
            (
                "data", "method", "answers", "before, s", "1 thread, s", "2 threads, s", "speed-up",
                "before / now", "2 threads", "iterations", "GB",
            ),
            rows,
        )
    rows = []
    for name in OTHERS if options.only in (None, "others") else ():
        before, now = compare(f"other:{name}:", 1, options)
        rows.append((
            name, f"{before['processor']:.3g}" if before else "–", f"{now['processor']:.3g}",
            f"{before['processor'] / now['processor']:.2f}" if before else "–",
        ))
    if rows:
        print_table(("computed", "before, s", "now, s", "before / now"), rows)


if __name__ == "__main__":
    main()
