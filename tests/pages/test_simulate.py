"""The page Simulate, which needs no data set, in Streamlit's own test harness."""

from __future__ import annotations

import json

import numpy as np
import pandas as pd
import plotly.graph_objects as go
import pytest
from streamlit.testing.v1 import AppTest

import tripletscope as ts
from tests.pages.harness import (
    figure,
    numbers,
    repeated_crowd,
    session_on,
    settled,
    start,
    unfold,
    words,
)
from tripletscope.core.engine.method import methods
from tripletscope.core.models.embedding import STE
from tripletscope.core.run import run
from tripletscope.core.studies.design.detection import Detection
from tripletscope.core.studies.design.plan import Plan
from tripletscope.core.studies.design.scenario import Scenario, simulated_data
from tripletscope.core.studies.experiment.items import SurveyItem
from tripletscope.dashboard.figures.planning import detection_bars, plan_curves
from tripletscope.dashboard.figures.theme import FONT_SIZE, PALETTE, Canvas, with_caption
from tripletscope.dashboard.files.export import settings
from tripletscope.dashboard.state import _KEY, Session
from tripletscope.dashboard.store.experiments import (
    keep_experiment,
    kept_experiments,
    load_experiment,
)
from tripletscope.dashboard.store.samples import open_sample, samples
from tripletscope.pages.simulate.people import true_positions_of
from tripletscope.pages.simulate.setting import simulated_methods

FILE = Canvas(390.0, 312.0, screen=False)
#: An experiment that is simulated in a blink.
QUICK = {
    "simulate.0.scenario.n_objects": 8, "simulate.0.plan.most": 80, "simulate.0.plan.points": 2,
    "simulate.0.plan.repeats": 3, "simulate.0.dimension.most": 80,
    "simulate.0.dimension.points": 2, "simulate.0.dimension.repeats": 2,
    "simulate.0.dimension.folds": 2, "simulate.0.dimension.beyond": 1,
    "simulate.0.data.n_answers": 200,
}


def simulate(view: str = "planning", **drafts) -> AppTest:
    session = Session("test-session", {"drafts": {**QUICK, **drafts, "simulate.view": view}})
    session.save()
    return start("simulate", session.id)


@pytest.fixture
def planned(services) -> AppTest:
    """The page with its first plan."""
    return settled(simulate(), services)


def press(app: AppTest, key: str, services) -> AppTest:
    app.button(key=key).click().run()
    assert not app.exception
    return settled(app, services)


def said(app: AppTest) -> str:
    return words(app).replace("\\", "")


def test_the_first_visit_shows_a_plan_without_data_and_without_being_asked(planned, services):
    (run,) = services.workspace.runs(None, "plan")
    assert run.name == (
        "t-STE, random: 8 objects, normal cloud in 2-D, flipped answers 0.1, up to 80 answers"
    )
    lines = [t for t in figure(planned, "simulate.plan-accuracy")["data"] if t.get("marker")]
    assert numbers(lines[0]["x"]).tolist() == [50, 80]
    assert "further answers" in said(planned)
    assert planned.button(key="simulate.run").disabled
    assert "None is open" in said(planned)


def test_methods_and_designs_are_compared_on_the_same_simulations(services):
    planned = settled(simulate(**{
        "simulate.0.methods": ["ste", "k1", "mlds"], "simulate.0.designs": ["random", "repeated"],
    }), services)
    assert "Omitted: MLDS needs objects ordered along a stimulus" in said(planned)
    assert len(services.workspace.runs(None, "plan")) == 4
    names = [t["name"] for t in figure(planned, "simulate.plan-accuracy")["data"] if t.get("name")]
    assert names == ["STE (random)", "STE (3 times each)", "k1 (random)",
                     "k1 (3 times each)"]
    traces = figure(planned, "simulate.plan-ellipse")["data"]
    ellipses = [t["name"] for t in traces if t.get("name")]
    assert ellipses == names[:2], "kernels have no ellipses"
    assert "With 80 answers, " in said(planned)
    planned.number_input(key="simulate.wanted.accuracy").set_value(55.0).run()
    (table,) = [d.value for d in unfold(planned, "Numbers").dataframe]
    assert table["plan"].tolist() == names
    possible = r"at most 50 answers|about [5-8]\d answers|more than 80 answers, if ever"
    assert table["for 55% predicted"].str.fullmatch(possible).all()
    assert (table["radius of the ellipses"] == "—").tolist() == [False, False, True, True]


def test_settings_of_a_method_reach_the_plan_its_name_and_what_is_exported(planned, services):
    planned.multiselect(key="simulate.0.methods").set_value(["tste", "mlds"]).run()
    labels = [box.label for box in planned.expander]
    assert "More settings of t-STE" in labels
    assert "More settings of MLDS" in labels
    keys = [w.key for w in (*planned.number_input, *planned.selectbox)]
    assert not {"simulate.tste.n_components", "simulate.mlds.stimulus"} & set(keys)
    planned.number_input(key="simulate.tste.prior").set_value(2.5).run()
    planned.number_input(key="simulate.tste.n_init").set_value(1).run()
    press(planned, "simulate.run", services)
    changed, usual = services.workspace.runs(None, "plan")
    assert changed.key != usual.key
    assert changed.name.startswith("t-STE, restarts 1, prior 2.5, random: 8 objects")
    one, other = (services.workspace.run(None, run.key) for run in (changed, usual))
    assert (one.parameters["prior"], one.parameters["n_init"]) == (2.5, 1)
    assert not np.array_equal(one.arrays["accuracy"], other.arrays["accuracy"])
    exported = json.loads(settings({"it": one}, {}))["computations"]["it"]
    assert exported["parameters"]["prior"] == 2.5
    caption = said(planned).replace("\\", "")
    assert "t-STE, restarts 1, prior 2.5, random. 8 objects" in caption
    (shown,) = [m for m in planned.multiselect if m.label == "Plans shown"]
    shown.set_value([changed.key, usual.key]).run()
    names = [t["name"] for t in figure(planned, "simulate.plan-accuracy")["data"] if t.get("name")]
    assert names == ["t-STE, restarts 1, prior 2.5", "t-STE"]


def test_settings_of_a_method_reach_the_search_for_the_dimension(services):
    app = simulate("dimension")
    app.number_input(key="simulate.tste.prior").set_value(2.5).run()
    press(app, "simulate.dimension.run", services)
    (run,) = services.workspace.runs(None, "detect_dimension")
    assert run.name.startswith("t-STE, prior 2.5: 8 objects")
    assert services.workspace.run(None, run.key).parameters["prior"] == 2.5


def test_a_plan_of_other_settings_says_so_until_theirs_is_computed(planned, services):
    """Of 12 objects, it still said "Collect 3,000 answers", which was about 30."""
    assert not planned.info
    assert [one.label for one in planned.button if one.label.startswith("Questions for")]
    planned.number_input(key="simulate.0.scenario.n_objects").set_value(9).run()
    (told,) = planned.info
    assert "Shown is an earlier simulation, of 8 objects" in told.value
    assert not [one for one in planned.button if one.label.startswith("Questions for")]
    assert not press(planned, "simulate.run", services).info


def test_another_scenario_is_kept_beside_the_first_and_deleted_after_asking(planned, services):
    planned.selectbox(key="simulate.0.scenario.truth").select("sigmoid").run()
    assert "simulate.0.scenario.n_components" not in [n.key for n in planned.number_input]
    planned.selectbox(key="simulate.0.scenario.noise").select("positions").run()
    assert planned.number_input(key="simulate.0.scenario.level.positions").value == 0.1
    planned.multiselect(key="simulate.0.methods").set_value(["mlds"]).run()
    planned.multiselect(key="simulate.0.designs").set_value(["triads"]).run()
    press(planned, "simulate.run", services)
    (shown,) = [m for m in planned.multiselect if m.label == "Plans shown"]
    assert len(shown.value) == 1
    keys = [run.key for run in services.workspace.runs(None, "plan")]
    shown.set_value(keys).run()
    names = [t["name"] for t in figure(planned, "simulate.plan-accuracy")["data"] if t.get("name")]
    assert [name.split(" (")[0] for name in names] == ["MLDS", "t-STE"]
    assert "scale: sigmoid" in names[0]
    assert "With MLDS (" in said(planned)
    planned.button(key="simulate.delete").click().run()
    planned.button(key="delete for good").click().run()
    assert services.workspace.runs(None, "plan") == []


def test_the_dimension_is_looked_for(services):
    app = simulate("dimension")
    assert "Nothing has been simulated yet" in said(app)
    press(app, "simulate.dimension.run", services)
    (run,) = services.workspace.runs(None, "detect_dimension")
    assert run.complete
    bars = figure(app, "simulate.plan-dimension")["data"]
    assert bars[0]["name"] == "2 dimensions (true)"
    heights = np.sum([numbers(bar["y"]) for bar in bars], axis=0)
    np.testing.assert_allclose(heights, 1)
    assert "answers reveal all 2 dimensions" in said(app)


NOISY = {"simulate.0.noise.most": 80, "simulate.0.noise.points": 1,
         "simulate.0.noise.steps": 2, "simulate.0.noise.repeats": 2}


def test_noise_is_varied_and_what_cannot_be_varied_is_said(services):
    app = simulate("noise", **NOISY)
    press(app, "simulate.noise.run", services)
    (kept,) = services.workspace.runs(None, "plan")
    assert "flipped answers, noise level 0.05 to 0.4, up to 80 answers" in kept.name
    for quantity in ("accuracy", "ellipse", "disparity"):
        lines = [t for t in figure(app, f"simulate.noise-{quantity}")["data"] if t.get("marker")]
        assert numbers(lines[0]["x"]).tolist() == [0.05, 0.4]
    assert app.button(key="simulate.noise.run").disabled
    app.selectbox(key="simulate.0.noise.vary").set_value("length_scale").run()
    assert "one scale per observer" in said(app)
    assert app.button(key="simulate.noise.run").disabled


LIST = "simulate.list"


def test_a_list_of_typed_names(services):
    app = simulate("questions", **{f"{LIST}.n_questions": 12, f"{LIST}.catch": 0.1})
    app.selectbox(key=f"{LIST}.objects").select("typed").run()
    app.text_area(key=f"{LIST}.typed").set_value("ape\nbee\n\ncat *\ndog\nape").run()
    text = words(app)
    assert "an option 6 times" in text
    assert r"**cat \*** more similar to" in text or r"to **cat \***" in text
    facts = {metric.label: metric.value for metric in app.metric}
    assert facts == {"Questions": "12", "Repeats": "1", "Checks": "1", "Minutes": "1"}
    (rows,) = [d.value for d in unfold(app, "All rows").dataframe]
    assert set(rows["object 1"]) == {"ape", "bee", "cat *", "dog"}
    app.number_input(key=f"{LIST}.lists").set_value(2).run()
    app.selectbox(key=f"{LIST}.design").select("different").run()
    assert "4 objects allow 12 different questions" in app.warning[0].value.replace("\\", "")


def test_a_list_becomes_an_experiment_and_its_lists_are_made_again(services):
    app = simulate("questions", **{f"{LIST}.n": 9, f"{LIST}.n_landmarks": 3})
    app.selectbox(key=f"{LIST}.design").select("k1").run()
    assert {metric.label: metric.value for metric in app.metric}["Questions"] == "21"
    app.button(key=f"{LIST}.make").click().run()
    assert not app.exception
    assert app.title[0].value == "Collect"
    (kept,) = kept_experiments(services.workspace)
    made = load_experiment(services.workspace, kept.slug)
    assert (made.source, len(made.questions)) == ("list", 21)
    asking = made.changed(after=(SurveyItem("why", "text", "Why?"),))
    keep_experiment(services.workspace, asking, {}, kept.slug)
    app = simulate("questions", **{f"{LIST}.of": kept.slug})
    assert {metric.label: metric.value for metric in app.metric}["Questions"] == "21"
    app.selectbox(key=f"{LIST}.layout").select("gorilla").run()
    assert not app.info
    assert not app.exception
    assert "The files hold no questionnaire" in " ".join(one.value for one in app.caption)


def test_a_list_of_a_table_or_of_open_objects(services, planted):
    info = services.workspace.add_dataset(planted, origin="a.csv", report=[])
    session = Session("test-session", {"drafts": {"simulate.view": "questions"}})
    session.open(info.id)
    session.save()
    app = start("simulate", session.id)
    assert app.selectbox(key=f"{LIST}.objects").value == "open"
    assert "Every object is the anchor 10 times" in said(app)
    assert "uncertain" in app.selectbox(key=f"{LIST}.design").proto.options[-3].lower()
    app.selectbox(key=f"{LIST}.objects").select("table").run()
    assert "No table has been chosen yet" in app.warning[0].value
    table = b"id,label,image\n1,One,1.png\n2,Two,2.png\n3,Three,3.png\n"
    app.file_uploader(key=f"{LIST}.table").upload("o.csv", table, "text/csv")
    app.run()
    app.number_input(key=f"{LIST}.n_questions").set_value(3).run()
    app.selectbox(key=f"{LIST}.layout").select("jspsych").run()
    assert not app.exception
    assert "**One** more similar to" in said(app) or "to **One**" in said(app)
    assert not [button for button in app.button if button.key == f"{LIST}.make"]


def test_a_further_list_is_the_experiment_that_was_planned(services):
    """It asks as the data were asked, no check that was not wanted, and as many people as lists."""
    answers = ts.read("sample_data/odd_one_out/answers.csv")
    info = services.workspace.add_dataset(answers, origin="a.csv", report=[])
    session = Session("test-session", {"drafts": {
        "simulate.view": "questions", f"{LIST}.n_questions": 50, f"{LIST}.lists": 2}})
    session.open(info.id)
    session.save()
    app = start("simulate", session.id)
    assert app.selectbox(key=f"{LIST}.task").value == "odd_one_out"
    app.button(key=f"{LIST}.make").click().run()
    assert not app.exception
    (kept,) = kept_experiments(services.workspace)
    made = load_experiment(services.workspace, kept.slug)
    assert (made.task, made.n_questions, made.most_people) == ("odd_one_out", 50, 2)
    assert (made.catch, made.n_practice) == (0.0, 0)


def test_simulated_answers_become_a_data_set(services):
    app = simulate("people")
    app.selectbox(key="simulate.0.scenario.truth").select("moons").run()
    marks = [t for t in figure(app, "simulate.truth")["data"] if t.get("customdata")]
    assert [t["name"] for t in marks] == ["group 1", "group 2"]
    app.number_input(key="simulate.0.data.participants").set_value(2).run()
    app.button(key="simulate.open").click().run()
    assert not app.exception
    assert app.title[0].value == "Embedding"
    settled(app, services)
    (info,) = services.workspace.datasets()
    assert (info.n_objects, info.n_answers, info.n_participants) == (8, 200, 2)
    assert info.name == "Simulated: 8 objects, two half moons, flipped answers 0.1"
    assert app.session_state[_KEY].dataset.id == info.id


def test_figures_of_simulations_say_nothing_of_the_open_data_set(services, planted):
    info = services.workspace.add_dataset(planted, origin="a.csv", report=[])
    session = Session("test-session", {"drafts": QUICK})
    session.open(info.id)
    session.save()
    app = settled(start("simulate", session.id), services)
    menus = [button for button in app.button if button.label == "Download figure"]
    menus[0].click().run()
    assert not app.exception
    buttons = app.get("download_button")
    assert {b.proto.label for b in buttons if b.proto.label.endswith("(ZIP)")} == {
        "Figure, numbers and settings (ZIP)"
    }


def test_triads_about_a_cloud_are_explained(services):
    app = simulate("people")
    app.selectbox(key="simulate.0.data.design").select("triads").run()
    assert "choose a scale as truth" in app.warning[0].value


def test_forms_can_begin_like_the_open_data_set(services, planted):
    info = services.workspace.add_dataset(planted, origin="a.csv", report=[])
    session = Session("test-session", {"drafts": {"simulate.view": "people"}})
    session.open(info.id)
    session.save()
    app = start("simulate", session.id)
    app.button(key="simulate.follow").click().run()
    assert not app.exception
    value = {widget.label: widget.value for widget in (*app.number_input, *app.selectbox)}
    assert (value["Objects"], value["Answers"], value["Noise"]) == (30, 2500, "logistic")
    # positions of standard deviation 1.3, in units of the noise
    level = value["Unit of distance"]
    assert level == pytest.approx(1 / 1.3, rel=0.25)
    told = said(app).replace("\n", "")
    assert "| Objects | 30 || Configuration | normal cloud in 2-D |" in told
    assert f"| Noise | logistic (STE) {level} || Answers | 2,500 || Participants" in told
    app.number_input(key="simulate.1.scenario.n_objects").set_value(20).run()
    assert "| Objects | 20 (data: 30) |" in said(app)
    app.segmented_control(key="simulate.view").set_value("dimension").run()
    value = {widget.label: widget.value for widget in app.number_input}
    assert (value["Objects"], value["Max. answers"]) == (20, 2500)


#: Objects, truth, dimensions and method of plans like the samples.
LIKE_SAMPLES = {
    "alien_eggs": (300, "normal", 1, "ste"), "crowd": (40, "normal", 2, "tste"),
    "difference_scaling": (11, "root", None, "mlds"), "ekman_colors": (14, "normal", 2, "tste"),
    "odd_one_out": (60, "normal", 3, "tste"), "pebbles": (128, "normal", 3, "tste"),
}


@pytest.mark.parametrize("sample", samples(), ids=lambda sample: sample.name)
def test_a_plan_from_a_sample_begins_as_it_was(services, sample):
    info = open_sample(sample)
    session = Session("test-session", {"drafts": {"simulate.view": "noise"}})
    session.open(info.id)
    session.save()
    if sample.name == "alien_eggs":  # of maps without a known error, the newest
        mapped = run("fit", STE(n_init=1, max_iter=1), services.workspace.triplets(info))
        services.workspace.add_run(info, mapped, "")
    app = start("simulate", session.id)
    app.button(key="simulate.follow").click().run()
    assert not app.exception
    value = {widget.key.rpartition(".")[2]: widget.value
             for widget in (*app.number_input, *app.selectbox)}
    assert LIKE_SAMPLES[sample.name] == tuple(
        value.get(name) for name in ("n_objects", "truth", "n_components", "method"))
    assert (value["most"], value["participants"]) == (info.n_answers, max(info.n_participants, 1))
    assert 0.2 < value["logistic"] < 2
    # The level of the data is one of those that are compared.
    levels = np.linspace(value["lowest"], value["highest"], 5)
    assert levels[2] == pytest.approx(value["logistic"], abs=0.02)
    assert f"| Like | {info.name} |" in said(app)


def test_sessions_of_an_earlier_version_open(services, planted):
    info = services.workspace.add_dataset(planted, origin="a.csv", report=[])
    session = Session("test-session", {"drafts": {
        "simulate.of": info.id, "simulate.begin": {"n_objects": 9}, "simulate.turn": 1}})
    session.open(info.id)
    session.save()
    app = start("simulate", session.id)
    assert not app.exception


def test_plans_like_the_open_data_look_at_its_noise_ceiling(services):
    answers = repeated_crowd()
    session = session_on(services, answers)
    (info,) = services.workspace.datasets()
    answers = services.workspace.triplets(info)
    for d in (1, 2):
        found = run("cross_validate", STE(n_components=d, n_init=1), answers)
        services.workspace.add_run(info, found, "")
    saved = services.workspace.session(session)
    services.workspace.save_session(session, {**saved, "drafts": {
        **QUICK, **{name.replace(".0.", ".1."): value for name, value in QUICK.items()},
    }})
    app = settled(start("simulate", session), services)
    advice = "The held-out error is at the noise ceiling: more answers will hardly lower it"
    assert "hardly lower it" not in words(app), "the plan is of something else"
    app.button(key="simulate.follow").click().run()
    shown = words(app).replace("\\", "")
    assert f"Repeated, STE, 2 dimensions, restarts 1: {advice}" in shown


# What views are made of ------------------------------------------------------------------------


def test_a_truth_of_everybodys_own_is_not_shown():
    observers = Scenario(truth="observer", n_objects=9)
    assert true_positions_of(simulated_data(observers, 100, participants=2)) is None
    assert true_positions_of(simulated_data(observers, 100)).shape == (9, 1)


def test_methods_that_build_on_a_map_are_not_offered():
    assert set(simulated_methods()) == {*methods("embedding"), "mlds", "k1", "k2"}


def table(plan: Plan, quantity: str) -> pd.DataFrame:
    return plan.band(quantity).assign(plan="<b>one</b>")


def test_curves_of_a_plan_show_mean_band_and_levels():
    accuracy = np.array([[0.5, 0.7, 0.8], [0.6, 0.72, 0.84]])
    plan = Plan(np.array([100, 300, 900]), accuracy, np.array([0.9, 0.92]), accuracy, accuracy)
    shown = table(plan, "accuracy")
    drawn = plan_curves(shown, "accuracy", ceiling=0.91, wanted=0.75, canvas=FILE)
    band, line = drawn.data
    assert line.y.tolist() == pytest.approx([0.55, 0.71, 0.82])
    assert np.array(band.y)[:3].tolist() == pytest.approx(shown["low"].tolist())
    levels = {shape.y0 for shape in drawn.layout.shapes}
    assert levels == {0.91, 0.75, 0.5}, "guessing is shown where bands come near it"
    assert [a.text for a in drawn.layout.annotations] == [
        "upper limit (noise)", "wanted", "guessing",
    ]
    assert not line.showlegend
    two = pd.concat([shown, shown.assign(plan="other")])
    drawn = plan_curves(two, "ellipse", canvas=FILE)
    names = [t.name for t in drawn.data if t.showlegend]
    assert names == ["&lt;b&gt;one&lt;/b&gt;", "other"]
    assert not drawn.layout.shapes


def test_the_caption_of_a_file_leaves_room_for_the_axis():
    accuracy = np.full((2, 2), 0.7)
    plan = Plan(np.array([100, 300]), accuracy, np.full(2, 0.9), accuracy, accuracy)
    drawn = plan_curves(table(plan, "accuracy"), "accuracy", caption="One line.", canvas=FILE)
    assert drawn.layout.title.automargin, "below numbers and title of the axis"
    assert 0 < drawn.layout.title.y < 0.01
    plain = go.Figure(layout={"xaxis": {"showticklabels": False}})
    with_caption(plain, "One line.", FILE)
    caption = plain.layout.title.y * FILE.height
    assert caption < plain.layout.margin.b < caption + 1.5 * FONT_SIZE


def test_bars_of_dimensions_fill_up():
    found = Detection(np.array([50, 100]), np.array([[1, 2], [3, 2], [2, 2], [1, 4]]), 2)
    drawn = detection_bars(found, caption="words", canvas=FILE)
    shares = {bar.name: list(bar.y) for bar in drawn.data}
    assert shares == {
        "2 dimensions (true)": [0.25, 0.75], "1 dimension": [0.5, 0.0],
        "3 dimensions": [0.25, 0.0], "4 dimensions": [0.0, 0.25],
    }
    colours = [bar.marker.color for bar in drawn.data]
    assert colours[0] == PALETTE[0]
    assert len(set(colours)) == 4
    assert "words" in drawn.layout.title.text
