"""The page Dimensions: from the first click to names that stay."""

from __future__ import annotations

import io
import zipfile
from dataclasses import replace

import numpy as np
import pandas as pd
import pytest

import tripletscope as ts
from tests.pages.harness import (
    crowd,
    figure,
    on_tab,
    session_on,
    settled,
    start,
    words,
)
from tripletscope.core.models.dimensions.known_dimensions import simulate_choices
from tripletscope.core.run import run
from tripletscope.dashboard.print import browser
from tripletscope.dashboard.report.document import TextTable
from tripletscope.dashboard.report.gathering import offered, sections_of
from tripletscope.dashboard.results.dimension_details import facts_said
from tripletscope.dashboard.results.dimensions import facts_table
from tripletscope.dashboard.state import Session
from tripletscope.dashboard.ui.naming import (
    names_of_dimensions,
    rename_dimension,
    rename_dimensions,
    taken_over,
)
from tripletscope.pages.dimensions import overview
from tripletscope.pages.dimensions.context import DimensionsContext
from tripletscope.pages.dimensions.fitting import with_measured
from tripletscope.pages.dimensions.overview import left_out

PAGE = "dimensions"


@pytest.fixture(scope="module")
def choices() -> ts.Triplets:
    """Odd ones out among three kinds of objects, of which some are mixed."""
    weights = np.repeat(np.eye(3), 8, axis=0) * np.linspace(2.5, 1.5, 24)[:, None]
    objects = pd.DataFrame({
        "id": [f"{kind} {k}" for kind in ("cat", "pear", "saw") for k in range(8)],
        "kind": np.repeat(["animal", "fruit", "tool"], 8), "size": np.arange(24.0),
    })
    return simulate_choices(weights, 700, objects=objects, seed=3, participants=10)


@pytest.fixture(scope="module")
def method():
    return ts.dimensions.SPoSE(n_components=10, penalty=3.0)


@pytest.fixture(scope="module")
def fit(choices, method):
    return run("fit", method, choices)


@pytest.fixture
def opened(services, choices, fit):
    """A session with choices and a fit of them."""
    session = session_on(services, choices)
    (info,) = services.workspace.datasets()
    services.workspace.add_run(info, fit, "SPoSE")
    return session


def of(services):
    (info,) = services.workspace.datasets()
    return info


def shown(services, session: str) -> DimensionsContext:
    current = Session(session, services.workspace.session(session))
    (listed,) = services.workspace.runs(of(services).id, "fit", "dimensions")
    found = services.workspace.run(of(services).id, listed.key)
    return DimensionsContext(current, of(services), PAGE, PAGE, None, fit=found)


def name_box(app):
    """Where the name of a dimension is typed; that of the fit has a box, too."""
    return next(box for box in app.text_input if box.key.startswith(f"{PAGE}.name@"))


def test_the_first_click_finds_dimensions_and_says_how_good_they_are(services, choices):
    app = settled(start(PAGE, session_on(services, choices)), services)
    metrics = {metric.label: metric.value for metric in app.metric}
    assert metrics["Dimensions"] == "3"
    assert 33.4 < float(metrics["Held-out accuracy"].removesuffix(" %")) <= 100
    assert "chance 33" in words(app)


def test_without_odd_ones_out_the_page_says_what_is_needed(services, holding):
    with holding():
        app = start(PAGE, session_on(services, crowd(12, 300)))
    assert "no odd-one-out trials" in words(app).replace("\\", "")
    assert not services.jobs.of("test-session"), "nothing was begun that says little"


def test_each_row_begins_with_what_has_most_of_it(services, opened, fit):
    app = start(PAGE, opened)
    drawn = figure(app, f"{PAGE}.dimension-strips")
    marks = next(trace for trace in drawn["data"] if trace["name"] == "marks")
    weights = fit.arrays["embedding_"]
    assert marks["customdata"][0] == int(np.argmax(weights[:, 0]))


def test_a_name_that_is_typed_stays_with_the_data(services, opened):
    app = on_tab(start(PAGE, opened), PAGE, "one")
    box = name_box(app)
    box.set_value("  alive   thing ").run()
    assert not app.exception
    assert "Weights of all objects in 1 alive thing" in words(app)
    other = start(PAGE, session_of(services, "another"))
    drawn = figure(other, f"{PAGE}.dimension-strips")
    titles = next(trace for trace in drawn["data"] if trace["name"] == "titles")
    assert titles["text"][0] == "<b>1 alive thing</b>"
    box = name_box(app)
    box.set_value("").run()
    assert "alive" not in words(app), "an emptied name is gone"


def session_of(services, name: str) -> str:
    session = Session(name)
    session.open(of(services).id)
    session.save()
    return name


def test_a_refit_takes_names_over_from_what_it_finds_again(services, opened, choices, fit):
    rename_dimension(of(services), fit, 1, "sour")
    weights = fit.arrays["embedding_"]
    again = run("fit", ts.dimensions.SPoSE(n_components=8, penalty=4.0, seed=5), choices)
    services.workspace.add_run(of(services), again, "Again")
    (place,) = names_of_dimensions(of(services), again)
    r = np.corrcoef(again.arrays["embedding_"][:, place], weights[:, 1])[0, 1]
    ((name, told_r, origin),) = taken_over(of(services), again).values()
    assert (name, origin) == ("sour", "SPoSE")
    assert told_r == pytest.approx(r)
    assert r > 0.9
    rename_dimensions(of(services), again, {})
    assert names_of_dimensions(of(services), again) == {}, "without names, if that is wanted"
    assert names_of_dimensions(of(services), fit) == {1: "sour"}


def test_names_in_the_table_are_of_the_rows_that_were_seen(services, opened, fit, monkeypatch):
    """A result that comes meanwhile orders the table anew."""
    rename_dimension(of(services), fit, 0, "alive")
    stale = of(services)
    rename_dimension(stale, fit, 1, "red")
    typed = {"edited_rows": {"0": {"name": " sour "}, "2": {"name": None}}}
    monkeypatch.setattr(overview, "widgets", lambda: {"table": typed})
    overview._rename(stale, fit, "table", [2, 1, 0])
    assert names_of_dimensions(of(services), fit) == {1: "red", 2: "sour"}


def test_the_report_has_the_names_of_now(services, opened, fit):
    for name in ("alive", "animals"):
        rename_dimension(of(services), fit, 0, name)
        context = shown(services, opened)
        assert fit.key in offered(context)[1]
        section = sections_of(context, [fit.key])["interpretable"]
        (table,) = (block for block in section.blocks if isinstance(block, TextTable))
        assert table.rows[0][1] == name


def test_names_from_elsewhere_that_make_no_sense_are_no_error(services, opened, fit):
    services.workspace.note(of(services).id, "dimension names", {fit.key: {"x": 1, "77": "far"}})
    assert names_of_dimensions(of(services), fit) == {}
    services.workspace.note(of(services).id, "dimension names", ["gone"])
    assert words(start(PAGE, opened))


def test_what_is_told_of_a_dimension_is_what_leaving_it_out_costs(services, opened, fit, choices):
    context = shown(services, opened)
    fitted = fit.fitted()
    np.testing.assert_allclose(left_out(context), fitted.leaving_out(choices))
    facts = facts_table(context.shown(fit), fit, 3).assign(lost=left_out(context))
    assert facts["share"].sum() == pytest.approx(1)
    said = facts_said(facts, 0)
    assert "\N{MINUS SIGN}" in said, "without it, fewer trials are predicted"
    assert facts.loc[0, "highest"].split(", ")[0] == choices.labels[
        int(np.argmax(fitted.embedding_[:, 0]))
    ]


def test_two_objects_are_compared_and_their_similarity_explained(services, opened):
    app = on_tab(start(PAGE, opened), PAGE, "things")
    names = {box.label: box for box in app.selectbox}
    names["Object"].set_value(0).run()
    next(box for box in app.selectbox if box.label == "Compared with").set_value(1).run()
    assert not app.exception
    assert "by similarity to cat 0, cat 1 is number" in words(app)
    assert "of 23 objects" in words(app)


def test_the_most_surprising_trial_is_the_least_probable(services, opened, fit, choices):
    app = on_tab(start(PAGE, opened), PAGE, "trials")
    p = fit.fitted().probabilities(choices.choices.odd_one_out().rows)[:, 2]
    table = app.dataframe[0].value
    assert table["probability"].iloc[0] == pytest.approx(100 * p.min())
    assert (np.diff(table["probability"]) >= 0).all()
    assert "was more probable" in words(app)


def test_columns_are_told_with_intervals(services, opened):
    app = on_tab(start(PAGE, opened), PAGE, "one")
    assert "chance 0.50" in words(app).replace("\\", "")
    next(box for box in app.selectbox if box.label == "Column").set_value("size").run()
    assert "Rank correlation" in words(app)


def test_one_file_has_weights_names_figures_and_the_script(services, opened, fit, monkeypatch):
    monkeypatch.setattr(overview, "can_render", lambda: False)
    monkeypatch.setattr(browser, "can_render", lambda: False)
    rename_dimension(of(services), fit, 0, "alive")
    context = shown(services, opened)
    archive = zipfile.ZipFile(io.BytesIO(overview.everything(context, pd.DataFrame())))
    names = archive.namelist()
    weights = next(name for name in names if name.endswith("dimensions.csv"))
    table = pd.read_csv(io.BytesIO(archive.read(weights)))
    assert table.columns[2] == "dimension 1 alive"
    np.testing.assert_allclose(table.iloc[:, 2:], fit.arrays["embedding_"], atol=1e-6)
    notebook = archive.read(next(name for name in names if name.endswith(".ipynb"))).decode()
    assert f"named={{{fit.key!r}: {{0: 'alive'}}}}" in notebook
    assert any(name.endswith("strips.html") for name in names)


def test_what_is_found_again_is_told_everywhere(services, opened, fit, choices):
    method = fit.fresh()
    for options in ({"runs": 2, "halves": True}, {"runs": 2, "halves": False}):
        found = run("dimension_reproducibility", method, choices, options)
        services.workspace.add_run(of(services), found, "again")
    app = start(PAGE, opened)
    metrics = {metric.label: metric.value for metric in app.metric}
    assert metrics["Reproduced"] == "3 of 3"
    context = shown(services, opened)
    assert [run.result().halves for run in context.again] == [True, False]
    on_tab(app, PAGE, "counting")
    drawn = figure(app, f"{PAGE}.dimension-reproducibility")
    assert [trace["name"] for trace in drawn["data"]] == ["halves of the trials", "other starts"]


def test_a_first_result_is_seen_and_not_counted(services, opened, fit, choices):
    found = run("dimension_reproducibility", fit.fresh(), choices, {"runs": 2})
    services.workspace.add_run(of(services), replace(found, complete=False), "again")
    app = start(PAGE, opened)
    assert {metric.label: metric.value for metric in app.metric}["Reproduced"] == "—"
    on_tab(app, PAGE, "counting")
    for complete in (False, True):
        services.workspace.add_run(of(services), replace(found, complete=complete), "again")
        app.run()
        assert figure(app, f"{PAGE}.dimension-reproducibility")["data"]
        assert ("In 2 fits to halves" in words(app)) == complete
        assert ("incomplete" in words(app)) != complete


def offers_intervals(app) -> bool:
    return any(button.label == "Compute intervals" for button in app.button)


def test_resampled_weights_have_intervals(services, opened, fit, choices):
    app = on_tab(start(PAGE, opened), PAGE, "one")
    assert offers_intervals(app)
    found = run("bootstrap_dimensions", fit.fresh(), choices, {"replicates": 10})
    services.workspace.add_run(of(services), replace(found, complete=False), "a first result")
    assert offers_intervals(app.run())
    services.workspace.add_run(of(services), found, "resampled")
    assert not offers_intervals(app.run())
    assert "from 10 resamples of" in words(app)


def test_weights_with_a_posterior_need_no_resamples(services, choices):
    session = session_on(services, choices)
    found = run("fit", ts.dimensions.VICE(n_components=5, max_iter=300), choices)
    services.workspace.add_run(of(services), found, "VICE")
    app = on_tab(start(PAGE, session), PAGE, "one")
    assert "intervals" in words(app)
    assert not offers_intervals(app)


@pytest.mark.parametrize("view", ["things", "trials"])
def test_another_fit_can_be_asked_for_where_nothing_else_is_computed(
    services, opened, holding, view
):
    with holding():
        app = on_tab(start(PAGE, opened), PAGE, view)
        app.button(key="dimensions.fit").click().run()
        assert not app.exception
        (job,) = services.jobs.of(opened)
        assert job.title == "SPoSE: simulated"
        job.cancel()


def test_a_fit_stands_beside_one_of_another_data_set_matched_by_ids(services, opened, choices):
    order = np.random.default_rng(0).permutation(choices.n_objects)
    place = np.argsort(order)
    network = ts.Triplets(place[choices.rows], choices.objects.iloc[order].reset_index(drop=True),
                          choices.answers, "Network")
    info = services.workspace.add_dataset(network, origin="b.csv", report=["All was read."])
    app = on_tab(start(PAGE, opened), PAGE, "shared")
    assert "There is only one fit" in words(app)
    other = run("fit", ts.dimensions.SPoSE(n_components=10, penalty=3.0, seed=5), network)
    services.workspace.add_run(info, other, "SPoSE")
    app = settled(on_tab(start(PAGE, opened), PAGE, "shared"), services)
    assert "SPoSE (Network) shares 3 of the 3 dimensions of SPoSE" in words(app).replace("\\", "")
    assert figure(app, f"{PAGE}.shared-dimensions")["data"]


def rated(n: int, people: int = 4) -> ts.ratings.Ratings:
    """Ratings of objects of three kinds, with gaps."""
    rng = np.random.default_rng(0)
    return ts.ratings.Ratings(pd.DataFrame([
        {"participant": f"p{who}", "item1": f"{one:02}", "item2": f"{other:02}",
         "rating": 1 + 4 * (one % 3 == other % 3) + int(rng.integers(3))}
        for who in range(people) for one in range(n) for other in range(one)
        if n < 5 or rng.random() < 0.7
    ]))


def test_dimensions_of_ratings_are_found_and_their_number_is_shown(services):
    given = rated(12)
    session = session_on(services, given.triplets(), measured=given)
    app = settled(start(PAGE, session), services)
    metrics = {metric.label: metric.value for metric in app.metric}
    assert metrics["Dimensions"] == "3"
    assert float(metrics["Explained"].removesuffix(" %")) > 80
    assert "of held-out pairs" in words(app)
    app = on_tab(app, PAGE, "counting")
    assert figure(app, f"{PAGE}.number")
    assert "smallest that predicts held-out pairs" in words(app).replace("\\", "")
    (fit,) = services.workspace.runs(of(services).id, "fit", "dimensions")
    assert fit.of_measured
    assert "Trials" not in app.segmented_control(key=f"{PAGE}.view").options
    app.button(key=f"{PAGE}.dimension_reproducibility.run").click().run()
    app = settled(app, services)
    assert "halves of the people" in words(app)


def test_of_three_rated_objects_nothing_is_begun(services, holding):
    given = rated(3)
    with holding():
        app = start(PAGE, session_on(services, given.triplets(), measured=given))
    assert "No dimensions have been found yet" in words(app)
    assert not services.jobs.of("test-session")


def test_everything_of_ratings_can_be_computed_again(services, monkeypatch):
    monkeypatch.setattr(overview, "can_render", lambda: False)
    given = rated(12)
    session = session_on(services, given.triplets(), measured=given)
    info = of(services)
    method = ts.dimensions.SymmetricNMF(n_components=3)
    services.workspace.add_run(info, run("fit", method, given), "Symmetric NMF")
    services.workspace.add_run(
        info, run("dimension_reproducibility", method, given, {"runs": 2}), "again"
    )
    current = Session(session, services.workspace.session(session))
    fit = services.workspace.run(
        info.id, services.workspace.runs(info.id, "fit", "dimensions")[0].key
    )
    context = with_measured(DimensionsContext(current, info, PAGE, PAGE, None, fit=fit))
    facts = facts_table(context.shown(fit), fit, 3).assign(lost=0.0)
    files = zipfile.ZipFile(io.BytesIO(overview.everything(context, facts)))
    script = next(files.read(name).decode() for name in files.namelist() if name.endswith(".py"))
    assert "measured = ts.ratings.Ratings" in script
    assert script.count("measured.among(answers.ids)") == 2


def test_of_many_answers_without_trials_some_tell_what_is_lost(services, monkeypatch):
    monkeypatch.setattr(overview, "ENOUGH", 100)
    answers = crowd(12, 300)
    session = session_on(services, answers)
    fit = run("fit", ts.dimensions.SymmetricNMF(n_components=2), answers)
    services.workspace.add_run(of(services), fit, "Symmetric NMF")
    lost = left_out(shown(services, session))
    assert answers.trials is None
    assert lost.shape == (2,)
    assert lost.max() > 0
