"""Adaptive against random questions, asked of simulated participants as an experiment asks them.

    python benchmarks/closing_loop.py               ten experiments of each kind; 40 minutes
    python benchmarks/closing_loop.py --seeds 2     fewer

The truth is a map of the alien eggs in the plane, and people answer by STE's model of answers with
as much noise as the real ones have. Two hundred participants, ten at a time, answer 88 questions
each. Adaptive questions come from a queue that is made anew whenever there are a twentieth more
answers; the newest ten answers are not known to it, because it takes a while; a fifth of all
questions is random all the same. Where the queue is empty, random questions stand in.

Of each kind: the share of fresh answers to random questions that the map predicts wrongly, the
share of comparisons that it gets wrong, and the mean size of the 95 % ellipses (root of the area,
relative to the root mean square coordinate), and the share of these that hold the true place.
Then, of the first three, the share of the random experiment's answers after which the adaptive one
is as good, with a 95 % t interval over experiments; over 1 where it never is.
"""

from __future__ import annotations

import argparse
import sys
import time
from pathlib import Path

import numpy as np
import pandas as pd

sys.path.insert(0, str(Path(__file__).parent.parent))

from sources import alien_eggs

import tripletscope as ts
from tripletscope.core.data.geometry import rms
from tripletscope.core.inference.held_out.paired import mean_with_half_width
from tripletscope.core.inference.uncertainty.calibration import (
    Truth,
    estimated_truth,
    held_by_ellipses,
    simulated_answers,
)
from tripletscope.core.inference.uncertainty.posterior import laplace
from tripletscope.core.models.optimise.loss import margins
from tripletscope.core.models.simulation.simulate import random_questions
from tripletscope.core.studies.experiment.experiment import Experiment, Stimulus
from tripletscope.core.studies.experiment.live import live_map, next_questions

_PEOPLE, _AT_ONCE, _EACH = 200, 10, 88
_GROWTH, _LAG, _RANDOM_SHARE = 1.05, 10, 0.2
_ALL = _PEOPLE * _EACH
_LOOKS = np.geomspace(1_000, _ALL, 9).astype(int)
_JUDGED = 20_000
MEASURES = ("wrongly predicted", "wrong comparisons", "ellipses", "held by ellipses")


def asked(truth: Truth, source: str, seed: int) -> np.ndarray:
    """(17,600, 3) answers of one experiment, in order."""
    rng = np.random.default_rng(seed)
    n = len(truth.positions)
    if source == "random":
        return simulated_answers(ts.STE(), truth, random_questions(n, _ALL, rng), rng)
    ids = [str(i) for i in range(n)]
    experiment = Experiment(
        title="eggs", objects=tuple(Stimulus(one, "text", one) for one in ids), source=source,
    )
    rows = np.empty((0, 3), dtype=np.int64)
    queue: list[tuple[str, ...]] = []
    known = 0
    while len(rows) < _ALL:
        if len(rows) - _LAG > _GROWTH * known:
            known = len(rows) - _LAG
            live = live_map(ts.Triplets.from_array(rows[:known], n), seed=seed)
            if live is not None:
                wanted = int((_GROWTH - 1.0) * known) + 2 * _LAG
                queue = next_questions(experiment, live, wanted, seed=int(rng.integers(2**31)))
        now = random_questions(n, _AT_ONCE, rng)
        for place in np.flatnonzero(rng.random(_AT_ONCE) >= _RANDOM_SHARE):
            if queue:
                now[place] = [int(one) for one in queue.pop()]
        rows = np.concatenate([rows, simulated_answers(ts.STE(), truth, now, rng)])
    return rows


def judged(truth: Truth, rows: np.ndarray, seed: int) -> list[tuple[float, ...]]:
    """`MEASURES` after each of the looks."""
    rng = np.random.default_rng([seed, 1])
    n, found = len(truth.positions), []
    fresh = simulated_answers(ts.STE(), truth, random_questions(n, _JUDGED, rng), rng)
    compared = random_questions(n, _JUDGED, rng)
    truly = margins(truth.positions, compared) > 0
    for look in _LOOKS:
        answers = ts.Triplets.from_array(rows[:look], n)
        fitted = ts.STE(seed=seed).fit(answers)
        samples = laplace(ts.STE(seed=seed), answers, samples=200, seed=seed)
        placed = samples.covariances[fitted.placed_]
        areas = np.pi * samples.radius(0.95) ** 2 * np.sqrt(np.linalg.det(placed))
        found.append((
            float(np.mean(margins(fitted.embedding_, fresh) <= 0)),
            float(np.mean((margins(fitted.embedding_, compared) > 0) != truly)),
            float(np.sqrt(np.mean(areas)) / rms(samples.reference)),
            float(held_by_ellipses(samples, truth.positions, levels=(0.95,))[0]),
        ))
    return found


def share_needed(chosen: np.ndarray, by_chance: np.ndarray) -> float:
    """Answers of the one as a share of those of the other for what the other reaches in the end.

    Both are measures after `_LOOKS`; between looks they are interpolated over the logarithm of
    the number of answers.
    """
    goal = by_chance[-1]
    steps = np.log(_LOOKS)
    falling = np.minimum.accumulate(chosen)
    if falling[-1] > goal:  # not reached: as many as it would take for chance to be as bad
        reached = np.interp(-falling[-1], -np.minimum.accumulate(by_chance), steps)
        return float(np.exp(steps[-1] - reached))
    return float(np.exp(np.interp(-goal, -falling, steps) - steps[-1]))


def main() -> None:
    command = argparse.ArgumentParser(description=__doc__)
    command.add_argument("--seeds", type=int, default=10)
    options = command.parse_args()
    truth = estimated_truth(ts.STE(), alien_eggs(), 0)
    curves: dict[str, list] = {"random": [], "uncertain": [], "gain": []}
    for seed in range(options.seeds):
        for source, found in curves.items():
            begun = time.perf_counter()
            found.append(judged(truth, asked(truth, source, seed), seed))
            print(f"{source} {seed}: {time.perf_counter() - begun:.0f} s {found[-1][-1]}",
                  file=sys.stderr, flush=True)
    arrays = {source: np.array(found) for source, found in curves.items()}
    for number, measure in enumerate(MEASURES):
        print(f"\n{measure}")
        print(pd.DataFrame(
            {source: found[:, :, number].mean(axis=0) for source, found in arrays.items()},
            index=_LOOKS,
        ).round(4).to_string())
        if measure == "held by ellipses":
            continue
        for source in ("uncertain", "gain"):
            shares = [
                share_needed(chosen, by_chance)
                for chosen, by_chance in zip(
                    arrays[source][:, :, number], arrays["random"][:, :, number], strict=True
                )
            ]
            mean, half_width = mean_with_half_width(np.log(shares))
            low, middle, high = np.exp([mean - half_width, mean, mean + half_width])
            print(f"{source}: {middle:.2f} of the answers ({low:.2f} to {high:.2f})")


if __name__ == "__main__":
    main()
