"""What a paper says in one of its figures, tables or theorems, and how it is rebuilt."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any

import pandas as pd

from tripletscope.core.data.triplets import Triplets
from tripletscope.core.method import Method

#: The documents, as they are cited, by the first part of their items' keys.
DOCUMENTS = {
    "thesis": "Haghiri (2020)",
    "forests": "Haghiri, Garreau & von Luxburg (2018)",
    "uncertainty": "Lohaus, Hennig & von Luxburg (2019)",
    "kernels": "Kleindessner & von Luxburg (2017)",
}
HOLDS = "holds"
HOLDS_WITH_THEIRS = "holds with their setting only"
DOES_NOT_HOLD = "does not hold"
NO_DATA = "no data here"
#: What can be said of an item.
VERDICTS = (HOLDS, HOLDS_WITH_THEIRS, DOES_NOT_HOLD, NO_DATA)


@dataclass(frozen=True)
class Assessment:
    """What a rebuilt item shows.

    Attributes
    ----------
    verdict : str
        One of `VERDICTS`.
    ours : str
        Our figures, in the form of the paper's.
    why : str
        One sentence: what the verdict rests on, or the measured cause of a disagreement.
    """

    verdict: str
    ours: str
    why: str

    def __post_init__(self) -> None:
        if self.verdict not in VERDICTS:
            raise ValueError(f"verdict is {self.verdict!r}; it must be one of {VERDICTS}.")


@dataclass(frozen=True)
class Chart:
    """How the table of an experiment is drawn.

    Attributes
    ----------
    kind : {"lines", "points", "curves", "bars", "matrix", "map"}
        Curves are drawn in the order of the rows, with equal units on both axes; a missing place
        parts them. Of a matrix, `x` and `y` are its columns and rows and `value` what is in its
        cells. A map has objects at `x` and `y`, with names in `label` and categories in `series`.
    x, y : str
        Columns of the table. Of bars, `x` is a category.
    series, panel : str
        Columns whose values are lines (bars, colours), and panels side by side.
    spread : str
        Column with the standard deviation or error of `y`, drawn as a bar.
    published : str
        Column with the paper's own values, drawn hollow beside ours.
    value, label : str
        See `kind`.
    outline : str
        Of a map: column with the name of the polygon of which a row is a corner, in their order;
        empty in rows that are objects.
    x_title, y_title : str
        Of the axes; by default the columns' names.
    log_x, log_y : bool
    where : mapping of str to value
        Rows of the table that are drawn: those whose columns have these values.
    title : str
        What is drawn, in a few words; of items with several charts.
    """

    kind: str
    x: str
    y: str
    series: str = ""
    panel: str = ""
    spread: str = ""
    published: str = ""
    value: str = ""
    label: str = ""
    outline: str = ""
    x_title: str = ""
    y_title: str = ""
    log_x: bool = False
    log_y: bool = False
    where: Mapping[str, Any] = field(default_factory=dict)
    title: str = ""

    @property
    def columns(self) -> set[str]:
        """Names of the columns that it is drawn of."""
        named = (self.x, self.y, self.series, self.panel, self.spread, self.published, self.value,
                 self.label, self.outline, *self.where)
        return {name for name in named if name}

    def rows(self, table: pd.DataFrame) -> pd.DataFrame:
        """The rows that are drawn."""
        for column, value in self.where.items():
            table = table[table[column] == value]
        return table


@dataclass(frozen=True)
class Continuation:
    """Where a reader goes on with an item: a page of the program, with its data and settings.

    Attributes
    ----------
    page : str
        Name of the page.
    answers : callable, optional
        ``answers()`` makes the data set that the page opens.
    method : Method, optional
        With the paper's settings; the page Embedding begins with it.
    begin : mapping of str to value
        Of the page Simulate: what its forms begin with, by the names of the parameters of
        `tripletscope.core.design.scenario.Scenario` and of the tasks.
    tab : str
        Of the page; by default the one that was open last.
    """

    page: str
    answers: Callable[[], Triplets] | None = None
    method: Method | None = None
    begin: Mapping[str, Any] = field(default_factory=dict)
    tab: str = ""


#: ``experiment(seed=0, progress=silent, **settings)`` returns a tidy table of what was measured.
Experiment = Callable[..., pd.DataFrame]


@dataclass(frozen=True, kw_only=True)
class Item:
    """A figure, table, theorem or algorithm of one of the `DOCUMENTS`.

    Attributes
    ----------
    key : str
        As ``thesis-figure-2.1`` or ``forests-supplement-lemma-2.3``.
    title : str
        What it is about, in a few words.
    claim : str
        What it says, in one sentence that a student understands.
    published : str
        The paper's own figures; empty where it has none.
    setting : str
        The paper's settings.
    ours : str
        What is set otherwise here, and why; empty where nothing is.
    experiment : callable, optional
        See `Experiment`. None of what is defined or listed, not measured.
    full, quick : mapping of str to value
        Settings of the experiment; `quick` are those that differ when it shall take seconds.
    check : callable, optional
        ``check(table)`` tells what the table shows.
    charts : tuple of Chart
        How it is drawn.
    needs : tuple of str
        Data sets that are not shipped, see `tripletscope.core.papers.data`.
    stand_in : str
        Which data take the place of the paper's, where these are not to be had.
    same_as : str
        Key of an item of another document that is the same.
    assessment : Assessment, optional
        Of what is not measured.
    opens : Continuation, optional
    """

    key: str
    title: str
    claim: str
    published: str = ""
    setting: str = ""
    ours: str = ""
    experiment: Experiment | None = None
    full: Mapping[str, Any] = field(default_factory=dict)
    quick: Mapping[str, Any] = field(default_factory=dict)
    check: Callable[[pd.DataFrame], Assessment] | None = None
    charts: tuple[Chart, ...] = ()
    needs: tuple[str, ...] = ()
    stand_in: str = ""
    same_as: str = ""
    assessment: Assessment | None = None
    opens: Continuation | None = None

    def __post_init__(self) -> None:
        if self.document not in DOCUMENTS:
            raise ValueError(f"{self.key} is of no known document.")
        said = (self.experiment is not None, bool(self.same_as), self.assessment is not None)
        if sum(said) != 1 or (self.experiment is None) != (self.check is None):
            raise ValueError(
                f"{self.key} must have an experiment with its check, or an assessment, or be the "
                "same as another."
            )

    @property
    def document(self) -> str:
        return self.key.split("-")[0]

    @property
    def label(self) -> str:
        """As the document calls it: Figure 2.1, Supplement, Lemma 2.3."""
        *words, number = self.key.split("-")[1:]
        named = f"{words[-1].capitalize()} {number.upper()}"
        return f"Supplement, {named}" if len(words) > 1 else named

    def settings(self, quick: bool) -> dict[str, Any]:
        """What the experiment is called with."""
        return {**self.full, **(self.quick if quick else {})}
