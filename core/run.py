"""Compute tasks and keep how: the key of a run is a hash of everything that it depends on."""

from __future__ import annotations

import hashlib
import json
import re
import time
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime
from functools import partial
from typing import TYPE_CHECKING, Any, Self, get_origin, get_type_hints

import numpy as np

from tripletscope import __version__
from tripletscope.core.engine.declared import checked, with_seed
from tripletscope.core.engine.docstrings import check_documented, documented
from tripletscope.core.engine.progress import Progress, silent
from tripletscope.core.engine.registry import TASKS, registry
from tripletscope.core.engine.short_repr import short_repr

if TYPE_CHECKING:  # readers of results need none of these modules, which take long to load
    from tripletscope.core.data.triplets import Answers, Triplets
    from tripletscope.core.engine.method import Method
    from tripletscope.core.inference.uncertainty.samples import Samples
    from tripletscope.core.reading import FeatureTable
    from tripletscope.core.similarity.clusters.clustering import Clustering

__all__ = ["TASKS", "Run", "cluster_distances", "key", "run"]

#: Part of every key: the version since which the same settings give the same results. Raise it with
#: every change of results.
RESULTS_SINCE = "0.5.0"
_KEY = re.compile(r"[0-9a-f]{32}")


class NotComputed(ValueError):
    """A task or a method of a result that this version does not have."""


@short_repr
@dataclass(frozen=True)
class Run:
    """A computation and its result.

    Attributes
    ----------
    key : str
        Hash of `RESULTS_SINCE`, task, data, method, parameters and options, and of whether trials
        are taken as choices.
    task : str
        One of `TASKS`.
    kind, method : str
        As registered.
    parameters : dict
        All parameters of the method.
    options : dict
        All options of the task; of a fit to distances, their name.
    data : str
        `Triplets.fingerprint_of` the columns that the task reads, or hash of distances; empty for
        simulations.
    version : str
        Of this package.
    created : str
        ISO 8601, UTC.
    seconds : float
        Computing time.
    complete : bool
        False if it was stopped early; it is then kept, but computed again on request.
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

    @classmethod
    def of(
        cls, record: Mapping[str, Any], arrays: Mapping[str, np.ndarray], n_objects: int | None
    ) -> Self:
        """A result from elsewhere, after a check of all its values.

        record: The fields without arrays; further keys are ignored.
        n_objects: Of the data, where they are known.
        """
        hints = {name: kind for name, kind in get_type_hints(cls).items() if name != "arrays"}
        for name, kind in hints.items():
            if not isinstance(record.get(name), get_origin(kind) or kind):
                raise ValueError(f"{name} of a result must be {kind}")
        result = cls(**{name: record[name] for name in hints}, arrays=dict(arrays))
        result._check(n_objects)
        return result

    def _check(self, n_objects: int | None) -> None:
        if not _KEY.fullmatch(self.key):
            raise ValueError("the key of a result must be a hash")
        datetime.fromisoformat(self.created)
        if self.task not in TASKS or self.method not in registry(self.kind):
            raise NotComputed(f"there is no {self.task} of a {self.kind} {self.method}")
        task, method = TASKS[self.task], registry(self.kind)[self.method]
        if task.kinds and self.kind not in task.kinds:
            raise ValueError(f"{self.task} is not for methods of kind {self.kind}")
        checked(method, self.parameters)
        if self.task == "fit" and set(self.options) == {"distances"}:
            if not isinstance(self.options["distances"], str):
                raise ValueError("distances must have a name")
        else:
            checked(task.function, self.options)
        missing = task.required(method) - {*self.numbers, *self.arrays}
        if missing:
            raise ValueError(f"the result lacks {', '.join(sorted(missing))}")
        self._check_shapes(n_objects)

    def _check_shapes(self, n_objects: int | None) -> None:
        gives = TASKS[self.task].gives or registry(self.kind)[self.method]
        sizes = {} if n_objects is None else {"n": n_objects}
        check_documented({**self.numbers, **self.arrays}, documented(gives), sizes)

    def check_objects(self, n_objects: int) -> None:
        """Raise ValueError if the result is about another number of objects."""
        try:
            self._check_shapes(n_objects)
        except ValueError as error:
            raise ValueError(
                f"the result of {self.task} is not about {n_objects:,} objects, as the answers "
                f"are ({error}); give the answers that it was computed from."
            ) from error

    @classmethod
    def of_fit(cls, fitted: Method, answers: Answers) -> Self:
        """The result of `run` for a method that learned from the answers outside of it."""
        from tripletscope.core.engine.task import fitted_values

        numbers, arrays = fitted_values(fitted)
        result = cls(
            key=key("fit", fitted, answers), task="fit", kind=fitted.kind, method=fitted.name,
            parameters=checked(type(fitted), fitted.get_params(deep=False)), options={},
            data=TASKS["fit"].fingerprint(fitted, answers, {}), version=__version__,
            created=datetime.now(UTC).isoformat(timespec="seconds"), seconds=0.0,
            complete=not fitted.stopped_, numbers=numbers, arrays=arrays,
        )
        result.check_objects(answers.n_objects)
        return result

    @property
    def table(self) -> str:
        """Name of the table beside the answers that it is of; empty for others."""
        named = (self.options.get("distances"), *map(self.numbers.get, ("table", "table_")))
        return next(filter(None, named), "")

    @property
    def of_measured(self) -> bool:
        """Whether it is of what was measured, such as ratings, instead of answers."""
        marks = map(self.numbers.get, ("measured", "measured_"))
        return TASKS[self.task].of_measured or any(marks)

    @property
    def holds_data(self) -> bool:
        """Whether what it was computed of is known by its arrays alone."""
        return TASKS[self.task].holds_data or registry(self.kind)[self.method].holds_data

    def fresh(self) -> Method:
        """The method with its settings, not fitted."""
        return registry(self.kind)[self.method](**self.parameters)

    def fitted(self) -> Method:
        """The fitted method of a fit."""
        method = self.fresh()
        for name, value in {**self.numbers, **self.arrays}.items():
            setattr(method, name, value)
        return method

    def samples(self, triplets: Triplets | None = None) -> Samples:
        """The result of a bootstrap, a posterior or its normal approximation.

        Parameters
        ----------
        triplets : Triplets, optional
            The answers behind it; needed for response probabilities.
        """
        samples = self.result()
        if triplets is None:
            return samples
        from tripletscope.core.inference.uncertainty.sources import response_model, response_options

        options = response_options(self.task, self.options)
        return replace(samples, learn=partial(response_model, self.fresh(), triplets, **options))

    @property
    def doubted(self) -> tuple[str, ...]:
        """Codes of doubts that need no answers: see `tripletscope.doubts`."""
        codes = () if self.task == "fit" else getattr(self.result(), "doubted", ())
        is_finished = self.complete and self.numbers.get("converged_", True)
        return (*codes, *(() if is_finished else ("unfinished",)))

    def result(self) -> Any:
        """The result of any task but a fit, of the type that its function returns."""
        return TASKS[self.task].restored(self.numbers, self.arrays)


def key(
    task: str, method: Method, triplets: Triplets | None, options: Mapping[str, Any] | None = None,
) -> str:
    """Hash of everything that the result depends on; checks the declarations first."""
    from tripletscope.core.engine.method import for_key

    kinds = TASKS[task].kinds
    if kinds and method.kind not in kinds:
        raise ValueError(f"{task} is for methods of kind {' or '.join(kinds)}, not {method.kind}.")
    chosen = checked(TASKS[task].function, with_seed(options or {}))
    set_to = checked(type(method), method.get_params(deep=False))
    record = [
        RESULTS_SINCE, task, method.kind, method.name, for_key(type(method), set_to),
        for_key(TASKS[task].function, chosen),
        TASKS[task].fingerprint(method, triplets, chosen),
    ]
    if TASKS[task].takes_choices(method, triplets, chosen):
        record.append("choices")
    return _hash(json.dumps(record, sort_keys=True).encode())


def _hash(content: bytes) -> str:
    return hashlib.blake2b(content, digest_size=16).hexdigest()


def run(
    task: str, method: Method, triplets: Triplets | None, options: Mapping[str, Any] | None = None,
    *, begun: Run | None = None, progress: Progress = silent,
) -> Run:
    """Compute `task` for a method and data.

    Parameters
    ----------
    task : str
        One of these:

        abstention, agreement_curve, agreement_with_map, align_spaces, bootstrap,
        bootstrap_dimensions, bootstrap_scale, calibrate, choose_tail, compare_active,
        compare_conditions, compare_people, compare_scales, compare_treatments, count_clusters,
        cross_validate, detect_dimension, diagnose, dimension_reproducibility, directions,
        errors_by_group, explain, feature_weights, fit, heterogeneity, kernel_map, laplace,
        learning_curve, left_over, map_correlation, map_measured, multiverse, multiverse_chance,
        number_curve, observer_maps, ordinal_scale, penalty_curve, plan, pooling_curve, posterior,
        predict_column, recover_spaces, reliability, response_model, robustness, scales_by,
        search_curve, shared_dimensions, spectrum, split_error, stability, tune, typicality,
        uncertainty_by_dimension, unique_parts, who_predicts_whom, with_lapses.
    method : Method
        Not changed.
    triplets : Triplets or None
        None only for simulations. Of ``map_measured``, and of `SymmetricNMF` if it is to learn
        from them, ratings and so on: `RatedDissimilarities`.
    options : mapping, optional
        Keyword arguments of the task's function: with types and meanings in the reference, below
        `run`. A name that there is not is answered with those that there are.
    begun : Run, optional
        The same, stopped earlier. ``multiverse`` and ``multiverse_chance`` go on there; other tasks
        begin anew.
    progress : Progress

    Returns
    -------
    Run

    Raises
    ------
    DataError
        If the data do not suit the computation.
    ValueError
        If a parameter or an option violates its declaration.
    Stopped
        If `progress` stops it before any result.

    Examples
    --------
    >>> import tripletscope as ts
    >>> answers = ts.read("sample_data/ekman_colors/answers.csv")
    >>> fit = ts.run("fit", ts.STE(n_components=2), answers)
    >>> fit.fitted().embedding_.shape
    (14, 2)
    >>> samples = ts.run("bootstrap", ts.STE(n_components=2), answers, {"replicates": 20})
    >>> samples.samples().covariances.shape
    (14, 2, 2)
    """
    from tripletscope.core.engine.method import make_method

    options = with_seed(options or {})  # a seed is drawn once
    name = key(task, method, triplets, options)
    chosen = checked(TASKS[task].function, options)
    if begun is not None and begun.key != name:
        raise ValueError("what was begun is another computation; leave it out to begin anew.")
    goes_on = begun is not None and TASKS[task].parts > 1
    clock, created = time.perf_counter(), datetime.now(UTC)
    numbers, arrays, complete = TASKS[task].compute(
        make_method(method), triplets, chosen, progress, begun.result() if goes_on else None
    )
    return Run(
        key=name, task=task, kind=method.kind, method=method.name,
        parameters=checked(type(method), method.get_params(deep=False)), options=chosen,
        data=TASKS[task].fingerprint(method, triplets, chosen), version=__version__,
        created=created.isoformat(timespec="seconds"),
        seconds=time.perf_counter() - clock + (begun.seconds if goes_on else 0.0),
        complete=complete, numbers=numbers, arrays=arrays,
    )


def hash_of_distances(table: FeatureTable) -> str:
    """Hash of distances and of the positions of their objects."""
    matrix, objects = table.measured_distances
    return _hash(matrix.tobytes() + objects.astype(np.int64).tobytes())


def key_of_distances(method: Clustering, table: FeatureTable) -> str:
    """The key of what `cluster_distances` returns."""
    chosen = checked(type(method), method.get_params(deep=False))
    record = [RESULTS_SINCE, "distances", method.kind, method.name, chosen, len(table.distances),
              hash_of_distances(table)]
    return _hash(json.dumps(record, sort_keys=True).encode())


def cluster_distances(method: Clustering, table: FeatureTable, name: str | None = None) -> Run:
    r"""Fit a clustering to a table of distances; its options have their name as ``distances``.

    Parameters
    ----------
    method : Clustering
        Its similarity does not matter.
    table : FeatureTable
        With distances, as of `tripletscope.features.read_feature_tables`.
    name : str, optional
        For captions; by default that of the table.

    Raises
    ------
    DataError
        If the distances are unsuitable for the method.

    Examples
    --------
    >>> import tripletscope as ts
    >>> answers = ts.Triplets.from_array([[0, 1, 2]], ids=["a", "b", "c"])
    >>> apart = b",a,b,c\na,0,1,9\nb,1,0,8\nc,9,8,0\n"
    >>> (table,) = ts.features.read_feature_tables(apart, answers, "apart.csv")
    >>> tree = ts.AgglomerativeClustering(n_clusters=2)
    >>> ts.features.cluster_distances(tree, table).fitted().labels_.tolist()
    [1, 1, 0]
    """
    from tripletscope.core.engine.method import make_method
    from tripletscope.core.engine.task import fitted_values

    begun, created = time.perf_counter(), datetime.now(UTC)
    fitted = make_method(method).fit_distances(*table.measured_distances, len(table.distances))
    numbers, arrays = fitted_values(fitted)
    return Run(
        key=key_of_distances(method, table), task="fit", kind=method.kind, method=method.name,
        parameters=checked(type(method), method.get_params(deep=False)),
        options={"distances": table.name if name is None else name}, data=hash_of_distances(table),
        version=__version__, created=created.isoformat(timespec="seconds"),
        seconds=time.perf_counter() - begun, complete=True, numbers=numbers, arrays=arrays,
    )
