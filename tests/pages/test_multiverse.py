"""The multiverse on its page: computed in parts that are kept, gone on with, and clicked on."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

import tripletscope as ts
from tests.core.studies.test_multiverse import crowd as alike
from tests.pages.harness import crowd, figure, session_on, settled, start, words
from tests.waiting import becomes
from tripletscope.core.engine.declared import checked
from tripletscope.core.inference.uncertainty.robustness import ALL
from tripletscope.core.models.embedding import STE
from tripletscope.core.run import TASKS, run
from tripletscope.core.studies.quality import Exclusion
from tripletscope.core.studies.quality.exclusion import WEIGHTS
from tripletscope.dashboard.results.multiverse import ToldMultiverse, options_of_chance
from tripletscope.dashboard.results.preregistration import planned_maps
from tripletscope.dashboard.results.presentation import ShownResults
from tripletscope.dashboard.state import _KEY
from tripletscope.dashboard.store import plans
from tripletscope.dashboard.store.dataset import ALL_ANSWERS
from tripletscope.pages.compare import multiverse as multiverse_page
from tripletscope.pages.compare.multiverse import _PICKED, _seconds_of

FORM = {"compare.multiverse.most": 2, "compare.multiverse.folds": 2,
        "compare.multiverse.replicates": 10}


@pytest.fixture
def opened(services):
    return session_on(services, crowd(8, 400))


def asked(session: str):
    app = start("compare", session, "multiverse")
    app.multiselect(key="compare.multiverse.methods").set_value(["ste"]).run()
    for key, value in FORM.items():
        app.number_input(key=key).set_value(value).run()
    return app


def computed(app, services):
    app.button(key="compare.multiverse.run").click().run()
    return settled(app, services)


def kept(services):
    workspace = services.workspace
    (info,) = workspace.datasets()
    (listed,) = workspace.runs(info.id, "multiverse")
    return workspace.run(info.id, listed.key)


def test_it_is_computed_in_parts_that_are_kept(services, opened):
    (info,) = services.workspace.datasets()
    services.workspace.add_run(
        info, run("fit", STE(n_init=1), services.workspace.triplets(info)), "STE"
    )
    app = computed(asked(opened), services)
    (job,) = (one for one in services.jobs.of(opened) if "multiverse" in one.slot)
    assert len(job.steps) == TASKS["multiverse"].parts
    whole = kept(services)
    assert whole.complete
    result = whole.result()
    assert result.done.all()
    assert {*result.methods} == {"ste"}
    assert result.columns == ["size", "kind"]
    drawn = figure(app, "multiverse")["data"]
    assert max(len(trace["x"]) for trace in drawn) == len(result.methods)
    assert "of the main analysis" in words(app)
    assert app.button(key="compare.multiverse.run").disabled, "there is nothing left to compute"


def test_it_goes_on_where_it_was_stopped(services, opened):
    app = asked(opened)
    app.button(key="compare.multiverse.run").click().run()
    (job,) = (one for one in services.jobs.of(opened) if "multiverse" in one.slot)
    assert becomes(lambda: not job.active or job.step > 2)
    job.cancel()
    assert job.wait(300)
    app.run()
    begun = kept(services)
    if begun.complete:  # it was faster than its cancellation
        return
    done = int(begun.result().done.sum())
    assert f"{done} of {len(begun.result().done)} analyses are done" in words(app)
    assert not app.button(key="compare.multiverse.run").disabled
    app = computed(app, services)
    whole = kept(services)
    assert whole.complete
    assert whole.seconds > begun.seconds
    first = begun.result().done
    assert np.array_equal(
        whole.result().error.value[first], begun.result().error.value[first], equal_nan=True
    )


def test_one_p_of_people_is_a_second_button_that_goes_on_with_the_same_bits(services, monkeypatch):
    assert checked(TASKS["multiverse_chance"].function, {})["permutations"] == 99
    monkeypatch.setattr(multiverse_page, "options_of_chance", lambda run: {
        **options_of_chance(run), "permutations": 19,  # the fewest there can be
    })
    data = alike(3, each=20, n_people=8)
    opened = session_on(services, data)
    app = asked(opened)
    assert not [one for one in app.button if one.key == "compare.chance.run"], "of nothing"
    app.multiselect(key="compare.multiverse.conditions").set_value(["light"]).run()
    app = computed(app, services)
    button = app.button(key="compare.chance.run")
    assert "It takes about" in button.help
    other = start("compare", opened, "multiverse")
    button.click().run()
    (job,) = (one for one in services.jobs.of(opened) if "chance" in one.slot)
    assert len(job.steps) == TASKS["multiverse_chance"].parts
    assert becomes(lambda: not job.active or job.step > 1)
    job.cancel()
    assert job.wait(300)
    for one in (other, start("compare", opened, "multiverse")):  # in two tabs, one after another
        one.run()
        if not one.button(key="compare.chance.run").disabled:
            one.button(key="compare.chance.run").click().run()
            assert not settled(one, services).exception
    workspace = services.workspace
    (listed,) = workspace.runs(of(services).id, "multiverse_chance")
    found = workspace.run(of(services).id, listed.key)
    assert found.complete
    app = start("compare", opened, "multiverse")
    assert app.button(key="compare.chance.run").disabled
    assert "for all analyses together, of 19 exchanges" in words(app)
    wanted = run("multiverse_chance", found.fresh(), workspace.answers(of(services)), found.options)
    assert np.array_equal(found.result().ranks, wanted.result().ranks)


def click_on(app, services, analysis: int):
    """The app after a click on an analysis."""
    app.session_state[_KEY].drafts[_PICKED] = [kept(services).key, analysis]
    return app.run()


def test_an_analysis_leads_to_its_map(services, opened):
    app = computed(asked(opened), services)
    assert "Click on an analysis" in words(app)
    result = kept(services).result()
    last = int(result.sorted_by()[-1])
    told = ToldMultiverse(result).text_of(last)
    click_on(app, services, last)
    assert told in words(app).replace("\\", "")
    app.selectbox(key=f"compare.multiverse.order@{of(services).id}").set_value("moved").run()
    assert told in words(app).replace("\\", ""), "the order is another"
    app.button(key="compare.multiverse.fit").click().run()
    settled(app, services)
    fits = services.workspace.runs(of(services).id, "fit")
    assert any(
        one.record["method"] == result.methods[last]
        and one.record["parameters"]["n_components"] == result.n_components[last] for one in fits
    )
    app.session_state[_KEY].drafts[_PICKED] = ["another result", 0]
    app = start("compare", opened, "multiverse")
    assert not app.exception


def of(services):
    return services.workspace.datasets()[0]


def without(services, name: str, *people: str):
    """A view without some people, which is used from now on."""
    info = services.workspace.use_view(of(services), ALL_ANSWERS)
    less = services.workspace.cleaning(info).excluding(Exclusion(participants=people))
    return services.workspace.update_dataset(info, less, view=name)


def test_the_main_analysis_is_of_the_view_in_use(services, opened):
    workspace, info = services.workspace, without(services, "three people", "person 3")
    app = computed(asked(opened), services)
    result = kept(services).result()
    assert result.views[0] == "three people"
    assert {*result.views} == {"three people", ALL}
    app = click_on(app, services, result.views.index(ALL))
    assert f"“{ALL_ANSWERS}”" in words(app), "whose map is of other answers"
    assert not [button for button in app.button if button.key == "compare.multiverse.fit"]
    workspace.use_view(info, ALL_ANSWERS)
    app = start("compare", opened, "multiverse")
    assert "Nothing has been computed yet" in words(app), "of all answers, another is the main one"


def test_a_view_that_is_made_later_is_the_main_one_too(services, opened):
    """The form had remembered the views of before, and the main analysis was of all answers."""
    without(services, "some", "person 3")
    asked(opened)
    info = without(services, "others", "person 1", "person 2")
    computed(asked(opened), services)
    assert kept(services).result().views[0] == "others"
    services.workspace.rename_view(info.id, "others", "the rest")
    app = asked(opened)
    app.button(key="compare.multiverse.run").click().run()
    settled(app, services)
    assert kept(services).result().views[0] == "the rest"


def test_a_view_that_weights_is_refused(services, opened):
    info = of(services)
    weighted = services.workspace.cleaning(info).excluding(
        Exclusion(rule=WEIGHTS, participants=("person 1",), parameters={"weights": [0.5]})
    )
    services.workspace.update_dataset(info, weighted, view="weighted")
    app = start("compare", opened, "multiverse")
    assert "The view in use cannot be compared" in words(app)
    assert not [button for button in app.button if button.key == "compare.multiverse.run"]


def test_a_result_stays_when_there_are_views_that_it_does_not_name(services, opened):
    workspace = services.workspace
    computed(asked(opened), services)
    without(services, "some", "person 3")
    workspace.use_view(of(services), ALL_ANSWERS)
    assert len(workspace.runs(of(services).id, "multiverse")) == 1
    computed(asked(opened), services)
    assert len(workspace.runs(of(services).id, "multiverse")) == 2
    without(services, "others", "person 1", "person 2")
    workspace.use_view(of(services), ALL_ANSWERS)
    app = asked(opened)
    assert "of the main analysis" in words(app), "the new view takes no part unless it is asked to"
    assert app.button(key="compare.multiverse.run").disabled
    (box,) = [one for one in app.multiselect if one.label == "Other views"]
    assert (box.value, box.options) == (["some"], ["some", "others"])
    workspace.rename_view(of(services).id, "some", "few")
    assert len(workspace.runs(of(services).id, "multiverse")) == 1, "the other named it"


def test_views_are_held_against_random_sets(services, opened):
    """Their ranges stand behind the main analyses of the views, and one *p* is of all."""
    workspace = services.workspace
    without(services, "all answers", "person 3")  # as one of the columns may be called
    workspace.use_view(of(services), ALL_ANSWERS)
    app = computed(asked(opened), services)
    app.button(key="compare.robustness.run").click().run()
    app = settled(app, services)
    (listed,) = workspace.runs(of(services).id, "robustness")
    found = workspace.run(of(services).id, listed.key).result()
    assert found.views == [ALL, "all answers (view)"]
    told = words(app)
    assert "random sets" in told
    bars = [trace for trace in figure(app, "multiverse")["data"] if trace["type"] == "bar"]
    assert [len(trace["base"]) for trace in bars] == [1, 1], "error and map of the view"
    assert bars[0]["base"][0] == pytest.approx(found.chance_low[0, 1])
    assert app.button(key="compare.robustness.run").disabled
    assert workspace.runs(of(services).id, "multiverse")


def test_the_planned_analysis_is_marked(services, opened):
    answers = services.workspace.answers(of(services))
    plan = ts.experiment.AnalysisPlan(
        title="Planned", n_objects=8, n_participants=4, n_answers=len(answers), method=STE(),
        dimensions=[2], questions={},
    )
    plans.follow(services.workspace, of(services), plan.freeze())
    app = computed(asked(opened), services)
    told = words(app).replace("\\", "")
    assert "The planned analysis is STE, 2 dimensions" in told
    names = figure(app, "multiverse")["layout"]["yaxis3"]["ticktext"]
    assert "planned" in names
    without(services, "some", "person 3")
    app = computed(asked(opened), services)
    planned = [ToldMultiverse.of(
        ShownResults((), answers, "", planned=planned_maps(
            plans.standing_of(services.workspace, of(services))
        )), services.workspace.run(of(services).id, one.key),
    ) for one in services.workspace.runs(of(services).id, "multiverse")]
    told = [(one.planned.sum(), one.result.views[int(one.planned.argmax())]) for one in planned]
    assert told == [(1, ALL)], "also where the main analysis is of another view"
    assert planned[0].table["planned"].sum() == 1


def test_conditions_are_tested_where_they_are_asked_for(services):
    answers = crowd(8, 400)
    light = np.where(np.arange(400) % 2, "day", "night")
    app = asked(session_on(services, answers.with_columns({"light": light})))
    (box,) = [one for one in app.multiselect if one.label == "Conditions"]
    assert box.options == ["light"]
    computed(box.set_value(["light"]).run(), services)
    result = kept(services).result()
    assert result.people == ["", "light"]
    options = {"views": None, "permutations": 19}
    times = [_seconds_of(replace(result, people=people), answers, options)
             for people in (["light"], ["", "light"])]
    assert 1.0 < times[0] < times[1], "exchanges of conditions alone were said to take no time"


def test_it_needs_a_method(services, opened):
    app = start("compare", opened, "multiverse")
    app.multiselect(key="compare.multiverse.methods").set_value([]).run()
    assert not app.exception
    assert "Choose a method" in words(app)


def test_objects_without_columns_and_answers_without_people(services):
    answers = crowd(8, 300)
    bare = answers.with_objects(answers.objects[["id"]].assign(label=answers.ids))
    session = session_on(services, bare)
    app = start("compare", session, "multiverse")
    assert not [box for box in app.multiselect if box.label in ("Columns", "Views")]
    assert not app.exception
