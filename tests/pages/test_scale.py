"""The page Scale in Streamlit's own test harness, and data that are comparisons of pairs."""

from __future__ import annotations

import re

import numpy as np
import pandas as pd
import pytest
from streamlit.testing.v1 import AppTest

from tests.pages.harness import (
    PAGES,
    figure,
    numbers,
    on_tab,
    settled,
    start,
    unfold,
    words,
)
from tests.paths import FIXTURES, SAMPLES
from tripletscope.core.data.quadruples import Quadruples
from tripletscope.core.data.triplets import Triplets
from tripletscope.core.models.simulation.simulate import simulate
from tripletscope.core.studies.quality.importing import read
from tripletscope.dashboard.jobs.queue import Job, Step
from tripletscope.dashboard.state import _KEY, Session
from tripletscope.pages.scale.context import PAGE, ScaleContext, StimulusContext

KK1 = FIXTURES / "mlds" / "kk1.csv"
#: Scale values of R's package, from the same folder.
SCALE = [0, -0.0398, 0.0318, -0.0372, 0.0773, 0.2525, 0.3472, 0.4509, 0.5588, 0.7321, 1]
TABLES = ("Values with standard errors and intervals", "Numbers")


def keep(services, triplets: Triplets) -> str:
    """Id of a saved session with a data set open."""
    info = services.workspace.add_dataset(triplets, origin="a.csv", report=["All was read."])
    session = Session(triplets.name)
    session.open(info.id)
    session.save()
    return session.id


def greys() -> Triplets:
    """Answers of four people in two groups, about seven greys."""
    x = np.linspace(0.1, 1.0, 7)
    parts = [
        simulate(x[:, None] ** (0.5 if k < 2 else 2), 150 + k, noise="positions", level=0.05,
                 seed=k) for k in range(4)
    ]
    sizes = [len(part) for part in parts]
    answers = pd.DataFrame({
        "participant": np.repeat(["ann", "bob", "cy", "dora"], sizes),
        "place": np.repeat(["lab", "lab", "crowd", "crowd"], sizes),
    })
    objects = pd.DataFrame({"id": [f"grey {k}" for k in range(7)], "contrast": x})
    rows = np.concatenate([part.rows for part in parts])
    return Triplets(rows, objects, answers, "Greys")


@pytest.fixture
def opened(services) -> str:
    return keep(services, greys())


def scale(session: str, view: str = "scales") -> AppTest:
    return on_tab(start("scale", session), "scale", view)


def compute(app, services, key: str):
    app.button(key=f"scale.{key}.run").click().run()
    assert not app.exception
    return settled(app, services)


def test_the_first_visit_draws_scales_without_being_asked(services, opened):
    app = settled(scale(opened), services)
    curves = [t for t in figure(app, "scale.scale")["data"] if t.get("mode") == "lines"
              and not t.get("fill")]
    assert len(curves) == 2
    np.testing.assert_allclose(numbers(curves[0]["x"]), np.linspace(0.1, 1, 7))
    assert numbers(curves[0]["y"])[[0, -1]].tolist() == [0, 1]
    text = words(app).replace("\\", "")
    assert text.count("A monotonic curve fits into the simultaneous") == 2
    differ = text.index("observers’ scales differ in shape, most clearly")
    assert differ < text.index("A monotonic curve"), "the scale of all comes after that doubt"
    assert "whose anchor does not lie between the two others" in text
    assert app.button(key="scale.scale.run").disabled, "nothing is computed twice"
    unfold(app, *TABLES)
    values, errors = (frame.value for frame in app.dataframe)
    assert values["method"].tolist() == ["MLDS"] * 7 + ["STE"] * 7
    assert (values["low"] <= values["value"] + 1e-9).all()
    assert errors["method"].tolist() == ["MLDS", "STE"]
    assert errors["s.d. over folds"].between(0, 0.3).all()

    app.selectbox(key=f"scale.units@{app.session_state[_KEY].dataset.id}").select("noise").run()
    shown = figure(app, "scale.scale")
    assert shown["layout"]["yaxis"]["title"]["text"] == "perceptual scale (units of noise)"
    sigma = errors["noise σ"].iloc[0]
    top = max(numbers(t["y"])[-1] for t in shown["data"] if t.get("mode") == "lines"
              and not t.get("fill"))
    assert top == pytest.approx(1 / sigma, rel=1e-3)
    assert not any(t.get("name") == "STE" for t in shown["data"]), "maps have no such unit"


def test_the_caption_says_what_bands_are_made_of(services, opened):
    app = settled(scale(opened), services)
    said = words(app).replace("\\", "")
    of_mlds = "Pointwise 95 % bands from answers simulated by the fitted model (MLDS); from "
    assert f"{of_mlds}bootstrap replicates over answers (STE)." in said
    next(b for b in app.selectbox if b.label == "Uncertainty from").select("laplace").run()
    app = compute(app, services, "scale")
    said = words(app).replace("\\", "")
    assert f"{of_mlds}the posterior’s normal approximation (STE)." in said


def four_levels() -> Triplets:
    """Four levels make four triads, and the held-out error asks for five folds."""
    rows = np.repeat([[1, 0, 2], [1, 0, 3], [2, 3, 1], [2, 3, 0]], 9, axis=0)
    rows[::4, 1:] = rows[::4, :0:-1]
    objects = pd.DataFrame({"id": list("abcd"), "contrast": [1.0, 2.0, 3.0, 4.0]})
    people = pd.DataFrame({"participant": np.resize(["ann", "bob"], len(rows))})
    return Triplets(rows, objects, people, "Four")


def test_few_questions_have_scales_though_they_cannot_be_divided_into_folds(services):
    app = settled(scale(keep(services, four_levels())), services)
    assert "4 different questions cannot be divided into 5 folds" in app.error[0].value
    drawn = {t.get("name") for t in figure(app, "scale.scale")["data"]}
    assert {"MLDS", "STE"} <= drawn


def test_without_a_stimulus_the_page_says_how_to_get_one(services):
    triplets = simulate(np.arange(5.0)[:, None], 200, noise="positions", level=0.3, seed=0)
    objects = pd.DataFrame({"id": list("abcde"), "kind": list("xyxyx")})
    session = keep(services, Triplets(triplets.rows, objects, None, "Bare"))
    app = scale(session)
    assert "The objects have no physical value yet" in words(app)
    pick = next(b for b in app.selectbox if b.label == "Stimulus")
    pick.select("the order of the objects").run()
    app = settled(app, services)
    assert figure(app, "scale.scale")["layout"]["xaxis"]["title"]["text"] == (
        "rank in the order of the objects"
    )
    app.segmented_control(key="scale.view").set_value("groups").run()
    assert "There are no groups" in words(app)


def test_a_circle_is_shown_by_its_angle(services, opened):
    app = settled(scale(opened, "space"), services)  # the scales
    app = settled(app, services)
    assert "No circle is seen" in words(app), "it computes itself"
    app.number_input(key="scale.ordinal_scale.maps").set_value(10).run()
    app = compute(app, services, "ordinal_scale")
    assert "No circle is seen" in words(app), "contrasts lie on a line"
    (line,) = [t for t in figure(app, "scale.stimulus-map")["data"] if t.get("mode") == "lines"]
    assert len(numbers(line["x"])) == 7
    angle = figure(app, "scale.stimulus-curve")["layout"]["yaxis"]["title"]["text"]
    assert angle == "angle around the centre (degrees)"
    app.selectbox(key=f"scale.axis@{app.session_state[_KEY].dataset.id}").select(1).run()
    assert "axis 2" in figure(app, "scale.stimulus-curve")["layout"]["yaxis"]["title"]["text"]


def test_whether_difference_scaling_fits_is_said_in_words(services, opened):
    app = scale(opened, "fit")
    app.number_input(key="scale.diagnose.simulations").set_value(50).run()
    app = compute(app, services, "diagnose")
    text = words(app).replace("\\", "")
    deviance, aic = map(float, re.search(r"deviance ([\d.]+).* AIC = ([\d.]+)", text).groups())
    assert aic == pytest.approx(deviance + 12, abs=0.1)
    assert text.index("**Runs**: ") < text.index("Residuals: "), "what departs comes first"
    assert "Six-point test: not possible" in text
    assert numbers(figure(app, "scale.runs")["data"][0]["y"]).sum() == 50


def test_lapses_are_offered_by_one_click_where_there_are_any(services):
    answers = read(SAMPLES / "difference_scaling" / "answers.csv",
                   objects=SAMPLES / "difference_scaling" / "objects.csv")
    app = scale(keep(services, answers), "fit")
    app.number_input(key="scale.diagnose.simulations").set_value(20).run()
    app = compute(app, services, "diagnose")
    text = words(app)
    assert text.index("makes the answers clearly more probable") < text.index("Residuals")
    app.button(key="scale.lapses").click().run()
    app = settled(app, services)
    text = words(app).replace("\\", "")
    assert "answers like guesses in eva 28" in text
    assert "ann 0.0 % [0.0 %, 1." in text
    assert not [b for b in app.button if b.key == "scale.lapses"]


def test_groups_are_small_multiples_with_an_error_each(services, opened):
    app = scale(opened, "groups")
    by = next(b for b in app.selectbox if b.label == "Groups")
    assert by.options == ["None", "participant", "place"]
    by.select("place").run()
    next(b for b in app.number_input if b.label == "Maps").set_value(10).run()
    next(b for b in app.number_input if b.label == "Folds").set_value(3).run()
    app = compute(app, services, "groups")
    titles = [a["text"] for a in figure(app, "scale.group-scales")["layout"]["annotations"]][:2]
    assert [title.split(" (")[0] for title in titles] == ["crowd", "lab"]
    assert all(50 < int(title.split("(")[1][:-1]) < 301 for title in titles), "usable ones"
    assert "bands, each over participants where 8 or more are known" in words(app)
    table = unfold(app, "Numbers").dataframe[0].value
    assert table["name"].tolist() == ["all", "crowd", "lab"]
    assert table["MLDS, stimulus contrast: error"].between(0, 0.5).all()


def test_groups_of_answers_that_compare_no_intervals_have_no_scale_but_an_error(services):
    """Where every anchor lies at an end, difference scaling has nothing to work with."""
    x = np.linspace(0, 1, 5)
    asked = simulate(x[:, None], 400, noise="positions", level=0.05, seed=1).rows
    rows = asked[np.isin(asked[:, 0], [0, 4])]
    objects = pd.DataFrame({"id": list("abcde"), "contrast": x})
    people = pd.DataFrame({"participant": np.resize(["ann", "bob"], len(rows))})
    app = scale(keep(services, Triplets(rows, objects, people, "Ends")), "groups")
    app = compute(app, services, "groups")
    assert not app.error
    said = words(app).replace("\\", "").replace("*", "")
    assert "No scale by MLDS for all: they have" in said
    assert "MLDS: nothing is said about single participants" in said
    shown = next(b for b in app.multiselect if b.label == "Methods")
    shown.set_value(["mlds", "ste"]).run()
    next(b for b in app.number_input if b.label == "Maps").set_value(10).run()
    next(b for b in app.selectbox if b.label == "Groups").select("").run()
    app = compute(app, services, "groups")
    said = words(app).replace("\\", "").replace("*", "")
    assert "against contrast, number of usable answers in brackets" in said
    assert "No scale by MLDS for all: " in said
    assert "No scale by STE" not in said
    assert figure(app, "scale.errors-by-participant")["data"]


def test_answers_that_say_the_opposite_are_noticed(services):
    """A scale from 0 to 1 looks the same when the other interval was called the larger one."""
    x = np.linspace(0, 1, 6)
    rows = simulate(x[:, None] ** 2, 300, noise="positions", level=0.05, seed=1).rows[:, [0, 2, 1]]
    objects = pd.DataFrame({"id": list("abcdef"), "contrast": x})
    app = settled(scale(keep(services, Triplets(rows, objects, None, "Turned"))), services)
    assert "MLDS: most answers contradict" in words(app).replace("\\", "").replace("*", "")
    errors = unfold(app, "Numbers").dataframe[0].value
    assert errors["noise σ"].iloc[0] < 0
    assert float(errors["held-out error"].iloc[0].split()[0]) > 0.7


# Comparisons of pairs -------------------------------------------------------------------------


def about(kind, answers, *further):
    """A context of some answers, without a session."""
    context = kind(None, None, PAGE, PAGE, None, *further)
    context.__dict__["answers"] = answers
    return context


def test_only_pairs_about_objects_in_order_begin_with_it():
    def physical(values, stimulus="contrast"):
        objects = pd.DataFrame({"id": list("abcde"), "contrast": values})
        pairs = Quadruples([[0, 1, 2, 3], [3, 4, 0, 1]], objects=objects)
        return about(StimulusContext, pairs, stimulus)

    for rising in ([1, 2, 3, 4, 5], [9, 7, 7, 3, 1]):
        assert physical(rising).begins_ordered
        assert physical(rising).usual == ["mlds", "ste"]
    for other in (physical([1, 3, 2, 4, 5]), physical([1, 2, None, 4, 5])):
        assert not other.begins_ordered
        assert other.usual == ["mlds"]
    assert physical([1, 3, 2, 4, 5], None).begins_ordered, "the order itself"
    triplets = Triplets([[0, 1, 2]], physical([1, 2, 3, 4, 5]).answers.objects)
    assert not about(StimulusContext, triplets, "contrast").begins_ordered


def test_a_crowd_of_thousands_is_no_obstacle():
    n = 1500
    answers = pd.DataFrame({
        "participant": [f"worker {k}" for k in range(n)], "remark": [f"text {k}" for k in range(n)],
        "place": np.resize(["lab", "crowd"], n), "one": "same",
    })
    crowd = Triplets(np.tile([0, 1, 2], (n, 1)), pd.DataFrame({"id": list("abc")}), answers)
    assert about(ScaleContext, crowd).groups == ["participant", "place"]


def test_a_file_of_pairs_is_kept_and_scaled_as_in_r(services):
    app = start()
    app.file_uploader(key="upload").upload("kk1.csv", KK1.read_bytes(), "text/csv")
    app.run()
    assert not app.exception
    assert not app.error
    next(b for b in app.button if b.label == "Keep this data set").click().run()
    assert not app.exception
    assert app.title[0].value == "kk1"
    (info,) = services.workspace.datasets()
    assert (info.n_answers, info.n_pairs) == (0, 330)
    app.switch_page(PAGES["scale"]).run()
    app = unfold(settled(app, services), *TABLES)
    values, errors = (frame.value for frame in app.dataframe)
    mlds, ste = (part["value"] for _, part in values.groupby("method"))
    np.testing.assert_allclose(mlds, SCALE, atol=5e-5)
    np.testing.assert_allclose(ste, SCALE, atol=0.12)
    assert errors["method"].tolist() == ["MLDS", "STE"]
    assert errors["noise σ"].iloc[0] == pytest.approx(0.1838, abs=5e-5)
    assert errors["held-out error"].str.startswith("0.").all()
    bands = [t for t in figure(app, "scale.scale")["data"] if t.get("name") == "band"]
    assert len(bands) == 2, "MLDS and an embedding in one figure"
    assert "11 objects, 330 comparisons of pairs" in words(app)
    app.segmented_control(key="scale.view").set_value("space").run()
    assert not app.exception
    firsts = {s.key: s.value for s in app.selectbox if s.key.endswith(".init")}
    assert firsts == {"scale.tste.init": "spectral"}, "a plane does not begin with a line"
    for page in ("embedding", "compare"):
        app.switch_page(PAGES[page]).run()
        assert not app.exception
        assert "These answers compare pairs" in words(app)
    app.switch_page(PAGES["data"]).run()
    assert not app.exception
    assert "11 objects, 330 comparisons of pairs." in words(app).replace("\\", "")


def test_a_job_is_seen_where_nobody_is_told_apart(services, holding):
    alone = simulate(np.linspace(0.0, 1.0, 7)[:, None], 60, seed=0)
    name = keep(services, alone)
    session = Session(name, services.workspace.session(name))
    with holding():
        job = services.jobs.submit(
            Job(session.id, session.slot(PAGE), "A long job", [Step("Counting", lambda _: None)])
        )
        app = scale(name, "groups")
        assert f"page.cancel.{job.id}" in [button.key for button in app.main.button]
