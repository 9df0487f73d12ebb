"""Ratings, confusions, piles, arrangements, squares and conjoint measurements -> their data."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
import pandas as pd

from tripletscope.core.data.cells import plain_number
from tripletscope.core.data.errors import DataError
from tripletscope.core.engine.short_repr import short_repr
from tripletscope.core.ratings.confusions import Confusions
from tripletscope.core.ratings.dissimilarities import RatedDissimilarities
from tripletscope.core.ratings.kinds import KINDS, measured
from tripletscope.core.ratings.ratings import Ratings
from tripletscope.core.reading.columns.pair_columns import NAMES, judged, participant_of
from tripletscope.core.reading.columns.practice import without_practice
from tripletscope.core.reading.columns.reading import kept_names
from tripletscope.core.reading.columns.values import Columns
from tripletscope.core.reading.formats.several import file_column
from tripletscope.core.reading.formats.source import Source, named_source
from tripletscope.core.reading.formats.survey import rows_of_columns
from tripletscope.core.reading.interpretation.proposal import recognise, refusal
from tripletscope.core.reading.kinds import Claim, kinds
from tripletscope.core.reading.kinds.experiments import of_experiment, only_of
from tripletscope.core.reading.kinds.levels import CONJOINT, chosen_first, usual_cells
from tripletscope.core.reading.kinds.pair_ratings import UNTOLD
from tripletscope.core.reading.kinds.placements import placed
from tripletscope.core.reading.languages import UNANSWERED_CELLS
from tripletscope.core.reading.layouts.collect import unanswered_notes
from tripletscope.core.reading.loading import load, load_several
from tripletscope.core.reading.matrix import Square, SquareTable, read_squares, squares_in
from tripletscope.core.reading.names import counted, listing, stem
from tripletscope.core.reading.table import Table, decoded

#: Kinds that are read here.
_READ = (*KINDS, "matrix")


def recognised(table: Table) -> Claim | None:
    """The best supported kind of a table without answers about three objects, if it is one."""
    columns = Columns(table)
    names = (*_READ, "preferences")
    found = [one for kind in kinds().values() if kind.name in names
             for one in kind.evidence(columns)]
    ours = of_experiment(table)
    return ours or max(found, key=lambda one: one.points, default=None)


def _trials(table: Table) -> tuple[Table, Claim | None]:
    """The rows of a table that are no practice, and what they are."""
    found = recognised(table)
    if found is None or not found.roles:
        return table, found
    # How the file is written says nothing of what was measured.
    filled = _with_facts(replace(table, notes=[]), found.roles)
    trials = without_practice(only_of(filled), found.roles)
    again = recognised(trials) if trials.n_rows < table.n_rows else None
    return trials, again if again is not None and again.kind == found.kind else found


def _with_facts(table: Table, roles: Mapping[str, str]) -> Table:
    """The table in which all rows have what a file says of each person in one row, such as age."""
    if "participant" not in roles:
        return table
    person, data = table.codes(roles["participant"]), table.data
    for place, column in enumerate(table.columns):
        if column in roles.values() or table.n_different(column) > len(person.values) + 1:
            continue
        cells = table.codes(column)
        rows = np.flatnonzero((cells.codes >= 0) & (person.codes >= 0))
        if len(cells.values) > 1 and len({*person.codes[rows]}) == len(rows) < table.n_rows:
            told = np.full(len(person.values) + 1, -1)
            told[person.codes[rows]] = cells.codes[rows]
            data = data.set_column(place, column, decoded(told[person.codes], cells.values))
    return table.holding(data)


# Files ------------------------------------------------------------------------------------------


@short_repr
@dataclass(frozen=True, eq=False)
class RatingsFile:
    """Measurements of a file, as plain data."""

    kind: str  # one of `tripletscope.core.ratings.KINDS`
    table: pd.DataFrame  # with the columns of the kind
    options: dict[str, Any]
    notes: list[str]  # how the file was read, as sentences
    #: What somebody has to say first, an option; empty if the file tells all.
    asks: str = ""
    #: What large numbers mean in the file; empty where they are no ratings.
    direction: str = ""

    @property
    def n_raters(self) -> int:
        """0 if they have no names."""
        return self.table["participant"].nunique() if "participant" in self.table else 0

    def measured(self) -> RatedDissimilarities:
        return measured(self.kind, self.table, self.options)


def read_measured(
    source: Source | Sequence[Source], name: str | None = None, *, kind: str | None = None,
    **options: Any,
) -> RatedDissimilarities:
    r"""Read ratings, confusions, piles or arrangements.

    Parameters
    ----------
    source : path, bytes or binary file object, or a list of such
        Tables with the columns of `Ratings`, `Confusions`, `Piles` or `Arrangements`, also under
        other names and with a column per person; or square matrices of ratings or counts, one
        file, array or block of rows per rater.
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
        If the file is of no such kind, or a value is invalid; and if neither names nor values of
        ratings tell the direction, which is not given.

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
    result = file_of_measured(files, kind, options)
    if result.asks:
        raise DataError(
            "nothing in it tells whether large numbers mean that two objects are similar or that "
            "they are different", file=files[0][0],
            remedy="Say so: direction='similar' or direction='dissimilar'.",
        )
    return result.measured()


def file_of_measured(
    files: Sequence[tuple[str, Source]], kind: str | None, options: Mapping[str, Any]
) -> RatingsFile:
    """Measurements of one file or several; see `read_measured`."""
    (name, source), *others = files
    try:
        table = load_several(files) if others else _plain(source, name)
        table, result = _trials(rows_of_columns(table))
    except DataError:
        if not others:
            raise
        result = None  # several matrices need not be one table
    if result is not None and result.kind == "preferences":
        raise refusal(result, name)
    if result is None or result.kind == "matrix":
        if kind not in (None, "ratings", "confusions"):
            raise DataError(
                f"its columns are not those of {kind}", file=name,
                remedy="Name them as in the help on files of ratings.",
            )
        if others:
            names = [stem(own) for own, _ in files]
            names = names if len({*names}) == len(names) else [own for own, _ in files]
            return _of_squares([
                replace(one, person=f"{own} {one.person}".strip())
                for own, (file, each) in zip(names, files, strict=True)
                for one in read_squares(_plain(each, file))
            ], kind, options)
        if result is None and len(table.columns) < table.n_rows:
            refuse_no_measures(table)
        return _of_squares(read_squares(table), kind, options)
    if kind not in (None, result.kind):
        raise DataError(
            f"the columns are those of {result.kind}, not of {kind}", file=table.name,
            remedy="Name the columns as the kind needs them.",
        )
    return _of_table(table, result, options)


def _plain(source: Source, name: str | None) -> Table:
    """The table of a file, whose columns stay as they are."""
    return load(source, name, least_columns=2, reshape=False)


def refuse_no_measures(table: Table) -> None:
    """Say what a table is instead of ratings, confusions, piles, arrangements or a square."""
    if squares_in(table):
        return
    found = recognise(table)
    if (clear := found.clear) is not None and clear.reading is None:
        raise refusal(clear, table.name)
    what = f"it holds {clear.title[:1].lower()}{clear.title[1:]}" if clear else (
        f"its columns are {listing(table.columns, 8)}"
    )
    raise DataError(
        f"nothing in it looks like ratings, confusions, piles or arrangements: {what}",
        file=table.name, remedy="Name the columns as in the help on files of ratings.",
    )


def _of_table(table: Table, found: Claim, options: Mapping[str, Any]) -> RatingsFile:
    frame, rows = _frame(table, found)
    needed = [role for role in frame if role not in ("participant", "trial")]
    frame = pd.concat([frame, _further(table, found, frame, rows)], axis=1)
    empty = (frame[needed].isna() | (frame[needed] == "")).any(axis=1).to_numpy()
    kept = np.flatnonzero(~empty)
    asks = "direction" if any(sign.code == UNTOLD for sign in found.signs) and (
        "direction" not in options
    ) else ""
    signs = [sign.said() for sign in found.signs if asks or sign.code != UNTOLD]
    notes = [f"Read as {found.title}. {' '.join(signs)}", *table.notes]
    notes += [note.said() for note in unanswered_notes(table)]
    if empty.any():
        first = table.row_number(int(rows[np.argmax(empty)]))
        notes.append(
            f"{counted(int(empty.sum()), 'row')} without a value left out, the first is row "
            f"{first:,}."
        )
    frame = frame.iloc[kept].reset_index(drop=True)
    if found.kind == "confusions" and "count" not in frame:
        frame = frame.groupby(list(frame.columns), sort=False).size().rename("count").reset_index()
    try:
        made = measured(found.kind, frame, {**found.options, **options})
    except DataError as error:
        row = None if error.row is None else table.row_number(int(rows[kept[error.row]]))
        raise DataError(error.problem, file=table.name, row=row, remedy=error.remedy) from error
    if found.kind == "ratings" and "participant" in frame:
        notes += _raters_alone(made.table)
    return RatingsFile(found.kind, made.table, made.options, notes + made.notes, asks,
                       made.options.get("direction", ""))


def _further(
    table: Table, found: Claim, frame: pd.DataFrame, rows: np.ndarray
) -> pd.DataFrame:
    """Columns of a file beside those of the kind; of counted responses, those on people alone."""
    if len(frame) > table.n_rows or any(sign.code == "ours" for sign in found.signs):
        return pd.DataFrame(index=frame.index)  # a column per person; facts come from elsewhere
    free = [column for column in table.columns if not table.is_blank(column)
            and column not in (*found.roles.values(), file_column(table))]
    cells = {name: table.texts(column)[rows] for column, name in kept_names(free).items()}
    further = pd.DataFrame(cells, index=frame.index, dtype="str")
    further.columns = [f"{name} (file)" if name in frame else name for name in further]
    if found.kind == "confusions":
        who = frame["participant"] if "participant" in frame else np.zeros(len(frame))
        further = further.loc[:, further.groupby(who).nunique().max() <= 1]
    return further


def _raters_alone(rated: pd.DataFrame) -> list[str]:
    """A sentence on raters none of whose pairs anybody else has rated."""
    pair = [frozenset(both) for both in rated[["item1", "item2"]].itertuples(index=False)]
    each = pd.DataFrame({"pair": pair, "who": rated["participant"].to_numpy()}).drop_duplicates()
    shared = each["pair"].map(each["pair"].value_counts()) > 1
    alone = [str(who) for who, several in shared.groupby(each["who"], sort=False)
             if not several.any()]
    if not alone or each["who"].nunique() < 2:
        return []
    return [f"{counted(len(alone), 'rater')} rated no pair that anybody else has rated, so that "
            f"nothing tells how far they agree: {listing(alone)}."]


def _frame(table: Table, found: Claim) -> tuple[pd.DataFrame, np.ndarray]:
    """Columns of the kind by role, and the row of the table of each of theirs."""
    roles = dict(found.roles)
    rows = np.arange(table.n_rows)
    if "places" in roles:
        return _listed(table, roles)
    wide = [role.partition("[")[2][:-1] for role in roles if role.startswith(("pile[", "x["))]
    if wide:
        # Columns are people, or objects of the people in the rows.
        beside = {role: name for role, name in roles.items() if "[" not in role}
        each = "participant" if "item" in roles else "item"
        parts = [_frame_of(table, {
            **beside, **{role.partition("[")[0]: name for role, name in roles.items()
                         if role.partition("[")[2][:-1] == one},
        }).assign(**{each: one}) for one in dict.fromkeys(wide)]
        frame = pd.concat(parts, ignore_index=True)
        if "participant" not in frame:
            frame.insert(0, "participant", np.tile(rows + 1, len(parts)).astype(str))
        return frame, np.tile(rows, len(parts))
    return _frame_of(table, roles), rows


def _frame_of(table: Table, roles: Mapping[str, str]) -> pd.DataFrame:
    paired = "pair" in roles or any(role.startswith("item1") for role in roles)
    cells = dict(zip(("item1", "item2"), judged(table, roles), strict=True)) if paired else {}
    for role, column in roles.items():
        if role in _NUMBERS:
            cells[role] = _numbers(table, column)
        elif role in ("item", "stimulus", "response"):
            cells[role] = table.names(column)  # an object may be called NA
        elif role in ("participant", "trial", "pile"):
            cells[role] = table.texts(column)
    order = [role for role in ("participant", "trial") if role in cells]
    return pd.DataFrame({role: cells[role] for role in dict.fromkeys([*order, *cells])}).astype(
        {role: "str" for role in cells if role not in _NUMBERS}
    )


def _listed(table: Table, roles: Mapping[str, str]) -> tuple[pd.DataFrame, np.ndarray]:
    """Places of the objects that cells list; of each row another trial."""
    who = table.texts(roles["participant"]) if "participant" in roles else None
    lines = [
        (row, item, x, y) for row, cell in enumerate(table.texts(roles["places"]).tolist())
        for item, x, y in placed(cell)
    ]
    frame = pd.DataFrame(lines, columns=["trial", "item", "x", "y"])
    rows = frame["trial"].to_numpy()
    if who is not None:
        frame.insert(0, "participant", who[rows])
    return frame.astype({"trial": "str", "item": "str"}), rows


def _numbers(table: Table, column: str) -> np.ndarray:
    """Numbers of a column, 1 for same and 0 for different; empty cells are missing.

    So are words for no answer, such as skipped.
    """
    numbers, texts = table.numbers(column), table.texts(column)
    said = [text.casefold() for text in texts.tolist()]
    for value, words in zip((1.0, 0.0), NAMES["same"], strict=True):
        numbers = np.where(np.isin(said, words), value, numbers)
    wrong = ~np.isfinite(numbers) & ~np.isin(said, ["", *UNANSWERED_CELLS])
    table.refuse(wrong, lambda row: f"{texts[row]!r} in column {column} is no number",
                 "Correct the cell, or leave it empty.")
    return numbers


#: Roles of numbers.
_NUMBERS = ("rating", "count", "x", "y")


# Squares ----------------------------------------------------------------------------------------


def _of_squares(
    squares: Sequence[Square], kind: str | None, options: Mapping[str, Any]
) -> RatingsFile:
    """Measurements of squares, one per rater."""
    first, ids = squares[0], squares[0].ids
    for each in squares[1:]:
        if sorted(each.ids) != sorted(ids):
            raise DataError(
                f"its objects are not those of {first.file}", file=each.file,
                remedy="Give all matrices the same objects.",
            )
    if kind is None:
        kind = "confusions" if all(each.are_counts() for each in squares) else "ratings"
    squares, options = [one.ordered(ids) for one in squares], dict(options)
    if kind == "confusions":
        values = [np.nan_to_num(each.values) for each in squares]
        notes = ["Read as confusions: rows are stimuli, columns responses.", *first.notes]
    else:
        direction = options.pop("direction", None)
        similarities = None if direction is None else direction == "similar"
        read = _alike(squares, similarities)
        values, notes = [each.values for each in read], read[0].notes
        direction = "similar" if read[0].from_similarities else "dissimilar"
        options["direction"] = "dissimilar"
    people = [one.person or one.file for one in squares]
    matrices = dict(zip(people, values, strict=True))
    try:
        if kind == "ratings":
            made = Ratings.from_matrices(matrices, ids, **options)
        else:
            several = len(squares) > 1
            made = Confusions.from_matrix(matrices if several else values[0], ids, **options)
    except DataError as error:  # its rows are not those of the file
        raise DataError(error.problem, file=first.file, remedy=error.remedy) from error
    if len(squares) > 1:
        notes = [*notes, f"{counted(len(squares), 'matrix', 'matrices')}, one of each rater."]
    return RatingsFile(kind, made.table, made.options, [*notes, *made.notes],
                       direction=direction if kind == "ratings" else "")


def _alike(
    squares: Sequence[Square], similarities: bool | None, average: bool = True
) -> list[SquareTable]:
    """Dissimilarities of squares of the same objects, which have the direction of their mean."""
    if similarities is not None or len(squares) == 1:
        return [one.dissimilarities(similarities, average) for one in squares]
    mean = np.mean([one.completed() for one in squares], axis=0)
    told = replace(squares[0], values=mean).direction()
    return [one.dissimilarities(told[0], average, told[1]) for one in squares]


def read_matrix(
    source: Source, name: str | None = None, *, similarities: bool | None = None,
    average: bool = True,
) -> SquareTable:
    """Read a square table, with or without names of the objects beside and above it.

    One half may be empty or zero; of squares of several people, the mean counts. Ratings of all
    pairs are a square, too.

    Parameters
    ----------
    source : path, bytes or binary file object
    name : str, optional
        Of the file, for messages.
    similarities : bool, optional
        Whether large values mean similar; by default as the diagonal, or a map of either, tells.
    average : bool
        Whether halves that differ are averaged; otherwise they are refused.

    Raises
    ------
    DataError
        If the table has not all pairs of three or more objects.
    """
    table, found = _trials(_plain(source, name))
    if found is not None and found.kind == "preferences":
        raise refusal(found, table.name)
    if found is not None and found.kind in KINDS:
        return _square_of(_of_table(table, found, {} if (
            similarities is None or found.kind != "ratings"
        ) else {"direction": "similar" if similarities else "dissimilar"}), table.name)
    read = _alike(read_squares(table), similarities, average)
    if len(read) == 1:
        return read[0]
    return replace(read[0], values=np.mean([one.values for one in read], axis=0), notes=[
        *read[0].notes, f"The mean of {counted(len(read), 'matrix', 'matrices')}.",
    ])


def _square_of(file: RatingsFile, name: str) -> SquareTable:
    """The mean dissimilarities of rated pairs."""
    apart = file.measured().dissimilarities(0)
    missing = np.argwhere(~np.isfinite(apart.mean))
    if len(missing):
        one, other = (apart.ids[k] for k in missing[0])
        raise DataError(
            f"nobody has compared {one} with {other}", file=name,
            remedy="Read it by tripletscope.ratings.read_measured.",
        )
    people = [f"The mean of {counted(apart.n_raters, 'person', 'people')}."] * (apart.n_raters > 1)
    return SquareTable(apart.mean, apart.ids, True, file.options.get("direction") == "similar",
                       [*file.notes, *people])


def read_conjoint(source: Source, name: str | None = None) -> tuple[pd.DataFrame, list[str]]:
    """Comparisons of stimuli with several dimensions for `conjoint_scales`, and how they were read.

    Two columns per dimension whose names differ in a side, such as 1 and 2, and a response that
    chooses one: ``first``, or ``resp`` as in R's package MLCM, with 1 for the first stimulus and 0
    for the second, or words and keys such as left and right.
    """
    table = load(source, name, reshape=False)
    columns = Columns(table)
    found = next(iter(CONJOINT.evidence(columns)), None)
    if found is None:
        raise DataError(
            f"columns {listing(table.columns)} are not those of conjoint measurement",
            file=table.name, remedy="Give the levels of both stimuli, such as gloss1, gloss2, "
            "bumps1 and bumps2, and resp: 1 where the first was chosen, else 0.",
        )
    table = without_practice(table, found.roles)
    columns, answer = Columns(table), found.roles["first"]
    texts = np.array([plain_number(text) for text in table.texts(answer).tolist()], dtype=object)
    codes = usual_cells(columns[answer])
    first = chosen_first(codes)
    none = np.isin([text.casefold() for text in texts], ["", *UNANSWERED_CELLS])
    wrong = ~none & ~np.isin(texts, [*codes])
    either = " nor ".join(sorted(codes, reverse=True))
    table.refuse(wrong, lambda row: f"the answer {texts[row]!r} is neither {either}",
                 "Write 1 where the first stimulus was chosen, else 0.")
    frame = pd.DataFrame({"first": np.where(none, np.nan, np.isin(texts, [*first]))})
    if (person := participant_of(columns).get("participant")) is not None:
        frame["participant"] = table.texts(person)
    levels = {role: column for role, column in found.roles.items() if role != "first"}
    for role, column in levels.items():
        numbers, cells = table.numbers(column), table.texts(column)
        are_numbers = not (np.isnan(numbers) & (cells != "")).any()
        frame[role] = numbers if are_numbers else np.where(cells == "", None, cells)
    said = " or ".join(sorted(first)) or "nothing"
    return frame, [
        f"Read as conjoint measurement of {listing([role[:-1] for role in [*levels][::2]])}; "
        f"{said} in {answer} is the first stimulus.", *table.notes,
    ]
