r"""Dimensions of SPoSE and VICE: planted ones recovered, intervals, and VICE's own program.

    python benchmarks/dimensions.py TRUTH.npy                        150 objects, 100,000 trials
    python benchmarks/dimensions.py TRUTH.npy --objects 0 --trials 4700000      all objects
    python benchmarks/dimensions.py TRUTH.npy --peer FOLDER --peer-python PYTHON --peer-epochs 30
    python benchmarks/dimensions.py TRUTH.npy --objects 500 --trials 150000 --strongest 21 \
        --scale .8
    python benchmarks/dimensions.py --coverage

TRUTH.npy holds non-negative weights (n, d), such as those that VICE found for THINGS; trials are
drawn from them by softmax. FOLDER is a copy of the peer's repository (LukasMut/VICE) and PYTHON an
interpreter that has its libraries. What is begun at the truth says how many of its dimensions the
trials determine at that penalty. Seconds are of the processor, of all threads. Of the peer come
the accuracy and the dimensions that are left after each so many epochs: by its own rule it stops
after 500 at the earliest.
"""

from __future__ import annotations

import argparse
import resource
import subprocess
import tempfile
import time
from pathlib import Path

import numpy as np
from report import machine, print_table

import tripletscope as ts
from tripletscope.core.models.dimensions.likelihood import trials_of
from tripletscope.core.models.dimensions.penalties import penalised
from tripletscope.core.models.dimensions.reproducibility import best_matches
from tripletscope.core.models.dimensions.sparse import SparseDimensions, similarities_of

PEER = Path(__file__).with_name("peer_vice.py")
HELD_OUT = 50_000


def row_of(name: str, weights: np.ndarray, score: float, truth: np.ndarray, seconds: float) -> list:
    found = best_matches(truth, weights)
    return [
        name, weights.shape[1], f"{100 * score:.2f}", int((found > 0.8).sum()), truth.shape[1],
        f"{np.median(found):.3f}", f"{seconds:.1f}",
    ]


def measured(method: SparseDimensions, data, held_out, truth: np.ndarray) -> list:
    begun = time.process_time()
    method.fit(data)
    seconds = time.process_time() - begun
    return row_of(method.title, method.embedding_, method.score(held_out), truth, seconds)


def accuracy(weights: np.ndarray, rows: np.ndarray) -> float:
    return float((similarities_of(weights, rows).argmax(axis=1) == 2).mean())


def of_peer(options: argparse.Namespace, data, rows: np.ndarray, truth: np.ndarray) -> list[list]:
    """The peer's state after every tenth of its epochs."""
    with tempfile.TemporaryDirectory() as folder:
        np.save(Path(folder, "train.npy"), data.choices.odd_one_out().rows)
        subprocess.run(
            [options.peer_python, PEER, options.peer, folder, str(options.peer_epochs)], check=True
        )
        found = []
        for path in sorted(Path(folder).glob("epoch*.npz")):
            kept = np.load(path)
            weights = np.maximum(kept["loc"][:, kept["signal"]].astype(float), 0.0)
            found.append(row_of(
                f"VICE's program, {path.stem}", weights, accuracy(weights, rows), truth,
                float(kept["seconds"]),
            ))
    return found


def compare(options: argparse.Namespace) -> None:
    truth = np.load(options.truth).astype(float)
    if options.objects:
        chosen = np.random.default_rng(5).choice(len(truth), options.objects, replace=False)
        truth = truth[np.sort(chosen)]
    if options.strongest:
        truth = truth[:, np.argsort(-truth.sum(axis=0))[: options.strongest]]
    truth *= options.scale
    data = ts.dimensions.simulate_choices(truth, options.trials, seed=1)
    held_out = ts.dimensions.simulate_choices(truth, HELD_OUT, seed=2)
    rows = held_out.choices.odd_one_out().rows
    ts.dimensions.VICE(max_iter=40).fit(data)  # compiles
    table = [["truth", truth.shape[1], f"{100 * accuracy(truth, rows):.2f}", *[""] * 4]]
    for method in (
        ts.dimensions.VICE(), ts.dimensions.SPoSE(penalty=options.penalty), ts.dimensions.SPoSE()
    ):
        table.append(measured(method, data, held_out, truth))
    # An empty weight that is exactly zero could not grow.
    begun = time.process_time()
    best = penalised(
        trials_of(data), options.penalty, np.maximum(truth, 0.01), max_iter=500, tol=1e-7
    ).x
    table.append(row_of(
        "SPoSE, begun at the truth", best, accuracy(best, rows), truth,
        time.process_time() - begun,
    ))
    if options.peer:
        table += of_peer(options, data, rows, truth)
    print_table(
        ["", "dimensions", "accuracy, %", "true ones with r > .8", "of", "median r",
         "processor, s"], table,
    )
    print(f"{resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 2**20:.2f} GB at most, ours")


def coverage(fits: int = 20) -> None:
    """How often 95 % intervals of VICE hold planted weights above zero."""
    rng = np.random.default_rng(0)
    truth = np.where(rng.random((40, 4)) < 0.4, rng.gamma(3.0, 0.4, (40, 4)), 0.0)
    table = []
    for n_trials in (4000, 20_000):
        apart, weights, spread = [], [], []
        for seed in range(fits):
            data = ts.dimensions.simulate_choices(truth, n_trials, seed=seed)
            fitted = ts.dimensions.VICE(n_components=12).fit(data)
            if (best_matches(truth, fitted.embedding_) < 0.8).any():
                continue
            order = np.corrcoef(truth.T, fitted.embedding_.T)[:4, 4:].argmax(axis=1)
            sd = fitted.embedding_sd_[:, order]
            apart.append((fitted.location_[:, order] - truth) / sd)
            weights.append(fitted.embedding_[:, order])
            spread.append(sd)
        there = truth > 0
        held = (np.abs(apart) < 1.96).mean(axis=0)
        varied, told = np.std(weights, axis=0, ddof=1), np.mean(spread, axis=0)
        ratio = varied[there].mean() / told[there].mean()
        table.append([
            f"{n_trials:,}", len(apart), f"{100 * held[there].mean():.1f}",
            f"{100 * held[~there].mean():.1f}", f"{ratio:.2f}",
        ])
    print_table(
        ["trials", "fits", "contained above 0, %", "contained at 0, %",
         "s.d. over samples / posterior s.d."],
        table,
    )


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("truth", nargs="?", help="weights (n, d), .npy")
    parser.add_argument("--objects", type=int, default=150, help="drawn of them; 0 for all")
    parser.add_argument("--trials", type=int, default=100_000)
    parser.add_argument("--strongest", type=int, default=0, help="dimensions kept; 0 for all")
    parser.add_argument("--scale", type=float, default=1.0, help="factor of the weights")
    parser.add_argument("--penalty", type=float, default=8.0, help="of SPoSE")
    parser.add_argument("--peer", help="folder of the peer's repository")
    parser.add_argument("--peer-python", default="python3")
    parser.add_argument("--peer-epochs", type=int, default=30)
    parser.add_argument("--coverage", action="store_true")
    options = parser.parse_args()
    print(machine())
    if options.truth:
        compare(options)
    if options.coverage:
        coverage()


if __name__ == "__main__":
    main()
