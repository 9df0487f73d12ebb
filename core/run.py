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

import tripletscope.core.embedding  # noqa: F401 - registers the methods that runs name
from tripletscope import __version__
from tripletscope.core.cluster.clustering import Clustering
from tripletscope.core.cluster.counting import ClusterCounts, count_clusters
from tripletscope.core.cluster.stability import Stability, stability
from tripletscope.core.computing.progress import Progress, silent
from tripletscope.core.data.triplets import Triplets
from tripletscope.core.design.active import ActiveComparison, compare_active
from tripletscope.core.design.detection import Detection, detect_dimension
from tripletscope.core.design.plan import Plan, plan
from tripletscope.core.evaluation.compare import LearningCurve, Tuning, learning_curve, tune
from tripletscope.core.evaluation.score import ErrorEstimate, cross_validate, split_error
from tripletscope.core.kernel.classification import Classification, classify
from tripletscope.core.kernel.spectrum import KernelMap, Spectrum, kernel_map, spectrum
from tripletscope.core.method import Column, Method, checked, methods, parameters
from tripletscope.core.observers import (
    GroupErrors,
    ObserverMaps,
    PoolingCurve,
    Predictions,
    errors_by_group,
    observer_maps,
    pooling_curve,
    who_predicts_whom,
)
from tripletscope.core.quality import Agreement, agreement_with_map
from tripletscope.core.scale import (
    GroupScales,
    OrdinalScale,
    ScaleDiagnostics,
    ScaleSamples,
    bootstrap_scale,
    diagnose,
    ordinal_scale,
    scales_by,
)
from tripletscope.core.tree.comparison import SearchCurve, search_curve
from tripletscope.core.tree.prediction import ForestErrors, forest_errors
from tripletscope.core.uncertainty import (
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

#: Part of every key: the version since which the same settings give the same results. Raise it when
#: they give others.
RESULTS_SINCE = "0.2.0"

__all__ = ["TASKS", "Run", "cluster_distances", "key", "run"]


@dataclass(frozen=True)
class Run:
    """A computation and its result.

    Attributes
    ----------
    key : str
        Hash of `RESULTS_SINCE`, task, data, method, parameters and options.
    task : str
        One of `TASKS`.
    kind, method : str
        Which method, as registered.
    parameters : dict
        All parameters of the method.
    options : dict
        All options of the task; of a fit to given distances, what these are called.
    data : str
        `Triplets.fingerprint_of` the columns that the task reads, or hash of given distances; empty
        for simulations.
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
        return TASKS[self.task].gives(**self.numbers, **self.arrays)


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
    gives : type or None
        Type of the result, a dataclass of plain values and arrays; None for a fit, which gives a
        method.
    kinds : tuple of str
        Kinds of methods that it is for; empty for all.
    columns : tuple of str
        Columns of the answers that the result depends on, beside the answers themselves.
    needs_data : bool
        False for simulations, which take None in place of data.
    """

    compute: Callable[[Method, Triplets, Mapping, Progress], Result]
    declares: Callable
    gives: type | None = None
    kinds: tuple[str, ...] = ()
    columns: tuple[str, ...] = ()
    needs_data: bool = True

    def fingerprint(
        self, method: Method, triplets: Triplets | None, options: Mapping[str, Any]
    ) -> str:
        """Hash of what the task reads of the data, with columns that options or method name."""
        if not self.needs_data:
            return ""
        chosen = [(p.spec, options[p.name]) for p in parameters(self.declares)]
        chosen += [(p.spec, getattr(method, p.name)) for p in parameters(type(method))]
        named: dict[str, list[str]] = {"objects": [], "answers": []}
        for spec, value in chosen:
            if isinstance(spec, Column) and value is not None:
                named[spec.of].append(value)
        return triplets.fingerprint_of(
            *self.columns, *named["answers"], objects=tuple(named["objects"])
        )


def _no_options() -> None:
    """A fit is all in the parameters of its method."""


def _task(
    function: Callable, gives: type, *kinds: str, columns: tuple[str, ...] = (),
    needs_data: bool = True,
) -> Task:
    """The task behind a function of method, triplets, declared options and progress."""

    def compute(
        method: Method, triplets: Triplets, options: Mapping, progress: Progress
    ) -> Result:
        watched = _Watched(progress)
        found = function(method, triplets, **options, progress=watched)
        state = {field.name: getattr(found, field.name) for field in fields(found)}
        return *_divided(state), not watched.stopped

    return Task(compute, function, gives, kinds, columns, needs_data)


TASKS: dict[str, Task] = {
    "fit": Task(_fit, _no_options),
    "cross_validate": _task(cross_validate, ErrorEstimate),
    "split_error": _task(split_error, ErrorEstimate, columns=("split",)),
    "learning_curve": _task(learning_curve, LearningCurve),
    "tune": _task(tune, Tuning, "embedding", columns=("split",)),
    "bootstrap": _task(bootstrap, Samples, "embedding"),
    "posterior": _task(sample_posterior, Samples, "embedding"),
    "laplace": _task(laplace, Samples, "embedding"),
    "distance_posterior": _task(sample_distances, DistanceSamples, "embedding"),
    "abstention": _task(abstention, Abstention, "embedding", columns=("split",)),
    "uncertainty_by_dimension": _task(uncertainty_by_dimension, DimensionCurve, "embedding"),
    "calibrate": _task(calibrate, Calibration, "embedding"),
    "compare_active": _task(compare_active, ActiveComparison, "embedding"),
    "kernel_map": _task(kernel_map, KernelMap, "kernel"),
    "spectrum": _task(spectrum, Spectrum, "kernel"),
    "classify": _task(classify, Classification),
    "count_clusters": _task(count_clusters, ClusterCounts, "cluster"),
    "stability": _task(stability, Stability, "cluster"),
    "search_curve": _task(search_curve, SearchCurve, "embedding", "kernel"),
    "forest_errors": _task(forest_errors, ForestErrors, "embedding", "kernel"),
    "bootstrap_scale": _task(bootstrap_scale, ScaleSamples, "scale"),
    "diagnose": _task(diagnose, ScaleDiagnostics, "scale"),
    "ordinal_scale": _task(ordinal_scale, OrdinalScale, "embedding"),
    "scales_by": _task(scales_by, GroupScales, "embedding", "scale"),
    "agreement_with_map": _task(agreement_with_map, Agreement, columns=("participant",)),
    "errors_by_group": _task(errors_by_group, GroupErrors),
    "who_predicts_whom": _task(who_predicts_whom, Predictions),
    "pooling_curve": _task(pooling_curve, PoolingCurve),
    "observer_maps": _task(observer_maps, ObserverMaps, "embedding"),
    "plan": _task(plan, Plan, "embedding", "kernel", "scale", needs_data=False),
    "detect_dimension": _task(detect_dimension, Detection, "embedding", needs_data=False),
}


def key(
    task: str, method: Method, triplets: Triplets | None,
    options: Mapping[str, Any] | None = None,
) -> str:
    """Hash of everything that the result depends on.

    Raises
    ------
    ValueError
        If a parameter or an option is not as declared, or the task is not for such methods.
    """
    kinds = TASKS[task].kinds
    if kinds and method.kind not in kinds:
        raise ValueError(f"{task} is for methods of kind {' or '.join(kinds)}, not {method.kind}.")
    chosen = checked(TASKS[task].declares, options or {})
    record = [
        RESULTS_SINCE, task, method.kind, method.name,
        checked(type(method), method.get_params(deep=False)), chosen,
        TASKS[task].fingerprint(method, triplets, chosen),
    ]
    return _hash(json.dumps(record, sort_keys=True).encode())


def _hash(content: bytes) -> str:
    return hashlib.blake2b(content, digest_size=16).hexdigest()


def run(
    task: str,
    method: Method,
    triplets: Triplets | None,
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
    triplets : Triplets or None
        None only for simulations.
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
        data=TASKS[task].fingerprint(method, triplets, chosen), version=__version__,
        created=created.isoformat(timespec="seconds"), seconds=time.perf_counter() - begun,
        complete=complete, numbers=numbers, arrays=arrays,
    )


def cluster_distances(
    method: Clustering, matrix: np.ndarray, objects: np.ndarray, n_objects: int, name: str
) -> Run:
    """Fit a clustering to given distances.

    Parameters
    ----------
    method : Clustering
        Not changed.
    matrix : ndarray, shape (m, m)
    objects : ndarray of int, shape (m,)
        Positions of its rows among `n_objects`.
    n_objects : int
    name : str
        What the distances are called.

    Returns
    -------
    Run
        A fit, whose options have the name as ``distances``.

    Raises
    ------
    DataError
        If they are no distances, or not such as the method needs.
    """
    begun, created = time.perf_counter(), datetime.now(UTC)
    matrix = np.ascontiguousarray(matrix, dtype=float)
    data = _hash(matrix.tobytes() + np.asarray(objects, dtype=np.int64).tobytes())
    chosen = checked(type(method), method.get_params(deep=False))
    record = [RESULTS_SINCE, "distances", method.kind, method.name, chosen, n_objects, data]
    fitted = clone(method).fit_distances(matrix, objects, n_objects)
    numbers, arrays = _divided({k: v for k, v in vars(fitted).items() if k.endswith("_")})
    return Run(
        key=_hash(json.dumps(record, sort_keys=True).encode()), task="fit", kind=method.kind,
        method=method.name, parameters=chosen, options={"distances": name}, data=data,
        version=__version__, created=created.isoformat(timespec="seconds"),
        seconds=time.perf_counter() - begun, complete=True, numbers=numbers, arrays=arrays,
    )
