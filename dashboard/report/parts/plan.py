"""The analysis plan: what was computed as planned, deviations, and exploratory results."""

from __future__ import annotations

from collections.abc import Iterator

from tripletscope.dashboard.report.document import Block, Listed, TextTable, joined
from tripletscope.dashboard.report.material import Material
from tripletscope.dashboard.report.parts.part import part
from tripletscope.dashboard.results.preregistration import (
    deviations_said,
    planned_table,
    standing_said,
)
from tripletscope.dashboard.words import words


@part("plan", "method", 0.5)
def plan(material: Material) -> Iterator[Block]:
    standing = material.standing
    if standing is None:
        return
    yield joined(*standing_said(standing), words("see plan"))
    table = planned_table(standing)
    rows = tuple(table.itertuples(index=False, name=None))
    yield TextTable("plan", words("plan table caption"), tuple(table.columns), rows)
    deviations, exploratory = deviations_said(standing, material.cleaning)
    yield joined(words("plan deviations" if deviations else "plan as planned"))
    if deviations:
        yield Listed(tuple(deviations))
    if exploratory:
        yield joined(words("plan exploratory"))
        yield Listed(tuple(exploratory))
