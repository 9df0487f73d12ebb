"""Settings of the papers are settings of the program."""

from __future__ import annotations

from inspect import Parameter

import numpy as np
import pandas as pd
import pytest

from tripletscope.core.data.triplets import Triplets
from tripletscope.core.engine.declared import checked, parameters
from tripletscope.core.engine.method import as_record, methods
from tripletscope.core.inference.uncertainty import bootstrap, sample_posterior
from tripletscope.core.models.embedding import STE
from tripletscope.core.models.simulation.simulate import simulate
from tripletscope.core.models.simulation.truth import true_positions
from tripletscope.core.presets import DOCUMENTS, KINDS, PRESETS, published_in, settings_as_published
from tripletscope.core.run import TASKS, run
from tripletscope.core.similarity.clusters import AgglomerativeClustering, KMeans
from tripletscope.core.similarity.kernels import K1, K2
from tripletscope.core.studies.design.active import propose

FUNCTIONS = {name: task.function for name, task in TASKS.items()} | {"propose": propose}


@pytest.mark.parametrize("name", PRESETS)
def test_a_preset_is_of_a_document_and_says_so(name):
    assert PRESETS[name].title == f"As in {DOCUMENTS[name]}"
    assert PRESETS[name].cited.endswith(".")


@pytest.mark.parametrize(
    ("preset", "task"), [(p, task) for p in PRESETS for task in PRESETS[p].options]
)
def test_options_are_declared_and_accepted_and_not_the_defaults(preset, task):
    options = PRESETS[preset].options[task]
    declared = {p.name: p.default for p in parameters(FUNCTIONS[task])}
    assert set(options) <= set(declared)
    needed = {p.name: "kind" for p in parameters(FUNCTIONS[task]) if p.default is Parameter.empty}
    assert checked(FUNCTIONS[task], {**needed, **options}).items() >= options.items()
    assert all(declared[name] != value for name, value in options.items())


@pytest.mark.parametrize(
    ("preset", "method"), [(p, method) for p in PRESETS for method in PRESETS[p].method]
)
def test_parameters_are_declared_and_accepted(preset, method):
    found = {name: kind for k in KINDS for name, kind in methods(k).items()}[method]
    values = PRESETS[preset].method[method]
    assert checked(found, values).items() >= values.items()
    declared = {p.name: p.default for p in parameters(found)}
    assert all(declared[name] != value for name, value in values.items())


def test_the_settings_of_lohaus_et_al_give_what_they_describe():
    truth = true_positions("mixture", 20, 2, np.random.default_rng(0))
    answers = simulate(truth, 400, seed=1)
    options = PRESETS["uncertainty"].options
    maps = bootstrap(STE(), answers, **options["bootstrap"])
    chain = sample_posterior(STE(), answers, **options["posterior"])
    assert len(maps.embeddings) == 20
    assert maps.correction == 1.0
    assert len(chain.embeddings) == 500


def test_what_kleindessner_and_von_luxburg_set_is_otherwise_the_default():
    # Reduced diagonals and five restarts need not be set.
    assert K1().reduce_diagonal
    assert K2().reduce_diagonal
    assert KMeans().n_init == 5
    # No setting of a GNMDS that converges is one that stayed at its start.
    assert settings_as_published("gnmds") == {}


def test_settings_are_known_by_what_they_are():
    published = settings_as_published("bootstrap")[DOCUMENTS["uncertainty"]]
    usual = checked(bootstrap, {})
    assert published_in("bootstrap", usual) == ""
    assert published_in("bootstrap", {**usual, **published}) == DOCUMENTS["uncertainty"]
    assert published_in("bootstrap", {**usual, **published, "share": 0.5}) == ""
    assert published_in("cross_validate", {**usual, **published}) == ""


def test_what_is_usual_besides_decides_whose_settings_they_are():
    usual = as_record(AgglomerativeClustering())["parameters"]
    complete = {**usual, "linkage": "complete"}
    assert published_in("agglomerative", complete) == DOCUMENTS["kernels"]
    assert published_in("agglomerative", {**complete, "n_clusters": 7}) == DOCUMENTS["kernels"]
    on_a_map = {**complete, "basis": as_record(STE())}
    assert published_in("agglomerative", on_a_map) == "", "their trees are of kernels"
    assert published_in("kmeans", as_record(KMeans())["parameters"]) == ""


def test_votes_for_each_two_classes_are_another_result_under_another_key():
    rng = np.random.default_rng(0)
    places = np.repeat([[0, 0], [2, 0], [0, 2]], 8, axis=0) + rng.normal(size=(24, 2))
    objects = pd.DataFrame({"id": range(24), "kind": np.repeat(list("abc"), 8)})
    answers = Triplets(simulate(places, 800, seed=1).rows, objects)
    usual, published = (
        run("predict_column", STE(n_init=1), answers, {"column": "kind", "folds": 2, **votes})
        for votes in ({}, {"multiclass": "summed"})
    )
    assert usual.key != published.key
    assert not np.array_equal(usual.arrays["errors"], published.arrays["errors"])
    of_ten = {"folds": 10}
    assert published_in("predict_column", published.options | of_ten) == DOCUMENTS["forests"]
    assert published_in("predict_column", usual.options | of_ten) == ""
