"""The main analysis beside others of the same answers."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from functools import partial
from typing import Annotated, Any, ClassVar, Self

import numpy as np
import pandas as pd

from tripletscope.core.data.lazy import cached_property
from tripletscope.core.engine.method import Method, as_record, methods
from tripletscope.core.inference.uncertainty.robustness import ALL, FEWEST, STATISTICS
from tripletscope.core.run import Run
from tripletscope.core.studies.multiverse.chance import MultiverseChance
from tripletscope.core.studies.multiverse.multiverse import Multiverse
from tripletscope.dashboard.figures.multiverse import rows_of, specification_curve
from tripletscope.dashboard.figures.theme import FONT_SIZE, SCREEN
from tripletscope.dashboard.results.look import OneOf
from tripletscope.dashboard.results.presentation import (
    Advice,
    Element,
    Numbers,
    PlannedMaps,
    ShownResults,
    Statement,
    presents,
)
from tripletscope.dashboard.words import words


@dataclass(frozen=True)
class MultiverseLook:
    """How analyses are shown.

    order: "error" or "moved": What they are sorted by.
    """

    place: ClassVar[str] = "compare.multiverse"

    order: Annotated[str, OneOf(
        {"error": "Held-out error", "moved": "Distance from the main map"}, "Order"
    )] = "error"


@presents("multiverse", told_in="comparison", look=MultiverseLook)
def multiverse_of(shown: ShownResults, run: Run) -> Iterator[Element]:
    """What depends on choices, a column of marks for each analysis, and all of them."""
    result: Multiverse = run.result()
    told = ToldMultiverse.of(shown, run)
    if len(told.order) < len(result.done):
        yield Statement(words("multiverse so far", done=len(told.order), all=len(result.done)))
    yield from map(Statement, told.sentences())
    if len(told.order) > 1:
        yield Advice(words("multiverse share"))
    if told.random is not None:
        yield from robustness_of(shown, told.random)
    marks = result.marks
    yield shown.drawing(
        run, "multiverse", rows_of(told.parts) * 1.3 * FONT_SIZE / SCREEN.width,
        partial(
            specification_curve, told.table, told.groups, told.concluded, still=told.still,
            texts=told.texts, places=told.order,
            titles=[words("multiverse error"), words("multiverse moved")],
        ),
        lambda: result.table, main=told.names[0], replicates=run.options["replicates"],
        over=result.error.over, folds=run.options["folds"], picks=True,
        said="" if told.random is None else words(
            "multiverse random", draws=told.random.options["draws"],
            units=words.count(n, "participant") if (n := told.random.result().n_people) else
            words("robust trials"),
        ),
        **({} if marks is None else {"about": shown.about_of(len(marks))}),
    )
    yield Numbers(words("numbers"), lambda: told.numbers)


@dataclass(frozen=True)
class ToldMultiverse:
    """A multiverse in words, and as a figure has it.

    planned (m,): Whether a plan has each analysis; None where the answers follow none.
    chance: Of its conclusions about people, if computed.
    random: Views beside random sets of their sizes, of the main method, if computed.
    """

    result: Multiverse
    by: str = "error"
    planned: np.ndarray | None = None
    random: Run | None = None
    chance: MultiverseChance | None = None

    @classmethod
    def of(cls, shown: ShownResults, run: Run) -> Self:
        """With what else is shown."""
        result, random = run.result(), shown.of(run, "robustness")
        if random is not None and not (
            random.complete and {*random.options["views"]} <= {*result.views}
        ):
            random = None
        chance = shown.of(run, "multiverse_chance")
        if chance is not None and not is_of_same(run, chance):
            chance = None
        planned = None if shown.planned is None else _planned(run, shown.planned)
        return cls(result, shown.look_of(run, MultiverseLook).order, planned, random,
                   chance and chance.result())

    @cached_property
    def order(self) -> np.ndarray:
        """Positions of the analyses that are done, as they are sorted."""
        return self.result.sorted_by(self.by)

    @cached_property
    def names(self) -> list[str]:
        """Of all analyses: method, dimensions and view."""
        result, embeddings = self.result, methods("embedding")
        has_views = len({*result.views}) > 1
        names = []
        for name, d, view in zip(result.methods, result.n_components, result.views, strict=True):
            number = words.count(int(d), "dimension")
            if embeddings[name].is_rank_chosen:
                number = words("multiverse up to", number=number)
            names.append(", ".join([self._titles[name], number, *([view] if has_views else [])]))
        return names

    @cached_property
    def _titles(self) -> dict[str, str]:
        return {name: method.title for name, method in methods("embedding").items()}

    @cached_property
    def table(self) -> pd.DataFrame:
        """Analyses that are done, with the main one marked, and ranges of random sets."""
        table = self.result.table.loc[self.order].assign(is_main=self.order == 0)
        if self.planned is not None:
            table["planned"] = self.planned[self.order]
        if self.random is None:
            return table
        main, random = self.result, self.random.result()
        place = {view: k for k, view in enumerate(random.views) if k}
        where = [place.get(main.views[k], 0) if (main.methods[k], main.n_components[k]) == (
            main.methods[0], main.n_components[0]) else 0 for k in self.order]
        names = ["error", *(["moved"] if main.views[0] == ALL else [])]
        return table.assign(**{  # of all answers there are none: NaN
            f"{name}_chance_{end}": getattr(random, f"chance_{end}")[STATISTICS.index(name), where]
            for name in names for end in ("low", "high")
        })

    @property
    def groups(self) -> list[pd.DataFrame]:
        """What was chosen in each, a table for each choice that differs."""
        table = self.table
        choices = {
            "method": {name: self._titles[name] for name in dict.fromkeys(self.result.methods)},
            "dimensions": {d: words.count(int(d), "dimension")
                           for d in sorted({*self.result.n_components.tolist()})},
            "view": {view: view for view in dict.fromkeys(self.result.views)},
        }
        groups = [
            pd.DataFrame({label: table[choice] == value for value, label in labels.items()})
            for choice, labels in choices.items() if len(labels) > 1
        ]
        if self.planned is not None:
            groups.append(pd.DataFrame({words("is planned"): table["planned"]}))
        return groups

    @property
    def concluded(self) -> pd.DataFrame:
        """Which conclusions stand in each."""
        result = self.result
        found = {}
        if result.asks_for_clusters:
            found[words("multiverse clusters")] = result.has_clusters
        for k, column in enumerate(result.people):
            key = "conditions" if column else "groups"
            found[words(f"multiverse {key}", column=column)] = result.differ[:, k]
        for k, column in enumerate(result.columns):
            found[words("multiverse predicts", column=column)] = result.predicted[:, k, 0]
        return pd.DataFrame(found, index=range(len(result.done))).loc[self.order]

    @property
    def parts(self) -> list[pd.DataFrame]:
        return [*self.groups, self.concluded]

    @property
    def still(self) -> float:
        """How far maps of resampled answers lie from the main map."""
        return float(self.result.moved.high[0])

    @property
    def texts(self) -> list[str]:
        """Of each analysis that is done, for the pointer."""
        return [self.text_of(k) for k in self.order]

    def text_of(self, k: int) -> str:
        """What one analysis gives."""
        return words("multiverse one", name=self.names[k], error=self.result.error[k].interval,
                     moved=self.result.moved[k].interval)

    @property
    def numbers(self) -> pd.DataFrame:
        """The table in words."""
        table = self.table.drop(columns="is_main").assign(method=[
            self._titles[name] for name in self.table["method"]
        ])
        if "clusters" in table:
            said = {-1: "", 0: words("multiverse cannot tell"), 1: words("multiverse none")}
            table["clusters"] = [said.get(n, str(n)) for n in table["clusters"]]
        return table

    def sentences(self) -> Iterator[str]:
        """What of the main analysis depends on choices, and what is concluded by how many."""
        result, error, order = self.result, self.result.error.value, self.order
        same = [k for k in order if result.views[k] == result.views[0] and np.isfinite(error[k])]
        if np.isfinite(error[0]) and len(same) > 1:
            others = error[[k for k in same if k != 0]]
            yield words("multiverse errors", main=self.names[0], own=result.error[0].interval,
                        low=others.min(), high=others.max(), n=words.count(
                            len(others), "other analysis"))
        others = [k for k in order if k != 0 and np.isfinite(result.moved.value[k])]
        if others and np.isfinite(self.still):
            near = int((result.moved.value[others] <= self.still).sum())
            yield words("multiverse maps", near=near, still=self.still,
                        others=words.count(len(others), "other analysis"))
        yield from self._planned_said()
        if result.asks_for_clusters:
            yield self._clusters_said()
        for k, column in enumerate(result.people):
            key, different = "conditions" if column else "groups", result.tests_of_people
            n = int(result.told[different, k].sum())
            yield words(
                f"multiverse {'seen' if n else 'untold'} {key}", column=column,
                some=int(result.differ[different, k].sum()), n=words.count(n, "test"),
            )
        if self.chance is not None:
            yield from chance_said(self.chance)
        for k, (column, p) in enumerate(zip(result.columns, result.p, strict=True)):
            n = int(result.tested[:, k].sum())
            yield words("multiverse untested", column=column) if not n else words(
                "multiverse column", column=column, some=round(result.shares[k] * n),
                n=words.count(n, "analysis"), p=p,
            )

    def _planned_said(self) -> Iterator[str]:
        """What the planned analysis gives; nothing without one, or as long as there are several."""
        if self.planned is None:
            return
        places = np.flatnonzero(self.planned & self.result.done)
        if len(places) != 1:
            yield words("multiverse planned" if len(places) else "multiverse unplanned",
                        n=words.count(len(places), "analysis"))
            return
        (k,) = places
        stands = self.concluded.loc[k]
        yield words("multiverse as planned", said=self.text_of(k), stands=words.listing(
            [*stands.index[stands]]) or words("multiverse nothing"))

    def _clusters_said(self) -> str:
        """In how many of the analyses that tell clusters are seen."""
        n = words.count(int((self.result.n_clusters > 0).sum()), "analysis")
        some = self.result.n_clusters[self.result.has_clusters]
        if not (self.result.n_clusters > 0).any():
            return words("multiverse untold clusters")
        if not len(some):
            return words("multiverse no clusters", n=n)
        number = str(some.min()) if some.min() == some.max() else f"{some.min()} to {some.max()}"
        return words("multiverse some clusters", some=len(some), n=n, number=number)


def options_of_chance(run: Run) -> dict[str, Any]:
    """Options of `multiverse_chance` for the same conclusions, views and dimensions."""
    same = ("fewest", "most", "views", "groups", "conditions", "seed")
    return {name: run.options[name] for name in same}


def is_of_same(run: Run, chance: Run) -> bool:
    """Whether exchanges are of the conclusions of a multiverse."""
    return all(chance.options[name] == value for name, value in options_of_chance(run).items())


@presents("multiverse_chance")
def chance_of(shown: ShownResults, run: Run) -> Iterator[Element]:
    """The p of each conclusion about people."""
    yield from map(Statement, chance_said(run.result()))


def chance_said(result: MultiverseChance) -> Iterator[str]:
    """The p of each conclusion, and what it is."""
    said = [
        words(f"chance {'conditions' if name else 'groups'}", column=name, p=p)
        for name, p in zip(result.people, result.p, strict=True) if np.isfinite(p)
    ]
    if said:
        yield words("chance", said=words.listing(said), number=result.n_exchanges)


def method_of(run: Run, k: int) -> Method:
    """The method of an analysis, with its settings."""
    result, own = run.result(), run.fresh()
    name = result.methods[k]
    method = own if name == own.name else methods("embedding")[name]()
    return method.set_params(n_components=int(result.n_components[k]))


def _planned(run: Run, planned: PlannedMaps) -> np.ndarray:
    """(m,) bool: analyses of a planned method, with its settings, and of the planned answers."""
    result, t = run.result(), len(planned.kept)
    marks = np.zeros((t, 0), dtype=bool) if result.marks is None else result.marks
    inside = {ALL: np.ones(t, dtype=bool),
              **dict(zip(run.options["views"] or [], marks.T, strict=True))}
    return np.array([
        as_record(method_of(run, k)) in planned.methods
        and np.array_equal(inside[view], planned.kept)
        for k, view in enumerate(result.views)
    ])


@presents("robustness")
def robustness_of(shown: ShownResults, run: Run) -> Iterator[Element]:
    """Which views differ from random sets of their sizes; a figure is that of the multiverse."""
    result = run.result()
    if result.ways < FEWEST:
        yield Statement(words("robust too few", people=result.n_people, ways=round(result.ways)))
    elif not np.isfinite(result.value[:, 1:]).any(axis=0).all():
        yield Statement(words("robust too little"))
    elif not result.changed and not result.other_questions:
        yield Statement(words("robust alike", p=float(np.nanmin([1.0, *result.p.ravel()]))))
    for name, k in result.changed:
        s = STATISTICS.index(name)
        yield Statement(words(
            f"robust {name}", view=result.views[k], value=result.value[s, k], p=result.p[s, k],
            all=result.value[s, 0], low=result.chance_low[s, k], high=result.chance_high[s, k],
        ))
    if result.other_questions:
        yield Statement(words("robust questions", views=result.other_questions))
    if result.changed:
        yield Statement(words("robust advice"))
    yield Numbers(words("random sets"), lambda: result.table)
