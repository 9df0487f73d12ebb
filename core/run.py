"""The one way in which anything is computed: in the app, in tests and in scripts.

A run remembers what it was computed from. Its key is a hash of that, so the same settings are
never computed twice, and a result always knows how it came about.
"""

from __future__ import annotations

import hashlib
import json
import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, fields
from datetime import UTC, datetime
from typing import Any

import numpy as np
from sklearn.base import clone

import core.embedding  # noqa: F401 - registers the methods that runs name
from core import __version__
from core.active import ActiveComparison, compare_active
from core.compare import LearningCurve, Tuning, learning_curve, tune
from core.method import Method, checked, methods
from core.progress import Progress, silent
from core.score import ErrorEstimate, cross_validate, split_error
from core.triplets import Triplets
from core.uncertainty import (
    Abstention,
    Calibration,
    DimensionCurve,
    DistanceSamples,
    Samples,
    abstention,
    bootstrap,
    calibrate,
    laplace,
    sample_distances,
    sample_posterior,
    uncertainty_by_dimension,
)

__all__ = ["TASKS", "Run", "key", "run"]


@dataclass(frozen=True)
class Run:
    """A computation and its result.

    Attributes
    ----------
    key : str
        Hash of version, task, data, method, parameters and options.
    task : str
        One of `TASKS`.
    kind, method : str
        Which method, as registered.
    parameters : dict
        All parameters of the method.
    options : dict
        All options of the task.
    data : str
        `Triplets.answers_fingerprint` (and the split, where the task reads it) of the data.
    version : str
        Of this package.
    created : str
        When, ISO 8601, UTC.
    seconds : float
        How long it took.
    complete : bool
        False if it was stopped before its time; it is then kept, but computed again when asked.
    numbers : dict
        Scalars of the result.
    arrays : dict of ndarray
        Arrays of the result.
    """

    key: str
    task: str
    kind: str
    method: str
    parameters: dict[str, Any]
    options: dict[str, Any]
    data: str
    version: str
    created: str
    seconds: float
    complete: bool
    numbers: dict[str, Any] = field(default_factory=dict)
    arrays: dict[str, np.ndarray] = field(default_factory=dict)

    def fresh(self) -> Method:
        """The method as it was set, not fitted."""
        return methods(self.kind)[self.method](**self.parameters)

    def fitted(self) -> Method:
        """The fitted method of a fit."""
        method = self.fresh()
        for name, value in {**self.numbers, **self.arrays}.items():
            setattr(method, name, value)
        return method

    def error(self) -> ErrorEstimate:
        """The result of an error estimate."""
        return self.result()

    def samples(self) -> Samples:
        """The result of a bootstrap, a posterior or its normal approximation."""
        return self.result()

    def curve(self) -> LearningCurve:
        """The result of a learning curve."""
        return self.result()

    def tuning(self) -> Tuning:
        """The result of tuning."""
        return self.result()

    def result(self) -> Any:
        """The result of any task but a fit, as what its function returns."""
        return TASKS[self.task].result(**self.numbers, **self.arrays)


Result = tuple[dict[str, Any], dict[str, np.ndarray], bool]


def _fit(method: Method, triplets: Triplets, options: Mapping, progress: Progress) -> Result:
    method.fit(triplets, progress=progress)
    numbers, arrays = _divided({k: v for k, v in vars(method).items() if k.endswith("_")})
    return numbers, arrays, not method.stopped_


def _divided(state: Mapping[str, Any]) -> tuple[dict[str, Any], dict[str, np.ndarray]]:
    """What is no array, and what is."""
    arrays = {name: value for name, value in state.items() if isinstance(value, np.ndarray)}
    return {name: value for name, value in state.items() if name not in arrays}, arrays


class _Watched:
    """A progress that remembers whether it asked to stop before the end."""

    def __init__(self, progress: Progress) -> None:
        self._progress = progress
        self.stopped = False

    def __call__(self, fraction: float, **details: Any) -> bool:
        asked = self._progress(fraction, **details)
        self.stopped |= asked and fraction < 1.0
        return asked


@dataclass(frozen=True)
class Task:
    """Something that can be computed of a method and data.

    Attributes
    ----------
    compute : callable
    declares : callable
        Carries the declarations of the task's options.
    result : type, optional
        A dataclass of plain values and arrays, to which a run can be turned back.
    columns : tuple of str
        Columns of the answers that the result depends on, beside the answers themselves.
    """

    compute: Callable[[Method, Triplets, Mapping, Progress], Result]
    declares: Callable
    result: type | None = None
    columns: tuple[str, ...] = ()


def _no_options() -> None:
    """A fit is all in the parameters of its method."""


def _task(function: Callable, result: type, columns: tuple[str, ...] = ()) -> Task:
    """The task behind a function of method, triplets, declared options and progress."""

    def compute(
        method: Method, triplets: Triplets, options: Mapping, progress: Progress
    ) -> Result:
        watched = _Watched(progress)
        found = function(method, triplets, **options, progress=watched)
        state = {field.name: getattr(found, field.name) for field in fields(found)}
        return *_divided(state), not watched.stopped

    return Task(compute, function, result, columns)


TASKS: dict[str, Task] = {
    "fit": Task(_fit, _no_options),
    "cross_validate": _task(cross_validate, ErrorEstimate),
    "split_error": _task(split_error, ErrorEstimate, columns=("split",)),
    "bootstrap": _task(bootstrap, Samples),
    "posterior": _task(sample_posterior, Samples),
    "laplace": _task(laplace, Samples),
    "distance_posterior": _task(sample_distances, DistanceSamples),
    "abstention": _task(abstention, Abstention, columns=("split",)),
    "uncertainty_by_dimension": _task(uncertainty_by_dimension, DimensionCurve),
    "calibrate": _task(calibrate, Calibration),
    "compare_active": _task(compare_active, ActiveComparison),
    "learning_curve": _task(learning_curve, LearningCurve),
    "tune": _task(tune, Tuning),
}


def key(
    task: str, method: Method, triplets: Triplets, options: Mapping[str, Any] | None = None
) -> str:
    """Hash of everything that the result depends on.

    Raises
    ------
    ValueError
        If a parameter or an option is not as declared.
    """
    record = [
        __version__, task, method.kind, method.name,
        checked(type(method), method.get_params(deep=False)),
        checked(TASKS[task].declares, options or {}),
        triplets.fingerprint_of(*TASKS[task].columns),
    ]
    text = json.dumps(record, sort_keys=True)
    return hashlib.blake2b(text.encode(), digest_size=16).hexdigest()


def run(
    task: str,
    method: Method,
    triplets: Triplets,
    options: Mapping[str, Any] | None = None,
    *,
    progress: Progress = silent,
) -> Run:
    """Compute `task` for a method and data.

    Parameters
    ----------
    task : str
        One of `TASKS`.
    method : Method
        Not changed.
    triplets : Triplets
    options : mapping, optional
        Keyword arguments of the function behind the task.
    progress : Progress

    Returns
    -------
    Run

    Raises
    ------
    DataError
        If the data cannot be computed with.
    ValueError
        If a parameter or an option is not as declared.
    Stopped
        If `progress` asked to stop before there was anything to keep.
    """
    name = key(task, method, triplets, options)
    chosen = checked(TASKS[task].declares, options or {})
    begun, created = time.perf_counter(), datetime.now(UTC)
    numbers, arrays, complete = TASKS[task].compute(clone(method), triplets, chosen, progress)
    return Run(
        key=name, task=task, kind=method.kind, method=method.name,
        parameters=checked(type(method), method.get_params(deep=False)), options=chosen,
        data=triplets.fingerprint_of(*TASKS[task].columns), version=__version__,
        created=created.isoformat(timespec="seconds"), seconds=time.perf_counter() - begun,
        complete=complete, numbers=numbers, arrays=arrays,
    )
