"""The page Embedding."""

from __future__ import annotations

import re

import numpy as np
import pytest
from streamlit.testing.v1 import AppTest

from tests.pages.harness import (
    PAGES,
    crowd,
    figure,
    numbers,
    session_on,
    settled,
    start,
    unfold,
    words,
)
from tripletscope.core.data.geometry import coverage_radius
from tripletscope.core.data.triplets import Triplets
from tripletscope.core.models.embedding import STE, TSTE
from tripletscope.core.models.simulation.simulate import simulate
from tripletscope.core.run import run
from tripletscope.dashboard.jobs.queue import Job
from tripletscope.dashboard.results.maps import DrawnMap
from tripletscope.dashboard.results.presentation import ShownResults
from tripletscope.dashboard.state import _KEY, Session
from tripletscope.dashboard.store.samples import open_sample, samples
from tripletscope.dashboard.ui import analysis
from tripletscope.dashboard.ui.looks import MovedLabels, Result
from tripletscope.pages.embedding.fitting import _live_losses


def test_the_first_visit_shows_a_map_without_being_asked(services, opened):
    app = settled(start("embedding", opened), services)
    spec = figure(app, "map")
    shown = [t for t in spec["data"] if "customdata" in t]
    assert sum(len(t["customdata"]) for t in shown) == 30
    assert any(t.get("name") == "ellipses" for t in spec["data"])
    text = words(app).replace("\\", "")
    assert "t-STE, 2 dimensions" in text.replace("\\", "")
    assert "95 % ellipses from 100 replicates" in text
    assert "Held-out error .1" in text
    assert "chance .500" in text
    assert "With new answers of the same people" in text
    assert "differences between people and errors of the model are not covered" in text


@pytest.mark.parametrize(("n", "has_pictures", "first"), [
    (300, True, "pictures"), (1_797, True, "labels"), (300, False, "labels"),
])
def test_crowds_of_pictures_are_not_shown_at_first(n, has_pictures, first):
    answers = Triplets.from_array([[0, 1, 2], [1, 2, 0]], n)
    fit = run("fit", STE(n_init=1, max_iter=2), answers)
    addresses = dict.fromkeys(range(n), "picture") if has_pictures else {}
    shown = ShownResults((fit,), answers, "X", addresses=addresses)
    assert DrawnMap(shown, fit).style.marks == first


def test_labels_that_were_dragged_are_kept_with_the_map(services, opened):
    app = settled(start("embedding", opened), services)
    (info,) = services.workspace.datasets()
    (listed,) = services.workspace.runs(info.id, "fit")
    session = app.session_state[_KEY]
    result = Result(
        info, services.workspace.triplets(info), services.workspace.run(info.id, listed.key), None,
        None,
    )
    moved = MovedLabels(session, result)
    assert moved.offsets == {}
    assert not [button for button in app.button if button.label == "Put labels back"]
    moved.put(7, (3.0, -2.0))
    assert moved.offsets == {result.triplets.ids[7]: [3.0, -2.0]}
    app.run()
    notes = {note["name"]: note for note in figure(app, "map")["layout"]["annotations"]}
    assert notes["label 7"]["ax"] == pytest.approx(3.0 * notes["label 7"]["font"]["size"])
    next(button for button in app.button if button.label == "Put labels back").click().run()
    assert moved.offsets == {}
    assert not [button for button in app.button if button.label == "Put labels back"]


def test_ellipses_are_of_participants_where_eight_or_more_are_known(services):
    """Wider than those of answers, by what they cover and by the quantile of few people."""
    session = session_on(services, crowd(12, 600, people=9))
    app = settled(start("embedding", session), services)
    text = words(app).replace("\\", "")
    assert "100 replicates, 9 participants drawn with replacement" in text
    assert "With new participants" in text
    assert "over 9 participants" in text
    (info,) = services.workspace.datasets()
    (listed,) = services.workspace.runs(info.id, "bootstrap")
    samples = services.workspace.run(info.id, listed.key).samples()
    drawn = next(t for t in figure(app, "map")["data"] if t.get("name") == "ellipses")
    loop = numbers(drawn["x"])[: np.flatnonzero(np.isnan(numbers(drawn["x"])))[0]]
    half = samples.radius(0.95) * np.sqrt(samples.covariances[:, 0, 0])
    assert np.isclose(half, (loop.max() - loop.min()) / 2, rtol=1e-2).any()
    assert samples.radius(0.95) > 1.15 * coverage_radius(0.95, 2)


def test_other_settings_make_another_map(services, opened):
    app = settled(start("embedding", opened), services)
    app.selectbox(key="embedding.method").select("ste").run()
    app.number_input(key="embedding.ste.n_components").set_value(1).run()
    app.button(key="fit").click().run()
    settled(app, services)
    text = words(app).replace("\\", "")
    assert "STE, 1 dimension" in text
    assert "error bars" in text
    (info,) = services.workspace.datasets()
    names = [run.name for run in services.workspace.runs(info.id, "fit")]
    assert names == ["STE, 1 dimension", "t-STE, 2 dimensions, degrees of freedom 30"]


def test_a_press_whose_run_was_broken_off_counts_in_the_next(services, opened):
    app = settled(start("embedding", opened), services)
    app.number_input(key="embedding.tste.n_components").set_value(3)
    app.session_state[_KEY].press("fit")
    app.run()
    settled(app, services)
    assert "t-STE, 3 dimensions" in words(app).replace("\\", "")


def test_settings_and_selection_survive_a_page_switch_and_a_refresh(services, opened):
    app = settled(start("embedding", opened), services)
    app.selectbox(key="embedding.method").select("ste").run()
    app.session_state[_KEY].select(["3", "4"])
    app.switch_page(PAGES["data"]).run()
    app.switch_page(PAGES["embedding"]).run()
    assert app.selectbox(key="embedding.method").value == "ste"
    again = start("embedding", opened)  # a refresh: a new session of Streamlit at the same address
    assert again.selectbox(key="embedding.method").value == "ste"
    assert "2 selected objects" in words(again)
    marked = {
        t["customdata"][k] for t in figure(again, "map")["data"] if "customdata" in t
        for k in t["selectedpoints"]
    }
    assert marked == {3, 4}


def test_neighbours_are_added_to_a_selection_and_taken_back(services, opened):
    app = settled(start("embedding", opened), services)
    current = app.session_state[_KEY]
    current.select(["3"])
    app.run()
    app.button(key="map.neighbours").click().run()
    assert {"3"} < {*current.selection}
    assert len(current.selection) == 6
    assert "6 selected objects" in words(app)
    app.button(key="undo selection").click().run()
    assert current.selection == ["3"]


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
    assert before.startswith("Map \\(t\\-STE, 2 dimensions")
    for method in (STE(n_components=5), TSTE(n_components=3)):
        services.workspace.add_run(info, run("fit", method, triplets), "of another page")
        assert shown() == before

    # of two maps that are there before the page is first seen, the usual one is shown
    other = services.workspace.add_dataset(triplets, origin="x", report=[])
    session = Session("other")
    session.open(other.id)
    session.save()
    for method in (TSTE(), STE(n_components=5)):
        services.workspace.add_run(other, run("fit", method, triplets), "of another page")
    app = settled(start("embedding", "other"), services)
    assert any(re.match(r"Map \\\(t.+STE, 2 dimensions", c.value) for c in app.caption)

    # one that was asked for is shown when it is there, and the one before until then
    app.selectbox(key="embedding.method").select("ste").run()
    app.button(key="fit").click().run()
    settled(app, services)
    app = start("embedding", "other")
    assert any(re.match(r"Map \\\(STE, 2 dimensions", c.value) for c in app.caption)


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
    assert not any(t.get("name") == "labels" for t in figure(app, "map")["data"])


def test_too_few_questions_are_an_error_only_where_one_asked(services):
    answers = Triplets.from_array([[0, 1, 2], [1, 0, 2], [2, 1, 0], [2, 1, 0]])
    app = settled(start("embedding", session_on(services, answers)), services)
    assert not app.error
    assert "Prediction of new answers was not measured" in words(app)
    assert figure(app, "map")["data"]
    app.button(key="fit").click().run()
    settled(app, services)
    assert "3 different questions cannot be divided into 5 folds" in app.error[0].value
    assert figure(app, "map")["data"], "the map that was computed before is shown all the same"


def test_few_answers_are_called_so_and_training_errors_are_no_headline(services):
    """40 answers about 30 objects had "Training error 0.025" in large letters, and no warning."""
    truth = np.random.default_rng(0).normal(size=(30, 2))
    for number, few in ((40, True), (1_000, False)):
        answers = simulate(truth, number, noise="logistic", seed=1)
        app = settled(start("embedding", session_on(services, answers)), services)
        said = " ".join(warning.value for warning in app.warning)
        assert ("far too few for 30 objects in 2 dimensions" in said) == few
        assert "Training error" not in {metric.label for metric in app.metric}
        assert "training error" in words(app).lower()


def test_a_stopped_fit_says_so(services, opened):
    session = Session(opened, services.workspace.session(opened))
    info, triplets = session.dataset, session.triplets()
    job = analysis.start(session, info, triplets, STE(n_components=9, n_init=99, tol=1e-15), {})
    while not job.losses and job.active:
        pass
    job.cancel()
    assert job.wait(300)
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
        assert services.jobs.of(name)[0].wait(300)
        app = start("embedding", name)
        assert sum(
            len(t["customdata"]) for t in figure(app, "map")["data"] if "customdata" in t
        ) == n


#: Pages that are the same whatever is open.
OF_NO_DATA = {"start", "computing"}


def test_samples_show_on_every_page(services, holding):
    first, *_ = samples()
    with holding():  # dozens of computations are not what is tested here
        for sample in samples():
            session = Session(sample.name)
            session.open(open_sample(sample).id)
            session.save()
            app = start(session=sample.name)
            for name in PAGES if sample == first else PAGES.keys() - OF_NO_DATA:
                assert not app.switch_page(PAGES[name]).run().exception


def dissimilarities(services, session: str, file: bytes | None = None) -> AppTest:
    app = start("embedding", session, "dissimilarities")
    if file is not None:
        app.file_uploader(key="embedding.dissimilarities").upload("apart.csv", file, "text/csv")
        app.run()
        app = app if app.error else fitted(app, services)
    assert not app.exception
    return app


def fitted(app: AppTest, services) -> AppTest:
    """The app once the uploaded matrix is mapped."""
    return settled(app.button(key="embedding.dissimilarities.run").click().run(), services)


def square_table(matrix: np.ndarray) -> bytes:
    return "\n".join(",".join(f"{d:.6f}" for d in row) for row in matrix).encode()


def test_measured_dissimilarities_are_mapped(services, opened, truth):
    assert "No dissimilarities yet" in words(dissimilarities(services, opened))
    apart = np.linalg.norm(truth[:, None] - truth, axis=2)
    noise = np.random.default_rng(0).normal(size=apart.shape)
    apart *= np.exp(0.03 * (noise + noise.T))
    app = dissimilarities(services, opened, square_table(apart**2))
    text = words(app).replace("\\", "")
    assert "NMDS, 2 dimensions" in text
    assert "of 30 objects, apart." in text
    assert "they are taken as all objects in their order" in text
    assert "Stress-1 0.0" in text
    points, line = figure(app, "embedding.dissimilarities.shepard")["data"]
    assert numbers(points["x"]).max() == pytest.approx((apart**2).max(), abs=1e-5)
    assert np.diff(numbers(line["y"])).min() > -1e-9
    unfold(app, "Objects that fit worst")
    shares = app.dataframe[0].value["share of the stress (%)"]
    assert len(shares) == 30
    assert shares.is_monotonic_decreasing
    app.selectbox(key="embedding.dissimilarities.method").select("loe").run()
    app = fitted(app, services)
    text = words(app).replace("\\", "")
    kept = int(re.search(r"neighbours of each object are to be kept; (\d+) % of them", text)[1])
    assert kept > 70
    assert len(figure(app, "embedding.dissimilarities.shepard")["data"]) == 1


def test_some_objects_may_have_dissimilarities_and_mistakes_are_told(services, opened, truth):
    apart = np.linalg.norm(truth[:8, None] - truth[:8], axis=2)
    app = dissimilarities(services, opened, square_table(apart))
    assert "8 rows without names" in app.error[0].value.replace("\\", "")
    (info,) = services.workspace.datasets()
    ids = services.workspace.triplets(info).ids[:8]
    rows = [["", *ids], *([name, *row] for name, row in zip(ids, apart, strict=True))]
    named = "\n".join(",".join(map(str, row)) for row in rows).encode()
    app = dissimilarities(services, opened, named)
    assert not app.error
    assert "of 8 objects" in words(app)
    assert "Of so few objects stress is small" in words(app), "it was said of LOE, which has none"
    spec = figure(app, "embedding.dissimilarities.map")
    assert sum(len(t["customdata"]) for t in spec["data"] if "customdata" in t) == 8


def test_what_later_steps_report_is_no_loss_of_the_map():
    job = Job("me", "page", "A map", [])
    job.losses = {0: [3.0, 2.0]}
    assert "iteration" in _live_losses(job)
    job.step, job.losses = 1, {0: [0.21]}
    assert _live_losses(job) is None


def test_two_selected_objects_say_whether_they_are_told_apart(services, opened):
    app = settled(start("embedding", opened), services)
    app.session_state[_KEY].select(["3", "4"])
    text = words(app.run())
    assert re.search("told apart.*region of the difference of their positions", text)
    app.session_state[_KEY].select(["3", "4", "5"])
    assert "told apart" not in words(app.run())
