"""Center, Left, Right, Answer: NEXT, its R-mangled copies, and tripletTools.

NEXT's json_parse.py writes ``Participant ID, Timestamp, Center, Left, Right, Answer, Alg Label``
with names of objects; R turns spaces into dots; tripletTools adds ``sampleAlg`` and ``sampleSet``
and knows older names of the same columns.
"""

from __future__ import annotations

from core.files.guess import side_roles
from core.files.layout import Layout
from core.files.names import listing, named
from core.files.reading import Reading
from core.files.table import Table

_NAMES = {
    "anchor": ("center", "centre", "targetcenter", "target"),
    "left": ("left", "targetleft", "option1"),
    "right": ("right", "targetright", "option2"),
    "choice": ("answer", "targetwinner", "winner", "primary"),
}


def _propose(table: Table) -> list[Reading]:
    roles = {
        role: column for role, names in _NAMES.items() if (column := named(table.columns, names))
    }
    if len(roles) < len(_NAMES):
        return []
    more, reasons = side_roles(table, roles)
    return [
        Reading(
            "center", LAYOUT.title, roles | more,
            reasons=(
                f"Columns {listing(list(roles.values()))} are those of NEXT and tripletTools.",
                *reasons,
            ),
        )
    ]


LAYOUT = Layout("center", "Center, Left, Right, Answer (NEXT, tripletTools)", 20, _propose)
