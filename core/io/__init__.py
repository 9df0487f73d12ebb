"""Files <-> triplets: one door that recognises what a file is and explains how it was read.

``read(source)`` does everything. Step by step, as a form does it: `load` a `Table`, `propose`
readings of it, let the user change one, and `interpret` it. `Reading.to_dict` and
`Reading.from_dict` keep a reading for the next file of the experiment. `write_answers` goes the
other way.
"""

from tripletscope.core.io.columns.alternatives import alternatives
from tripletscope.core.io.columns.reading import (
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
from tripletscope.core.io.interpret.interpretation import interpret, read
from tripletscope.core.io.interpret.proposal import (
    MatrixGiven,
    MeasuredGiven,
    OtherTask,
    PreferencesGiven,
    propose,
)
from tripletscope.core.io.interpret.report import Imported, Omission, Pairs, Report, Sentence
from tripletscope.core.io.layouts import Layout, layouts
from tripletscope.core.io.loading import load, load_several
from tripletscope.core.io.matrix import SquareTable, read_matrix
from tripletscope.core.io.measuring import (
    MeasuredFile,
    file_of_measured,
    read_measured,
    read_preferences,
)
from tripletscope.core.io.objects.measured import (
    MeasuredTable,
    features_of,
    read_distances,
    read_feature_tables,
    read_features,
)
from tripletscope.core.io.objects.objects import MatchReport, attach_objects, read_objects
from tripletscope.core.io.objects.pictures import Pictures, attach_pictures, read_pictures
from tripletscope.core.io.questions import read_gold, read_questions
from tripletscope.core.io.table import Table
from tripletscope.core.io.tasks import TASKS, Task
from tripletscope.core.io.writing import WRITERS, Writer, write_answers, write_pairs
