"""Every page in Streamlit's own test harness: what it shows, what its controls do."""

from __future__ import annotations

import base64
import json
import re
from dataclasses import replace

import numpy as np
import pandas as pd
import pytest
from streamlit.testing.v1 import AppTest

from tests.paths import ROOT
from tripletscope.core import run as runs
from tripletscope.core.cluster import Agglomerative
from tripletscope.core.cluster.dendrogram import Dendrogram
from tripletscope.core.cluster.tanglegram import Tanglegram
from tripletscope.core.data.triplets import Triplets
from tripletscope.core.embedding import SOE, STE, TSTE
from tripletscope.core.io import TASKS
from tripletscope.core.kernel import K1
from tripletscope.core.kernel.space import space_of_distances
from tripletscope.core.quality import Exclusion
from tripletscope.core.run import run
from tripletscope.core.simulation.simulate import simulate
from tripletscope.dashboard import analysis
from tripletscope.dashboard.keeping import services as services_module
from tripletscope.dashboard.keeping.samples import open_sample, samples
from tripletscope.dashboard.keeping.services import WORKSPACE_VARIABLE
from tripletscope.dashboard.state import _KEY, Session
from tripletscope.dashboard.views.clusters.clustering import Shown
from tripletscope.dashboard.views.clusters.facing import places
from tripletscope.dashboard.views.clusters.tree import memberships, merges
from tripletscope.dashboard.views.compare.learning import _verdict
from tripletscope.dashboard.views.uncertainty.predictions import _THRESHOLDS, _in_words

APP = str(ROOT / "dashboard" / "app.py")
PAGES = {"start": "../pages/start.py", "data": "../pages/data.py",
         "embedding": "../pages/embedding.py", "uncertainty": "../pages/uncertainty.py",
         "kernel": "../pages/kernel.py", "clusters": "../pages/clusters.py",
         "trees": "../pages/trees.py", "scale": "../pages/scale.py",
         "compare": "../pages/compare.py", "simulate": "../pages/simulate.py"}
CSV = (
    b"subject,head,left,right,winner\n"
    b"ann,cat,dog,car,dog\nbob,car,bus,dog,bus\nann,dog,cat,bus,cat\n"
)


def start(page: str = "start", session: str | None = None) -> AppTest:
    app = AppTest.from_file(APP, default_timeout=60)
    if session:
        app.query_params["session"] = session
    app.run()
    if page != "start":
        app.switch_page(PAGES[page]).run()
    assert not app.exception
    return app


def test_a_lost_catalogue_is_said_in_a_sentence(tmp_path, monkeypatch):
    monkeypatch.setenv(WORKSPACE_VARIABLE, str(tmp_path))
    services_module._services.cache_clear()
    (tmp_path / "data").mkdir()
    (tmp_path / "data" / "0123.answers.parquet").write_bytes(b"")
    app = start()
    assert "catalogue.sqlite is missing" in app.error[0].value.replace("\\", "")
    assert not words(app)


def settled(app: AppTest, services) -> AppTest:
    """The app once the job of its session has ended."""
    for job in services.jobs.of(app.session_state[_KEY].id):
        assert job.wait(60)
    app.run()
    assert not app.exception
    return app


def words(app: AppTest) -> str:
    return " ".join(str(element.value) for kind in ("markdown", "caption", "title", "subheader")
                    for element in app.get(kind))


def figure(app: AppTest, key: str) -> dict:
    """The figure that a chart was given."""
    (found,) = [c for c in app.get("bidi_component") if c.proto.id.endswith(key)]
    return json.loads(json.loads(found.proto.json)["figure"])


def numbers(encoded: dict | list) -> np.ndarray:
    """An array of a figure, which plotly encodes where it is long."""
    if isinstance(encoded, dict):
        return np.frombuffer(base64.b64decode(encoded["bdata"]), encoded["dtype"])
    return np.array(encoded, dtype=float)


@pytest.fixture
def opened(services, planted):
    """Id of a saved session with data that have categories, quantities and pictures open."""
    objects = planted.objects.assign(kind=["a", "b", "c"] * 10, size=np.arange(30.0))
    return session_on(services, Triplets(planted.rows, objects, planted.answers, "Things"))


def session_on(services, triplets: Triplets) -> str:
    """Id of a saved session in which these answers are open."""
    info = services.workspace.add_dataset(triplets, origin="a.csv", report=["All was read."])
    session = Session("test-session")
    session.open(info.id)
    session.save()
    return session.id


@pytest.mark.parametrize("page", [page for page in PAGES if page != "simulate"])
def test_without_data_every_page_says_what_to_do(services, page):
    app = start(page)
    assert app.title[0].value
    if page != "start":
        assert "No data set is open" in words(app)


def test_start_lists_samples_and_recent_data(services, opened):
    app = start()
    text = words(app)
    for sample in samples():
        assert sample.title.split("'")[0] in text
    assert "Things" in text
    assert "30 objects" in text


def test_a_sample_opens_with_one_click(services):
    app = start()
    app.button(key="sample.ekman_colors").click().run()
    assert not app.exception
    settled(app, services)
    assert app.title[0].value == "Embedding"
    assert "Ekman" in words(app)
    assert "Held-out error" in [metric.label for metric in app.metric]


def test_an_address_can_ask_for_a_sample(services):
    app = AppTest.from_file(APP, default_timeout=60)
    app.query_params["sample"] = "ekman_colors"
    app.run()
    assert app.title[0].value == "Embedding"
    settled(app, services)


def test_an_upload_is_shown_before_it_is_kept(services):
    app = start()
    app.file_uploader(key="upload").upload("pets.csv", CSV, "text/csv")
    app.run()
    assert not app.exception
    assert app.title[0].value == r"Reading pets\.csv"
    assert "ann saw *cat*; said *dog* is more similar than *car*" in words(app).replace("\\", "")
    assert services.workspace.datasets() == []

    app.selectbox(key=next(b.key for b in app.selectbox if b.label == "Participant")).select(
        "—"
    ).run()
    assert "Somebody saw" in words(app)

    app.text_input[0].set_value("My pets")
    next(b for b in app.button if b.label == "Keep this data set").click().run()
    settled(app, services)
    (info,) = services.workspace.datasets()
    assert (info.name, info.n_answers, info.n_participants) == ("My pets", 3, 0)
    assert app.title[0].value == "Embedding"


def test_a_wrong_choice_of_columns_is_explained_and_can_be_undone(services):
    app = start()
    app.file_uploader(key="upload").upload("pets.csv", CSV, "text/csv")
    app.run()
    anchor = next(b for b in app.selectbox if b.label == "Anchor")
    anchor.select("winner").run()
    assert app.error
    assert "pets" in app.error[0].value
    keep = next(b for b in app.button if b.label == "Keep this data set")
    assert keep.disabled
    next(b for b in app.selectbox if b.label == "Anchor").select("head").run()
    assert not app.error


def test_a_discarded_upload_is_gone(services):
    app = start()
    app.file_uploader(key="upload").upload("pets.csv", CSV, "text/csv")
    app.run()
    next(b for b in app.button if b.label == "Discard").click().run()
    assert list((services.workspace.folder / "uploads").iterdir()) == []
    assert services.workspace.datasets() == []


@pytest.mark.parametrize(
    ("name", "content", "message"),
    [
        ("empty.csv", b"", "empty"),
        ("picture.csv", b"\x89PNG\r\n\x1a\n" + bytes(100), "PNG"),
        ("two.csv", b"a,b\n1,2\n", "column"),
    ],
)
def test_what_is_no_answers_is_refused_and_nothing_is_lost(
    services, opened, name, content, message
):
    app = start()
    app.file_uploader(key="upload").upload(name, content, "text/csv")
    app.run()
    assert not app.exception
    (error,) = app.error
    assert name in error.value.replace("\\", "")
    assert message in error.value
    assert not [b for b in app.button if "columns" in b.label], "nothing to insist on"
    assert [info.name for info in services.workspace.datasets()] == ["Things"]


def test_answers_to_another_question_can_be_insisted_on(services):
    triangle = b"image1,image2,image3,choice\n1,1,3,3\n4,5,5,1\n7,8,7,2\n"
    app = start()
    app.file_uploader(key="upload").upload("triangle.csv", triangle, "text/csv")
    app.run()
    assert "triangle test" in app.error[0].value
    next(b for b in app.button if b.label == "Choose columns manually").click().run()
    assert not app.exception
    assert app.title[0].value == r"Reading triangle\.csv"


def test_what_was_asked_is_recognised_and_can_be_changed(services):
    odd = b"image1,image2,image3,choice\n1,2,3,3\n4,5,6,1\n7,8,9,2\n3,5,7,1\n"
    app = start()
    app.file_uploader(key="upload").upload("odd.csv", odd, "text/csv")
    app.run()
    assert not app.exception
    assert "is the odd one out" in words(app)
    asked = next(b for b in app.selectbox if b.label == "Task")
    assert asked.value == list(TASKS).index("odd_one_out")
    asked.select(list(TASKS).index("most_central")).run()
    assert not app.exception
    assert not app.error
    assert "is the most central" in words(app)
    next(b for b in app.button if b.label == "Keep this data set").click().run()
    (info,) = services.workspace.datasets()
    assert info.n_answers == 8


# Data -----------------------------------------------------------------------------------------


def test_data_shows_what_is_there(services, opened):
    app = start("data", opened)
    assert app.title[0].value == "Things"
    assert {metric.label: metric.value for metric in app.metric}["Answers"] == "2,500"
    assert "All was read" in words(app)
    counts = figure(app, "data.occurrence")["data"][0]["y"]
    assert counts


def test_rare_objects_are_warned_of(services):
    triplets = Triplets.from_array([[0, 1, 2]] * 5 + [[3, 1, 0]], 6)
    info = services.workspace.add_dataset(triplets, origin="x", report=[])
    session = Session("s")
    session.open(info.id)
    session.save()
    warnings = [warning.value for warning in start("data", "s").warning]
    assert any("1 object occurs in fewer than 3 answers" in text for text in warnings)
    assert any("2 objects were never asked about" in text for text in warnings)


def test_a_data_set_is_renamed_and_deleted_after_asking(services, opened):
    app = start("data", opened)
    (info,) = services.workspace.datasets()
    app.text_input(key=f"name.{info.id}").set_value("Better").run()
    assert services.workspace.datasets()[0].name == "Better"
    app.button(key=f"delete.{info.id}").click().run()
    assert services.workspace.datasets(), "deleting asks first"
    app.button(key="delete for good").click().run()
    assert services.workspace.datasets() == []


# Embedding ------------------------------------------------------------------------------------


def test_the_first_visit_shows_a_map_without_being_asked(services, opened):
    app = settled(start("embedding", opened), services)
    spec = figure(app, "map")
    shown = [t for t in spec["data"] if "customdata" in t]
    assert sum(len(t["customdata"]) for t in shown) == 30
    assert any(t.get("name") == "ellipses" for t in spec["data"])
    text = words(app).replace("\\", "")
    assert "STE, 2 dimensions" in text
    assert "95 % ellipses from 100 replicates" in text
    assert "Held-out error 0.1" in text
    assert "chance 0.5" in text
    assert "cover neither errors of the model" in text


def test_other_settings_make_another_map(services, opened):
    app = settled(start("embedding", opened), services)
    app.selectbox(key="embedding.method").select("tste").run()
    app.number_input(key="embedding.tste.n_components").set_value(1).run()
    app.button(key="fit").click().run()
    settled(app, services)
    text = words(app).replace("\\", "")
    assert "t-STE, 1 dimension" in text
    assert "error bars" in text
    (info,) = services.workspace.datasets()
    names = [run.name for run in services.workspace.runs(info.id, "fit")]
    assert names == ["t-STE, 1 dimension", "STE, 2 dimensions"]


def test_a_press_whose_run_was_broken_off_counts_in_the_next(services, opened):
    app = settled(start("embedding", opened), services)
    app.number_input(key="embedding.ste.n_components").set_value(3)
    app.session_state[_KEY].press("fit")
    app.run()
    settled(app, services)
    assert "STE, 3 dimensions" in words(app).replace("\\", "")


def test_settings_and_selection_survive_a_page_switch_and_a_refresh(services, opened):
    app = settled(start("embedding", opened), services)
    app.selectbox(key="embedding.method").select("tste").run()
    app.session_state[_KEY].select(["3", "4"])
    app.switch_page(PAGES["data"]).run()
    app.switch_page(PAGES["embedding"]).run()
    assert app.selectbox(key="embedding.method").value == "tste"
    again = start("embedding", opened)  # a refresh: a new session of Streamlit at the same address
    assert again.selectbox(key="embedding.method").value == "tste"
    assert "2 selected objects" in words(again)
    marked = {
        t["customdata"][k] for t in figure(again, "map")["data"] if "customdata" in t
        for k in t["selectedpoints"]
    }
    assert marked == {3, 4}


def test_maps_are_renamed_and_deleted_after_asking(services, opened):
    app = settled(start("embedding", opened), services)
    dataset = services.workspace.datasets()[0].id
    (run,) = services.workspace.runs(dataset, "fit")
    app.text_input(key=f"run.name.{run.id}").set_value("My map").run()
    assert services.workspace.runs(dataset, "fit")[0].name == "My map"
    app.button(key=f"run.delete.{run.id}").click().run()
    assert services.workspace.runs(dataset, "fit"), "deleting asks first"
    app.button(key="delete for good").click().run()
    assert run.id not in [r.id for r in services.workspace.runs(dataset)]


def test_an_open_map_stays_whatever_is_fitted_elsewhere(services, opened):
    settled(start("embedding", opened), services)
    (info,) = services.workspace.datasets()
    triplets = services.workspace.triplets(info)

    def shown() -> str:
        app = settled(start("embedding", opened), services)
        assert not app.exception
        return next(c.value for c in app.caption if "lowest loss" in c.value)

    before = shown()
    assert before.startswith("STE, 2 dimensions")
    for method in (TSTE(n_components=5), STE(n_components=3)):
        services.workspace.add_run(info, run("fit", method, triplets), "of another page")
        assert shown() == before

    # of two maps that are there before the page is first seen, the usual one is shown
    other = services.workspace.add_dataset(triplets, origin="x", report=[])
    session = Session("other")
    session.open(other.id)
    session.save()
    for method in (STE(), TSTE(n_components=5)):
        services.workspace.add_run(other, run("fit", method, triplets), "of another page")
    app = start("embedding", "other")
    assert any(re.match("STE, 2 dimensions", c.value) for c in app.caption)

    # one that was asked for is shown when it is there, and the one before until then
    app.selectbox(key="embedding.method").select("tste").run()
    app.button(key="fit").click().run()
    settled(app, services)
    app = start("embedding", "other")
    assert any(re.match("t.+STE, 2 dimensions", c.value) for c in app.caption)


def test_colours_labels_and_coverage_change_the_figure(services, opened):
    app = settled(start("embedding", opened), services)
    info = services.workspace.datasets()[0]
    app.selectbox(key=f"map.colour@{info.id}").select("kind").run()
    spec = figure(app, "map")
    assert {t["name"] for t in spec["data"] if "customdata" in t} == {"a", "b", "c"}
    wide = np.ptp(spec["layout"]["xaxis"]["range"])
    app.selectbox(key="map.coverage").select(0.0).run()
    spec = figure(app, "map")
    assert not any(t.get("name") == "ellipses" for t in spec["data"])
    assert np.ptp(spec["layout"]["xaxis"]["range"]) <= wide
    app.selectbox(key=f"map.marks.plane@{info.id}").select("points").run()
    assert not any(any(t["text"]) for t in figure(app, "map")["data"] if "customdata" in t)


def test_too_few_questions_are_an_error_only_where_one_asked(services):
    answers = Triplets.from_array([[0, 1, 2], [1, 0, 2], [2, 1, 0], [2, 1, 0]])
    app = settled(start("embedding", session_on(services, answers)), services)
    assert not app.error
    assert next(m.value for m in app.metric if m.label == "Held-out error") == "—"
    assert figure(app, "map")["data"]
    app.button(key="fit").click().run()
    settled(app, services)
    assert "3 different questions cannot be divided into 5 folds" in app.error[0].value
    assert figure(app, "map")["data"], "the map that was computed before is shown all the same"


def test_a_stopped_fit_says_so(services, opened):
    session = Session(opened, services.workspace.session(opened))
    info, triplets = session.dataset, session.triplets()
    job = analysis.start(session, info, triplets, STE(n_components=9, n_init=99, tol=1e-15), {})
    while not job.losses and job.active:
        pass
    job.cancel()
    assert job.wait(60)
    text = words(start("embedding", opened)).replace("\\", "")
    assert "stopped early" in text


def test_large_data_with_long_names_and_three_objects(services):
    for name, n in (("Few", 3), ("Many", 2000)):
        ids = [f"object number {k} with a rather long name <b>{k}</b>" for k in range(n)]
        rng = np.random.default_rng(0)
        rows = np.array([rng.choice(n, 3, replace=False) for _ in range(30 * n if n > 3 else 20)])
        info = services.workspace.add_dataset(
            Triplets.from_array(rows, n, ids=ids, name=name), origin="x", report=[]
        )
        session = Session(name)
        session.open(info.id)
        session.save()
        method = STE(n_init=1, max_iter=15)
        analysis.start(session, info, session.triplets(), method, {"bootstrap": {"replicates": 2}})
        assert services.jobs.of(name)[0].wait(60)
        app = start("embedding", name)
        assert sum(
            len(t["customdata"]) for t in figure(app, "map")["data"] if "customdata" in t
        ) == n


def test_samples_show_on_every_page(services):
    for sample in samples():
        session = Session(sample.name)
        session.open(open_sample(sample).id)
        session.save()
        for page in PAGES:
            start(page, sample.name)
    for name in (sample.name for sample in samples()):
        for job in services.jobs.of(name):
            assert job.wait(60)


# Compare --------------------------------------------------------------------------------------


def test_loss_is_per_answer_also_where_one_stands_for_several(services, planted):
    weighted = Triplets(planted.rows, planted.objects, pd.DataFrame({"weight": [3.0] * 2500}))
    session = session_on(services, weighted)
    settled(start("embedding", session), services)
    (info,) = services.workspace.datasets()
    (fit,) = services.workspace.runs(info.id, "fit")
    tables = [frame.value for frame in start("compare", session).dataframe]
    (shown,) = (table for table in tables if "loss per answer" in table)
    assert shown["loss per answer"].iloc[0] == pytest.approx(fit.record["numbers"]["loss_"] / 7500)


def test_compare_computes_what_is_missing_and_suggests(services, opened):
    app = start("compare", opened)
    assert "Nothing has been computed yet" in words(app)
    app.number_input(key="compare.high").set_value(3).run()
    app.button(key="compare.run").click().run()
    settled(app, services)
    assert "STE: 2 dimensions" in words(app).replace("\\", "")
    assert "No question was asked twice" in words(app) or "repeated answer" in words(app)
    lines = [t for t in figure(app, "compare.errors")["data"] if t.get("name")]
    assert [t["name"] for t in lines] == ["STE", "t-STE"]
    assert len(numbers(lines[0]["x"])) == 3
    assert app.button(key="compare.run").disabled, "nothing is computed twice"
    table = app.dataframe[0].value
    assert sorted(table["dimensions"].tolist()) == [1, 1, 2, 2, 3, 3]
    assert table["held-out error"].is_monotonic_increasing

    app.multiselect(key="compare.others").set_value(["kernel/k1", "cluster/agglomerative"]).run()
    app.button(key="compare.run").click().run()
    settled(app, services)
    table = app.dataframe[0].value
    assert len(table) == 8
    assert set(table.loc[table["dimensions"].isna(), "method"]) == {
        "k1 (own rankings)", "Agglomerative",
    }
    assert table["held-out error"].notna().all()
    notes = [a["text"] for a in figure(app, "compare.errors")["layout"]["annotations"]]
    assert "Agglomerative" in notes
    app.multiselect(key="compare.others").set_value([]).run()

    app.multiselect(key="compare.methods").set_value(["ckl", "ste"]).run()
    assert not app.button(key="compare.run").disabled
    assert "3 of 6" not in words(app)
    assert "6 of 12" in words(app)


def test_maps_side_by_side_are_aligned(services, opened):
    app = start("compare", opened)
    app.number_input(key="compare.low").set_value(2).run()
    app.number_input(key="compare.high").set_value(2).run()
    app.button(key="compare.run").click().run()
    settled(app, services)
    app.segmented_control(key="compare.view").set_value("maps").run()
    assert not app.exception
    maps = [figure(app, f"compare.map.{k}") for k in range(2)]
    assert maps[0]["layout"]["xaxis"]["range"] == maps[1]["layout"]["xaxis"]["range"]
    points = [next(t for t in m["data"] if t.get("customdata")) for m in maps]
    places = [np.column_stack([numbers(t["x"]), numbers(t["y"])]) for t in points]
    assert np.corrcoef(places[0].ravel(), places[1].ravel())[0, 1] > 0.95, "turned towards it"
    assert "nearest neighbours are the same" in words(app)
    app.session_state[_KEY].select(["3", "4"])
    app.selectbox(key="compare.zoom").select("selected").run()
    closer = [figure(app, f"compare.map.{k}")["layout"]["xaxis"]["range"] for k in range(2)]
    assert closer[0] == closer[1]
    assert np.ptp(closer[0]) < np.ptp(maps[0]["layout"]["xaxis"]["range"])
    app.toggle(key="compare.arrows").set_value(True).run()
    lines = [t for t in figure(app, "compare.map.1")["data"] if t.get("mode") == "lines"]
    assert len(lines) == 1
    assert not [t for t in figure(app, "compare.map.0")["data"] if t.get("mode") == "lines"]


def test_part_of_the_answers_becomes_a_data_set_whose_maps_compare(services, opened, planted):
    answers = planted.answers.assign(participant=["ann", "bob"] * (len(planted) // 2))
    triplets = Triplets(planted.rows, planted.objects, answers, "People")
    info = services.workspace.add_dataset(triplets, origin="b.csv", report=["All was read."])
    session = Session("people")
    session.open(info.id)
    session.save()
    app = start("data", session.id)
    app.session_state["data.tab"] = "Answers"
    app.run()
    app.multiselect(key="part.values.participant").set_value(["ann"]).run()
    app.button(key="part.keep").click().run()
    assert not app.exception
    part = services.workspace.datasets()[0]
    assert part.n_answers == len(planted) // 2
    assert part.n_objects == planted.n_objects
    assert "whose participant is ann" in part.report[-1]

    for data, method in ((info, STE(n_init=1)), (part, STE(n_init=1))):
        found = run("fit", method, services.workspace.triplets(data))
        services.workspace.add_run(data, found, "STE")
    app = start("compare", session.id)
    app.segmented_control(key="compare.view").set_value("maps").run()
    assert not app.exception
    assert f"STE ({part.name})" in words(app).replace("\\", "")
    assert figure(app, "compare.map.1")["data"]


def test_the_learning_curve_gives_a_verdict(services, opened):
    app = start("compare", opened)
    app.segmented_control(key="compare.view").set_value("enough").run()
    assert "Nothing has been computed yet" in words(app)
    app.number_input(key="compare.curve.points").set_value(3).run()
    app.number_input(key="compare.curve.repeats").set_value(3).run()
    app.button(key="compare.curve.run").click().run()
    settled(app, services)
    assert "times as many" in words(app)
    assert any(len(numbers(t["x"])) == 3 for t in figure(app, "compare.curve.figure")["data"])


def test_answers_by_chance_are_not_called_enough():
    assert _verdict(0.0, -0.002, 0.002, 3.0, True).startswith("Enough")
    assert _verdict(0.0, -0.002, 0.002, 3.0, False).startswith("Inconclusive")
    assert _verdict(0.03, 0.02, 0.04, 3.0, True).startswith("More answers would help")
    assert _verdict(0.03, -0.02, 0.08, 3.0, True).startswith("Undecided")


def test_maps_of_other_objects_are_shown_and_not_compared(services, planted):
    parts = ([[9, 10, 11], [10, 11, 12], [12, 9, 10]], [[0, 1, 2], [3, 1, 2], [2, 3, 0]],
             [[0, 2, 1], [3, 2, 1], [2, 0, 3]])
    for part in parts:
        session = session_on(services, Triplets(part, planted.objects, None, "Same"))
        info = services.workspace.datasets()[0]
        found = run("fit", STE(n_init=1), services.workspace.triplets(info))
        services.workspace.add_run(info, found, "STE")
    app = start("compare", session)
    app.segmented_control(key="compare.view").set_value("maps").run()
    assert not app.exception
    (maps,) = (m for m in app.multiselect if m.label == "Maps")
    assert len(set(maps.options)) == 3
    maps.set_value([f"{i.id}/{r.key}" for i in services.workspace.datasets()
                    for r in services.workspace.runs(i.id, "fit")]).run()
    assert not app.exception
    assert words(app).count("Too few objects in common") == 1
    assert words(app).count("of the reference's variance is unexplained") == 1
    cells = figure(app, "compare.agreement")["data"][0]
    assert len(set(cells["x"])) == 3
    assert sum(text == "" for row in cells["text"] for text in row) == 4


def test_a_data_set_deleted_in_another_tab(services, mapped):
    app = uncertainty(mapped)
    (info,) = services.workspace.datasets()
    current = app.session_state[_KEY]
    services.workspace.delete_dataset(info.id)
    current.select_positions([0, 1])  # a click on what the tab still shows
    app.run()
    assert not app.exception
    assert "No data set is open" in words(app)


def test_a_job_of_a_deleted_data_set_stops(services, mapped, holding):
    (info,) = services.workspace.datasets()
    current = start("embedding", mapped).session_state[_KEY]
    with holding():
        triplets = services.workspace.triplets(info)
        job = analysis.start(current, info, triplets, SOE(n_init=1), {"bootstrap": {}})
        services.workspace.delete_dataset(info.id)
    assert job.wait(60)
    assert job.state == "stopped"
    assert services.workspace.runs(info.id) == []


def test_a_map_is_listed_again_where_the_same_answers_are_left_out_otherwise(services, planted):
    people = planted.answers.assign(participant=np.where(np.arange(len(planted)) < 9, "q", "p"))
    session = session_on(services, Triplets(planted.rows, planted.objects, people, "Things"))
    workspace = services.workspace
    for way in (Exclusion(participants=("q",)), Exclusion(answers=tuple(range(9)))):
        (info,) = workspace.datasets()
        info = workspace.update_dataset(info.id, workspace.cleaning(info).excluding(way))
        triplets = workspace.triplets(info)
        assert len(triplets) == len(planted) - 9
        current = start("data", session).session_state[_KEY]
        job = analysis.start(current, info, triplets, STE(n_init=1), {"bootstrap": {}})
        assert job.wait(60)
        assert job.state == "done"
        assert {listed.task for listed in workspace.runs(info.id)} == {"fit", "bootstrap"}
        workspace.update_dataset(info.id, workspace.cleaning(info).undone())


def test_tuning_says_what_to_set(services, opened):
    app = start("compare", opened)
    app.segmented_control(key="compare.view").set_value("tune").run()
    app.number_input(key="compare.tune.most").set_value(2).run()
    app.button(key="compare.tune.run").click().run()
    settled(app, services)
    assert "For prediction: 2 dimensions" in words(app).replace("\\", "")
    assert len(figure(app, "compare.tune.figure")["data"]) == 5
    app.button(key="compare.tune.use").click().run()
    assert app.title[0].value == "Embedding"
    settled(app, services).switch_page(PAGES["embedding"]).run()
    assert "average over restarts" in words(app)


# Uncertainty ----------------------------------------------------------------------------------


@pytest.fixture
def mapped(services, opened):
    """The session of `opened`, with a map."""
    (info,) = services.workspace.datasets()
    found = run("fit", STE(n_init=1), services.workspace.triplets(info))
    services.workspace.add_run(info, found, "STE")
    return opened


def uncertainty(session: str, view: str = "positions") -> AppTest:
    app = start("uncertainty", session)
    if view != "positions":
        app.segmented_control(key="uncertainty.view").set_value(view).run()
    assert not app.exception
    return app


def test_uncertainty_asks_for_a_map_first(services, opened):
    assert "There is no map yet" in words(start("uncertainty", opened))


@pytest.mark.parametrize("source", ["bootstrap", "posterior", "laplace"])
def test_positions_have_ellipses_from_every_source(services, mapped, source):
    app = uncertainty(mapped)
    assert "Nothing has been computed yet" in words(app)
    app.selectbox(key="uncertainty.source").select(source).run()
    app.button(key=f"uncertainty.{source}.run").click().run()
    settled(app, services)
    assert any(t.get("name") == "ellipses" for t in figure(app, "map")["data"])
    text = words(app)
    assert ("repetitions" in text) == (source == "bootstrap")
    assert ("approximation covers" in text) == (source == "laplace")
    metrics = {metric.label: metric.value for metric in app.metric}
    assert 0 < float(metrics["Average uncertainty"]) < 0.5
    assert ("R-hat" in metrics) == (source == "posterior")
    tables = [frame.value for frame in app.dataframe]
    assert sum("probability" in table for table in tables) == 2
    assert app.button(key=f"uncertainty.{source}.run").disabled, "nothing is computed twice"


def test_weak_spots_are_those_of_the_open_data_and_of_the_newest_maps(services, planted):
    shown = {}
    for word, replicates in (("here", 10), ("there", 10), ("there", 20)):
        objects = planted.objects.assign(label=[f"{word} {i}" for i in range(30)])
        session = session_on(services, Triplets(planted.rows, objects, planted.answers, word))
        info = services.workspace.datasets()[0]
        triplets = services.workspace.triplets(info)
        services.workspace.add_run(info, run("fit", STE(n_init=1), triplets), "STE")
        samples = run("bootstrap", STE(n_init=1), triplets, {"replicates": replicates})
        # As if a run of the same key had been stopped earlier.
        samples = replace(samples, key=runs.key("bootstrap", STE(n_init=1), triplets))
        services.workspace.add_run(info, samples, "STE")
        app = uncertainty(session)
        pairs = next(f.value for f in app.dataframe if list(f.value)[:2] == ["first", "second"])
        assert pairs["first"].str.startswith(f"{word} ").all()
        average = next(m.value for m in app.metric if m.label == "Average uncertainty")
        shown[word, replicates] = (pairs["sd"].to_numpy(), average)
    assert not np.array_equal(shown["there", 10][0], shown["there", 20][0])
    assert shown["there", 10][1] != shown["there", 20][1]


@pytest.mark.parametrize(("error", "left_open", "words"), [
    ([np.nan], 1.0, "None of the held-out answers can be predicted"),
    ([0.2, np.nan], 0.0, "errs in 20.0 %. No answer is 90 % certain."),
    ([0.2, 0.05], 0.0, "Predicting everything errs in 20.0 %. Predicting only"),
    ([0.2, 0.05], 0.125, "Predicting all but 12.5 %, of which nothing is known, errs in 20.0 %."),
])
def test_what_leaving_answers_open_brings_in_words(error, left_open, words):
    shown = np.full(len(_THRESHOLDS), error[-1])
    shown[0] = error[0]
    assert words in _in_words(shown, np.full(len(_THRESHOLDS), left_open))


def test_the_prior_on_distances_is_there_for_comparison(services, mapped):
    app = uncertainty(mapped)
    app.button(key="uncertainty.bootstrap.run").click().run()
    settled(app, services)
    app.number_input(key="uncertainty.distance_posterior.effective").set_value(20).run()
    app.number_input(key="uncertainty.distance_posterior.most").set_value(500).run()
    app.button(key="uncertainty.distance_posterior.run").click().run()
    settled(app, services)
    values = [m.value for m in app.metric if m.label == "Average uncertainty"]
    assert len(values) == 2
    assert float(values[0]) < float(values[1]), "it knows less than the maps"


def test_a_method_without_likelihood_has_the_bootstrap_only(services, mapped):
    (info,) = services.workspace.datasets()
    found = run("fit", SOE(n_init=1), services.workspace.triplets(info))
    services.workspace.add_run(info, found, "SOE")
    app = uncertainty(mapped)
    app.selectbox(key=f"uncertainty.map@{info.id}").select(found.key).run()
    assert app.selectbox(key="uncertainty.source").options == ["Bootstrap"]
    assert "no response model" in words(app)


def test_unsure_answers_can_be_left_open(services, mapped):
    app = uncertainty(mapped, "predictions")
    assert "uncertainty of positions first" in words(app)
    app.number_input(key="uncertainty.abstention.maps").set_value(20).run()
    app.button(key="uncertainty.abstention.run").click().run()
    settled(app, services)
    lines = {t["name"]: numbers(t["y"]) for t in figure(app, "abstention.figure")["data"]}
    assert lines["not predicted"][0] < lines["not predicted"][-1]
    assert "Predicting everything errs in" in words(app)


def test_calibration_has_a_verdict(services, mapped):
    app = uncertainty(mapped, "trust")
    app.number_input(key="uncertainty.calibrate.data_sets").set_value(3).run()
    app.button(key="uncertainty.calibrate.run").click().run()
    settled(app, services)
    assert "On 3 simulated data sets like this one" in words(app)
    assert figure(app, "trust.coverage")["data"]
    assert figure(app, "trust.reliability")["data"]


def test_questions_to_ask_next(services, mapped):
    app = uncertainty(mapped, "asking")
    assert "500 questions" in words(app)
    app.selectbox(key="uncertainty.propose.strategy").select("uncertain").run()
    assert "has not been computed yet" in words(app)
    app.button(key="uncertainty.bootstrap.run").click().run()
    settled(app, services)
    assert "500 questions" in words(app)
    for key, value in (("more", 40), ("batches", 1), ("repeats", 2)):
        app.number_input(key=f"uncertainty.compare_active.{key}").set_value(value).run()
    app.button(key="uncertainty.compare_active.run").click().run()
    settled(app, services)
    assert "in 2 simulations" in words(app)
    names = [t.get("name") for t in figure(app, "active.figure")["data"] if t.get("name")]
    assert names == ["Most uncertain", "Random"]


def test_uncertainty_against_dimensions_is_on_the_page_compare(services, opened):
    app = start("compare", opened)
    app.number_input(key="compare.high").set_value(1).run()
    app.button(key="compare.run").click().run()
    settled(app, services)
    app.number_input(key="compare.uncertainty.most").set_value(2).run()
    app.number_input(key="compare.uncertainty.maps").set_value(10).run()
    app.button(key="compare.uncertainty.run").click().run()
    settled(app, services)
    lines = figure(app, "compare.uncertainties")["data"]
    assert [len(numbers(t["y"])) for t in lines] == [2, 2]


# Kernel ---------------------------------------------------------------------------------------


def kernel(session: str, view: str = "matrix") -> AppTest:
    app = start("kernel", session)
    if view != "matrix":
        app.segmented_control(key="kernel.view").set_value(view).run()
    assert not app.exception
    return app


def test_the_first_kernel_is_there_without_asking(services, opened):
    app = settled(kernel(opened), services)
    matrix, marks = figure(app, "kernel.matrix")["data"][:2]
    assert matrix["type"] == "heatmap"
    assert sorted(marks["customdata"]) == list(range(30))
    assert "k1" in words(app)
    (info,) = services.workspace.datasets()
    app.selectbox(key=f"kernel.order@{info.id}").select("kind").run()
    marks = figure(app, "kernel.matrix")["data"][1:]
    assert {t["name"] for t in marks} == {"a", "b", "c"}
    assert "by a click on its mark" in words(app)
    app.session_state[_KEY].select(["4"])
    app.run()
    bars = figure(app, "kernel.similar")["data"][0]
    assert len(bars["customdata"]) == 20
    assert 4 not in bars["customdata"]
    assert np.all(np.diff(numbers(bars["x"])) <= 0)


def test_three_objects_share_no_question(services):
    answers = Triplets.from_array([[0, 1, 2], [1, 0, 2], [2, 1, 0]])
    text = words(settled(kernel(session_on(services, answers)), services))
    assert "100 % of the pairs of objects have a similarity of 0" in text


def test_objects_of_which_nothing_is_known_are_similar_to_none(services, truth):
    names = [str(i) for i in range(15)]
    answers = simulate(truth[:12], 900, seed=0)
    triplets = Triplets(answers.rows, pd.DataFrame({"id": names, "label": names}))
    app = settled(kernel(session_on(services, triplets)), services)
    app.session_state[_KEY].select(["4"])
    app.run()
    drawn = figure(app, "kernel.similar")["data"][0]
    assert sorted(drawn["customdata"]) == [i for i in range(12) if i != 4]
    assert numbers(drawn["x"]).min() < 0, "an unknown object would be above it"
    app.session_state[_KEY].select(["13"])
    app.run()
    assert not [c for c in app.get("bidi_component") if c.proto.id.endswith("kernel.similar")]
    assert "13 has no usable answers" in words(app)


def test_another_kernel_is_computed_when_asked(services, opened):
    app = settled(kernel(opened), services)
    app.selectbox(key="kernel.method").select("gaussian").run()
    assert "Nothing has been computed yet" in words(app)
    app.selectbox(key="kernel.gaussian.basis").select("soe").run()
    app.button(key="kernel.fit.run").click().run()
    settled(app, services)
    assert "Gaussian on a map, on SOE, 2 dimensions" in words(app).replace("\\", "")


@pytest.mark.parametrize(
    ("view", "task", "said"),
    [("map", "kernel_map", "of the variance"), ("spectrum", "spectrum", "significant"),
     ("classes", "classify", "are predicted wrongly")],
)
def test_what_a_kernel_says(services, opened, view, task, said):
    app = kernel(opened, view)
    assert "Nothing has been computed yet" in words(app)
    app.button(key=f"kernel.{task}.run").click().run()
    settled(app, services)
    assert said in words(app).replace("\\", "")
    assert app.get("bidi_component")


def test_no_more_folds_are_told_than_a_small_class_allows(services, planted):
    objects = planted.objects.assign(kind=["a"] * 3 + ["b"] * 27)
    session = session_on(services, Triplets(planted.rows, objects, planted.answers, "Things"))
    app = kernel(session, "classes")
    app.button(key="kernel.classify.run").click().run()
    settled(app, services)
    assert "support vector machine, 3 folds" in words(app).replace("\\", "")


def test_a_similarity_of_nought_has_the_reason_of_its_kernel(services, opened):
    app = kernel(opened)
    app.selectbox(key="kernel.method").select("proximity").run()
    app.number_input(key="kernel.proximity.n_estimators").set_value(1).run()
    app.button(key="kernel.fit.run").click().run()
    text = words(settled(app, services)).replace("\\", "")
    assert "have a similarity of 0: they are too far apart" in text
    assert "share no question" not in text


def test_landmark_designs_are_listed(services, opened):
    app = kernel(opened, "design")
    assert "1,260 questions" in words(app)
    app.selectbox(key="kernel.design").select("k2").run()
    assert "2,160 questions" in words(app)


def test_graphs_are_asked_for(services, opened):
    assert "No graphs yet" in words(kernel(opened, "graphs"))


def test_graphs_are_drawn_though_a_class_has_one_only(services, opened):
    app = kernel(opened, "graphs")
    lines = [
        {"node_labels": ["C"] * n, "edges": [[i, i + 1] for i in range(n - 1)], "label": [kind]}
        for n, kind in ((3, "a"), (4, "a"), (5, "a"), (6, "b"))
    ]
    file = "\n".join(map(json.dumps, lines)).encode()
    app.file_uploader(key="kernel.graphs").upload("chains.jsonl", file, "text/plain")
    app.run()
    assert not app.exception
    assert not app.error
    assert figure(app, "kernel.graphs.map")["data"]


# Clusters -------------------------------------------------------------------------------------


def clusters(services, session: str, view: str = "tree") -> AppTest:
    app = settled(start("clusters", session), services)
    if view != "tree":
        app.segmented_control(key="clusters.view").set_value(view).run()
    assert not app.exception
    return app


def branches(app: AppTest) -> list[dict]:
    return [t for t in figure(app, "clusters.tree")["data"] if "customdata" in t]


def field(app: AppTest, label: str):
    return next(box for box in app.number_input if box.label == label)


def test_the_first_visit_shows_a_tree_without_being_asked(services, opened):
    app = clusters(services, opened)
    nodes = [node for trace in branches(app) for node in trace["customdata"]]
    assert sorted(nodes) == list(range(59)), "30 leaves and 29 branches"
    text = words(app).replace("\\", "")
    assert "Agglomerative, on STE, 2 dimensions, average linkage" in text
    (info,) = services.workspace.datasets()
    assert [run.name for run in services.workspace.runs(info.id, "fit")] == [
        "Agglomerative, on STE, 2 dimensions"
    ]


def test_a_tree_is_cut_by_number_and_by_height(services, opened):
    app = clusters(services, opened)
    field(app, "Clusters").set_value(7).run()
    assert "7 clusters" in [s.value for s in app.subheader]
    table = next(f.value for f in app.dataframe if "members" in f.value)
    assert len(table) == 7
    assert table["objects"].sum() == 30
    assert table["objects"].is_monotonic_decreasing
    height = figure(app, "clusters.tree")["layout"]["shapes"][0]["x0"]
    assert height == pytest.approx(field(app, "Cut at height").value, abs=1e-6)
    field(app, "Cut at height").set_value(0.0).run()
    assert field(app, "Clusters").value == 30
    again = start("clusters", opened)
    assert field(again, "Clusters").value == 30, "the cut is kept"


def test_dragging_and_picking_tell_the_session(services, opened):
    session = Session(opened, services.workspace.session(opened))
    info, triplets = session.dataset, session.triplets()
    found = run("fit", Agglomerative(), triplets)
    shown = Shown(session, info, triplets, found, "k1")
    middle = float(np.mean(shown.tree.linkage[[-4, -3], 2]))
    shown.cut_at(middle)
    moved = Shown(session, info, triplets, found, "k1")
    assert (moved.n_clusters, moved.height) == (4, middle)
    assert len(np.unique(moved.clusters)) == 4
    shown.cut_at(1e9)
    assert Shown(session, info, triplets, found, "k1").n_clusters == 1
    moved.select([0])
    assert session.selected_positions(triplets) == np.flatnonzero(moved.clusters == 0).tolist()
    assert memberships(moved)["cluster"].value_counts().max() == (moved.clusters == 0).sum()
    assert merges(moved)["objects"].tolist() == moved.tree.linkage[:, 3].tolist()


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
    traces = [t for t in figure(app, "clusters.map")["data"] if "customdata" in t]
    assert [t["name"] for t in traces] == ["Cluster 1", "Cluster 2", "Cluster 3"]
    assert sum(len(t["customdata"]) for t in traces) == 30
    app.segmented_control(key="clusters.view").set_value("two").run()
    assert "This clustering has no tree" in words(app)


def test_how_many_clusters_has_a_verdict_and_gives_support(services, opened):
    app = clusters(services, opened, "number")
    assert "Nothing has been computed yet" in words(app)
    app.number_input(key="clusters.stability.replicates").set_value(5).run()
    app.number_input(key="clusters.stability.most").set_value(4).run()
    app.button(key="clusters.count.run").click().run()
    settled(app, services)
    text = words(app)
    assert "silhouette" in text
    assert "stable under resampling" in text
    assert len(numbers(figure(app, "curve.gap")["data"][0]["x"])) == 4
    heat = figure(app, "clusters.together")["data"][0]["z"]
    assert numbers(heat).size == 900 if isinstance(heat, dict) else len(heat) == 30
    assert app.button(key="clusters.count.run").disabled, "nothing is computed twice"
    table = next(f.value for f in app.dataframe if "overlap" in f.value)
    assert table["found exactly"].iloc[0] == 100.0, "all trees have the root"
    next(b for b in app.button if b.label.startswith("Cut into") and not b.disabled).click().run()
    app.segmented_control(key="clusters.view").set_value("tree").run()
    assert any(any(t["text"]) for t in branches(app)), "support of the branches"


def test_clusters_against_labels(services, opened):
    app = clusters(services, opened, "labels")
    assert app.selectbox(key=next(
        b.key for b in app.selectbox if b.label == "Labels"
    )).options == ["kind"], "ids and quantities are no labels"
    next(b for b in app.button if b.label == "As many as labels: 3").click().run()
    metrics = {m.label: float(m.value) for m in app.metric}
    assert 1 / 3 <= metrics["Purity"] <= 1
    assert metrics["Adjusted Rand index"] < 0.5, "the kinds were made up"
    heat = figure(app, "clusters.cross")["data"][0]
    assert numbers(heat["customdata"]).sum() == 30
    session = Session("plain")
    info = services.workspace.add_dataset(
        Triplets.from_array([[0, 1, 2], [2, 1, 0], [1, 0, 2]] * 9), origin="x", report=[]
    )
    session.open(info.id)
    session.save()
    assert "There is no column of labels" in words(clusters(services, "plain", "labels"))


def test_two_trees_face_each_other(services, opened):
    app = clusters(services, opened, "two")
    assert "There is only one tree" in words(app)
    app.button(key="clusters.other.run").click().run()
    settled(app, services)
    text = words(app).replace("\\", "")
    assert "Left: Agglomerative, on STE, 2 dimensions, average linkage" in text
    assert "linkage complete" in text
    assert "pairs of lines cross" in text
    leaves = [t["customdata"] for t in figure(app, "clusters.two")["data"] if "customdata" in t]
    assert [sorted(side) for side in leaves] == [list(range(30))] * 2


def test_places_of_leaves_with_equal_names_and_of_objects_in_one_tree_only():
    first = Agglomerative().tree(space_of_distances(1 - np.eye(3)))
    second = Dendrogram(np.array([[0, 1, 1.0, 2]]), np.array([1, 3]), 5)
    objects = pd.DataFrame({"id": list("vwxyz"), "label": ["same", "same", "x", "y", "z"]})
    table = places(Tanglegram(first, second, 0.0), objects).set_index("id")
    assert set(table.index) == set("vwxy")
    assert table["left"].dropna().tolist() == [0, 1, 2]
    assert table.loc[["w", "y"], "right"].tolist() == [0, 1]
    assert table["right"].isna().sum() == 2


def test_there_are_no_more_clusters_than_objects_with_answers(services, truth):
    answers = simulate(truth[:7], 80, seed=0)
    names = pd.DataFrame({"id": [str(i) for i in range(12)], "kind": list("abcdefghijab")})
    session = session_on(services, Triplets(answers.rows, names.assign(label=names["id"])))
    app = clusters(services, session, "labels")
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
    assert "Agglomerative, average linkage, on the distances of apart.csv" in text
    shown = figure(app, "clusters.tree")["layout"]["xaxis"]["range"][0]
    assert shown <= matrix.max() * 1.03
    app.segmented_control(key="clusters.view").set_value("number").run()
    assert "There are no answers to resample" in words(app)
    app.segmented_control(key="clusters.view").set_value("two").run()
    assert "pairs of lines cross" in words(app), "beside the tree of the answers"


# Trees ----------------------------------------------------------------------------------------


def trees(session: str, view: str = "tree") -> AppTest:
    app = start("trees", session)
    if view != "tree":
        app.segmented_control(key="trees.view").set_value(view).run()
    assert not app.exception
    return app


def marks(app: AppTest, name: str, key: str = "trees.diagram") -> dict:
    """The trace of a name in a figure."""
    return next(t for t in figure(app, key)["data"] if t.get("name") == name)


def test_the_first_visit_grows_a_tree_without_being_asked(services, opened, holding):
    with holding():
        assert "There is no map yet" in words(start("trees", opened))
    for job in services.jobs.of(opened):
        assert job.wait(60)
    app = trees(opened)
    metrics = {metric.label: metric.value for metric in app.metric}
    assert 0 < int(metrics["By participants"].split()[0]) < 100
    assert int(metrics["Questions"]) >= 30
    assert "gaps filled by the map" in words(app)
    assert "unsure" in words(app)
    assert marks(app, "nodes")["customdata"][0] == 0
    assert len([t for t in figure(app, "trees.partition")["data"] if t.get("fill")]) > 2


def test_who_answers_makes_another_tree(services, mapped):
    app = trees(mapped)
    (info,) = services.workspace.datasets()
    app.selectbox(key=f"trees.colour@{info.id}").select("kind").run()
    names = {t.get("name") for t in figure(app, "trees.diagram")["data"]}
    assert {"a", "b", "c"} <= names
    app.selectbox(key="trees.who").select("map").run()
    assert {metric.label: metric.value for metric in app.metric}["By participants"] == "—"
    app.selectbox(key=f"trees.pivots.map@{info.id}").select("supervised").run()
    assert "pivots of different kind" in words(app)
    app.selectbox(key="trees.who").select("observer").run()
    app.number_input(key="trees.times").set_value(3).run()
    assert not app.exception
    assert "asked 3 times" in words(app).replace("\\", "")
    calm = {metric.label: metric.value for metric in app.metric}["Questions"]
    app.number_input(key="trees.times").set_value(1).run()
    assert int(calm) > 2 * int({m.label: m.value for m in app.metric}["Questions"])


def test_a_person_answers_at_the_screen_and_goes_on_later(services, mapped):
    app = trees(mapped)
    app.selectbox(key="trees.who").select("person").run()
    (info,) = services.workspace.datasets()
    app.number_input(key=f"trees.some@{info.id}").set_value(4).run()
    assert "0 answers so far" in words(app)
    app.button(key="trees.answer.Left").click().run()
    assert "1 answer so far" in words(app)
    app.button(key="trees.undo").click().run()
    assert "0 answers so far" in words(app)
    app.button(key="trees.answer.Right").click().run()
    app.switch_page(PAGES["data"]).run()
    again = trees(mapped)  # a refresh
    assert "1 answer so far" in words(again)
    for _ in range(10):
        if again.success:
            break
        again.button(key="trees.answer.Left").click().run()
    assert "of this tree are answered" in again.success[0].value
    assert {metric.label: metric.value for metric in again.metric}["By participants"] == "100 %"
    n_given = len(again.session_state[_KEY].drafts[f"trees.given@{info.id}"])
    again.button(key="trees.given.keep").click().run()
    kept = services.workspace.datasets()[0]
    assert (kept.n_answers, kept.n_objects) == (n_given, 30)


def test_a_search_is_walked_down_and_judged(services, mapped):
    app = trees(mapped, "search")
    text = words(app).replace("\\", "")
    assert "Is 0 nearer to" in text
    assert "of 3 found" in text
    (info,) = services.workspace.datasets()
    app.select_slider(key=f"trees.step@{info.id}").set_value(0).run()
    assert "Is 0 nearer to" not in words(app)
    app.number_input(key="trees.trees.uploaded").set_value(5).run()
    assert "of 3 found" in words(app)
    for key, value in (("n_trees", 2), ("folds", 2), ("max_objects", 10)):
        app.number_input(key=f"trees.search_curve.{key}").set_value(value).run()
    app.button(key="trees.search_curve.run").click().run()
    settled(app, services)
    lines = [t["name"] for t in figure(app, "trees.search.figure")["data"] if t.get("name")]
    assert lines == ["Comparison tree", "2 comparison trees", "KD tree", "RP tree", "PA tree"]
    app.selectbox(key="trees.curve").select("asked").run()
    lines = [t["name"] for t in figure(app, "trees.search.figure")["data"] if t.get("name")]
    assert "Rank cover tree" in lines
    assert figure(app, "trees.expansion")["data"][0]["customdata"]


@pytest.mark.parametrize("n", [4, 14, 40])
def test_a_search_finds_neighbours_without_a_setting(services, n):
    """Three of the others at most, where there are so few."""
    positions = np.random.default_rng(n).normal(size=(n, 2))
    answers = simulate(positions, 60 * n, noise="logistic", seed=1)
    session = session_on(services, answers)
    (info,) = services.workspace.datasets()
    fit = run("fit", STE(n_init=1), services.workspace.triplets(info))
    services.workspace.add_run(info, fit, "STE")
    wanted = min(3, n - 1)
    for query in range(0, n, max(n // 4, 1)):
        app = trees(session, "search")
        app.selectbox(key=f"trees.query@{info.id}").select(str(query)).run()
        text = words(app).replace("\\", "")
        hit, of = map(int, re.search(r"(\d+) of (\d+) found", text).groups())
        assert of == wanted
        assert hit >= wanted - 1, f"{hit} of {of} neighbours of {query}"
        assert f"comparing all {n - 1} objects takes about" in text


@pytest.mark.parametrize("trees_of_search", [1, 4])
def test_an_observer_answers_a_search_in_the_same_way_whenever_it_is_shown(
    services, mapped, trees_of_search
):
    app = trees(mapped, "search")
    app.selectbox(key="trees.who").select("observer").run()
    (info,) = services.workspace.datasets()
    assert app.number_input(key="trees.level.flip").max == 0.5
    app.number_input(key="trees.level.flip").set_value(0.5).run()
    app.number_input(key="trees.trees.observer").set_value(trees_of_search).run()
    before = words(app), app.dataframe[0].value.to_csv()
    assert "flipped answers, level 0.5" in before[0].replace("\\", "")
    steps = app.select_slider(key=f"trees.step@{info.id}").value
    for step in (0, steps):
        app.select_slider(key=f"trees.step@{info.id}").set_value(step).run()
    assert (words(app), app.dataframe[0].value.to_csv()) == before
    assert (words(trees(mapped, "search"))) == before[0], "in another tab too"


@pytest.mark.parametrize("column", ["kind", "size"])
def test_forests_predict_classes_and_numbers(services, mapped, column):
    app = trees(mapped, "prediction")
    app.selectbox(key="trees.forest_errors.column").select(column).run()
    app.number_input(key="trees.forest_errors.folds").set_value(2).run()
    app.button(key="trees.forest_errors.run").click().run()
    settled(app, services)
    text = words(app).replace("\\", "")
    said = "the most frequent class" if column == "kind" else "the mean"
    assert f"Always predicting {said} gives" in text
    (info,) = services.workspace.datasets()
    app.select_slider(key=f"trees.m@{info.id}").set_value(3).run()
    assert "M = 3" in words(app)
    outcome = figure(app, "trees.outcome")["data"]
    if column == "kind":
        assert numbers(outcome[0]["z"]).size == 9
        assert app.button(key="trees.wrong.select")
    else:
        assert len(outcome[1]["customdata"]) == 30
    assert figure(app, "trees.pivots")["data"][0]["customdata"]


def test_a_kernel_answers_too(services, opened):
    (info,) = services.workspace.datasets()
    found = run("fit", K1(), services.workspace.triplets(info))
    services.workspace.add_run(info, found, "k1")
    app = trees(opened)
    assert "this needs a two-dimensional map" in words(app)
    app.selectbox(key="trees.who").select("observer").run()
    assert not app.exception
    app = trees(opened, "search")
    assert "of 3 found" in words(app)


@pytest.mark.parametrize("view", ["tree", "search", "prediction"])
def test_a_kernel_that_knows_nothing_grows_no_tree(services, planted, view):
    both = np.concatenate([planted.rows, planted.rows[:, [0, 2, 1]]])
    session = session_on(services, Triplets(both, planted.objects))
    (info,) = services.workspace.datasets()
    found = run("fit", K1(), services.workspace.triplets(info))
    services.workspace.add_run(info, found, "k1")
    app = trees(session, view)
    assert "k1 covers only 0 objects" in words(app)


def test_a_matrix_answers_the_questions(services):
    rng = np.random.default_rng(0)
    points = rng.normal(size=(7, 2))
    distances = np.linalg.norm(points[:, None] - points, axis=2)
    names = [f"colour {i}" for i in range(7)]
    app = start()
    app.file_uploader(key="upload").upload(
        "colours.csv", pd.DataFrame(distances, names, names).to_csv().encode(), "text/csv"
    )
    app.run()
    assert "matrix of similarities" in app.error[0].value
    app.button(key="matrix.go").click().run()
    assert not app.exception
    assert app.title[0].value == "Embedding"
    (info,) = services.workspace.datasets()
    rows = services.workspace.triplets(info).rows
    assert len(rows) == 7 * 6 * 5 // 2
    assert (distances[rows[:, 0], rows[:, 1]] < distances[rows[:, 0], rows[:, 2]]).all()
    assert services.workspace.triplets(info).ids == names
    app = start()
    np.fill_diagonal(distances, np.nan)
    app.file_uploader(key="upload").upload(
        "alike.csv", pd.DataFrame(distances, names, names).to_csv().encode(), "text/csv"
    )
    app.run()
    app.selectbox(key="matrix.values").select("alike").run()
    app.button(key="matrix.go").click().run()
    info, _ = services.workspace.datasets()
    rows = services.workspace.triplets(info).rows
    assert (distances[rows[:, 0], rows[:, 1]] > distances[rows[:, 0], rows[:, 2]]).all()
