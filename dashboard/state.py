"""One browser session: which data set is open, what is selected, what was set where.

The only user of ``st.session_state`` and of the address, which names session, data set and tab; a
session that another tab shows is copied.
"""

from __future__ import annotations

import secrets
import threading
import time
from collections.abc import Callable, Iterable, Mapping, MutableMapping
from typing import Any

import numpy as np
import streamlit as st

from tripletscope.core.data.triplets import Answers, Triplets
from tripletscope.dashboard import BROWSER
from tripletscope.dashboard.jobs.queue import Job
from tripletscope.dashboard.store.dataset import DatasetInfo
from tripletscope.dashboard.store.services import FigureSheet, services
from tripletscope.dashboard.streamlit_parts import DeltaGenerator, has_server, is_shown, script_id

_KEY = "tripletscope session"
#: Parameters of the address.
_PARAMETER, _DATASET, _TAB = "session", "data", "tab"
_REFRESHING = 15.0  # seconds that a refresh of the page may take
_LATE = 3.0  # seconds within which a browser may not yet know that another tab is shown
_KEPT = 20  # selections that can be undone, one after the other


#: Where a session notes the file that waits beside a data set that was opened after it.
ASIDE = "data.aside"


class Session:
    """State of one browser tab.

    id: Unguessable; it is all that is needed to see the session.
    is_copy: Whether `saved` is another session's.
    """

    def __init__(
        self, session_id: str, saved: dict[str, Any] | None = None, *, is_copy: bool = False
    ) -> None:
        saved = saved or {}
        self.id = session_id
        self.drafts: dict[str, Any] = dict(saved.get("drafts", {}))
        self._dataset: str | None = saved.get("dataset")
        self._selections: dict[str, list[str]] = dict(saved.get("selections", {}))
        self._unselected: dict[str, list[list[str]]] = {}  # earlier ones, of each data set
        self._remembered = dict(self.drafts)
        self._insisted: set[str] = set()
        self._followed: dict[str, tuple[int, Any]] = {}
        self._presses: set[str] = set()
        self.taken = ""  # the press that was taken last
        #: Held while something is done for which a button was pressed.
        self.deed = threading.RLock()
        self._saved = {} if is_copy else saved
        #: Contents of files beside the open data set, by the key of their widgets.
        self.read: dict[str, tuple[Any, Any]] = {}
        #: Key of the figure that is being composed for print.
        self.composing: str | None = None
        self._shown: set[str] = set()
        #: Panels of the sheet that is composed, for a refresh of the page to take over.
        self.sheet: FigureSheet = services().sheets.setdefault(session_id, FigureSheet())
        #: Jobs that the page shows.
        self.watched: set[str] = set()
        self.has_picture = self.has_drawer = False  # whether the page has shown its own
        self.head: DeltaGenerator | None = None  # above its picture and settings
        #: A new upload or data set, whose page gets the focus.
        self.arrived: str = ""
        #: Whether the search is open.
        self.is_looking: bool = False
        #: How often it was opened.
        self.looks: int = 0
        #: Data set that the address named and that is not in this workspace.
        self.missing: str = ""
        #: Page and tab that the last address named before, and when they were left.
        self._left: tuple[str, str, float] | None = None
        #: Last address, and its page.
        self._address: dict[str, str] = {}
        self._page = ""
        #: Whether the present page has written its address.
        self.has_address: bool = False
        #: Data set for which the tab of a page was chosen.
        self._tabs_of: dict[str, str | None] = dict(saved.get("tabs of") or {})

    # Data set ------------------------------------------------------------------------------

    @property
    def dataset(self) -> DatasetInfo | None:
        """The open data set; None if there is none, or it was deleted."""
        if self.missing or not self._dataset:
            return None
        return services().workspace.dataset(self._dataset)

    @property
    def folder(self) -> str:
        """Name of the folder that is, or should be, open."""
        return self.missing or self._dataset or ""

    def open(self, dataset: str) -> None:
        """Open a data set; a file that is being read waits until somebody goes on with it."""
        if (upload := services().uploads.of(self.id)) is not None:
            self.drafts[ASIDE] = upload.id
        self._dataset, self.missing = dataset, ""
        services().workspace.touch(dataset)

    def triplets(self) -> Triplets:
        return services().workspace.triplets(self.dataset)

    def answers(self) -> Answers:
        """The triplets, or comparisons of pairs where there are no triplets."""
        return services().workspace.answers(self.dataset)

    # Selection -----------------------------------------------------------------------------

    @property
    def selection(self) -> list[str]:
        """Ids of the selected objects of the open data set."""
        return self._selections.get(self._dataset or "", [])

    def select(self, ids: Iterable[str], mode: str = "replace") -> None:
        """Change the selection: "replace" it, "add" to it, or "toggle" each of `ids`."""
        before, ids = self.selection, list(dict.fromkeys(ids))
        if mode == "add":
            ids = list(dict.fromkeys([*before, *ids]))
        elif mode == "toggle":
            old, new = set(before), set(ids)
            ids = [i for i in before if i not in new] + [i for i in ids if i not in old]
        if ids != before:
            self._unselected[self._dataset or ""] = [
                *self._unselected.get(self._dataset or "", []), before
            ][-_KEPT:]
        self._selections[self._dataset or ""] = ids

    @property
    def can_undo_selection(self) -> bool:
        """Whether another selection was there before."""
        return bool(self._unselected.get(self._dataset or ""))

    def undo_selection(self) -> None:
        """Select what was selected before, unless nothing else was."""
        if self.can_undo_selection:
            self._selections[self._dataset or ""] = self._unselected[self._dataset or ""].pop()

    def select_positions(self, positions: Iterable[int], mode: str = "replace") -> None:
        """Select by positions in the objects, unless the data set was deleted meanwhile."""
        if self.dataset is None:
            return
        ids = self.triplets().ids
        self.select((ids[i] for i in positions), mode)

    def selected_positions(self, triplets: Triplets) -> list[int]:
        if not self.selection:
            return []
        return np.flatnonzero(np.isin(triplets.ids, self.selection)).tolist()

    # Widgets -------------------------------------------------------------------------------

    def remembered(self, key: str, default: Any) -> Any:
        """Value of a widget when the session was opened."""
        return self._remembered.get(key, default)

    def remember(self, key: str, value: Any) -> Any:
        self.drafts[key] = value
        return value

    def take_up(self, settings: Mapping[str, Any]) -> None:
        """Let widgets that were not shown yet begin with another session's values."""
        self.drafts.update(settings)
        self._remembered.update(settings)

    def key_following(self, name: str, value: Any) -> str:
        """Key for a widget whose value others change too: a new key for every new `value`.

        Late messages about the widget as it was before change nothing under another key.
        """
        turn, last = self._followed.get(name, (0, None))
        if value != last:
            turn += 1
            self._followed[name] = (turn, value)
        return f"{name}.{turn}"

    def note_choice(self, place: str, key: str) -> None:
        """Note a widget's value in the drafts; for `on_change`.

        Before the page is drawn: then a result that came meanwhile may give the widget another key.
        """
        self.drafts[place] = widgets()[key]

    def look(self, begun: bool) -> None:
        """Open or close the search, which stays closed while a figure is composed."""
        begins = begun and self.composing is None
        self.looks += begins and not self.is_looking  # pressed twice, it keeps its words
        self.is_looking = begins

    # The window: known to the browser alone, which tells how large its main picture is ---------

    def begin_run(self) -> set[str]:
        """Forget what the last run of a page has shown, once it has done what it had begun.

        Returns the presses that this run is for, see `forget_presses`.
        """
        with self.deed:
            pass
        self.watched.clear()
        self.has_picture = self.has_drawer = False
        self.head = None
        return {*self._presses}

    @property
    def is_drawer_open(self) -> bool:
        """Whether the settings are shown beside the main picture."""
        return bool(self.drafts.get("drawer"))

    def turn_drawer(self) -> None:
        self.remember("drawer", not self.is_drawer_open)

    def frame(self, key: str, height: float | None = None) -> tuple[float, float] | None:
        """Width and height of the main picture of a page, if known.

        height: Of one that is not known, where it differs from that of the last one.
        """
        known, place = self.drafts.get("frames", {}), f" {self.is_drawer_open}"
        if (size := known.get(f"{key}{place}")) is not None:
            return tuple(size)
        last = known.get(place)
        return last and (last[0], height or last[1])

    def note_frame(self, key: str, width: float, height: float) -> None:
        place = f" {self.is_drawer_open}"
        noted = {f"{key}{place}": [width, height], place: [width, height]}
        self.remember("frames", {**self.drafts.get("frames", {}), **noted})

    def press(self, key: str) -> None:
        self._presses.add(key)

    def take_press(self, key: str) -> bool:
        """Whether a button was pressed since the last call."""
        pressed = key in self._presses
        self._presses.discard(key)
        self.taken = key if pressed else self.taken
        return pressed

    def forget_presses(self, some: set[str]) -> None:
        """Forget those of a run that ends; another one may have begun with others."""
        self._presses -= some

    def is_composing(self, key: str) -> bool:
        """Whether a figure that the page shows is being composed for print."""
        self._shown.add(key)
        return self.composing == key

    def forget_composing(self) -> None:
        """Close the composer of a figure that the page no longer shows."""
        if self.composing not in self._shown:
            self.composing = None
        self._shown.clear()

    # Uploads and addresses -----------------------------------------------------------------

    def insist_on(self, file: str) -> None:
        """Note that the user wants an upload read although it looks like something else."""
        self._insisted.add(file)

    def insists_on(self, file: str) -> bool:
        return file in self._insisted

    def asked_for(self, parameter: str) -> str | None:
        """Take a parameter out of the page's address."""
        value = st.query_params.get(parameter)
        if value is not None:
            del st.query_params[parameter]
        return value

    def follow_address(self) -> None:
        """Open the data set that the address names, unless this session wrote it there."""
        self.has_address = False
        dataset = st.query_params.get(_DATASET, "")
        if not dataset or dataset == self._address.get(_DATASET):
            return
        if services().workspace.dataset(dataset) is None:
            self.missing = dataset
        elif dataset != self._dataset or self.missing:
            self.open(dataset)

    @property
    def foreign_tab(self) -> str:
        """The tab that an address names which this session has not written; empty if none."""
        tab = st.query_params.get(_TAB, "")
        return "" if tab == self._address.get(_TAB) else tab

    def tab_asked_for(self, page: str, shown: str | None) -> str | None:
        """The tab that a page is to show; None is the first.

        shown: The page's last tab, ignored if another data set was open.
        """
        is_new = self._tabs_of.get(page, self._dataset) != self._dataset
        self.come_to(page)
        tab = st.query_params.get(_TAB)
        if (page, tab) == (self._page, self._address.get(_TAB)):
            self._left = None  # the browser knows the present address
        elif tab and not self._is_late(page, tab):
            return tab
        return None if is_new else shown

    def _is_late(self, page: str, tab: str) -> bool:
        """Whether a browser names the former tab because it has not heard of the present one."""
        if self._left is None:
            return False
        *left, when = self._left
        return left == [page, tab] and time.monotonic() - when < _LATE

    def come_to(self, page: str) -> None:
        """Note that the tab of a page is chosen for the open data set."""
        self._tabs_of[page] = self._dataset

    def write_address(self, page: str = "", tab: str = "") -> None:
        """Let the address name what is seen."""
        left = self._address.get(_TAB, "")
        if page != self._page:
            self._left = None
        elif left != tab:
            self._left = page, left, time.monotonic()
        self.has_address, self._page = True, page
        named = {_PARAMETER: self.id, _DATASET: self.missing or self._dataset, _TAB: tab}
        self._address = {name: value for name, value in named.items() if value}
        if st.query_params.to_dict() != self._address:
            st.query_params.from_dict(self._address)

    # Jobs ----------------------------------------------------------------------------------

    def jobs(self) -> list[Job]:
        """The active jobs of this session, the newest first."""
        return [job for job in services().jobs.of(self.id) if job.active and not job.given_up]

    def slot(self, page: str) -> str:
        """The slot of a page's job on the open data set's answers in use."""
        info = self.dataset
        return f"{page}@{self._dataset}.{info.state if info else ''}"

    # Keeping -------------------------------------------------------------------------------

    def save(self) -> None:
        """Save what has changed, and register activity."""
        services().jobs.seen(self.id)
        state = self.state()
        if state != self._saved:
            services().workspace.save_session(self.id, state)
            self._saved = state

    def state(self) -> dict[str, Any]:
        """What is saved."""
        return {
            "dataset": self._dataset, "browser": _browser(),
            "selections": {name: list(ids) for name, ids in self._selections.items() if ids},
            "drafts": dict(self.drafts), "tabs of": dict(self._tabs_of),
        }


def session() -> Session:
    """The session of the browser tab whose script is running.

    One that another tab shows, or that belongs to another browser, is copied. An address without
    one goes on with the browser's last.
    """
    current: Session | None = st.session_state.get(_KEY)
    if current is not None and not _is_shown_elsewhere(current.id):
        current.sheet.shown_in = script_id()
        return current
    named = current.id if current else st.query_params.get(_PARAMETER, "") or _last_of_browser()
    saved = current.state() if current else services().workspace.session(named) if named else None
    is_ours = saved is not None and not _is_shown_elsewhere(named) and (
        saved.get("browser", "") in ("", _browser())
    )
    current = Session(
        named if is_ours else secrets.token_urlsafe(9), saved, is_copy=not is_ours
    )
    current.sheet.shown_in = script_id()
    st.session_state[_KEY] = current
    return current


def _browser() -> str:
    """Identifier of the browser; empty where unknown."""
    name = st.context.cookies.get(BROWSER, "")
    return name if isinstance(name, str) else ""  # outside of a server it is anything


def _last_of_browser() -> str:
    """The session that goes on where no address names one, as in a page of a new tab."""
    browser = _browser()
    return services().workspace.latest_session(browser) if browser else ""


def _is_shown_elsewhere(session_id: str) -> bool:
    """Whether another browser tab that is still open shows a session."""
    sheet = services().sheets.get(session_id)
    return sheet is not None and sheet.shown_in != script_id() and is_shown(sheet.shown_in)


def tab_is_open() -> Callable[[], bool]:
    """A function that tells, in any thread, whether the browser tab of this script is still open.

    A tab that was closed a moment ago may only have been refreshed.
    """
    name = script_id()
    missed: float | None = None

    def is_open() -> bool:
        nonlocal missed
        if not name or not has_server() or is_shown(name):
            missed = None
            return True
        missed = missed or time.monotonic()
        return time.monotonic() - missed < _REFRESHING

    return is_open


def widgets() -> MutableMapping[str, Any]:
    """Values of the widgets by key; the first value of a widget may be set before it is drawn."""
    return st.session_state
