"""All parts of a report."""

from collections.abc import Iterator
from importlib import import_module
from itertools import groupby

from tripletscope.dashboard.report.document import Document, Section
from tripletscope.dashboard.report.parts.part import PARTS
from tripletscope.dashboard.results.registry import REPORT_PARTS
from tripletscope.dashboard.words import words

#: Tasks with results in the report.
TOLD = {task for tasks in REPORT_PARTS.values() for task, _ in tasks}

# Parts are declared when their modules are loaded.
for _module in ("findings", "plan", "method", "results", "interpretable", "end"):
    import_module(f"{__package__}.{_module}")

__all__ = ["PARTS", "TOLD", "chapters"]


def chapters(document: Document) -> Iterator[tuple[str, list[Section]]]:
    """Titles of chapters, with their sections; a single one needs no title of its own."""
    for name, sections in groupby(document.sections, lambda one: PARTS[one.name].chapter):
        yield words(name), [*sections]
