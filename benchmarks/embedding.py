"""Fit time, held-out error and loss of our embeddings beside cblearn's, on the same answers.

Once, make an environment for the peer, whose pins clash with ours; then compare:

    python benchmarks/embedding.py --make-peer-env DIR
    python benchmarks/embedding.py --peer-env DIR --data FOLDER

Both sides get the same answers, dimension and number of starts, and otherwise their own defaults.
Seconds are of the processor, on one thread, with the preparation of the answers and without
compilation; figures are medians over the seeds, peer and ours in turn. Both losses are by our
exact formula, at the maps that the two sides found. Three further tables give the cost of a
gradient, that of odd ones out as one choice and as two answers, and what a second thread saves on
restarts; ``--problems`` without a name prints these alone.
"""

from __future__ import annotations

import argparse
import json
import os
import signal
import subprocess
import sys
import tempfile
import time
import venv
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
from joblib import parallel_config
from report import machine, print_table
from sources import Problem, alien_eggs_problem, music_problem, planted
from threadpoolctl import threadpool_limits

from tripletscope.core.data.triplets import Triplets
from tripletscope.core.models.embedding import CKL, GNMDS, SOE, STE, TSTE
from tripletscope.core.models.embedding.ordinal import OrdinalEmbedding, margins
from tripletscope.core.models.optimise.layout import AnswerLayout
from tripletscope.core.models.optimise.loss import Objective
from tripletscope.core.models.simulation.simulate import random_questions

HERE = Path(__file__).parent


@dataclass(frozen=True)
class Pairing:
    """A method of ours and the cblearn estimator that it is compared with."""

    ours: type[OrdinalEmbedding]
    peer: str
    parameters: dict[str, Any] = field(default_factory=dict)
    peer_parameters: dict[str, Any] = field(default_factory=dict)


#: The peer has none. With ours at its default our errors are lower, but not our losses.
_NO_PRIOR = {"prior": 0.0}

#: A method that comes later joins by a line here.
PAIRINGS = {
    "ste": Pairing(STE, "STE", _NO_PRIOR),
    "tste": Pairing(TSTE, "TSTE", _NO_PRIOR),
    "ckl": Pairing(CKL, "CKL", {**_NO_PRIOR, "mu": 1e-6}, {"mu": 1e-6}),
    "gnmds": Pairing(GNMDS, "GNMDS", _NO_PRIOR),
    "soe": Pairing(SOE, "SOE", {**_NO_PRIOR, "margin": 0.1}),
}

PROBLEMS: dict[str, Callable[[argparse.Namespace], Problem | None]] = {
    "music": lambda options: music_problem(options.data),
    "eggs": lambda options: alien_eggs_problem(),
    "100": lambda options: planted(100),
    "1000": lambda options: planted(1000),
    "5000": lambda options: planted(5000),
}


@dataclass(frozen=True)
class Fit:
    """Where one side ended, and the processor seconds it took."""

    seconds: float
    positions: np.ndarray


class TooSlow(Exception):
    """The peer needs more processor time than it was given."""


class Peer:
    """cblearn in an environment of its own; every fit is a fresh process."""

    def __init__(self, environment: Path, limit: float) -> None:
        self._python, self._limit = python_of(environment), limit
        self.versions = ""

    def fit(
        self, pairing: Pairing, problem: Problem, n_components: int, n_init: int, seed: int
    ) -> Fit:
        settings = {
            "estimator": pairing.peer, "n_init": n_init, "seed": seed, "limit": self._limit,
            "n_objects": problem.train.n_objects,
            "parameters": {"n_components": n_components, **pairing.peer_parameters},
        }
        with tempfile.TemporaryDirectory() as folder:
            request, answer = Path(folder) / "request.npz", Path(folder) / "answer.npz"
            np.savez(request, triplets=problem.train.rows, settings=json.dumps(settings))
            done = subprocess.run(
                [self._python, HERE / "peer_cblearn.py", request, answer], check=False
            )
            if done.returncode == -signal.SIGXCPU:
                raise TooSlow
            done.check_returncode()
            with np.load(answer) as found:
                versions = json.loads(str(found["versions"]))
                self.versions = ", ".join(f"{name} {v}" for name, v in versions.items())
                return Fit(float(found["cpu"]), found["embedding"])


def python_of(environment: Path) -> Path:
    """The interpreter of a virtual environment."""
    return environment / ("Scripts" if os.name == "nt" else "bin") / "python"


def make_environment(folder: Path) -> None:
    """Make the peer's virtual environment."""
    venv.create(folder, with_pip=True)
    requirements = HERE / "peer-requirements.txt"
    subprocess.run(
        [python_of(folder), "-m", "pip", "install", "--quiet", "-r", requirements], check=True
    )


def fit_ours(
    pairing: Pairing, problem: Problem, n_components: int, n_init: int, seed: int
) -> Fit:
    """Fit our method to the plain array that the peer gets too."""
    method = pairing.ours(
        n_components=n_components, n_init=n_init, seed=seed, **pairing.parameters
    )
    rows = problem.train.rows.copy()
    start = time.process_time()
    method.fit(Triplets.from_array(rows, problem.train.n_objects))
    return Fit(time.process_time() - start, method.embedding_)


def objective(pairing: Pairing, triplets: Triplets, n_components: int) -> Objective:
    """Our loss and its gradient over all answers."""
    method = pairing.ours(n_components=n_components, **pairing.parameters)
    return Objective(AnswerLayout.of(triplets), method._loss(), n_components)


def triplet_error(positions: np.ndarray, triplets: Triplets) -> float:
    """Share of answers that a map contradicts, ties by half."""
    return float(0.5 - np.sign(margins(positions, triplets.rows)).mean() / 2)


@dataclass(frozen=True)
class Outcome:
    """Medians of one side over the seeds."""

    seconds: float
    error: float
    loss: float

    @classmethod
    def of(cls, fits: list[Fit], problem: Problem, loss: Objective) -> Outcome:
        return cls(
            float(np.median([fit.seconds for fit in fits])),
            float(np.median([triplet_error(fit.positions, problem.test) for fit in fits])),
            float(np.median([loss(fit.positions.T.ravel())[0] for fit in fits])),
        )


def compare(
    pairing: Pairing, problem: Problem, n_init: int, options: argparse.Namespace,
    peer: Peer | None,
) -> tuple[str, ...]:
    """One row of the table."""
    setting = (options.dimensions, n_init)
    ours, theirs, too_slow = [], [], False
    for seed in range(options.repeats):
        if peer and not too_slow:
            try:
                theirs.append(peer.fit(pairing, problem, *setting, seed))
            except TooSlow:
                too_slow = True
        ours.append(fit_ours(pairing, problem, *setting, seed))
    loss = objective(pairing, problem.train, options.dimensions)
    our = Outcome.of(ours, problem, loss)
    their_seconds = their_error = their_loss = ratio = "–"
    if too_slow:
        their_seconds = f"> {options.peer_timeout:.0f}"
        ratio = f"> {options.peer_timeout / our.seconds:.0f}"
    elif peer:
        their = Outcome.of(theirs, problem, loss)
        their_seconds, ratio = f"{their.seconds:.3f}", f"{their.seconds / our.seconds:.0f}"
        their_error, their_loss = f"{their.error:.4f}", f"{their.loss:,.1f}"
    return (
        problem.name, pairing.ours.title, *map(str, setting), f"{our.seconds:.4f}", their_seconds,
        ratio, f"{our.error:.4f}", their_error, f"{our.loss:,.1f}", their_loss,
    )


HEADER = (
    "data", "method", "d", "starts", "ours s", "peer s", "ratio", "ours error", "peer error",
    "ours loss", "peer loss",
)


def comparisons(
    problems: list[Problem], n_init: int, options: argparse.Namespace, peer: Peer | None
) -> Iterator[tuple[str, ...]]:
    """Rows of one block, reported as they come."""
    for problem in problems:
        for name in options.methods:
            row = compare(PAIRINGS[name], problem, n_init, options, peer)
            print(*row, file=sys.stderr, flush=True)
            yield row


def gradient_cost(pairing: Pairing, triplets: Triplets, n_components: int) -> float:
    """Nanoseconds per answer of loss and gradient: the least of five rounds."""
    return evaluation_cost(objective(pairing, triplets, n_components), len(triplets))


def evaluation_cost(loss: Objective, number: int) -> float:
    """Nanoseconds of an evaluation for each of so many answers or trials."""
    x = np.random.default_rng(0).standard_normal(loss.shape[0] * loss.shape[1])
    calls = max(1, 5_000_000 // number)
    rounds = []
    for _ in range(5):
        start = time.process_time()
        for _ in range(calls):
            loss(x)
        rounds.append(time.process_time() - start)
    return min(rounds) / calls / number * 1e9


def choice_costs(names: list[str], n_trials: int = 200_000) -> Iterator[tuple[str, ...]]:
    """Odd ones out as a choice among three pairs, and as two independent answers."""
    for n_components in (2, 5):
        planted_map = np.random.default_rng(0).standard_normal((1000, n_components))
        trials = odd_ones_out(planted_map, n_trials)
        for name in names:
            loss = PAIRINGS[name].ours(n_components=n_components)._loss()
            one, two = (
                evaluation_cost(
                    Objective(AnswerLayout.of(trials, choices), loss, n_components), n_trials
                )
                for choices in (True, False)
            )
            yield (
                PAIRINGS[name].ours.title, "1,000", str(n_components), f"{n_trials:,}",
                f"{one:.1f}", f"{two:.1f}", f"{one / two:.2f}",
            )


def odd_ones_out(positions: np.ndarray, n_trials: int) -> Triplets:
    """Trials about random triples; the pair that stays follows softmax of -d^2."""
    rng = np.random.default_rng(1)
    shown = random_questions(len(positions), n_trials, rng)
    pairs = np.array([[0, 1, 2], [0, 2, 1], [1, 2, 0]])
    squares = np.stack([
        np.sum((positions[shown[:, i]] - positions[shown[:, j]]) ** 2, axis=1) for i, j, _ in pairs
    ], axis=1)
    kept = np.argmax(rng.gumbel(size=squares.shape) - squares, axis=1)
    rows = np.take_along_axis(shown, pairs[kept], axis=1)
    rows = np.stack([rows, rows[:, [1, 0, 2]]], axis=1).reshape(-1, 3)
    objects = pd.DataFrame({"id": [str(i) for i in range(len(positions))]})
    return Triplets(rows, objects, pd.DataFrame({"trial": np.repeat(np.arange(n_trials), 2)}))


def gradients(names: list[str]) -> Iterator[tuple[str, ...]]:
    """Cost of a gradient for each size and dimension, by method."""
    for n_objects in (1000, 5000):
        for n_components in (2, 5):
            triplets = planted(n_objects, n_components).train
            costs = (gradient_cost(PAIRINGS[name], triplets, n_components) for name in names)
            yield (
                f"{n_objects:,}", str(n_components), f"{len(triplets):,}",
                *(f"{cost:.1f}" for cost in costs),
            )


def restart_times(names: list[str], n_init: int = 8) -> Iterator[tuple[str, ...]]:
    """Wall time of several starts on one thread and on two: the least of five runs of each."""
    triplets = planted(1000).train
    for name in names:
        seconds: dict[int, list[float]] = {1: [], 2: []}
        for _ in range(5):
            for threads, times in seconds.items():
                with parallel_config(n_jobs=threads):
                    start = time.perf_counter()
                    PAIRINGS[name].ours(n_init=n_init, **PAIRINGS[name].parameters).fit(triplets)
                    times.append(time.perf_counter() - start)
        one, two = (min(times) for times in seconds.values())
        yield PAIRINGS[name].ours.title, str(n_init), f"{one:.3f}", f"{two:.3f}", f"{one / two:.2f}"


def parsed() -> argparse.Namespace:
    """What the command line asks for."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--make-peer-env", type=Path, metavar="DIR", help="make it, then stop")
    parser.add_argument("--peer-env", type=Path, metavar="DIR", help="without: only ours")
    parser.add_argument("--peer-timeout", type=float, default=300.0, metavar="SECONDS",
                        help="processor seconds that a fit of the peer may take")
    parser.add_argument("--data", type=Path, metavar="FOLDER", help="holds music/triplets.csv")
    parser.add_argument("--problems", nargs="*", choices=PROBLEMS, default=list(PROBLEMS))
    parser.add_argument("--methods", nargs="+", choices=PAIRINGS, default=list(PAIRINGS))
    parser.add_argument("--dimensions", type=int, default=2)
    parser.add_argument("--starts", type=int, nargs="+", default=[1, 5])
    parser.add_argument("--repeats", type=int, default=3, help="seeds per figure")
    return parser.parse_args()


def main() -> None:
    """Print the tables."""
    options = parsed()
    if options.make_peer_env:
        make_environment(options.make_peer_env)
        return
    peer = Peer(options.peer_env, options.peer_timeout) if options.peer_env else None
    problems = [p for p in (PROBLEMS[name](options) for name in options.problems) if p]
    print(machine())
    with parallel_config(n_jobs=1), threadpool_limits(1):
        for name in options.methods:  # compiles
            fit_ours(PAIRINGS[name], planted(20), options.dimensions, 1, 0)
        for n_init in options.starts if problems else ():
            print_table(HEADER, list(comparisons(problems, n_init, options, peer)))
        if peer and peer.versions:
            print(f"Peer: {peer.versions}\n")
        titles = [PAIRINGS[name].ours.title for name in options.methods]
        print("Loss and gradient, ns per answer")
        print_table(("n", "d", "answers", *titles), list(gradients(options.methods)))
        print("Loss and gradient of odd ones out, ns per trial")
        print_table(
            ("method", "n", "d", "trials", "one choice", "two answers", "ratio"),
            list(choice_costs([n for n in options.methods if PAIRINGS[n].ours.is_likelihood])),
        )
    print("Starts on two threads, n = 1,000, wall seconds")
    print_table(
        ("method", "starts", "1 thread", "2 threads", "speed-up"),
        list(restart_times(options.methods)),
    )


if __name__ == "__main__":
    main()
