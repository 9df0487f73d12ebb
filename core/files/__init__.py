"""Files <-> triplets: one door that recognises what a file is and explains how it was read.

``read(source)`` does everything. Step by step, as a form does it: `load` a `Table`, `propose`
readings of it, let the user change one, and `interpret` it.
"""

from core.files.asked import read_questions
from core.files.distances import read_distances
from core.files.interpretation import interpret, read
from core.files.layout import Layout, layouts
from core.files.loading import load
from core.files.matching import MatchReport
from core.files.objects import attach_objects, read_objects
from core.files.pictures import Pictures, attach_pictures, read_pictures
from core.files.proposal import propose
from core.files.reading import (
    CHOICE_CODINGS,
    INDEX_BASES,
    RESPONSE_TIME_UNITS,
    ROLES,
    Coding,
    Reading,
    Role,
    candidates,
)
from core.files.refused import OtherTask
from core.files.report import Imported, Omission, Report, Sentence
from core.files.table import Table

__all__ = [
    "CHOICE_CODINGS",
    "INDEX_BASES",
    "RESPONSE_TIME_UNITS",
    "ROLES",
    "Coding",
    "Imported",
    "Layout",
    "MatchReport",
    "Omission",
    "OtherTask",
    "Pictures",
    "Reading",
    "Report",
    "Role",
    "Sentence",
    "Table",
    "attach_objects",
    "attach_pictures",
    "candidates",
    "interpret",
    "layouts",
    "load",
    "propose",
    "read",
    "read_distances",
    "read_objects",
    "read_pictures",
    "read_questions",
]
