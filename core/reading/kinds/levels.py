"""Conjoint measurement: levels of several properties of two stimuli, and which was chosen."""

from __future__ import annotations

from collections import Counter

from tripletscope.core.reading.columns.guess import codings_of
from tripletscope.core.reading.columns.object_columns import in_order_of_keys
from tripletscope.core.reading.columns.pair_columns import is_beside, sided
from tripletscope.core.reading.columns.reading import CHOICE_CODINGS
from tripletscope.core.reading.columns.values import ColumnCells, Columns
from tripletscope.core.reading.kinds import CERTAIN, LIKELY, Claim, Kind, Sign
from tripletscope.core.reading.languages import WORDS
from tripletscope.core.reading.names import common_start, listing, normalised

#: Most levels of a property.
_MOST = 30
#: Share of the responses that may be none.
_SLIPS = 0.2
#: Rows that may say nothing by themselves.
_FEW = 10
#: Same and different, and ratings.
_OTHER_KEYS = {"s", "d", *"0123456789"}


def chosen_first(values: set[str]) -> set[str] | None:
    """The cells that choose the first stimulus, of two; None if these are no choices.

    As in R's MLCM, 1 is the first and 0 the second.
    """
    words = {text.casefold() for text in values}
    codings = codings_of(words) if 0 < len(words) <= 2 else []
    coding = "first_is_nearer" if "first_is_nearer" in codings else next(iter(codings), None)
    # One key alone, and keys that people use for other things, are no choices.
    keys = in_order_of_keys(words) if len(words) == 2 and not words & _OTHER_KEYS else []
    first = CHOICE_CODINGS[coding].words[0] if coding else keys[:1]
    return {text for text in values if text.casefold() in first} if first else None


def usual_cells(column: ColumnCells) -> set[str]:
    """The two most frequent cells, unless others are too frequent to be slips."""
    often = Counter(text for text in column.texts.tolist() if text).most_common()
    rest = sum(number for _, number in often[2:])
    return {text for text, _ in often[:2]} if rest <= _SLIPS * column.n_written else set()


def _evidence(columns: Columns) -> list[Claim]:
    if not columns.table.header:
        return []
    free = [one for one in columns if not is_beside(one.name)]
    sides = {_stem(stem, *pair): pair for stem, pair in sided(one.name for one in free).items()
             if _levels(columns, *pair)}
    taken = {name for pair in sides.values() for name in pair}
    response = _response([one for one in free if one.name not in taken])
    few = columns.table.n_rows < _FEW
    if len(sides) < 2 or response is None or (few and normalised(response.name) not in _RESPONSES):
        return []
    called = _is_called(response.name)
    sign = Sign("conjoint", {"dimensions": listing([*sides]), "response": response.name})
    roles = {f"{stem}{k + 1}": pair[k] for stem, pair in sides.items() for k in (0, 1)}
    return [Claim(
        "conjoint", "conjoint measurement", CERTAIN if called else LIKELY, (sign,),
        {**roles, "first": response.name},
    )]


def _stem(stem: str, first: str, second: str) -> str:
    """What two names have in common, as they are written."""
    common = common_start((first, second)).rstrip(" _.-[(")
    return common if normalised(common) == stem else stem


_RESPONSES = {*WORDS["English"]["choice"], "first", "resp", "response", "choice", "key", "answer"}


def _is_called(name: str) -> bool:
    return normalised(name) in _RESPONSES or name.casefold().endswith((".keys", "_key", ".key"))


def _levels(columns: Columns, first: str, second: str) -> bool:
    """Whether both are levels of one property."""
    one, other = columns[first].values, columns[second].values
    shared = len(one & other)
    return 2 <= len(one | other) <= _MOST and shared >= 0.5 * min(len(one), len(other)) > 0


def _response(free: list[ColumnCells]) -> ColumnCells | None:
    """The column of choices; those that are called so first."""
    choices = [one for one in free if chosen_first(usual_cells(one))]
    # Two letters may be of anything.
    choices = [one for one in choices if _is_called(one.name) or (
        len(cells := usual_cells(one)) == 2 and codings_of({text.casefold() for text in cells}))]
    called = [one for one in choices if _is_called(one.name)]
    return next(iter(called or (choices if len(choices) == 1 else [])), None)


CONJOINT = Kind(
    "conjoint", "conjoint measurement", 26, _evidence, "tripletscope.core.reading.read_conjoint"
)
