"""The multiverse on its page: computed in parts that are kept, gone on with, and clicked on."""

from __future__ import annotations

import numpy as np
import pytest

from tests.pages.harness import crowd, figure, session_on, settled, start, words
from tests.waiting import becomes
from tripletscope.core.inference.uncertainty.robustness import ALL
from tripletscope.core.models.embedding import STE
from tripletscope.core.run import TASKS, run
from tripletscope.core.studies.quality import Exclusion
from tripletscope.dashboard.state import _KEY
from tripletscope.dashboard.store.dataset import ALL_ANSWERS

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
    assert "The main analysis" in words(app)
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


def test_an_analysis_leads_to_its_map(services, opened):
    app = computed(asked(opened), services)
    assert "Click on an analysis" in words(app)
    result = kept(services).result()
    app.session_state[_KEY].drafts["compare.multiverse.picked"] = len(result.order) - 1
    app.run()
    assert "distance from the main map" in words(app)
    app.button(key="compare.multiverse.fit").click().run()
    settled(app, services)
    last = int(result.order[-1])
    (info,) = services.workspace.datasets()
    fits = services.workspace.runs(info.id, "fit")
    assert any(
        one.record["method"] == result.methods[last]
        and one.record["parameters"]["n_components"] == result.n_components[last] for one in fits
    )
    app.session_state[_KEY].drafts["compare.multiverse.picked"] = 999  # of a longer one, before
    app = start("compare", opened, "multiverse")
    assert not app.exception


def test_the_main_analysis_is_of_the_view_in_use(services, opened):
    workspace, (info,) = services.workspace, services.workspace.datasets()
    less = workspace.cleaning(info).excluding(Exclusion(participants=("person 3",)))
    info = workspace.update_dataset(info, less, view="three people")
    app = computed(asked(opened), services)
    result = kept(services).result()
    assert result.views[0] == "three people"
    assert {*result.views} == {"three people", ALL}
    picked = [result.views[k] for k in result.order].index(ALL)
    app.session_state[_KEY].drafts["compare.multiverse.picked"] = picked
    app.run()
    assert f"“{ALL_ANSWERS}”" in words(app), "whose map is of other answers"
    assert not [button for button in app.button if button.key == "compare.multiverse.fit"]
    workspace.use_view(info, ALL_ANSWERS)
    app = start("compare", opened, "multiverse")
    assert "Nothing has been computed yet" in words(app), "of all answers, another is the main one"


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
