"""Several answers in a row: counts of votes, signed responses to queries, ranks around a query.

docs/files.md has samples. ``answers`` and ``agreement`` are those of the material sets (Lagunas et
al. 2019). In cblearn's list-count and tensor-count the response is the surplus of answers in
favour of the first option or pair; 0 is unknown. Rank r of m around a query (psiz, ImageNet-HSJ):
``stimulus_set`` is the query, the selected ones in order, then the rest; -1 is padding, and so
are zeros at the ends of rows alone.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from itertools import permutations
from typing import Any

import numpy as np

from tripletscope.core.data.cells import plain_number
from tripletscope.core.reading.columns.guess import (
    SAMPLE_ROWS,
    anchored_roles,
    numbered_columns,
    side_roles,
)
from tripletscope.core.reading.columns.reading import Reading
from tripletscope.core.reading.languages import WORDS
from tripletscope.core.reading.layouts import Layout, items
from tripletscope.core.reading.names import ALIASES, by_names, listing, named
from tripletscope.core.reading.table import Table
from tripletscope.core.reading.tasks import MOST_OPTIONS

_ANCHORED = ("anchor", "left", "right")
_RESPONSES = ("response", "responses", "answers", "answer", "y", "data", "values")
_QUERIES = ("triplet", "triplets", "query", "queries", "quadruplets", "quadruplet", "x")


def _counts(table: Table) -> list[Reading]:
    votes = COUNTS.columns(table) if table.header else {}
    free = [column for column in table.columns if column not in votes.values()]
    roles = anchored_roles(table, free, {"left": ("first",), "right": ("second",)})
    if "left_votes" not in votes or len(votes) < 2 or not roles:
        return []
    if "right_votes" in votes:
        votes.pop("all_votes", None)
    side, reasons = side_roles(table, roles | votes)
    side.pop("weight", None)
    return [COUNTS.reading(
        table, roles | votes, "Each row counts how many participants gave each response.",
        *reasons, side=side,
    )]


def _unpack(document: Any) -> Sequence[Mapping[str, Any]] | None:
    if not isinstance(document, dict) or not {"answers", "agreement"} <= set(document):
        return None
    pairs = zip(document["answers"], document["agreement"], strict=True)
    return [
        {"anchor": a, "first": b, "second": c, "votes_first": n, "votes_second": m}
        for (a, b, c), (n, m) in pairs
    ]


def _queries(table: Table) -> list[Reading]:
    columns, response = _query_and_response(table)
    if not columns or response is None:
        return []
    sample = table.head(SAMPLE_ROWS)
    words = {plain_number(text).casefold() for text in sample.codes(response).values}
    signed = words <= {"1", "-1"} or words <= {"true", "false"}
    counted = any(word.startswith("-") for word in words)
    if not (signed or counted or (table.header and words <= {"0", "1"})):
        return []
    coding = "first_is_nearer" if signed or not counted else "signed_count"
    queries = [columns, *_others_of_the_same(sample, columns)]
    in_order = [  # either may be it, and the other what was shown
        _in_order(table, ordered, shown, response) for ordered, shown in permutations(queries, 2)
        if signed and _is_ordered(sample, ordered, shown, response)
    ]
    return in_order or [_query(table, columns, response, coding) for columns in queries]


def _query(table: Table, columns: list[str], response: str, coding: str) -> Reading:
    of_pairs = len(columns) == 4
    roles = items(columns) if of_pairs else dict(zip(_ANCHORED, columns, strict=True))
    side, _ = side_roles(table, roles | {"choice": response})
    return QUERIES.reading(
        table, roles | {"choice": response},
        f"Columns {listing(columns)} are the query, {response} the response, as cblearn writes "
        "them: positive if the first option is nearer.",
        side=side, task="smaller_pair" if of_pairs else "nearer", choice_coding=coding,
    )


def _in_order(table: Table, ordered: list[str], shown: list[str], response: str) -> Reading:
    roles = dict(zip(("anchor", "near", "far"), ordered, strict=True))
    side, _ = side_roles(table, roles)
    return QUERIES.reading(
        table, roles,
        f"Columns {listing(ordered)} hold {listing(shown)} with the option first that {response} "
        "says is nearer.", side=side,
    )


def _others_of_the_same(sample: Table, columns: list[str]) -> list[list[str]]:
    """Further queries of as many columns about the same objects, of which a response may be."""
    def objects(group: list[str]) -> set[str]:
        return {name for column in group for name in sample.codes(column).values}

    mine = objects(columns)
    groups = numbered_columns(sample.columns).values() if sample.header else ()
    return [group for group in groups if len(group) == len(columns) and group != columns
            and 2 * len(mine & objects(group)) > len(mine | objects(group))]


def _is_ordered(sample: Table, ordered: list[str], shown: list[str], response: str) -> bool:
    """Whether three columns are three others, with what the response names first."""
    if len(shown) != 3:
        return False
    first = np.isin(sample.names(response), ["1", "true", "True", "TRUE", "+1", "1.0"])
    anchor, left, right = map(sample.names, shown)
    expected = anchor, np.where(first, left, right), np.where(first, right, left)
    return all((sample.names(c) == e).all() for c, e in zip(ordered, expected, strict=True))


def _query_and_response(table: Table) -> tuple[list[str], str | None]:
    if not table.header:
        names = table.columns
        shares = len(names) == 4 and len(table.head(SAMPLE_ROWS).codes(names[0]).values) > 2
        return (names[:3], names[3]) if shares else ([], None)
    groups = numbered_columns(table.columns)
    columns = next((groups[name] for name in _QUERIES if len(groups.get(name, ())) in (3, 4)), [])
    return columns, named(table.columns, _RESPONSES)


def _ranking(table: Table) -> list[Reading]:
    paths = {column.rpartition("/")[2]: column for column in table.columns}
    columns = [c for c in table.columns if c.rpartition("/")[2].startswith("stimulus_set[")]
    if not 3 <= len(columns) <= MOST_OPTIONS + 1:
        return []
    names = WORDS["layouts"]["ranking"] | {
        "participant": (*WORDS["layouts"]["ranking"]["participant"], *ALIASES["participant"]),
    }
    side = {role: paths[name] for role, name in by_names(paths, names).items()}
    chosen = (
        "n_select says how many were selected" if "n_chosen" in side
        else "the file does not state a number, so one option counts as selected"
    )
    return [RANKING.reading(
        table, {"anchor": columns[0]} | items(columns[1:]),
        f"stimulus_set holds the query, the selected ones, then the rest (psiz); {chosen}.",
        side=side, task="most_similar",
        response_time_unit="ms" if "response_time" in side else None,
    )]


def _unnamed(table: Table) -> list[Reading]:
    """Anchor, two options, votes for the first and all votes, in the order of JoVE 63461."""
    if table.header or len(table.columns) != 5:
        return []
    part, whole = table.columns[3:]
    sample = table.head(SAMPLE_ROWS)
    first, everybody = sample.numbers(part), sample.numbers(whole)
    both = np.concatenate([first, everybody])
    if not (np.isfinite(both).all() and (both == np.round(both)).all() and (first >= 0).all()
            and (first <= everybody).all() and (everybody > 1).any()):
        return []
    if set(first) in ({1, 2, 3}, {0, 1, 2}):  # one of three, as in THINGS
        return []
    roles = dict(zip((*_ANCHORED, "left_votes", "all_votes"), table.columns, strict=True))
    return [UNNAMED.reading(
        table, roles, f"{part} is never above {whole}: they count answers.", side={}
    )]


COUNTS = Layout("counts", "Aggregated counts", 22, _counts, unpack=_unpack, certain=True)
UNNAMED = Layout(
    "unnamed", "Anchor, two options, votes for the first, all votes", 25, _unnamed, certain=True
)
QUERIES = Layout("queries", "Queries and responses (cblearn)", 24, _queries)
RANKING = Layout("ranking", "Several of many around a query (psiz)", 16, _ranking, certain=True)
