"""Results that reports are written of: computed once for all tests."""

import numpy as np
import pandas as pd
import pytest

import tripletscope as ts
from tests.paths import ROOT
from tripletscope.dashboard.report.material import Material

FOLDER = ROOT / "sample_data" / "ekman_colors"


@pytest.fixture(scope="session")
def colours():
    """The answers with two exclusions."""
    raw = ts.read(FOLDER / "answers.csv", objects=FOLDER / "objects.csv")
    cleaning = ts.Cleaning(raw)
    for rule in (ts.Exclusion("few_answers", {"least": 50}),
                 ts.Exclusion("manual", answers=(0, 1), reason="test *run*")):
        cleaning = cleaning.excluding(rule)
    return cleaning


@pytest.fixture(scope="session")
def results(colours):
    method, tree = ts.TSTE(n_init=2), ts.AgglomerativeClustering(n_clusters=3)
    nm = colours.triplets.objects[["wavelength_nm"]].to_numpy(float)
    wavelength = ts.features.FeatureModel.of([
        ts.features.FeatureSpace(name="wavelength", values=nm),
        ts.features.FeatureSpace(name="its *sine*", values=np.sin(nm / 50)),
    ])
    asked = [
        ("fit", method, {}), ("bootstrap", method, {"replicates": 20}),
        *(("cross_validate", ts.TSTE(n_components=d, n_init=2), {}) for d in (1, 2, 3)),
        ("cross_validate", ts.STE(), {}), ("fit", ts.K1(), {}), ("fit", tree, {}),
        ("fit", ts.AgglomerativeClustering(linkage="complete"), {}),
        ("stability", tree, {"replicates": 10}), ("count_clusters", tree, {}),
        ("fit", ts.dimensions.SPoSE(n_components=3, penalty=2.0), {}),
        ("learning_curve", method, {"repeats": 2}), ("reliability", method, {}),
        ("spectrum", ts.K1(), {}), ("fit", ts.MLDS(), {}),
        ("bootstrap_scale", ts.MLDS(), {"resamples": 100}),
        ("errors_by_group", method, {"by": "participant"}),
        ("compare_people", ts.people.WeightedEuclidean(n_init=1), {"most_groups": 1, "folds": 2}),
        ("fit", ts.people.WeightedEuclidean(n_init=1), {}),
        ("fit", ts.people.LatentClassMap(n_init=1), {}),
        ("predict_column", method, {"column": "wavelength_nm", "kind": "numbers", "folds": 3}),
        ("explain", wavelength, {}), ("unique_parts", wavelength, {}),
        ("left_over", wavelength, {}),
        ("feature_weights", wavelength, {"replicates": 20}),
        ("map_correlation", wavelength, {"replicates": 20}),
    ]
    ids, square = colours.triplets.ids, np.random.default_rng(0).random((14, 14))
    rated = ts.ratings.Ratings(pd.DataFrame([
        {"item1": ids[i], "item2": ids[j], "rating": square[i, j]}
        for i in range(14) for j in range(i)
    ]))
    return (*computed(colours, asked), ts.run("map_measured", ts.ratings.NMDS(n_init=2), rated))


def computed(colours, asked):
    return tuple(ts.run(task, of, colours.triplets, options) for task, of, options in asked)


@pytest.fixture(scope="session")
def material(colours, results):
    return material_of(colours, results)


def material_of(colours, results):
    plan = ts.experiment.AnalysisPlan(
        title="Hues *and* more", n_objects=14, n_participants=8, n_answers=800,
    ).freeze()
    return Material(
        "Colours *of* Ekman", colours, results, asked="which is more similar?",
        standing=ts.experiment.standing(
            plan, results, exclusions=colours.exclusions, since="2026-01-01T00:00:00+00:00",
        ),
    )
