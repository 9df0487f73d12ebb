"""How results are shown."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, is_dataclass
from inspect import isclass
from typing import Any, NamedTuple, get_args, get_origin, get_type_hints

import numpy as np
import pandas as pd
import pytest

import tripletscope as ts
from tests.public import public_things
from tripletscope.core.engine.registry import TASKS
from tripletscope.core.engine.short_repr import short_repr
from tripletscope.core.inference.held_out.share import Share
from tripletscope.core.run import Run


@dataclass(frozen=True)
class Inner:
    maps: np.ndarray


@short_repr
@dataclass(frozen=True)
class Made:
    error: float
    maps: np.ndarray
    table: pd.DataFrame
    share: Share
    words: str
    many: list[int]
    within: Inner


MADE = Made(
    np.float64(0.123456), np.zeros((4, 2)), pd.DataFrame({"a": [1, 2]}),
    Share(0.5, 0.25, 0.75, 8), "a < b", list(range(100)), Inner(np.zeros(9)),
)


def test_a_line_has_the_values_and_the_shapes():
    assert repr(MADE) == (
        "Made(error=0.1235, maps=<ndarray 4×2>, table=<DataFrame 2×1>, "
        "share=50.0% [25.0%, 75.0%], words='a < b', many=[0, 1, 2, ...], within=Inner(…))"
    )


def test_a_notebook_gets_a_table():
    shown = MADE._repr_html_()
    assert shown.startswith("<table><caption>Made</caption>")
    assert shown.count("<tr>") == 7
    assert "&#x27;a &lt; b&#x27;" in shown


def test_a_named_tuple_is_shown_alike():
    @short_repr
    class Pair(NamedTuple):
        first: Any
        second: Any

    assert repr(Pair(1, np.zeros(3))) == "Pair(first=1, second=<ndarray 3>)"


def classes_in(kind: Any) -> Iterator[type]:
    """Classes that an annotation names."""
    for part in get_args(kind) or (kind,):
        if isclass(part):
            yield part
        elif get_origin(part):
            yield from classes_in(part)


def hints(thing: Any) -> dict[str, Any]:
    try:
        return get_type_hints(thing)
    except NameError:  # imported for type checkers alone
        return {}


def given() -> set[type]:
    """Classes of ours that public functions and their results give, however deep."""
    things = public_things().values()
    todo = [one for one in things if isclass(one)] + [
        kind for one in things if not isclass(one) for kind in classes_in(hints(one).get("return"))
    ] + [task.gives for task in TASKS.values() if task.gives]
    found: set[type] = set()
    while todo:
        kind = todo.pop()
        if kind in found or not kind.__module__.startswith("tripletscope."):
            continue
        found.add(kind)
        for name, member in vars(kind).items():
            made = getattr(member, "fget", None) or getattr(member, "func", member)
            if not name.startswith("_") and callable(made) and not isclass(made):
                todo += classes_in(hints(made).get("return"))
        for part in hints(kind).values():
            todo += classes_in(part)
    return found


def is_long(kind: type) -> bool:
    """Whether values of a class, with the representation of data classes, may fill a screen."""
    inner = {part for hint in hints(kind).values() for part in classes_in(hint)}
    generated = hasattr(kind.__repr__, "__wrapped__") or "namedtuple" in str(kind.__new__)
    plain = {str, int, float, bool, type(None), np.ndarray}
    return (is_dataclass(kind) or hasattr(kind, "_fields")) and generated and (
        np.ndarray in inner or any(
            (part not in plain and not part.__module__.startswith("tripletscope."))
            or is_dataclass(part) for part in inner
        )
    )


def test_all_that_public_functions_give_is_shown_in_a_line():
    inside = ("tripletscope.core.data.", "tripletscope.core.models.optimise.")
    kinds = {kind for kind in given() if not kind.__module__.startswith(inside)}
    assert len(kinds) > 80
    assert {kind.__qualname__ for kind in kinds if is_long(kind)} == set()


def test_lines_are_short():
    answers = ts.read("sample_data/ekman_colors/answers.csv")
    (map_,) = ts.drawings(ts.STE(n_init=1).fit(answers))
    (tree,) = ts.drawings(ts.AgglomerativeClustering(basis=ts.K1()).fit(answers))
    imported = ts.experiment.import_answers("sample_data/crowd/answers.csv")
    things = tuple(ts.experiment.Stimulus(f"thing {i}", "text", f"{i}") for i in range(200))
    shown = [
        map_, tree, imported, imported.report, answers.choices, ts.engine("threads:2"),
        ts.Cleaning(answers), ts.quality(answers), ts.people.questions_of(answers),
        ts.features.FeatureSpace(name="a", values=np.eye(9)),
        ts.experiment.Experiment(title="Things", objects=things),
    ]
    for one in shown:
        assert len(repr(one)) < 1_200, one
        assert "\n" not in repr(one)
    assert repr(map_) == "<Drawing 'map': Map (STE)>"
    assert repr(tree) == "<Drawing 'dendrogram-agglomerative': Tree (Agglomerative)>"


@pytest.mark.parametrize("name", [name for name in TASKS if name != "fit"])
def test_every_result_is_shown_so(name):
    assert TASKS[name].gives.__repr__ is Made.__repr__
    assert TASKS[name].gives._repr_html_ is Made._repr_html_


def test_results_end_in_what_is_in_doubt():
    apart = ts.Triplets.from_array([[0, 1, 2], [1, 2, 0], [3, 4, 5], [4, 5, 3]] * 2)
    report = ts.quality(apart)
    assert repr(report).endswith(", doubts: parts)")
    assert "<th style='text-align: left'>doubts</th>" in report._repr_html_()
    stopped = ts.STE().fit(apart, progress=lambda *_, **__: True)
    assert repr(Run.of_fit(stopped, apart)).endswith(", doubts: unfinished)")
    coins = np.random.default_rng(1).random((400, 12)).argsort(axis=1)[:, :3]
    guessed = ts.Triplets.from_array(coins, 12)
    error = ts.run("cross_validate", ts.STE(n_init=1), guessed)
    assert error.doubted == error.result().doubted == ("guessing",)
    assert repr(error.result()).endswith(", doubts: guessing)")
    assert repr(error).endswith(", doubts: guessing)")


def test_results_of_sound_answers_end_in_their_values():
    truth = np.random.default_rng(0).normal(size=(12, 2))
    answers = ts.simulate(truth, 900, noise="logistic", seed=1)
    runs = [ts.run(task, ts.STE(n_init=1), answers) for task in ("fit", "cross_validate")]
    for result in (ts.quality(answers), *runs, runs[1].result()):
        assert "doubts" not in repr(result) + result._repr_html_()
