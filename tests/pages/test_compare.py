"""The page Compare."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest

import tripletscope as ts
from tests.core.inference.held_out.test_compare import in_the_plane
from tests.dashboard.report.telling import text_of
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
from tripletscope.core.data.triplets import Triplets
from tripletscope.core.inference.held_out.ceiling import noise_ceiling
from tripletscope.core.models.embedding import SOE, STE, TSTE
from tripletscope.core.run import run
from tripletscope.core.studies.quality import Cleaning, Exclusion
from tripletscope.dashboard.report.material import Material
from tripletscope.dashboard.report.report import written
from tripletscope.dashboard.results import presentation
from tripletscope.dashboard.results.findings import FINDINGS, SubjectResults
from tripletscope.dashboard.results.presentation import ShownResults, Statement
from tripletscope.dashboard.state import _KEY, Session
from tripletscope.dashboard.ui import analysis
from tripletscope.dashboard.ui.context import _limits
from tripletscope.dashboard.ui.current_comparison import Comparison
from tripletscope.pages.embedding import side_by_side


def said(app) -> str:
    return words(app).replace("\\", "")


def test_loss_is_per_answer_also_where_one_stands_for_several(services, planted):
    weighted = Triplets(planted.rows, planted.objects, pd.DataFrame({"weight": [3.0] * 2500}))
    session = session_on(services, weighted)
    settled(start("embedding", session), services)
    (info,) = services.workspace.datasets()
    (fit,) = services.workspace.runs(info.id, "fit")
    (shown,) = [frame.value for frame in unfold(start("compare", session), "Numbers").dataframe]
    assert shown["loss per answer"].iloc[0] == pytest.approx(fit.record["numbers"]["loss_"] / 7500)


def test_compare_computes_what_is_missing_and_suggests(services, opened):
    app = settled(start("compare", opened), services)
    assert "**t-STE**: from 1 to 3 dimensions" in said(app), "a first look, by itself"
    assert "6 of 20 computations are done" in words(app)
    (line,) = (t for t in figure(app, "compare.dimensions")["data"] if t.get("name"))
    assert numbers(line["x"]).tolist() == [1, 2, 3]
    app.number_input(key="compare.high").set_value(3).run()
    app.button(key="compare.run").click().run()
    settled(app, services)
    assert "**t-STE**: from 1 to 3 dimensions" in said(app)
    unfold(app, "Numbers")
    assert "No question was asked twice" in words(app) or "without knowing" in words(app)
    assert "with 95 % intervals over answers" in words(app)
    lines = [t for t in figure(app, "compare.dimensions")["data"] if t.get("name")]
    assert [t["name"] for t in lines] == ["t-STE", "STE"]
    assert len(numbers(lines[0]["x"])) == 3
    assert app.button(key="compare.run").disabled, "nothing is computed twice"
    sentences = [m.value.replace("\\", "") for m in app.markdown]
    (told,) = (s for s in sentences if "predicts better than" in s or "told apart" in s)
    assert "STE (2D)" in told
    assert "] points" in told
    quality = start("data", opened, "quality")
    for start_of in ("**t-STE**: from 1 to 3", "- STE: lowest with 2, ."):
        (line,) = (s for s in sentences if s.startswith(start_of))
        quoted = line.removeprefix("- ").replace("**", "")
        assert quoted in said(quality).replace("**", ""), "Quality quotes Compare"
    table = app.dataframe[0].value
    assert sorted(table["dimensions"].tolist()) == [1, 1, 2, 2, 3, 3]
    assert table["held-out error"].is_monotonic_increasing
    assert np.isnan(table["p, corrected"].iloc[0]), "nothing is behind the best"
    assert (table["behind the best"].iloc[1:] >= 0).all()
    assert (table["behind, low"].iloc[1:] <= table["behind the best"].iloc[1:]).all()

    app.multiselect(key="compare.others").set_value(["kernel/k1", "cluster/agglomerative"]).run()
    app.button(key="compare.run").click().run()
    settled(app, services)
    table = app.dataframe[0].value
    assert len(table) == 8
    assert set(table.loc[table["dimensions"].isna(), "method"]) == {
        "k1 (own rankings)", "Agglomerative",
    }
    assert table["held-out error"].notna().all()
    notes = [a["text"] for a in figure(app, "compare.dimensions")["layout"]["annotations"]]
    assert "Agglomerative" in notes
    app.multiselect(key="compare.methods").set_value([]).run()
    unfold(app, "Average uncertainty by dimensions")
    assert app.button(key="compare.uncertainty.run").disabled, "the others have no dimensions"

    app.multiselect(key="compare.others").set_value([])
    app.multiselect(key="compare.methods").set_value(["ckl", "ste"]).run()
    assert not app.button(key="compare.run").disabled
    assert "3 of 6" not in words(app)
    assert "6 of 12" in words(app)


def test_results_may_arrive_while_the_page_is_drawn(services, opened, monkeypatch):
    """Every look at what is there finds one more: the page shows what one look found."""
    settled(start("compare", opened), services)
    looks, known = [], Comparison.runs

    def growing(self, info, triplets):
        looks.append(known(self, info, triplets))
        return looks[-1][: len(looks)]

    monkeypatch.setattr(Comparison, "runs", growing)
    start("compare", opened)
    assert len(looks[-1]) > 2


def test_maps_side_by_side_are_aligned(services, opened):
    app = start("compare", opened)
    app.number_input(key="compare.low").set_value(2).run()
    app.number_input(key="compare.high").set_value(2).run()
    app.button(key="compare.run").click().run()
    settled(app, services)
    app = start("embedding", app.session_state[_KEY].id, "maps")
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


def under_conditions(n_of_one: int = 300) -> Triplets:
    """Answers under two instructions, of which one has so many; and from two blocks."""
    answers = crowd(10, 600)
    told = np.where(np.arange(600) < n_of_one, "look", "use")
    table = answers.answers.assign(told=told, block=np.arange(600) % 2)
    return Triplets(answers.rows, answers.objects, table, "Told")


def test_each_condition_has_a_map_beside_that_of_all(services):
    """Maps of conditions were on the page Scale, for people, in small figures without names."""
    session = session_on(services, under_conditions())
    settled(start("embedding", session), services)
    app = start("embedding", session, "maps")
    (info,) = services.workspace.datasets()
    assert app.button(key="compare.conditions.block").label == "Map of each block"
    app.button(key="compare.conditions.told").click().run()
    app = settled(app, services)
    chosen = app.multiselect(key=f"compare.maps@{info.id}")
    assert len(chosen.value) == 3
    assert ["told: look" in chosen.options, "told: use" in chosen.options] == [True, True]
    assert "told" not in "".join(b.key for b in app.button if b.key.startswith("compare.cond"))
    text = said(app)
    assert text.count("300 answers under this condition alone.") == 2
    assert "Maps of fewer answers differ by chance, too" in text
    places = []
    for k in range(3):
        drawn = figure(app, f"compare.map.{k}")
        assert bool([t for t in drawn["data"] if t.get("mode") == "lines"]) == (k > 0)
        points = next(t for t in drawn["data"] if t.get("customdata"))
        places.append(np.column_stack([numbers(points["x"]), numbers(points["y"])]))
    assert np.corrcoef(places[0].ravel(), places[1].ravel())[0, 1] > 0.9, "turned towards it"
    chosen.set_value(chosen.value[1:]).run()
    assert not app.exception
    assert "reference" in words(app)
    app = start("embedding", session_of(services, info), "maps")
    assert len(services.workspace.runs(info.id, "observer_maps")) == 1, "nothing is made again"


def test_maps_that_are_made_while_they_are_looked_for_are_shown(services, monkeypatch):
    """A job that ended between the look for its result and the question whether it is at work."""
    look = side_by_side._of_conditions

    def until_it_has_ended(context):
        found = look(context)
        assert context.job is None or context.job.wait(300)
        return found

    session = session_on(services, under_conditions())
    settled(start("embedding", session), services)
    app = start("embedding", session, "maps")
    monkeypatch.setattr(side_by_side, "_of_conditions", until_it_has_ended)
    app.button(key="compare.conditions.told").click().run()
    app = settled(app, services)
    (info,) = services.workspace.datasets()
    assert len(app.multiselect(key=f"compare.maps@{info.id}").value) == 3


def test_a_condition_with_few_answers_has_no_map_and_that_is_said(services):
    session = session_on(services, under_conditions(12))
    app = start("embedding", session, "maps")
    assert "There is no map yet" in words(app)
    app.button(key="compare.conditions.told").click().run()
    app = settled(app, services)
    assert "fewer than two people gave enough answers" in app.error[0].value
    app.run()
    assert len(services.jobs.of(app.session_state[_KEY].id)) == 1, "it is not tried again"


def test_people_and_findings_lead_to_maps_of_conditions(services):
    session = session_on(services, under_conditions())
    settled(start("embedding", session), services)
    app = start("people", session, "conditions")
    app.button(key="people.maps").click().run()
    assert app.title[0].value == "Embedding"
    app = settled(app.switch_page(PAGES["embedding"]), services)
    assert "300 answers under this condition alone." in said(app)


def test_maps_before_and_after_an_exclusion_stand_beside_one_another(services, opened):
    settled(start("embedding", opened), services)
    (info,) = services.workspace.datasets()
    cleaning = services.workspace.cleaning(info)
    excluded = cleaning.excluding(Exclusion(answers=tuple(range(100))))
    info = services.workspace.update_dataset(info, excluded)
    settled(start("embedding", opened), services)
    assert len(services.workspace.runs(info.id, "fit")) == 1, "results of other answers are hidden"
    assert len(services.workspace.runs(info.id, "fit", of_any_exclusions=True)) == 2
    app = start("data", opened, "exclusions")
    app.button(key="exclusions.maps").click().run()
    app = start("embedding", opened, "maps")
    assert not app.exception
    before, after = app.multiselect(key=f"compare.maps@{info.id}").value[::-1]
    assert before.rpartition("/")[0] == after.rpartition("/")[0] == info.id
    text = said(app)
    assert "(All answers)" in text
    assert "Its error and that of the reference are about different answers" in text
    assert "is not known" not in text, "the errors of both are told"
    again = services.workspace.update_dataset(
        info, cleaning.excluding(Exclusion(answers=(1, 2))), view=info.view
    )
    app = start("embedding", session_of(services, again), "maps")
    chosen = app.multiselect(key=f"compare.maps@{info.id}").value
    states = {f"{info.id}/{run.key}": run.state
              for run in services.workspace.runs(info.id, "fit", of_any_exclusions=True)}
    assert {states[place] for place in chosen} == {""}, "former exclusions are neither"
    assert "nearest neighbours are the same" in text


def test_errors_are_found_that_read_more_columns_than_maps(services):
    """Held-out errors of people's answers read who answered; maps do not."""
    answers = crowd(12, 400)
    session = session_on(services, answers)
    workspace, (info,) = services.workspace, services.workspace.datasets()
    fit, error = run("fit", STE(n_init=1), answers), run("cross_validate", STE(n_init=1), answers)
    assert fit.data != error.data
    for found in (fit, error):
        workspace.add_run(info, found, "STE")
    text = said(start("embedding", session, "maps"))
    assert "Held-out error ." in text
    assert "is not known" not in text
    cleaning = workspace.cleaning(info).excluding(Exclusion(participants=["person 1"]))
    info = workspace.update_dataset(info, cleaning)
    workspace.add_run(info, run("fit", STE(n_init=1), cleaning.triplets), "STE, without one")
    places = [f"{info.id}/{one.key}"
              for one in workspace.runs(info.id, "fit", of_any_exclusions=True)]
    app = start("embedding", session, "maps")
    app.multiselect(key=f"compare.maps@{info.id}").set_value(places).run()
    assert said(app).count("is not known") == said(app).count("Held-out error .") == 1


def test_comparing_does_not_change_the_map_that_is_open(services, opened):
    """Nor do other pages show another one, in this session or in the next."""
    app = settled(start("embedding", opened), services)
    (info,) = services.workspace.datasets()
    shown = app.caption[0].value
    assert "95 % ellipses from 100 replicates" in words(app)
    before = figure(app, "map")["data"]
    app = settled(start("embedding", opened, "positions"), services)
    at_first = app.selectbox(key=f"uncertainty.map@{info.id}").value

    app = start("compare", opened)
    app.number_input(key="compare.high").set_value(3).run()
    app.button(key="compare.run").click().run()
    settled(app, services)
    assert len(services.workspace.runs(info.id, "fit")) == 6
    for session in (opened, session_of(services, info)):
        app = start("embedding", session, "embedding")
        assert app.caption[0].value == shown
        assert figure(app, "map")["data"] == before
        for page, tab, key in (("embedding", "positions", "uncertainty"), ("trees", "", "trees")):
            shown_there = start(page, session, tab).selectbox(key=f"{key}.map@{info.id}").value
            assert shown_there == at_first

    app = start("compare", opened)
    app = start("embedding", app.session_state[_KEY].id, "maps")
    assert not app.exception
    chosen = app.multiselect(key=f"compare.maps@{info.id}").value
    runs = {f"{info.id}/{run.key}": run.record for run in services.workspace.runs(info.id, "fit")}
    assert {(runs[place]["method"], runs[place]["parameters"]["n_components"])
            for place in chosen} == {("tste", 2), ("ste", 2)}, "as suggested"


def test_comparing_does_not_change_how_the_error_of_the_map_is_measured(services, planted):
    parts = planted.answers.assign(split=["train", "train", "train", "test", "test"] * 500)
    session = session_on(services, Triplets(planted.rows, planted.objects, parts, "Things"))
    shown = settled(start("embedding", session), services).caption[0].value
    assert "the data's own test answers" in shown.replace("\\", "")
    settled(start("compare", session), services)
    (info,) = services.workspace.datasets()
    assert services.workspace.runs(info.id, "cross_validate"), "a first look"
    assert start("embedding", session).caption[0].value == shown


def test_after_comparing_first_the_map_still_has_its_ellipses(services, opened):
    app = start("compare", opened)
    app.number_input(key="compare.high").set_value(2).run()
    app.button(key="compare.run").click().run()
    settled(app, services)
    app = settled(start("embedding", opened), services)
    assert "t-STE, 2 dimensions" in words(app).replace("\\", "")
    assert "95 % ellipses from 100 replicates" in words(app)


@pytest.mark.parametrize(("drafts", "quoted"), [
    ({}, "5-fold cross-validation"), ({"cross_validate.folds": 3}, "3-fold cross-validation"),
    ({"cross_validate.folds": "many"}, "5-fold cross-validation"),
    ({"scheme": "split_error"}, "the data's own test answers"), ({"methods": ["ckl"]}, None),
])
def test_quality_quotes_what_stands_on_compare(services, planted, drafts, quoted):
    """Be it not the newest; with the method that it is about, and how it was measured."""
    parts = planted.answers.assign(split=["train", "train", "train", "test", "test"] * 500)
    session = session_on(services, Triplets(planted.rows, planted.objects, parts, "Things"))
    (info,) = services.workspace.datasets()
    answers = services.workspace.triplets(info)
    ways = [("cross_validate", {}), ("split_error", {}), ("cross_validate", {"folds": 3})]
    for task, options in ways:
        for d in (1, 2):
            found = run(task, STE(n_components=d), answers, options)
            services.workspace.add_run(info, found, "")
    saved = services.workspace.session(session)
    drafts = {f"compare.{name}": value for name, value in {"high": 2, **drafts}.items()}
    services.workspace.save_session(session, {**saved, "drafts": {
        **saved["drafts"], **drafts, "data.view": "quality",
    }})
    shown = words(start("data", session)).replace("\\", "")
    if quoted is None:
        assert "Number of dimensions: not compared yet. The page Compare recommends one." in shown
    else:
        assert "STE: from 1 to 2 dimensions" in shown
        assert quoted in shown


@pytest.mark.parametrize("heavy", [False, True])
def test_pages_and_report_say_that_another_method_needs_fewer_dimensions(services, holding, heavy):
    """In the plane STE does, but not of answers with the tails that t-STE has there."""
    answers = in_the_plane(heavy=heavy)
    map_method = TSTE(n_components=2)
    runs = [run("fit", map_method, answers)] + [
        run("cross_validate", method(n_components=d), answers)
        for method in (TSTE, STE) for d in (1, 2, 3, 4)
    ]
    with holding():
        session = session_on(services, answers)
        (info,) = services.workspace.datasets()
        for one in runs:
            services.workspace.add_run(info, one, one.task)
        compare = said(start("compare", session))
        quality = said(start("data", session, "quality"))
    results = SubjectResults(
        answers, map_method, ShownResults(tuple(runs), answers, "Things"), lambda: None
    )
    finding = [part.text for part in FINDINGS["dimensions"].said(results)
               if isinstance(part, Statement)]
    says = "depends on the method: 4 with t-STE, 2 with STE, which predicts as well as t-STE with 4"
    told = {
        "Python": " ".join(ts.sentences(*runs, answers=answers)),
        "finding": " ".join(finding),
        "report": text_of(written(Material("Things", Cleaning(answers), tuple(runs)))["dimension"]),
        "Compare": compare, "Quality": quality,
    }
    assert {place: says in text for place, text in told.items()} == dict.fromkeys(
        told, not heavy
    )
    assert not heavy or not any(" with t-STE, " in text for text in told.values())


def test_the_learning_curve_gives_a_verdict(services, opened):
    app = settled(start("compare", opened), services)
    app.segmented_control(key="compare.view").set_value("learning").run()
    app = settled(app, services)
    assert "Nothing has been computed yet" not in words(app), "it computes itself"
    app.number_input(key="compare.learning_curve.points").set_value(3).run()
    app.number_input(key="compare.learning_curve.repeats").set_value(3).run()
    app.button(key="compare.learning_curve.run").click().run()
    settled(app, services)
    assert "times as many" in words(app)
    assert "with a 95 % band over answers" in words(app)
    assert any(len(numbers(t["x"])) == 3 for t in figure(app, "compare.learning-curve")["data"])


def session_of(services, info) -> str:
    """Another session in which a data set is open."""
    session = Session("another")
    session.open(info.id)
    session.save()
    return session.id


def test_maps_of_other_objects_are_shown_and_not_compared(services, planted):
    parts = ([[9, 10, 11], [10, 11, 12], [12, 9, 10]], [[0, 1, 2], [3, 1, 2], [2, 3, 0]],
             [[0, 2, 1], [3, 2, 1], [2, 0, 3]])
    for part in parts:
        session = session_on(services, Triplets(part, planted.objects, None, "Same"))
        info = services.workspace.datasets()[0]
        found = run("fit", STE(n_init=1), services.workspace.triplets(info))
        services.workspace.add_run(info, found, "STE")
    app = start("compare", session)
    app = start("embedding", app.session_state[_KEY].id, "maps")
    assert not app.exception
    (maps,) = (m for m in app.multiselect if m.label == "Maps")
    assert len(set(maps.options)) == 3
    maps.set_value([f"{i.id}/{r.key}" for i in services.workspace.datasets()
                    for r in services.workspace.runs(i.id, "fit")]).run()
    assert not app.exception
    assert words(app).count("Too few objects in common") == 1
    assert words(app).count("of the reference's variance is unexplained") == 1
    agreement = figure(app, "embedding.agreement")
    assert len(set(agreement["layout"]["xaxis"]["ticktext"])) == 3
    assert sum(text == "" for row in agreement["data"][0]["text"] for text in row) == 4


def test_a_data_set_deleted_in_another_tab(services, mapped):
    app = start("embedding", mapped, "positions")
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
    assert job.wait(300)
    assert job.state == "stopped"
    assert services.workspace.runs(info.id) == []


def test_a_map_is_listed_again_where_the_same_answers_are_left_out_otherwise(services, planted):
    people = planted.answers.assign(participant=np.where(np.arange(len(planted)) < 9, "q", "p"))
    session = session_on(services, Triplets(planted.rows, planted.objects, people, "Things"))
    workspace = services.workspace
    for way in (Exclusion(participants=("q",)), Exclusion(answers=tuple(range(9)))):
        (info,) = workspace.datasets()
        info = workspace.update_dataset(info, workspace.cleaning(info).excluding(way))
        triplets = workspace.triplets(info)
        assert len(triplets) == len(planted) - 9
        current = start("data", session, "answers").session_state[_KEY]
        job = analysis.start(current, info, triplets, STE(n_init=1), {"bootstrap": {}})
        assert job.wait(300)
        assert job.state == "done"
        assert {listed.task for listed in workspace.runs(info.id)} == {"fit", "bootstrap"}
        workspace.update_dataset(info, workspace.cleaning(info).undone())


@pytest.mark.parametrize("tails_are_known", [False, True])
def test_tuning_says_what_to_set(services, opened, tails_are_known):
    """The map that was fitted had other tails than the one that was tuned, and was not shown."""
    if tails_are_known:
        (info,) = services.workspace.datasets()
        found = run("choose_tail", TSTE(), services.workspace.triplets(info))
        services.workspace.add_run(info, found, "tails")
    app = start("compare", opened)
    app.segmented_control(key="compare.view").set_value("tuning").run()
    app.number_input(key="compare.tune.most").set_value(2).run()
    app.button(key="compare.tune.run").click().run()
    settled(app, services)
    assert "with 2 dimensions and prior" in words(app).replace("\\", "")
    assert len(figure(app, "compare.tuning")["data"]) == 5
    app.button(key="compare.tune.use").click().run()
    assert app.title[0].value == "Embedding"
    settled(app, services).switch_page(PAGES["embedding"]).run()
    assert "average over restarts" in words(app)
    (info,) = services.workspace.datasets()
    (tuned,) = services.workspace.runs(info.id, "tune")
    assert info.extra["map"]["parameters"]["alpha"] == tuned.record["parameters"]["alpha"]


def test_the_noise_ceiling_is_estimated_once(services, opened, monkeypatch):
    """It was estimated anew whenever anything on the page was touched."""
    asked = []
    _limits.clear()
    monkeypatch.setattr(
        presentation, "noise_ceiling",
        lambda answers: asked.append(answers) or noise_ceiling(answers),
    )
    app = settled(start("compare", opened), services)
    assert figure(app, "compare.dimensions")["data"]
    app.run()
    app.number_input(key="compare.high").set_value(2).run()
    assert len(asked) == 1
