"""Square tables of all pairs: similarities, distances, confusions."""

from __future__ import annotations

from tripletscope.core.data.errors import DataError
from tripletscope.core.reading.columns.values import Columns
from tripletscope.core.reading.kinds import CERTAIN, LIKELY, Claim, Kind, Sign
from tripletscope.core.reading.matrix import Square, squares_in

#: Fewest objects of a square without names.
_FEWEST = 4


def squares_of(columns: Columns) -> list[Square]:
    """The squares of a table whose cells are numbers."""
    def found() -> list[Square]:
        try:
            return squares_in(columns.table)
        except DataError:  # words among the numbers
            return []

    return columns.once("squares", found)


def _evidence(columns: Columns) -> list[Claim]:
    squares = squares_of(columns)
    if not squares or len(squares[0].ids) < 3 or any(one.is_preference() for one in squares):
        return []
    first = squares[0]
    number = len(first.ids)
    beside = first.is_named and len(columns.names) > number
    if not (beside and all(a in columns.names for a in first.ids)) and not (
        number >= _FEWEST and all(one.is_one() for one in squares)
    ):
        return []
    similarities, why = first.direction()
    kind, options = "similarities" if similarities else "dissimilarities", {}
    if all(one.are_counts() for one in squares):
        kind, why = "confusions", "they are counts that differ by direction"
        options = {"kind": kind}
    named = "people_squares" if len(squares) > 1 else "named_square" if beside else "square"
    return [Claim(
        "matrix", f"a matrix of {kind}", CERTAIN if beside or not first.is_uneven() else LIKELY,
        (Sign(named, {"number": number, "people": len(squares)}),
         Sign("because", {"why": why})), options=options,
    )]


MATRIX = Kind(
    "matrix", "matrices of similarities or dissimilarities", 30, _evidence,
    "tripletscope.core.reading.read_matrix",
)
