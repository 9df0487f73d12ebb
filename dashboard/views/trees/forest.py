"""A column of the objects, predicted by comparison forests."""

from __future__ import annotations

from typing import Any

import numpy as np
import pandas as pd
import streamlit as st

from tripletscope.core.tree import ComparisonForest
from tripletscope.core.tree.prediction import ForestErrors, grown_forest
from tripletscope.dashboard import export
from tripletscope.dashboard.figures.colours import is_quantity
from tripletscope.dashboard.figures.labels import short_labels
from tripletscope.dashboard.figures.matrix import most_similar
from tripletscope.dashboard.figures.observers import square_matrix
from tripletscope.dashboard.figures.prediction import error_curves, predicted_against_true
from tripletscope.dashboard.interface import panels
from tripletscope.dashboard.interface.controls import pick, slide
from tripletscope.dashboard.interface.theme import WIDE, Canvas, count, number
from tripletscope.dashboard.views.page import tab
from tripletscope.dashboard.views.pictures import picture_addresses
from tripletscope.dashboard.views.trees.grove import PAGE, Grove, choose_space

_SQUARE = Canvas(640.0, 480.0)
_BARS = Canvas(620.0, 480.0)
_MOST_PIVOTS = 20


@tab(PAGE, "Prediction", 3, needs=choose_space)
def show_prediction(grove: Grove) -> None:
    """Errors by leaf size and number of trees, what is predicted wrongly, and by which pivots."""
    if not grove.explained:
        panels.empty(
            "There is nothing to predict",
            "Forests predict a column of the stimulus metadata"
            f"{' that is no feature' if grove.has_features else ''}. Add one on the page Data.",
        )
        return
    picture, side = st.columns([3, 1], gap="large")
    with side:
        options = grove.options(
            "forest_errors", columns={"objects": grove.explained}, hidden=("kind",)
        )
        numeric = is_quantity(grove.triplets.objects[options["column"]])
        options["kind"] = "numbers" if numeric else "classes"
        run = grove.computed(
            "forest_errors", options, "Predicting by forests",
            "Predicts held-out values with several leaf sizes and numbers of trees.",
        )
    with picture:
        if run is None:
            grove.empty(
                "Nothing has been computed yet",
                "Compute shows how well a forest that uses only comparisons predicts "
                f"{options['column']} of held-out objects, next to methods that see "
                f"{grove.source}.",
            )
            return
        found: ForestErrors = run.result()
        with side:
            a, b = _setting(grove, found)
        _curve(grove, found, options, a, b)
        _outcome(grove, found, options, a, b)
        _forest(grove, found, options, a, b)


def _setting(grove: Grove, found: ForestErrors) -> tuple[int, int]:
    """Ask for leaf size and number of trees; by default those that err least."""
    best = found.best
    leaves, trees = found.leaf_sizes.tolist(), found.n_trees.tolist()
    size = slide(
        grove.session, f"{PAGE}.n0@{grove.info.id}", "Leaf size", leaves,
        default=leaves[best[0]], help="Cells of at most this many objects are not divided.",
    )
    n = slide(
        grove.session, f"{PAGE}.m@{grove.info.id}", "Trees", trees, default=trees[best[1]],
        help="More trees reduce the error, slowly beyond a hundred.",
    )
    return leaves.index(size), trees.index(n)


def _words(grove: Grove, found: ForestErrors, options: dict[str, Any]) -> str:
    known = int(np.isfinite(found.truth).sum())
    who = grove.source if options["answers"] == "fitted" else f"the data, then {grove.source}"
    share = options["max_samples"]
    return (
        f"Comparison forest for {options['column']} of {count(known, 'object')}, answered by "
        f"{who}{f', each tree of {100 * share:.0f} % of the objects' if share < 1 else ''}; "
        f"{len(found.errors)} folds. {grove.about}"
    )


def _curve(
    grove: Grove, found: ForestErrors, options: dict[str, Any], a: int, b: int
) -> None:
    table, grouped = found.table(), len(found.classes) > 0
    value = "share of wrong classes" if grouped else "root mean square error"
    mine = table[(table["leaf size"] == found.leaf_sizes[a])
                 & (table["trees"] == found.n_trees[b])].iloc[0]
    best = table.iloc[int(np.argmin(table["error"]))]
    constant = "the most frequent class" if grouped else "the mean"
    gain, chosen = (
        f"{number(mean)} ± {number(reach)}" for mean, reach in (found.gain(a, b), found.chosen_gain)
    )
    useless = (
        f" **This forest is not clearly better than always predicting {constant}:** the difference "
        f"is {gain}, or {chosen} where the other folds choose leaf size and number of trees. "
        "Comparisons may say little about this column." if not found.is_better(a, b) else ""
    )
    st.markdown(panels.plain(
        f"With leaf size {found.leaf_sizes[a]} and {count(found.n_trees[b], 'tree')}: error "
        f"{number(mine['error'])} [{number(mine['low'])}, {number(mine['high'])}]. "
        f"Always predicting {constant} gives {number(found.chance)}; the lowest of all is "
        f"{number(best['error'])} ({best['method'].lower()})."
    ) + useless)
    lines = table.rename(columns={"error": value})
    forest = lines["trees"].notna()
    sizes = lines["leaf size"].map(lambda size: f"leaf size {size:.0f}")
    lines["line"] = lines["method"].where(~forest, sizes)
    # The leaf size that was chosen, and the peers; the others without their intervals.
    shown = forest & (lines["leaf size"] == found.leaf_sizes[a])
    text = (
        "Held-out error against the number of trees, with 95 % intervals over folds of the objects "
        f"(Nadeau and Bengio), {grove.source} as given. The other methods see {grove.source}; the "
        f"lowest of many errors is optimistic. {_words(grove, found, options)}"
    )
    rows = lines[shown | ~forest].rename(columns={"trees": "number of trees"})

    def draw(canvas: Canvas) -> Any:
        return error_curves(
            rows, line="line", x="number of trees", value=value, mark=float(found.n_trees[b]),
            caption=text, canvas=canvas,
        )

    panels.figure_panel(
        grove.session, draw, key="trees.forest.figure", alt=text, canvas=WIDE, caption=text,
        name=export.file_name(grove.info.name, options["column"], "forest-errors"),
        table=lambda: table,
    )
    with st.expander("All leaf sizes and numbers of trees"):
        st.dataframe(
            table, hide_index=True, placeholder="", key="trees.forest.table",
            column_config={c: st.column_config.NumberColumn(format="%.3g")
                           for c in ("error", "low", "high")},
        )


def _outcome(
    grove: Grove, found: ForestErrors, options: dict[str, Any], a: int, b: int
) -> None:
    title = "Misclassifications" if len(found.classes) else "Predicted and true values"
    st.subheader(title, anchor=False)
    choices = {"": "Comparison forest", **{name: name for name in found.peers.tolist()}}
    whose = pick(grove.session, f"{PAGE}.whose", "Predicted by", choices, width=280)
    predicted = found.predicted[a, b]
    if whose:
        predicted = found.peer_predicted[found.peers.tolist().index(whose)]
    own = f", leaf size {found.leaf_sizes[a]}, {count(found.n_trees[b], 'tree')}"
    setting = "" if whose else own
    text = f"{choices[whose]}{setting}. {_words(grove, found, options)}"
    ids, labels = grove.triplets.ids, grove.triplets.labels
    names = found.classes.tolist()

    def table() -> pd.DataFrame:
        known = np.flatnonzero(np.isfinite(found.truth))
        rows = pd.DataFrame({"id": [ids[i] for i in known]})
        for name, values in (("true", found.truth), ("predicted", predicted)):
            held = values[known]
            rows[name] = [names[int(v)] for v in held] if names else held
        return rows

    def draw(canvas: Canvas) -> Any:
        if not names:
            return predicted_against_true(
                found.truth, predicted, labels, name=options["column"], caption=text,
                selected=grove.selected, canvas=canvas,
            )
        counts = found.confusion(predicted)
        shares = counts / np.maximum(counts.sum(axis=1, keepdims=True), 1)
        return square_matrix(
            shares, names, title="proportion of the row", across="predicted", down="true",
            limits=(0.0, 1.0), caption=text, canvas=canvas,
        )

    about = " Rows: true class; columns: predicted." if names else ""
    panels.figure_panel(
        grove.session, draw, key="trees.outcome", alt=text, canvas=_SQUARE,
        caption=f"{text}{about}", table=table,
        name=export.file_name(grove.info.name, options["column"], "predicted"),
        on_pick=None if names else grove.session.select_positions,
        pictures=picture_addresses(grove.info, grove.triplets.objects, 320),
    )
    wrong = np.flatnonzero(np.isfinite(found.truth) & (predicted != found.truth))
    if names:
        counts = found.confusion(predicted)
        st.dataframe(
            pd.DataFrame({
                "class": names, "objects": counts.sum(axis=1),
                "error": 100 * (1 - counts.diagonal() / np.maximum(counts.sum(axis=1), 1)),
            }),
            hide_index=True, placeholder="", key="trees.classes", column_config={
                "error": st.column_config.ProgressColumn(
                    format="%.0f %%", min_value=0.0, max_value=100.0
                ),
            },
        )
        if len(wrong):
            st.markdown(f"**{count(len(wrong), 'object')} predicted wrongly**")
            st.dataframe(
                pd.DataFrame({
                    "object": [labels[i] for i in wrong],
                    "true": [names[int(k)] for k in found.truth[wrong]],
                    "predicted": [names[int(k)] for k in predicted[wrong]],
                }),
                hide_index=True, placeholder="", key="trees.wrong",
                height=min(38 + 35 * len(wrong), 300),
            )
        st.button(
            f"Select the {count(len(wrong), 'object')} predicted wrongly",
            key="trees.wrong.select", disabled=not len(wrong),
            on_click=grove.session.select_positions, args=(wrong.tolist(),),
        )


def _forest(
    grove: Grove, found: ForestErrors, options: dict[str, Any], a: int, b: int
) -> None:
    """What a forest of all objects says: which pivots matter, and who shares leaves."""
    forest, objects = _grown_forest(
        grove.fit.key, grove.triplets.fingerprint, options["column"], options["kind"],
        options["answers"], options["max_samples"], int(found.leaf_sizes[a]),
        int(found.n_trees[b]), options["seed"], grove,
    )
    importance = forest.pivot_importances_
    order = np.argsort(-importance, kind="stable")[:_MOST_PIVOTS]
    names, members = short_labels(grove.triplets.labels), objects[order].tolist()
    text = (
        f"The {count(len(order), 'pivot')} whose splits lower the "
        f"{'impurity of classes' if len(found.classes) else 'variance'} most, in a forest of all "
        f"objects, leaf size {found.leaf_sizes[a]}, {count(found.n_trees[b], 'tree')}. "
        f"{_words(grove, found, options)}"
    )

    def draw(canvas: Canvas) -> Any:
        return most_similar(
            importance[order], [names[i] for i in members], members,
            title="share of the reduction", caption=text, canvas=canvas,
        )

    def table() -> pd.DataFrame:
        ids = [grove.triplets.ids[i] for i in objects]
        rows = pd.DataFrame({"id": ids, "importance": importance})
        return rows.sort_values("importance", ascending=False)

    def proximities() -> bytes:
        ids = [grove.triplets.ids[i] for i in objects]
        matrix = pd.DataFrame(forest.proximity(), index=ids, columns=ids)
        return export.csv(matrix.rename_axis("id").reset_index())

    def further() -> None:
        st.download_button(
            "Proximities (CSV)", proximities,
            f"{export.file_name(grove.info.name, options['column'], 'proximities')}.csv",
            "text/csv", key="trees.proximities.csv", on_click="ignore",
            icon=":material/grid_on:",
            help="How often any two objects share a leaf: a similarity matrix.",
        )

    st.subheader("Important pivots", anchor=False)
    panels.figure_panel(
        grove.session, draw, key="trees.pivots", alt=text, canvas=_BARS, caption=text, table=table,
        name=export.file_name(grove.info.name, options["column"], "pivots"), further=further,
        on_pick=grove.session.select_positions,
        pictures=picture_addresses(grove.info, grove.triplets.objects, 320),
    )


@st.cache_resource(max_entries=8, show_spinner="Growing the forest")
def _grown_forest(
    fit: str, data: str, column: str, kind: str, answers: str, share: float, leaf_size: int,
    n_trees: int, seed: int, _grove: Grove,
) -> tuple[ComparisonForest, np.ndarray]:
    return grown_forest(
        _grove.fitted, _grove.triplets, column, kind=kind, answers=answers, max_samples=share,
        leaf_size=leaf_size, n_estimators=n_trees, seed=seed,
    )
