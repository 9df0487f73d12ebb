"""The map of a data set: chosen once, by the answers or by hand, and the same on every page."""

from __future__ import annotations

import threading

import numpy as np
import pytest

from tests.pages.harness import session_on, settled, start, words
from tests.waiting import PATIENCE, becomes
from tripletscope.core.data.triplets import Triplets
from tripletscope.core.models.embedding import SOE, STE, TSTE
from tripletscope.core.models.simulation.simulate import simulate
from tripletscope.core.run import run
from tripletscope.core.similarity.kernels import GaussianKernel
from tripletscope.core.studies.quality import Cleaning, Exclusion
from tripletscope.dashboard.files.errors import WorkspaceError
from tripletscope.dashboard.jobs.queue import current_job
from tripletscope.dashboard.state import _KEY, Session
from tripletscope.dashboard.ui import analysis
from tripletscope.dashboard.ui.opened_map import (
    choice_of,
    choose_method,
    delete_map,
    map_method,
    opened_map,
)
from tripletscope.dashboard.words import sentences


def text_of(app) -> str:
    return words(app).replace("\\", "")


def only(services):
    (info,) = services.workspace.datasets()
    return info


def tried(services) -> int:
    return len(services.workspace.runs(only(services).id, "choose_tail", of_any_exclusions=True))


def second_tab(services) -> str:
    session = Session("second-tab")
    session.open(only(services).id)
    session.save()
    return session.id


@pytest.fixture
def light(services) -> str:
    """A session with answers whose response has no heavy tails."""
    truth = np.random.default_rng(0).normal(size=(16, 2))
    data = simulate(truth, 1500, noise="logistic", seed=1)
    return session_on(services, Triplets(data.rows, data.objects, None, "Light"))


def test_the_answers_choose_the_first_map_and_the_page_says_why(services, light):
    app = settled(start("embedding", light), services)
    method = map_method(only(services))
    assert method.alpha >= 5
    assert f"degrees of freedom {method.alpha:g}" in text_of(app)
    assert "How steeply t-STE's similarity falls with distance was chosen by" in text_of(app)
    assert tried(services) == 1
    settled(start("data", light), services)
    assert tried(services) == 1


def test_two_jobs_choose_the_tails_once(services, light):
    info, answers = only(services), services.workspace.triplets(only(services))
    found = []

    def choose() -> None:
        found.append(analysis._with_tails(info, answers, TSTE(), lambda *_, **__: False).alpha)

    threads = [threading.Thread(target=choose, daemon=True) for _ in range(3)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert len({*found}) == 1
    assert tried(services) == 1


def test_what_builds_on_an_open_map_takes_its_tails(services, light):
    settled(start("embedding", light), services)
    info = only(services)
    alpha = map_method(info).alpha
    settled_kernel = analysis.settled(info, GaussianKernel(basis=TSTE(n_components=3)))
    assert settled_kernel.basis.get_params() == TSTE(n_components=3, alpha=alpha).get_params()
    for closed in (TSTE(alpha=2.0), STE(), GaussianKernel(basis=STE())):
        assert analysis.settled(info, closed) is closed
    assert analysis.settled(None, TSTE()).alpha is None


def test_a_form_that_leaves_the_tails_open_takes_them_from_the_answers(services, light):
    app = settled(start("embedding", light), services)
    app.number_input(key="embedding.tste.n_components").set_value(3).run()
    app.button(key="fit").click().run()
    app = settled(app, services)
    alpha = analysis.tails(only(services)).record["numbers"]["alpha"]
    assert f"t-STE, 3 dimensions, degrees of freedom {alpha:g}" in text_of(app)
    assert map_method(only(services)).n_components == 3
    assert "Chosen by hand" in text_of(app)


def test_exclusions_keep_the_tails(services, light):
    settled(start("embedding", light), services)
    info = only(services)
    before = map_method(info)
    cleaning = Cleaning(services.workspace.cleaning(info).raw)
    left = cleaning.excluding(Exclusion(answers=(0, 1, 2)))
    services.workspace.update_dataset(info, left)
    settled(start("embedding", light), services)
    assert map_method(only(services)).get_params() == before.get_params()
    assert tried(services) == 1


def test_a_map_that_is_chosen_is_that_of_every_page_and_tab_until_it_is_undone(services, light):
    app = settled(start("embedding", light), services)
    info = only(services)
    automatic = opened_map(info)
    app.selectbox(key="embedding.method").select("ste").run()
    app.button(key="fit").click().run()
    app = settled(app, services)
    assert isinstance(map_method(only(services)), STE)
    other = settled(start("embedding", second_tab(services)), services)
    assert "Map (STE, 2 dimensions" in text_of(other)
    findings = text_of(settled(start("data", second_tab(services)), services))
    assert "**Map** STE, 2 dimensions" in findings
    assert "tried: SOE" in findings
    assert "See both side by side" not in findings
    other.button(key="embedding.automatic").click().run()
    assert opened_map(only(services)).key == automatic.key
    app = settled(app.run(), services)
    alpha = map_method(info).alpha
    assert f"Map (t-STE, 2 dimensions, degrees of freedom {alpha:g}" in text_of(app)


def test_a_map_of_the_list_becomes_that_of_the_data(services, light):
    app = settled(start("embedding", light), services)
    info = only(services)
    found = run("fit", STE(), services.workspace.triplets(info))
    services.workspace.add_run(info, found, "STE, 2 dimensions")
    app.run()
    (box,) = [box for box in app.selectbox if box.label == "Shown"]
    box.set_value(found.key).run()
    assert opened_map(only(services)).key == found.key
    assert "Chosen by hand" in text_of(app)


def test_a_chosen_map_that_is_deleted_is_chosen_no_more(services, light):
    app = settled(start("embedding", light), services)
    automatic = opened_map(only(services))
    app.selectbox(key="embedding.method").select("ste").run()
    app.button(key="fit").click().run()
    app = settled(app, services)
    chosen = opened_map(only(services))
    app.button(key=f"run.delete.{chosen.id}").click().run()
    app.button(key="delete for good").click().run()
    assert opened_map(only(services)).key == automatic.key
    assert "Chosen by hand" not in text_of(app)
    assert map_method(only(services)).get_params() == TSTE(
        alpha=automatic.record["parameters"]["alpha"]
    ).get_params()


def test_of_a_chosen_map_that_is_not_there_no_other_one_is_said_to_be_it(services, light):
    app = settled(start("embedding", light), services)
    choose_method(only(services), STE(n_components=1))
    app.run()
    assert "Map (t-STE" in text_of(app)
    assert "Chosen by hand, but not computed: STE, 1 dimension" in text_of(app)
    app.button(key="embedding.automatic").click().run()
    assert "Chosen by hand" not in text_of(app)


@pytest.mark.parametrize("noted", [
    5, {"kind": "embedding"},
    {"kind": "embedding", "method": "of a later version", "parameters": {}},
    {"kind": "embedding", "method": "ste", "parameters": {"n_components": -1}},
    {"kind": "embedding", "method": ["ste"]}, {"kind": "kernel", "method": "k1"}, ["ste"], "ste",
])
def test_a_choice_that_cannot_be_fitted_is_none(services, light, noted):
    services.workspace.note(only(services).id, "map", noted)
    assert isinstance(map_method(only(services)), TSTE)
    app = settled(start("embedding", light), services)
    assert "Chosen by hand" not in text_of(app)


def test_a_first_map_of_before_tails_makes_way_for_theirs(services, light):
    """Nobody has chosen it, though it has ellipses."""
    info = only(services)
    answers = services.workspace.triplets(info)
    for task in ("fit", "bootstrap"):
        services.workspace.add_run(info, run(task, TSTE(), answers), "Of before")
    assert map_method(info).alpha is None
    found = run("choose_tail", TSTE(), answers)
    services.workspace.add_run(info, found, "Tails", unasked=True)
    assert map_method(info).alpha == found.numbers["alpha"]
    settled(start("embedding", light), services)
    assert opened_map(info).record["parameters"]["alpha"] == found.numbers["alpha"]


def test_a_map_with_open_tails_keeps_its_own_error_and_ellipses(services, light):
    """One of an earlier version had those of the map with chosen tails."""
    app = settled(start("embedding", light), services)
    info = only(services)
    answers = services.workspace.triplets(info)
    found = run("fit", TSTE(), answers)
    services.workspace.add_run(info, found, "of before")
    app.run()
    (box,) = [box for box in app.selectbox if box.label == "Shown"]
    box.set_value(found.key).run()
    assert opened_map(only(services)).key == found.key
    assert map_method(only(services)).alpha is None
    text = text_of(app)
    assert "Map (t-STE, 2 dimensions, lowest" in text
    assert "95 % ellipses" not in text
    assert "Held-out error" not in text
    error = run("cross_validate", TSTE(), answers)
    services.workspace.add_run(info, error, "of before")
    app.run()
    assert f"Held-out error {sentences.words.share(error.result().error)}" in text_of(app)


def test_a_chosen_map_is_fitted_again_after_exclusions(services, light):
    settled(start("embedding", light), services)
    info = only(services)
    choose_method(info, STE(n_components=1))
    app = settled(start("embedding", second_tab(services)), services)
    assert "Map (STE, 1 dimension" in text_of(app)


def test_answers_that_cannot_choose_have_the_map_of_before(services):
    rows = np.array([[0, 1, 2], [1, 2, 3], [2, 3, 0], [3, 0, 1]])
    session = session_on(services, Triplets.from_array(rows, name="Few"))
    app = settled(start("embedding", session), services)
    assert map_method(only(services)).alpha is None
    assert "t-STE, 2 dimensions" in text_of(app)
    assert "too few questions to choose the tails" in text_of(app)


def test_more_answers_than_a_limit_choose_nothing(services, light, monkeypatch):
    monkeypatch.setattr(analysis, "_MOST_FOR_TAILS", 1000)
    settled(start("embedding", light), services)
    assert tried(services) == 0
    assert map_method(only(services)).alpha is None


def fit_pressed(app, services, method: str = "ste", **values):
    """The job that a press of "Fit" starts."""
    app.selectbox(key="embedding.method").select(method).run()
    for name, value in values.items():
        app.number_input(key=f"embedding.{method}.{name}").set_value(value)
    app.button(key="fit").click().run()
    assert not app.exception
    return services.jobs.of(app.session_state[_KEY].id)[0]


def is_as_before(app, services, before) -> bool:
    """Whether the map of before is that of the page and of another tab, and nothing was chosen."""
    mine = f"Map (t-STE, 2 dimensions, degrees of freedom {map_method(only(services)).alpha:g}"
    pages = settled(app, services), settled(start("embedding", second_tab(services)), services)
    return opened_map(only(services)).key == before.key and all(
        mine in text_of(page) and "Chosen by hand" not in text_of(page) for page in pages
    )


def test_a_fit_that_is_cancelled_while_it_waits_chooses_nothing(services, light, holding):
    app = settled(start("embedding", light), services)
    before = opened_map(only(services))
    with holding():
        job = fit_pressed(app, services)
        assert map_method(only(services)).name == "tste"
        job.cancel()
        assert job.wait(PATIENCE)
    assert is_as_before(app, services, before)


def test_a_fit_that_is_cancelled_halfway_is_listed_and_chooses_nothing(services, light):
    app = settled(start("embedding", light), services)
    before = opened_map(only(services))
    # So long that it is not done before a busy machine comes to cancel it.
    job = fit_pressed(app, services, n_components=50, n_init=100, tol=1e-15, max_iter=100_000)
    assert becomes(lambda: job.losses or not job.active)
    job.cancel()
    assert job.wait(PATIENCE)
    assert job.state == "stopped"
    assert is_as_before(app, services, before)
    listed = services.workspace.runs(only(services).id, "fit", "embedding")
    assert {run.complete for run in listed} == {True, False}


def test_a_fit_that_fails_chooses_nothing(services, light, monkeypatch):
    app = settled(start("embedding", light), services)
    before = opened_map(only(services))

    def full(*_, **__):
        raise WorkspaceError("The disk is full.")

    with monkeypatch.context() as patched:
        patched.setattr(services.workspace, "add_run", full)
        job = fit_pressed(app, services)
        assert job.wait(PATIENCE)
    assert job.state == "failed"
    assert is_as_before(app, services, before)


def test_a_map_is_chosen_once_it_is_there_whatever_becomes_of_its_ellipses(services, light):
    app = settled(start("embedding", light), services)
    stopped = []

    def stop_after_the_fit() -> None:
        stopped.append(current_job().cancel())

    info = only(services)
    session = app.session_state[_KEY]
    choose = choice_of(info, STE())
    job = analysis.start(
        session, info, session.triplets(), STE(), {"bootstrap": {}},
        lambda: (choose(), stop_after_the_fit()),
    )
    assert job.wait(PATIENCE)
    assert (job.state, len(stopped)) == ("stopped", 1)
    assert map_method(only(services)).name == "ste"
    assert "Map (STE, 2 dimensions" in text_of(settled(app.run(), services))


@pytest.mark.parametrize("first_is_last", [False, True])
def test_of_fits_in_two_tabs_the_one_that_was_begun_last_is_the_map(
    services, light, holding, first_is_last
):
    first = settled(start("embedding", light), services)
    second = settled(start("embedding", second_tab(services)), services)
    info = only(services)
    with holding():
        jobs = [fit_pressed(first, services, "ste"), fit_pressed(second, services, "soe")]
        found = {}
        for name, other in (("ste", STE()), ("soe", SOE())):
            found[name] = run("fit", other, services.workspace.triplets(info))
        for name in (("soe", "ste") if first_is_last else ("ste", "soe")):
            services.workspace.add_run(info, found[name], name)
        steps = [job.steps[0] for job in jobs]
        for step in reversed(steps) if first_is_last else steps:
            step.work(lambda *_, **__: False)
        assert map_method(only(services)).name == "soe"
        for job in jobs:
            job.cancel()
            assert job.wait(PATIENCE)
    for app in (first, second):
        assert "Map (SOE, 2 dimensions" in text_of(settled(app, services))


def test_what_is_undone_while_a_fit_waits_stays_undone(services, light, holding):
    app = settled(start("embedding", light), services)
    choose_method(only(services), STE(n_components=1))
    app.run()
    with holding():
        job = fit_pressed(app, services, "soe")
        app.button(key="embedding.automatic").click().run()
    assert job.wait(PATIENCE)
    assert job.state == "done"
    assert map_method(only(services)).name == "tste"


def test_a_map_that_is_deleted_while_a_fit_waits_leaves_its_place_to_it(services, light, holding):
    app = settled(start("embedding", light), services)
    fit_pressed(app, services, "ste").wait(PATIENCE)
    app = settled(app, services)
    with holding():
        job = fit_pressed(app, services, "soe")
        delete_map(only(services), opened_map(only(services)))
        assert map_method(only(services)).name == "tste"
    assert job.wait(PATIENCE)
    assert map_method(only(services)).name == "soe"
