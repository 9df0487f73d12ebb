"""Rank r of m around a query (psiz, ImageNet-HSJ): HDF5 arrays, or columns of the same names.

``stimulus_set`` is the query, then the selected ones in order, then the rest; -1 fills rows up.
"""

from __future__ import annotations

from tripletscope.core.io.columns.reading import Reading
from tripletscope.core.io.layouts import Layout
from tripletscope.core.io.names import ALIASES, named
from tripletscope.core.io.table import Table
from tripletscope.core.io.tasks import MOST_OPTIONS


def _propose(table: Table) -> list[Reading]:
    columns = [c for c in table.columns if c.rpartition("/")[2].startswith("stimulus_set[")]
    if not 3 <= len(columns) <= MOST_OPTIONS + 1:
        return []
    roles = {"anchor": columns[0]}
    roles |= {f"item{i}": column for i, column in enumerate(columns[1:], 1)}
    paths = {c.rpartition("/")[2]: c for c in table.columns}
    for role, names in (
        ("n_chosen", ("nselect",)), ("ranked", ("isranked",)),
        ("participant", ("agentid", *ALIASES["participant"])), ("response_time", ("rtms",)),
        ("block", ("sessionid",)), ("sampler", ("trialtype", "groupid")), ("weight", ("weight",)),
    ):
        found = named(paths, names)
        if found is not None:
            roles[role] = paths[found]
    chosen = (
        "n_select says how many were selected" if "n_chosen" in roles
        else "one option is taken to be selected, because nothing says how many"
    )
    return [Reading(
        "ranking", LAYOUT.title, roles, task="most_similar",
        response_time_unit="ms" if "response_time" in roles else None,
        reasons=(
            f"stimulus_set holds the query, the selected ones, then the rest (psiz); {chosen}.",
        ),
    )]


LAYOUT = Layout("ranking", "Several of many around a query (psiz)", 16, _propose)
