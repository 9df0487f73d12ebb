"""A task is declared once: checks, registry, key and words follow."""

from __future__ import annotations

import time
from dataclasses import dataclass
from typing import Annotated

import numpy as np
import pytest

from tripletscope.core.engine.declared import Column, Fields, Number, parameters
from tripletscope.core.engine.parallel import CancelToken, in_parallel
from tripletscope.core.engine.progress import silent
from tripletscope.core.engine.task import Computation, declared, task
from tripletscope.core.models.embedding import STE
from tripletscope.core.run import TASKS, key, run


@dataclass(frozen=True)
class Counted:
    total: int
    each: np.ndarray


@pytest.fixture
def counting(monkeypatch):
    """A task of our own, for as long as a test lasts."""
    monkeypatch.setitem(TASKS._loaded, "count_answers", None)

    @task("Counting answers", "embedding", columns=("split",))
    def count_answers(
        method, triplets, *,
        times: Annotated[int, Number(1, 5, "Times")] = 2,
        group: Annotated[str | None, Column("Groups", of="answers")] = None,
        progress=silent,
    ) -> Counted:
        """Count."""
        progress(1.0)
        return Counted(times * len(triplets), triplets.answers_per_object)

    return count_answers


def test_a_task_needs_nothing_but_its_declaration(counting, planted):
    found = run("count_answers", STE(), planted, {"times": np.int64(3)})
    assert found.numbers == {"total": 3 * len(planted)}
    assert found.options == {"times": 3, "group": None}
    assert found.result().each is found.arrays["each"]
    assert isinstance(found.result(), Counted)
    assert TASKS["count_answers"].words == "Counting answers"
    assert found.key == key("count_answers", STE(), planted, {"times": 3})
    assert found.key != key("count_answers", STE(), planted)
    with pytest.raises(ValueError, match="times of count_answers is 9; it must be a whole number"):
        run("count_answers", STE(), planted, {"times": 9})


def test_a_result_from_before_an_option_was_there_is_of_the_same_data(counting, planted):
    task = TASKS["count_answers"]
    now = task.fingerprint(STE(), planted, {"times": 3, "group": None})
    assert task.fingerprint(STE(), planted, {"times": 3}) == now


def test_it_is_checked_however_it_is_called(counting, planted):
    assert counting(STE(), planted).total == 2 * len(planted)
    assert type(counting(STE(), planted, times=np.int32(4)).total) is int
    with pytest.raises(ValueError, match="times of count_answers is 'many'"):
        counting(STE(), planted, times="many")
    with pytest.raises(TypeError, match="unknown"):
        counting(STE(), planted, unknown=1)
    assert [p.name for p in parameters(counting)] == ["times", "group"]
    assert counting.__doc__.startswith("Count.\n\nParameters\n")


def test_arguments_may_be_given_by_their_place():
    @declared
    def power(base: Annotated[int, Number(1, 9, "Base")], exponent: int = 2) -> int:
        return base**exponent

    assert power(3) == 9
    assert power(3, 3) == power(base=3, exponent=3) == 27
    with pytest.raises(ValueError, match="base of power is 0"):
        power(0)
    with pytest.raises(TypeError, match="missing a required argument"):
        power()


@dataclass(frozen=True)
class Box:
    width: Annotated[int, Number(1, 9, "Width")] = 1
    height: Annotated[int, Number(1, 9, "Height")] = 1

    def __post_init__(self) -> None:
        if self.width < self.height:
            raise ValueError("a box lies")


def area_of(
    method, triplets, *, box: Annotated[Box, Fields()] = Box(width=3),
    times: Annotated[int, Number(1, 5, "Times")] = 1, progress=silent,
) -> Counted:
    return Counted(times * box.width * box.height, np.arange(2))


def test_the_fields_of_a_record_are_options_by_themselves(monkeypatch):
    monkeypatch.setitem(TASKS._loaded, "area_of", None)
    area = task("Measuring", needs_data=False)(area_of)
    assert [(p.name, p.default, p.record) for p in parameters(area)] == [
        ("width", 3, "box"), ("height", 1, "box"), ("times", 1, "")
    ]
    found = run("area_of", STE(), None, {"height": 2, "times": 2})
    assert found.options == {"width": 3, "height": 2, "times": 2}
    assert found.numbers["total"] == 12
    assert area(STE(), None, box=Box(4, 2)).total == 8
    assert area(STE(), None).total == 3
    with pytest.raises(ValueError, match="width of area_of is 10"):
        run("area_of", STE(), None, {"width": 10})
    with pytest.raises(ValueError, match="a box lies"):
        run("area_of", STE(), None, {"height": 4})
    with pytest.raises(ValueError, match="area_of has no parameter 'depth'"):
        run("area_of", STE(), None, {"depth": 4})
    with pytest.raises(ValueError, match="box of area_of is 4; it must be made by Box"):
        area(STE(), None, box=4)


@pytest.mark.parametrize("name", list(TASKS))
def test_every_task_says_what_it_does(name):
    found = TASKS[name]
    assert found.name == name
    assert found.words[0].isupper()
    assert name == "fit" or found.function.__doc__


def until_told(number: int, halt: CancelToken) -> int:
    while number and not halt():
        time.sleep(0.01)
    return number


def test_a_task_that_is_stopped_while_it_waits_is_not_complete():
    def waiting(method, triplets, *, progress=silent) -> Counted:
        found = list(in_parallel(until_told, [(0,), (1,), (2,)], partial=True))
        return Counted(len(found), np.array(found))

    numbers, _, complete = Computation("waits", "Waiting", waiting).compute(
        None, None, {}, lambda *_, **__: True
    )
    assert numbers == {"total": 1}
    assert not complete
