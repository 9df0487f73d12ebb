"""Every figure of results is drawn of real ones."""

import json
from dataclasses import replace

import numpy as np
import pandas as pd
import pytest

import tripletscope as ts
from tests.paths import ROOT
from tripletscope.dashboard.results import TreeLook, drawings

FOLDER = ROOT / "sample_data" / "ekman_colors"


@pytest.fixture(scope="module")
def answers():
    return ts.read(FOLDER / "answers.csv", objects=FOLDER / "objects.csv")


@pytest.fixture(scope="module")
def runs(answers):
    method = ts.TSTE(n_init=1)
    tree, line = ts.AgglomerativeClustering(n_clusters=3), ts.STE(n_components=1, n_init=1)
    asked = [
        ("fit", method, {}), ("bootstrap", method, {"replicates": 10}), ("fit", ts.K1(), {}),
        ("fit", tree, {}), ("stability", tree, {"replicates": 5}),
        ("count_clusters", tree, {}), ("fit", ts.KMeans(), {}), ("spectrum", ts.K1(), {}),
        *(("cross_validate", ts.TSTE(n_components=d, n_init=1), {}) for d in (1, 2)),
        ("learning_curve", method, {"repeats": 2}), ("ordinal_scale", ts.STE(n_components=1), {}),
        ("fit", ts.MLDS(), {}), ("bootstrap_scale", ts.MLDS(), {"resamples": 100}),
        ("errors_by_group", method, {"by": "participant"}), ("with_lapses", method, {}),
        ("fit", ts.people.WeightedEuclidean(n_init=1), {}),
        ("fit", ts.people.LatentClassMap(n_init=1), {}),
        ("compare_people", ts.people.WeightedEuclidean(n_init=1), {"most_groups": 1, "folds": 2}),
        ("diagnose", ts.MLDS(), {"simulations": 20}), ("scales_by", ts.MLDS(), {"most": 3}),
        ("ordinal_scale", method, {"n_components": 2, "maps": 10}),
        ("who_predicts_whom", line, {"most": 3, "folds": 2}),
        ("pooling_curve", line, {"most": 3, "repeats": 2}),
        ("observer_maps", line, {"most": 3}),
    ]
    return [ts.run(task, of, answers, options) for task, of, options in asked]


def test_figures_of_all_results(answers, runs):
    found = drawings(runs, answers, name="Colours")
    names = [drawing.name for drawing in found]
    assert names == [
        "map", "matrix-k1", "dendrogram-agglomerative", "stability-agglomerative",
        "together-agglomerative", "silhouettes-agglomerative", "clusters-kmeans",
        "spectrum-k1", "dimensions",
        "learning-curve", "scale", "errors-by-participant", "weights-participant",
        "membership", "group-maps", "gains-participant", "residuals", "runs", "group-scales",
        "stimulus-map", "stimulus-curve", "who-predicts-whom", "relations", "pooling",
        "observer-maps-participant", "procrustes-participant", "observer-tree-participant",
    ]
    for drawing in found:
        assert len(drawing.figure().data) > 0
        assert len(drawing.table()) > 0
        assert drawing.caption
        assert drawing.alt
        assert set(drawing.runs) <= {run.key for run in runs}


def test_two_runs_of_one_scale_are_two_curves(answers, runs):
    """Curves were keyed by method, and all were called 0 to 1 after they had been aligned."""
    fit, first = [one for one in runs if one.method == ts.MLDS.name][:2]
    other = ts.run("bootstrap_scale", ts.MLDS(), answers, {"resamples": 100, "seed": 1})
    found = drawings([fit, first, other], answers)
    (drawing,) = (one for one in found if one.name == "scale")
    assert drawing.table()["method"].nunique() == 2
    assert "MLDS; MLDS (2)" in drawing.caption
    assert drawing.figure().layout.yaxis.title.text == "perceptual scale (first: 0 to 1)"
    assert drawing.alt.startswith("Curves of perceptual scales, the first from 0 to 1")
    (alone,) = (one for one in drawings([fit, first], answers) if one.name == "scale")
    assert alone.figure().layout.yaxis.title.text == "perceptual scale (0 to 1)"
    assert alone.alt.startswith("Curve of the perceptual scale from 0 to 1")


def test_map_shows_the_uncertainty_that_is_given(answers, runs):
    fit, bootstrap = runs[:2]
    (alone,) = drawings(fit, answers)
    (sure,) = drawings(fit, answers, samples=bootstrap)
    assert "ellipses" not in alone.caption
    assert "95% ellipses from 10 replicates, 8 participants drawn with replacement" in sure.caption
    assert len(sure.figure().data) > len(alone.figure().data)


def test_a_page_draws_a_figure_once(answers, runs):
    drawn = []
    (drawing,) = drawings(runs[0], answers)
    counted = replace(drawing, draw=lambda canvas: drawn.append(canvas) or drawing.draw(canvas))
    assert json.loads(counted.on_page)["data"]
    assert counted.on_page is counted.on_page
    assert len(drawn) == 1


def test_tree_is_cut_as_asked(answers, runs):
    tree = runs[3]
    (drawing,) = drawings(tree, answers, looks={tree.key: TreeLook(4)})
    assert drawing.table()["cluster"].nunique() == 4
    assert "Cut into 4 clusters" in drawing.caption


def test_several_trees_have_names_of_their_own(answers):
    several = [ts.run("fit", ts.AgglomerativeClustering(linkage=how), answers)
               for how in ("average", "complete")]
    names = [drawing.name for drawing in drawings(several, answers)]
    assert names == ["dendrogram-agglomerative", "dendrogram-agglomerative-2"]


def test_figure_in_a_file(answers, runs, tmp_path):
    (drawing,) = drawings(runs[2], answers)
    drawing.save(tmp_path / "kernel.html")
    assert b"plotly" in (tmp_path / "kernel.html").read_bytes()
    with pytest.raises(ValueError, match=r"none of \.svg, \.pdf, \.png, \.html"):
        drawing.save(tmp_path / "kernel.gif")


def test_scale_has_the_values_of_the_fit(answers, runs):
    (drawing,) = (d for d in drawings(runs, answers) if d.name == "scale")
    table = drawing.table()
    mlds = table[table["method"].str.contains("Difference|MLDS")]
    fitted = next(run for run in runs if (run.task, run.kind) == ("fit", "scale")).fitted()
    np.testing.assert_array_equal(mlds["value"], fitted.scale_)


def test_what_other_methods_see_is_said():
    rng = np.random.default_rng(0)
    objects = pd.DataFrame({"id": [str(k) for k in range(12)], "width": rng.normal(size=12)})
    objects["kind"] = np.where(objects["width"] > 0, "a", "b")
    answers = ts.Triplets([[0, 1, 2], [3, 4, 5]], objects)
    for method, said in (
        (ts.features.ColumnMap(columns=["width"]),
         "see the features of the objects (Features, width)."),
        (ts.STE(n_init=1), "see the map (STE, 2 dimensions, restarts 1)."),
    ):
        found = ts.run("predict_column", method, answers, {"column": "kind", "folds": 2})
        errors, classes = drawings(found, answers, name="things")
        assert said in errors.caption
        assert classes.caption.startswith("Rows: true class; columns: predicted.")
