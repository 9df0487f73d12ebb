"""Declared parameters in docstrings."""

from __future__ import annotations

import inspect
from dataclasses import dataclass
from typing import Annotated

import pytest

import tripletscope as ts
from tests.public import public_things
from tripletscope.core.engine.declared import Choice, Number, parameters
from tripletscope.core.engine.docstrings import documented, parametric, written
from tripletscope.core.engine.registry import TASKS, kinds, registry
from tripletscope.core.engine.task import declared


def mix(
    data, n: Annotated[int | None, Number(1, 1000, "Number", "How many.", automatic="all")] = None,
    how: Annotated[str, Choice({"a": "First", "b": "Second"}, "How")] = "a", progress=None,
) -> None:
    """Mix.

    Parameters
    ----------
    data : list
    n
        The paper takes 3.
    progress
        May stop it.

    Raises
    ------
    ValueError
        If there is nothing.
    """


def test_parameters_stand_in_the_order_of_the_signature():
    assert declared(mix).__doc__ == """Mix.

Parameters
----------
data : list
n : int, 1 to 1,000, or None, default None
    How many.

    ``None``: all.

    The paper takes 3.
how : {'a', 'b'}, default 'a'
    How.

    - ``'a'``: First
    - ``'b'``: Second
progress
    May stop it.

Raises
------
ValueError
    If there is nothing."""
    assert written(declared(mix)) == mix.__doc__


def test_a_class_explains_its_parameters_and_the_attributes_of_its_base():
    text = ts.STE.__doc__
    assert text.startswith("Stochastic triplet embedding.\n")
    assert "n_components : int, 1 to 50, default 2\n    Coordinates per object." in text
    assert "embedding_ : ndarray, shape (n, d)" in text
    assert "Parameters" not in written(ts.STE)
    assert "seed" not in documented(ts.STE), "what is kept of a fit has no parameters"
    assert ts.STE().__doc__ == text
    assert str(inspect.signature(ts.STE)).startswith("(*, n_components=2, n_init=None, ")


@pytest.mark.parametrize("name", [
    name for name, found in public_things().items()
    if isinstance(found, type) and any(not p.record for p in parameters(found))
])
def test_every_declared_parameter_is_explained(name):
    found = public_things()[name]
    missing = [p.name for p in parameters(found) if f"\n{p.name} : " not in found.__doc__]
    assert not missing
    assert "declaration" not in found.__doc__


def test_choices_are_named_in_as_few_letters_as_a_drawer_shows():
    """What else there is to say of them stands in their help."""
    found = [*TASKS.values(), *(method for kind in kinds() for method in registry(kind).values())]
    labels = {
        label for owner in found for parameter in parameters(getattr(owner, "function", owner))
        if isinstance(parameter.spec, Choice) for label in parameter.spec.options.values()
    }
    assert len(labels) > 60
    assert not [label for label in labels if len(label) > 25]


@parametric
@dataclass(frozen=True)
class Draw:
    """A draw."""

    seed: Annotated[int, Number(0, 9, "Seed")] = 0


def test_random_state_is_the_seed():
    assert Draw(random_state=3) == Draw(seed=3)
    method = ts.STE(random_state=3)
    assert method.get_params() == ts.STE(seed=3).get_params()
    assert method.set_params(random_state=5).seed == 5
    answers = ts.simulate([[0.0], [1.0], [3.0]], 20, random_state=1)
    assert answers.fingerprint == ts.simulate([[0.0], [1.0], [3.0]], 20, seed=1).fingerprint
    found = ts.run("cross_validate", ts.STE(n_init=1), answers, {"folds": 2, "random_state": 4})
    assert found.options["seed"] == 4
    assert found.key == ts.run(
        "cross_validate", ts.STE(n_init=1), answers, {"folds": 2, "seed": 4}
    ).key
    with pytest.raises(TypeError, match="seed and random_state are the same"):
        ts.STE(seed=1, random_state=1)


def count(data, *, progress=None) -> int:
    """Count."""


def test_long_computations_say_what_is_the_same_of_all():
    assert declared(count).__doc__ == """Count.

Parameters
----------
progress : Progress

Returns
-------
int

Raises
------
Stopped
    If `progress` asks to stop before there is a result."""


def test_every_fit_explains_what_it_takes():
    for kind in kinds():
        for method in registry(kind).values():
            names = {*inspect.signature(method.fit).parameters} - {"self", "options"}
            text = inspect.getdoc(method.fit)
            assert not [name for name in names if f"\n{name} : " not in text], method


def test_entries_of_a_fit_come_before_those_of_its_base():
    assert ts.STE.fit.__doc__.count("\nprogress : ") == 1
    assert "Snapshots are maps of shape" in ts.STE.fit.__doc__
    assert "Times the weights that the answers have" in ts.STE.fit.__doc__
