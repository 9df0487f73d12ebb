"""Tabs that compute a task and present its result."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from math import inf
from operator import attrgetter
from types import NoneType
from typing import Any

from tripletscope.core.engine.method import Method
from tripletscope.core.run import TASKS, Run
from tripletscope.dashboard.results.look import look_class
from tripletscope.dashboard.results.registry import PRESENTATIONS
from tripletscope.dashboard.store.dataset import DatasetInfo
from tripletscope.dashboard.ui import panels
from tripletscope.dashboard.ui.analysis import Piece
from tripletscope.dashboard.ui.context import Context
from tripletscope.dashboard.ui.elements import looks_row
from tripletscope.dashboard.ui.looks import ask_look
from tripletscope.dashboard.ui.page import tab

#: Seconds of processor time; what takes longer is computed when it is asked for.
_AT_ONCE = 3.0


def task_tab(
    page: str, title: str, order: float, task: str, *, name: str, about: str,
    promise: str | Callable[[Any], str],
    needs: Callable[[Context], Context | None] | None = None, slot: str = "",
    when: Callable[[DatasetInfo], bool] | None = None,
    method: Callable[[Any], Method] = attrgetter("method"),
    refuse: Callable[[Any], tuple[str, str] | None] = lambda context: None,
    given: Callable[[Any, Method], Mapping[str, Any]] = lambda context, method: {},
    beside: Callable[[Any, Method, dict[str, Any]], Sequence[Piece]] = lambda *_: (),
    seconds: float = inf, at_once: Callable[[Any], bool] | None = None,
    further: Callable[[Any], Mapping[str, Any]] = lambda context: {},
    columns: Callable[[Any], Mapping[str, list[str]]] = lambda context: {},
    after: Callable[[Any, Run], None] = lambda context, run: None,
) -> None:
    """Declare a tab: settings and a button beside the result, or beside what it would be.

    page, title, order, needs, slot, when: As of `tab`; `name` is that of the tab, in addresses.
    about, promise: Help of the button, and what is seen once it is computed.
    method: Asks for the method of the task, where what `needs` gives does not have it.
    refuse: Says, as a title and a text, why the task cannot be computed, if so.
    given, columns: See `Context.options`.
    beside: Asks for what is computed with it and judges the result, such as a held-out error.
    seconds: Of processor time for an answer; what takes little is computed without being asked for.
    at_once: Whether that is so, where it does not depend on the number of answers.
    further: Asks, above the picture, for more of how the result is shown; see `Context.present`.
    after: Shows, below the result, what can be done with it.
    """
    is_quick = at_once or (
        lambda context: seconds < inf and seconds * len(context.answers) <= _AT_ONCE
    )

    def show(context: Any) -> None:
        picture, side = context.picture_and_side()
        row = looks_row(picture)
        refused, run, how = refuse(context), None, {}
        if refused is None:
            with side:
                chosen = method(context)
                fixed = given(context, chosen)
                options = context.options(task, given=fixed, columns=columns(context))
                pieces = [(chosen, task, options), *beside(context, chosen, options)]
                run, *others = context.results(
                    task, TASKS[task].words, pieces, about, at_once=is_quick(context)
                )
                is_there = run is not None and run.complete
            with row:
                how = {"beside": [*filter(None, others)], **further(context)}
                if is_there and look_class(run):
                    how["looks"] = ask_look(context, run)
        with picture:
            if refused is not None:
                panels.empty(*refused)
            elif run is None or not run.complete:
                promised = promise if isinstance(promise, str) else promise(context)
                context.empty("Nothing has been computed yet", promised)
            else:
                context.present(run, **how)
                after(context, run)

    if (task, "", NoneType) not in PRESENTATIONS:
        raise TypeError(f"No presentation is declared for the task {task}")
    show.__name__ = f"show_{name}"
    tab(page, title, order, needs=needs, slot=slot, when=when)(show)
