"""The page Kernel."""

from __future__ import annotations

import re
from types import SimpleNamespace

import numpy as np
import pandas as pd
import pytest
from streamlit.testing.v1 import AppTest

from tests.pages.harness import (
    figure,
    numbers,
    on_tab,
    session_on,
    settled,
    start,
    unfold,
    words,
)
from tripletscope.core.data.triplets import Triplets
from tripletscope.core.models.simulation.simulate import simulate
from tripletscope.core.run import run
from tripletscope.core.similarity.clusters import AgglomerativeClustering
from tripletscope.core.similarity.kernels import K1, K2
from tripletscope.dashboard.report.gathering import offered
from tripletscope.dashboard.state import _KEY, Session
from tripletscope.dashboard.ui import task


def kernel(session: str, view: str = "similarities") -> AppTest:
    return on_tab(start("kernel", session), "kernel", view)


def test_the_first_kernel_is_there_without_asking(services, opened):
    app = settled(kernel(opened), services)
    matrix, marks = figure(app, "kernel.matrix-k1")["data"][:2]
    assert matrix["type"] == "heatmap"
    assert sorted(marks["customdata"]) == list(range(30))
    assert "k1" in words(app)
    (info,) = services.workspace.datasets()
    app.selectbox(key=f"kernel.order@{info.id}").select("kind").run()
    marks = figure(app, "kernel.matrix-k1")["data"][1:]
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


def test_similarities_of_chance_are_said_before_anything_else(services, truth, planted):
    objects = pd.DataFrame({"id": [str(i) for i in range(15)]}).assign(label=lambda t: t["id"])
    few = Triplets(simulate(truth[:15], 120, seed=0).rows, objects)
    app = settled(kernel(session_on(services, few)), services)
    said = words(app).replace("\\", "")
    first = next(one.value for one in app.markdown if one.value.startswith("**"))
    assert "mostly chance" in first
    assert re.search(r"\d+ % of the pairs of objects have a comparison in common", said)
    assert [link.proto.page for link in app.get("page_link")]
    app.button(key="kernel.to_design").click().run()
    assert app.segmented_control(key="simulate.view").value == "questions"
    assert app.selectbox(key="simulate.list.design").value == "k1"


def test_a_selected_pair_says_what_it_rests_on(services, opened):
    app = settled(kernel(opened), services)
    assert "mostly chance" not in words(app)
    assert "Click a cell" in words(app)
    app.session_state[_KEY].select(["4", "7"])
    app.run()
    assert re.search(r"similarity .* rests on \d+ comparisons? that they share", words(app))
    assert len(figure(app, "kernel.matrix-k1")["layout"]["shapes"]) == 2


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
    ("view", "said"),
    [("map", "of the variance"), ("spectrum", "not dimensions")],
)
def test_what_a_kernel_says(services, opened, view, said):
    app = settled(kernel(opened, view), services)  # the first kernel
    app = settled(app, services)
    assert said in words(app).replace("\\", "")
    assert app.get("bidi_component")


def test_no_more_folds_are_told_than_a_small_class_allows(services, planted):
    objects = planted.objects.assign(kind=["a"] * 3 + ["b"] * 27)
    session = session_on(services, Triplets(planted.rows, objects, planted.answers, "Things"))
    app = settled(settled(kernel(session, "classes"), services), services)  # after the first kernel
    assert "held out in 3 folds" in words(app).replace("\\", "")


def test_a_similarity_of_nought_has_the_reason_of_its_kernel(services, opened):
    app = kernel(opened)
    app.selectbox(key="kernel.method").select("proximity").run()
    app.number_input(key="kernel.proximity.n_estimators").set_value(1).run()
    app.button(key="kernel.fit.run").click().run()
    text = words(settled(app, services)).replace("\\", "")
    assert "have a similarity of 0: they are too far apart" in text
    assert "share no question" not in text


def test_landmark_designs_are_listed(services, opened):
    app = start("simulate", opened, "questions")
    for design, number in (("k1", "1,260"), ("k2", "2,160")):
        app.selectbox(key="simulate.list.design").select(design).run()
        assert {metric.label: metric.value for metric in app.metric}["Questions"] == number
        assert "about as well as embeddings" in words(app)


def test_who_is_predicted_wrongly_is_named_and_can_be_selected(services, planted):
    objects = planted.objects.assign(kind=["a", "b"] * 15)
    session = session_on(services, Triplets(planted.rows, objects, planted.answers, "Things"))
    app = settled(settled(kernel(session, "classes"), services), services)  # after the first kernel
    assert "Support vector machine predicts kind of 30 objects" in words(app)
    axes = figure(app, "kernel.predicted-kind")["layout"]
    assert [axes[f"{a}axis"]["title"]["text"] for a in "xy"] == ["predicted", "true"]
    unfold(app, next(e.label for e in app.expander if e.label.endswith("predicted wrongly")))
    (wrong,) = [d.value for d in app.dataframe]
    labels = services.workspace.triplets(services.workspace.datasets()[0]).labels
    for name, true, predicted in wrong.itertuples(index=False):
        assert true == "ab"[labels.index(name) % 2] != predicted
    select = next(b for b in app.button if b.label.startswith("Select "))
    select.click().run()
    assert f"{len(wrong)} object" in words(app)


def test_a_kernel_of_one_object_is_no_matrix(services, planted):
    """One answer about three objects ranks them for one of them."""
    answers = Triplets([[0, 1, 2]], planted.objects[:3], None, "One answer")
    app = settled(kernel(session_on(services, answers)), services)
    assert "There are no two objects to compare" in words(app)
    assert not [c for c in app.get("bidi_component") if c.proto.id.endswith("kernel.matrix")]


def test_what_takes_a_second_computes_itself_once_and_is_not_told_of(services, opened):
    """The kernel's own job kept the tabs beside it empty."""
    settled(kernel(opened), services)
    before = services.jobs.of(opened)
    app = kernel(opened, "spectrum")
    (job,) = (one for one in services.jobs.of(opened) if one not in before)
    job.cancel()
    assert job.wait(300)
    (info,) = services.workspace.datasets()
    for run_ in services.workspace.runs(info.id, "spectrum"):
        services.workspace.delete_runs([run_])
    app.run()
    assert not any(job.active for job in services.jobs.of(opened)), "what was cancelled stays so"
    current = Session("another")
    current.open(info.id)
    current.save()
    app = settled(kernel(current.id, "spectrum"), services)
    assert "Nothing has been computed yet" not in words(app)
    (kept,) = services.workspace.runs(info.id, "spectrum")
    assert kept.unasked
    titles, usual = offered(SimpleNamespace(session=current, info=info))
    assert kept.key in titles
    assert kept.key not in usual
    services.workspace.delete_runs([kept])
    app.run()
    assert not any(job.active for job in services.jobs.of(current.id)), "what was deleted does, too"


def test_what_takes_longer_waits_for_its_button(services, opened, monkeypatch):
    monkeypatch.setattr(task, "_AT_ONCE", 0.0)
    settled(kernel(opened), services)
    app = settled(kernel(opened, "spectrum"), services)
    assert "Nothing has been computed yet" in words(app)


def test_a_kernel_that_was_only_looked_at_is_not_told_of(services, planted):
    """Reports wrote “Further methods were …” of pages that somebody had passed through."""
    session = Session(session_on(services, planted))
    (info,) = services.workspace.datasets()
    session.open(info.id)
    context = SimpleNamespace(session=session, info=info)

    def computed(method, task: str, *, unasked: bool = False, **options) -> str:
        result = run(task, method, planted, options)
        return services.workspace.add_run(info, result, "A name", unasked=unasked).key

    first = computed(K1(), "fit", unasked=True)
    clusters = computed(AgglomerativeClustering(basis=K1()), "fit", unasked=True)
    assert offered(context)[1] == []
    other = computed(K2(), "fit")
    assert offered(context)[1] == [other], "another one was asked for"
    spectrum = computed(K1(), "spectrum", shuffles=5)
    assert set(offered(context)[1]) == {first, other, spectrum}
    assert computed(K1(), "spectrum", shuffles=5, unasked=True) == spectrum
    assert spectrum in offered(context)[1], "what was asked for stays so"
    assert clusters in offered(context)[0]
