"""Which method, how many dimensions, whether the answers are enough; maps side by side."""

from __future__ import annotations

import itertools
from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
import pandas as pd
import streamlit as st

from core.compare import (
    Suggestion,
    learning_curve,
    neighbour_overlap,
    suggest_dimension,
    tune,
)
from core.embedding.ordinal import OrdinalEmbedding
from core.geometry import procrustes, procrustes_disparity
from core.method import methods
from core.run import Run, key
from core.score import CHANCE, ErrorEstimate, cross_validate, errors_by, repeat_error, split_of
from core.triplets import DataError, Triplets
from dashboard import analysis, export, panels
from dashboard.controls import number, parameter_form, pick, several, switch, tabs
from dashboard.figures.colours import is_quantity
from dashboard.figures.curves import agreement_matrix, dimension_curves, learning_figure
from dashboard.figures.map import embedding_map
from dashboard.figures.points import MapData, MapStyle
from dashboard.jobs import Job
from dashboard.services import services
from dashboard.state import Session
from dashboard.theme import Canvas, count, duration, interval
from dashboard.views.embedding import fit_now
from dashboard.workspace import DatasetInfo, RunInfo

_WIDE = Canvas(900.0, 430.0)
_LOW = Canvas(900.0, 260.0)
_HALF = Canvas(560.0, 420.0)
_PAGE = "compare"
_VIEWS = {
    "dimensions": "Methods and dimensions", "maps": "Maps side by side",
    "enough": "Enough answers?", "tune": "Best prediction",
}
_USUAL_METHODS = ["ste", "tste"]
_GROUPS = ("sampler", "split", "participant")
_VAGUE = 0.1  # width of an interval
#: Methods that choose their dimensions themselves, or whose prior plays another role.
_UNTUNED = ("lore", "gnmdsk")


def show_compare(current: Session, info: DatasetInfo) -> None:
    """The whole page for an open data set."""
    triplets = current.triplets()
    job = services().jobs.latest(current.id, current.slot(_PAGE))
    view = tabs(current, "compare.view", "View", _VIEWS)
    show = {"dimensions": _dimensions, "maps": _maps, "enough": _enough, "tune": _tune}[view]
    show(current, info, triplets, job)


def _job(current: Session, job: Job | None) -> None:
    """Progress of a job; the page runs anew whenever one of its steps is done."""
    if job is None:
        return
    drawn_at = job.step

    def show(job: Job) -> None:
        if job.step != drawn_at:
            st.rerun()
        panels.progress_line(job, "page")

    panels.watch(current, job, show)


# Methods and dimensions ----------------------------------------------------------------------


@dataclass(frozen=True)
class Plan:
    """Which methods in which numbers of dimensions are compared, and how error is measured."""

    methods: list[OrdinalEmbedding]
    scheme: str
    options: dict[str, Any]

    @property
    def pieces(self) -> list[analysis.Piece]:
        return [
            piece for method in self.methods
            for piece in ((method, "fit", {}), (method, self.scheme, self.options))
        ]

    @property
    def ratio(self) -> float:
        """Answers held out to answers learned from."""
        return 1.0 / (self.options["folds"] - 1)


def _plan(current: Session, triplets: Triplets) -> Plan:
    known = {name: method.title for name, method in methods("embedding").items()}
    chosen = several(
        current, "compare.methods", "Methods", known, default=_USUAL_METHODS,
        help="All with their usual settings. LORE chooses its dimensions itself, up to the number "
        "given.",
    )
    left, right = st.columns(2)
    with left:
        low = number(current, "compare.low", "Dimensions", 1, 20, 1)
    with right:
        high = number(current, "compare.high", "to", 1, 20, 5)
    low, high = min(low or 1, high or 1), max(low or 1, high or 1)
    schemes = {"cross_validate": "Cross-validation by question"}
    if _has_split(triplets):
        schemes["split_error"] = "The data's own test answers"
    scheme, options = "cross_validate", {}
    with st.expander("How the error is measured"):
        if len(schemes) > 1:
            scheme = pick(current, "compare.scheme", "Held-out error", schemes)
        if scheme == "cross_validate":
            options = parameter_form(current, cross_validate, "compare.cross_validate")
    found = [
        methods("embedding")[name](n_components=d)
        for name in chosen for d in range(low, high + 1)
    ]
    return Plan(found, scheme, options)


def _has_split(triplets: Triplets) -> bool:
    try:
        split_of(triplets)
    except DataError:
        return False
    return True


def _dimensions(
    current: Session, info: DatasetInfo, triplets: Triplets, job: Job | None
) -> None:
    picture, side = st.columns([3, 1], gap="large")
    with side:
        plan = _plan(current, triplets)
        there = {run.key for run in services().workspace.runs(info.id) if run.complete}
        missing = [
            (method, task, options) for method, task, options in plan.pieces
            if key(task, method, triplets, options) not in there
        ]
        if st.button(
            "Compute", type="primary", key="compare.run", icon=":material/play_arrow:",
            width="stretch", disabled=not missing,
            help="Fits every method in every number of dimensions, and measures its error on "
            "answers it has not seen. What is there already is not computed again.",
        ):
            analysis.submit(
                current, info, triplets, _PAGE, f"Comparing methods: {info.name}", missing
            )
            st.rerun()
        if missing and len(missing) < len(plan.pieces):
            done = len(plan.pieces) - len(missing)
            st.caption(f"{done} of {len(plan.pieces)} computations are there.")
    with picture:
        _job(current, job)
        table, folds, estimates = _collected(info, triplets, plan)
        if table.empty or table["held-out error"].isna().all():
            panels.empty(
                "Nothing is computed yet",
                "Choose methods and numbers of dimensions, then Compute. The curves appear while "
                "the rest is still at work.",
            )
            return
        suggestions = {
            name: suggest_dimension(errors, plan.ratio)
            for name, errors in folds.items() if len(errors) > 1
        }
        repeats = repeat_error(triplets)
        _error_figure(current, info, table, suggestions, repeats)
    for name, suggestion in suggestions.items():
        st.markdown(panels.plain(_in_words(name, suggestion, table)))
    st.caption(panels.plain(_repeats_in_words(repeats)))
    _summary_table(table)
    _by_group(current, triplets, estimates)
    _loss_figure(current, info, table)


def _collected(
    info: DatasetInfo, triplets: Triplets, plan: Plan
) -> tuple[pd.DataFrame, dict[str, dict[int, np.ndarray]], dict[str, ErrorEstimate]]:
    """What is there of a plan: a table, the errors of the folds, and the estimates by name."""
    rows: list[dict[str, Any]] = []
    folds: dict[str, dict[int, np.ndarray]] = {}
    estimates: dict[str, ErrorEstimate] = {}
    for method in plan.methods:
        fit = analysis.find(info, triplets, method, "fit")
        if fit is None or not fit.complete:
            continue
        row = {
            "method": method.title, "dimensions": method.n_components,
            "training error": fit.numbers["triplet_error_"],
            "loss per answer": fit.numbers["loss_"] / max(len(triplets), 1),
            "iterations": fit.numbers["n_iter_"], "seconds": fit.seconds,
            "starts at the best": _stability(fit),
        }
        error = analysis.find(info, triplets, method, plan.scheme, plan.options)
        if error is not None:
            estimate = error.error()
            row |= {"held-out error": estimate.error, "low": estimate.low, "high": estimate.high}
            estimates[analysis.describe(method)] = estimate
            if len(estimate.fold_errors):
                folds.setdefault(method.title, {})[method.n_components] = estimate.fold_errors
        rows.append(row)
    table = pd.DataFrame(rows)
    if len(table) and "held-out error" not in table:
        table[["held-out error", "low", "high"]] = np.nan
    return table, folds, estimates


def _stability(fit: Run) -> float:
    """Share of the starts that reached the lowest loss, to one in a thousand."""
    losses = fit.arrays["losses_"]
    return float(np.mean(losses <= losses.min() + 1e-3 * abs(losses.min())))


def _error_figure(
    current: Session, info: DatasetInfo, table: pd.DataFrame,
    suggestions: dict[str, Suggestion], repeats: ErrorEstimate | None,
) -> None:
    marked = {name: s.n_components for name, s in suggestions.items()}
    text = (
        f"{info.name}: {count(info.n_objects, 'object')}, {count(info.n_answers, 'answer')}. "
        "Error on answers not learned from, with 95 % intervals."
    )
    if marked:
        text += " Ringed: the fewest dimensions that are not significantly worse than the best."

    def draw(canvas: Canvas) -> Any:
        return dimension_curves(
            table, repeats=_worth_showing(repeats), marked=marked, caption=text, canvas=canvas
        )

    panels.figure_panel(
        current, draw, key="compare.errors", alt=f"Held-out error by dimensions. {text}",
        name=export.file_name(info.name, "methods", "dimensions"), table=lambda: table,
        canvas=_WIDE, caption=text,
    )


def _worth_showing(repeats: ErrorEstimate | None) -> ErrorEstimate | None:
    """What repeated answers allow, unless there are so few that it says nothing."""
    return repeats if repeats and repeats.high - repeats.low < _VAGUE else None


def _in_words(name: str, suggestion: Suggestion, table: pd.DataFrame) -> str:
    rows = table[table["method"] == name].set_index("dimensions")
    best = rows.loc[suggestion.best]
    shown = interval(best["held-out error"], best["low"], best["high"])
    sentence = f"{name}: {count(suggestion.n_components, 'dimension')}. "
    if suggestion.n_components == suggestion.best:
        sentence += f"It predicts best, with an error of {shown}"
        fewer = max(suggestion.p_values, default=None)
        if fewer is None:
            return sentence + "."
        return sentence + (
            f", and {count(fewer, 'dimension')} would be significantly worse "
            f"(p = {_p(suggestion.p_values[fewer])})."
        )
    here = rows.loc[suggestion.n_components, "held-out error"]
    return sentence + (
        f"{count(suggestion.best, 'dimension')} predict best, with an error of {shown}, but "
        f"{here:.3f} is not significantly worse "
        f"(p = {_p(suggestion.p_values[suggestion.n_components])}). For prediction alone take "
        f"{suggestion.best}."
    )


def _p(value: float) -> str:
    return f"{value:.2g}" if value >= 0.001 else "below 0.001"


def _repeats_in_words(repeats: ErrorEstimate | None) -> str:
    tests = (
        "Compared by the corrected resampled t test of Nadeau and Bengio (2003), with Holm's "
        "correction, at 5 %."
    )
    if repeats is None:
        return (
            "No question was asked twice, so it cannot be told how well any map could do. "
            f"{tests}"
        )
    return (
        "Predicting each answer by the others to the same question errs in "
        f"{interval(repeats.error, repeats.low, repeats.high)} of the "
        f"{count(repeats.n_answers, 'repeated answer')}; where repeats are few, a map may do "
        f"better. {tests}"
    )


def _summary_table(table: pd.DataFrame) -> None:
    shown = table[[
        "method", "dimensions", "held-out error", "low", "high", "training error",
        "loss per answer", "starts at the best", "iterations", "seconds",
    ]].sort_values("held-out error")
    percent = shown.assign(**{"starts at the best": 100 * shown["starts at the best"]})
    st.dataframe(
        percent, hide_index=True, key="compare.table",
        column_config={
            **{name: st.column_config.NumberColumn(format="%.3f")
               for name in ("held-out error", "low", "high", "training error")},
            "loss per answer": st.column_config.NumberColumn(
                format="%.4g", help="Of different methods not comparable."
            ),
            "seconds": st.column_config.NumberColumn(
                format="%.2f", help="Of the fit to all answers, with all its starts."
            ),
            "starts at the best": st.column_config.ProgressColumn(
                format="%.0f %%", min_value=0.0, max_value=100.0,
                help="Starts that reached the lowest loss to one in a thousand.",
            ),
        },
    )


def _by_group(
    current: Session, triplets: Triplets, estimates: dict[str, ErrorEstimate]
) -> None:
    columns = {
        name: name for name in _GROUPS
        if name in triplets.answers and len(triplets.answers[name].unique()) > 1
    }
    if not columns or not estimates:
        return
    with st.expander(f"Error by {', '.join(columns)}"):
        left, right = st.columns(2)
        with left:
            column = pick(current, "compare.group", "By", columns)
        with right:
            name = pick(current, "compare.group.of", "Of", {n: n for n in estimates})
        found = errors_by(estimates[name], triplets, column)
        st.dataframe(
            found.sort_values("error", ascending=False), hide_index=True, key="compare.groups",
            column_config={n: st.column_config.NumberColumn(format="%.3f")
                           for n in ("error", "low", "high")},
        )
        st.caption(
            "The intervals take the maps as given. Answers that an active sampler chose are "
            f"harder than random ones, so that their error is higher; chance is {CHANCE:g}."
        )


def _loss_figure(current: Session, info: DatasetInfo, table: pd.DataFrame) -> None:
    with st.expander("Training loss by dimensions"):
        # Losses of different methods have different units: each is shown by its share.
        first = table.groupby("method")["loss per answer"].transform("max")
        relative = table.assign(**{"training loss, share of its highest":
                                   table["loss per answer"] / first})
        relative = relative.drop(columns=["low", "high"])
        text = f"{info.name}. The loss falls with every dimension; it does not tell how many."

        def draw(canvas: Canvas) -> Any:
            return dimension_curves(
                relative, value="training loss, share of its highest", caption=text,
                canvas=canvas,
            )

        panels.figure_panel(
            current, draw, key="compare.losses", alt=text, canvas=_LOW, caption=text,
            name=export.file_name(info.name, "methods", "loss"), table=lambda: relative,
        )


# Maps side by side ---------------------------------------------------------------------------


@dataclass(frozen=True)
class Shown:
    """A fitted map under the name that the workspace gives it."""

    name: str
    run: Run
    fitted: OrdinalEmbedding


def _maps(current: Session, info: DatasetInfo, triplets: Triplets, job: Job | None) -> None:
    _job(current, job)
    listed = {run.key: run for run in services().workspace.runs(info.id, "fit")}
    if not listed:
        panels.empty(
            "There is no map yet", "Fit one on the page Embedding, or compute several under "
            f"“{_VIEWS['dimensions']}”.",
        )
        return
    names = {name: run.name for name, run in listed.items()}
    chosen = several(
        current, f"compare.maps@{info.id}", "Maps", names, default=list(names)[:2],
        help="Maps that were fitted on any page.",
    )
    if not chosen:
        panels.empty("No map is chosen", "Choose some above.")
        return
    shown = [_shown(info, listed[name]) for name in chosen]
    with st.container(horizontal=True, vertical_alignment="bottom"):
        reference = pick(
            current, f"compare.reference@{info.id}", "Turned towards",
            {s.run.key: s.name for s in shown}, width=240,
            help="The others are rotated, reflected, shifted and scaled to lie as close to this "
            "map as they can.",
        )
        columns = {c: c for c in triplets.objects.columns if c not in ("id", "label", "image")}
        colour = pick(
            current, f"map.colour@{info.id}", "Colour", {"": "None", **columns},
            default=next((c for c in columns if is_quantity(triplets.objects[c])), ""), width=180,
        )
        arrows = switch(current, "compare.arrows", "Differences", False,
                        help="Lines from each object's place in the reference to its place here.")
    first = next(s for s in shown if s.run.key == reference)
    shown = [first, *(s for s in shown if s is not first)]
    _grid(current, info, triplets, shown, MapStyle("points", colour or None, False), arrows)
    _agreement(current, info, shown)


def _shown(info: DatasetInfo, listed: RunInfo) -> Shown:
    run = services().workspace.run(info.id, listed.key)
    return Shown(listed.name, run, run.fitted())


def _aligned(shown: list[Shown]) -> list[np.ndarray]:
    """(n, d) positions of every map, closest to the first; NaN for objects without a place."""
    most = max(s.fitted.n_components for s in shown)

    def padded(fitted: OrdinalEmbedding) -> np.ndarray:
        return np.pad(fitted.embedding_, ((0, 0), (0, most - fitted.n_components)))

    target, placed = padded(shown[0].fitted), shown[0].fitted.placed_
    found = []
    for s in shown:
        both = placed & s.fitted.placed_
        positions = padded(s.fitted)
        aligned = positions if s is shown[0] else (
            procrustes(positions[both], target[both])(positions)
        )
        found.append(np.where(s.fitted.placed_[:, None], aligned, np.nan))
    return found


def _grid(
    current: Session, info: DatasetInfo, triplets: Triplets, shown: list[Shown],
    style: MapStyle, arrows: bool,
) -> None:
    positions = _aligned(shown)
    flat = np.concatenate([p if p.shape[1] > 1 else np.pad(p, ((0, 0), (0, 1)))
                           for p in positions])[:, :2]
    low, high = np.nanmin(flat, axis=0), np.nanmax(flat, axis=0)
    margin = 0.06 * max(float(np.max(high - low)), 1e-9)
    window = (low - margin, high + margin)
    selected = current.selected_positions(triplets)
    places = st.columns(min(len(shown), 2))
    for k, (s, place) in enumerate(zip(shown, itertools.cycle(places), strict=False)):
        plane = np.pad(positions[k], ((0, 0), (0, max(2 - positions[k].shape[1], 0))))[:, :2]
        before = np.pad(positions[0], ((0, 0), (0, max(2 - positions[0].shape[1], 0))))[:, :2]
        data = MapData(plane, triplets.objects, selected=selected)
        moved = before if arrows and k else None
        with place:
            st.markdown(f"**{panels.plain(s.name)}**" + (" (reference)" if not k else ""))
            text = _map_caption(info, s, shown[0], k)
            draw = _drawer(data, style, window, moved, text, s.run.key)
            panels.figure_panel(
                current, draw, key=f"compare.map.{k}", alt=f"Map. {text}", canvas=_HALF,
                name=export.file_name(info.name, s.run.method, f"compared-{k + 1}"),
                table=lambda plane=plane: pd.concat(
                    [triplets.objects, pd.DataFrame(plane, columns=["x1", "x2"])], axis=1
                ),
                on_pick=current.select_positions, caption=text,
            )


def _drawer(
    data: MapData, style: MapStyle, window: tuple[np.ndarray, np.ndarray],
    before: np.ndarray | None, text: str, revision: str,
) -> Callable[[Canvas], Any]:
    def draw(canvas: Canvas) -> Any:
        figure = embedding_map(
            data, style, caption=text, revision=revision, canvas=canvas
        )
        if before is not None:
            path = np.full((len(before), 3, 2), np.nan)
            path[:, 0], path[:, 1] = before, data.positions
            path = path.reshape(-1, 2)
            figure.add_scatter(
                x=path[:, 0], y=path[:, 1], mode="lines", hoverinfo="skip", showlegend=False,
                line={"color": "rgba(128,128,128,0.55)", "width": canvas.scale},
            )
            figure.data = (figure.data[-1], *figure.data[:-1])  # below the points
        figure.update_xaxes(range=[window[0][0], window[1][0]])
        figure.update_yaxes(range=[window[0][1], window[1][1]])
        figure.update_traces(marker_showscale=False, selector={"type": "scatter"})
        return figure

    return draw


def _map_caption(info: DatasetInfo, shown: Shown, reference: Shown, place: int) -> str:
    text = f"{info.name}. Training error {shown.fitted.triplet_error_:.3f}, " \
           f"{count(shown.fitted.n_iter_, 'iteration')}, {duration(shown.run.seconds)}."
    if not shown.run.complete:
        text += " Stopped early."
    if shown.fitted.n_components > 2:
        text += " First two axes of the reference." if place else " First two principal axes."
    if place:
        disparity, overlap = _closeness(shown, reference)
        text += (
            f" {100 * disparity:.1f} % of the reference's variance differ; {100 * overlap:.0f} % "
            f"of the {_neighbours(info.n_objects)} nearest neighbours are the same."
        )
    return text


def _closeness(first: Shown, second: Shown) -> tuple[float, float]:
    """Procrustes disparity and share of neighbours in common."""
    both = first.fitted.placed_ & second.fitted.placed_
    most = max(first.fitted.n_components, second.fitted.n_components)
    a, b = (
        np.pad(s.fitted.embedding_[both], ((0, 0), (0, most - s.fitted.n_components)))
        for s in (first, second)
    )
    return procrustes_disparity(a, b), neighbour_overlap(a, b, _neighbours(len(both)))


def _neighbours(n_objects: int) -> int:
    """How many neighbours are compared: of few objects all would be shared by chance."""
    return min(max(n_objects // 5, 1), 10)


def _agreement(current: Session, info: DatasetInfo, shown: list[Shown]) -> None:
    if len(shown) < 2:
        st.caption("Choose a second map to see how far they agree.")
        return
    pairs = np.ones((len(shown), len(shown)))
    rows = []
    for (i, a), (j, b) in itertools.combinations(enumerate(shown), 2):
        disparity, overlap = _closeness(b, a)
        pairs[i, j] = pairs[j, i] = overlap
        rows.append({"map": a.name, "and": b.name, "Procrustes disparity": disparity,
                     "neighbours in common": overlap})
    table = pd.DataFrame(rows)
    text = (
        f"{info.name}. Share of the {_neighbours(info.n_objects)} nearest neighbours that two "
        "maps have in common."
    )

    def draw(canvas: Canvas) -> Any:
        return agreement_matrix(
            pairs, [s.name for s in shown], title="neighbours in common", caption=text,
            canvas=canvas,
        )

    with st.expander("How far the maps agree", expanded=len(shown) > 2):
        st.dataframe(
            table, hide_index=True, key="compare.pairs",
            column_config={name: st.column_config.NumberColumn(format="%.3f")
                           for name in ("Procrustes disparity", "neighbours in common")},
        )
        if len(shown) > 2:
            panels.figure_panel(
                current, draw, key="compare.agreement", alt=text, caption=text,
                canvas=replace(_HALF, width=700.0), table=lambda: table,
                name=export.file_name(info.name, "maps", "agreement"),
            )


# Enough answers? -----------------------------------------------------------------------------


def _enough(current: Session, info: DatasetInfo, triplets: Triplets, job: Job | None) -> None:
    picture, side = st.columns([3, 1], gap="large")
    with side:
        known = {name: method.title for name, method in methods("embedding").items()}
        name = pick(current, "compare.curve.method", "Method", known, default="ste")
        d = number(current, "compare.curve.d", "Dimensions", 1, 20, 2) or 2
        options = parameter_form(current, learning_curve, "compare.curve")
        method = methods("embedding")[name](n_components=d)
        found = analysis.find(info, triplets, method, "learning_curve", options)
        if st.button(
            "Compute", type="primary", key="compare.curve.run", icon=":material/play_arrow:",
            width="stretch", disabled=found is not None,
            help="Learns from a growing part of the answers and predicts the same held-out ones.",
        ):
            analysis.submit(
                current, info, triplets, _PAGE, f"Learning curve: {info.name}",
                [(method, "learning_curve", options)],
            )
            st.rerun()
    with picture:
        _job(current, job)
        if found is None:
            panels.empty(
                "Nothing is computed yet",
                "Compute shows how the error falls with the number of answers, and whether more "
                "answers would still help.",
            )
            return
        curve = found.curve()
        n = triplets.n_objects
        mark = method.n_components * n * np.log(n)
        text = (
            f"{analysis.describe(method)}. {info.name}: {count(info.n_objects, 'object')}, "
            f"{count(info.n_answers, 'answer')}. Error on a fifth of the questions, "
            f"{len(curve.errors)} random divisions, with a 95 % band."
        )
        repeats = repeat_error(triplets)

        def draw(canvas: Canvas) -> Any:
            return learning_figure(
                curve, mark=mark, repeats=_worth_showing(repeats), caption=text, canvas=canvas
            )

        def table() -> pd.DataFrame:
            return pd.DataFrame({
                "answers": curve.n_answers, "held-out error": curve.mean,
                "low": curve.mean - curve.reach, "high": curve.mean + curve.reach,
            })

        panels.figure_panel(
            current, draw, key="compare.curve.figure", alt=f"Learning curve. {text}",
            canvas=_WIDE, caption=text, table=table,
            name=export.file_name(info.name, method.name, "learning-curve"),
        )
        gain, low, high = curve.gain()
        st.markdown(panels.plain(_verdict(gain, low, high, len(triplets) / mark)))


def _verdict(gain: float, low: float, high: float, ratio: float) -> str:
    shown = f"{gain:.3f} [{low:.3f}, {high:.3f}]"
    amount = f"There are {ratio:.1f} times d n ln n answers."
    if high < 0.005:
        return (
            f"Enough: the second half of the answers lowered the error by {shown} only. {amount}"
        )
    if low > 0:
        return (
            f"More answers would help: the second half lowered the error by {shown}. Twice as "
            f"many would lower it again, by somewhat less. {amount}"
        )
    return (
        f"Undecided: the second half changed the error by {shown}. More repeats narrow this; more "
        f"answers may still help a little. {amount}"
    )


# Best prediction -----------------------------------------------------------------------------


def _tune(current: Session, info: DatasetInfo, triplets: Triplets, job: Job | None) -> None:
    picture, side = st.columns([3, 1], gap="large")
    with side:
        known = {
            name: method.title for name, method in methods("embedding").items()
            if name not in _UNTUNED
        }
        name = pick(current, "compare.tune.method", "Method", known, default="ste")
        options = parameter_form(current, tune, "compare.tune")
        method = methods("embedding")[name]()
        found = analysis.find(info, triplets, method, "tune", options)
        if st.button(
            "Compute", type="primary", key="compare.tune.run", icon=":material/play_arrow:",
            width="stretch", disabled=found is not None,
            help="Cross-validates five strengths of the prior in several numbers of dimensions.",
        ):
            analysis.submit(
                current, info, triplets, _PAGE, f"Tuning: {info.name}", [(method, "tune", options)]
            )
            st.rerun()
    with picture:
        _job(current, job)
        if found is None:
            panels.empty(
                "Nothing is computed yet",
                "Where answers are few, a prior that holds the objects together and the average "
                "of several starts predict better than the best single map. Compute finds out "
                "how strong the prior should be here.",
            )
            return
        tuning = found.tuning()
        table = pd.DataFrame({
            "method": [f"prior {prior:g}" for prior in tuning.prior],
            "dimensions": tuning.n_components, "held-out error": tuning.errors.mean(axis=1),
        })
        text = (
            f"{method.title}, average of {count(method.n_init, 'start')}. {info.name}: "
            f"{count(info.n_answers, 'answer')}. Cross-validated error by strength of the prior."
        )

        def draw(canvas: Canvas) -> Any:
            return dimension_curves(table, caption=text, canvas=canvas)

        panels.figure_panel(
            current, draw, key="compare.tune.figure", alt=text, canvas=_WIDE, caption=text,
            table=lambda: table, name=export.file_name(info.name, method.name, "tuning"),
        )
        best = tuning.setting()
        st.markdown(panels.plain(
            f"For prediction: {count(best['n_components'], 'dimension')}, prior "
            f"{best['prior']:g}, averaging the starts: error {tuning.errors.mean(axis=1).min():.3f}"
            ". On new answers it will be a little higher, because it was the lowest of "
            f"{len(table)}."
        ))
        if st.button("Fit this map", key="compare.tune.use", icon=":material/scatter_plot:"):
            fit_now(current, info, triplets, methods("embedding")[name](**best))
            st.switch_page("../pages/embedding.py")
