"""Tabs that compute a task and present its result."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from types import NoneType
from typing import Any

from tripletscope.core.engine.method import Method
from tripletscope.core.run import TASKS, Run
from tripletscope.dashboard.results.look import look_class
from tripletscope.dashboard.results.registry import PRESENTATIONS
from tripletscope.dashboard.ui import panels
from tripletscope.dashboard.ui.analysis import Piece
from tripletscope.dashboard.ui.context import Context
from tripletscope.dashboard.ui.elements import looks_row
from tripletscope.dashboard.ui.looks import ask_look

#: Seconds of processor time; what takes longer is computed when it is asked for.
_AT_ONCE = 3.0


def is_soon(context: Context, seconds: float) -> bool:
    """Whether so many seconds of processor time for an answer are few enough to compute at once."""
    return seconds * len(context.answers) <= _AT_ONCE


def show_task(
    context: Context, task: str, *, about: str, promise: str,
    method: Callable[[], Method] | None = None, refused: tuple[str, str] | None = None,
    given: Callable[[Method], Mapping[str, Any]] = lambda method: {},
    columns: Mapping[str, list[str]] | None = None,
    beside: Callable[[Method, dict[str, Any]], Sequence[Piece]] = lambda *_: (),
    at_once: bool = False, further: Callable[[], Mapping[str, Any]] = dict,
    after: Callable[[Run], None] = lambda run: None,
) -> None:
    """Settings and a button beside the result, or beside what it would be.

    about, promise: Help of the button, and what is seen once it is computed.
    method: Asks for the method of the task; by default it is that of the context.
    refused: A title and a text that say why the task cannot be computed, if so.
    given, columns: See `Context.options`.
    beside: Asks for what is computed with it and judges the result, such as a held-out error.
    at_once: Whether it is computed without being asked for.
    further: Asks, above the picture, for more of how the result is shown; see `Context.present`.
    after: Shows, below the result, what can be done with it.
    """
    if (task, "", NoneType) not in PRESENTATIONS:
        raise TypeError(f"No presentation is declared for the task {task}")
    picture, side = context.picture_and_side()
    row = looks_row(picture)
    if refused is not None:
        with picture:
            panels.empty(*refused)
        return
    with side:
        chosen = context.method if method is None else method()
        options = context.options(task, given=given(chosen), columns=columns or {})
        pieces = [(chosen, task, options), *beside(chosen, options)]
        run, *others = context.results(task, TASKS[task].words, pieces, about, at_once=at_once)
        is_there = run is not None and run.complete
    with row:
        how = {"beside": [*filter(None, others)], **further()}
        if is_there and look_class(run):
            how["looks"] = ask_look(context, run)
    with picture:
        if is_there:
            context.present(run, **how)
            after(run)
        else:
            context.empty("Nothing has been computed yet", promise)
