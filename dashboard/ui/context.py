"""What every tab is given: the open data set, what is computed of it, and how that is shown."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, fields, replace
from functools import partial
from types import MappingProxyType
from typing import Any, ClassVar, Self

import pandas as pd
import streamlit as st

from tripletscope.core.data.lazy import cached_property
from tripletscope.core.data.triplets import Answers, Triplets
from tripletscope.core.engine.method import Method, as_record
from tripletscope.core.engine.progress import Progress
from tripletscope.core.run import TASKS, Run
from tripletscope.dashboard.figures.theme import Canvas
from tripletscope.dashboard.files import export
from tripletscope.dashboard.jobs.queue import Job, Step
from tripletscope.dashboard.results.colouring import of_table
from tripletscope.dashboard.results.drawing import Drawing
from tripletscope.dashboard.results.presentation import (
    Advice,
    Limits,
    Numbers,
    Presentation,
    ShownResults,
    Statement,
    runs_of,
)
from tripletscope.dashboard.results.registry import presented
from tripletscope.dashboard.state import Session
from tripletscope.dashboard.store.dataset import DatasetInfo, edition_of
from tripletscope.dashboard.store.folder import MEASURED
from tripletscope.dashboard.store.services import services
from tripletscope.dashboard.ui import analysis, panels
from tripletscope.dashboard.ui.chart import Gestures
from tripletscope.dashboard.ui.controls import button, parameter_form, pick
from tripletscope.dashboard.ui.dataset_words import about
from tripletscope.dashboard.ui.elements import CHOOSE_ROWS, COMPUTED, csv_button, run_button
from tripletscope.dashboard.ui.pictures import embedded_pictures, picture_addresses
from tripletscope.dashboard.ui.watching import watch
from tripletscope.dashboard.words import distinct
from tripletscope.dashboard.words.formats import count

#: Pixels that a figure is wide on a typical page, and what is seen at a time of a tall one. Those
#: that are hardly higher than wide are seen as a whole.
_WIDE, _WINDOW, _SQUARE = 900.0, 720, 1.1
_LOW = 0.4  # of its width: a figure that fills no window
_LINES = 240  # letters: what is longer is no sentence to be read before a picture
_PICTURE, _HOVERED = 64, 320  # pixels
_FORMS = ("data", "simulate")
#: Things computed without being asked for that a session remembers having begun.
_REMEMBERED = 200
_NONE: Mapping[str, Any] = MappingProxyType({})


@dataclass(frozen=True)
class Context:
    """What a tab is given.

    info: The open data set; None on pages that need none.
    slot: See `tripletscope.dashboard.ui.page.tab`.
    row: The place beside the tabs.
    """

    session: Session
    info: DatasetInfo
    page: str
    slot: str | None
    row: Any
    #: What is computed with, where that is not the answers: what was measured, or marked answers.
    given: Any = field(default=None, kw_only=True)
    #: Whether what is shown is of the view in use, as figures then say.
    of_view: ClassVar[bool] = True

    @classmethod
    def of(cls, context: Context, **further: Any) -> Self:
        """The same context, knowing more."""
        return cls(**{f.name: getattr(context, f.name) for f in fields(Context)}, **further)

    def computing_with(self, given: Any) -> Self:
        """The same context, with other data than the answers."""
        return replace(self, given=given)

    @cached_property
    def answers(self) -> Answers:
        """The answers in use; comparisons of pairs where there are no triplets."""
        return self.session.answers()

    @property
    def _computed_with(self) -> Any:
        """What is computed with; None for simulations."""
        return self.given if self.given is not None else self.answers if self.info else None

    @cached_property
    def triplets(self) -> Triplets:
        return self.session.triplets()

    @property
    def columns(self) -> list[str]:
        """Columns of the objects that say something of them."""
        return of_table(self.answers.objects)

    @property
    def size(self) -> str:
        """The data, for captions."""
        return about(self.info)

    @property
    def selected(self) -> list[int]:
        """Positions of the selected objects, ascending."""
        return self.session.selected_positions(self.answers)

    @property
    def job(self) -> Job | None:
        """The newest job of the tab on these answers."""
        if self.slot is None:
            return None
        return services().jobs.latest(self.session.id, self._place())

    @property
    def waiting(self) -> bool:
        """Whether a job of the tab has not ended."""
        return self.job is not None and self.job.active

    def runs(self, task: str, *kinds: str) -> list[Any]:
        """What was computed of these answers by methods of some kinds, the newest first."""
        listed = (services().workspace.runs(self.info.id, task, kind) for kind in kinds)
        return [run for runs in listed for run in runs]

    def find(
        self, method: Method, task: str, options: Mapping[str, Any] | None = None
    ) -> Run | None:
        """The result of a task for a method; without options, the newest of any."""
        return analysis.find(self.info, self._computed_with, self.settled(method), task, options)

    def settled(self, method: Method) -> Method:
        """The method as it is computed: see `analysis.settled`."""
        return analysis.settled(self.info, method)

    def submit(
        self, title: str, pieces: Sequence[analysis.Piece], names: Sequence[str] = (), *,
        unasked: bool = False,
    ) -> Job:
        """Compute in the background what is not there yet; see `analysis.submit`."""
        pieces = [(self.settled(method), *of) for method, *of in pieces]
        return analysis.submit(
            self.session, self.info, self._computed_with, self._slot(), title, pieces, names,
            unasked=unasked,
        )

    def begin(self, title: str, words: str, work: Callable[[Progress], Any]) -> Job:
        """Do in the background what is no task of a method; its result is in `Job.results`."""
        return self.begin_steps(title, [Step(words, work)])

    def begin_steps(self, title: str, steps: Sequence[Step]) -> Job:
        """The same in several steps, each of which lets others by and leaves a result."""
        return services().jobs.submit(Job(self.session.id, self._place(), title, list(steps)))

    def _slot(self) -> str:
        if self.slot is None:
            raise TypeError("nothing is computed on a tab that is declared with slot=None")
        return self.slot

    def _place(self) -> str:
        """The slot on the answers that are in use."""
        return self.session.slot(self._slot()) if self.info else self._slot()

    def result(
        self, method: Method, task: str, about: str, *, options: Mapping[str, Any] | None = None,
        label: str = "Compute", newest: bool = False,
    ) -> Run | None:
        """Options of a task, unless they are given, the button, and the result with these options.

        newest: Whether the newest result of other options stands in for one that is not there yet.
        """
        options = self.options(task) if options is None else options
        pieces = [(method, task, options)]
        (run,) = self.results(task, TASKS[task].words, pieces, about, label=label)
        return run or (self.find(method, task) if newest else None)

    def options(
        self, task: str, *, given: Mapping[str, Any] = _NONE,
        columns: Mapping[str, Sequence[str]] = _NONE, place: str = "",
    ) -> dict[str, Any]:
        """Ask for the options of a task.

        given: Options that are not asked for; a function makes one from those that are.
        columns: That may be chosen, as for `parameter_form`.
        place: Of the form, if two tabs are not to share it.
        """
        options = parameter_form(
            self.session, TASKS[task].function, place or f"{self.page}.{task}",
            hidden=tuple(given), columns=columns,
        )
        return options | {k: v(options) if callable(v) else v for k, v in given.items()}

    def results(
        self, key: str, title: str, pieces: Sequence[analysis.Piece], about: str, *,
        at_once: bool = False, label: str = "Compute",
    ) -> list[Run | None]:
        """A button that computes what is missing of some pieces as one job, and their results."""
        runs = [self.find(*piece) for piece in pieces]
        missing = [
            piece for piece, run in zip(pieces, runs, strict=True)
            if run is None or not run.complete
        ]
        self.compute_button(f"{self.page}.{key}.run", title, missing, about, label=label)
        # Once for each method, and not over a job that failed: its end is to be seen.
        if at_once and missing and (self.job is None or self.job.state == "done"):
            begun = self.session.drafts.setdefault("begun at once", [])
            place = f"{self._place()} {key} {analysis.describe(pieces[0][0])}"
            if place not in begun:
                begun.append(place)
                del begun[:-_REMEMBERED]
                self.submit(f"{title}: {self.info.name}", missing, unasked=True)
                st.rerun()
        return runs

    def compute_button(
        self, key: str, title: str, pieces: Sequence[analysis.Piece], about: str, *,
        label: str = "Compute",
    ) -> None:
        """A button that computes `pieces` as one job; disabled where there are none."""
        if run_button(self.session, key, label, why="" if pieces else COMPUTED, help=about):
            self.submit(f"{title}: {self.info.name}", pieces)
            st.rerun()

    def empty(self, title: str, text: str) -> None:
        """Say what would be here, and what to do; while a job is at work on it, its bar does."""
        if not self.waiting:
            panels.empty(title, text)

    def present_or_promise(
        self, *runs: Run | None, promise: str, title: str = "Nothing has been computed yet",
        **how: Any,
    ) -> None:
        """Results, as far as they are there; where none is, what computing them would show."""
        if any(runs):
            self.present(*filter(None, runs), **how)
        else:
            self.empty(title, promise)

    def pick_column(
        self, key: str, label: str = "Colour", *, none: str = "None", **further: Any
    ) -> str | None:
        """Ask for a column that says something of the objects; None for none of them."""
        options = {"": none, **{name: name for name in self.columns}}
        return pick(self.session, key, label, options, **further) or None

    @property
    def collected(self) -> dict[str, str]:
        """What people were asked, and what the answers were derived from."""
        extra = self.info.extra
        return {
            "asked": extra.get("asked", ""), "measured": extra.get(MEASURED, {}).get("kind", "")
        }

    def present(
        self, *results: Any, beside: Sequence[Run] = (), by: Presentation | None = None,
        files: Callable[[], Mapping[str, bytes]] | None = None,
        on_pick: Callable[[list[int], str], None] | None = None, **how: Any,
    ) -> None:
        """What results say, their figures and tables, as they are in a report.

        beside: Further results that these are judged by.
        by: What presents them in place of what is declared.
        files: Makes files that come along with figures, such as a script, by their names.
        on_pick: Takes what is picked where that is no object.
        **how: Further attributes of `ShownResults`.
        """
        shown = self.shown(*results, *beside, **how)
        content = None
        if self.info is not None and all(isinstance(result, Run) for result in results):
            content = (
                [*map(edition_of, shown.runs)], self.info.fingerprint,
                self.info.pictures, shown.selected, shown.named, how,
            )
        draw = partial(self.figure, files=files, content=content, on_pick=on_pick,
                       places=None if on_pick is None else ())
        sentences: list[str] = []
        halves: list[Any] = []
        parts = self._after_the_main(list(presented(shown, *results, by=by)), draw, results)
        for part in parts:
            if isinstance(part, Statement):
                sentences.append(part.text)
                continue
            panels.sentences(sentences)
            sentences.clear()
            if isinstance(part, Drawing) and part.is_half:
                halves = halves or list(st.columns(2))
                with halves.pop(0):
                    draw(part, *results)
                continue
            halves.clear()
            self._show(part, draw, results)
        panels.sentences(sentences)

    def _show(
        self, part: Advice | Numbers | Drawing, draw: Callable[..., None], results: Sequence[Any]
    ) -> None:
        """One element as wide as the page."""
        if isinstance(part, Advice):
            st.caption(panels.marked(part.text))
        elif isinstance(part, Numbers):
            self.numbers(part)
        elif not part.is_folded:
            draw(part, *results)
        elif box := panels.folded(part.title, f"{self.page}.{part.name}"):
            with box:
                draw(part, *results)

    def _after_the_main(
        self, parts: list[Any], draw: Callable[..., None], results: Sequence[Any]
    ) -> list[Any]:
        """Show the first figure as the main picture, below one sentence; what is left of parts.

        What else was to be read before it is folded away below it.
        """
        place = next((k for k, part in enumerate(parts) if isinstance(part, Drawing)), None)
        if place is None or self.page in _FORMS or self.session.has_picture:
            return parts
        main, before = parts[place], parts[:place]
        if main.is_half or main.is_folded or main.ratio < _LOW:
            return parts
        said = [part.text for part in before if isinstance(part, Statement)]
        if len(said[:1]) and len(said[0]) > _LINES:
            said[:1] = re.split(r"(?<=\.) ", said[0], maxsplit=1)
        panels.verdict(self.session, said)
        draw(main, *results, is_main=True)
        advice = [part.text for part in before if isinstance(part, Advice)]
        panels.explained(said[1:], advice, f"{self.page}.{main.name}")
        return [part for part in before if isinstance(part, Numbers)] + parts[place + 1 :]

    def shown(self, *results: Any, **how: Any) -> ShownResults:
        """Results as the page shows them."""
        if self.info is None:
            return ShownResults(runs_of(results), None, "", **how)
        objects = self.answers.objects
        how.setdefault("addresses", picture_addresses(self.info, objects, _PICTURE))
        return ShownResults(
            runs_of(results), self.answers, self.info.name, selected=tuple(self.selected),
            embed=partial(embedded_pictures, self.info, objects), cautious=True,
            limits_of=partial(limits_of, self.info), **self.collected, **how,
        )

    def figure(
        self, drawing: Drawing, *runs: Run, further: Callable[[], None] | None = None,
        files: Callable[[], Mapping[str, bytes]] | None = None, content: Any = None,
        wide: float = _WIDE, on_pick: Callable[[list[int], str], None] | None = None,
        on_move: Callable[[str, float], None] | None = None, places: Sequence[int] | None = None,
        is_main: bool = False,
    ) -> None:
        """A figure with its caption, its numbers, and what can be done with it.

        runs: Simulations that it is of, where no data set is open.
        on_pick, on_move: See `chart`; by default objects that are picked are selected.
        places: Objects by their number in the figure, if that is not their position.
        content: Of what it is drawn, so that it is drawn once.
        is_main: Whether it fills the window.
        """
        wide = wide / 2 if drawing.is_half else wide
        fills = ("whole" if drawing.ratio <= _SQUARE else "part") if is_main else ""
        if drawing.ratio <= _SQUARE:
            wide = min(wide, _WINDOW / drawing.ratio)
        simulated = () if self.info else runs_of(runs)
        names = distinct(analysis.describe(run.fresh()) for run in simulated)
        panels.figure_panel(
            self.session, drawing, key=f"{self.page}.{drawing.name}",
            name=self._file_name(drawing.saved_as or drawing.name), window=_WINDOW, fills=fills,
            canvas=Canvas(wide, wide * drawing.ratio),
            gestures=Gestures(
                self._hovered(places), on_pick or self.session.select_positions, on_move
            ) if drawing.picks else Gestures(on_move=on_move),
            simulations=None if self.info else dict(zip(names, simulated, strict=True)),
            further=further, files=files, of=None if content is None else (drawing.name, content),
            of_view=self.of_view,
        )

    def _hovered(self, places: Sequence[int] | None) -> Mapping[int, str]:
        """Pictures that are seen large, by the number of their object in a figure."""
        large = picture_addresses(self.info, self.answers.objects, _HOVERED)
        if places is None:
            return large
        return {place: large[i] for place, i in enumerate(places) if i in large}

    def numbers(self, part: Numbers) -> None:
        """A table, folded away unless it is small."""
        if part.is_small:
            # Names in it may be of users: they bring no markup.
            st.table(part.table().map(panels.marked).set_index(part.title))
        elif box := panels.folded(part.title, f"{self.page}.{part.title}"):
            with box:
                self.table(part)

    def table(self, part: Numbers) -> None:
        """A table, with what can be done with it."""
        key = f"{self.page}.{part.title}"
        table = part.table()
        if part.about:
            st.caption(panels.marked(part.about))
        if table.empty:
            st.caption("There are none.")
            return
        numbers = table.select_dtypes("float").columns
        # Rows that were chosen are those of this table, and of no other in its place.
        of = f".{pd.util.hash_pandas_object(table.astype(str)).sum():x}" if part.of_rows else ""
        shown = st.dataframe(
            table, hide_index=True, placeholder="", key=f"{key}{of}",
            **({"on_select": "rerun", "selection_mode": "multi-row"} if part.of_rows else {}),
            column_config={
                name: st.column_config.NumberColumn(format="%.2g" if name == "p" else "%.3f")
                for name in numbers
            },
        )
        objects = list(part.objects)
        if part.of_rows is not None:
            rows = [row for row in shown.selection.rows if row < len(table)]
            objects = [int(i) for i in part.of_rows(rows)]
        with st.container(horizontal=True, vertical_alignment="center"):
            if part.objects or part.of_rows is not None:
                button(
                    f"Select {count(len(objects), 'object')}" if objects else "Select objects",
                    key=f"{key}.select", args=(objects,), why="" if objects else CHOOSE_ROWS,
                    on_click=self.session.select_positions,
                    help="Selects the objects of the chosen rows on every page."
                    if part.of_rows else None,
                )
            csv_button("CSV", lambda: table, self._file_name(part.title), f"{key}.csv")

    def _file_name(self, title: str) -> str:
        return export.file_name(self.info.name if self.info else "", title)

    def picture_and_side(self) -> tuple[Any, Any]:
        """As `drawer`, with the job that is at work on what is seen above it."""
        picture, side = self.drawer()
        with picture:
            watch(self.job)
        return picture, side

    def drawer(self) -> tuple[Any, Any]:
        """Places for what is seen and for settings, which a button beside the tabs folds away.

        They are there in any case: what is computed depends on them. Where nothing is seen yet, and
        on pages that one comes to for their forms, they stay open.
        """
        folds = self.row is not None and self.page not in _FORMS and not self.session.has_drawer
        self.session.has_drawer |= folds
        is_open = self.session.is_drawer_open or not folds
        if folds:
            self.row.button(
                "Settings", key="drawer", on_click=self.session.turn_drawer,
                icon=f":material/{'right_panel_close' if is_open else 'tune'}:",
                help="Hides the settings." if is_open else "Shows the settings beside the picture.",
            )
            self.session.head = st.container(key="verdict")
            # Not a key of the columns: charts in them would be drawn anew.
            shown = "block" if is_open else "none"
            st.html(f"<style>:root {{ --page-gap: 0.6rem; --settings: {shown} }}</style>")
        with st.container(key="drawer-columns" if folds else None):
            return tuple(st.columns([3, 1], gap="large"))


@dataclass(frozen=True)
class FitContext(Context):
    """What a tab is given that is about a fit."""

    fit: Run

    @cached_property
    def fitted(self) -> Any:
        return self.fit.fitted()

    @cached_property
    def method(self) -> Any:
        """As it was set, not fitted."""
        return self.fit.fresh()

    def settled(self, method: Method) -> Method:
        # What belongs to the fit is found under its own settings, also where these leave tails
        # open: an earlier version chose none.
        return method if as_record(method) == as_record(self.method) else super().settled(method)


def limits_of(info: DatasetInfo, answers: Answers) -> Limits:
    """What noise and guessing allow of the answers of a data set, estimated once."""
    return _limits((info.fingerprint, info.pairs, info.state), answers)


@st.cache_data(max_entries=8, show_spinner=False)
def _limits(content: tuple[str | None, ...], _answers: Answers) -> Limits:
    return Limits.of(_answers)


