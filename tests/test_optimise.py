"""Minimisation: finds minima, reports, stops, and does not depend on threads."""

from __future__ import annotations

import itertools

import joblib
import numpy as np
import pytest
from scipy.optimize import rosen, rosen_der

from core.optimise import minimise, restarts


def rosenbrock(x):
    return float(rosen(x)), rosen_der(x)


def test_finds_the_minimum_of_rosenbrocks_function():
    found = minimise(rosenbrock, np.full(6, -1.0), tol=1e-14)
    assert found.converged
    assert not found.stopped
    assert found.loss < 1e-8
    assert found.loss == rosenbrock(found.x)[0]


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
        found = restarts(lambda: rosenbrock, starts)
    alone = [minimise(rosenbrock, start) for start in starts]
    assert all(np.array_equal(f.x, a.x) for f, a in zip(found, alone, strict=True))


def test_one_stop_ends_all_starts():
    def progress(fraction, *, loss=None, snapshot=None, start=0):
        return True

    found = restarts(lambda: rosenbrock, [np.full(4, -1.0)] * 5, progress=progress)
    assert all(optimum.stopped for optimum in found)


def test_merged_progress_never_falls_and_names_the_start():
    seen = []

    def progress(fraction, *, loss=None, snapshot=None, start=0):
        seen.append((fraction, start))
        return False

    restarts(lambda: rosenbrock, [np.full(4, s) for s in (-1.0, 3.0, 7.0)], progress=progress)
    fractions = [fraction for fraction, _ in seen]
    assert all(b >= a - 1e-12 for a, b in itertools.pairwise(fractions))
    assert fractions[-1] == 1.0
    assert {start for _, start in seen} == {0, 1, 2}
