"""Ratings, confusions, piles and arrangements: recognise and read their tables."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np
import pandas as pd
import pyarrow as pa

from tripletscope.core.data.errors import DataError
from tripletscope.core.data.kinds import ABOUT_OBJECTS
from tripletscope.core.engine.short_repr import short_repr
from tripletscope.core.ratings.confusions import Confusions
from tripletscope.core.ratings.kinds import measured
from tripletscope.core.ratings.measured import Measured
from tripletscope.core.ratings.ratings import Ratings
from tripletscope.core.reading.columns.guess import numbered_columns
from tripletscope.core.reading.formats.source import Source, named_source
from tripletscope.core.reading.languages import WORDS
from tripletscope.core.reading.layouts.collect import KIND, MEASURED_COLUMNS, TASK, once
from tripletscope.core.reading.loading import load, load_several
from tripletscope.core.reading.matrix import read_square
from tripletscope.core.reading.names import ALIASES, counted, listing, named, normalised
from tripletscope.core.reading.table import Table

#: These say what is liked, not what is alike.
PREFERENCES = "preferences"
#: Where they belong.
ANALYSED_ELSEWHERE = (
    "Analyse them with the packages BradleyTerry2 or PlackettLuce of R, or choix of Python."
)

_NAMES = WORDS["measured"]


@dataclass(frozen=True)
class TableKind:
    """Kind of a table, and the columns of its roles."""

    kind: str
    title: str
    roles: dict[str, str]
    sentence: str  # why, as a clause
    numeric: tuple[str, ...] = ()  # roles of numbers
    #: Further options from the names of the columns.
    options: dict[str, Any] = field(default_factory=dict)


#: Kinds of our own experiments, by task: few answers would not show them.
_OURS = dict.fromkeys(("rating", "same_different"), (
    "ratings", "ratings, large means similar", ("rating",), {"direction": "similar"}
)) | {
    "piles": ("piles", "sorting into piles"),
    "arrangement": ("arrangements", "spatial arrangements", ("x", "y")),
}


def read_as(table: Table) -> tuple[Table, TableKind | None]:
    """The table and its kind; of our own experiments, without practice and checks."""
    ours = _of_experiment(table)
    if ours or not table.header:
        return ours or (table, None)
    who = named(table.columns, ALIASES["participant"])
    beside = {"participant": who} if who else {}
    looks = (_preferences, _ratings, _arrangement, _piles, _confusions)
    return table, next(filter(None, (look(table, beside) for look in looks)), None)


def _of_experiment(table: Table) -> tuple[Table, TableKind] | None:
    if not {TASK, KIND} <= set(table.columns):
        return None
    task = next((one for one in table.codes(TASK).values if one in MEASURED_COLUMNS), None)
    if task is None:
        return None
    table = once(table) or table
    rows = np.flatnonzero(
        np.isin(table.texts(KIND), ABOUT_OBJECTS) & (np.asarray(table.texts(TASK)) == task)
    )
    names = [name for name in ("participant", *MEASURED_COLUMNS[task]) if name in table.columns]
    left_out = table.n_rows - len(rows)
    note = f"{counted(left_out, 'row')} of practice and checks left out."
    kind, title, *more = _OURS[task]
    return replace(
        table, data=table.data.select(names).take(pa.array(rows)),
        rows=table.row_numbers(rows), notes=[*table.notes, *[note] * bool(left_out)],
    ), TableKind(
        kind, title, {name: name for name in names}, "it is of an experiment made here", *more
    )


def _pair(table: Table) -> tuple[str, str] | None:
    """Two columns with the objects of a pair, and no third."""
    for columns in numbered_columns(table.columns).values():
        if len(columns) == 2 and _share_names(table, *columns):
            return columns[0], columns[1]
    for first, second in _NAMES["pairs"]:
        pair = named(table.columns, (first,)), named(table.columns, (second,))
        if None not in pair and _share_names(table, *pair):
            return pair
    return None


def _share_names(table: Table, first: str, second: str) -> bool:
    """Whether two columns are about the same objects."""
    one, other = (set(table.codes(column).values) for column in (first, second))
    return len(one | other) > 2 and 2 * len(one & other) >= min(len(one), len(other)) - 2


def _ratings(table: Table, beside: dict[str, str]) -> TableKind | None:
    pair = _pair(table)
    if pair is None:
        return None
    free = [column for column in table.columns if column not in (*pair, *beside.values())]
    similar, dissimilar = named(free, _NAMES["similar"]), named(free, _NAMES["dissimilar"])
    value = dissimilar or similar
    if value is None and len(free) <= 2:
        value = named(free, _NAMES["values"])
        # Two values are a choice, and a third column of objects makes comparisons.
        if value is None or len(table.codes(value).values) < 3:
            return None
    others = set(free) - {value}
    if value is None or any(_share_names(table, pair[0], other) for other in others):
        return None
    if not np.isfinite(table.head(2_000).numbers(value)).mean() > 0.5:
        return None
    direction = "dissimilar" if value == dissimilar else "similar"
    roles = {**beside, "item1": pair[0], "item2": pair[1], "rating": value}
    return TableKind(
        "ratings", f"ratings, large means {direction}", roles,
        f"column {value} rates {pair[0]} beside {pair[1]}", ("rating",), {"direction": direction},
    )


def _arrangement(table: Table, beside: dict[str, str]) -> TableKind | None:
    item = named(table.columns, _NAMES["items"])
    trial = named(table.columns, _NAMES["trials"])
    places = next((
        pair for pair in ((named(table.columns, (a,)), named(table.columns, (b,)))
                          for a, b in _NAMES["places"]) if None not in pair
    ), None)
    # Without people or trials these are the coordinates of a map.
    if item is None or places is None or not (beside or trial):
        return None
    roles = {**beside, **({"trial": trial} if trial else {}), "item": item,
             "x": places[0], "y": places[1]}
    return TableKind(
        "arrangements", "spatial arrangements", roles,
        f"columns {listing(list(places))} are where {item} was placed", ("x", "y"),
    )


def _piles(table: Table, beside: dict[str, str]) -> TableKind | None:
    free = [column for column in table.columns if column not in beside.values()]
    item, pile = named(free, _NAMES["items"]), named(free, _NAMES["piles"])
    if not beside or item is None or pile is None or len(free) > 4:
        return None
    # A pile holds several objects, and a person has each object about once.
    items, piles = (len(table.codes(column).values) for column in (item, pile))
    people = len(table.codes(beside["participant"]).values)
    if not items > 2 or table.n_rows > 4 * items * people or piles >= table.n_rows:
        return None
    return TableKind(
        "piles", "sorting into piles", {**beside, "item": item, "pile": pile},
        f"column {pile} is the pile into which {item} was put",
    )


def _confusions(table: Table, beside: dict[str, str]) -> TableKind | None:
    free = [column for column in table.columns if column not in beside.values()]
    stimulus, response = named(free, _NAMES["stimuli"]), named(free, _NAMES["responses"])
    if stimulus is None or response is None or len(free) > 4:
        return None
    shown, named_ = (set(table.codes(column).values) for column in (stimulus, response))
    if len(shown) < 3 or not named_ or len(shown & named_) < 0.8 * len(named_):
        return None
    count = named(free, _NAMES["counts"])
    roles = {**beside, "stimulus": stimulus, "response": response}
    if count:
        roles["count"] = count
    return TableKind(
        "confusions", "confusions", roles,
        f"{response} names what {stimulus} was taken for", ("count",) if count else (),
    )


def _preferences(table: Table, beside: dict[str, str]) -> TableKind | None:
    usual = {normalised(column) for column in table.columns}
    if usual & set(ALIASES["anchor"]):
        return None
    for first, second in _NAMES["preferred"]:
        winner, loser = named(table.columns, (first,)), named(table.columns, (second,))
        if winner and loser and _share_names(table, winner, loser):
            return TableKind(
                PREFERENCES, "paired preferences", {**beside, "winner": winner, "loser": loser},
                f"{winner} was preferred to {loser}",
            )
    pair, choice = _pair(table), named(table.columns, _NAMES["choices"])
    if pair is None or choice is None or choice in pair:
        return None
    options = set().union(*(table.codes(column).values for column in pair))
    choices = set(table.codes(choice).values)
    if len(choices - options - set(_NAMES["words"])) > 0.5 * len(choices):
        return None
    return TableKind(
        PREFERENCES, "paired preferences",
        {**beside, "left": pair[0], "right": pair[1], "choice": choice},
        f"{choice} is the preferred one of {pair[0]} and {pair[1]}",
    )


# Files ------------------------------------------------------------------------------------------


@short_repr
@dataclass(frozen=True, eq=False)
class MeasuredFile:
    """Measurements of a file, as plain data."""

    kind: str  # one of `tripletscope.core.ratings.KINDS`
    table: pd.DataFrame  # with the columns of the kind
    options: dict[str, Any]
    notes: list[str]  # how the file was read, as sentences

    def measured(self) -> Measured:
        return measured(self.kind, self.table, self.options)


def read_measured(
    source: Source | Sequence[Source], name: str | None = None, *, kind: str | None = None,
    **options: Any,
) -> Measured:
    r"""Read ratings, confusions, piles or arrangements.

    Parameters
    ----------
    source : path, bytes or binary file object, or a list of such
        Long tables with the columns of `Ratings`, `Confusions`, `Piles` or `Arrangements`, also
        under other usual names; or square matrices of ratings or counts, one file per rater.
    name : str, optional
        Of the file, for messages.
    kind : {"ratings", "confusions", "piles", "arrangements"}, optional
        By default that of the columns. A square matrix has ratings, unless its values are whole
        numbers that differ by direction.
    **options
        As of the class, such as ``direction="dissimilar"``.

    Raises
    ------
    DataError
        If the file is of no such kind, or a value is invalid.

    Examples
    --------
    >>> import tripletscope as ts
    >>> rated = ts.ratings.read_measured(b"item1,item2,similarity\na,b,5\na,c,2\nb,c,1\n")
    >>> rated.dissimilarities().mean[0].tolist()
    [0.0, 0.0, 3.0]
    >>> ts.ratings.read_measured("sample_data/ekman_colors/similarity.csv")
    <Ratings: 14 objects, 0 raters>
    """
    sources = list(source) if isinstance(source, list | tuple) else [source]
    files = [
        (name or named_source(each, f"matrix {number}"), each)
        for number, each in enumerate(sources, 1)
    ]
    return file_of_measured(files, kind, options).measured()


def file_of_measured(
    files: Sequence[tuple[str, Source]], kind: str | None, options: Mapping[str, Any]
) -> MeasuredFile:
    """Measurements of one file or several; see `read_measured`."""
    single = len(files) == 1
    try:
        table = (
            load(files[0][1], files[0][0], least_columns=2, reshape=False) if single
            else load_several(files)
        )
        table, result = read_as(table)
    except DataError:
        if single:
            raise
        result = None  # several matrices need not be one table
    if result is None or result.kind == PREFERENCES:
        if result is not None:
            raise DataError(
                "these are preferences between pairs, which are no dissimilarities",
                file=files[0][0], remedy=ANALYSED_ELSEWHERE,
            )
        return _of_matrices(files, kind, options)
    if kind not in (None, result.kind):
        raise DataError(
            f"the columns are those of {result.kind}, not of {kind}", file=table.name,
            remedy="Name the columns as the kind needs them.",
        )
    return _of_table(table, result, options)


def _of_table(table: Table, result: TableKind, options: Mapping[str, Any]) -> MeasuredFile:
    frame = _frame(table, result)
    needed = [role for role in frame if role not in ("participant", "trial")]
    empty = (frame[needed].isna() | (frame[needed] == "")).any(axis=1).to_numpy()
    kept = np.flatnonzero(~empty)
    notes = [f"Read as {result.title}: {result.sentence}."]
    if empty.any():
        first = table.row_number(int(np.argmax(empty)))
        notes.append(
            f"{counted(int(empty.sum()), 'row')} with an empty cell left out, the first is row "
            f"{first:,}."
        )
    frame = frame.iloc[kept].reset_index(drop=True)
    if result.kind == "confusions" and "count" not in frame:
        frame = frame.groupby(list(frame.columns), sort=False).size().rename("count").reset_index()
    chosen = {**result.options, **options}
    try:
        made = measured(result.kind, frame, chosen)
    except DataError as error:
        row = None if error.row is None else table.row_number(int(kept[error.row]))
        raise DataError(error.problem, file=table.name, row=row, remedy=error.remedy) from error
    return MeasuredFile(result.kind, made.table, made.options, notes + made.notes)


def _frame(table: Table, result: TableKind) -> pd.DataFrame:
    cells = {role: table.texts(column) for role, column in result.roles.items()}
    numbers = {role: _numbers(table, result.roles[role]) for role in result.numeric}
    return pd.DataFrame(cells, dtype="str").assign(**numbers)


def _numbers(table: Table, column: str) -> np.ndarray:
    """Numbers of a column; empty cells are missing, words an error."""
    numbers, texts = table.numbers(column), table.texts(column)
    wrong = ~np.isfinite(numbers) & (texts != "")
    if wrong.any():
        row = int(np.argmax(wrong))
        raise DataError(
            f"{texts[row]!r} in column {column} is no number", file=table.name,
            row=table.row_number(row), remedy="Correct the cell, or leave it empty.",
        )
    return numbers


def _of_matrices(
    files: Sequence[tuple[str, Source]], kind: str | None, options: Mapping[str, Any]
) -> MeasuredFile:
    """Measurements of square tables, one per rater."""
    if kind not in (None, "ratings", "confusions"):
        raise DataError(
            f"its columns are not those of {kind}", file=files[0][0],
            remedy="Name them as in the help on files of ratings.",
        )
    squares = [read_square(source, name) for name, source in files]
    ids = squares[0].ids
    for each in squares[1:]:
        if sorted(each.ids) != sorted(ids):
            raise DataError(
                f"its objects are not those of {files[0][0]}", file=each.file,
                remedy="Give all matrices the same objects.",
            )
    if kind is None:
        kind = "confusions" if all(_counts(each.values) for each in squares) else "ratings"
    options = dict(options)
    if kind == "confusions":
        values = [np.nan_to_num(each.values) for each in squares]
        notes = ["Read as confusions: rows are stimuli, columns responses."]
    else:
        direction = options.pop("direction", None)
        similarities = None if direction is None else direction == "similar"
        read = [each.dissimilarities(similarities) for each in squares]
        values, notes = [each.values for each in read], read[0].notes
        options["direction"] = "dissimilar"
    matrices = {
        name: _in_order(each, square.ids, ids)
        for (name, _), each, square in zip(files, values, squares, strict=True)
    }
    try:
        if kind == "ratings":
            made = Ratings.from_matrices(matrices, ids, **options)
        else:
            several = len(files) > 1
            made = Confusions.from_matrix(
                matrices if several else matrices[files[0][0]], ids, **options
            )
    except DataError as error:  # its rows are not those of the file
        raise DataError(error.problem, file=files[0][0], remedy=error.remedy) from error
    if len(files) > 1:
        notes = [*notes, f"{counted(len(files), 'matrix', 'matrices')}, one of each rater."]
    return MeasuredFile(kind, made.table, made.options, [*notes, *made.notes])


def _counts(values: np.ndarray) -> bool:
    """Whether these are whole numbers that differ by direction, mostly largest on the diagonal."""
    finite = np.isfinite(values)
    return bool(
        finite.all() and (values >= 0).all() and (values == np.round(values)).all()
        and (values != values.T).any() and np.mean(np.diag(values) >= values.max(axis=1)) > 0.5
    )


def _in_order(values: np.ndarray, ids: list[str], wanted: list[str]) -> np.ndarray:
    places = [ids.index(name) for name in wanted]
    return values[np.ix_(places, places)]


def read_conjoint(source: Source, name: str | None = None) -> tuple[pd.DataFrame, list[str]]:
    """Comparisons of stimuli with several dimensions for `conjoint_scales`, and how they were read.

    Two columns per dimension whose names end in 1 and 2, and the response ``first``, or ``resp`` as
    in R's package MLCM: 1 for the first stimulus, 0 for the second.
    """
    table = load(source, name, reshape=False)
    answer = next((
        one for one in table.columns if normalised(one) in ("first", "resp", "response", "choice")
    ), None)
    stems = [one[:-1] for one in table.columns if one.endswith("1")
             and f"{one[:-1]}2" in table.columns]
    if answer is None or len(stems) < 2:
        raise DataError(
            f"columns {listing(table.columns)} are not those of conjoint measurement",
            file=table.name, remedy="Give the levels of both stimuli, such as gloss1, gloss2, "
            "bumps1 and bumps2, and resp: 1 where the first was chosen, else 0.",
        )
    frame = pd.DataFrame({"first": table.numbers(answer)})
    wrong = ((table.texts(answer) != "") & ~frame["first"].isin((0, 1))).to_numpy()
    if wrong.any():
        row = int(np.argmax(wrong))
        raise DataError(
            f"the answer {table.texts(answer)[row]!r} is neither 1 nor 0", file=table.name,
            row=table.row_number(row),
            remedy="Write 1 where the first stimulus was chosen, else 0.",
        )
    if (person := named(table.columns, ALIASES["participant"])) is not None:
        frame["participant"] = table.texts(person)
    for stem in stems:
        for column in (f"{stem}1", f"{stem}2"):
            numbers, texts = table.numbers(column), table.texts(column)
            are_numbers = not (np.isnan(numbers) & (texts != "")).any()
            frame[column] = numbers if are_numbers else np.where(texts == "", None, texts)
    about = f"Read as conjoint measurement of {listing(stems)}"
    return frame, [f"{about}; 1 in {answer} is the first stimulus.", *table.notes]
