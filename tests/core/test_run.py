"""Runs: what their keys depend on, and that results come back as they were."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from dataclasses import replace
from functools import cache, wraps
from typing import Any

import cloudpickle
import numpy as np
import pandas as pd
import pytest

from tests.core.scales.observers import observers
from tripletscope.core import run as run_module
from tripletscope.core.data.triplets import Triplets
from tripletscope.core.engine import parallel
from tripletscope.core.engine.docstrings import documented
from tripletscope.core.engine.estimate import as_plain
from tripletscope.core.engine.method import methods
from tripletscope.core.engine.task import fitted_values
from tripletscope.core.features.feature_model import FeatureModel
from tripletscope.core.features.spaces import FeatureSpace
from tripletscope.core.inference.held_out.score import cross_validate, split_error
from tripletscope.core.inference.uncertainty import bootstrap
from tripletscope.core.models.dimensions import VICE, SPoSE, SymmetricNMF
from tripletscope.core.models.embedding import NMDS, STE, TSTE
from tripletscope.core.models.simulation.simulate import simulate
from tripletscope.core.people import WeightedEuclidean
from tripletscope.core.ratings import Ratings
from tripletscope.core.run import TASKS, Run, key, run
from tripletscope.core.scales import MLDS
from tripletscope.core.similarity.clusters import AgglomerativeClustering
from tripletscope.core.similarity.kernels import K1, K2

QUICK = {
    "fit": {}, "cross_validate": {"folds": 3}, "split_error": {}, "bootstrap": {"replicates": 4},
    "learning_curve": {"points": 3, "repeats": 2}, "tune": {"most": 1, "folds": 2},
    "posterior": {"effective": 20, "chains": 2}, "laplace": {"samples": 20},
    "abstention": {"maps": 10}, "choose_tail": {"folds": 3},
    "reliability": {"maps": 10, "folds": 2}, "response_model": {},
    "uncertainty_by_dimension": {"most": 2, "maps": 10},
    "calibrate": {"data_sets": 2, "maps": 10}, "heterogeneity": {"divisions": 1},
    "compare_active": {"more": 20, "batches": 1, "repeats": 2},
    "dimension_reproducibility": {"runs": 2}, "penalty_curve": {"folds": 2, "points": 2},
    "number_curve": {"parts": 1},
    "bootstrap_dimensions": {"replicates": 10},
    "kernel_map": {"n_components": 3}, "spectrum": {"shuffles": 5},
    "count_clusters": {"most": 3},
    "stability": {"replicates": 3, "most": 3},
    "agreement_curve": {"labels": "kind", "points": 2, "repeats": 2},
    "search_curve": {"n_trees": 2, "folds": 2, "max_objects": 10},
    "predict_column": {"column": "kind", "folds": 2},
    "bootstrap_scale": {"resamples": 20}, "diagnose": {"simulations": 20},
    "ordinal_scale": {"stimulus": "size", "maps": 10},
    "scales_by": {"stimulus": "size", "by": "who", "maps": 10},
    "compare_scales": {"simulations": 20}, "with_lapses": {"steps": 5},
    "compare_treatments": {"kept": "some", "weighted": False, "folds": 2},
    "agreement_with_map": {"folds": 2}, "errors_by_group": {"by": "who", "folds": 2},
    "who_predicts_whom": {"by": "who"},
    "pooling_curve": {"by": "who", "repeats": 2}, "observer_maps": {"by": "who"},
    "compare_people": {"most_groups": 2, "folds": 2},
    "compare_conditions": {"permutations": 19, "folds": 2},
    "plan": {"n_objects": 8, "most": 60, "points": 2, "repeats": 2},
    "explain": {"folds": 2, "components": 2}, "feature_weights": {"replicates": 20},
    "unique_parts": {"folds": 2}, "map_correlation": {"replicates": 20},
    "directions": {"columns": ["size", "kind"], "permutations": 99, "replicates": 20},
    "typicality": {},
    "left_over": {"folds": 2, "n_components": 1},
    "recover_spaces": {"model": "raw", "repeats": 5}, "align_spaces": {"starts": 4},
    "multiverse": {"methods": ["ste"], "fewest": 2, "most": 2, "views": ["some"],
                   "columns": ["size"], "folds": 2, "replicates": 10},
    "multiverse_chance": {"fewest": 2, "most": 2, "views": ["some"], "groups": False,
                          "conditions": ["who"], "permutations": 19},
    "robustness": {"views": ["some"], "draws": 19, "folds": 2},
    "shared_dimensions": {"permutations": 99}, "map_measured": {"replicates": 4},
    "detect_dimension": {"n_objects": 8, "most": 60, "points": 2, "repeats": 2, "folds": 2},
}


#: Two spaces of three random features of each object.
FEATURES = FeatureModel.of([
    FeatureSpace(name=name, values=np.random.default_rng(k).normal(size=(12, 3)))
    for k, name in enumerate(("a", "b"))
])
#: Of what is computed by nothing else; its starts are sent one by one.
ALONE = STE(n_init=2)
METHODS = {
    "kernel_map": K1(), "spectrum": K2(),
    "count_clusters": AgglomerativeClustering(),
    "agreement_curve": AgglomerativeClustering(),
    "stability": AgglomerativeClustering(linkage="complete", basis=K2()),
    "dimension_reproducibility": VICE(n_components=4, max_iter=200),
    "penalty_curve": SPoSE(n_components=4), "number_curve": SymmetricNMF(),
    "bootstrap_dimensions": SPoSE(n_components=4, penalty=1),
    "bootstrap_scale": MLDS(stimulus="size"), "diagnose": MLDS(stimulus="size"),
    "explain": FEATURES, "feature_weights": FEATURES, "unique_parts": FEATURES,
    "compare_people": WeightedEuclidean(n_init=1), "compare_scales": MLDS(stimulus="x"),
    "compare_conditions": WeightedEuclidean(by="who", n_init=1),
    "map_correlation": FEATURES, "left_over": FEATURES, "recover_spaces": FEATURES,
    "align_spaces": FEATURES, "shared_dimensions": FEATURES, "map_measured": NMDS(n_init=2),
}
#: Data of tasks that are not about answers, or about those of observers: two people rate the
#: distances of places on a line, or compare its intervals.
DATA = {"map_measured": Ratings(pd.DataFrame([
    {"participant": who, "item1": str(i), "item2": str(j), "rating": abs(i - j) + k * (i % 2)}
    for k, who in enumerate("pq") for i in range(6) for j in range(i)
]), direction="dissimilar"), "compare_scales": observers(0, people=2, usable=60)[0]}


@pytest.fixture(scope="module")
def split_data() -> Triplets:
    return of_all_kinds()


def of_all_kinds() -> Triplets:
    """Answers of five people on twelve objects, with every column that a task may ask for."""
    truth = np.random.default_rng(7).normal(size=(12, 2))
    found = simulate(truth, 600, noise="logistic", seed=3)
    answers = found.answers.assign(
        split=["train", "train", "test"] * 200, who=["x", "y"] * 300,
        participant=["p", "q", "r", "s", "t"] * 120, some=[True, True, False, False, False] * 120,
    )
    objects = found.objects.assign(kind=["a", "b"] * 6, size=np.arange(12.0) // 3)
    return Triplets(found.rows, objects, answers)


def test_every_task_is_tried_here():
    assert set(QUICK) == set(TASKS)


@pytest.fixture(scope="module")
def given() -> dict[str, Any]:
    """What the functions of tasks returned to their runs."""
    return {}


@pytest.fixture(scope="module")
def computed(split_data, given) -> Callable[[str], Run]:
    """The result of a task, computed once for all tests."""
    @cache
    def found(task: str) -> Run:
        usual = TASKS[task]

        @wraps(usual.function)
        def watched(*arguments, **options):
            given[task] = usual.function(*arguments, **options)
            return given[task]

        TASKS.add(task, replace(usual, function=watched))
        try:
            data = DATA.get(task, split_data)
            return run(task, METHODS.get(task, ALONE), data, QUICK[task])
        finally:
            TASKS.add(task, usual)

    return found


@pytest.mark.parametrize("task", QUICK)
def test_a_run_is_plain_data(task, split_data, computed):
    found, method = computed(task), METHODS.get(task, ALONE)
    assert found.complete
    assert found.key == key(task, method, DATA.get(task, split_data), QUICK[task])
    json.dumps({name: value for name, value in vars(found).items() if name != "arrays"})
    assert all(isinstance(array, np.ndarray) for array in found.arrays.values())
    assert not hasattr(method, "n_objects_"), "the caller's method was fitted"


def alone(
    function: Callable, items: list[tuple], shared: bool, halt: parallel.CancelToken
) -> Iterator[object]:
    """One piece after the other, each with a copy of all that another process would get."""
    for item in items:
        if not shared:
            function, item = cloudpickle.loads(cloudpickle.dumps((function, item)))
        result = function(*item, halt)
        yield result if shared else cloudpickle.loads(cloudpickle.dumps(result))


def same(one: Run, other: Run) -> bool:
    return (one.complete, one.numbers, one.arrays.keys()) == (
        other.complete, other.numbers, other.arrays.keys()
    ) and all(np.array_equal(values, other.arrays[name], equal_nan=values.dtype.kind == "f")
              for name, values in one.arrays.items())


@pytest.mark.parametrize("task", QUICK)
def test_every_task_can_be_sent(task, split_data, computed, monkeypatch):
    in_threads, method = computed(task), METHODS.get(task, ALONE)
    monkeypatch.setattr(parallel, "_results", alone)
    assert same(run(task, method, DATA.get(task, split_data), QUICK[task]), in_threads)


def elsewhere(found: Run) -> dict:
    """What a file says of a result, beside its arrays."""
    return json.loads(json.dumps({k: v for k, v in vars(found).items() if k != "arrays"}))


@pytest.mark.parametrize("task", QUICK)
def test_every_result_is_what_its_task_documents(task, split_data, computed):
    found = computed(task)
    n_objects = split_data.n_objects
    assert Run.of(elsewhere(found), found.arrays, n_objects).numbers == found.numbers
    said = documented(TASKS[task].gives or STE)
    assert {*found.numbers, *found.arrays} <= set(said)
    for name, array in found.arrays.items():
        with pytest.raises(ValueError, match=name):
            Run.of(elsewhere(found), {**found.arrays, name: array[None, None]}, n_objects)
        with pytest.raises(ValueError, match=name):
            Run.of(elsewhere(found), {**found.arrays, name: array.astype(complex)
                                      if array.dtype.kind != "U" else array == ""}, n_objects)


@pytest.mark.parametrize("method", [
    *(method for kind in ("embedding", "kernel", "cluster") for method in methods(kind).values()),
    MLDS, SPoSE, VICE, *methods("individuals").values(),
], ids=lambda method: method.name)
def test_every_fit_is_what_its_method_documents(method, split_data):
    few = {"n_components": 4, "max_iter": 50}
    settings = {MLDS: {"stimulus": "size"}, SPoSE: few, VICE: few}.get(method, {})
    for further in ({}, {"lapses": "one"}) if method is MLDS else ({},):
        found = run("fit", method(**settings, **further), split_data)
        again = Run.of(elsewhere(found), found.arrays, split_data.n_objects)
        assert vars(again.fitted()).keys() == vars(found.fitted()).keys()


@pytest.mark.parametrize("change", [
    {"seconds": "1"}, {"complete": 1}, {"created": "yesterday"}, {"key": "../x"}, {"numbers": []},
    {"parameters": {"n_components": 0}}, {"parameters": {"n_components": [2]}},
    {"parameters": {"unknown": 1}}, {"options": {"replicates": 3}}, {"task": "spectrum"},
    {"options": {"distances": 3}}, {"method": "k1"}, {"kind": "kernel"}, {"data": None},
    {"numbers": {"fit": 1}}, {"numbers": {"loss_": "small"}}, {"numbers": {"n_iter_": True}},
])
def test_a_result_from_elsewhere_that_is_none_is_refused(change, split_data):
    found = run("fit", STE(n_init=1), split_data)
    record = elsewhere(found)
    if change.get("numbers"):
        change = {"numbers": {**record["numbers"], **change["numbers"]}}
    with pytest.raises(ValueError, match=r"must|lacks|needs|no |not |Invalid"):
        Run.of({**record, **change}, found.arrays, split_data.n_objects)
    with pytest.raises(ValueError, match="embedding_"):
        Run.of(record, {}, split_data.n_objects)
    with pytest.raises(ValueError, match="embedding_"):
        Run.of(record, found.arrays, split_data.n_objects + 1)


def test_results_come_back_as_objects(split_data, computed, given):
    fitted = STE(n_init=2).fit(split_data)
    back = run("fit", STE(n_init=2), split_data).fitted()
    assert type(back) is STE
    assert np.array_equal(back.embedding_, fitted.embedding_)
    assert fitted_values(back)[0] == fitted_values(fitted)[0]
    assert fitted_values(back)[1].keys() == fitted_values(fitted)[1].keys()
    assert run("fit", STE(n_init=2), split_data).fresh().get_params() == fitted.get_params()

    estimate = cross_validate(STE(), split_data, folds=3)
    back = run("cross_validate", STE(), split_data, {"folds": 3}).result()
    assert (back.error, back.low, back.scheme) == (estimate.error, estimate.low, estimate.scheme)
    assert run("split_error", STE(), split_data).result().error == split_error(
        STE(), split_data
    ).error

    for task in METHODS:
        back, expected = computed(task).result(), given[task]
        assert type(back) is type(expected)
        plain = as_plain(vars(back))
        for name, value in as_plain(vars(expected)).items():
            np.testing.assert_array_equal(plain[name], value)

    samples = bootstrap(STE(), split_data, replicates=4)
    back = run("bootstrap", STE(), split_data, {"replicates": 4}).samples()
    assert np.array_equal(back.covariances, samples.covariances)


@pytest.mark.parametrize("task", [name for name, task in TASKS.items() if task.gives])
def test_every_result_is_made_of_plain_values_and_arrays(task, computed):
    found = computed(task)
    assert isinstance(found.result(), TASKS[task].gives)
    with pytest.raises(TypeError, match="unexpected keyword"):
        replace(found, numbers={**found.numbers, "unknown": 1}).result()


def test_keys_see_everything_that_matters(split_data, monkeypatch):
    other_split = Triplets(
        split_data.rows, split_data.objects,
        split_data.answers.assign(split=split_data.answers["split"].to_numpy()[::-1]),
    )
    other_people = Triplets(
        split_data.rows, split_data.objects,
        split_data.answers.assign(participant=["p", "p", "q", "q", "q"] * 120),
    )
    relabelled = split_data.with_objects(
        split_data.objects.assign(kind=["a", "b", "b"] * 4)
    )
    keys = [
        key("fit", STE(), split_data),
        key("fit", TSTE(), split_data),
        key("fit", STE(n_components=3), split_data),
        key("fit", STE(seed=1), split_data),
        key("fit", STE(), split_data.take(np.arange(100))),
        key("bootstrap", STE(), split_data),
        key("bootstrap", STE(), split_data, {"replicates": 7}),
        key("bootstrap", STE(), split_data, {"unit": "answers"}),
        key("bootstrap", STE(), other_people),
        key("split_error", STE(), split_data),
        key("split_error", STE(), other_split),
        key("predict_column", K1(), split_data, {"column": "kind"}),
        key("predict_column", K1(), relabelled, {"column": "kind"}),
        key("predict_column", K1(), split_data, {"column": "id"}),
    ]
    monkeypatch.setattr(run_module, "RESULTS_SINCE", "another")
    keys.append(key("fit", STE(), split_data))
    assert len(set(keys)) == len(keys)


def test_keys_do_not_see_what_does_not_matter(split_data):
    described = split_data.with_objects(split_data.objects.assign(kind="a"))
    assert key("fit", STE(), described) == key("fit", STE(), split_data)
    assert key("fit", STE(), split_data.renamed("b")) == key("fit", STE(), split_data)
    assert key("fit", STE(seed=np.int64(0)), split_data) == key("fit", STE(), split_data)
    assert key("bootstrap", STE(), split_data, {"replicates": 100}) == key(
        "bootstrap", STE(), split_data
    )


def test_bad_settings_are_refused_before_anything_is_computed(split_data):
    with pytest.raises(ValueError, match="n_components of STE is 0"):
        run("fit", STE(n_components=0), split_data)
    with pytest.raises(ValueError, match="bootstrap has no parameter 'b'"):
        run("bootstrap", STE(), split_data, {"b": 3})
    with pytest.raises(ValueError, match="bootstrap is for methods of kind embedding, not kernel"):
        run("bootstrap", K1(), split_data)


@pytest.mark.parametrize("task", ["fit", "bootstrap"])
def test_a_stopped_run_says_so(task, split_data):
    calls = []

    def progress(*_, **__):
        calls.append(1)
        return len(calls) > 3

    found = run(task, STE(), split_data, progress=progress)
    assert not found.complete
    assert replace(found).key == key(task, STE(), split_data)


def test_columns_that_a_method_or_an_option_names_make_a_result_stale(split_data):
    objects = split_data.objects
    other = split_data.with_objects(objects.assign(size=objects["size"].to_numpy()[::-1]))
    scale = MLDS(stimulus="size")
    assert key("bootstrap_scale", scale, split_data) != key("bootstrap_scale", scale, other)
    assert key("cross_validate", STE(), split_data) == key("cross_validate", STE(), other)
    people = split_data.answers.assign(who=["y", "x"] * 300)
    turned = Triplets(split_data.rows, objects, people)
    options = {"by": "who"}
    assert key("observer_maps", STE(), split_data, options) != key(
        "observer_maps", STE(), turned, options
    )


def test_simulations_need_no_data(split_data):
    found = run("plan", STE(n_init=1), None, QUICK["plan"])
    assert found.data == ""
    assert found.key == key("plan", STE(n_init=1), split_data, QUICK["plan"])


def test_a_fitted_difference_scale_comes_back(split_data):
    found = run("fit", MLDS(stimulus="size"), split_data)
    fitted = MLDS(stimulus="size").fit(split_data)
    assert np.array_equal(found.fitted().scale_, fitted.scale_)
    assert found.fitted().score(split_data) == fitted.score(split_data)
