"""Read files of answers and explain how.

Five stages, each handing on one record: a file becomes a `Table` (`load`), the table a
`Recognition` of what it is (`recognise`), one `Reading` of it, which a user may change, and the
reading answers (`interpret`). `tripletscope.read` does everything. `Reading.to_dict` and
`Reading.from_dict` keep a reading for the next file of the experiment.
"""

import lazy_loader

__getattr__, __dir__, __all__ = lazy_loader.attach(__name__, submod_attrs={
    "columns.reading": [
        "CHOICE_CODINGS", "INDEX_BASES", "RESPONSE_TIME_UNITS", "ROLES", "Reading",
        "can_be_kept", "candidates",
    ],
    "interpretation.proposal": [
        "AmbiguousTable", "ConjointGiven", "MatrixGiven", "MeasuredGiven", "OtherTask",
        "Recognition", "propose", "recognise",
    ],
    "kinds": ["kinds"],
    "interpretation.imported": ["NO_MAP", "Imported", "Pairs"],
    "loading": ["load", "load_several"],
    "matrix": ["SquareTable"],
    "measuring": [
        "RatingsFile", "file_of_measured", "read_conjoint", "read_matrix", "read_measured",
    ],
    "objects.feature_tables": [
        "FeatureTable", "features_of", "read_distances", "read_feature_tables", "read_features",
    ],
    "objects.matching": ["attach_objects", "read_objects"],
    "objects.pictures": ["Pictures", "attach_pictures", "read_pictures"],
    "questions": ["read_gold", "read_questions"],
    "table": ["Table"],
    "tasks": ["TASKS"],
})
