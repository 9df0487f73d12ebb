"""jsPsych: one row per event; objects stand in lists.

The triplet template gives ``stimulus``, the target, ``choices``, a list of two, and ``response``,
the number of the chosen one from 0; ``trial_category`` tells trials from instructions. In
odd-one-out tasks ``stimulus`` is the list of three and ``response`` the number of the odd one, or
the two that were clicked.
"""

from __future__ import annotations

from tripletscope.core.io.columns.guess import side_roles
from tripletscope.core.io.columns.reading import Reading
from tripletscope.core.io.layouts import Layout
from tripletscope.core.io.names import listing, named, normalised
from tripletscope.core.io.table import Table
from tripletscope.core.io.tasks import TASKS

_OWN = ("trialtype", "trialindex", "timeelapsed", "internalnodeid")
_STIMULI = ("stimulus", "stimuli", "images", "items", "choices")
_NO_TRIALS = ("practice", "training", "example", "instructions", "instruction", "consent",
              "fixation", "feedback", "debrief", "preload", "speedy")


def _propose(table: Table) -> list[Reading]:
    own = [column for column in table.columns if normalised(column) in _OWN]
    response = named(table.columns, ("response", "choice", "buttonpressed"))
    if len(own) < 2 or response is None:
        return []
    lists = {
        name: parts for name in _STIMULI
        if (parts := _parts(table, named(table.columns, (name,))))
    }
    pair = [column for column in _parts(table, response) if column]
    target = named(table.columns, ("stimulus", "target", "reference", "center"))
    readings = []
    for name, parts in lists.items():
        items = {f"item{i}": column for i, column in enumerate(parts, 1)}
        if len(parts) == 2 and target and name != target:
            roles = {"anchor": target, "left": parts[0], "right": parts[1], "choice": response}
            readings.append(_reading(
                table, roles, "nearer", f"{target} is the target, {name} the two options."
            ))
        elif len(parts) == 3 and len(pair) == 2:
            roles = items | {"choice": pair[0], "choice2": pair[1]}
            readings.append(_reading(
                table, roles, "similar_pair", f"{response} lists two of the three: the pair that "
                "belongs together."
            ))
        elif len(parts) == 3:
            for task in ("odd_one_out", "most_central"):
                readings.append(_reading(
                    table, items | {"choice": response}, task,
                    f"{name} lists three objects; whether {response} is the odd one or another "
                    "the file does not say: check the sentences.",
                ))
    return readings


def _reading(table: Table, roles: dict[str, str], task: str, reason: str) -> Reading:
    more, reasons = side_roles(table, roles)
    own = named(table.columns, ("trialindex",))
    more |= {"time": own} if own else {}
    only = _trials(table)
    if only:
        reasons.append(f"Rows are trials where {listing([*only])} says so.")
    return Reading(
        "jspsych", f"jsPsych: {TASKS[task].title.lower()}", roles | more, task=task, only=only,
        reasons=("Columns such as trial_type and trial_index are those of jsPsych.", reason,
                 *reasons),
    )


def _parts(table: Table, column: str | None) -> list[str]:
    if column is None:
        return []
    return [c for c in table.columns if c.startswith(f"{column}[") and c.endswith("]")]


def _trials(table: Table) -> dict[str, tuple[str, ...]]:
    """The kinds of rows that are no practice and no instructions, where a column says so."""
    column = named(table.columns, ("trialcategory", "task", "phase", "part"))
    if column is None:
        return {}
    kinds = table.codes(column).values
    kept = [kind for kind in kinds if normalised(kind) not in _NO_TRIALS]
    return {column: tuple(kept)} if 0 < len(kept) < len(kinds) else {}


LAYOUT = Layout("jspsych", "jsPsych", 12, _propose)
