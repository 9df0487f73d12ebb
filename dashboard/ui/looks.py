"""How a map is shown: what a session has chosen, for page, report and files alike."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import partial
from typing import Any

import numpy as np
import pandas as pd
import streamlit as st

from tripletscope.core.data.lazy import cached_property
from tripletscope.core.data.triplets import Triplets
from tripletscope.core.engine.declared import Column, Parameter, parameters
from tripletscope.core.inference.held_out.inspection import inspect_objects
from tripletscope.core.inference.uncertainty import Samples
from tripletscope.core.models.embedding.ordinal import OrdinalEmbedding
from tripletscope.core.run import Run
from tripletscope.dashboard.figures.colours import is_quantity, numbers_of
from tripletscope.dashboard.results import MapLook, Placed, placed
from tripletscope.dashboard.results.colouring import (
    Colouring,
    first_colouring,
    of_table,
    own_colourings,
)
from tripletscope.dashboard.results.look import COVERAGES, look_class
from tripletscope.dashboard.results.maps import MANY_OBJECTS, USUAL, DrawnMap, warning_said
from tripletscope.dashboard.results.presentation import ShownResults
from tripletscope.dashboard.state import Session, widgets
from tripletscope.dashboard.store.dataset import DatasetInfo, edition_of
from tripletscope.dashboard.ui import panels
from tripletscope.dashboard.ui.colouring import CLUSTERS, colourings, pick_colouring
from tripletscope.dashboard.ui.context import Context
from tripletscope.dashboard.ui.controls import pick, slide
from tripletscope.dashboard.ui.elements import looks_row
from tripletscope.dashboard.ui.pictures import embedded_pictures, picture_addresses
from tripletscope.dashboard.ui.turning import turn_of, turned

SMALL = 64  # pixels of pictures on a map
_STEPS = 200  # of a range that selects
_COVERAGES = {0.0: "Off", **COVERAGES}
#: Ways of showing pictures, with their relative size.
_PICTURES = {
    "pictures": ("Pictures", 1.0), "small pictures": ("Small pictures", 0.6),
    "large pictures": ("Large pictures", 1.8),
}


@dataclass(frozen=True)
class Result:
    """A fitted map with what was computed for it.

    compared: Held-out errors of it and of other methods.
    """

    info: DatasetInfo
    triplets: Triplets
    fit: Run
    samples: Run | None
    error: Run | None
    compared: tuple[Run, ...] = ()

    @cached_property
    def fitted(self) -> OrdinalEmbedding:
        return self.fit.fitted()

    @cached_property
    def drawn(self) -> Samples | None:
        """Maps that the answers could as well have given."""
        return self.samples.samples() if self.samples else None

    @cached_property
    def placed(self) -> Placed:
        """Where the objects lie, turned."""
        return placed(self.fit, self.samples, turn_of(self.info, self.fit).rotation)

    @property
    def shown(self) -> ShownResults:
        return ShownResults(
            (*self.runs.values(), *self.compared), self.triplets, self.info.name,
            looks={self.fit.key: turned(self.info, self.fit)},
            addresses=picture_addresses(self.info, self.triplets.objects, SMALL),
            embed=partial(embedded_pictures, self.info, self.triplets.objects),
        )

    @property
    def doubt(self) -> list[str]:
        """The gravest, if the map is not to be looked at before it is known."""
        return list(warning_said(self.shown, self.fit))

    @property
    def runs(self) -> dict[str, Run]:
        return {run.task: run for run in (self.fit, self.samples, self.error) if run}


class MovedLabels:
    """Where labels of a map were dragged; kept in the session for every map."""

    def __init__(self, current: Session, result: Result) -> None:
        self._current, self._ids = current, result.triplets.ids
        self._key = f"map.labels@{result.info.id}.{result.fit.key}"

    @property
    def offsets(self) -> dict[str, list[float]]:
        """Offset of the label of each object, by its id."""
        return self._current.drafts.get(self._key, {})

    def put(self, position: int, offset: tuple[float, float]) -> None:
        self._current.remember(self._key, {**self.offsets, self._ids[position]: list(offset)})

    def put_back(self) -> None:
        self._current.remember(self._key, {})


def look_of(current: Session, result: Result) -> MapLook:
    """How a session shows a map, for the page, the report and files."""
    info, objects = result.info, result.triplets.objects

    def noted(name: str) -> Any:
        value = current.drafts.get(f"map.{name}@{info.id}")
        return value if isinstance(value, str | bool) else None  # archives may hold anything

    flat, colour = noted("flat") is not False, noted("colour")
    mark = noted(f"marks.{'plane' if flat else 'space'}")
    coloured = colour_of(objects, colour, partial(_colourings, current, result))
    return MapLook(
        "pictures" if mark in _PICTURES else mark, **coloured,
        coverage=current.drafts.get("map.coverage"), against=noted("against"), flat=flat,
        picture_size=_PICTURES.get(mark, ("", 1.0))[1], outlined=coloured.get("colour") == CLUSTERS,
        sized=noted("size") or "", dense=noted("density"),
        moved=MovedLabels(current, result).offsets, turn=turned(info, result.fit).turn,
    )


def colour_of(
    objects: pd.DataFrame, key: str | None, ways: Callable[[], Mapping[str, Colouring]]
) -> dict[str, Any]:
    """The part of a look that colours objects, by the key of one of some ways."""
    if not key or key in own_colourings(objects):
        return {"colour": key}
    way = ways().get(key)
    if way is None:  # its column, or the clustering, is gone
        return {}
    # In the order of its categories, if it has any; those without a value are left out.
    values = pd.Series(way.values()).set_axis(objects["id"]).dropna().sort_values(kind="stable")
    return {"colour": key, "title": way.title, "values": values.to_dict()}


def _colourings(current: Session, result: Result) -> dict[str, Colouring]:
    return colourings(
        current, result.info, result.triplets.objects, lambda: inspected(result, USUAL),
        uncertain=result.samples is not None,
    )


def pick_look(current: Session, result: Result) -> MapLook:
    """Ask how the map is shown; `look_of` reads what was chosen."""
    objects, info = result.triplets.objects, result.info
    d = result.fitted.n_components
    usual = DrawnMap(result.shown, result.fit).style
    with looks_row(st.container()):
        flat = True
        if d > 2:
            views = {True: "First two axes", False: "Three dimensions"}
            flat = pick(current, f"map.flat@{info.id}", "View", views, width=180)
        if d > 1:
            marks = {"points": "Points", "labels": "Labels"}
            if flat and picture_addresses(info, objects, SMALL):
                marks |= {name: words for name, (words, _) in _PICTURES.items()}
            pick(current, f"map.marks.{'plane' if flat else 'space'}@{info.id}", "Show", marks,
                 default=usual.marks if usual.marks in marks else "labels", width=150)
        ways = _colourings(current, result)
        first = first_colouring(objects, own_colourings(objects))
        pick_colouring(current, f"map.colour@{info.id}", ways, first)
        if d == 1:
            columns = {c: c for c in of_table(objects) if is_quantity(objects[c])}
            pick(current, f"map.against@{info.id}", "Plot against",
                 {"": "Order on the scale", **columns}, default=usual.against or "", width=180)
        if usual.uncertainty:
            pick(current, "map.coverage", _shape(d, flat).capitalize(), _COVERAGES, default=USUAL,
                 width=110, help="In how many repetitions of the experiment they would contain the "
                 "true position.")
        quantities = [c for c in of_table(objects) if is_quantity(objects[c])]
        is_crowd = len(objects) > MANY_OBJECTS
        if d > 1 and flat and (quantities or is_crowd):
            with st.popover("More", icon=":material/tune:", key="map.more"):
                _pick_more(current, result, quantities, is_crowd=is_crowd)
    return look_of(current, result)


def _pick_more(
    current: Session, result: Result, quantities: list[str], *, is_crowd: bool
) -> None:
    """Ask for the size of points, lines of density, and a range of values that selects."""
    info, objects = result.info, result.triplets.objects
    if is_crowd:
        pick(current, f"map.density@{info.id}", "Density", {True: "Lines", False: "None"})
    if not quantities:
        return
    columns = {column: column for column in quantities}
    pick(current, f"map.size@{info.id}", "Size of points", {"": "Equal", **columns})
    column = pick(
        current, f"map.range@{info.id}", "Select by range", {"": "Off", **columns},
        help="Selects the objects with values in a range; the others are dimmed.",
    )
    values = numbers_of(objects[column]) if column else np.zeros(0)
    finite = values[np.isfinite(values)]
    if len(finite) and np.ptp(finite) > 0:
        low, high = float(finite.min()), float(finite.max())
        key, is_whole = f"map.range.{column}@{info.id}", not (finite % 1).any()
        st.slider(
            panels.plain(column), low, high, (low, high), format="%g",
            step=1.0 if is_whole else (high - low) / _STEPS, key=key, persist_state="session",
            on_change=_select_range, args=(current, values, (low, high), key),
        )


def _select_range(
    current: Session, values: np.ndarray, ends: tuple[float, float], key: str
) -> None:
    """Select the objects whose values lie in the range that was set; of the whole range, none."""
    low, high = widgets()[key]
    # The ends of a slider are rounded to its steps.
    reach = 1e-9 * (ends[1] - ends[0])
    inside = (values >= low - reach) & (values <= high + reach)
    is_all = low <= ends[0] + reach and high >= ends[1] - reach
    current.select_positions([] if is_all else np.flatnonzero(inside).tolist())


def _shape(n_components: int, flat: bool) -> str:
    """What shows the uncertainty of a position."""
    if n_components == 1:
        return "error bars"
    return "ellipses" if n_components == 2 or flat else "ellipsoids"


def inspected(result: Result, coverage: float) -> pd.DataFrame:
    runs = map(edition_of, result.runs.values())
    return _inspected_once((result.triplets.fingerprint, *runs, coverage), result)


@st.cache_data(max_entries=16, show_spinner=False)
def _inspected_once(content: tuple[Any, ...], _result: Result) -> pd.DataFrame:
    return inspect_objects(
        _result.fitted, _result.triplets, _result.placed.covariances, coverage=content[-1],
        degrees=_result.placed.degrees,
    )


def ask_look(context: Context, run: Run) -> dict[str, Any]:
    """Ask how a result is shown, as its presentation declares it; a look by the key of the result.

    Of what its kind does not have, such as axes of a line, nothing is asked.
    """
    kind = look_class(run)
    if kind is None:
        return {}
    for parameter in parameters(kind):
        _ask(context, run, kind, parameter)
    return {run.key: noted_look(context, run)}


def _ask(context: Context, run: Run, kind: type, parameter: Parameter) -> None:
    """A control of a look, where there is a choice."""
    spec, key = parameter.spec, _place(kind, parameter, context.info, run)
    if isinstance(spec, Column):
        context.pick_column(
            key, spec.label, none=spec.automatic, help=spec.help or None
        )
        return
    offered = spec.offered(run)
    if len(offered) > 1:
        usual = spec.usual(run) if spec.usual else parameter.default
        ask = slide if spec.in_order else pick
        options = list(offered) if spec.in_order else offered
        ask(context.session, key, spec.label, options, default=usual, help=spec.help or None)


def noted_look(context: Context, run: Run) -> Any:
    """How a session shows a result, of which its presentation declares a look."""
    kind, values = look_class(run), {}
    for parameter in parameters(kind):
        spec = parameter.spec
        value = context.session.drafts.get(_place(kind, parameter, context.info, run))
        offered = context.columns if isinstance(spec, Column) else [*spec.offered(run)]
        if value in offered:
            values[parameter.name] = value
    return kind(**values)


def _place(kind: type, parameter: Parameter, info: DatasetInfo, run: Run) -> str:
    """Where a session notes a choice: for all results alike, unless each suggests its own."""
    own = f".{run.key}" if getattr(parameter.spec, "usual", None) else ""
    return f"{kind.place}.{parameter.name}@{info.id}{own}"
