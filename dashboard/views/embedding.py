"""A map of the objects: computed, watched, looked at, taken away."""

from __future__ import annotations

import base64
from collections import Counter
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, replace
from functools import cached_property, partial
from typing import Any

import numpy as np
import pandas as pd
import streamlit as st

from core.embedding.ordinal import OrdinalEmbedding
from core.inspection import answers_at_odds, inspect_objects
from core.method import Method, methods
from core.run import Run, key
from core.score import CHANCE, cross_validate, has_split
from core.triplets import Triplets
from core.uncertainty import bootstrap
from dashboard import analysis, export, panels
from dashboard.chart import chart
from dashboard.controls import method_form, parameter_form, pick, pressed, switch
from dashboard.figures.colours import is_quantity
from dashboard.figures.fit import loss_curves
from dashboard.figures.map import embedding_map
from dashboard.figures.points import MapData, MapStyle
from dashboard.figures.space import CROWD
from dashboard.jobs import Job
from dashboard.services import services
from dashboard.state import Session
from dashboard.theme import Canvas, count, duration, interval, number
from dashboard.views.dataset import answer_table, picture_addresses
from dashboard.workspace import DatasetInfo, RunInfo

_MAP = Canvas(900.0, 620.0)
_LIVE = Canvas(900.0, 480.0)
_COVERAGES = {0.0: "Off", 0.5: "50 %", 0.8: "80 %", 0.95: "95 %", 0.99: "99 %"}
_DEFAULT_METHOD = "ste"
_MOST_AT_ODDS = 200

COVERAGE_NOTE = (
    "The {shape} show where an object would lie in {share} of repetitions of the same experiment "
    "with as many answers. They do not cover a model that is wrong for these people or objects, "
    "nor questions that were never asked."
)


@dataclass(frozen=True)
class Result:
    """A fitted map with what was computed for it."""

    info: DatasetInfo
    triplets: Triplets
    fit: Run
    bootstrap: Run | None
    error: Run | None

    @cached_property
    def fitted(self) -> OrdinalEmbedding:
        return self.fit.fitted()

    @cached_property
    def covariances(self) -> np.ndarray | None:
        return self.bootstrap.samples().covariances if self.bootstrap else None

    @property
    def runs(self) -> dict[str, Run]:
        found = {"fit": self.fit, "bootstrap": self.bootstrap, "error": self.error}
        return {name: run for name, run in found.items() if run is not None}


def show_embedding(current: Session, info: DatasetInfo) -> None:
    """The whole page for an open data set."""
    triplets = current.triplets()
    job = services().jobs.latest(current.id, current.slot("embedding"))
    listed = services().workspace.runs(info.id, "fit")
    if job is None and not listed:
        job = analysis.start(current, info, triplets, _default_method(), _default_tasks(triplets))
    picture, side = st.columns([3, 1], gap="large")
    with side:
        _settings(current, info, triplets)
        chosen = _choose_run(current, info, listed) if listed else None
    with picture:
        _job(current, job, triplets)
        fitting = job is not None and job.active and job.step == 0
        if chosen is not None and not fitting:
            result = _result(info, triplets, chosen)
            _map(current, result)
    if chosen is not None and not fitting:
        _quality(result)
        _selection(current, result)


def _result(info: DatasetInfo, triplets: Triplets, chosen: RunInfo) -> Result:
    fit = services().workspace.run(info.id, chosen.key)
    method = fit.fresh()
    errors = (analysis.find(info, triplets, method, t) for t in ("split_error", "cross_validate"))
    known = [run for run in errors if run is not None]
    newest = max(known, key=lambda run: run.created, default=None)
    return Result(info, triplets, fit, analysis.find(info, triplets, method, "bootstrap"), newest)


# Settings ------------------------------------------------------------------------------------


def _default_method() -> Method:
    return methods("embedding")[_DEFAULT_METHOD]()


def _default_tasks(triplets: Triplets) -> dict[str, dict[str, Any]]:
    return {"bootstrap": {}, ("split_error" if has_split(triplets) else "cross_validate"): {}}


def _settings(current: Session, info: DatasetInfo, triplets: Triplets) -> None:
    st.subheader("Method", anchor=False)
    method = method_form(current, "embedding", "embedding", _DEFAULT_METHOD)
    tasks: dict[str, dict[str, Any]] = {}
    with st.expander("Uncertainty and error"):
        if switch(current, "embedding.bootstrap", "Bootstrap the positions", True):
            tasks["bootstrap"] = parameter_form(current, bootstrap, "embedding.bootstrap")
        schemes = {"cross_validate": "Cross-validation by question", "none": "Not computed"}
        if has_split(triplets):
            schemes = {"split_error": "The data's own test answers", **schemes}
        scheme = pick(
            current, f"embedding.error@{info.id}", "Held-out error", schemes,
            help="Error on answers that the map was not fitted to. All answers to one question "
            "are held out together.",
        )
        if scheme == "cross_validate":
            tasks[scheme] = parameter_form(current, cross_validate, "embedding.cross_validate")
        elif scheme == "split_error":
            tasks[scheme] = {}
    if pressed(current, "fit", "Fit", type="primary", icon=":material/play_arrow:",
               width="stretch"):
        analysis.start(current, info, triplets, method, tasks)
        current.drafts[_shown(info)] = key("fit", method, triplets)
        st.rerun()


def fit_now(current: Session, info: DatasetInfo, triplets: Triplets, method: Method) -> None:
    """Fit a method with the usual uncertainty and error, and show its map on the page."""
    analysis.start(current, info, triplets, method, _default_tasks(triplets))
    current.drafts[_shown(info)] = key("fit", method, triplets)


def _shown(info: DatasetInfo) -> str:
    """Where the session notes which map of a data set is shown."""
    return f"embedding.shown@{info.id}"


def _choose_run(current: Session, info: DatasetInfo, listed: list[RunInfo]) -> RunInfo:
    st.subheader("Maps", anchor=False)
    runs = {run.key: run for run in listed}
    wanted = current.drafts.get(_shown(info))
    shown = wanted if wanted in runs else listed[0].key
    names = _distinct(
        run.name if run.complete else f"{run.name} (stopped early)" for run in listed
    )
    chosen = st.selectbox(
        "Shown", list(runs), index=list(runs).index(shown), label_visibility="collapsed",
        format_func=dict(zip(runs, names, strict=True)).__getitem__,
        key=current.key_following("shown", shown),
    )
    if chosen != shown:
        current.drafts[_shown(info)] = chosen
        st.rerun()
    run = runs[shown]
    with st.popover("Rename or delete", icon=":material/edit:", width="stretch"):
        name = st.text_input("Name", run.name, max_chars=120, key=f"run.name.{run.id}")
        if name.strip() and name != run.name:
            services().workspace.rename_run(run.id, name.strip())
            st.rerun()
        if pressed(current, f"run.delete.{run.id}", "Delete", icon=":material/delete:"):
            panels.ask_to_delete(
                "this map",
                f"{run.name}, with its uncertainty and error, will be gone. It can be computed "
                "again.",
                partial(services().workspace.delete_run, run.id),
            )
    return run


def _distinct(names: Iterable[str]) -> list[str]:
    """The same names, numbered where they repeat."""
    seen: Counter[str] = Counter()
    found = []
    for name in names:
        seen[name] += 1
        found.append(name if seen[name] == 1 else f"{name} ({seen[name]})")
    return found


# A job at work -------------------------------------------------------------------------------


def _job(current: Session, job: Job | None, triplets: Triplets) -> None:
    if job is None:
        return
    drawn_at = job.step

    def show(job: Job) -> None:
        if job.step != drawn_at:
            st.rerun()  # the map is there, or has got its ellipses
        panels.progress_line(job, "page")
        if job.step == 0:
            _live(job, triplets)

    panels.watch(current, job, show)


def _live(job: Job, triplets: Triplets) -> None:
    snapshot, losses = job.snapshot, {start: list(c) for start, c in job.losses.items()}
    if snapshot is None or not losses:
        return
    data = MapData(snapshot, triplets.objects)
    chart(
        embedding_map(data, MapStyle(marks="points", uncertainty=False), revision="live",
                      canvas=_LIVE),
        key="live.map", alt="The map while it is being computed", height=int(_LIVE.height),
    )
    chart(
        loss_curves(losses), key="live.loss", height=200,
        alt="Loss against iteration, one line for every start",
    )


# The map -------------------------------------------------------------------------------------


def _map(current: Session, result: Result) -> None:
    style = _style(current, result)
    data = MapData(
        np.where(result.fitted.placed_[:, None], result.fitted.embedding_, np.nan),
        result.triplets.objects, result.covariances,
        picture_addresses(result.info, result.triplets.objects, 64),
        current.selected_positions(result.triplets),
    )
    text = caption(result, style)

    def draw(canvas: Canvas) -> Any:
        shown = data if canvas.screen else replace(data, pictures=_embedded(result.info, data))
        return embedding_map(shown, style, caption=text, revision=result.fit.key, canvas=canvas)

    def bundle() -> None:
        st.download_button(
            "Download everything", _everything(current, result, draw, name), f"{name}.zip",
            "application/zip", key="everything", icon=":material/folder_zip:", on_click="ignore",
            help="The figure in every format, coordinates, covariances, the table of objects and "
            "the settings, as one ZIP.",
        )

    note = ""
    if style.uncertainty:
        shape = _shape(result.fitted.n_components, style.flat)
        note = COVERAGE_NOTE.format(shape=shape, share=_COVERAGES[style.coverage])
        if shape == "ellipsoids" and result.info.n_objects > CROWD and not data.selected:
            note = "Select objects, by click or in the table, to see their ellipsoids. " + note
    name = export.file_name(result.info.name, result.fit.method, "map")
    panels.figure_panel(
        current, draw, key="map", name=name, canvas=_MAP,
        alt=f"Map of {count(result.triplets.n_objects, 'object')}. {text}",
        table=lambda: coordinates(result),
        pictures=picture_addresses(result.info, result.triplets.objects, 320),
        on_pick=current.select_positions, caption=f"{text} {note}", further=bundle,
    )


def _style(current: Session, result: Result) -> MapStyle:
    objects, info = result.triplets.objects, result.info
    d = result.fitted.n_components
    columns = {c: c for c in objects.columns if c not in ("id", "label", "image")}
    quantities = {c: c for c in columns if is_quantity(objects[c])}
    mark, against, flat, coverage = "points", "", True, 0.0
    with st.container(horizontal=True, vertical_alignment="top"):
        if d > 2:
            views = {True: "First two axes", False: "Three dimensions"}
            flat = pick(current, f"map.flat@{info.id}", "View", views, default=False, width=180)
        if d > 1:
            marks = {"points": "Points", "labels": "Labels"}
            if flat and picture_addresses(info, objects, 64):
                marks["pictures"] = "Pictures"
            mark = pick(current, f"map.marks.{'plane' if flat else 'space'}@{info.id}", "Show",
                        marks, default=list(marks)[-1], width=130)
        colour = pick(current, f"map.colour@{info.id}", "Colour", {"": "None", **columns},
                      default=next(iter(quantities), ""), width=180)
        if d == 1:
            against = pick(current, f"map.against@{info.id}", "Against",
                           {"": "Order on the scale", **quantities},
                           default=next(iter(quantities), ""), width=180)
        if result.covariances is not None:
            coverage = pick(current, "map.coverage", _shape(d, flat).capitalize(), _COVERAGES,
                            default=0.95, width=110,
                            help="Share of repetitions of the experiment that they cover.")
    return MapStyle(mark, colour or None, coverage > 0, coverage, against or None, flat)


def _shape(n_components: int, flat: bool) -> str:
    """What shows the uncertainty of a position."""
    if n_components == 1:
        return "error bars"
    return "ellipses" if n_components == 2 or flat else "ellipsoids"


def _embedded(info: DatasetInfo, data: MapData) -> Mapping[int, str]:
    """The pictures themselves in the place of their addresses, for files."""
    names = data.objects["image"] if data.pictures else []
    found = {}
    for i in data.pictures:
        path = services().workspace.picture(info.pictures[names[i]], 320)
        found[i] = f"data:image/png;base64,{base64.b64encode(path.read_bytes()).decode()}"
    return found


def caption(result: Result, style: MapStyle) -> str:
    """Method, parameters, data, uncertainty and error of a map, in a few sentences."""
    fitted, numbers = result.fitted, result.fit.numbers
    words = [analysis.describe(fitted)]
    if fitted.n_init == type(fitted).n_init:  # otherwise it was named
        words.append(f"lowest loss of {count(fitted.n_init, 'start')}")
    if fitted.prior and fitted.prior == type(fitted).prior:
        words.append(f"prior {fitted.prior:g}")
    if not result.fit.complete:
        words.append("stopped early")
    elif not numbers["converged_"]:
        words.append("not converged")
    sentences = [
        f"{', '.join(words)}.",
        f"{result.info.name}: {count(result.info.n_objects, 'object')}, "
        f"{count(result.info.n_answers, 'answer')}.",
    ]
    if fitted.n_components > 2 and style.flat:
        sentences.append("First two of the principal axes.")
    if style.uncertainty and result.bootstrap:
        options = result.bootstrap.options
        how = (
            "answers drawn with replacement" if options["scheme"] == "resample"
            else f"subsamples of {options['share']:.0%} of the answers"
        )
        made = len(result.bootstrap.arrays["embeddings"])
        shape = _shape(fitted.n_components, style.flat)
        sentences.append(
            f"{_COVERAGES[style.coverage]} {shape} from {count(made, 'replicate')}, {how}."
        )
    if result.error:
        estimate = result.error.error()
        sentences.append(
            f"Held-out error {interval(estimate.error, estimate.low, estimate.high)}, "
            f"{estimate.scheme}; chance {CHANCE:g}."
        )
    return " ".join(sentences)


# Files ---------------------------------------------------------------------------------------


def coordinates(result: Result) -> pd.DataFrame:
    """Position of every object, with what else is known of it; empty where it has none."""
    axes = [f"x{c + 1}" for c in range(result.fitted.n_components)]
    places = pd.DataFrame(
        np.where(result.fitted.placed_[:, None], result.fitted.embedding_, np.nan), columns=axes
    )
    objects = result.triplets.objects.drop(columns="image", errors="ignore")
    return pd.concat([objects, places], axis=1)


def covariance_table(result: Result) -> pd.DataFrame:
    """Entries of every object's covariance, on and above the diagonal."""
    d = result.fitted.n_components
    rows, columns = np.triu_indices(d)
    entries = result.covariances[:, rows, columns]
    names = [f"cov_x{r + 1}_x{c + 1}" for r, c in zip(rows, columns, strict=True)]
    ids = result.triplets.objects[["id"]]
    return pd.concat([ids, pd.DataFrame(entries, columns=names)], axis=1)


def _everything(
    current: Session, result: Result, draw: Callable, name: str
) -> Callable[[], bytes]:
    size = export.PrintSize(
        ratio=_MAP.height / _MAP.width, **current.drafts.get("print size", {})
    )

    def make() -> bytes:
        files = {
            f"{name}-coordinates.csv": export.csv(coordinates(result)),
            f"{name}-objects.csv": export.csv(_inspected(result, 0.95)),
            f"{name}-settings.json": export.settings(
                result.runs,
                {
                    "name": result.info.name, "origin": result.info.origin,
                    "fingerprint": result.info.fingerprint, "objects": result.info.n_objects,
                    "answers": result.info.n_answers, "reading": result.info.report,
                },
            ),
        }
        if result.covariances is not None:
            files[f"{name}-covariances.csv"] = export.csv(covariance_table(result))
        possible = export.can_render()
        for form in export.FORMATS:
            if possible or form not in export.NEED_BROWSER:
                files[f"{name}.{form}"] = export.render(draw, form, size)
        return export.bundle(files)

    return make


# Below the map -------------------------------------------------------------------------------


def _quality(result: Result) -> None:
    numbers = result.fit.numbers
    facts = st.columns(4)
    if result.error:
        estimate = result.error.error()
        facts[0].metric(
            "Held-out error", f"{estimate.error:.3f}",
            help=f"{interval(estimate.error, estimate.low, estimate.high)}, 95 % interval; "
            f"{estimate.scheme}. Guessing gives {CHANCE:g}.",
        )
        facts[0].caption(
            f"[{estimate.low:.3f}, {estimate.high:.3f}], chance {CHANCE:g}".replace("[", "\\[")
        )
    else:
        facts[0].metric("Held-out error", "—", help="Was not computed.")
    facts[1].metric(
        "Training error", f"{numbers['triplet_error_']:.3f}",
        help="Share of the answers that the map contradicts, among those it was fitted to. It "
        "falls with every dimension; choose by the held-out error.",
    )
    facts[2].metric("Loss", number(numbers["loss_"], 5))
    losses = result.fit.arrays["losses_"]
    same = int(np.sum(losses <= numbers["loss_"] * 1.001))
    facts[2].caption(f"{same} of {count(len(losses), 'start')} within 0.1 %")
    state = "converged" if numbers["converged_"] else "not converged"
    facts[3].metric("Iterations", f"{numbers['n_iter_']:,}")
    facts[3].caption(
        f"{state if result.fit.complete else 'stopped early'}, {duration(result.fit.seconds)}"
    )


def _inspected(result: Result, coverage: float) -> pd.DataFrame:
    return inspect_objects(
        result.fitted, result.triplets, result.covariances, coverage=coverage
    )


def _selection(current: Session, result: Result) -> None:
    chosen = current.selected_positions(result.triplets)
    table = _inspected(result, current.drafts.get("map.coverage") or 0.95)
    pictures = picture_addresses(result.info, result.triplets.objects, 64)
    if pictures:
        table.insert(0, "picture", [pictures.get(i, "") for i in range(len(table))])
    table["contradicted"] *= 100
    if chosen:
        st.subheader(f"{count(len(chosen), 'selected object')}", anchor=False)
        table = table.iloc[chosen]
    else:
        st.subheader("All objects", anchor=False)
        st.caption("Select objects on the map, by lasso or click, to see only these.")
        if "uncertainty" in table:
            table = table.sort_values("uncertainty", ascending=False)
    if (table["id"] == table["label"]).all():
        table = table.drop(columns="id")
    st.dataframe(table, hide_index=True, key="objects", height="auto" if chosen else 300,
                 column_config=_COLUMNS)
    at_odds = answers_at_odds(result.fitted, result.triplets, chosen or None)
    words = count(len(at_odds), "answer is", "answers are")
    with st.expander(f"{words} at odds with the map"):
        st.caption("The clearest contradictions come first.")
        st.dataframe(answer_table(result.triplets, at_odds[:_MOST_AT_ODDS]), hide_index=True,
                     key="at odds")
        st.download_button(
            "All of them (CSV)", lambda: export.csv(answer_table(result.triplets, at_odds)),
            "answers-at-odds.csv", "text/csv", key="at odds.csv", on_click="ignore",
        )


_COLUMNS = {
    "picture": st.column_config.ImageColumn("", width="small"),
    "neighbours": st.column_config.ListColumn("nearest neighbours", width="large"),
    "contradicted": st.column_config.ProgressColumn(
        "answers contradicted", format="%.0f %%", min_value=0.0, max_value=100.0,
        help="Share of the answers about the object that the map contradicts.",
    ),
    "uncertainty": st.column_config.NumberColumn(
        format="%.3f",
        help="Length of the error bar to one side, or radius of the circle or ball as large as "
        "the object's ellipse or ellipsoid; 1 is the root mean square distance of the objects "
        "from the centre of the map.",
    ),
}
