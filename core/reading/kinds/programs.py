"""Files of programs: experiments made here, jsPsych, PsychoPy, Gorilla, Meadows and more."""

from __future__ import annotations

from tripletscope.core.reading.columns.guess import complete
from tripletscope.core.reading.columns.objects import task_said
from tripletscope.core.reading.columns.values import Columns
from tripletscope.core.reading.kinds import LIKELY, MARKED, POSSIBLE, Evidence, Kind, Sign
from tripletscope.core.reading.layouts import layouts


def _evidence(columns: Columns) -> list[Evidence]:
    found: list[Evidence] = []
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
            found.append(Evidence(
                "programs", reading.title, points, (Sign("program", {"program": layout.title}),),
                dict(reading.roles), reading=reading,
            ))
    return found


PROGRAMS = Kind("programs", "a file of a program", 10, _evidence, "tripletscope.read")
