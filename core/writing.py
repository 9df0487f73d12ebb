"""Write answers for other programs, and for this one."""

from __future__ import annotations

import io
import json
import re
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
import pandas as pd
import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.csv
import pyarrow.parquet

from tripletscope.core.data.cells import FORMULA, NUMBER, marked, reads_as_itself
from tripletscope.core.data.errors import DataError
from tripletscope.core.data.quadruples import Quadruples
from tripletscope.core.data.triplets import ANCHOR, FAR, NEAR, Answers, Triplets
from tripletscope.core.reading.columns.guess import SAMPLE_ROWS, response_time_unit
from tripletscope.core.reading.columns.reading import SIDE_ROLES
from tripletscope.core.reading.interpretation.trials import MAX_NAME
from tripletscope.core.reading.languages import FORMS


@dataclass(frozen=True)
class Writer:
    """A layout for answers."""

    name: str
    title: str  # for the user, with the content
    help: str
    suffix: str  # of the file
    media_type: str
    check: Callable[[Triplets], None]
    write: Callable[[Triplets], bytes]

    def problem(self, triplets: Triplets) -> str:
        """Why the layout cannot hold these answers, or ""."""
        try:
            self.check(triplets)
        except DataError as error:
            return str(error)
        return ""

    def __call__(self, triplets: Triplets) -> bytes:
        self.check(triplets)
        return self.write(triplets)


def write_answers(triplets: Answers, layout: str | None = None) -> bytes:
    """Answers as a file that `read` reads as the same answers; `read_pairs` those of pairs.

    Parameters
    ----------
    triplets : Triplets or Quadruples
    layout : str, optional
        One of `WRITERS`, by default ``anchored``. Those of numbers have no columns about the
        answers, and Salmon's has neither blocks nor trials. Comparisons of pairs have one layout,
        that of R's MLDS.

    Raises
    ------
    DataError
        If the layout cannot hold these answers, such as weights in Salmon's.
    ValueError
        For an unknown layout.

    Examples
    --------
    >>> import tripletscope as ts
    >>> answers = ts.Triplets.from_array([[0, 1, 2]], ids=["cup", "mug", "fork"])
    >>> ts.write_answers(answers).splitlines()
    [b'"anchor","near","far"', b'"cup","mug","fork"']
    """
    if layout is None:
        compares_pairs = isinstance(triplets, Quadruples)
        return write_pairs(triplets) if compares_pairs else WRITERS["anchored"](triplets)
    if layout not in WRITERS:
        raise ValueError(f"layout is {layout!r}; it must be one of {', '.join(WRITERS)}.")
    if isinstance(triplets, Quadruples):
        raise DataError(
            f"the layout {layout} holds triplets, and these answers compare pairs",
            file=triplets.name, remedy="Leave layout out: they are written as R's MLDS reads them.",
        )
    return WRITERS[layout](triplets)


def write_pairs(pairs: Quadruples) -> bytes:
    """Comparisons of pairs for R's MLDS: ``resp``, ``S1`` to ``S4``, and columns about the answers.

    ``resp`` is 1 if the second pair differs more.
    """
    _names_survive(pairs)
    rows, answers = pairs.rows, pairs.answers
    first_differs = np.zeros(len(rows), dtype=bool)
    if "side" in answers:
        first_differs = (answers["side"].astype("str") == "left").to_numpy()
    places = np.where(first_differs[:, None], rows[:, [2, 3, 0, 1]], rows)
    return _csv(pa.table(
        {"resp": pa.array((~first_differs).astype(np.int8))}
        | _named(pairs, places.T, ("S1", "S2", "S3", "S4"))
        | _metadata(answers, "side", "resp", "S1", "S2", "S3", "S4")
    ))


def roles_of(triplets: Triplets) -> dict[str, str]:
    """The roles of the columns of answers that were written in the layout ``anchored``."""
    names = [name for name in triplets.answers if name in SIDE_ROLES]
    roles = {role: role for role in ("anchor", "near", "far", *names)}
    if "response_time" in roles:
        roles["response_time"] = _times(triplets.answers["response_time"])[0]
    return roles


# Tables --------------------------------------------------------------------------------------


def _anchored(triplets: Triplets) -> pa.Table:
    names = ("anchor", "near", "far")
    return pa.table(
        _named(triplets, triplets.rows.T, names) | _metadata(triplets.answers, *names)
    )


def _named(
    triplets: Answers, columns: np.ndarray | list[np.ndarray], names: tuple[str, ...]
) -> dict[str, pa.Array]:
    ids = pa.array(triplets.ids, pa.string())
    return {name: ids.take(pa.array(column)) for name, column in zip(names, columns, strict=True)}


def _metadata(answers: pd.DataFrame, *besides: str) -> dict[str, pa.Array]:
    """Columns about answers but some, with missing values as nulls."""
    columns = {}
    for name, column in answers.drop(columns=[*besides], errors="ignore").items():
        if name == "response_time":
            name, column = _times(column)
        if isinstance(column.dtype, pd.CategoricalDtype):
            column = column.astype("str").where(column.notna())
        columns[name] = pa.Array.from_pandas(column)
    return columns


def _times(seconds: pd.Series) -> tuple[str, pd.Series]:
    """Response times in the unit that `read` infers from their size."""
    if response_time_unit(seconds.to_numpy()[:SAMPLE_ROWS], "")[0] == "s":
        return "response_time", seconds
    return "response_time_ms", 1000 * seconds


def _salmon(triplets: Triplets) -> pa.Table:
    """The columns of Salmon's responses.csv; its names of objects are labels or pictures."""
    rows, answers = triplets.rows, triplets.answers
    # If sides are unknown, the nearer option is always left, which readers can see.
    near_is_left = np.ones(len(rows), dtype=bool)
    if "side" in answers:
        near_is_left = (answers["side"].astype("str") != "right").to_numpy()
    places = {
        "head": rows[:, ANCHOR],
        "left": np.where(near_is_left, rows[:, NEAR], rows[:, FAR]),
        "right": np.where(near_is_left, rows[:, FAR], rows[:, NEAR]),
        "winner": rows[:, NEAR],
        "loser": rows[:, FAR],
    }
    columns = {name: pa.array(place) for name, place in places.items()}
    names = {"participant": "puid", "time": "time_received"}
    kept = ["sampler", "participant", "time", "response_time", "split"]
    metadata = _metadata(answers.filter(kept))
    columns["network_latency"] = pa.nulls(len(rows), pa.float64())
    columns |= {names.get(name, name): column for name, column in metadata.items()}
    shown, ending = triplets.objects["label"], "html"
    if "image" in triplets.objects and triplets.objects["image"].notna().all():
        shown, ending = triplets.objects["image"], "filename"
    # Control characters would make the file look binary.
    texts = pa.array([re.sub(r"[\x00-\x1f]", " ", text) for text in shown.astype("str")])
    return pa.table(columns | {
        f"{name}_{ending}": texts.take(pa.array(place)) for name, place in places.items()
    })


def _triads(triplets: Triplets) -> pa.Table:
    """Triads of levels for R's MLDS: ``resp`` is 1 if the second and the third differ more."""
    rows = triplets.rows
    levels = np.sort(rows, axis=1) + 1
    return pa.table(
        {"resp": pa.array((rows[:, FAR] > rows[:, ANCHOR]).astype(np.int8))}
        | {f"S{k + 1}": pa.array(levels[:, k]) for k in range(3)}
        | _metadata(triplets.answers, "side", "resp", "S1", "S2", "S3")
    )


def _three(triplets: Triplets, chosen: int) -> pa.Table:
    """One row for each trial of three objects; `chosen` is the role of the named one."""
    first, answers = triplets.rows[::2], triplets.answers.iloc[::2].reset_index(drop=True)
    # The answers of a trial are (a, b, odd) and (b, a, odd), or (a, central, b) and (b, central,
    # a), where a stood before b.
    a, b = (first[:, role] for role in (ANCHOR, NEAR, FAR) if role != chosen)
    chosen_object = first[:, chosen]
    place = np.full(len(first), 2 if chosen == FAR else 0)
    if "side" in answers:
        sides = pd.Index(["first", "second", "third"]).get_indexer(answers["side"].astype("str"))
        place = np.where(sides < 0, place, sides)
    items = [
        np.where(place == k, chosen_object, np.where((k == 0) | ((k == 1) & (place == 0)), a, b))
        for k in range(3)
    ]
    return pa.table(
        _named(triplets, [*items, chosen_object],
               ("item1", "item2", "item3", "odd" if chosen == FAR else "central"))
        | _metadata(answers.drop(columns=["side", "trial"], errors="ignore"))
    )


# Files ---------------------------------------------------------------------------------------


def _csv(table: pa.Table) -> bytes:
    """A table as CSV, with formulas `marked`."""
    table = pa.table({marked(name): _marked(table[name]) for name in table.column_names})
    options = pa.csv.WriteOptions(quoting_style="needed", quoting_header="needed")
    return _saved(lambda file: pa.csv.write_csv(table, file, options))


def _saved(write: Callable[[io.BytesIO], Any]) -> bytes:
    buffer = io.BytesIO()
    write(buffer)
    return buffer.getvalue()


def _marked(column: pa.ChunkedArray) -> pa.ChunkedArray:
    if not (pa.types.is_string(column.type) or pa.types.is_large_string(column.type)):
        return column
    formulas = pc.and_not(
        pc.match_substring_regex(column, FORMULA), pc.match_substring_regex(column, NUMBER)
    )
    mark, nothing = (pa.scalar(text, column.type) for text in ("'", ""))
    return pc.if_else(formulas, pc.binary_join_element_wise(mark, column, nothing), column)


def _numbers(triplets: Triplets) -> bytes:
    table = pa.table(dict(zip("abc", triplets.rows.T, strict=True)))
    options = pa.csv.WriteOptions(include_header=False, delimiter=" ")
    return _saved(lambda file: pa.csv.write_csv(table, file, options))


# What a layout cannot hold -------------------------------------------------------------------


def _names_survive(triplets: Answers) -> None:
    """Refuse names of objects that would not be read back unchanged."""
    for text in triplets.ids:
        if not reads_as_itself(text) or len(text) > MAX_NAME or any(
            ord(character) < 32 for character in text
        ):
            raise DataError(
                f"an object called {text[:40]!r} would not be read back as the same",
                remedy="Rename it, or write numbers instead of names.",
            )


def _weighs_one(triplets: Triplets) -> None:
    if (triplets.weight != 1).any():
        raise DataError(
            "this layout has no column for weights, which these answers have",
            remedy="Choose one with columns for the response metadata.",
        )


def _ascends(triplets: Triplets) -> None:
    anchor, near, far = triplets.rows.T
    if not (((near < anchor) & (anchor < far)) | ((far < anchor) & (anchor < near))).all():
        raise DataError(
            "not every anchor is a level between the two others",
            remedy="Order the table of objects by level, or choose another layout.",
        )


def _is_of_three(chosen: int) -> Callable[[Triplets], None]:
    def check(triplets: Triplets) -> None:
        _names_survive(triplets)
        rows, trial = triplets.rows, triplets.answers.get("trial")
        other = NEAR if chosen == FAR else FAR
        paired = trial is not None and len(rows) > 0 and len(rows) % 2 == 0
        if paired:
            first, second = rows[::2], rows[1::2]
            numbers = trial.to_numpy()
            paired = (
                (numbers[::2] == numbers[1::2]).all() and (np.diff(numbers[::2]) != 0).all()
                and (first[:, chosen] == second[:, chosen]).all()
                and (first[:, ANCHOR] == second[:, other]).all()
                and (first[:, other] == second[:, ANCHOR]).all()
                and (triplets.weight[::2] == triplets.weight[1::2]).all()
            )
        if not paired:
            raise DataError(
                "not every question was about three objects of which one is "
                + ("odd" if chosen == FAR else "central"),
                remedy="Choose a layout with an anchor.",
            )

    return check


#: All layouts, the most useful first.
WRITERS: dict[str, Writer] = {
    name: Writer(name, **FORMS["writers"][name], check=check, write=write)
    for name, check, write in (
        ("anchored", _names_survive, lambda triplets: _csv(_anchored(triplets))),
        ("odd_one_out", _is_of_three(FAR), lambda triplets: _csv(_three(triplets, FAR))),
        ("most_central", _is_of_three(NEAR), lambda triplets: _csv(_three(triplets, NEAR))),
        ("triads", _ascends, lambda triplets: _csv(_triads(triplets))),
        ("salmon", _weighs_one, lambda triplets: _csv(_salmon(triplets))),
        ("parquet", _names_survive, lambda triplets: _saved(
            lambda file: pa.parquet.write_table(_anchored(triplets), file))),
        ("json", _names_survive, lambda triplets: json.dumps(
            _anchored(triplets).to_pylist(), ensure_ascii=False).encode()),
        ("npy", lambda triplets: None, lambda triplets: _saved(
            lambda file: np.save(file, triplets.rows))),
        ("numbers", lambda triplets: None, _numbers),
    )
}
