"""Files of programs: experiments made here, jsPsych, PsychoPy, Gorilla, Meadows and more."""

from __future__ import annotations

from itertools import combinations

from tripletscope.core.reading.columns.guess import complete
from tripletscope.core.reading.columns.object_columns import TELLING, may_name, task_said
from tripletscope.core.reading.columns.reading import Reading
from tripletscope.core.reading.columns.values import Columns, names_one_of
from tripletscope.core.reading.kinds import LIKELY, MARKED, POSSIBLE, Claim, Kind, Sign
from tripletscope.core.reading.layouts import layouts


def _evidence(columns: Columns) -> list[Claim]:
    found: list[Claim] = []
    for layout in layouts().values():
        readings = [
            reading for proposed in layout.propose(columns.table) or ()
            for reading in complete(columns.table, proposed)
        ]
        said = task_said(columns) if len({reading.task for reading in readings}) > 1 else None
        for k, reading in enumerate(readings):
            if len(readings) == 1 or layout.certain:
                points = MARKED if k == 0 else POSSIBLE
            elif said:
                points = MARKED if reading.task == said else POSSIBLE
            else:
                points = LIKELY
            if not _can_be_objects(columns, reading) or _names_nothing(columns, reading):
                points = POSSIBLE
            found.append(Claim(
                "programs", reading.title, points, (Sign("program", {"program": layout.title}),),
                dict(reading.roles), reading=reading,
            ))
    return found


def _can_be_objects(columns: Columns, reading: Reading) -> bool:
    """Whether columns of objects may be such: measurements have names like those of programs."""
    objects = [columns[reading.roles[role]] for role in reading.objects if role in reading.roles]
    if max((column.n_written for column in objects), default=0) < TELLING:
        return True
    shown = [column for column in objects if column.values]
    return all(may_name(column) or column.is_constant for column in shown) and any(
        one.values & other.values for one, other in combinations(shown, 2)
    ) and len(frozenset().union(*(column.values for column in shown))) > len(objects) - 1


def _names_nothing(columns: Columns, reading: Reading) -> bool:
    """Whether a response is taken for names of objects because no code fits, such as for keys."""
    if not reading.is_coded or reading.choice_coding != "item" or "choice2" in reading.roles:
        return False
    shown = [columns[reading.roles[role]] for role in reading.objects]
    return names_one_of(columns[reading.roles["choice"]], shown) == 0


PROGRAMS = Kind("programs", "a file of a program", 10, _evidence, "tripletscope.read")
