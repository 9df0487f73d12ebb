"""Minimisation: finds minima, reports, stops, and does not depend on threads."""

from __future__ import annotations

import itertools
import os
import subprocess
import sys
from pathlib import Path

import joblib
import numpy as np
import pytest
import scipy.optimize
from scipy.optimize import rosen, rosen_der

from tests.paths import ROOT
from tripletscope.core.engine.progress import part
from tripletscope.core.models.embedding import STE
from tripletscope.core.models.optimise.layout import AnswerLayout
from tripletscope.core.models.optimise.loss import Objective
from tripletscope.core.models.optimise.minimise import NOT_NEGATIVE, minimise, restarts


def rosenbrock(x):
    return float(rosen(x)), rosen_der(x)


def from_start(start, progress):
    return minimise(rosenbrock, start, progress=progress)


def test_finds_the_minimum_of_rosenbrocks_function():
    found = minimise(rosenbrock, np.full(6, -1.0), tol=1e-14)
    assert found.converged
    assert not found.stopped
    assert found.loss < 1e-8
    assert found.loss == rosenbrock(found.x)[0]


@pytest.mark.parametrize("start", [0.0, 1.0])
def test_agrees_with_scipy(start, planted):
    objective = Objective(AnswerLayout.of(planted), STE()._loss(), 2)
    x = np.random.default_rng(0).normal(size=2 * planted.n_objects) + start
    found = minimise(objective, x)
    theirs = scipy.optimize.minimize(
        objective, x, jac=True, method="L-BFGS-B", options={"ftol": 1e-9, "gtol": 0.0}
    )
    assert found.loss == pytest.approx(theirs.fun, rel=1e-6)
    assert found.n_iter < 1.5 * theirs.nit


@pytest.mark.parametrize("correlated", [False, True])
def test_finds_the_non_negative_least_squares(correlated):
    rng = np.random.default_rng(0)
    table, target = rng.normal(size=(60, 40)), rng.normal(size=60)
    if correlated:  # the least along variables that may move is not that along all
        table = table @ np.linalg.cholesky(np.full((40, 40), 0.9) + 0.1 * np.eye(40)).T
        target += table @ (rng.uniform(size=40) < 0.5)

    def squares(x):
        rest = table @ x - target
        return float(rest @ rest), 2.0 * table.T @ rest

    evaluated = []

    def watched(x):
        evaluated.append(x.min())
        return squares(x)

    found = minimise(watched, np.full(40, 0.3), tol=1e-14, bounds=NOT_NEGATIVE)
    theirs, norm = scipy.optimize.nnls(table, target)
    assert found.converged
    assert found.loss == pytest.approx(norm**2, rel=1e-8)
    assert np.array_equal(found.x > 0, theirs > 0)
    assert min(evaluated) == 0.0
    assert len(evaluated) < 200


def test_finds_the_least_squares_between_bounds():
    rng = np.random.default_rng(1)
    table, target = rng.normal(size=(60, 40)), 9.0 * rng.normal(size=60)
    low, high = np.full(40, -np.inf), np.full(40, np.inf)
    low[:20], high[10:30] = -0.5, 0.25
    low[5] = high[5] = 0.125  # no choice
    theirs = scipy.optimize.lsq_linear(
        table, target, (np.where(low == high, low - 1e-12, low), high), tol=1e-14
    )

    def squares(x):  # a loss below 0 has no end at 0
        rest = table @ x - target
        return float(rest @ rest) - 1e5, 2.0 * table.T @ rest

    found = minimise(squares, np.clip(np.zeros(40), low, high), tol=1e-15, bounds=(low, high))
    assert found.converged
    assert ((low <= found.x) & (found.x <= high)).all()
    assert found.x == pytest.approx(theirs.x, abs=1e-5)
    on_bound = np.isclose(theirs.x, low, atol=1e-7) | np.isclose(theirs.x, high, atol=1e-7)
    assert np.array_equal((found.x == low) | (found.x == high), on_bound)
    assert on_bound.sum() > 10


def test_compiled_iterations_are_the_same_as_single_ones(planted):
    objective = Objective(AnswerLayout.of(planted), STE()._loss(), 2, prior=0.1)
    x = np.random.default_rng(1).normal(size=2 * planted.n_objects)
    for n_iter in (1, 7, 1000):
        together = minimise(objective, x, max_iter=n_iter)
        # A function that hides what the objective is has its iterations taken one by one.
        single = minimise(lambda x: objective(x), x, max_iter=n_iter)
        assert together.loss == pytest.approx(single.loss, rel=1e-9)
        assert together.converged == single.converged
        assert abs(together.n_iter - single.n_iter) <= (2 if n_iter == 1000 else 0)


def test_who_watches_changes_no_bit_and_sees_every_iteration(planted):
    objective = Objective(AnswerLayout.of(planted), STE()._loss(), 2)
    x = np.random.default_rng(1).normal(size=2 * planted.n_objects)
    seen = []

    def watching(fraction, *, loss=None, snapshot=None, start=0):
        seen.append((fraction, loss))
        return False

    watched, unwatched = minimise(objective, x, progress=watching), minimise(objective, x)
    assert np.array_equal(watched.x, unwatched.x)
    assert watched.n_iter == unwatched.n_iter == len(seen) - 1
    fractions, losses = zip(*seen, strict=True)
    assert list(fractions) == sorted(fractions)
    assert list(losses) == sorted(losses, reverse=True)
    assert losses[-1] == watched.loss


def test_a_stop_between_compiled_iterations_keeps_the_last(planted):
    objective = Objective(AnswerLayout.of(planted), STE()._loss(), 2)
    x = np.random.default_rng(1).normal(size=2 * planted.n_objects)
    shown = []

    def stopping(fraction, *, loss=None, snapshot=None, start=0):
        shown.append(snapshot.copy())
        return len(shown) > 1

    found = minimise(objective, x, tol=1e-14, progress=stopping)
    assert found.stopped
    assert not found.converged
    assert np.array_equal(found.x, shown[-1])
    assert found.loss == pytest.approx(objective(found.x)[0], rel=1e-12)


def test_follows_a_long_valley_of_many_dimensions():
    scale = np.logspace(0, 4, 50)
    found = minimise(lambda x: (float(x @ (scale * x)), 2 * scale * x), np.ones(50), tol=1e-12)
    assert found.converged
    assert found.loss < 1e-8


def test_survives_kinks_and_places_without_a_value():
    def kinked(x):
        return float(np.abs(x).sum()), np.sign(x)

    assert minimise(kinked, np.array([3.0, -0.7, 2.2]), tol=1e-12).loss < 1e-3

    def walled(x):  # least at 1, no value below 0
        with np.errstate(all="ignore"):
            return float(np.sum(x - np.log(x))), 1 - 1 / x

    found = minimise(walled, np.array([50.0, 1e-3]), tol=1e-12)
    assert np.allclose(found.x, 1, atol=1e-4)


def test_a_flat_start_is_the_end():
    found = minimise(lambda x: (1.0, np.zeros_like(x)), np.ones(3))
    assert found.converged
    assert found.n_iter == 0
    assert np.array_equal(found.x, np.ones(3))


def test_reports_every_iteration_with_a_fraction_that_never_falls():
    seen = []

    def progress(fraction, *, loss=None, snapshot=None, start=0):
        seen.append((fraction, loss, snapshot.copy()))
        return False

    found = minimise(rosenbrock, np.full(6, -1.0), progress=progress)
    fractions = [fraction for fraction, _, _ in seen]
    assert fractions == sorted(fractions)
    assert 0 <= fractions[0] <= fractions[-1] <= 1
    assert len(seen) == found.n_iter + 1
    assert all(loss == rosenbrock(snapshot)[0] for _, loss, snapshot in seen)


@pytest.mark.parametrize("after", [0, 1, 5])
def test_a_stop_keeps_the_last_iterate(after):
    calls = []

    def progress(fraction, *, loss=None, snapshot=None, start=0):
        calls.append(loss)
        return len(calls) > after

    found = minimise(rosenbrock, np.full(6, -1.0), progress=progress)
    assert found.stopped
    assert not found.converged
    assert found.n_iter == after
    assert found.loss == calls[-1] == rosenbrock(found.x)[0]


def test_says_when_iterations_run_out():
    found = minimise(rosenbrock, np.full(6, -1.0), max_iter=3)
    assert found.n_iter == 3
    assert not found.converged
    assert not found.stopped


@pytest.mark.parametrize("n_jobs", [1, 2, 4])
def test_restarts_come_in_order_whatever_the_threads(n_jobs):
    starts = [np.full(4, s) for s in (-1.0, 0.0, 2.0, 5.0, -3.0)]
    with joblib.parallel_config(n_jobs=n_jobs):
        found = restarts(from_start, starts)
    alone = [minimise(rosenbrock, start) for start in starts]
    assert all(np.array_equal(f.x, a.x) for f, a in zip(found, alone, strict=True))


def test_one_stop_ends_all_starts():
    def progress(fraction, *, loss=None, snapshot=None, start=0):
        return True

    found = restarts(from_start, [np.full(4, -1.0)] * 5, progress=progress)
    assert all(optimum.stopped for optimum in found)


def test_merged_progress_never_falls_and_names_the_start():
    seen = []

    def progress(fraction, *, loss=None, snapshot=None, start=0):
        seen.append((fraction, start))
        return False

    restarts(from_start, [np.full(4, s) for s in (-1.0, 3.0, 7.0)], progress=progress)
    fractions = [fraction for fraction, _ in seen]
    assert all(b >= a - 1e-12 for a, b in itertools.pairwise(fractions))
    assert fractions[-1] == 1.0
    assert {start for _, start in seen} == {0, 1, 2}


def test_progress_of_a_part_is_shown_in_another_form():
    seen = []

    def progress(fraction, *, loss=None, snapshot=None, start=0):
        seen.append((fraction, loss, snapshot, start))
        return fraction > 0.4

    half = part(progress, 0.25, 0.75, show=lambda x: x + 1)
    assert not half(0.0, start=2)
    assert half(0.5, loss=3.0, snapshot=4)
    assert seen == [(0.25, None, None, 2), (0.5, 3.0, 5, 0)]


SAME_BITS = """
import hashlib
import numpy as np
from tripletscope.core.models.embedding import STE
from tripletscope.core.models.optimise.layout import AnswerLayout
from tripletscope.core.models.optimise.loss import Objective
from tripletscope.core.models.optimise.minimise import minimise
from tripletscope.core.models.simulation.simulate import simulate

answers = simulate(np.random.default_rng(0).normal(size=(12, 2)), 400, noise="logistic", seed=1)
objective = Objective(AnswerLayout.of(answers), STE()._loss(), 2)
found = minimise(objective, np.random.default_rng(1).normal(size=24)).x
print(hashlib.md5(found.tobytes()).hexdigest())
"""


def test_code_from_the_cache_gives_the_same_bits_as_code_compiled_just_now(tmp_path):
    def computed() -> str:
        return subprocess.run(
            [sys.executable, "-c", SAME_BITS], cwd=ROOT, check=True,
            capture_output=True, text=True, env={**os.environ, "NUMBA_CACHE_DIR": str(tmp_path)},
        ).stdout

    def compiled() -> dict[Path, int]:
        return {path: path.stat().st_mtime_ns for path in tmp_path.rglob("*.nbc")}

    first, made = computed(), compiled()
    kept = {path.name.partition("-")[0] for path in made}
    assert {"minimise._iterations", "loss.evaluate_of_two", "elementary.exp_negative"} <= kept
    assert computed() == first
    assert compiled() == made, "and not again"
