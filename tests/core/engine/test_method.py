"""Declared parameters: found, checked, and told apart."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Annotated

import numpy as np
import pytest

from tripletscope.core.engine.declared import Choice, Number, Switch, checked, parameters
from tripletscope.core.engine.method import Method, MethodParameter, as_record, for_key, methods
from tripletscope.core.inference.held_out.score import cross_validate
from tripletscope.core.models.embedding import GNMDS


@dataclass(kw_only=True, eq=False, repr=False)
class Example(Method):
    """A method with one parameter of each kind."""

    name = "example"
    title = "Example"
    whole: Annotated[int, Number(1, 5, "Whole")] = 2
    real: Annotated[float | None, Number(0.0, 1.0, "Real")] = None
    kind: Annotated[str, Choice({"a": "A", "b": "B"}, "Kind")] = "a"
    on: Annotated[bool, Switch("On")] = True


def grown(
    size: Annotated[int, Number(1, 9, "Size")] = 1,
    corner: Annotated[bool, Switch("Corner", later=True)] = True,
    basis: Annotated[dict | None, MethodParameter(("embedding",), "Basis")] = None,
) -> None:
    """What got a parameter after results were kept."""


def test_parameters_come_in_order_with_their_types():
    found = {p.name: (p.default, p.integer, p.optional) for p in parameters(Example)}
    assert list(found) == ["whole", "real", "kind", "on"]
    assert found["whole"] == (2, True, False)
    assert found["real"] == (None, False, True)


def test_functions_declare_like_methods():
    assert {p.name for p in parameters(cross_validate)} == {"folds", "repeats", "unit", "seed"}


def test_checked_completes_and_converts():
    values = checked(Example, {"whole": np.int64(3), "on": np.True_})
    assert values == {"whole": 3, "real": None, "kind": "a", "on": True}
    assert type(values["whole"]) is int
    assert type(values["on"]) is bool


@pytest.mark.parametrize(
    ("name", "value", "message"),
    [
        ("whole", 0, "whole of Example is 0; it must be a whole number from 1 to 5."),
        ("whole", 6, "from 1 to 5"),
        ("whole", 2.0, "whole number"),
        ("whole", None, "whole number"),
        ("whole", True, "whole number"),
        ("real", 1.5, "real of Example is 1.5; it must be a number from 0 to 1."),
        ("real", float("nan"), "a number from 0 to 1"),
        ("kind", "c", "kind of Example is 'c'; it must be one of 'a', 'b'."),
        ("on", 1, "on of Example is 1; it must be True or False."),
        ("other", 1, "Example has no parameter 'other'; it must be one of 'whole',"),
        ("wole", 1, "Example has no parameter 'wole'; did you mean 'whole'?"),
    ],
)
def test_messages_name_parameter_and_range(name, value, message):
    with pytest.raises(ValueError, match=re.escape(message)):
        checked(Example, {name: value})


def test_methods_are_listed_by_title():
    listed = methods("embedding")
    assert list(listed) == sorted(listed, key=lambda name: listed[name].title.lower())
    assert {"ste", "tste"} <= set(listed)
    assert methods("nothing") == {}


def test_what_came_later_is_no_part_of_keys_unless_it_is_used():
    usual = checked(grown, {})
    assert for_key(grown, usual) == {"size": 1, "basis": None}
    assert for_key(grown, {**usual, "corner": False}) == {
        "size": 1, "corner": False, "basis": None
    }
    # Wherever a method stands.
    inner = as_record(GNMDS(rounded=True))
    told = for_key(grown, {**usual, "basis": inner})["basis"]
    assert "rounded" not in told["parameters"]
    assert told["parameters"].items() <= inner["parameters"].items()
