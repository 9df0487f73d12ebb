"""What is said of kernels."""

from __future__ import annotations

import tracemalloc

import numpy as np
import pytest

from tripletscope.core.data.triplets import Triplets
from tripletscope.core.run import run
from tripletscope.core.similarity.clusters import ordering
from tripletscope.core.similarity.kernels import K1
from tripletscope.core.similarity.kernels.spectrum import Spectrum
from tripletscope.dashboard.figures import matrix
from tripletscope.dashboard.figures.theme import SCREEN
from tripletscope.dashboard.results import kernels
from tripletscope.dashboard.results.drawing import Drawing
from tripletscope.dashboard.results.kernels import KernelLook, components_said
from tripletscope.dashboard.results.presentation import Advice, ShownResults
from tripletscope.dashboard.results.registry import presented


def said(*errors: float) -> str:
    found = Spectrum(np.ones(3), np.zeros((5, 3)), np.array(errors))
    return " ".join(components_said(found))


def test_no_number_by_less_than_a_point():
    """A number was called lowest by a difference of 0.0001."""
    alike = said(0.3001, 0.3000, 0.3050)
    assert "is .300 with one component, and not lower by more than a point with any" in alike
    assert "with one component, .210 with 2, and not" in said(0.35, 0.21, 0.205)
    assert "Held-out error" not in said(np.nan, np.nan, np.nan)


def looked_at(shown: ShownResults) -> tuple[Drawing, str]:
    parts = [*presented(shown, *shown.runs)]
    (drawing,) = (part for part in parts if isinstance(part, Drawing))
    return drawing, " ".join(part.text for part in parts if isinstance(part, Advice))


@pytest.mark.parametrize("colour", [None, "size"])
def test_a_look_at_a_large_kernel_takes_little_memory(monkeypatch, colour):
    """A look at 20,000 objects took 10 GB of the server that everybody uses."""
    n, room = 2_000, 2**20
    for module, name in ((ordering, "ROOM"), (kernels, "ROOM"), (ordering, "_BLOCK"),
                         (matrix, "_BYTES"), (kernels, "_AT_A_TIME")):
        monkeypatch.setattr(module, name, room)
    monkeypatch.setattr(ordering.order_of_kernel, "__defaults__", (room,))
    rows = np.random.default_rng(0).permuted(np.tile(np.arange(n), (20_000, 1)), axis=1)[:, :3]
    answers = Triplets.from_array(rows, n)
    answers = answers.with_objects(answers.objects.assign(size=np.arange(n)[::-1]))
    shown = ShownResults((run("fit", K1(), answers),), answers, "Things",
                         looks={"": KernelLook(colour)})
    looked_at(shown)[0].draw(SCREEN)  # what is compiled and loaded once
    tracemalloc.start()
    try:
        drawing, advice = looked_at(shown)
        figure, table = drawing.draw(SCREEN), drawing.table()
        _, peak = tracemalloc.get_traced_memory()
    finally:
        tracemalloc.stop()
    assert peak < 8 * n**2 / 2, "not even half of the matrix, of whose rows a few are there"
    assert np.shape(figure.data[0].z) == (400, 400) == (len(table), len(table.columns) - 1)
    assert ("a random part" in drawing.caption) == (colour is None)
    assert "of the pairs of objects have a similarity of 0" in advice
    fitted = shown.runs[0].fitted()
    if colour:  # the order is known
        order = np.flatnonzero(fitted.placed_)[::-1]
        values = fitted.kernel_[np.ix_(order, order)].astype(float)
        np.fill_diagonal(values, np.nan)
        np.testing.assert_array_equal(figure.data[0].z, matrix.blocks(values, 5))
        assert table["id"][0] == ", ".join(answers.ids[i] for i in order[:5])
