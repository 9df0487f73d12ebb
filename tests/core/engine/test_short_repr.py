"""How results are shown."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np
import pandas as pd
import pytest

from tripletscope.core.engine.registry import TASKS
from tripletscope.core.engine.short_repr import short_repr
from tripletscope.core.inference.evaluation.share import Share


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


@pytest.mark.parametrize("name", [name for name in TASKS if name != "fit"])
def test_every_result_is_shown_so(name):
    assert TASKS[name].gives.__repr__ is Made.__repr__
    assert TASKS[name].gives._repr_html_ is Made._repr_html_
