"""One of three or more options around an anchor, chosen by name or by place; or all, ranked.

The chosen one is put first, as psiz writes it: it is nearer than each of the others.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from tripletscope.core.reading.columns.guess import numbered_columns, plain_texts, side_roles
from tripletscope.core.reading.columns.object_columns import (
    TELLING,
    is_called_response,
    never_alike,
)
from tripletscope.core.reading.columns.reading import Reading
from tripletscope.core.reading.columns.values import (
    ColumnCells,
    Columns,
    differ,
    names_one_of,
    share,
)
from tripletscope.core.reading.layouts import Layout, items
from tripletscope.core.reading.names import ALIASES, FARTHER, asked_for, begins, listing, named
from tripletscope.core.reading.table import Table, encoded
from tripletscope.core.reading.tasks import MOST_OPTIONS

#: Names of the new columns.
_FIRST, _NUMBER, _RANKED = "chosen first {}", "number chosen", "ranked"
#: Least share of the responses that name an option of their row.
_NAMED = 0.98
#: Least share of the objects of two columns that are in both.
_SHARED = 0.5
#: Fewest options; two are an anchor's usual ones.
_FEWEST = 3
#: Words in names of responses that say something else than the most similar one.
_OTHERWISE = (
    *FARTHER, "odd", "worst", "correct", "incorrect", "wrong", "outlier", "intruder", "unlike",
    "differs", "excluded",
)
#: What numbered columns are called that rank the options, the most similar one first.
_RANKS = ("rank", "ranked", "rang", "rango", "ranking", "rankeditem")


def _question(table: Table) -> tuple[str, list[str], str] | None:
    """Columns of the anchor and of the options, and of the response; "" of ranked options."""
    anchor = named(table.columns, ALIASES["anchor"]) if table.header else None
    groups = {name: group for name, group in numbered_columns(table.columns).items()
              if _FEWEST <= len(group) <= MOST_OPTIONS and anchor not in group}
    if anchor is None or not groups or _FIRST.format(1) in table.columns:
        return None
    columns = Columns(table)
    for name, group in groups.items():
        options = [columns[name] for name in group]
        one_question = [columns[anchor], *options]
        if not _are_of_one(one_question):
            continue
        places = {str(k + 1) for k in range(len(group))}
        found = [one.name for one in columns.but(anchor, *group) if is_called_response(one.name)
                 and not begins(one.name, _OTHERWISE) and asked_for(one.name) != "farther"
                 and (names_one_of(one, options) >= _NAMED) != (one.values == places)]
        if len(found) == 1 or (not found and name in _RANKS):
            return anchor, group, "".join(found)
    return None


def _are_of_one(objects: Sequence[ColumnCells]) -> bool:
    """Whether columns name different objects of one question; few rows share few of them."""
    if not all(one.can_name for one in objects):
        return False
    if objects[0].n_written < TELLING:
        n_names = len(frozenset().union(*(one.values for one in objects)))
        return differ(objects) == 1 and n_names < sum(len(one.values) for one in objects)
    return never_alike(objects) and all(share(objects[1], one) >= _SHARED for one in objects)


def _with_chosen_first(table: Table) -> Table | None:
    question = _question(table)
    if question is None:
        return None
    _, options, choice = question
    if not choice:
        n = str(len(options))
        added = {_FIRST.format(k + 1): table.data.column(name) for k, name in enumerate(options)}
        added |= {name: encoded([text] * table.n_rows) for name, text in (
            (_NUMBER, n), (_RANKED, "1"))}
        return table.with_columns(
            added, f"{listing(options, MOST_OPTIONS)} are in the order of their ranks."
        )
    shown = np.column_stack([plain_texts(table, column) for column in options])
    said, columns = plain_texts(table, choice), Columns(table)
    # As they were found by: few places may be names of objects, too.
    if names_one_of(columns[choice], [columns[name] for name in options]) >= _NAMED:
        is_chosen = shown == said[:, None]
    else:
        is_chosen = said[:, None] == np.array([str(k + 1) for k in range(len(options))])
    order = np.argsort(~is_chosen, axis=1, kind="stable")
    ordered = np.take_along_axis(shown, order, axis=1)
    added = {_FIRST.format(k + 1): encoded(text or None for text in column)
             for k, column in enumerate(ordered.T.tolist())}
    added[_NUMBER] = encoded("1" if one else None for one in is_chosen.any(axis=1).tolist())
    return table.with_columns(
        added, f"Column {choice} says which of {listing(options, MOST_OPTIONS)} was chosen: it "
        f"comes first in {_FIRST.format(1)} to {_FIRST.format(len(options))}.",
    )


def _propose(table: Table) -> list[Reading]:
    columns = [name for k in range(MOST_OPTIONS) if (name := _FIRST.format(k + 1)) in table.columns]
    if not columns or _NUMBER not in table.columns:
        return []
    added = [name for name in (*columns, _NUMBER, _RANKED) if name in table.columns]
    question = _question(table.holding(table.data.drop_columns(added)))
    if question is None:
        return []
    anchor, options, choice = question
    roles = {"anchor": anchor, "n_chosen": _NUMBER} | items(columns)
    roles |= {} if choice else {"ranked": _RANKED}
    taken = [*roles.values(), *options, choice]
    side, reasons = side_roles(table, dict(zip(taken, taken, strict=True)))
    said = f"{choice} is the most similar one" if choice else "the first is the most similar one"
    return [LAYOUT.reading(
        table, roles, f"{anchor} is compared with {listing(options, MOST_OPTIONS)}, and {said}.",
        *reasons, side=side, task="most_similar",
    )]


LAYOUT = Layout(
    "one_of_several", "Several options around an anchor", 38, _propose,
    reshape=_with_chosen_first,
)
