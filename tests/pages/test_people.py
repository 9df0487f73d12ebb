"""The page People: what it says of weights, persons, groups and conditions."""

from __future__ import annotations

import re

import numpy as np
import pandas as pd
import pytest

from tests.core.people.planted import answers_of
from tests.pages.harness import (
    PAGES,
    crowd,
    figure,
    numbers,
    on_tab,
    session_on,
    settled,
    start,
    unfold,
    words,
)
from tests.pages.test_scale import four_levels, greys
from tripletscope.core.data.quadruples import Quadruples
from tripletscope.core.data.triplets import Answers, Triplets
from tripletscope.core.people import PeopleComparison, WeightedEuclidean, compare_people
from tripletscope.dashboard.results.people import axes_said, groups_said
from tripletscope.dashboard.state import _KEY

QUICK = {"people.compare_people.most_groups": 2}


def kinds_of_people(strength: float, people: int = 16) -> Triplets:
    """Half of the people attend to the first axis, half to the second; and under which task."""
    rng = np.random.default_rng(2)
    first, second = 1 + strength, 1 - strength
    weights = np.array([[first, second]] * (people // 2) + [[second, first]] * (people // 2))
    data = answers_of(1.4 * rng.normal(size=(10, 2)), weights, 60, rng)
    told = np.where(np.arange(len(data)) < len(data) // 2, "shape", "colour")
    return Triplets(data.rows, data.objects, data.answers.assign(told=told), "Told")


def computed(app, services, tab: str):
    for key, value in QUICK.items():
        if key in {widget.key for widget in app.number_input}:
            app.number_input(key=key).set_value(value)
    app.button(key=f"people.{tab}.run").click().run()
    return settled(app, services)


def test_people_who_differ_are_said_to(services):
    app = start("people", session_on(services, kinds_of_people(0.8)))
    assert "Nothing has been computed yet" in words(app)
    app = computed(app, services, "weights")
    said = words(app)
    assert "predicted best by" in said
    assert "the axes agree between halves of the people" in said
    assert len(figure(app, "people.weights-participant")["data"]) >= 3
    assert not app.dataframe, "nobody sees it"
    assert len(unfold(app, "Who differs most").dataframe[0].value) == 16
    assert app.button(key="people.weights.run").disabled

    app = on_tab(app, "people", "person")
    assert "One map predicts this person" in words(app)
    figure(app, "people.person")

    app = on_tab(app, "people", "groups")
    assert "2 groups predict held\\-out answers better than fewer" in words(app)
    app = computed(app, services, "groups")
    figure(app, "people.membership")
    figure(app, "people.group-maps")

    app = on_tab(app, "people", "conditions")
    app = computed(app, services, "conditions")
    assert "*p* = \\.001" in words(app)
    assert "Attention differs between the conditions of told" in words(app)
    figure(app, "people.gains-told")
    app = on_tab(app, "people", "weights")
    assert "contradict" not in words(app), "people differ, too"


def test_people_who_are_alike_are_said_to_be(services):
    app = start("people", session_on(services, kinds_of_people(0.0)))
    app = computed(app, services, "weights")
    said = words(app)
    assert said.index("One map for all predicts") < said.index("do not fix the axes")
    app = on_tab(app, "people", "groups")
    assert "None are shown\\: groups can always be made" in words(app)


def test_conditions_that_are_alike_have_no_weights(services):
    """They were drawn under the sentence that no difference is seen."""
    data = kinds_of_people(0.0, people=6)
    told = np.resize(["shape", "colour"], len(data))
    data = Triplets(data.rows, data.objects, data.answers.assign(told=told), "Told")
    app = on_tab(start("people", session_on(services, data)), "people", "conditions")
    app = computed(app, services, "conditions")
    assert "Attention is not seen to differ" in words(app)
    assert "Weights of each told are not shown" in words(app)
    (drawn,) = (c.proto.id for c in app.get("bidi_component") if "people." in c.proto.id)
    assert drawn.endswith("people.gains-told")


def alike() -> PeopleComparison:
    """Eight people whom nothing predicts better than one map."""
    gains = np.random.default_rng(0).normal(0.0, 0.1, (8, 4))
    gains -= gains.mean(axis=0)
    models = np.array(["one map", "precision", "weights", "2 groups"])
    return PeopleComparison(
        np.array(list("abcdefgh")), np.full(8, 20), models, -0.6 + gains, np.full((8, 4), 0.1),
        np.full((8, 4), 0.6), np.full(8, 0.5),
    )


def test_nobody_is_told_of():
    found = alike()
    assert not found.weights_differ
    assert "None are shown" in groups_said(found)
    assert "none are shown" in groups_said(None)


def test_no_axes_are_named():
    """Axes of answers that weights do not predict any better were said to be fixed."""
    data = kinds_of_people(0.8)
    fitted = WeightedEuclidean(n_init=1).fit(data)
    assert fitted.axes_are_fixed
    assert "not been tested" in axes_said(fitted, None)
    assert "no axis named" in axes_said(fitted, alike())
    found = compare_people(WeightedEuclidean(n_init=1), data, most_groups=1, folds=5)
    assert "they may be named" in axes_said(fitted, found)


@pytest.mark.parametrize("tab", ["weights", "person", "groups", "conditions", "observers"])
def test_without_participants_that_is_said(services, tab):
    data = crowd(8, 60)
    app = start("people", session_on(services, Triplets(data.rows, data.objects)))
    app = on_tab(app, "people", tab)
    assert "No participants" in words(app)


def test_one_column_of_people_is_no_condition(services):
    app = on_tab(start("people", session_on(services, crowd(8, 60))), "people", "conditions")
    assert "No conditions" in words(app)


def titles_of(app, key: str) -> list[str]:
    """Titles of the maps in a figure, whose objects have names, too."""
    return [a["text"] for a in figure(app, key)["layout"]["annotations"] if a["xref"] == "paper"]


# Who predicts whom ----------------------------------------------------------------------------


def observers(services, answers: Answers):
    return on_tab(start("people", session_on(services, answers)), "people", "observers")


def test_observers_predict_pool_and_cluster(services):
    app = observers(services, greys())
    next(b for b in app.number_input if b.label == "Dimensions").set_value(1).run()
    next(b for b in app.selectbox if b.label == "Groups").select("place").run()
    next(b for b in app.number_input if b.label == "Folds").set_value(2).run()
    next(b for b in app.number_input if b.label == "Random orders").set_value(2).run()
    app = computed(app, services, "observers")
    heat = figure(app, "people.who-predicts-whom")
    assert heat["layout"]["yaxis"]["ticktext"] == [
        "dora (crowd)", "cy (crowd)", "bob (lab)", "ann (lab)",
    ]
    assert len(heat["layout"]["shapes"]) == 2, "between the groups"
    assert "from another participant of the same group" in words(app)
    assert numbers(figure(app, "people.pooling")["data"][1]["x"]).tolist() == [1, 2, 3]
    maps = titles_of(app, "people.observer-maps-participant")
    assert maps[0] == "all (606)"
    assert len(maps) == 5
    assert titles_of(app, "people.observer-maps-place") == ["all (606)", "crowd (305)", "lab (301)"]
    assert "of the variance of one map is unexplained by the other" in words(app).replace("\\", "")
    tree = [t for t in figure(app, "people.observer-tree-participant")["data"] if "customdata" in t]
    assert sorted(node for t in tree for node in t["customdata"]) == list(range(7))


def test_whom_few_questions_tell_of_has_no_error_of_their_own(services):
    app = observers(services, four_levels())
    next(b for b in app.selectbox if b.label == "Method").select("mlds").run()
    said = words(computed(app, services, "observers"))
    assert "from another participant" in said
    assert "from their own other answers" not in said, "nobody can be cross-validated"
    assert "nan" not in said
    assert "Difference scaling computes no maps" in said


def test_conditions_are_predicted_from_one_another_without_an_interval(services):
    """Of two instructions an interval over two participants was told, and a curve of pooling."""
    app = observers(services, kinds_of_people(0.8))
    app.selectbox(key=f"people.observers.by@{app.session_state[_KEY].dataset.id}").select(
        "told").run()
    assert not {"Groups", "Max. participants", "Random orders"} & {
        widget.label for kind in (app.selectbox, app.number_input) for widget in kind
    }
    app = computed(app, services, "observers")
    said = words(app).replace("\\", "")
    assert "Answers of one told are predicted" in said
    assert "mean over the conditions of told" in said
    assert not re.search("jackknife|participants? in training|interval over", said)
    (dots,) = figure(app, "people.relations")["data"]
    assert "nan" not in " ".join(dots["hovertext"])
    titles = titles_of(app, "people.observer-maps-told")
    assert [title.split()[0] for title in titles] == ["all", "colour", "shape"]


@pytest.mark.parametrize("tab", ["weights", "person", "groups", "conditions", "observers"])
def test_people_who_compared_pairs_are_there_too(services, tab):
    """Who predicts whom was on Scale, where such answers have a page."""
    rows = np.resize([[0, 1, 2, 4], [1, 2, 0, 3], [3, 4, 0, 2]], (60, 4))
    people = pd.DataFrame({"participant": np.resize(["ann", "bob"], 60),
                           "told": np.repeat(["a", "b"], 30)})
    objects = pd.DataFrame({"id": list("abcde"), "contrast": np.arange(5.0)})
    pairs = Quadruples(rows, objects=objects, answers=people, name="Pairs")
    app = on_tab(start("people", session_on(services, pairs)), "people", tab)
    assert "compare pairs" not in words(app)
    if tab == "observers":
        assert next(b for b in app.selectbox if b.label == "Method").value == "mlds"
        assert "from another participant" in words(computed(app, services, tab))


def test_an_address_of_the_page_scale_leads_there(services):
    app = start("scale", session_on(services, greys()), "observers")
    assert app.title[0].value == "People"
    assert app.segmented_control(key="people.view").value == "observers"
    app.switch_page(PAGES["scale"]).run()
    assert app.title[0].value == "Scale", "only an address leads away"
