"""What is chosen on several pages: a kept result, to show or delete, and a stimulus."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from functools import partial
from typing import Any

import pandas as pd
import streamlit as st

from tripletscope.dashboard.state import Session
from tripletscope.dashboard.store.dataset import DatasetInfo, RunInfo
from tripletscope.dashboard.store.services import services
from tripletscope.dashboard.ui import panels
from tripletscope.dashboard.ui.controls import pressed, renamed
from tripletscope.dashboard.words import distinct

#: Words in names of results that are shorter in a list beside a picture.
_BRIEF = ((r"\b(\d+) dimensions?\b", r"\1-D"), (r"\bdegrees of freedom\b", "df"),
          (r"\baverage over restarts\b", "averaged"))


def physical_columns(objects: pd.DataFrame) -> list[str]:
    """Columns of objects that may hold a physical value: numbers, and three at least."""
    names = [name for name in objects.columns if name not in ("label", "image")]
    return [name for name in [*names[1:], *names[:1]] if _is_physical(objects[name])]


def _is_physical(column: pd.Series) -> bool:
    if pd.api.types.is_bool_dtype(column):
        return False
    numbers = pd.to_numeric(column, errors="coerce") if column.name == "id" else column
    if not pd.api.types.is_numeric_dtype(numbers) or numbers.nunique() < 3:
        return False
    return column.name != "id" or bool(numbers.notna().all())


def schemes_of(*, has_split: bool) -> dict[str, str]:
    """How the error of a method can be measured: titles of the tasks, and of none."""
    split = {"split_error": "The data's own test answers"} if has_split else {}
    return {**split, "cross_validate": "Cross-validation", "none": "Not computed"}


def names_of(listed: Sequence[RunInfo]) -> dict[str, str]:
    """What runs are called in a list to choose from, by their keys: no two alike."""
    names = distinct(
        run.listed_name + ("" if run.complete else " (stopped early)") for run in listed
    )
    return dict(zip((run.key for run in listed), names, strict=True))


def in_order(listed: Sequence[RunInfo]) -> list[RunInfo]:
    """Pinned runs first, then those of each group, then the others, as they were in each."""
    return sorted(listed, key=lambda run: (not run.pinned, not run.group, run.group))


def fits_of_all(
    datasets: Sequence[DatasetInfo], kind: str
) -> Iterator[tuple[str, DatasetInfo, RunInfo]]:
    """Fits of several data sets with their names, no two alike: of the first one, of all views."""
    info, names = datasets[0], Counter[str]()
    for data in datasets:
        is_open = data.id == info.id
        kept = services().workspace.runs(data.id, "fit", kind, of_any_exclusions=is_open)
        for run in in_order(kept):
            if not is_open:
                name = f"{run.listed_name} ({data.name})"
            elif run.is_of(info.state):
                name = run.listed_name
            else:
                name = f"{run.listed_name} ({info.view_of(run)})"
            names[name] += 1
            # Names tell fits apart, also along the sides of a matrix.
            yield f"{name} {names[name]}" if names[name] > 1 else name, data, run


def before(place: str) -> str:
    """Where the session notes what was shown at a place before the run that is noted there."""
    return f"{place}.before"


def _brief(name: str) -> str:
    """A name of a result in fewer letters."""
    for long, brief in _BRIEF:
        name = re.sub(long, brief, name)
    return name


def choose_run(
    current: Session, listed: Sequence[RunInfo], place: str, what: str, *, lost: str,
    delete: Callable[[RunInfo], None] | None = None, **further: Any,
) -> RunInfo:
    """One of some runs. What was shown once stays, until another one is chosen.

    place: Where the session notes the key of the run that is shown, at first the newest.
    what, lost: What a run is called, like "this map", and what is gone if it is deleted.
    delete: How it is deleted, if that takes more than the workspace does.
    """
    runs = {run.key: run for run in in_order(listed)}
    # What was chosen may still be at work, or belong to answers that are left out now.
    noted = before(place)
    wanted = (current.drafts.get(place), current.drafts.get(noted), listed[0].key)
    shown = current.remember(noted, next(key for key in wanted if key in runs))
    current.drafts.setdefault(place, shown)
    names = names_of([*runs.values()])
    brief = dict(zip(names, distinct(map(_brief, names.values())), strict=True))
    key = current.key_following(place, shown)
    st.selectbox(
        "Shown", list(runs), index=list(runs).index(shown), label_visibility="collapsed",
        format_func=brief.__getitem__, key=key, on_change=current.note_choice, args=(place, key),
        **further,
    )
    run = runs[shown]
    with st.popover("Edit or delete", icon=":material/edit:", width="stretch"):
        name = renamed(f"run.name.{run.id}", run.name)
        group = st.text_input(
            "Group", run.group, max_chars=60, key=f"run.group.{run.id}", placeholder="None",
            help="Results of a group stand together in lists.",
        )
        pinned = st.toggle("Pin", run.pinned, key=f"run.pin.{run.id}",
                           help="Pinned results stand first in lists.")
        edited = {"name": name, "group": group.strip(), "pinned": pinned}
        if any(getattr(run, part) != value for part, value in edited.items()):
            services().workspace.describe_run(run.id, **edited)
            st.rerun()
        if pressed(current, f"run.delete.{run.id}", "Delete", icon=":material/delete:"):
            panels.ask_to_delete(
                what, f"{run.name}{lost} will be deleted. It can be computed again.",
                partial(delete, run) if delete else
                partial(services().workspace.delete_run, run.id),
            )
    return run
