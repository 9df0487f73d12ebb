"""What labels and helps of numbers say is what the formulas do with them."""

from __future__ import annotations

import re
from collections.abc import Iterator
from importlib import import_module
from inspect import isclass

import numpy as np
import pytest

import tripletscope as ts
from tests.paths import ROOT
from tripletscope.core.engine.declared import Number, Parameter, parameters
from tripletscope.core.models.optimise.layout import AnswerLayout
from tripletscope.core.models.optimise.loss import Objective
from tripletscope.core.models.simulation.truth import gaussian_process_observers


def numbers() -> Iterator[tuple[str, Parameter]]:
    """Every declared number of core, of methods, tasks, functions and records."""
    seen = set()
    for path in sorted((ROOT / "core").rglob("*.py")):
        if "Annotated" not in path.read_text("utf-8") or path.stem == "__init__":
            continue
        parts = path.relative_to(ROOT).with_suffix("").parts
        module = import_module(".".join(["tripletscope", *parts]))
        for name, one in vars(module).items():
            if callable(one) and getattr(one, "__module__", "") == module.__name__:
                try:
                    declared = parameters(one)
                except (TypeError, ValueError, NameError):
                    continue
                for parameter in declared:
                    where = f"{name}.{parameter.name}"
                    if isinstance(parameter.spec, Number) and where not in seen:
                        seen.add(where)
                        yield where, parameter


NUMBERS = dict(numbers())
#: How the help of a standard deviation begins.
SPREAD = re.compile(r"(?i)(\w+ )?(s\.d\.|standard deviation) of\b")


def test_all_numbers_are_found():
    assert len(NUMBERS) > 200
    assert {"sample_posterior.variance", "VICE.spike", "Scenario.level"} <= {*NUMBERS}
    assert any(isclass(getattr(ts, name.partition(".")[0], None)) for name in NUMBERS)


@pytest.mark.parametrize("where", NUMBERS)
def test_words_agree_with_name_and_range(where):
    name, spec = where.partition(".")[2], NUMBERS[where].spec
    said, help_ = f"{spec.label} {spec.help}", spec.help
    if "variance" in f"{name} {spec.label}".lower():
        assert not SPREAD.match(help_), "a variance is no standard deviation"
    if re.match(r"(?i)(share|proportion|fraction)\b", help_) and not NUMBERS[where].integer:
        assert 0 <= spec.low < spec.high <= 2, "a share of more than the whole"
    if name.endswith("_ms"):
        assert "millisecond" in said.lower()
    if "percent" in said.lower() or "%" in spec.label:
        assert spec.high > 1, "a percentage, not a share"
    for least in re.findall(r"at least (\d+)", spec.automatic):
        assert spec.low <= float(least) <= spec.high
    value = NUMBERS[where].default
    assert not isinstance(value, int | float) or spec.low <= value <= spec.high


@pytest.fixture(scope="module")
def undecided() -> ts.Triplets:
    """Answers of hardly any weight: what is learned is the prior."""
    rng = np.random.default_rng(0)
    rows = np.array([rng.permutation(15)[:3] for _ in range(60)])
    rows = np.concatenate([rows, rows[:, [0, 2, 1]]])
    return ts.Triplets.from_array(rows, 15, weight=np.full(120, 1e-9))


@pytest.mark.parametrize("variance", [1.0, 15.0])
def test_the_prior_variance_is_the_square_of_a_deviation(undecided, variance):
    samples = ts.sample_posterior(
        ts.STE(n_init=1), undecided, variance=variance, sampler="plain", effective=100,
        most=4000, chains=2,
    )
    centred = samples.embeddings - samples.embeddings.mean(axis=1, keepdims=True)
    # Centring takes a fifteenth of the variance.
    assert np.mean(centred**2) == pytest.approx(variance * 14 / 15, rel=0.15)


def test_the_prior_adds_half_its_strength_times_squared_distances():
    answers = AnswerLayout.of(ts.Triplets.from_array([[0, 1, 2]]), True)
    x = np.random.default_rng(0).normal(size=(2, 3))
    x -= x.mean(axis=1, keepdims=True)
    for method in (ts.STE(), ts.SOE(), ts.CKL()):
        plain, pulled = (Objective(answers, method._loss(), 2, prior) for prior in (0.0, 3.0))
        added = pulled(x.ravel())[0] - plain(x.ravel())[0]
        assert added == pytest.approx(0.5 * 3.0 * np.sum(x**2))


def test_the_bandwidth_is_where_similarity_has_fallen_to_0_61():
    kernel = ts.GaussianKernel(bandwidth=2.5).fit_positions([[0.0], [2.5]])
    assert kernel.kernel_[0, 1] == pytest.approx(0.61, abs=0.005)


def test_a_forest_grows_each_tree_from_a_fraction_of_objects():
    points = np.random.default_rng(0).normal(size=(40, 2))
    forest = ts.ComparisonForest(n_estimators=3, max_samples=0.25).fit(points)
    assert [int(tree.stop[0] - tree.start[0]) for tree in forest.trees_] == [10, 10, 10]


def test_a_subsample_is_a_fraction_of_the_units():
    answers = ts.read("sample_data/ekman_colors/answers.csv")
    half, most = (
        ts.bootstrap(ts.STE(n_init=1), answers, replicates=20, scheme="subsample", unit="answers",
                     share=share, rescale=False)
        for share in (0.2, 0.8)
    )
    spread = [np.nanstd(one.embeddings, axis=0).mean() for one in (half, most)]
    assert spread[0] > 1.5 * spread[1]


def test_a_longer_length_scale_makes_observers_alike():
    line = np.linspace(0, 1, 9)
    apart = [
        gaussian_process_observers(line, 200, scale, np.random.default_rng(0)).std(axis=0).mean()
        for scale in (0.54, 2.0)
    ]
    assert apart[0] > 1.5 * apart[1]
