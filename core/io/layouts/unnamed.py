"""Columns without names, of which the first three are objects and a further one is the answer.

THINGS' noise ceilings: the position of the odd one, from 1. Counts of people (a ranking of eight
around a reference, JoVE 63461): reference, first, second, how many said the first, how many were
asked.
"""

from __future__ import annotations

import numpy as np

from tripletscope.core.io.columns.guess import SAMPLE_ROWS, plain_texts
from tripletscope.core.io.columns.reading import Reading
from tripletscope.core.io.layouts import Layout
from tripletscope.core.io.table import Table


def _propose(table: Table) -> list[Reading]:
    if table.header or not 4 <= len(table.columns) <= 16:
        return []
    sample = table.head(SAMPLE_ROWS)
    objects, answer, *more = table.columns[:3], *table.columns[3:]
    values = [set(sample.codes(column).values) for column in objects]
    words = set(sample.codes(answer).values)
    items = {f"item{i}": column for i, column in enumerate(objects, 1)}
    readings = []
    if _is_one_of(sample, objects, answer) and not _is_one_of(sample, objects[1:], answer):
        readings = _three(items | {"choice": answer}, f"{answer} repeats one of the three objects.")
    elif words in ({"1", "2", "3"}, {"0", "1", "2"}) and all(len(v) > 3 for v in values):
        readings = _three(
            items | {"choice": answer},
            f"{answer} is one of three, as in THINGS, where no object is the anchor.",
        )
    if len(more) == 1 and _are_counts(sample, answer, more[0]):
        readings.append(Reading(
            "unnamed", "Anchor, two options, votes for the first, all votes",
            dict(zip(
                ("anchor", "left", "right", "left_votes", "all_votes"), table.columns, strict=True
            )),
            reasons=(f"{answer} is never above {more[0]}: they count answers.",),
        ))
    return readings


def _three(roles: dict[str, str], reason: str) -> list[Reading]:
    return [
        Reading("unnamed", title, roles, task=task, reasons=(reason,))
        for title, task in (
            ("Three objects and the odd one", "odd_one_out"),
            ("Three objects and the central one", "most_central"),
        )
    ]


def _is_one_of(table: Table, objects: list[str], answer: str) -> bool:
    """Whether every answer repeats one of the objects in its row."""
    told = plain_texts(table, answer)
    same = np.logical_or.reduce([told == plain_texts(table, column) for column in objects])
    return bool((same | (told == "")).all() and same.any())


def _are_counts(table: Table, part: str, whole: str) -> bool:
    part, whole = table.numbers(part), table.numbers(whole)
    both = np.concatenate([part, whole])
    return bool(
        np.isfinite(both).all() and (both == np.round(both)).all()
        and (part >= 0).all() and (part <= whole).all() and (whole > 1).any()
    )


LAYOUT = Layout("unnamed", "Objects and an answer, without names", 25, _propose)
