"""A report says of a result what a page says of it, and under the same figures."""

import numpy as np
import pandas as pd
import pytest
from pandas.api.types import is_numeric_dtype
from scipy.spatial.distance import pdist, squareform

import tripletscope as ts
from tests.core.scales.observers import observers
from tests.core.scales.test_conjoint import judged
from tripletscope.core.run import TASKS
from tripletscope.dashboard.report.document import Paragraph
from tripletscope.dashboard.report.material import Material
from tripletscope.dashboard.report.parts.parts import TOLD
from tripletscope.dashboard.report.report import written
from tripletscope.dashboard.results import Drawing
from tripletscope.dashboard.results.presentation import (
    REPORT_PARTS,
    Numbers,
    ShownResults,
    Statement,
)
from tripletscope.dashboard.results.registry import presented
from tripletscope.dashboard.words import unmarked

STE, TREE, K1, MLDS = ts.STE(n_init=1), ts.AgglomerativeClustering(n_clusters=3), ts.K1(), ts.MLDS()
SHARED = ts.dimensions.SymmetricNMF(n_components=2)
LINE, PEOPLE = ts.STE(n_components=1, n_init=1), ts.people.WeightedEuclidean(n_init=1)
FIT = ("fit", STE, {})
TABLES = ts.features.FeatureModel.of([
    ts.features.FeatureSpace(name=name, values=np.random.default_rng(0).random((14, 4))[:, some])
    for name, some in (("people", [0, 1, 2]), ("network", [1, 3]), ("another", [2, 0]))
])
#: What is computed, the last of it being told of, by task and kind.
COMPUTED = {
    ("fit", "embedding"): [FIT],
    ("bootstrap", ""): [FIT, ("bootstrap", STE, {"replicates": 10})],
    ("posterior", ""): [FIT, ("posterior", STE, {"effective": 20})],
    ("laplace", ""): [FIT, ("laplace", STE, {"samples": 20})],
    ("reliability", ""): [FIT, ("reliability", STE, {})],
    ("directions", ""): [
        FIT, ("directions", STE, {"columns": ["wavelength_nm", "warm"], "replicates": 20}),
    ],
    ("typicality", ""): [FIT, ("typicality", STE, {})],
    ("calibrate", ""): [FIT, ("calibrate", STE, {"data_sets": 2, "maps": 10})],
    ("choose_tail", ""): [FIT, ("choose_tail", ts.TSTE(), {})],
    ("abstention", ""): [FIT, ("abstention", STE, {})],
    ("compare_active", ""): [
        FIT, ("compare_active", STE, {"more": 20, "batches": 1, "repeats": 2}),
    ],
    ("cross_validate", ""): [FIT, ("cross_validate", LINE, {}), ("cross_validate", STE, {})],
    ("uncertainty_by_dimension", ""): [
        FIT, ("cross_validate", LINE, {}), ("cross_validate", STE, {}),
        ("uncertainty_by_dimension", STE, {"most": 2, "maps": 10}),
    ],
    ("fit", "dimensions"): [("fit", ts.dimensions.SPoSE(n_components=3, penalty=2.0), {})],
    ("fit", "kernel"): [("fit", K1, {})],
    ("spectrum", ""): [("spectrum", K1, {})],
    ("fit", "cluster"): [("fit", TREE, {})],
    ("stability", ""): [("stability", TREE, {"replicates": 5})],
    ("count_clusters", ""): [("count_clusters", TREE, {})],
    ("agreement_curve", ""): [
        ("agreement_curve", ts.AgglomerativeClustering(),
         {"labels": "warm", "points": 2, "repeats": 2}),
    ],
    ("map_measured", ""): [("map_measured", ts.ratings.NMDS(), {"replicates": 10})],
    ("tune", ""): [("tune", STE, {"most": 1})],
    ("multiverse", ""): [
        ("multiverse", STE, {"methods": ["soe"], "fewest": 1, "most": 3, "columns": ["warm"],
                             "folds": 2, "replicates": 10}),
    ],
    ("learning_curve", ""): [("learning_curve", STE, {"repeats": 2})],
    ("ordinal_scale", ""): [("ordinal_scale", LINE, {"maps": 10})],
    ("bootstrap_scale", ""): [("fit", MLDS, {}), ("bootstrap_scale", MLDS, {"resamples": 20})],
    ("diagnose", ""): [("fit", MLDS, {}), ("diagnose", MLDS, {"simulations": 20})],
    ("scales_by", ""): [("scales_by", MLDS, {"most": 2})],
    ("compare_scales", ""): [
        ("compare_scales", ts.MLDS(stimulus="x"), {"simulations": 20}),
    ],
    ("fit", "conjoint"): [("fit", ts.ratings.MLCM(replicates=5), {})],
    ("search_curve", ""): [FIT, ("search_curve", STE, {})],
    ("predict_column", ""): [FIT, ("predict_column", STE, {"column": "warm", "folds": 2})],
    ("errors_by_group", ""): [("errors_by_group", LINE, {"by": "participant"})],
    ("with_lapses", ""): [("with_lapses", LINE, {})],
    ("compare_treatments", ""): [("compare_treatments", LINE, {"weighted": False, "folds": 2})],
    ("fit", "individuals"): [("fit", PEOPLE, {})],
    ("compare_people", ""): [("compare_people", PEOPLE, {"most_groups": 1, "folds": 2})],
    ("who_predicts_whom", ""): [("who_predicts_whom", LINE, {"most": 3, "folds": 2})],
    ("pooling_curve", ""): [("pooling_curve", LINE, {"most": 3, "repeats": 2})],
    ("observer_maps", ""): [("observer_maps", LINE, {"most": 3})],
    ("number_curve", ""): [("fit", SHARED, {}), ("number_curve", SHARED, {"parts": 2})],
    ("shared_dimensions", ""): [("shared_dimensions", TABLES, {"permutations": 99})],
}
#: What other tests of reports compute, as it takes long or needs other answers; and the error on
#: test answers, which the caption of the map says.
ELSEWHERE = {
    ("compare_conditions", ""), ("dimension_reproducibility", ""), ("penalty_curve", ""),
    ("split_error", ""), *REPORT_PARTS["features"],
}


@pytest.fixture(scope="module")
def answers(colours):
    kept = colours.triplets
    warm = np.where(kept.objects["wavelength_nm"] > 550, "warm", "cold")
    kept = kept.with_columns({"kept": np.arange(len(kept)) % 10 > 0})
    return kept.with_objects(kept.objects.assign(warm=warm))


def test_everything_that_is_told_is_compared():
    told = {place for places in REPORT_PARTS.values() for place in places}
    assert {task for task, _ in told} == TOLD
    assert told == set(COMPUTED) | ELSEWHERE


def rated_as(answers) -> ts.ratings.Ratings:
    """Ratings of the objects of some answers by two people."""
    rng = np.random.default_rng(0)
    return ts.ratings.Ratings(pd.DataFrame([
        {"participant": who, "item1": one, "item2": other, "rating": rng.random()}
        for who in "pq" for k, one in enumerate(answers.ids) for other in answers.ids[:k]
    ]))


def data_of(task, method, answers):
    if method.kind == "conjoint":
        return ts.ratings.ConjointComparisons(
            judged(np.random.default_rng(0), 900, lambda a, b: 0.8 * a + 0.5 * b), "gloss.csv"
        )
    if task == "compare_scales":
        return observers(0, people=2, usable=60)[0]
    return rated_as(answers) if TASKS[task].of_measured or method is SHARED else answers


@pytest.mark.parametrize("place", COMPUTED, ids=" ".join)
def test_a_report_says_what_the_page_says(answers, place):
    runs = tuple(
        ts.run(task, of, data_of(task, of, answers), options)
        for task, of, options in COMPUTED[place]
    )
    blocks = [
        block for section in written(
            Material("Colours", ts.Cleaning(answers), runs, measured="ratings")
        ).values()
        for block in section.blocks
    ]
    text = " ".join(block.text for block in blocks if isinstance(block, Paragraph))
    captions = {block.caption for block in blocks if isinstance(block, Drawing)}
    page = ShownResults(runs, answers, "Colours", cautious=True, measured="ratings")
    parts = list(presented(page, *(run for run in runs if run.task == place[0])))
    said = [part.text for part in parts if isinstance(part, Statement)]
    drawn = [part for part in parts if isinstance(part, Drawing) and not part.is_folded]
    assert said or drawn
    assert all(part.figure().data for part in drawn)
    assert [one for one in said if one not in text] == []
    assert [one.name for one in drawn if unmarked(one.caption) not in captions] == []
    for part in parts:
        table = part.table() if isinstance(part, Drawing | Numbers) else {}
        assert "object" not in table or not is_numeric_dtype(table["object"]), (
            f"{part.title}: objects have names in a file, and no places"
        )


@pytest.mark.parametrize("noise", [0.0, 0.4])
def test_stress_is_told_beside_that_of_random_orders_and_none_is_no_proof(answers, noise):
    """A map of seven steps had a stress of 0.0000, of which one object had 16 per cent."""
    rng = np.random.default_rng(4)
    away = squareform(pdist(rng.normal(size=(14, 2))))
    away = np.abs(away + noise * np.triu(rng.normal(size=away.shape), 1))
    given = ts.ratings.Ratings(pd.DataFrame([
        {"item1": one, "item2": other, "rating": away[k, i]}
        for i, one in enumerate(answers.ids) for k, other in enumerate(answers.ids[:i])
    ]), direction="dissimilar")
    run = ts.run("map_measured", ts.ratings.NMDS(), given)
    page = ShownResults((run,), answers, "Colours", measured="ratings")
    parts = list(presented(page, run))
    (drawn,) = (part for part in parts if isinstance(part, Drawing) and part.picks)
    assert "in random orders, stress is 0." in drawn.caption
    assert ("only within bounds" in drawn.caption) == (noise == 0)
    assert any(isinstance(part, Numbers) for part in parts) == (noise > 0)
