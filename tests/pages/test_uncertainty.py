"""The page Uncertainty."""

from __future__ import annotations

import re
from dataclasses import replace

import numpy as np
import pytest
from streamlit.testing.v1 import AppTest

from tests.pages.harness import (
    crowd,
    figure,
    numbers,
    repeated_crowd,
    session_on,
    settled,
    start,
    unfold,
    words,
)
from tripletscope.core import run as runs
from tripletscope.core.data.triplets import Triplets
from tripletscope.core.models.embedding import SOE, STE
from tripletscope.core.run import run
from tripletscope.dashboard.results.uncertainty import THRESHOLDS, omission_said

WEAK = ("Most uncertain distances", "Most uncertain comparisons", "Least probable answers")


def uncertainty(session: str, view: str = "positions") -> AppTest:
    if view == "asking":
        app = start("simulate", session, "questions")
        return app.selectbox(key="simulate.list.design").select("uncertain").run()
    return start("embedding", session, view)


def test_uncertainty_asks_for_a_map_first(opened, holding):
    with holding():
        assert "There is no map yet" in words(uncertainty(opened))


def averages(app) -> list[float]:
    """Average uncertainties that the page says."""
    return [float(value) for value in re.findall(
        r"conservative form\*\*: (\.\d+)", words(app).replace("\\", "")
    )]


@pytest.mark.parametrize("source", ["bootstrap", "posterior", "laplace"])
def test_positions_have_ellipses_from_every_source(services, mapped, source):
    app = uncertainty(mapped)
    assert "Nothing has been computed yet" in words(app)
    app.selectbox(key="uncertainty.source").select(source).run()
    app.button(key=f"uncertainty.{source}.run").click().run()
    settled(app, services)
    assert any(t.get("name") == "ellipses" for t in figure(app, "map")["data"])
    text = words(app)
    assert ("would contain the true position" in text) == (source == "bootstrap")
    assert ("approximation covers" in text) == (source == "laplace")
    assert 0 < averages(app)[0] < 0.5
    assert ("(R-hat" in text.replace("\\", "")) == (source == "posterior")
    unfold(app, *WEAK)
    tables = [frame.value for frame in app.dataframe]
    assert sum("order_certainty" in table for table in tables) == 1
    assert not any("response_probability" in table for table in tables), "not asked for yet"
    assert app.button(key=f"uncertainty.{source}.run").disabled, "nothing is computed twice"


def test_response_probabilities_are_computed_when_they_are_asked_for(services, mapped):
    """Once, of maps that an earlier version kept without them, too; other tabs find them."""
    (info,) = services.workspace.datasets()
    answers = services.workspace.triplets(info)
    found = run("bootstrap", STE(n_init=1), answers, {"replicates": 10})
    services.workspace.add_run(info, found, "STE")
    app = unfold(uncertainty(mapped), WEAK[-1])
    app.button(key="uncertainty.response_model.run").click().run()
    settled(app, services)
    (table,) = (f.value for f in app.dataframe if "response_probability" in f.value)
    assert table["response_probability"].is_monotonic_increasing
    shown = found.samples(answers).response_probability(answers).min()
    assert table["response_probability"].iloc[0] == pytest.approx(shown)
    assert "uncertainty.response_model.run" not in {button.key for button in app.button}
    app = uncertainty(mapped, "predictions")
    rows = b"anchor,first,second\n" + "\n".join(
        ",".join(answers.ids[i] for i in row) for row in answers.rows[:5]
    ).encode()
    app.file_uploader(key="uncertainty.questions").upload("q.csv", rows, "text/csv").run()
    assert not app.exception
    assert "5 answers predicted, 0 not predicted, by response probability" in words(app)


def test_directions_of_columns_are_arrows_on_the_map_as_it_is_shown(services, planted):
    """With the look of the tab Map; without a column, or on a line, nothing can be computed."""
    rng, method = np.random.default_rng(0), STE(n_init=1)
    answers = planted.with_objects(planted.objects.assign(
        width=method.fit(planted).embedding_[:, 0], noise=rng.normal(size=planted.n_objects),
    ))
    session = session_on(services, answers)
    (info,) = services.workspace.datasets()
    services.workspace.add_run(info, run("fit", STE(n_init=1), answers), "STE")
    app = uncertainty(session, "directions")
    app.number_input(key="uncertainty.directions.replicates").set_value(20).run()
    app.button(key="uncertainty.directions.run").click().run()
    settled(app, services)
    text = words(app)
    assert "“width” grows in one direction of the map" in text
    assert "No direction of “noise”" in text
    drawn = figure(app, "directions")["data"]
    assert [trace["text"] for trace in drawn if trace.get("name") == "arrows"] == [["width"]]
    app.multiselect(key="uncertainty.directions.columns").set_value([]).run()
    assert not app.exception
    assert "uncertainty.directions.run" not in {button.key for button in app.button}
    services.workspace.add_run(info, run("fit", STE(n_components=1), answers), "line")
    line = next(one.key for one in services.workspace.runs(info.id) if one.name == "line")
    app.run().selectbox(key=f"uncertainty.map@{info.id}").select(line).run()
    assert "One dimension has no directions" in words(app)


def test_typical_objects_are_shown_beside_the_map(services, mapped):
    app = uncertainty(mapped, "typicality")
    assert "which objects are typical" in words(app)
    app.button(key="uncertainty.typicality.run").click().run()
    settled(app, services)
    assert "Objects differ in how typical they are" in words(app)
    assert figure(app, "typicality")["data"]


@pytest.mark.parametrize("d", [1, 2])
def test_what_to_do_where_chains_on_a_line_disagree(services, opened, d):
    (info,) = services.workspace.datasets()
    answers = services.workspace.triplets(info)
    method = STE(n_components=d, n_init=1)
    services.workspace.add_run(info, run("fit", method, answers), "STE")
    found = run("posterior", method, answers, {"effective": 20})
    found = replace(found, key=runs.key("posterior", method, answers))
    for rhat, effective, told in ((1.5, 400.0, True), (1.001, 400.0, False), (1.001, 399.0, False)):
        numbers = {**found.numbers, "rhat": rhat, "effective": effective}
        kept = replace(found, numbers=numbers)
        services.workspace.add_run(info, kept, "STE")
        app = uncertainty(opened)
        app.selectbox(key="uncertainty.source").select("posterior").run()
        assert ("use the bootstrap, whose maps" in words(app)) == (told and d == 1)
        assert ("Sample more" in words(app)) == (told or effective < 400)
        assert ("did not agree" in words(app)) == told


def test_a_posterior_of_several_people_says_whose_it_is(services):
    answers = crowd(12, 300)
    session = session_on(services, answers)
    (info,) = services.workspace.datasets()
    services.workspace.add_run(info, run("fit", STE(n_init=1), answers), "STE")
    app = uncertainty(session)
    assert "as those of one observer" not in words(app)
    app.selectbox(key="uncertainty.source").select("laplace").run()
    assert "as those of one observer" in words(app)


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
        app = unfold(uncertainty(session), WEAK[0])
        pairs = next(f.value for f in app.dataframe if list(f.value)[:2] == ["first", "second"])
        assert pairs["first"].str.startswith(f"{word} ").all()
        shown[word, replicates] = (pairs["sd"].to_numpy(), averages(app))
    assert not np.array_equal(shown["there", 10][0], shown["there", 20][0])
    assert shown["there", 10][1] != shown["there", 20][1]


@pytest.mark.parametrize(("error", "left_open", "words"), [
    ([np.nan], 1.0, "No held-out answer can be predicted"),
    ([0.2, np.nan], 0.0, "are wrong. No answer has a response probability of 90%."),
    ([0.2, 0.05], 0.0, "20.0% of predictions of held-out answers are wrong. Of predictions with"),
    ([0.2, 0.05], 0.125, "20.0% of predictions of held-out answers are wrong; nothing is known"),
])
def test_what_leaving_answers_open_brings_in_words(error, left_open, words):
    shown = np.full(len(THRESHOLDS), error[-1])
    shown[0] = error[0]
    omitted = np.full(len(THRESHOLDS), left_open)
    assert words in " ".join(omission_said(shown, omitted))


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
    lines = {t["name"]: numbers(t["y"]) for t in figure(app, "uncertainty.abstention")["data"]}
    assert lines["not predicted"][0] < lines["not predicted"][-1]
    text = words(app).replace("\\", "")
    assert "of predictions of held-out answers are wrong" in text
    assert "response probability of at least 90 %" in text or "No answer has a response" in text


def test_calibration_has_a_verdict(services, mapped):
    app = uncertainty(mapped, "trust")
    app.number_input(key="uncertainty.calibrate.data_sets").set_value(3).run()
    app.button(key="uncertainty.reliability.run").click().run()
    settled(app, services)
    assert "Response probabilities hold" in words(app)
    assert "[@" not in words(app), "a page cites nothing"
    assert "Nothing has been simulated yet" in words(app)
    lines = {t.get("name") for t in figure(app, "uncertainty.reliability")["data"]}
    assert {"response probability", "order certainty"} <= lines
    app.button(key="uncertainty.calibrate.run").click().run()
    settled(app, services)
    assert "In simulated data like these, ellipses are" in words(app)
    assert figure(app, "uncertainty.coverage")["data"]
    assert figure(app, "uncertainty.calibration")["data"]


def test_questions_to_ask_next(services, mapped):
    app = uncertainty(mapped, "asking")
    assert "has not been computed yet" in words(app)
    app.button(key="uncertainty.bootstrap.run").click().run()
    settled(app, services)
    assert {metric.label: metric.value for metric in app.metric}["Questions"] == "300"
    for key, value in (("more", 40), ("batches", 1), ("repeats", 2)):
        app.number_input(key=f"uncertainty.compare_active.{key}").set_value(value).run()
    app.button(key="uncertainty.compare_active.run").click().run()
    settled(app, services)
    assert "in 2 simulations" in words(app).lower()
    lines = figure(app, "uncertainty.adaptive-questions")["data"]
    names = [t.get("name") for t in lines if t.get("name")]
    assert names == ["Most uncertain", "Random"]


def test_at_the_noise_ceiling_asking_more_is_not_advised(services):
    """Only for the map that has reached it, and only where its error is known."""
    answers = repeated_crowd()
    session = session_on(services, answers)
    (info,) = services.workspace.datasets()
    answers = services.workspace.triplets(info)
    good, poor = STE(n_init=1), STE(n_components=1, n_init=1)
    fits = [run("fit", method, answers) for method in (good, poor)]
    for fit in fits:
        services.workspace.add_run(info, fit, fit.key)
    advice = "more answers will hardly lower it, but may make the map's ellipses smaller"
    app = uncertainty(session, "asking")
    assert advice not in words(app)
    for method in (good, poor):
        services.workspace.add_run(info, run("cross_validate", method, answers), "")
    map_of = app.selectbox(key=f"uncertainty.map@{info.id}")
    assert advice in words(map_of.select(fits[0].key).run())
    map_of = app.selectbox(key=f"uncertainty.map@{info.id}")
    assert advice not in words(map_of.select(fits[1].key).run())


def test_uncertainty_against_dimensions_is_on_the_page_compare(services, opened):
    app = start("compare", opened)
    app.number_input(key="compare.high").set_value(1).run()
    app.button(key="compare.run").click().run()
    settled(app, services)
    unfold(app, "Average uncertainty by dimensions")
    app.number_input(key="compare.uncertainty.most").set_value(2).run()
    app.number_input(key="compare.uncertainty.maps").set_value(10).run()
    app.button(key="compare.uncertainty.run").click().run()
    settled(app, services)
    lines = figure(app, "compare.uncertainty-by-dimension")["data"]
    assert [len(numbers(t["y"])) for t in lines] == [2, 2]
    assert app.button(key="compare.uncertainty.run").disabled
    (info,) = services.workspace.datasets()
    listed = services.workspace.runs(info.id, "uncertainty_by_dimension")[0]
    found = services.workspace.run(info.id, listed.key)
    halved = {name: array / 2 for name, array in found.arrays.items()}
    services.workspace.add_run(info, replace(found, complete=False, arrays=halved), "")
    assert not app.run().button(key="compare.uncertainty.run").disabled, "one was stopped"
    seen = figure(app, "compare.uncertainty-by-dimension")["data"]
    assert [t["y"] for t in seen] != [t["y"] for t in lines], "the stopped one is another one"
