"""Properties that are computed once never wait for another thread."""

from __future__ import annotations

import threading
from collections.abc import Callable

from tripletscope.core.data.lazy import cached_property

_LONG = 60.0  # seconds, which only what stands still takes


class Crossed:
    """Two properties, each of which takes the other one of a neighbour."""

    def __init__(self, meet: Callable[[], object], neighbour: Crossed | None = None) -> None:
        self.meet, self.neighbour = meet, neighbour

    @cached_property
    def down(self) -> list[str]:
        self.meet()
        return ["down", *(self.neighbour.up if self.neighbour else ())]

    @cached_property
    def up(self) -> list[str]:
        self.meet()
        return ["up", *(self.neighbour.down if self.neighbour else ())]


def at_once(*calls: Callable[[], object]) -> list[object]:
    """What calls from one thread each return; those that have not ended are missing."""
    results: list[object] = []
    threads = [
        threading.Thread(target=lambda call=call: results.append(call()), daemon=True)
        for call in calls
    ]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(_LONG)
    return results


def test_two_threads_may_take_two_properties_in_opposite_order():
    meeting = threading.Barrier(2)
    first, second = (Crossed(meeting.wait, Crossed(lambda: None)) for _ in range(2))
    results = at_once(lambda: first.down, lambda: second.up)
    assert sorted(results) == [["down", "up"], ["up", "down"]]


def test_threads_that_ask_at_once_are_given_one_result():
    meeting = threading.Barrier(3)
    shared = Crossed(meeting.wait)
    first, *others = at_once(*[lambda: shared.down] * 3)
    assert len(others) == 2
    assert all(other is first for other in others)
    assert shared.down is first, "and later ones"


def test_what_was_computed_can_be_set_and_forgotten():
    class Simple:
        @cached_property
        def value(self) -> int:
            """Words on it."""
            return 1

    simple = Simple()
    simple.__dict__["value"] = 2
    assert simple.value == 2
    del simple.value
    assert simple.value == 1
    assert Simple.value.__doc__ == "Words on it."
