"""Names that users give to public functions: what is misspelt is answered by what is near."""

from __future__ import annotations

import ast
import re
from collections.abc import Callable

import numpy as np
import pandas as pd
import pytest

import tripletscope as ts
from tests.paths import ROOT
from tests.sources import tree_of
from tripletscope.core.data.named import UnknownName, hint, named, one_of
from tripletscope.core.engine.declared import Column, parameters
from tripletscope.core.engine.method import Method, make_method
from tripletscope.core.engine.registry import TASKS, kinds, registry


@pytest.fixture(scope="module")
def answers() -> ts.Triplets:
    return ts.read("sample_data/ekman_colors/answers.csv")


@pytest.fixture(scope="module")
def crowd() -> ts.Triplets:
    return ts.read("sample_data/crowd/answers.csv").take(slice(600))


def dishes() -> ts.experiment.Experiment:
    things = tuple(ts.experiment.Stimulus(name, "text", name) for name in "abcdef")
    return ts.experiment.Experiment(title="Dishes", objects=things)


def curve(answers: ts.Triplets):
    sorted_ = answers.with_objects(answers.objects.assign(hue=list("ab") * 7))
    options = {"labels": "hue", "points": 2, "repeats": 2}
    return ts.run("agreement_curve", ts.KMeans(basis=ts.K1()), sorted_, options).result()


def planned():
    options = {"n_objects": 6, "most": 60, "points": 2, "repeats": 2}
    return ts.run("plan", ts.K1(), None, options).result()


def gains(crowd: ts.Triplets):
    model = ts.people.WeightedEuclidean(n_init=1)
    return ts.people.compare_people(model, crowd, most_groups=1, folds=2)


#: A call, and what its message names.
CALLS: dict[str, tuple[Callable, str]] = {
    "task": (lambda a, c: ts.run("fits", ts.STE(), a), "did you mean 'fit'"),
    "option of a function": (
        lambda a, c: ts.cross_validate(ts.STE(), a, fold=3), "'fold'; did you mean 'folds'"
    ),
    "no answers": (
        lambda a, c: ts.bootstrap(a), "bootstrap() missing a required argument: 'triplets'"
    ),
    "answers first": (lambda a, c: ts.bootstrap(a, ts.STE()), "comes first, the answers second"),
    "class as a method": (lambda a, c: ts.cross_validate(ts.STE, a), "such as STE()"),
    "no task": (lambda a, c: ts.run("qqq", ts.STE(), a), "there is no task 'qqq'"),
    "option of a task": (
        lambda a, c: ts.run("bootstrap", ts.STE(), a, {"replicate": 3}), "did you mean 'replicates'"
    ),
    "method": (
        lambda a, c: make_method({"kind": "embedding", "method": "stee"}), "mean 'ste'"
    ),
    "kind of methods": (
        lambda a, c: make_method({"kind": "embeddings", "method": "ste"}),
        "did you mean 'embedding'"
    ),
    "basis": (
        lambda a, c: ts.GaussianKernel(basis={"kind": "embedding", "method": "sta"}).fit(a), "'ste'"
    ),
    "parameter": (lambda a, c: ts.STE(init="spectra").fit(a), "'spectral'"),
    "noise": (lambda a, c: ts.simulate(np.eye(3), 9, noise="flips"), "flip"),
    "layout": (lambda a, c: ts.write_answers(a, "longs"), "long"),
    "engine": (lambda a, c: ts.engine("thread:2"), "threads"),
    "medium": (lambda a, c: ts.experiment.Stimulus("a", "txt", "a"), "text"),
    "item": (lambda a, c: ts.experiment.SurveyItem("a", "numbr", "a"), "number"),
    "program": (lambda a, c: ts.experiment.questions_for(dishes(), "psychopi"), "psychopy"),
    "design": (lambda a, c: ts.experiment.designed(dishes(), "randm"), "random"),
    "metric of features": (
        lambda a, c: ts.features.FeatureSpace(name="x", values=np.eye(3), metric="cosin"), "cosine"
    ),
    "metric of a tree": (
        lambda a, c: ts.ComparisonTree(metric="euclid").fit(np.eye(9)), "euclidean"
    ),
    "unit": (lambda a, c: ts.people.observer_agreement(a, a, unit="person"), "'participants'"),
    "unit of accuracies": (
        lambda a, c: ts.dimensions.choice_accuracies(
            ts.read("sample_data/odd_one_out/answers.csv"), unit="answer"), "'answers'"
    ),
    "direction": (
        lambda a, c: ts.ratings.read_measured(
            b"item1,item2,similarity\na,b,5\na,c,2\nb,c,1\n", direction="similarr"), "'similar'"
    ),
    "link": (lambda a, c: ts.ratings.conjoint_scales(pd.DataFrame(), link="probits"), "probit"),
    "rule": (lambda a, c: ts.Exclusion("few_answer", {"least": 3}), "'few_answers'"),
    "parameter of a rule": (
        lambda a, c: ts.Cleaning(a).excluding(ts.Exclusion("few_answers", {"leas": 3})), "'least'"
    ),
    "role": (
        lambda a, c: ts.read("sample_data/ekman_colors/answers.csv", {"anchr": "anchor"}),
        "'anchor'",
    ),
    "spread": (
        lambda a, c: ts.bootstrap(ts.STE(n_init=1), a, replicates=3).order_certainty(a, spread="j"),
        "joint",
    ),
    "quantity of a curve": (lambda a, c: curve(a).band("puritiy"), "'purity'"),
    "quantity of a plan": (lambda a, c: planned().band("acuracy"), "'accuracy'"),
    "compared model": (lambda a, c: gains(c).gain("weight"), "'weights'"),
    "measure of a gain": (lambda a, c: gains(c).gain("weights", of="log_shares"), "'log_share'"),
    "item of a paper": (
        lambda a, c: ts.reproductions.rebuild("uncertainty-figure-88"), "uncertainty-figure-8"
    ),
    "format": (
        lambda a, c: ts.drawings(ts.K1().fit(a))[0].file("svgg"), "did you mean 'svg'"
    ),
}


@pytest.mark.parametrize("call", CALLS)
def test_what_is_misspelt_is_answered_by_what_is_near(call, answers, crowd):
    ask, near = CALLS[call]
    with pytest.raises((ValueError, TypeError), match=re.escape(near)):
        ask(answers, crowd)


COLUMNS = [
    (name, parameter.name) for name, task in TASKS.items()
    for parameter in parameters(task.function) if isinstance(parameter.spec, Column)
]


@pytest.mark.parametrize(("task", "option"), COLUMNS)
def test_columns_that_are_not_there_are_named(task, option, crowd):
    spec = {p.name: p.spec for p in parameters(TASKS[task].function)}[option]
    kind = (TASKS[task].kinds or ("embedding",))[0]
    method = registry(kind)[next(iter(registry(kind)))]()
    with pytest.raises(ValueError, match="no column 'hue'"):
        ts.run(task, method, crowd, {option: ["hue"] if spec.several else "hue"})


@pytest.mark.parametrize(
    "make", [
        lambda: ts.MLDS(stimulus="hue"), lambda: ts.features.ColumnMap(columns=["hue"]),
        lambda: ts.people.WeightedEuclidean(by="hue"), lambda: ts.people.LatentClassMap(by="hue"),
    ],
)
def test_columns_of_methods_that_are_not_there_are_named(make, crowd):
    with pytest.raises(ts.DataError, match="column 'hue'"):
        make().fit(crowd)


def test_registries_are_mappings_nevertheless():
    assert TASKS.get("fits") is None
    assert "fits" not in TASKS
    with pytest.raises(KeyError):
        registry("embedding")["stee"]
    assert {"embedding", "kernel", "cluster", "scale"} <= set(kinds())
    assert all(issubclass(registry("embedding")[name], Method) for name in registry("embedding"))


def test_a_hint_names_few_or_all():
    many = [f"name{i}" for i in range(100)]
    assert hint("name7", many).count("'") == 6
    assert hint("x", many) == "."
    assert hint("x", ["a", "b"]) == "; it must be one of 'a', 'b'."
    assert hint(None, ["a"]).endswith("'a'.")
    assert named({"a": 1}, "a", "letter") == 1
    with pytest.raises(UnknownName, match="there is no letter 'c'; it must be one of 'a', 'b'"):
        one_of(iter("ab"), "c", "letter")


def test_no_public_attribute_is_looked_up_unchecked():
    """``getattr(self, name)`` with a name of the user's gives whatever is called so."""
    for path in (ROOT / "core").rglob("*.py"):
        for function in ast.walk(tree_of(path)):
            if not isinstance(function, ast.FunctionDef) or function.name.startswith("_"):
                continue
            arguments = {one.arg for one in (*function.args.args, *function.args.kwonlyargs)}
            for call in ast.walk(function):
                if isinstance(call, ast.Call) and getattr(call.func, "id", "") == "getattr":
                    assert getattr(call.args[1], "id", "") not in arguments, path
