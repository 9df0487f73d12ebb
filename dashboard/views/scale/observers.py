"""How participants differ: who predicts whom, what pooling brings, a map of each."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
import pandas as pd
import streamlit as st

from tripletscope.core.cluster import Agglomerative
from tripletscope.core.engine.method import Method
from tripletscope.core.inference.evaluation.score import CHANCE
from tripletscope.core.kernel.space import Space
from tripletscope.core.models.embedding.default import DEFAULT_EMBEDDING
from tripletscope.core.people.maps import ObserverMaps
from tripletscope.core.people.predictions import (
    PoolingCurve,
    Predictions,
    pooling_curve,
    who_predicts_whom,
)
from tripletscope.core.scale import MLDS
from tripletscope.dashboard import analysis, export
from tripletscope.dashboard.figures.dendrogram import (
    DendrogramData,
    Rows,
    dendrogram,
    screen_height,
)
from tripletscope.dashboard.figures.labels import short_people
from tripletscope.dashboard.figures.observers import (
    grid_height,
    map_grid,
    pooling_figure,
    relation_dots,
    square_matrix,
)
from tripletscope.dashboard.interface import panels
from tripletscope.dashboard.interface.controls import number, parameter_form, pick, pick_method
from tripletscope.dashboard.interface.theme import Canvas, count
from tripletscope.dashboard.interface.watching import watch
from tripletscope.dashboard.results.clusters import by_size
from tripletscope.dashboard.results.people import floor_said
from tripletscope.dashboard.views.page import tab
from tripletscope.dashboard.views.scale.context import PAGE, ScaleContext
from tripletscope.dashboard.wording import ENGLISH

_WINDOW = 760


@dataclass(frozen=True)
class People:
    """Participants, and the method that stands for each of them."""

    context: ScaleContext
    method: Method
    by: str
    silences: tuple[str, ...]  #: of whom nothing is said, and why

    @property
    def about(self) -> str:
        """Method and data, for captions."""
        return f"{analysis.describe(self.method)}. {self.context.size}"

    def name(self, *words: str) -> str:
        """Of a file."""
        return export.file_name(self.context.info.name, *words)


@tab(PAGE, "Observers", 5, needs=ScaleContext.of)
def show_observers(context: ScaleContext) -> None:
    """Everything about participants, as far as it was computed."""
    if not context.groups:
        watch(context.job)
        panels.empty(
            "No participants",
            "These answers have no column of participants. Choose it when the file is read.",
        )
        return
    picture, side = context.picture_and_side()
    with side:
        people, asked = _asked(context)
        pieces = {name: piece for name, piece in asked.items() if piece is not None}
        runs = context.results(
            "observers", "Scale", list(pieces.values()),
            "Predicts every participant from each of the others and from growing groups, and maps "
            "each one.",
        )
    found = {
        name: run.result() for name, run in zip(pieces, runs, strict=True) if run is not None
    }
    with picture:
        if not found:
            context.empty(
                "Nothing has been computed yet",
                "Compute shows who predicts whom, how much pooling several participants improves "
                "prediction, and whose maps are similar.",
            )
            return
        for said in people.silences:
            st.markdown(panels.plain(said))
        if "predictions" in found:
            _predictions(people, found["predictions"])
        if "pooling" in found:
            _pooling(people, found["pooling"])
    if "groups" in found:
        _maps(people, found["groups"], "groups", "Groups side by side")
    if "maps" in found:
        _maps(people, found["maps"], "maps", "Individual maps")
        _distances(people, found["maps"])
    elif not maps_are_made(people.method):
        st.caption(
            "Difference scaling computes no maps: see the view Groups, or choose an embedding."
        )


def _asked(context: ScaleContext) -> tuple[People, dict[str, analysis.Piece | None]]:
    """Ask for method, participants and groups; what is to be computed, by name."""
    current = context.session
    usual = MLDS if context.are_pairs else DEFAULT_EMBEDDING
    method = pick_method(
        current, ("embedding", MLDS.kind), f"{PAGE}.observers.method@{context.info.id}", "Method",
        usual.name,
    )
    values = parameter_form(
        current, method, f"{PAGE}.observers.{method.name}@{context.info.id}",
        columns={"objects": context.stimuli},
    )
    chosen = method(**values)
    columns = {"answers": context.groups}
    options = parameter_form(
        current, who_predicts_whom, f"{PAGE}.who@{context.info.id}", columns=columns
    )
    pools = parameter_form(
        current, pooling_curve, f"{PAGE}.pooling", hidden=("by", "most", "seed")
    )
    by, most, group = options["by"], options["most"], options["group"]
    floors = {
        column: context.floor(chosen, column, most) for column in (by, group) if column is not None
    }
    mapped = [
        column for column, floor in floors.items()
        if maps_are_made(chosen) and floor.reached.sum() > 1
    ]
    asked: dict[str, analysis.Piece | None] = {
        "predictions": (chosen, "who_predicts_whom", options),
        "pooling": (chosen, "pooling_curve", {**pools, "by": by, "most": most}),
        "maps": (chosen, "observer_maps", {"by": by, "most": most}) if by in mapped else None,
    }
    if group != by and group in mapped:
        asked["groups"] = (chosen, "observer_maps", {"by": group, "most": most})
    silences = (floor_said(ENGLISH, floor, column) for column, floor in floors.items())
    return People(context, chosen, by, tuple(filter(None, silences))), asked


def maps_are_made(method: Method) -> bool:
    """Difference scaling makes none."""
    return method.kind == "embedding"


# Predictions ---------------------------------------------------------------------------------


def by_similarity(accuracy: np.ndarray, groups: np.ndarray) -> np.ndarray:
    """Participants by group, and in every group in the order of an average-linkage tree.

    Shapes: groups (p,).
    accuracy (p, p): Of predicting one from another; NaN where this is not known.
    """
    both = np.stack([accuracy, accuracy.T])
    known = np.isfinite(both)
    middle = float(both[known].mean()) if known.any() else 0.0
    alike = np.where(known, both, middle).mean(axis=0)
    apart = alike.max() - alike
    np.fill_diagonal(apart, 0.0)
    found = []
    for group in np.unique(groups):
        members = np.flatnonzero(groups == group)
        space = Space(len(members), np.arange(len(members)), given=apart[np.ix_(members, members)])
        found.append(members[Agglomerative().tree(space).order])
    return np.concatenate(found)


def _predictions(people: People, found: Predictions) -> None:
    told = np.isfinite(found.accuracy).any(axis=1)
    if told.sum() > 1:
        _who_predicts_whom(people, found, told)
    _relations(people, found.relations.dropna(subset="accuracy"))


def _who_predicts_whom(people: People, found: Predictions, told: np.ndarray) -> None:
    """Matrix of those who can be learned from."""
    found = Predictions(
        found.names[told], found.groups[told], found.n_answers[told],
        found.accuracy[np.ix_(told, told)], found.pooled[told],
    )
    order = by_similarity(found.accuracy, found.groups)
    names, groups = found.names[order].tolist(), found.groups[order]
    values = found.accuracy[np.ix_(order, order)]
    grouped = len(np.unique(groups)) > 1
    shown = [f"{n} ({g})" if g else n for n, g in zip(names, groups, strict=True)] \
        if grouped else names
    borders = (np.flatnonzero(groups[1:] != groups[:-1]) + 1).tolist()
    text = (
        f"Prediction between participants: learned from the {people.by} of the row, tested on that "
        f"of the column; on the diagonal, cross-validated. Those who predict each other well stand "
        f"together{', within groups' if grouped else ''}. {people.about}"
    )
    finite = values[np.isfinite(values)]
    top = float(finite.max()) if len(finite) else 1.0

    def draw(canvas: Canvas) -> Any:
        return square_matrix(
            values, shown, title="accuracy", across="predicted", down="learned from",
            limits=(1.0 - CHANCE, max(top, 0.6)), borders=borders, caption=text, canvas=canvas,
        )

    def table() -> pd.DataFrame:
        frame = pd.DataFrame(values, columns=names)
        frame.insert(0, "learned from", names)
        frame.insert(1, "group", groups)
        frame.insert(2, "answers", found.n_answers[order])
        frame.insert(3, "predicted from all others", found.pooled[order])
        return frame

    st.subheader("Who predicts whom", anchor=False)
    panels.figure_panel(
        people.context.session, draw, key=f"{PAGE}.who", alt=text, caption=text, table=table,
        canvas=Canvas(760.0, float(np.clip(190 + 26 * len(names), 320, 900))),
        name=people.name("who-predicts-whom"),
    )


def _relations(people: People, relations: pd.DataFrame) -> None:
    if relations.empty:
        st.markdown(f"There are too few answers to predict any {people.by} from others.")
        return
    text = (
        "Accuracy by source of the prediction, mean over the predicted "
        f"{people.by}s with its 95 % interval over {relations['participants'].max():,} of them "
        f"(jackknife). {people.about}"
    )
    panels.figure_panel(
        people.context.session,
        lambda canvas: relation_dots(relations, caption=text, canvas=canvas),
        key=f"{PAGE}.relations", alt=text, caption=text, table=lambda: relations,
        canvas=Canvas(760.0, 100.0 + 44.0 * len(relations)), name=people.name("self-same-other"),
    )
    means = relations.set_index("relation")["accuracy"]
    parts = [
        f"{100 * means[name]:.0f} % {words.replace('participant', people.by)}"
        for name, words in _WORDS.items() if name in means
    ]
    st.markdown(panels.plain(
        f"Answers of one {people.by} are predicted: {', '.join(parts)}. Chance is "
        f"{100 * CHANCE:.0f} %."
    ))


_WORDS: Mapping[str, str] = {
    "self": "from their own other answers", "another": "from another participant",
    "same group": "from another participant of the same group",
    "other group": "from a participant of another group",
    "all others": "from all others together",
}


def _pooling(people: People, found: PoolingCurve) -> None:
    table = found.table
    text = (
        f"Accuracy against the number of {people.by}s in training, on one who is not among them; "
        f"mean of {count(len(found.accuracy), 'random order')} with a 95 % band over the "
        f"{count(int(table['predicted'].max()), people.by)} predicted. {people.about}"
    )
    st.subheader("Gain from pooling", anchor=False)
    panels.figure_panel(
        people.context.session, lambda canvas: pooling_figure(found, caption=text, canvas=canvas),
        key=f"{PAGE}.pooling.figure", alt=text, caption=text, canvas=Canvas(760.0, 340.0),
        table=lambda: table, name=people.name("pooling"),
    )


# Maps ----------------------------------------------------------------------------------------


def _maps(people: People, found: ObserverMaps, key: str, title: str) -> None:
    context, current = people.context, people.context.session
    st.subheader(title, anchor=False)
    columns = {"": "None", **{c: c for c in context.columns}}
    colour = pick(
        current, f"{PAGE}.{key}.colour@{context.info.id}", "Colour", columns,
        default=next(iter(context.stimuli), ""), width=180,
    ) or None
    names = short_people(found.names.tolist(), 8.0).values()
    titles = [f"{n} ({k:,})" for n, k in zip(names, found.n_answers, strict=True)]
    drawn = np.concatenate([found.common[None], found.maps])
    text = (
        "Maps of all answers and of each, number of answers in brackets, aligned to that of all. "
        f"{people.about}"
    )
    if found.common.shape[1] == 1:
        text += " Horizontal: position in the map of all; vertical: in the map of each."
    if len(titles) == 2:
        text += (
            f" {100 * found.apart[0, 1]:.1f} % of the variance of one map is unexplained by the "
            "other."
            if found.comparable[0, 1] else
            " They have too few objects in common to be compared."
        )

    def draw(canvas: Canvas) -> Any:
        return map_grid(
            drawn, [f"all ({len(context.answers):,})", *titles], context.answers.objects,
            colour=colour, selected=context.selected, caption=text,
            canvas=canvas,
        )

    panels.figure_panel(
        current, draw, key=f"{PAGE}.{key}.figure", alt=text, caption=text, window=_WINDOW,
        canvas=Canvas(900.0, grid_height(drawn)), table=lambda: _positions(context, found),
        name=people.name(key), on_pick=current.select_positions,
    )


def _positions(context: ScaleContext, found: ObserverMaps) -> pd.DataFrame:
    names = ["all", *found.names.tolist()]
    parts = []
    for name, positions in zip(names, [found.common, *found.maps], strict=True):
        axes = {f"x{k + 1}": axis for k, axis in enumerate(positions.T)}
        parts.append(pd.DataFrame({"of": name, "object": context.answers.labels, **axes}))
    return pd.concat(parts, ignore_index=True)


def _distances(people: People, found: ObserverMaps) -> None:
    """Matrix of Procrustes distances, and the tree of the participants."""
    current, tree = people.context.session, found.tree
    names = found.names.tolist()
    st.subheader("Similarity of maps", anchor=False)
    clusters = int(number(
        current, f"{PAGE}.clusters", "Clusters", 1, max(len(names), 1), min(2, len(names)),
        width=160,
    ) or 1)
    about = (
        "Proportion of the variance of one map that is unexplained by the other (Procrustes). "
        f"{people.about}"
    )
    if not found.comparable.all():
        about += " Where two maps have too few objects in common, 1 is shown."
    left, right = st.columns(2)
    order = tree.order
    ordered = found.apart[np.ix_(order, order)]
    matrix = pd.DataFrame(found.apart, index=names, columns=names).rename_axis("of").reset_index()
    with left:
        panels.figure_panel(
            current,
            lambda canvas: square_matrix(
                ordered, [names[i] for i in order], title="variance unexplained",
                across=people.by, down=people.by,
                limits=(0.0, max(float(ordered.max()), 0.01)), caption=about, canvas=canvas,
            ),
            key=f"{PAGE}.apart", alt=about, caption=about, table=lambda: matrix,
            canvas=Canvas(480.0, float(np.clip(170 + 20 * len(names), 320, 620))),
            name=people.name("procrustes"),
        )
    rows = Rows(tree, len(names))
    data = DendrogramData(
        tree, pd.DataFrame({"id": names, "label": names}), by_size(tree.cut(clusters)),
        tree.height_for(clusters),
    )
    text = f"Average linkage of the {people.by}s by the dissimilarity of their maps. {people.about}"
    with right:
        panels.figure_panel(
            current,
            lambda canvas: dendrogram(
                data, rows, title="variance unexplained", caption=text,
                revision=f"{clusters}", canvas=canvas,
            ),
            key=f"{PAGE}.tree", alt=text, caption=text, name=people.name("tree"),
            canvas=Canvas(480.0, screen_height(rows, pictures=False)), window=_WINDOW,
            table=lambda: pd.DataFrame({
                "name": names, "cluster": data.clusters + 1, "answers": found.n_answers,
            }),
        )
    st.caption(
        "Maps of one person's answers differ by chance, too: before interpreting clusters, compare "
        "with the distances between random halves of one participant's answers."
    )
