"""The numbers behind every figure of the results, as tables."""

from __future__ import annotations

from collections.abc import Sequence

from tripletscope.core.run import Run
from tripletscope.dashboard.archive.recipe import Steps
from tripletscope.dashboard.files import export
from tripletscope.dashboard.results import drawings

#: Most rows of a table: a matrix of thousands of objects is left out.
_MOST = 200_000


def result_tables(steps: Steps, runs: Sequence[Run]) -> dict[str, bytes]:
    """Tables as CSV, by file name, of results with their arrays."""
    groups: dict[str, list[Run]] = {}
    for run in runs:
        groups.setdefault(steps.shown_with(run), []).append(run)
    files: dict[str, bytes] = {}
    for data, some in groups.items():
        if data == "None":
            continue
        for drawing in drawings(
            some, steps.answers_of(data), name=steps.info.name, named=dict(steps.named),
            looks=steps.looks,
        ):
            table = drawing.table()
            if len(table) <= _MOST:
                name = drawing.name if len(groups) == 1 else f"{data}-{drawing.name}"
                files[f"{export.file_name(name)}.csv"] = export.csv(table)
    return files
