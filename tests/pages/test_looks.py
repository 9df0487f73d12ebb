"""Looks that presentations declare: what is chosen on a page is in report and script as well."""

from __future__ import annotations

import importlib

import numpy as np
import pytest

import tripletscope as ts
from tests.dashboard.report.conftest import colours
from tests.dashboard.report.test_same_as_pages import COMPUTED, LINE, TABLES
from tests.pages.harness import session_on, settled, start, words
from tripletscope.core.data.triplets import Triplets
from tripletscope.core.engine.declared import Column, parameters
from tripletscope.dashboard.archive.recipe import reproduction
from tripletscope.dashboard.report.gathering import looks_of
from tripletscope.dashboard.results import Drawing, ForestLook
from tripletscope.dashboard.results.look import LOOKS
from tripletscope.dashboard.results.presentation import ShownResults, Statement
from tripletscope.dashboard.results.registry import PRESENTATIONS, presented
from tripletscope.dashboard.state import _KEY, Session
from tripletscope.dashboard.ui.context import Context
from tripletscope.dashboard.ui.looks import noted_look

__all__ = ["colours"]

MAP = ts.STE(n_init=1)
#: What results are of where all parameters of a look matter.
OTHERS = {
    ("explain", ""): [("explain", TABLES, {})],
    ("ordinal_scale", ""): [("ordinal_scale", MAP, {"maps": 10, "n_components": 2})],
    ("predict_column", ""): [
        ("predict_column", MAP, {"column": "warm", "folds": 2}),
    ],
}
#: Of a map in the plane there are no units of noise, and of a line no axes.
HAVE_NO = {("ordinal_scale", ""): {"units"}, ("bootstrap_scale", ""): {"axis"},
           ("explain", ""): {"counted"}}


@pytest.fixture
def kept(services, colours):
    answers = colours.triplets
    nm = answers.objects["wavelength_nm"]
    answers = answers.with_objects(answers.objects.assign(warm=[
        "warm" if value > 550 else "cold" for value in nm
    ]))
    return services.workspace.add_dataset(answers, origin="a.csv", report=[])


def content(runs, answers, looks) -> list[str]:
    shown = ShownResults(tuple(runs), answers, "Colours", looks=looks)
    parts = presented(shown, runs[-1])
    return [
        part.caption + part.figure().to_json() if isinstance(part, Drawing) else part.text
        for part in parts if isinstance(part, Drawing | Statement)
    ]


def test_looks_are_of_what_is_presented():
    assert set(LOOKS) <= {(task, kind) for task, kind, _ in PRESENTATIONS}
    assert len(LOOKS) > 6


@pytest.mark.parametrize("place", LOOKS, ids=" ".join)
def test_what_is_chosen_on_a_page_is_in_report_and_script(services, kept, place):
    """A scale in units of the noise on its page went from 0 to 1 in the report."""
    answers, kind = services.workspace.triplets(kept), LOOKS[place]
    runs = [ts.run(task, of, answers, options)
            for task, of, options in OTHERS.get(place, COMPUTED.get(place))]
    for run in runs:
        services.workspace.add_run(kept, run, run.task)
    session = Session("looks")
    session.open(kept.id)
    context = Context(session, kept, "report", None, None)
    usual = content(runs, answers, {})
    for parameter in parameters(kind):
        spec, key = parameter.spec, f"{kind.place}.{parameter.name}@{kept.id}"
        if getattr(spec, "usual", None):
            key += f".{runs[-1].key}"
        if isinstance(spec, Column):
            values = ["warm"]
        else:
            first = spec.usual(runs[-1]) if spec.usual else parameter.default
            values = [value for value in spec.offered(runs[-1]) if value != first]
        if parameter.name in HAVE_NO.get(place, ()):
            continue
        session.drafts[key] = values[0]
        look = noted_look(context, runs[-1])
        assert getattr(look, parameter.name) == values[0]
        assert content(runs, answers, {run.key: look for run in runs}) != usual, parameter.name
        looks = looks_of(context, [run.key for run in runs])
        assert looks[runs[-1].key] == look
        files = reproduction(kept, services.workspace.cleaning(kept), runs, looks=looks)
        (book,) = (text for name, text in files.items() if name.endswith(".ipynb"))
        assert f"{kind.__name__}(".encode() in book
        assert getattr(importlib.import_module("tripletscope.dashboard.results"), kind.__name__)
        session.drafts[key] = "something of another version"
        assert noted_look(context, runs[-1]) == kind()
        del session.drafts[key]


def test_what_one_result_suggests_is_no_choice_for_another(services, kept):
    """The report showed, of every other column, the forest that was best for the first."""
    answers = services.workspace.triplets(kept)
    first, second = (
        ts.run("predict_column", MAP, answers, {"column": column, "kind": kind, "folds": 2})
        for column, kind in (("warm", "classes"), ("wavelength_nm", "numbers"))
    )
    session = Session("looks")
    session.open(kept.id)
    context = Context(session, kept, "report", None, None)
    size = int(first.result().leaf_sizes[-1])
    session.drafts[f"trees.leaf_size@{kept.id}.{first.key}"] = size
    assert noted_look(context, first).leaf_size == size
    assert noted_look(context, second) == ForestLook()
    session.drafts[f"trees.leaf_size@{kept.id}.{first.key}"] = [size]
    assert noted_look(context, first) == ForestLook(), "an archive may hold anything"


def test_a_unit_that_a_map_does_not_have_hides_no_scale(services, kept):
    answers = services.workspace.triplets(kept)
    line = ts.run("ordinal_scale", LINE, answers, {"maps": 10})
    session = Session("looks")
    session.open(kept.id)
    context = Context(session, kept, "report", None, None)
    session.drafts[f"scale.units@{kept.id}"] = "noise"
    assert noted_look(context, line).units == "unit"


def test_a_range_of_values_selects_and_the_whole_range_selects_nothing(services, planted):
    objects = planted.objects.assign(size=[None, *range(1, 30)])
    session = session_on(services, Triplets(planted.rows, objects, name="Things"))
    app = settled(start("embedding", session), services)
    (info,) = services.workspace.datasets()
    app.selectbox(key=f"map.range@{info.id}").select("size").run()
    slider = app.slider(key=f"map.range.size@{info.id}")
    slider.set_range(3.0, 7.0).run()
    ids = objects["id"].tolist()
    assert app.session_state[_KEY].selection == ids[3:8]
    app.selectbox(key=f"map.size@{info.id}").select("size").run()
    assert "Area of points: size, 1 to 29" in words(app).replace("\\", "")
    assert app.session_state[_KEY].selection == ids[3:8]
    app.slider(key=f"map.range.size@{info.id}").set_range(1.0, 29.0).run()
    assert app.session_state[_KEY].selection == []
    assert not [box for box in app.selectbox if box.label == "Density"], "of many objects only"


@pytest.mark.parametrize(("values", "wanted"), [
    ([np.inf, -np.inf, *np.arange(28.0)], (20.0, 27.0)),
    (0.001 * np.arange(30), (0.0145, 0.02)),
])
def test_ranges_and_sizes_are_of_finite_values(services, planted, values, wanted):
    """An infinite value, which tables may have, ended the page; a narrow column had no steps."""
    objects = planted.objects.assign(size=values)
    session = session_on(services, Triplets(planted.rows, objects, name="Things"))
    app = settled(start("embedding", session), services)
    (info,) = services.workspace.datasets()
    app.selectbox(key=f"map.range@{info.id}").select("size").run()
    app.selectbox(key=f"map.size@{info.id}").select("size").run()
    assert not app.exception
    assert "inf" not in words(app).split("Area of points", 1)[1].split(".")[0]
    app.slider(key=f"map.range.size@{info.id}").set_range(*wanted).run()
    inside = [i for i, value in zip(objects["id"], values, strict=True)
              if wanted[0] <= value <= wanted[1]]
    assert app.session_state[_KEY].selection == inside
