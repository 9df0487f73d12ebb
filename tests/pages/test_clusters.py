"""The page Clusters."""

from __future__ import annotations

import re
from functools import partial

import numpy as np
import pandas as pd
import pytest
from streamlit.testing.v1 import AppTest

import tripletscope as ts
from tests.pages.harness import (
    figure,
    numbers,
    on_tab,
    session_on,
    settled,
    start,
    unfold,
    words,
)
from tripletscope.core.data.triplets import Triplets
from tripletscope.core.models.simulation.simulate import simulate
from tripletscope.core.run import run
from tripletscope.core.similarity.clusters import AgglomerativeClustering
from tripletscope.core.similarity.clusters.counting import count_clusters
from tripletscope.core.similarity.clusters.dendrogram import Dendrogram
from tripletscope.core.similarity.clusters.stability import stability
from tripletscope.core.similarity.clusters.tanglegram import Tanglegram
from tripletscope.core.similarity.kernels import K1
from tripletscope.core.similarity.kernels.space import space_of_distances
from tripletscope.dashboard.results.clusters import memberships, merges, stable_and_dissolved
from tripletscope.dashboard.state import _KEY, Session
from tripletscope.dashboard.ui.shown_clustering import PAGE as CLUSTERS
from tripletscope.dashboard.ui.shown_clustering import ShownClustering
from tripletscope.pages.clusters.facing import places


def clusters(services, session: str, view: str = "tree") -> AppTest:
    return on_tab(settled(start("clusters", session), services), "clusters", view)


def branches(app: AppTest) -> list[dict]:
    drawn = figure(app, "clusters.dendrogram-agglomerative")
    return [t for t in drawn["data"] if "customdata" in t]


def field(app: AppTest, label: str):
    return next(box for box in app.number_input if box.label == label)


def test_the_first_visit_shows_a_tree_without_being_asked(services, opened):
    app = clusters(services, opened)
    nodes = [node for trace in branches(app) for node in trace["customdata"]]
    assert sorted(nodes) == list(range(59)), "30 leaves and 29 branches"
    text = words(app).replace("\\", "")
    assert "Agglomerative, on t-STE, 2 dimensions, degrees of freedom" in text
    (info,) = services.workspace.datasets()
    (listed,) = services.workspace.runs(info.id, "fit")
    assert listed.name.startswith("Agglomerative, on t-STE, 2 dimensions")


def test_a_tree_is_cut_by_number_and_by_height(services, opened):
    app = clusters(services, opened)
    field(app, "Clusters").set_value(7).run()
    assert "7 clusters" in [s.value for s in app.header]
    table = next(f.value for f in app.dataframe if "members" in f.value)
    assert len(table) == 7
    assert table["objects"].sum() == 30
    assert table["objects"].is_monotonic_decreasing
    height = figure(app, "clusters.dendrogram-agglomerative")["layout"]["shapes"][0]["x0"]
    assert height == pytest.approx(field(app, "Cut at height").value, abs=1e-6)
    field(app, "Cut at height").set_value(0.0).run()
    assert field(app, "Clusters").value == 30
    again = start("clusters", opened)
    assert field(again, "Clusters").value == 30, "the cut is kept"


def test_dragging_and_picking_tell_the_session(services, opened):
    session = Session(opened, services.workspace.session(opened))
    info, triplets = session.dataset, session.triplets()
    found = run("fit", AgglomerativeClustering(), triplets)
    made = partial(
        ShownClustering, session, info, CLUSTERS, CLUSTERS, None, found, "k1", None, None
    )
    shown = made()
    middle = float(np.mean(shown.tree.linkage[[-4, -3], 2]))
    shown.cut_at(middle)
    moved = made()
    assert (moved.n_clusters, moved.height) == (4, middle)
    assert len(np.unique(moved.clusters)) == 4
    shown.cut_at(1e9)
    assert made().n_clusters == 1
    moved.select([0])
    assert session.selected_positions(triplets) == np.flatnonzero(moved.clusters == 0).tolist()
    members = memberships(moved.presented(), moved.clusters)["cluster"].value_counts()
    assert members.max() == (moved.clusters == 0).sum()
    assert merges(moved.presented(), found)["objects"].tolist() == moved.tree.linkage[:, 3].tolist()


def test_large_trees_are_drawn_with_wedges(services, opened):
    app = clusters(services, opened)
    assert "Max. leaves" not in [box.label for box in app.number_input], "30 leaves fit"
    n = 40
    rows = np.array([np.random.default_rng(k).choice(n, 3, replace=False) for k in range(900)])
    info = services.workspace.add_dataset(
        Triplets.from_array(rows, n, name="More"), origin="x", report=[]
    )
    session = Session("more")
    session.open(info.id)
    session.save()
    app = clusters(services, "more")
    field(app, "Max. leaves").set_value(10).run()
    assert sum(len(t["customdata"]) for t in branches(app)) == 19
    assert "wedges are branches that merge first" in words(app).replace("\\", "")


def test_clusters_without_a_tree_are_shown_on_a_map(services, opened):
    app = clusters(services, opened)
    app.selectbox(key="clusters.method").select("kmeans").run()
    app.number_input(key="clusters.kmeans.n_clusters").set_value(3).run()
    app.selectbox(key="clusters.kmeans.basis").select("k1").run()
    app.button(key="clusters.run").click().run()
    settled(app, services)
    assert "There is no map to show them on yet" in words(app)
    app.button(key="clusters.map.run").click().run()
    settled(app, services)
    traces = [t for t in figure(app, "clusters.clusters-kmeans")["data"] if "customdata" in t]
    assert [t["name"] for t in traces] == ["Cluster 1", "Cluster 2", "Cluster 3"]
    assert sum(len(t["customdata"]) for t in traces) == 30
    app.segmented_control(key="clusters.view").set_value("two_trees").run()
    assert "This clustering has no tree" in words(app)


def test_the_settings_of_number_and_stability_are_folded_away_together(services, opened):
    app = clusters(services, opened, "numbers")
    (more,) = (e for e in app.expander if e.label == "More settings")
    inside = {widget.key for widget in (*more.number_input, *more.selectbox)}
    assert {"clusters.stability.seed", "clusters.count.references"} <= inside
    assert "clusters.stability.replicates" not in inside


def test_what_findings_leave_to_be_computed_is_promised_beside_its_button(services, opened):
    """The button lay behind closed settings, or opened them for good; and the tree names it."""
    (info,) = services.workspace.datasets()
    answers = services.workspace.triplets(info)
    tree = AgglomerativeClustering(basis=K1())
    for task in ("fit", "count_clusters"):
        services.workspace.add_run(info, run(task, tree, answers), task)
    app = start("clusters", opened, "numbers")
    assert "How stable clusters are is not known" in words(app)
    app.number_input(key="clusters.stability.replicates").set_value(5).run()
    app.button(key="clusters.stability.run").click().run()
    app = settled(app, services)
    assert "How stable clusters are is not known" not in words(app)
    assert len(services.workspace.runs(info.id, "stability")) == 1
    assert "clusters.stability.run" not in {button.key for button in app.button}


def test_how_many_clusters_has_a_verdict_and_gives_support(services, opened):
    app = clusters(services, opened, "numbers")
    assert "Nothing has been computed yet" in words(app)
    app.number_input(key="clusters.stability.replicates").set_value(5).run()
    app.number_input(key="clusters.stability.most").set_value(4).run()
    app.button(key="clusters.count.run").click().run()
    settled(app, services)
    text = words(app).replace("\\", "")
    assert "silhouette" in text
    assert "How stable clusters are is not known" not in text
    assert "stable (mean Jaccard overlap above .75)" in text
    assert "Share of 5 bootstrap replicates over answers that put two objects" in text
    line = figure(app, "clusters.silhouettes-agglomerative")["data"][-1]
    assert len(numbers(line["x"])) == 3
    heat = figure(app, "clusters.together-agglomerative")["data"][0]["z"]
    assert numbers(heat).size == 900 if isinstance(heat, dict) else len(heat) == 30
    assert app.button(key="clusters.count.run").disabled, "nothing is computed twice"
    table = unfold(app, "Support of each merge").dataframe[0].value
    assert table["found exactly"].iloc[0] == 1.0, "all trees have the root"
    assert "No clusters are seen with these answers" in text, "they lie in one cloud"
    assert "There may be some nonetheless" in text
    assert "They recur, but no gaps between them are seen" in text
    assert "continuum" not in text
    assert not [b for b in app.button if b.label.startswith("Cut into")]
    bars = figure(app, "clusters.stability-agglomerative")["data"][0]
    assert (numbers(bars["y"]) + numbers(bars["error_y"]["array"])).max() <= 1.0
    app.segmented_control(key="clusters.view").set_value("tree").run()
    assert any(any(t["text"]) for t in branches(app)), "support of the branches"


@pytest.mark.parametrize("crowd", [False, True], ids=["alone", "participants"])
def test_a_result_of_the_same_answers_is_found_whatever_columns_it_reads(crowd):
    """Resampling reads who answered, and a fit does not."""
    rows = np.random.default_rng(2).random((300, 10)).argsort(axis=1)[:, :3]
    people = pd.DataFrame({"participant": [f"p{k % 10}" for k in range(300)]}) if crowd else None
    objects = pd.DataFrame({"id": [f"o{k}" for k in range(10)]})
    answers = Triplets(rows, objects, people, name="Crowd")
    tree = AgglomerativeClustering(basis=K1())
    fitted, *others = [
        ts.run(task, tree, answers, {"replicates": 5} if task == "stability" else {})
        for task in ("fit", "stability", "count_clusters")
    ]
    drawn = next(iter(ts.drawings([fitted, *others], answers, name="Crowd")))
    branches = [t for t in drawn.figure().data if t.customdata is not None and t.text is not None]
    assert any(any(t.text) for t in branches), "support of the branches"
    told = " ".join(ts.sentences(fitted, *others, answers=answers))
    assert "Borders of the clusters shown may be arbitrary" in told


def test_clusters_of_coin_flips_are_not_stable():
    """Resamples share most answers, and one cluster of nearly all objects overlaps with itself."""
    method, again = AgglomerativeClustering(linkage="single", n_clusters=2), 0
    for seed in range(4):
        rng = np.random.default_rng(seed)
        rows = np.array([rng.choice(12, 3, replace=False) for _ in range(150)])
        coins = Triplets.from_array(rows, 12)
        resampled = stability(method, coins, replicates=10, most=3)
        again += (resampled.recovery > 0.75).any()
        assert stable_and_dissolved(resampled, count_clusters(method, coins, most=3)) is None
        assert stable_and_dissolved(resampled, None) is None
    assert again > 1
    told = simulate(np.repeat([[0.0, 0.0], [9.0, 9.0]], 6, axis=0) + rng.random((12, 2)), 600)
    resampled = stability(method, told, replicates=10, most=3)
    assert stable_and_dissolved(resampled, count_clusters(method, told, most=3)) == (2, 0)


def test_the_recommended_number_can_be_applied(services):
    centres = np.array([[-3.0, 0.0], [3.0, 0.0]])[np.arange(20) % 2]
    positions = centres + 0.4 * np.random.default_rng(0).normal(size=(20, 2))
    session = session_on(services, simulate(positions, 2000, seed=0))
    app = clusters(services, session, "numbers")
    app.number_input(key="clusters.stability.replicates").set_value(5).run()
    app.number_input(key="clusters.stability.most").set_value(4).run()
    app.button(key="clusters.count.run").click().run()
    settled(app, services)
    assert "2 clusters are recommended" in words(app).replace("\\", "")
    (button,) = (b for b in app.button if b.label.startswith("Cut into"))
    assert button.label == "Cut into 2"
    if not button.disabled:
        button.click().run()
        assert app.button(key="clusters.cut").disabled
    for name in ("silhouettes", "stability"):
        line = figure(app, f"clusters.{name}-agglomerative")["data"][-1]
        marked = list(line["marker"]["symbol"]).index("diamond")
        assert numbers(line["x"])[marked] == 2, "both curves mark the same number"


def test_clusters_against_labels(services, opened):
    app = clusters(services, opened, "agreement")
    assert app.selectbox(key=next(
        b.key for b in app.selectbox if b.label == "Labels"
    )).options == ["kind"], "ids and quantities are no labels"
    next(b for b in app.button if b.label == "As many as labels: 3").click().run()
    said = words(app).replace("\\", "")
    assert 1 / 3 <= float(re.search(r"purity (\.\d+)", said)[1]) <= 1
    index = float(re.search(r"Adjusted Rand index of clusters and kind (-?[.\d]+)", said)[1])
    assert index < 0.5, "the kinds were made up"
    heat = figure(app, "clusters.labels")["data"][0]
    assert numbers(heat["customdata"]).sum() == 30
    session = Session("plain")
    info = services.workspace.add_dataset(
        Triplets.from_array([[0, 1, 2], [2, 1, 0], [1, 0, 2]] * 9), origin="x", report=[]
    )
    session.open(info.id)
    session.save()
    assert "There is no column of labels" in words(clusters(services, "plain", "agreement"))


def test_agreement_with_labels_by_the_number_of_answers(services, opened):
    app = clusters(services, opened, "agreement")
    app.number_input(key="clusters.agreement.points").set_value(2)
    app.number_input(key="clusters.agreement.repeats").set_value(2).run()
    app.button(key="clusters.agreement_curve.run").click().run()
    app = settled(app, services)
    drawn = [t for t in figure(app, "clusters.purity-agglomerative")["data"] if t.get("marker")]
    assert len(numbers(drawn[0]["x"])) == 2
    assert "random clusters" in words(app)
    assert app.button(key="clusters.agreement_curve.run").disabled


def test_two_trees_face_each_other(services, opened):
    app = clusters(services, opened, "two_trees")
    assert "There is only one tree" in words(app)
    app.button(key="clusters.other.run").click().run()
    settled(app, services)
    text = words(app).replace("\\", "")
    assert "Left: Agglomerative, on t-STE, 2 dimensions, degrees of freedom" in text
    assert "linkage complete" in text
    assert "pairs of lines" in text
    drawn = figure(app, "clusters.two-trees")["data"]
    leaves = [trace["customdata"] for trace in drawn if "customdata" in trace]
    assert [sorted(side) for side in leaves] == [list(range(30))] * 2


def test_places_of_leaves_with_equal_names_and_of_objects_in_one_tree_only():
    first = AgglomerativeClustering().tree(space_of_distances(1 - np.eye(3)))
    second = Dendrogram(np.array([[0, 1, 1.0, 2]]), np.array([1, 3]), 5)
    objects = pd.DataFrame({"id": list("vwxyz"), "label": ["same", "same", "x", "y", "z"]})
    table = places(Tanglegram(first, second, 0, 1), objects).set_index("id")
    assert set(table.index) == set("vwxy")
    assert table["left"].dropna().tolist() == [0, 1, 2]
    assert table.loc[["w", "y"], "right"].tolist() == [0, 1]
    assert table["right"].isna().sum() == 2


def test_there_are_no_more_clusters_than_objects_with_answers(services, truth):
    answers = simulate(truth[:7], 80, seed=0)
    names = pd.DataFrame({"id": [str(i) for i in range(12)], "kind": list("abcdefghijab")})
    session = session_on(services, Triplets(answers.rows, names.assign(label=names["id"])))
    app = clusters(services, session, "agreement")
    app.button(key="clusters.label.same").click().run()
    assert not app.exception
    assert field(app, "Clusters").value == 7
    key = f"clusters.cut@{services.workspace.runs(services.workspace.datasets()[0].id)[0].key}"
    app.session_state[_KEY].drafts[key] = (10, None)
    app.run()
    assert not app.exception
    assert field(app, "Clusters").value == 7


def test_distances_can_be_uploaded(services, opened, truth):
    app = clusters(services, opened)
    matrix = np.linalg.norm(truth[:, None] - truth, axis=2)
    file = "\n".join(",".join(f"{d:.6f}" for d in row) for row in matrix).encode()
    app.file_uploader(key="clusters.distances").upload("apart.csv", file, "text/csv")
    app.run()
    app.button(key="clusters.distances.run").click().run()
    assert not app.exception
    text = words(app).replace("\\", "")
    assert "Agglomerative, average linkage, on the distances of apart" in text
    assert f"{len(truth)} objects; the values are dissimilarities" in text
    shown = figure(app, "clusters.dendrogram-agglomerative")["layout"]["xaxis"]["range"][0]
    assert shown <= matrix.max() * 1.03
    app.segmented_control(key="clusters.view").set_value("numbers").run()
    assert "There are no answers to resample" in words(app)
    app.segmented_control(key="clusters.view").set_value("two_trees").run()
    assert "pairs of lines" in words(app), "beside the tree of the answers"
