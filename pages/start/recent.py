"""The data sets of a workspace as Start lists them: a small map, a name of its own, its size."""

from __future__ import annotations

import logging
from collections import Counter
from collections.abc import Sequence
from contextlib import suppress
from datetime import datetime

import numpy as np
import streamlit as st

from tripletscope.dashboard.figures.theme import FAINT, PALETTE
from tripletscope.dashboard.files.errors import WorkspaceError
from tripletscope.dashboard.state import Session
from tripletscope.dashboard.store.dataset import DatasetInfo, edition_of
from tripletscope.dashboard.store.samples import samples
from tripletscope.dashboard.store.services import services
from tripletscope.dashboard.ui import panels
from tripletscope.dashboard.ui.controls import pressed
from tripletscope.dashboard.ui.dataset_actions import delete, rename
from tripletscope.dashboard.ui.dataset_words import size_of
from tripletscope.dashboard.ui.first_look import look_first
from tripletscope.dashboard.ui.opened_map import maps_of

log = logging.getLogger(__name__)

_WIDTH, _HEIGHT = 84, 56  # pixels of a thumbnail
_MOST_POINTS = 400


def show_recent(current: Session, listed: Sequence[DatasetInfo], first: int) -> None:
    """So many data sets at once, and the others folded away, drawn when they are asked for."""
    names = told_apart(listed)
    for info in listed[:first]:
        _card(current, info, names[info.id])
    # Their number in its label would fold it, and lose a click, whenever others add data.
    if len(listed) > first and (older := panels.folded("Older", "start.older")):
        with older:
            for info in listed[first:]:
                _card(current, info, names[info.id])


def told_apart(listed: Sequence[DatasetInfo]) -> dict[str, str]:
    """Name of every data set; those of one name with the time of their upload."""
    times = Counter(info.name for info in listed)
    return {
        info.id: info.name if times[info.name] == 1 else f"{info.name} ({_kept(info.created)})"
        for info in listed
    }


def _kept(moment: str) -> str:
    try:
        kept = datetime.fromisoformat(moment).astimezone()
    except ValueError:
        return "kept at an unknown time"
    return f"kept {kept.day} {kept:%b %Y, %H:%M:%S}"


def _card(current: Session, info: DatasetInfo, name: str) -> None:
    picture, text = _look(info, name)
    with st.container(
        border=True, horizontal=True, vertical_alignment="center", key=f"recent.{info.id}"
    ):
        st.image(picture, width=_WIDTH, alt=f"Map of {name}")
        st.markdown(text, width="stretch")
        if pressed(current, f"open.{info.id}", "Open", icon=":material/folder_open:"):
            current.open(info.id)
            look_first(info)
        with st.popover("More", icon=":material/more_vert:", key=f"more.{info.id}"):
            rename(info)
            if pressed(current, f"delete.{info.id}", "Delete", icon=":material/delete:"):
                delete(info)


def _look(info: DatasetInfo, name: str) -> tuple[str, str]:
    """Picture and text of a card. One that cannot be drawn says so: the others stay."""
    try:
        size = f"{size_of(info)}. Opened {panels.ago(info.opened)}."
        return _thumbnail(info), f"**{panels.plain(name)}**  \n{size}"
    except Exception:  # whatever a damaged entry holds
        log.exception("the card of the data set %s cannot be drawn", info.id)
        return small_map(np.empty((0, 2))), (
            f"**{panels.plain(str(name))}**  \n:material/warning: Damaged: it cannot be shown. "
            "Delete it under More."
        )


def _thumbnail(info: DatasetInfo) -> str:
    """The map that opens first; the picture of a sample before it has one; or an empty frame."""
    maps = maps_of(info)
    for sample in samples():
        if not maps and sample.origin == info.origin and sample.thumbnail.exists():
            return str(sample.thumbnail)
    return _small_map(info.id, edition_of(maps[0] if maps else None))


@st.cache_data(max_entries=200, show_spinner=False)
def _small_map(dataset: str, edition: tuple) -> str:
    positions = np.empty((0, 2))
    with suppress(WorkspaceError):  # a damaged file; the page of the map says so
        run = services().workspace.run(dataset, edition[0]) if edition else None
        positions = run.fitted().embedding_ if run else positions
    return small_map(positions)


def small_map(positions: np.ndarray) -> str:
    """The first two axes of a map as a small SVG, at most some hundred points of it.

    Shapes: positions (n, d).
    """
    positions = positions[np.isfinite(positions).all(axis=1)]
    places = np.zeros((len(positions), 2))
    places[:, : positions.shape[1]] = positions[:, :2]
    places = places[:: max(len(places) // _MOST_POINTS, 1)]
    spread = np.ptp(places, axis=0) if len(places) else np.zeros(2)
    room = np.array([_WIDTH, _HEIGHT]) - 12
    scale = min((r / s for r, s in zip(room, spread, strict=True) if s > 0), default=1.0)
    middle = (places.max(axis=0) + places.min(axis=0)) / 2 if len(places) else np.zeros(2)
    at = (places - middle) * scale * [1, -1] + [_WIDTH / 2, _HEIGHT / 2]
    points = "".join(f'<circle cx="{x:.1f}" cy="{y:.1f}" r="1.6"/>' for x, y in at)
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {_WIDTH} {_HEIGHT}" '
        f'width="{_WIDTH}" height="{_HEIGHT}">'
        f'<rect x="0.5" y="0.5" width="{_WIDTH - 1}" height="{_HEIGHT - 1}" rx="4" fill="none" '
        f'stroke="{FAINT}" stroke-opacity="0.4"/><g fill="{PALETTE[0]}">{points}</g></svg>'
    )
