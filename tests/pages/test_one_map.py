"""Page, report and script show a map, and a tree, alike, for several data sets and options."""

from __future__ import annotations

import json
import re
from io import BytesIO

import numpy as np
import pandas as pd
import pytest

import tripletscope as ts
from tests.dashboard.archive.changed import unzipped
from tests.pages.harness import figure, settled, start, words
from tripletscope.core.data.triplets import Triplets
from tripletscope.core.models.embedding import NMDS, STE
from tripletscope.core.models.simulation.simulate import simulate
from tripletscope.core.reading import FeatureTable
from tripletscope.core.run import run
from tripletscope.core.similarity.clusters import AgglomerativeClustering
from tripletscope.dashboard.archive.archive import archive
from tripletscope.dashboard.archive.recipe import reproduction
from tripletscope.dashboard.archive.terms import Terms
from tripletscope.dashboard.figures.theme import SCREEN
from tripletscope.dashboard.report.gathering import looks_of, sections_of
from tripletscope.dashboard.results import Drawing, MapLook, TreeLook
from tripletscope.dashboard.results.clusters import by_size, named
from tripletscope.dashboard.results.colouring import Colouring
from tripletscope.dashboard.results.maps import DrawnMap
from tripletscope.dashboard.results.presentation import ShownResults
from tripletscope.dashboard.state import Session
from tripletscope.dashboard.store.samples import open_sample, samples
from tripletscope.dashboard.ui.context import Context
from tripletscope.dashboard.ui.looks import Result, colour_of, look_of
from tripletscope.dashboard.ui.opened_map import choose_method
from tripletscope.dashboard.ui.turning import turn_of
from tripletscope.pages.data.archive_form import _content

NAMED = [f"CFD-{who}-{k:03d}-N" for who in ("BF", "WM", "AF") for k in range(4)]
#: Objects beside their ids and labels, number of dimensions, and what a user has chosen.
CASES = {
    "names": ({}, 2, {}),
    "table": ({"size": np.arange(12.0), "kind": [*"abc"] * 4}, 2, {}),
    "chosen": ({"kind": [*"abc"] * 4}, 2, {
        "colour": "", "marks.plane": "points", "coverage": 0.0,
    }),
    "inspected": ({}, 2, {"colour": "*answers", "coverage": 0.5}),
    "moved": ({"kind": [*"abc"] * 4}, 2, {"labels": {NAMED[3]: [3.0, -2.0]}}),
    "axes": ({}, 3, {"marks.plane": "points"}),
    "space": ({"kind": [*"abc"] * 4}, 3, {"flat": False, "marks.space": "points"}),
    "line": ({"size": np.arange(12.0)}, 1, {}),
    "order": ({"size": np.arange(12.0)}, 1, {"against": "", "coverage": 0.8}),
}


def opened(services, answers, method, chosen) -> tuple:
    """A session with a map, its uncertainty and what a user has chosen; both runs."""
    info = services.workspace.add_dataset(answers, origin="a.csv", report=[])
    return shown_in(services, info, method, chosen)


def shown_in(services, info, method, chosen) -> tuple:
    answers = services.workspace.triplets(info)
    runs = [run("fit", method, answers), run("bootstrap", method, answers, {"replicates": 10}),
            run("cross_validate", method, answers, {"folds": 2})]
    for one in runs:
        services.workspace.add_run(info, one, one.task)
    choose_method(info, method)
    session = Session("test-session")
    session.open(info.id)
    places = {"coverage": "map.coverage", "labels": f"map.labels@{info.id}.{runs[0].key}"}
    session.drafts |= {places.get(name, f"map.{name}@{info.id}"): value
                       for name, value in chosen.items()}
    session.save()
    return info, session, runs


def in_report(session, info, runs) -> Drawing:
    context = Context(session, info, "report", None, None)
    sections = sections_of(context, [one.key for one in runs]).values()
    return next(block for section in sections for block in section.blocks
                if isinstance(block, Drawing) and block.name == "map")


def in_script(services, session, info, runs) -> Drawing:
    """What the last lines of the notebook draw."""
    result = Result(info, services.workspace.triplets(info), runs[0], runs[1], runs[2])
    files = reproduction(
        info, services.workspace.cleaning(info), runs,
        looks={runs[0].key: look_of(session, result)},
    )
    (book,) = (json.loads(text) for name, text in files.items() if name.endswith(".ipynb"))
    source = "".join(book["cells"][-1]["source"])
    _, last = source.split("from tripletscope.dashboard.archive.showing import show\n")
    drawn: list[Drawing] = []
    named = {f"{one.task}_ste": one for one in runs}
    exec(last, {"ts": ts, "show": drawn.extend, "answers": result.triplets, **named})
    return next(one for one in drawn if one.name == "map")


def plain(spec: dict) -> dict:
    """A figure without what its place adds: the pictures themselves, and its words in files."""
    layout = {name: value for name, value in spec["layout"].items()
              if name not in ("images", "template")}
    return {"data": spec["data"], "layout": layout,
            "pictured": [[image["x"], image["y"], image["sizex"]]
                         for image in spec["layout"].get("images", ())]}


@pytest.mark.parametrize("case", CASES)
def test_a_map_is_the_same_on_the_page_in_the_report_and_in_the_script(services, case):
    further, d, chosen = CASES[case]
    truth = np.random.default_rng(0).normal(size=(12, max(d, 2)))
    rows = simulate(truth, 400, noise="logistic", seed=1).rows
    answers = Triplets(rows, pd.DataFrame({"id": NAMED, **further}), name="Faces")
    info, session, runs = opened(services, answers, STE(n_components=d, n_init=1), chosen)
    app = settled(start("embedding", session.id), services)
    page, report = figure(app, "map"), in_report(session, info, runs)
    script = in_script(services, session, info, runs)
    assert report.caption.replace("\\", "") == script.caption
    assert re.sub(r"(?<=\d)%", " %", script.caption) in words(app).replace("\\", "")
    for drawing in (report, script):
        drawn = json.loads(drawing.draw(SCREEN).to_json())
        assert plain(drawn) == plain(page)
    is_chosen = look_of(session, Result(info, answers, runs[0], runs[1], None)) != MapLook()
    assert is_chosen == bool(chosen)


def test_a_map_of_pictures_is_the_same_on_the_page_and_in_the_report(services):
    sample = next(one for one in samples() if one.name == "pebbles")
    info, session, runs = shown_in(services, open_sample(sample), STE(n_init=1), {})
    page = figure(settled(start("embedding", session.id), services), "map")
    assert page["layout"]["images"]
    drawn = json.loads(in_report(session, info, runs).draw(SCREEN).to_json())
    assert plain(drawn) == plain(page)


def test_a_map_is_turned_in_the_script_as_on_the_page(services):
    truth = np.random.default_rng(0).normal(size=(12, 2))
    answers = Triplets(simulate(truth, 400, noise="logistic", seed=1).rows,
                       pd.DataFrame({"id": NAMED}), name="Faces")
    info = services.workspace.add_dataset(answers, origin="a.csv", report=[])
    first = run("fit", STE(n_init=1, seed=3), answers)
    services.workspace.add_run(info, first, "First")
    info, session, runs = shown_in(services, info, STE(n_init=1), {})
    assert turn_of(info, runs[0]).towards == "First"
    page = figure(settled(start("embedding", session.id), services), "map")
    drawn = json.loads(in_script(services, session, info, runs).draw(SCREEN).to_json())
    assert plain(drawn) == plain(page)


@pytest.mark.parametrize("hidden", [False, True])
def test_an_archive_has_the_look_of_its_map(services, hidden):
    who = pd.DataFrame({"participant": [*"pqrst"] * 80})
    truth = np.random.default_rng(0).normal(size=(12, 2))
    rows = simulate(truth, 400, noise="logistic", seed=1).rows
    answers = Triplets(rows, pd.DataFrame({"id": NAMED}), who, name="Faces")
    info, session, _ = opened(services, answers, STE(n_init=1), {"marks.plane": "points"})
    table = FeatureTable("apart", None, np.linalg.norm(truth[:, None] - truth, axis=2))
    services.workspace.add_tables(info, answers, [table], "apart.csv")
    rated = run("map_measured", NMDS(n_init=2), table.ratings(answers))
    assert rated.table
    services.workspace.add_run(info, rated, "Uploaded")
    packed = unzipped(_content(session, info, Terms("Faces", pseudonyms=hidden))())
    (book,) = (text.decode() for name, text in packed.items() if name.endswith(".ipynb"))
    assert "MapLook(marks='points'" in book


@pytest.mark.parametrize("cut", [None, (4, None), (4, 1.5)])
def test_a_tree_is_cut_in_report_and_notebook_as_on_the_page(services, cut):
    truth = np.random.default_rng(0).normal(size=(12, 2))
    answers = Triplets(simulate(truth, 400, noise="logistic", seed=1).rows,
                       pd.DataFrame({"id": NAMED}), name="Faces")
    info = services.workspace.add_dataset(answers, origin="a.csv", report=[])
    tree = run("fit", AgglomerativeClustering(basis=STE(n_init=1)), answers)
    services.workspace.add_run(info, tree, "Tree")
    session = Session("test-session")
    session.open(info.id)
    if cut:
        session.drafts[f"clusters.cut@{tree.key}"] = cut
    session.save()
    context = Context(session, info, "report", None, None)
    report = next(block for section in sections_of(context, [tree.key]).values()
                  for block in section.blocks
                  if isinstance(block, Drawing) and block.name.startswith("dendrogram"))
    files = reproduction(info, services.workspace.cleaning(info), [tree],
                         looks=looks_of(context, [tree.key]))
    (book,) = (json.loads(text) for name, text in files.items() if name.endswith(".ipynb"))
    drawn: list[Drawing] = []
    source = "".join(book["cells"][-1]["source"])
    exec(source.replace("archive.showing import show", "results import Drawing"),
         {"ts": ts, "show": drawn.extend, "answers": answers, "fit_agglomerative": tree})
    app = settled(start("clusters", session.id), services)
    for drawing in (report, drawn[0]):
        caption = drawing.caption.replace("\\", "")
        assert re.sub(r"(?<=\d)%", " %", caption) in words(app).replace("\\", "")
    assert json.loads(report.draw(SCREEN).to_json())["data"] == (
        json.loads(drawn[0].draw(SCREEN).to_json())["data"])


def test_clusters_keep_their_order_and_colours(services):
    """Twelve had been sorted as words, and objects in none of them had an entry of their own."""
    labels = np.repeat(np.arange(12), 3)
    labels[-1] = -1
    column = named(by_size(labels))
    objects = pd.DataFrame({"id": [f"o{k}" for k in range(36)]})
    truth = np.random.default_rng(0).normal(size=(36, 2))
    answers = Triplets(simulate(truth, 2000, noise="logistic", seed=1).rows, objects)
    fit = run("fit", STE(n_init=1), answers)
    ways = {"*clusters": Colouring("cluster", "Clusters", lambda: column)}
    look = MapLook(**colour_of(answers.objects, "*clusters", lambda: ways), outlined=True)
    assert len(look.values) == 35
    assert "nan" not in repr(look)
    shown = ShownResults((fit,), answers, "x", looks={fit.key: look})
    drawn = [trace.name for trace in DrawnMap(shown, fit).draw(SCREEN).data if trace.showlegend]
    assert drawn[:12] == [f"Cluster {k}" for k in range(1, 13)]


def test_what_the_map_says_nothing_of_has_no_colour_in_a_script(services):
    way = {"*contradicted": Colouring("c", "C", lambda: np.array([0.5, np.nan, 0.25]))}
    look = MapLook(**colour_of(
        pd.DataFrame({"id": [*"abc"], "label": [*"abc"]}), "*contradicted", lambda: way))
    assert look.values == {"a": 0.5, "c": 0.25}
    assert eval(repr(look), {"MapLook": MapLook}) == look


def test_tables_of_an_archive_are_cut_as_the_page(services):
    truth = np.random.default_rng(0).normal(size=(12, 2))
    answers = Triplets(simulate(truth, 400, noise="logistic", seed=1).rows,
                       pd.DataFrame({"id": NAMED}), name="Faces")
    info = services.workspace.add_dataset(answers, origin="a.csv", report=[])
    tree = run("fit", AgglomerativeClustering(basis=ts.K1()), answers)
    services.workspace.add_run(info, tree, "Tree")
    content = archive(services.workspace, info, Terms("Faces"),
                      looks={tree.key: TreeLook(number=5)})
    table = pd.read_csv(BytesIO(unzipped(content)["tables/dendrogram-agglomerative.csv"]))
    assert table["cluster"].nunique() == 5
