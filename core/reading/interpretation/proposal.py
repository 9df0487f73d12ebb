"""Readings of a table from all layouts, the most specific first.

Other tables, such as matrices and ratings, would still give a plausible but wrong map. Those that
are recognised are refused with their name.
"""

from __future__ import annotations

import re
from dataclasses import replace

import numpy as np

from tripletscope.core.data.errors import DataError
from tripletscope.core.reading.columns.guess import complete, numbered_columns, option_roles
from tripletscope.core.reading.columns.reading import Reading, can_be_kept
from tripletscope.core.reading.formats.several import FILE
from tripletscope.core.reading.kinds import CERTAIN
from tripletscope.core.reading.kinds.experiments import of_experiment
from tripletscope.core.reading.layouts import layouts
from tripletscope.core.reading.measuring import ANALYSED_ELSEWHERE, recognised
from tripletscope.core.reading.names import listing, named
from tripletscope.core.reading.table import Table


def propose(table: Table, *, insist: bool = False) -> list[Reading]:
    """Readings that fit a table, best first; never none."""
    refused = None if insist else refusal(table)
    if refused is not None:
        raise refused
    result: list[Reading] = []
    for layout in layouts().values():
        for proposed in layout.propose(table) or ():
            for reading in complete(table, proposed):
                meaning = (reading.task, reading.roles, reading.choice_coding)
                if meaning not in [(r.task, r.roles, r.choice_coding) for r in result]:
                    keep = dict.fromkeys((*reading.keep, *_further(table, reading)))
                    result.append(replace(reading, keep=tuple(keep)))
    return result


def _further(table: Table, reading: Reading) -> list[str]:
    """Columns without a role that are kept without a request.

    Those that say something else in nearly each of many rows, such as clocks, only if wanted.
    """
    lists = {column.partition("[")[0] for column in reading.roles.values()}  # of several objects
    return [
        column for column in can_be_kept(table, reading) if column not in {*lists, FILE}
        and 1 < len(table.codes(column).values) <= max(table.n_rows // 2, _FEW)
    ]


#: Different values of a column that are kept in any case.
_FEW = 1_000
_INSIST = "If the table does compare objects, choose the columns yourself."


class OtherTask(DataError):
    """A table that looks like something other than comparisons of objects; one can insist."""


class MeasuredGiven(OtherTask):
    """Ratings, confusions, piles or arrangements, as for `read_measured`."""


class MatrixGiven(OtherTask):
    """A square table of similarities or distances, as for `read_matrix`."""


def refusal(table: Table) -> OtherTask | None:
    """The error for a table of another kind, if it is one."""
    if _is_triangle_test(table):
        return OtherTask(
            "two of the three samples are the same in each row: a triangle test, which measures "
            "discrimination, not similarity", file=table.name,
            remedy=f"Analyse it as a discrimination test. {_INSIST}",
        )
    found = recognised(table)
    if option_roles(table)[0] and of_experiment(table) is None:
        return None
    dimensions = [] if found else _coordinates(table)
    if dimensions:
        return OtherTask(
            f"columns {listing(dimensions)} are coordinates of objects, not answers",
            file=table.name, remedy=f"Add it as a table of objects to the answers. {_INSIST}",
        )
    if found is not None and found.points == CERTAIN:
        told = found.signs[0].said()
        said = f"these are {found.title}: {told[:1].lower()}{told[1:].rstrip('.')}"
        if found.kind == "preferences":
            return OtherTask(
                said.replace(":", ", which say what is liked, not what is alike:", 1),
                file=table.name, remedy=f"{ANALYSED_ELSEWHERE} {_INSIST}",
            )
        square = found.kind == "matrix"
        return (MatrixGiven if square else MeasuredGiven)(
            said, file=table.name, remedy="Make a map of it by MDS, or derive answers (in Python: "
            "tripletscope.core.reading.read_matrix and "
            f"tripletscope.core.models.simulation.simulate.comparisons_of). {_INSIST}" if square
            else _INSIST,
        )
    names = {column.rpartition("/")[2] for column in table.columns}
    if "stimulus_id" in names and names & {"stimulus_filepath", "filepath"}:  # as psiz keeps it
        return OtherTask(
            "this lists stimuli and their files, not answers", file=table.name,
            remedy="Add it as a table of objects to the answers.",
        )
    return None


def _is_triangle_test(table: Table) -> bool:
    """Whether two of three samples are the same, as in sensory science."""
    groups = numbered_columns(table.columns).values() if table.header else ()
    trios = [columns for columns in groups if len(columns) == 3]
    return bool(trios) and all(_two_alike(table, columns) for columns in trios)


def _two_alike(table: Table, columns: list[str]) -> bool:
    first, second, third = (table.head(1_000).texts(column) for column in columns)
    alike = (first == second).astype(int) + (second == third) + (first == third)
    return bool(np.mean(alike == 1) > 0.9)


def _coordinates(table: Table) -> list[str]:
    """Columns of coordinates beside one that names objects."""
    dimensions = [c for c in table.columns if re.fullmatch(r"(dim_?)?[0-9]+|x|y|z", c)]
    target = named(table.columns, ("targetid", "targethtml", "item", "target"))
    return dimensions if target and len(dimensions) >= 2 else []
