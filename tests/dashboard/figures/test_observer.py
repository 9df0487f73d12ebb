"""How often people answer as another observer does, as a figure."""

import numpy as np

from tests.core.inference.evaluation.test_choosing import odd_ones, repeated
from tripletscope.core.inference.evaluation.choosing import observer_agreement
from tripletscope.dashboard.figures.observer import agreement_bars


def test_a_row_has_point_interval_chance_and_ceiling():
    p = np.random.default_rng(0).dirichlet([0.4] * 3, 300)
    model = odd_ones(np.arange(900).reshape(-1, 3), p.argmax(axis=1))
    found = observer_agreement(repeated(300, 8, p), model)
    figure = agreement_bars(found, "<b>M</b>")
    (one,) = found
    assert figure.data[0].x == (one.accuracy.value,)
    band, chance = figure.layout.shapes
    assert (band.x0, band.x1) == (one.ceiling.lower.value, one.ceiling.upper.value)
    assert chance.x0 == one.chance
    assert "&lt;b&gt;M" in figure.layout.xaxis.title.text


def test_a_vague_ceiling_is_not_drawn():
    people = odd_ones([[0, 1, 2]] * 2 + [[3, 4, 5]], [0, 1, 2])
    figure = agreement_bars(observer_agreement(people, people), "M")
    assert [shape.type for shape in figure.layout.shapes] == ["line"]
    assert figure.layout.xaxis.range[0] < figure.layout.shapes[0].x0  # not on the names
