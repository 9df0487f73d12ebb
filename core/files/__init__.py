"""Files <-> triplets: one door that recognises what a file is and explains how it was read.

``read(source)`` does everything. Step by step, as a form does it: `load` a `Table`, `propose`
readings of it, let the user change one, and `interpret` it. `Reading.to_dict` and
`Reading.from_dict` keep a reading for the next file of the experiment. `write_answers` goes the
other way.
"""

from core.files.alternatives import alternatives
from core.files.asked import read_gold, read_questions
from core.files.interpretation import interpret, read
from core.files.layout import Layout, layouts
from core.files.loading import load, load_several
from core.files.matching import MatchReport
from core.files.matrix import Dissimilarities, read_distances, read_matrix
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
    can_be_kept,
    candidates,
)
from core.files.refused import MatrixGiven, OtherTask
from core.files.report import Imported, Omission, Pairs, Report, Sentence
from core.files.table import Table
from core.files.tasks import TASKS, Task
from core.files.writing import WRITERS, Writer, write_answers, write_pairs

__all__ = [
    "CHOICE_CODINGS",
    "INDEX_BASES",
    "RESPONSE_TIME_UNITS",
    "ROLES",
    "TASKS",
    "WRITERS",
    "Coding",
    "Dissimilarities",
    "Imported",
    "Layout",
    "MatchReport",
    "MatrixGiven",
    "Omission",
    "OtherTask",
    "Pairs",
    "Pictures",
    "Reading",
    "Report",
    "Role",
    "Sentence",
    "Table",
    "Task",
    "Writer",
    "alternatives",
    "attach_objects",
    "attach_pictures",
    "can_be_kept",
    "candidates",
    "interpret",
    "layouts",
    "load",
    "load_several",
    "propose",
    "read",
    "read_distances",
    "read_gold",
    "read_matrix",
    "read_objects",
    "read_pictures",
    "read_questions",
    "write_answers",
    "write_pairs",
]
