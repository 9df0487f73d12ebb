"""What the views of the page Trees share: the map, kernel or features that answer; the tree."""

from __future__ import annotations

import copy
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any, TypeVar

import numpy as np
import pandas as pd
import streamlit as st

from tripletscope.core.data.lazy import cached_property
from tripletscope.core.data.triplets import Triplets
from tripletscope.core.inference.uncertainty import Samples
from tripletscope.core.models.embedding.features import ColumnMap
from tripletscope.core.models.embedding.ordinal import Embedding
from tripletscope.core.models.simulation.simulate import LEVELS, NOISE
from tripletscope.core.run import Run
from tripletscope.core.similarity.kernels.space import Space, space_of
from tripletscope.core.similarity.kernels.spectrum import principal_components
from tripletscope.core.trees import ComparisonForest, ComparisonTree
from tripletscope.core.trees.nodes import Nodes
from tripletscope.core.trees.oracle import (
    AnswersOracle,
    MapOracle,
    Observer,
    Oracle,
    Repeated,
    Tally,
)
from tripletscope.core.trees.quality import expansion_rates, height_bound
from tripletscope.dashboard.figures.colours import is_quantity
from tripletscope.dashboard.results import UNCERTAIN, MapLook, Placed
from tripletscope.dashboard.results.maps import GivenMap
from tripletscope.dashboard.store.dataset import edition_of
from tripletscope.dashboard.store.services import services
from tripletscope.dashboard.ui import analysis, panels
from tripletscope.dashboard.ui.choosing import names_of
from tripletscope.dashboard.ui.context import Context, FitContext
from tripletscope.dashboard.ui.controls import number, parameter_form, parameter_number, pick
from tripletscope.dashboard.ui.opened_map import await_map, maps_of, opened_map
from tripletscope.dashboard.ui.watching import watch
from tripletscope.dashboard.words.formats import count
from tripletscope.pages.trees.features import FEATURES, PAGE, choose_features, place_of_source

Asker = TypeVar("Asker", ComparisonTree, ComparisonForest)
#: Who answers a tree's questions.
UPLOADED, MAP, PERSON, OBSERVER = "uploaded", "map", "person", "observer"
#: Answers that are less certain than this are unsure.
SURE = 0.75
#: Objects whose distances take half a gigabyte of the server that everybody uses.
_MOST_OBJECTS = 2**13
#: Looking up pivots with most answers takes long where there are very many.
_QUICK = 300_000
#: Objects that a person is asked about, to begin with.
_BEARABLE = 16
#: Objects on cells that are shown as pictures or with their names.
_NOT_HIDING = 60


@dataclass(frozen=True)
class TreeContext(FitContext):
    """A data set, and the map, kernel or features that answer where people have not."""

    @cached_property
    def space(self) -> Space:
        return space_of(self.fitted)

    @property
    def rows_of_distances(self) -> np.ndarray:
        """(n,) row of each object in the matrix of distances, -1 of those without a place."""
        return self.space.spread(np.arange(len(self.space)), -1)

    @property
    def has_features(self) -> bool:
        """Whether features of the objects answer, which nobody had to fit."""
        return isinstance(self.fitted, ColumnMap)

    @property
    def source(self) -> str:
        """What answers where people have not, for sentences."""
        return "the features" if self.has_features else "the map"

    @property
    def explained(self) -> list[str]:
        """Columns that can be predicted: not those by which objects are compared."""
        features = self.fitted.columns if self.has_features else ()
        return [column for column in self.columns if column not in features]

    @cached_property
    def positions(self) -> np.ndarray | None:
        """(n, d) places on the map, NaN where an object has none; None for other methods."""
        if not isinstance(self.fitted, Embedding) or self.space.vectors is None:
            return None
        return self.space.spread(self.space.vectors, np.nan)

    def map_of(
        self, positions: np.ndarray, text: str, *, colour: str | None = None,
        selected: Sequence[int] | None = None,
    ) -> GivenMap:
        """The map below cells.

        positions (n, 2): NaN for objects without a place.
        text: Its caption.
        selected: Objects in place of those that are selected on all pages.
        """
        shown, n_placed = self.shown(self.fit), int(np.isfinite(positions).all(axis=1).sum())
        if selected is not None:
            shown = replace(shown, selected=tuple(selected))
        return GivenMap(
            self.triplets.objects, Placed(positions, None, None), text, self.fit.key,
            # More pictures or names would hide the cells.
            MapLook(None if n_placed <= _NOT_HIDING else "points", colour or ""), shown,
        )

    @property
    def is_plane(self) -> bool:
        """Whether pivots divide the map by straight lines that can be drawn."""
        return self.positions is not None and self.positions.shape[1] == 2

    @property
    def samples(self) -> Run | None:
        """Maps that the answers could as well have given, where they were computed."""
        if self.has_features or not isinstance(self.fitted, Embedding):
            return None
        return next(filter(None, (self.find(self.fitted, task) for task in UNCERTAIN)), None)

    def picture_and_side(self) -> tuple[Any, Any]:
        """The job is watched where the map is chosen."""
        return self.drawer()

    def picture_of(self, i: int, size: int) -> str | None:
        """Path of the picture of an object, of that size; None of one that has none."""
        objects, pictures = self.triplets.objects, self.info.pictures
        name = objects["image"].iloc[i] if "image" in objects else None
        if not isinstance(name, str) or name not in pictures:
            return None
        return str(services().workspace.picture(pictures[name], size))

    @property
    def about(self) -> str:
        """Method and data, for captions."""
        return f"{analysis.describe(self.method)}. {self.size}"

    def colour(self) -> str | None:
        """Ask for the column that colours objects."""
        first = next(iter(self.explained or self.columns), "")
        return self.pick_column(f"{PAGE}.colour@{self.info.id}", default=first)


def choose_space(context: Context) -> TreeContext | None:
    """Ask for the map, kernel or features that answer; None where there is none."""
    info = context.info
    if info.n_objects > _MOST_OBJECTS:
        panels.empty(
            "Too many objects for a matrix",
            f"Trees on this page use a matrix of distances, of up to {_MOST_OBJECTS:,} objects.",
        )
        return None
    listed = [*maps_of(info), *context.runs("fit", "kernel")]
    names, opened = names_of(listed), opened_map(info)
    names = {**(names or {"": "A map, when there is one"}), FEATURES: "Features of the objects"}
    with context.row:
        chosen = pick(
            context.session, place_of_source(info), "Map, kernel or features", names,
            default=FEATURES if "features" in info.extra else opened.key if opened else None,
            width=280,
            help="Answers the questions that nobody has answered. Maps and kernels are computed "
            "on the pages Embedding, Kernel and Compare; features are columns of numbers in the "
            "table of objects.",
        )
    if not chosen:
        await_map(
            context, "Questions that nobody has answered go to a map, kernel or features. Fit one "
                     "on the page Embedding or Kernel, unless one is being computed now.",
        )
        return None
    fit = choose_features(context) if chosen == FEATURES else None
    watch(context.job)
    if chosen != FEATURES:
        fit = services().workspace.run(info.id, chosen)
    if fit is None:
        return None
    found = TreeContext.of(context, fit=fit)
    if len(found.space) < 2:
        panels.empty(
            "Too few objects",
            f"{names[chosen]} covers only {count(len(found.space), 'object')}, and a tree needs "
            "two or more. Choose another map or kernel.",
        )
        return None
    return found


@dataclass(frozen=True)
class TreeSettings:
    """How a tree is to grow: everything that it depends on, beside the map and the answers.

    settings: Parameters of the tree.
    colour: Column whose classes supervised pivots tell apart.
    observer: Noise, its level, and how often each question is asked.
    given: A person's answers.
    """

    who: str
    objects: tuple[int, ...]
    settings: tuple[tuple[str, Any], ...]
    colour: str | None
    observer: tuple[str, float, int] = ("none", 0.0, 1)
    given: tuple[tuple[int, int, int], ...] = ()

    @property
    def seed(self) -> int:
        return dict(self.settings)["seed"]

    @property
    def leaf_size(self) -> int:
        return dict(self.settings)["leaf_size"]


@dataclass(frozen=True)
class GrownTree:
    """A tree that has grown, and what is to know of it.

    bound: The height that theory promises.
    rates: Expansion rate about every object of the tree, as the map has it.
    """

    tree: ComparisonTree
    decisions: pd.DataFrame
    bound: float
    rates: np.ndarray

    @property
    def nodes(self) -> Nodes:
        return self.tree.nodes_

    @property
    def answered(self) -> float | None:
        """Share of the decisions that people made, if any were asked."""
        return _share(self.decisions.get("answered"))

    @property
    def unsure(self) -> float | None:
        """Share of the decisions that the map is unsure of, people's answers apart."""
        return _share(self.unsure_rows)

    @property
    def unsure_rows(self) -> pd.Series | None:
        """Whether each decision is unsure, if that is known."""
        if "certainty" not in self.decisions:
            return None
        unsure = self.decisions["certainty"] < SURE
        if "answered" in self.decisions:
            unsure &= ~self.decisions["answered"]
        return unsure


def _share(rows: pd.Series | None) -> float | None:
    return None if rows is None or rows.empty else float(rows.mean())


def tree_settings(context: TreeContext, colour: str | None, k: int | None = None) -> TreeSettings:
    """Ask how the tree is to grow, which is to find so many neighbours if `k` is given."""
    current, info = context.session, context.info
    who = pick(
        current, f"{PAGE}.who{'.features' if context.has_features else ''}", "Oracle", {
            UPLOADED: f"The data, then {context.source}",
            MAP: f"{context.source.capitalize()} alone",
            PERSON: "A person at this screen",
            OBSERVER: "A simulated observer",
        }, default=MAP if context.has_features else None,
        help="A tree asks which of two pivots each object is nearer to. Where nobody answered, the "
        f"answer is that of {context.source}.",
    )
    observer = _observer(context) if who == OBSERVER else TreeSettings.observer
    objects = _objects(context, who)
    # What shares no leaf with an object is not found: a leaf holds the neighbours wanted, or more.
    usual = max(int(np.clip(len(objects) // 16, 1, 16)), k or 1)
    leaf_size = number(
        current, f"{PAGE}.leaf_size.{'' if k is None else f'{k}.'}{who}@{info.id}",
        "Leaf size", 1, max(info.n_objects, 1), usual,
        help="Cells of at most this many objects are not divided.",
    ) or usual
    pivots = {"random": "Random"}
    if who == UPLOADED:
        pivots = {"answered": "With most answers", **pivots}
    if colour is not None and not is_quantity(context.triplets.objects[colour]):
        pivots["supervised"] = f"Of different {colour}"
    chosen = pick(
        current, f"{PAGE}.pivots.{who}@{info.id}", "Pivots", pivots,
        default="random" if info.n_answers > _QUICK else None,
        help="With most answers: the pair with answers about most objects of the cell, so "
        "participants make most decisions.",
    )
    further = parameter_form(
        current, ComparisonTree, f"{PAGE}.tree", hidden=("leaf_size", "pivots")
    )
    settings = {"leaf_size": int(leaf_size), "pivots": chosen, **further}
    return TreeSettings(
        who, objects, tuple(settings.items()), colour if chosen == "supervised" else None,
        observer, tuple(map(tuple, given_answers(context))) if who == PERSON else (),
    )


def _observer(context: TreeContext) -> tuple[str, float, int]:
    noise = pick(
        context.session, f"{PAGE}.noise", "Noise", NOISE.options, default="flip", help=NOISE.help
    )
    level = 0.0
    if noise in LEVELS:
        level = parameter_number(context.session, LEVELS[noise], f"{PAGE}.level.{noise}")
        level = LEVELS[noise].default if level is None else level
    times = number(
        context.session, f"{PAGE}.times", "Times asked", 1, 51, 1, step=2,
        help="The majority decides; an odd number.",
    ) or 1
    return noise, level, int(times) | 1


def _objects(context: TreeContext, who: str) -> tuple[int, ...]:
    placed = context.space.objects
    chosen = [i for i in context.selected if i in placed]
    options = {"all": f"All {len(placed):,}", "some": "Some, at random"}
    if len(chosen) >= 3:
        options["selection"] = f"The {len(chosen):,} selected"
    many = who == PERSON and len(placed) > _BEARABLE
    choice = pick(
        context.session, f"{PAGE}.objects.{who}@{context.info.id}", "Objects", options,
        default="some" if many else "all",
    )
    if choice == "selection":
        # Selecting nodes of the tree must not make another tree.
        key = f"{PAGE}.chosen@{context.info.id}"
        kept = context.session.drafts.get(key)
        if kept is None or st.button("Use the current selection", key=f"{PAGE}.reselect"):
            kept = context.session.remember(key, chosen)
        return tuple(kept)
    if choice == "some":
        few = min(_BEARABLE, len(placed))
        size = number(
            context.session, f"{PAGE}.some@{context.info.id}", "Number of objects", 2,
            len(placed), few,
        ) or few
        return tuple(np.sort(np.random.default_rng(0).permutation(placed)[: int(size)]).tolist())
    return tuple(placed.tolist())


def given_answers(context: TreeContext) -> list[list[int]]:
    """What a person has answered at this screen, rows (anchor, near, far)."""
    return context.session.drafts.get(f"{PAGE}.given@{context.info.id}", [])


def fitted_tree(context: TreeContext, plan: TreeSettings, oracle: Oracle) -> ComparisonTree:
    """A tree as it is planned, of what an oracle answers."""
    tree, classes = ComparisonTree(metric=oracle, **dict(plan.settings)), None
    if plan.colour:
        column = context.triplets.objects[plan.colour].astype("str").fillna("")
        classes = column.to_numpy(dtype=object)[list(plan.objects)]
    return tree.fit(np.array(plan.objects), classes)


def grow(context: TreeContext, plan: TreeSettings) -> GrownTree:
    """The tree, with everything that is missing answered by the map."""
    samples = context.samples
    certain = edition_of(samples if plan.who != OBSERVER else None)
    return _grown(edition_of(context.fit), certain, context.triplets.fingerprint, plan, context)


# Not copied: trees are read only, and their oracles are large.
@st.cache_resource(max_entries=16, show_spinner="Growing the tree")
def _grown(
    fit: tuple, certain: tuple, data: str, plan: TreeSettings, _context: TreeContext
) -> GrownTree:
    samples: Samples | None = _context.samples.samples() if certain else None
    tree = fitted_tree(_context, plan, _oracle(_context, plan, samples))
    inside = _context.rows_of_distances[list(plan.objects)]
    rates = expansion_rates(
        _context.space.rows(i, i + 1)[0, inside] for i in inside.tolist()
    )
    bound = height_bound(len(plan.objects), plan.leaf_size, float(rates.max()))
    return GrownTree(tree, tree.decisions(), bound, rates)


def oracle_about(
    context: TreeContext, plan: TreeSettings, grown: GrownTree, query: int | None = None
) -> Oracle:
    """Who answers further questions, with a count of its own.

    An observer errs by lot, but in the same way whenever the same object is searched for.
    """
    if plan.who == OBSERVER:
        return _observer_of(context, plan, (plan.seed, 1 if query is None else query + 2))
    if plan.who == PERSON:  # who has answered more than the tree was grown from
        return _oracle(context, plan, context.samples.samples() if context.samples else None)
    oracle = copy.copy(grown.tree.oracle_)
    oracle.tally = Tally()
    return oracle


def asking(grown: Asker, oracle: Oracle) -> Asker:
    """A tree or forest that asks somebody else about further objects."""
    grown = copy.copy(grown)
    grown.oracle_ = oracle
    return grown


def _observer_of(context: TreeContext, plan: TreeSettings, seed: Any) -> Oracle:
    noise, level, times = plan.observer
    positions = context.positions
    if positions is None:
        axes = min(len(context.space) - 1, 10)
        positions = principal_components(context.space, axes).coordinates
    observer = Observer(np.nan_to_num(positions), noise=noise, level=level, seed=seed)
    return Repeated(observer, times)


def _oracle(context: TreeContext, plan: TreeSettings, samples: Samples | None) -> Oracle:
    if plan.who == OBSERVER:
        return _observer_of(context, plan, plan.seed)

    def probability(rows: np.ndarray) -> np.ndarray:
        return samples.order_certainty(Triplets.from_array(rows, context.info.n_objects))

    fitted = MapOracle(context.fitted, probability if samples is not None else None)
    if plan.who == MAP:
        return fitted
    answers = context.triplets
    if plan.who == PERSON:
        answers = Triplets.from_array(np.reshape(plan.given, (-1, 3)), context.info.n_objects)
    return AnswersOracle(answers, otherwise=fitted)
