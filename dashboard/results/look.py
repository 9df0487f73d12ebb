"""What can be chosen of how a result is shown: declared beside its presentation.

A look is a dataclass whose annotated fields are parameters, as those of a method are. The form
above a figure, what a session remembers, report, archive and script follow from it.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

from tripletscope.core.engine.declared import Spec
from tripletscope.core.run import Run

#: Shares that intervals and bands can cover.
COVERAGES = {0.5: "50 %", 0.8: "80 %", 0.95: "95 %", 0.99: "99 %"}
#: Looks of results by task and kind of method.
LOOKS: dict[tuple[str, str], type] = {}


def look_class(run: Run) -> type | None:
    """The look that results of this kind have, if their presentation declares one."""
    return LOOKS.get((run.task, run.kind if run.task == "fit" else ""))


@dataclass(frozen=True)
class OneOf(Spec):
    """One of some values.

    options: Labels by value, or what gives them of a result. A look with None, or with what a
        result does not offer, is as the result suggests.
    usual: What a result suggests; by default the default of the field, or the first value.
    in_order: Whether the values lie along a line.
    """

    options: Mapping[Any, str] | Callable[[Run], Mapping[Any, str]]
    label: str
    help: str = ""
    advanced: bool = False
    usual: Callable[[Run], Any] | None = None
    in_order: bool = False

    def checked(self, value: Any, name: str, integer: bool) -> Any:
        return value

    def offered(self, run: Run) -> Mapping[Any, str]:
        """Labels by value, of a result."""
        return self.options(run) if callable(self.options) else self.options
