"""Square tables of similarities or dissimilarities, one or one of each person."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np

from tripletscope.core.data.errors import DataError
from tripletscope.core.reading.formats.several import FILE
from tripletscope.core.reading.kinds import Sign
from tripletscope.core.reading.kinds.pair_ratings import UNTOLD, direction_of, selves
from tripletscope.core.reading.names import ALIASES, counted, normalised
from tripletscope.core.reading.numerals import NUMERAL
from tripletscope.core.reading.table import Table

#: Relative differences of the two halves that are rounding.
_ROUNDING = 1e-6
#: Share of the pairs that differ by direction in confusions; of what was entered once, few do.
_UNEVEN = 0.1
#: Share of the objects whose own value is the largest or smallest, in squares without names; of
#: few objects, all.
_OWN, _FEW = 0.75, 8
#: Columns beyond these are no square.
_MOST = 3_000
#: What a repeated name of a column has behind it.
_AGAIN = re.compile(r" \(\d+\)$")


@dataclass(frozen=True, eq=False)
class SquareTable:
    """Dissimilarities of all pairs of n objects."""

    values: np.ndarray  # (n, n): symmetric, zero on the diagonal
    ids: list[str]  # by default numbers from 1
    is_named: bool  # whether the file has names
    #: Whether the file has similarities: the values are the largest one minus each.
    from_similarities: bool
    notes: list[str]  # how the file was read, as sentences


@dataclass(frozen=True, eq=False)
class Square:
    """Values of all pairs of n objects as in the file."""

    values: np.ndarray  # (n, n): NaN in empty cells
    ids: list[str]  # by default numbers from 1
    is_named: bool
    file: str
    rows: np.ndarray  # (n,): rows of the file
    person: str = ""
    total: str = ""  # name of a last row and column of sums, which are left out

    def completed(self) -> np.ndarray:
        """The values, in which a half of zeros is none, and what one half lacks is in the other."""
        values = self.values.copy()
        values[np.isinf(values) & np.eye(len(values), dtype=bool)] = np.nan
        for half in (values, values.T):  # a view: the other half
            below, above = np.tril_indices(len(values), -1), np.triu_indices(len(values), 1)
            if not np.nan_to_num(half[below]).any() and (half[above] != 0).mean() > 0.5:
                half[below] = np.nan
        return np.where(np.isnan(values), values.T, values)

    def are_counts(self) -> bool:
        """Whether these are whole numbers that differ by direction, mostly largest on the diagonal.

        So are confusions. Of ratings and of shares, the diagonal is the end of the scale.
        """
        values, own = self.values, np.diag(self.values)
        both = self.completed()
        uneven = np.mean((both != both.T)[np.triu_indices(len(both), 1)])
        return bool(
            np.isfinite(values).all() and (values >= 0).all() and (values == np.round(values)).all()
            and uneven > _UNEVEN and np.mean((own > 0) & (own >= values.max(axis=1))) > 0.5
            and (np.ptp(own) > 0 or np.ptp(values.sum(axis=1)) == 0)
        )

    @property
    def notes(self) -> list[str]:
        return [f"{self.total} adds up the others, and is left out."] * bool(self.total)

    def without_total(self) -> Square:
        """The same without a last row and column that add up the others."""
        inner = self.values[:-1, :-1]
        if len(self.ids) < 4 or not np.isfinite(self.values).all() or (inner < 0).any() or not (
            inner.any() and np.allclose(self.values[-1, :-1], inner.sum(axis=0))
            and np.allclose(self.values[:-1, -1], inner.sum(axis=1))
            and np.isclose(self.values[-1, -1], inner.sum())  # a hub has no such corner
        ):
            return self
        return replace(self, values=inner, ids=self.ids[:-1], rows=self.rows[:-1],
                       total=self.ids[-1])

    def is_uneven(self) -> bool:
        values = self.completed()
        return bool((np.abs(values - values.T) > _ROUNDING * np.nanmax(np.abs(values))).any())

    def direction(self) -> tuple[bool, str]:
        """Whether these are similarities, and why, as a sentence."""
        direction, sign = direction_of(self.completed())
        if sign.code == UNTOLD:  # a square is more often one of distances
            direction, sign = "dissimilar", Sign("untold_square")
        return direction == "similar", sign.said()

    def ordered(self, ids: list[str]) -> Square:
        """The same values with the objects in another order."""
        places = [self.ids.index(name) for name in ids]
        return replace(self, values=self.values[np.ix_(places, places)], ids=ids,
                       rows=self.rows[places])

    def dissimilarities(
        self, similarities: bool | None = None, average: bool = True, why: str = "As you stated."
    ) -> SquareTable:
        """Symmetric dissimilarities with a zero diagonal; one half of the file may be empty.

        why: A sentence on `similarities`.
        """
        values, ids = self.completed(), self.ids
        away = ~np.eye(len(values), dtype=bool)
        if not np.isfinite(values[away]).all():
            row = int(np.argmax((~np.isfinite(values) & away).any(axis=1)))
            raise DataError(
                "a similarity is missing", file=self.file, row=int(self.rows[row]),
                remedy="Fill it in, in one of the two halves of the table.",
            )
        if similarities is None:
            similarities, why = self.direction()
        kind = "similarities" if similarities else "dissimilarities"
        notes = [f"{counted(len(values), 'object')}; the values are {kind}. {why}", *self.notes]
        if self.is_uneven():
            row, column = np.argwhere(np.abs(values - values.T) == np.nanmax(
                np.abs(values - values.T)))[0]
            which = f"{ids[row]} with {ids[column]} is not {ids[column]} with {ids[row]}"
            if not average:
                raise DataError(
                    which, file=self.file, row=int(self.rows[row]),
                    remedy="Average the two halves of the table, if both are meant.",
                )
            notes.append(
                f"The two halves differ ({which}: {values[row, column]:g} and "
                f"{values[column, row]:g}) and are averaged."
            )
        if similarities:
            values = np.nanmax(values) - values
        values = (values + values.T) / 2
        np.fill_diagonal(values, 0.0)
        return SquareTable(values, ids, self.is_named, similarities, notes)

    def dissimilarities_or_none(self) -> SquareTable | None:
        """Dissimilarities, or None if the values look like features of the objects."""
        try:
            return self.dissimilarities(average=False) if self.is_one() else None
        except DataError:
            return None

    def is_one(self) -> bool:
        """Whether the values look like those of pairs: symmetric, half, or largest for selves."""
        values = self.completed()
        away = ~np.eye(len(values), dtype=bool)
        if len(values) < 3 or np.isfinite(values[away]).mean() < 0.9 or not values[away].any():
            return False
        own = np.diag(self.values)[np.isfinite(np.diag(self.values))]
        extreme = max(selves(values)) >= (_OWN if len(values) > _FEW else 1)
        if not self.is_uneven():
            fits = len(own) == 0 or np.ptp(own) == 0 or extreme
            return bool(fits and np.ptp(values[away]) > 0)
        return bool(len(own) == len(values) > 4 and extreme)

    def is_preference(self) -> bool:
        """Whether both directions of each pair add up to the same: row preferred to column."""
        values = self.values
        both = (values + values.T)[np.triu_indices(len(values), 1)]
        own = np.diag(values)[np.isfinite(np.diag(values))]
        return bool(
            np.isfinite(both).all() and len(both) > 2 and self.is_uneven()
            and np.ptp(both) <= 1e-3 * np.abs(values[np.isfinite(values)]).max()
            and (len(own) == 0 or (np.ptp(own) == 0 and (own[0] in (0, both[0] / 2))))
        )


def read_squares(table: Table) -> list[Square]:
    """The values of a square table, or of one for each person."""
    squares = squares_in(table)
    if not squares:
        raise DataError(
            f"the table is not square: it has {counted(table.n_rows, 'row')} and "
            f"{counted(len(table.columns), 'column')}", file=table.name,
            remedy="Give one row and one column per object, with names in the first of each or "
            "not.",
        )
    return squares


def square_table(table: Table) -> SquareTable | None:
    """The distances in a table, or None for columns of numbers.

    Equal names beside and above always mean distances.
    """
    try:
        squares = squares_in(table)
    except DataError:
        return None
    if len(squares) != 1:
        return None
    beside = set(squares[0].ids) < set(table.columns)
    return squares[0].dissimilarities() if beside else squares[0].dissimilarities_or_none()


# From tables ------------------------------------------------------------------------------------


def squares_in(table: Table) -> list[Square]:
    """The square that a table is, those of several people in it, or none."""
    if len(table.columns) > _MOST or table.n_rows > 200 * len(table.columns) or table.n_rows < 2:
        return []
    arrays = [_of_columns(table, group, person=name) for name, group in _arrays(table).items()
              if len(group) == table.n_rows]
    if len(arrays) > 1 and all(one.is_one() for one in arrays) and (
        len({one.direction()[0] for one in arrays}) == 1
    ):
        return arrays
    return [replace(one, person="") for one in arrays[:1]] or _beside(table) or (
        _without_names(table)
    )


def _of_columns(
    table: Table, columns: Sequence[str], ids: Sequence[str] | None = None, person: str = "",
    rows: np.ndarray | None = None,
) -> Square:
    """A square of some columns and rows, in the order of the columns."""
    part = table if rows is None else table.take(rows)
    values = np.column_stack([part.numbers(column) for column in columns])
    numbers = table.row_numbers(np.arange(table.n_rows) if rows is None else rows)
    _refuse_words(part, columns, values, numbers)
    named = ids is not None
    return Square(values, list(ids) if named else [str(i + 1) for i in range(len(columns))], named,
                  table.name, numbers, person)


def _beside(table: Table) -> list[Square]:
    """Squares whose rows name the objects that the columns are."""
    for place, column in enumerate(table.columns[:4]):
        # Names of rows that are in columns, too; those of people and files may be beside them.
        names = table.names(column)
        above = [one for one in table.columns[place + 1 :] if one in set(names.tolist())]
        others = [one for one in table.columns if one not in (column, *above)]
        measures = any(re.search("[.,]", name) and _is_number(name) for name in above)
        measures = measures and (_is_number(column) or _has_no_selves(table, names, above))
        if len(above) < 3 or measures or set(names.tolist()) != set(above) or (
            len(others) > 3 or table.n_rows % len(above)
        ):
            continue
        people = [one for one in others if normalised(one) in ALIASES["participant"]
                  or one == FILE] or others
        return _stacked(table, names, above, people)
    return []


def _has_no_selves(table: Table, names: np.ndarray, above: list[str]) -> bool:
    """Whether a square has both halves and no diagonal, as one whose first row is taken for names.

    Such a row of values is beside, too.
    """
    part = table.take(np.array([names.tolist().index(name) for name in above]))
    filled = np.isfinite(np.column_stack([part.numbers(name) for name in above]))
    return bool(not np.diag(filled).any() and np.tril(filled).any() and np.triu(filled).any())


def _stacked(table: Table, names: np.ndarray, above: list[str], people: list[str]) -> list[Square]:
    """One square of each person, whose rows may be in any order."""
    n = len(above)
    whose = table.texts(people[0]) if people else np.arange(table.n_rows) // n
    found = []
    for person in dict.fromkeys(whose.tolist()):
        rows = np.flatnonzero(whose == person)
        if len(rows) != n or set(names[rows].tolist()) != set(above):
            if len({*names.tolist()}) == len(names) or not people:
                _refuse_repeated(names[rows].tolist(), table)
            return []
        rows = rows[np.argsort([above.index(name) for name in names[rows]])]
        found.append(_of_columns(table, above, above, str(person), rows).without_total())
    return found if len(found) > 1 else [replace(one, person="") for one in found]


def _without_names(table: Table) -> list[Square]:
    """A square whose rows have no names, or other names than its columns."""
    columns = table.columns
    n = len(columns)
    if n == table.n_rows + 1 > 2 and (half := _without_blank(table)):
        return half
    if not table.header and n > 2 and (named := _below_names(table)):
        return named
    if n - table.n_rows not in (0, 1):
        return []
    numeric = [bool(np.isfinite(table.numbers(column)).any()) or
               not any(table.texts(column)) for column in columns]
    if table.header and n == table.n_rows + 1 and all(numeric) and all(
        map(_is_number, columns[1:])
    ) and (_is_number(columns[0]) or columns[0] == "column 1"):  # the header is a row of numbers
        top = np.array([[float(_AGAIN.sub("", name).replace(",", ".")) if _is_number(name)
                         else np.nan for name in columns]])
        below = np.column_stack([table.numbers(column) for column in columns])
        rows = np.concatenate([[table.row_number(0) - 1], table.row_numbers(np.arange(n - 1))])
        ids = [str(k + 1) for k in range(n)]
        return [Square(np.concatenate([top, below]), ids, False, table.name, rows)]
    if n == table.n_rows:
        return [_of_columns(table, columns, columns if table.header else None)] if (
            sum(numeric) >= n - 1
        ) else []
    if n == table.n_rows + 1 and sum(numeric[1:]) >= n - 2:
        names = table.names(columns[0]).tolist()
        if not all(np.isfinite(table.numbers(columns[0]))):
            _refuse_repeated(names, table)
            return [_of_columns(table, columns[1:], names)]
        if n > 3 and np.ptp(np.diff(table.numbers(columns[0]))) == 0:  # numbers of the rows
            square = _of_columns(table, columns[1:], names)
            return [square] if square.is_one() else []
    return []


def _without_blank(table: Table) -> list[Square]:
    """Half a square without names beside, whose first or last row is empty and thus left out."""
    columns = table.columns
    values = np.column_stack([table.numbers(column) for column in columns])
    n, filled = len(columns), np.isfinite(values)
    ids = columns if table.header else [str(k + 1) for k in range(n)]
    rows = table.row_numbers(np.arange(n - 1))
    lower = np.tril(np.ones((n - 1, n), dtype=bool))
    for half, place, row in ((lower, 0, rows[0] - 1), (~lower, n - 1, rows[-1] + 1)):
        if (filled == half).all():
            return [Square(np.insert(values, place, np.nan, axis=0), ids, table.header, table.name,
                           np.insert(rows, place, row))]
    return []


def _below_names(table: Table) -> list[Square]:
    """A square or half of one below names that are not taken for a header, as numbers are not."""
    first, columns = table.head(1), table.columns
    above = [str(first.names(column)[0]) for column in columns]
    below = table.only(np.arange(1, table.n_rows))
    words = not any(np.isfinite(first.numbers(column)[0]) for column in columns[1:])
    if words and above[1:] == below.names(columns[0]).tolist():
        return [_of_columns(below, columns[1:], above[1:])]
    if len({*above}) < len(columns) or "" in above or table.n_rows < 3:
        return []
    if below.n_rows == len(columns):
        found = [_of_columns(below, columns, above)]
        return found if found[0].is_one() else []
    half = _without_blank(below) if below.n_rows == len(columns) - 1 else []
    # An upper half with selves looks like numbers above one without.
    return [replace(one, ids=above, is_named=True) for one in half
            if words or np.isfinite(one.values[-1, 0])]


def _is_number(name: str) -> bool:
    return bool(re.fullmatch(NUMERAL, _AGAIN.sub("", name)))


def _refuse_words(
    table: Table, columns: Sequence[str], values: np.ndarray, rows: np.ndarray
) -> None:
    """Refuse cells with words; those with a dash or a dot count as empty."""
    odd = ~np.isfinite(values)
    np.fill_diagonal(odd, False)
    for k in np.flatnonzero(odd.any(axis=0)):
        texts = table.texts(columns[k])
        for row in np.flatnonzero(odd[:, k]):
            if any(character.isalnum() for character in texts[row]):
                raise DataError(
                    f"{texts[row]!r} is not a finite number", file=table.name,
                    row=int(rows[row]), remedy="Correct it, or leave the cell empty.",
                )


def _refuse_repeated(ids: list[str], table: Table) -> None:
    """Refuse repeated names of objects."""
    first: dict[str, int] = {}
    for row, text in enumerate(ids):
        if first.setdefault(text, row) != row:
            raise DataError(
                f"object {text!r} is listed twice", file=table.name, row=table.row_number(row),
                remedy="Give each object one row and its own name.",
            )


def _arrays(table: Table) -> dict[str, list[str]]:
    """Columns name[1], name[2] ... of the arrays of a file."""
    result: dict[str, list[str]] = {}
    for column in table.columns:
        stem, bracket, rest = column.rpartition("[")
        if bracket and rest.rstrip("]").isdigit():
            result.setdefault(stem, []).append(column)
    return result
