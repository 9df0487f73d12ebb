"""What the views of the page Features share: the feature spaces that are held against answers."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Self

import numpy as np
import streamlit as st

from tripletscope.core.data.errors import DataError
from tripletscope.core.data.lazy import cached_property
from tripletscope.core.features.feature_model import FeatureModel
from tripletscope.core.features.spaces import FeatureSpace
from tripletscope.core.inference.held_out.choice_accuracy import ChoiceAccuracy
from tripletscope.core.reading import features_of
from tripletscope.dashboard.files.errors import WorkspaceError
from tripletscope.dashboard.state import widgets
from tripletscope.dashboard.store.feature_tables import KeptTable
from tripletscope.dashboard.store.services import services
from tripletscope.dashboard.ui import panels
from tripletscope.dashboard.ui.context import Context, limits_of
from tripletscope.dashboard.ui.controls import several
from tripletscope.dashboard.ui.elements import show_error
from tripletscope.dashboard.ui.feature_tables import ask_for_tables, place_of_spaces, set_spaces
from tripletscope.dashboard.words.formats import count

PAGE = "features"
#: All columns of numbers of the objects together.
TOGETHER = "All columns of the objects"
#: Feature spaces that are held against each other at a time, and that are chosen to begin with.
MOST, _FIRST = 12, 6
#: Columns of the objects that are offered each.
_COLUMNS = 30


@dataclass(frozen=True)
class FeaturesContext(Context):
    """Feature spaces, and the answers that they are to explain."""

    spaces: tuple[FeatureSpace, ...]

    @cached_property
    def method(self) -> FeatureModel:
        return FeatureModel.of(self.spaces)

    @property
    def names(self) -> list[str]:
        return [space.name for space in self.spaces]

    def without_doubles(self, *, whole: bool) -> Self:
        """Without columns that are in a chosen table of all columns, or without that table.

        What is there twice would share its weight with itself, and add nothing to itself.
        """
        columns = set(self.columns) & set(self.names)
        if not columns or TOGETHER not in self.names:
            return self
        doubles = columns if whole else {TOGETHER}
        spaces = tuple(space for space in self.spaces if space.name not in doubles)
        return replace(self, spaces=spaces)

    @property
    def known(self) -> np.ndarray:
        """(n,) bool: objects that have features in every space."""
        return np.logical_and.reduce([space.known for space in self.spaces])

    @property
    def size_of_work(self) -> int:
        """Answers times features."""
        return len(self.answers) * sum(space.n_features or 1 for space in self.spaces)

    @property
    def choices(self) -> list[ChoiceAccuracy]:
        """Chance and ceiling of every kind of choice among more than two; usually of one kind."""
        return limits_of(self.info, self.answers).choices


def choose_spaces(context: Context) -> FeaturesContext | None:
    """Ask for feature spaces; None, having said so, where there are none."""
    with context.row:
        place = st.container(width=420)
        with st.popover("Tables", icon=":material/table_chart:"):
            tables, added = ask_for_tables(context, PAGE)
    offered = offered_spaces(context, tables)
    if not offered:
        panels.empty(
            "No features yet",
            "Under Tables, upload measurements, ratings, layers of a network, vectors of a "
            "language model, or distances, with one row per object. Example of a CSV file: "
            "id,size,brightness, and below it cup,9,0.3.",
        )
        return None
    key = place_of_spaces(PAGE, context)
    before = widgets().get(key, context.session.remembered(key, _usual(offered)))
    now = [name for name in dict.fromkeys([*before, *added]) if name in offered][-MOST:]
    if now != before:  # tables came or went
        set_spaces(context, PAGE, now or _usual(offered))
    with place:
        chosen = several(
            context.session, key, "Feature spaces", {name: name for name in offered},
            default=_usual(offered), max_selections=MOST,
            help="Numeric columns of the objects, and uploaded tables. All are compared with the "
            "same answers, about objects that are in each.",
        )
    if not chosen:
        panels.empty("Nothing is chosen", "Choose at least one feature space above.")
        return None
    spaces, refused = made_spaces(context, {name: offered[name] for name in chosen})
    for sentence in refused:
        show_error(sentence)
    if not spaces:
        return None
    chosen_spaces = FeaturesContext.of(context, spaces=tuple(spaces))
    inside = chosen_spaces.known
    if not inside.all():
        st.caption(panels.plain(
            f"{count(int(inside.sum()), 'object')} of {len(inside):,} are in all of these; answers "
            "about others are omitted."
        ))
    return chosen_spaces


def choose_spaces_whole(context: Context) -> FeaturesContext | None:
    """The same, without columns that are in a chosen table of all columns."""
    chosen = choose_spaces(context)
    return chosen and chosen.without_doubles(whole=True)


def choose_spaces_apart(context: Context) -> FeaturesContext | None:
    """The same, without the table of all columns if some of them are chosen."""
    chosen = choose_spaces(context)
    return chosen and chosen.without_doubles(whole=False)


def offered_spaces(context: Context, tables: list[KeptTable]) -> dict[str, list[str] | KeptTable]:
    """Columns of the objects, and tables, by their names."""
    objects = context.answers.objects
    columns = [
        column for column in features_of(objects)
        if objects[column].nunique() > 1 and objects[column].notna().sum() > 2
    ]
    offered: dict[str, list[str] | KeptTable] = {TOGETHER: columns} if len(columns) > 1 else {}
    offered |= {column: [column] for column in columns[:_COLUMNS]}
    for table in tables:
        offered[table.name if table.name not in offered else f"{table.name} (table)"] = table
    return offered


def _usual(offered: Mapping[str, list[str] | KeptTable]) -> list[str]:
    """What is chosen to begin with: tables before single columns."""
    return sorted(offered, key=lambda name: not isinstance(offered[name], KeptTable))[:_FIRST]


def made_spaces(
    context: Context, chosen: Mapping[str, list[str] | KeptTable]
) -> tuple[list[FeatureSpace], list[str]]:
    """Feature spaces of columns and tables, and what is wrong with the others."""
    spaces, refused = [], []
    objects = context.answers.objects
    for name, what in chosen.items():
        try:
            if isinstance(what, KeptTable):
                spaces.append(_of_table(context, name, what))
            else:
                spaces.append(FeatureSpace(
                    name=name, values=objects[what].to_numpy(dtype=float, na_value=np.nan),
                    feature_names=what, standardise=len(what) > 1,
                ))
        except (DataError, WorkspaceError) as error:
            refused.append(str(error))
    return spaces, refused


def _of_table(context: Context, name: str, kept: KeptTable) -> FeatureSpace:
    table = services().workspace.table(context.info, kept, context.answers)
    if table.distances is not None:
        return FeatureSpace(name=name, distances=table.distances)
    settings = {"standardise": bool(table.columns), "metric": "euclidean", **kept.settings}
    return FeatureSpace(
        name=name, values=table.values, feature_names=table.columns or None, **settings
    )
