"""The page People: what it says of weights, persons, groups and conditions."""

from __future__ import annotations

import numpy as np
import pytest

from tests.core.people.planted import answers_of
from tests.pages.harness import (
    crowd,
    figure,
    on_tab,
    session_on,
    settled,
    start,
    unfold,
    words,
)
from tripletscope.core.data.triplets import Triplets
from tripletscope.core.people import PeopleComparison, WeightedEuclidean, compare_people
from tripletscope.dashboard.results.people import axes_said, groups_said

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


@pytest.mark.parametrize("tab", ["weights", "person", "groups", "conditions"])
def test_without_participants_that_is_said(services, tab):
    data = crowd(8, 60)
    app = start("people", session_on(services, Triplets(data.rows, data.objects)))
    app = on_tab(app, "people", tab)
    assert "No participants" in words(app)


def test_one_column_of_people_is_no_condition(services):
    app = on_tab(start("people", session_on(services, crowd(8, 60))), "people", "conditions")
    assert "No conditions" in words(app)
