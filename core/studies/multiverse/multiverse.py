"""The main analysis beside others that could as well have been made of the same answers."""

from __future__ import annotations

from contextlib import suppress
from dataclasses import dataclass, replace
from itertools import product
from typing import Annotated

import numpy as np
import pandas as pd
from sklearn.base import clone

from tripletscope.core.data.columns import marked_by
from tripletscope.core.data.errors import DataError
from tripletscope.core.data.geometry import map_disparity
from tripletscope.core.data.named import column_of, one_of
from tripletscope.core.data.quadruples import as_answers
from tripletscope.core.data.triplets import Answers
from tripletscope.core.engine.declared import Column, MethodNames, Number, Seed, Switch
from tripletscope.core.engine.estimate import Estimate
from tripletscope.core.engine.parallel import CancelToken, results_of
from tripletscope.core.engine.progress import Progress, Stopped, part, silent
from tripletscope.core.engine.registry import registry
from tripletscope.core.engine.task import OfMarked, task
from tripletscope.core.features.directions import predicted_by_places
from tripletscope.core.inference.held_out.score import can_divide, cross_validate
from tripletscope.core.inference.uncertainty.resampling import bootstrap
from tripletscope.core.inference.uncertainty.robustness import ALL
from tripletscope.core.models.embedding.ordinal import OrdinalEmbedding, map_of
from tripletscope.core.people.comparing import sees_groups
from tripletscope.core.people.conditions import permutation_test
from tripletscope.core.people.weights import WeightedEuclidean, people_of
from tripletscope.core.similarity.clusters.agglomerative import AgglomerativeClustering
from tripletscope.core.similarity.clusters.counting import beside_continua, recommend_clusters
from tripletscope.core.similarity.kernels.space import Space

#: Shuffles of the objects by which a column is judged in every analysis.
_SHUFFLES = 199
#: How many more replicates the main analysis has, with whose maps all others are compared.
_OFTENER = 3
#: Most clusters, and fewest objects that can form any.
_MOST_CLUSTERS, _FEWEST = 12, 4
#: Of the test of conditions.
_LEVEL = 0.05


@dataclass(frozen=True)
class Multiverse:
    """Analyses of the same answers: a method in a number of dimensions, on a view.

    Attributes
    ----------
    methods : list of str, length m
        Name of the method of each analysis; the main analysis is the first.
    n_components : ndarray of int, shape (m,)
    views : list of str, length m
        View of each; ``all answers`` without one.
    done : ndarray of bool, shape (m,)
        Whether it was computed; of others, everything else is NaN, -1 or False.
    error : Estimate, shape (m,)
        Held-out error; NaN where it cannot be measured.
        Its unit is that of the main analysis, and so is its number.
    moved : Estimate, shape (m,)
        Share of the variance of the main map that a map, or the best projection of one with more
        dimensions, leaves unexplained (Procrustes), with 1.96 standard deviations of bootstrap
        replicates. Of the main analysis, 0 and what 95 % of its own replicates stay below.
    n_clusters : ndarray of int, shape (m,)
        Number of clusters by `recommend_clusters`: 1 for none, 0 if the answers do not tell, -1
        where it was not asked.
    people : list of str, length q
        Questions on people: an empty text for groups of them, or a column of conditions.
    differ : ndarray of bool, shape (m, q)
        Whether two groups predict held-out answers better than one (`compare_people`, in halves of
        the answers), or conditions weight the map differently (`permutation_test`, 5 %). Both have
        their own model, STE with weights: analyses of one view and number of dimensions share them.
    told : ndarray of bool, shape (m, q)
        Whether that could be tested; on a line nothing can be weighted.
    columns : list of str, length c
    predicted : ndarray of bool, shape (m, c, 1 + r)
        Whether places on the map predict columns of objects left out, at 5 % for all columns; then
        the same of r shuffles of the objects.
    tested : ndarray of bool, shape (m, c)
        Whether that could be tested; columns of few values, or of one, cannot.
    embedding : ndarray, shape (n, d)
        The main map; NaN for objects without a place.
    marks : ndarray of bool, shape (t, w), or None
        Answers of each view.
    """

    methods: list[str]
    n_components: np.ndarray
    views: list[str]
    done: np.ndarray
    error: Estimate
    moved: Estimate
    n_clusters: np.ndarray
    people: list[str]
    differ: np.ndarray
    told: np.ndarray
    columns: list[str]
    predicted: np.ndarray
    tested: np.ndarray
    embedding: np.ndarray
    marks: np.ndarray | None = None

    def sorted_by(self, name: str = "error") -> np.ndarray:
        """Positions of the analyses that were computed, by ``error`` or ``moved``.

        Those without a value are the last.
        """
        by = {"error": self.error, "moved": self.moved}
        done = np.flatnonzero(self.done)
        return done[np.argsort(by[one_of(by, name, "order")].value[done], kind="stable")]

    @property
    def tests_of_people(self) -> np.ndarray:
        """Positions of analyses with tests of their own: one for each view and dimension."""
        return np.unique(_sharing(self))

    @property
    def has_clusters(self) -> np.ndarray:
        """(m,) bool: whether an analysis finds clusters."""
        return self.n_clusters > 1

    @property
    def asks_for_clusters(self) -> bool:
        return bool((self.n_clusters >= 0).any())

    @property
    def _shares(self) -> np.ndarray:
        """(c, 1 + r) share of the analyses that test a column in which places predict it."""
        number = self.tested.sum(axis=0)[:, None]
        found = (self.predicted & self.tested[:, :, None]).sum(axis=0)
        return np.divide(found, number, out=np.full(found.shape, np.nan), where=number > 0)

    @property
    def shares(self) -> np.ndarray:
        """(c,) the same of the objects as they are; NaN for columns that none can test."""
        return self._shares[:, 0]

    @property
    def p(self) -> np.ndarray:
        """(c,) how often some column of shuffled objects reaches each share."""
        shares = self._shares
        highest = np.nan_to_num(shares).max(axis=0, initial=0.0)
        return np.where(
            np.isnan(shares[:, 0]), np.nan, (highest >= shares[:, :1] - 1e-12).mean(axis=1)
        )

    @property
    def table(self) -> pd.DataFrame:
        """One row per analysis that was computed, by its position, the least error first."""
        table = pd.DataFrame({
            "method": self.methods, "dimensions": self.n_components, "view": self.views,
            **self.error.columns("error"), **self.moved.columns("moved"),
        })
        if self.asks_for_clusters:
            table["clusters"] = self.n_clusters
        found = {f"weights by {name}" if name else "groups": (self.differ[:, k], self.told[:, k])
                 for k, name in enumerate(self.people)}
        found |= {f"predicts {name}": (self.predicted[:, k, 0], self.tested[:, k])
                  for k, name in enumerate(self.columns)}
        for name, (stands, tested) in found.items():
            table[name] = pd.array(stands, "boolean")
            table.loc[~tested, name] = pd.NA
        return table.iloc[self.sorted_by()]


@task("Trying other choices", "embedding", columns=("participant",), parts=10,
      computation=OfMarked)
def multiverse(
    method: OrdinalEmbedding, answers: Answers, *,
    methods: Annotated[list[str], MethodNames(
        "embedding", "Methods", "All with default settings, but for that of the main analysis.",
    )] = ("tste", "ste", "ckl", "soe"),
    fewest: Annotated[int, Number(1, 20, "Dimensions")] = 1,
    most: Annotated[int, Number(1, 20, "to")] = 5,
    views: Annotated[list[str] | None, Column(
        "Views", "Columns that are true for the answers of a view.", of="answers", several=True,
        marks=True,
    )] = None,
    main: Annotated[int, Number(
        0, 1000, "Main view", "Number of the main analysis's view, from 1; 0 for all answers.",
        advanced=True,
    )] = 0,
    clusters: Annotated[bool, Switch(
        "Clusters", "Whether clusters are seen in each map."
    )] = True,
    groups: Annotated[bool, Switch(
        "Groups of participants", "Whether two groups of participants predict answers better than "
        "one, in each number of dimensions and view.",
    )] = True,
    conditions: Annotated[list[str] | None, Column(
        "Conditions", "Columns of the answers: whether the map is weighted differently under their "
        "values.", of="answers", several=True,
    )] = None,
    columns: Annotated[list[str] | None, Column(
        "Columns", "Of each map it is tested whether places predict these columns of the objects.",
        several=True,
    )] = None,
    folds: Annotated[int, Number(
        2, 20, "Folds", "Folds for the held-out error.", advanced=True
    )] = 5,
    replicates: Annotated[int, Number(
        10, 1000, "Replicates", "Bootstrap replicates for how far a map moves.", advanced=True
    )] = 20,
    seed: Seed = 0, begun: Multiverse | None = None, progress: Progress = silent,
) -> Multiverse:
    """Error, map and conclusions of every method, number of dimensions and view.

    Parameters
    ----------
    method : OrdinalEmbedding
        Of the main analysis, which is one of them in any case.
    answers : Triplets, Quadruples or array-like of int, shape (T, 3) or (T, 4)
        All of them; see `Cleaning.marked`.
    begun : Multiverse, optional
        The result of an earlier call with the same arguments that was stopped: it goes on there.
    progress : Progress
        Called after every analysis. The main one is the first, then those that differ from it in
        one choice.

    Raises
    ------
    DataError
        If there is no such column, or the main analysis cannot be made.
    Stopped
        If `progress` asks to stop before the first analysis.

    Notes
    -----
    All analyses are of the same answers: the share of them in which a conclusion stands says how
    much it depends on choices, and not how probable it is. For columns of the objects there is a p
    value of all analyses together: how often the share is as high for some column when the objects
    are shuffled, in all analyses alike (Simonsohn, Simmons & Nelson 2020). Groups and conditions
    have one by `tripletscope.experiment.multiverse_chance`. Clusters have none: nothing could be
    exchanged that leaves maps as they are.

    References
    ----------
    Steegen, S., Tuerlinckx, F., Gelman, A., & Vanpaemel, W. (2016). Increasing transparency through
    a multiverse analysis. Perspectives on Psychological Science, 11, 702-712. Simonsohn, U.,
    Simmons, J. P., & Nelson, L. D. (2020). Specification curve analysis. Nature Human Behaviour, 4,
    1208-1214.

    Examples
    --------
    >>> import tripletscope as ts
    >>> answers = ts.read("sample_data/ekman_colors/answers.csv")
    >>> tried = ts.experiment.multiverse(
    ...     ts.STE(), answers, methods=["ste", "tste"], fewest=2, most=3, replicates=10)
    >>> tried.methods, tried.n_components.tolist(), bool(tried.error.value.max() < 0.15)
    (['ste', 'ste', 'tste', 'tste'], [2, 3, 2, 3], True)
    """
    answers = as_answers(answers)
    table = {name: column_of(answers.objects, name, answers.name) for name in columns or []}
    for name in conditions or []:
        column_of(answers.answers, name, answers.name, "response")
    people = [*([""] if groups and "participant" in answers.answers else []), *(conditions or [])]
    views = views or []
    if main > len(views):
        raise ValueError(f"main is {main}; the number of views is {len(views)}.")
    inside = {ALL: np.ones(len(answers), dtype=bool)}
    for view in views:
        inside[view] = marked_by(answers, view)
        if not inside[view].any():
            raise DataError(f"the view {view} has no answer", file=answers.name,
                            remedy="Leave it out.")
    cells = _cells(method, methods, sorted((fewest, most)), [*inside], [*inside][main])
    if begun is None:
        main_answers = answers.take(inside[cells[0][1]])
        fitted = clone(method).fit(main_answers, progress=part(progress, high=0.01))
        if fitted.stopped_:
            raise Stopped
        embedding = np.where(fitted.placed_[:, None], fitted.embedding_, np.nan)
    else:
        embedding = begun.embedding
    result = _empty(cells, people, table, embedding, [inside[view] for view in views])
    if begun is not None:
        _check_same(begun, result)
        result = begun
    todo = np.flatnonzero(~result.done)
    sharing = _sharing(result)
    parts = [(cells[k][0], answers.take(inside[cells[k][1]]), embedding, k == 0, table, clusters,
              people if sharing[k] == k else None, folds, replicates, seed) for k in todo]
    found = results_of(
        _analysed, parts, part(progress, max(float(result.done.mean()), 0.01), 1.0),
        least=1 if begun is None else 0,
    )
    return _filled(result, dict(zip(todo, found, strict=False)))


@dataclass(frozen=True)
class _Analysis:
    """Error, and how far the map has moved, with their intervals; and the conclusions."""

    error: Estimate
    moved: Estimate
    n_clusters: int
    differ: np.ndarray
    told: np.ndarray
    predicted: np.ndarray
    tested: np.ndarray


def _cells(
    method: OrdinalEmbedding, names: list[str], dimensions: list[int], views: list[str], main: str
) -> list[tuple[OrdinalEmbedding, str]]:
    """Method and view of each analysis: the main one, then by the number of choices that differ."""
    own = method.name, method.n_components, main
    low, high = dimensions
    tried = {*range(low, high + 1)} | (set() if method.is_rank_chosen else {method.n_components})
    every = []
    for name in dict.fromkeys([method.name, *names]):
        numbers = sorted(tried)
        if registry("embedding")[name].is_rank_chosen:  # it may take as many, and others are alike
            numbers = [method.n_components if name == method.name else high]
        every += product([name], numbers, views)
    every.sort(key=lambda cell: sum(a != b for a, b in zip(cell, own, strict=True)))
    return [
        (clone(method).set_params(n_components=d) if name == method.name
         else registry("embedding")[name](n_components=d), view)
        for name, d, view in every
    ]


def _sharing(result: Multiverse) -> np.ndarray:
    """(m,) position of the first analysis with the same view and number of dimensions."""
    places: dict[tuple[str, int], int] = {}
    return np.array([
        places.setdefault(one, k)
        for k, one in enumerate(zip(result.views, result.n_components.tolist(), strict=True))
    ])


def _empty(
    cells: list[tuple[OrdinalEmbedding, str]], people: list[str], table: dict[str, pd.Series],
    embedding: np.ndarray, marks: list[np.ndarray],
) -> Multiverse:
    """Nothing computed yet."""
    m, nothing = len(cells), np.full((2, 3, len(cells)), np.nan)
    differ, told = np.zeros((2, m, len(people)), dtype=bool)
    return Multiverse(
        [one.name for one, _ in cells], np.array([one.n_components for one, _ in cells]),
        [view for _, view in cells], np.zeros(m, dtype=bool), Estimate(*nothing[0]),
        Estimate(*nothing[1]), np.full(m, -1), people, differ, told, list(table),
        np.zeros((m, len(table), _SHUFFLES + 1), dtype=bool),
        np.zeros((m, len(table)), dtype=bool), embedding, np.transpose(marks) if marks else None,
    )


def _check_same(begun: Multiverse, result: Multiverse) -> None:
    """Refuse what was begun of other analyses; other settings are not known by a result."""
    first, second = (
        [one.methods, one.views, one.people, one.columns, one.n_components.tolist(),
         one.embedding.shape, None if one.marks is None else one.marks.tolist()]
        for one in (begun, result)
    )
    if first != second:
        raise ValueError("what was begun is of other analyses; leave it out to begin anew.")


def _filled(result: Multiverse, found: dict[int, _Analysis]) -> Multiverse:
    """With further analyses, by their positions."""
    done, n_clusters, differ, told, predicted, tested = (
        one.copy() for one in (result.done, result.n_clusters, result.differ, result.told,
                               result.predicted, result.tested)
    )
    error, moved = (np.array(one.interval) for one in (result.error, result.moved))
    unit, n, first = *result.error.over, _sharing(result)
    for k, one in found.items():
        done[k], n_clusters[k] = True, one.n_clusters
        if first[k] == k:
            differ[k], told[k] = one.differ, one.told
        predicted[k], tested[k] = one.predicted, one.tested
        error[:, k], moved[:, k] = one.error.interval, one.moved.interval
    if 0 in found:
        unit, n = found[0].error.over
    differ, told = differ[first] & done[:, None], told[first] & done[:, None]
    return replace(
        result, done=done, error=Estimate(*error, unit, n), moved=Estimate(*moved, unit, n),
        n_clusters=n_clusters, differ=differ, told=told, predicted=predicted, tested=tested,
    )


def _analysed(
    method: OrdinalEmbedding, answers: Answers, reference: np.ndarray, is_main: bool,
    columns: dict[str, pd.Series], clusters: bool, people: list[str] | None, folds: int,
    replicates: int, seed: int, halt: CancelToken,
) -> _Analysis:
    """One analysis; what its answers do not give is NaN.

    people: None where another analysis has the same tests.
    """
    error, moved = Estimate(np.nan, np.nan, np.nan), Estimate(np.nan, np.nan, np.nan)
    predicted = np.zeros((len(columns), _SHUFFLES + 1), dtype=bool)
    tested, n_clusters = np.zeros(len(columns), dtype=bool), 0 if clusters else -1
    differ, told = _of_people(people or [], answers, method.n_components, seed, halt)
    try:
        positions = map_of(method, answers, halt)
    except DataError:  # a view of too few answers
        return _Analysis(error, moved, n_clusters, differ, told, predicted, tested)
    if can_divide(answers, folds):
        found = cross_validate(method, answers, folds=folds, seed=seed, progress=halt)
        error = Estimate(found.error, found.low, found.high, found.unit, found.n_units)
    maps = bootstrap(
        method, answers, replicates=replicates * (_OFTENER if is_main else 1), seed=seed,
        progress=halt, reference=np.nan_to_num(positions),
    )
    apart = np.array([map_disparity(one, reference) for one in maps.embeddings])
    if is_main:
        # The quantile of few would be the largest of them.
        logs = np.log(np.maximum(apart, 1e-12))
        moved = Estimate(0.0, 0.0, min(float(np.exp(logs.mean() + 1.645 * logs.std(ddof=1))), 1.0))
    else:
        value = map_disparity(positions, reference)
        reach = 1.96 * float(np.std(apart, ddof=1))
        moved = Estimate(value, max(value - reach, 0.0), min(value + reach, 1.0))
    if columns:
        predicted, tested = predicted_by_places(
            positions, columns, permutations=_SHUFFLES, seed=seed
        )
    if clusters:
        n_clusters = _clusters_of(positions, error, seed, halt)
    return _Analysis(error, moved, n_clusters, differ, told, predicted, tested)


def _of_people(
    questions: list[str], answers: Answers, n_components: int, seed: int, halt: CancelToken
) -> tuple[np.ndarray, np.ndarray]:
    """(q,) bool whether people differ as `Multiverse.people` asks, and whether that is tested."""
    differ, told = np.zeros((2, len(questions)), dtype=bool)
    for k, column in enumerate(questions):
        method = WeightedEuclidean(
            n_components=n_components, by=column or "participant", n_init=1, seed=seed
        )
        with suppress(DataError):  # a view with too few answers, or one condition
            if n_components == 1:
                continue
            if column:
                which, names = people_of(answers, column)
                known = which < len(names)
                p, _ = permutation_test(
                    method, answers.take(known), which[known], _SHUFFLES, seed, halt
                )
                differ[k] = p <= _LEVEL
            else:
                differ[k] = sees_groups(method, answers, folds=2, seed=seed, progress=halt)
            told[k] = True
    return differ, told


def _clusters_of(positions: np.ndarray, error: Estimate, seed: int, halt: CancelToken) -> int:
    """Number of clusters on a map, as in `Multiverse`."""
    objects = np.flatnonzero(np.isfinite(positions).all(axis=1))
    if len(objects) < _FEWEST:
        return 0
    space = Space(len(positions), objects, vectors=positions[objects])
    method = AgglomerativeClustering().for_cuts()
    counts = beside_continua(method, space, _MOST_CLUSTERS, seed=seed, progress=halt)
    counts = replace(counts, error=error.value, error_low=error.low, error_high=error.high)
    return recommend_clusters(counts).n_clusters or 0
