"""Figures of a notebook are seen without a network, and by those who do not see."""

from __future__ import annotations

import base64
import re
from dataclasses import replace

import pytest

from tripletscope.core.models.embedding import STE
from tripletscope.core.run import run
from tripletscope.dashboard.archive import showing
from tripletscope.dashboard.archive.showing import NotebookFigure, show
from tripletscope.dashboard.results import drawings


@pytest.fixture(scope="module")
def drawing(planted):
    (found,) = drawings(run("fit", STE(n_init=1), planted), planted)
    return replace(found, caption='<Things> & "more".')


def test_the_first_of_a_cell_brings_the_library_and_nothing_is_asked_of_a_network(drawing):
    first, second = (
        NotebookFigure(drawing, number, still=False)._repr_mimebundle_()["text/html"]
        for number in (1, 2)
    )
    assert len(first) > 1_000_000 > len(second)
    assert not re.search(r'src="http|cdn\.plot\.ly/plotly', second)
    assert "&lt;Things&gt; &amp; &quot;more&quot;" in second


def test_a_picture_says_what_is_seen(drawing, monkeypatch):
    monkeypatch.setattr(type(drawing), "file", lambda *given: b"png")
    found = NotebookFigure(drawing, 1, still=True)._repr_mimebundle_()
    assert base64.b64decode(found["image/png"]) == b"png"
    alt = re.search(r'alt="([^"]+)"', found["text/html"])[1]
    assert alt[:20] == drawing.alt[:20]
    assert drawing.title in found["text/plain"]


def test_elsewhere_the_captions_are_printed(drawing, monkeypatch, capsys):
    monkeypatch.setitem(__import__("sys").modules, "IPython.display", None)
    monkeypatch.setattr(showing, "can_render", lambda: False)
    show([drawing])
    assert drawing.title in capsys.readouterr().out
