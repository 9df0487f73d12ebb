"""What the benchmark scripts share in printing: the machine in one line, and plain tables."""

from __future__ import annotations

import os
import platform
from collections.abc import Iterable, Sequence
from importlib.metadata import version

LIBRARIES = ("numpy", "scipy", "numba", "scikit-learn")


def machine() -> str:
    """Cores, Python and library versions."""
    versions = ", ".join(f"{library} {version(library)}" for library in LIBRARIES)
    cores = len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count()
    return f"{cores} cores ({platform.machine()}), Python {platform.python_version()}, {versions}"


def print_table(header: Sequence[str], rows: Iterable[Sequence[object]]) -> None:
    """Print a table in Markdown: text columns to the left, all others to the right."""
    cells = [[str(cell) for cell in row] for row in rows]
    columns = list(zip(header, *cells, strict=True))
    widths = [max(3, *map(len, column)) for column in columns]
    to_left = [not any(cell[:1].isdigit() for cell in column[1:]) for column in columns]

    def line(row: Sequence[str]) -> str:
        padded = (
            cell.ljust(width) if left else cell.rjust(width)
            for cell, width, left in zip(row, widths, to_left, strict=True)
        )
        return f"| {' | '.join(padded)} |"

    rules = [
        "-" * width if left else "-" * (width - 1) + ":"
        for width, left in zip(widths, to_left, strict=True)
    ]
    print("", line(header), line(rules), *map(line, cells), "", sep="\n", flush=True)
