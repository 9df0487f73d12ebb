"""Lists of questions without answers, and of gold questions."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from tripletscope.core.data.cells import plain_number
from tripletscope.core.data.errors import DataError
from tripletscope.core.data.triplets import Triplets
from tripletscope.core.reading.formats.source import Source
from tripletscope.core.reading.interpretation.interpret import interpret
from tripletscope.core.reading.interpretation.proposal import propose
from tripletscope.core.reading.languages import WORDS
from tripletscope.core.reading.loading import load
from tripletscope.core.reading.names import counted, listing, named
from tripletscope.core.reading.objects.matching import lookup


def read_questions(
    source: Source, objects: Triplets, name: str | None = None
) -> tuple[np.ndarray, str]:
    """(q, 3) positions of anchor, first and second of questions, and how they were read.

    Without usual column names the first three columns count.
    """
    table = load(source, name)
    result = [named(table.columns, names) for names in WORDS["questions"].values()]
    columns = result if None not in result else table.columns[:3]
    if not table.n_rows:
        raise DataError("there are no questions", file=table.name, remedy="Give one per row.")
    names = np.column_stack([table.texts(column) for column in columns])
    file_rows = table.row_numbers(np.arange(len(names)))
    rows, what = required_positions(names, objects, table.name, file_rows)
    twice = (rows[:, 0] == rows[:, 1]) | (rows[:, 0] == rows[:, 2]) | (rows[:, 1] == rows[:, 2])
    table.refuse(twice, lambda row: "the same object occurs twice in a question",
                 "Correct or remove this row.")
    return rows, (
        f"{counted(len(rows), 'question')}: anchor, first and second are the columns "
        f"{listing(list(columns))}, objects are named by {what}."
    )


def read_gold(source: Source, objects: Triplets, name: str | None = None) -> tuple[Triplets, str]:
    r"""Read questions about the objects of a data set, with their right answers.

    Parameters
    ----------
    source : path, bytes or binary file object
        Right answers, in any layout that `tripletscope.core.reading.read` reads.
    objects : Triplets
        With the objects, named by id, label, or number from 0.
    name : str, optional
        Of the file, for messages.

    Returns
    -------
    gold : Triplets
        About the objects of `objects`.
    how : str
        A sentence on how the file was read.

    Raises
    ------
    DataError
        If the file is unreadable, or a row names an unknown object.

    Examples
    --------
    >>> import tripletscope as ts
    >>> answers = ts.read("sample_data/ekman_colors/answers.csv")
    >>> gold, how = ts.experiment.read_gold(b"anchor,near,far\n434 nm,445 nm,651 nm\n", answers)
    >>> gold.rows.tolist()
    [[0, 1, 12]]
    """
    table = load(source, name)
    reading = propose(table, insist=True)[0]
    result = interpret(table, reading)
    names = np.array(result.triplets.ids, dtype=object)[result.triplets.rows]
    rows, what = required_positions(names, objects, table.name, result.file_rows)
    _refuse_contradictions(rows, table.name, result.file_rows)
    gold = Triplets(rows, objects.objects, name=table.name)
    return gold, (
        f"{counted(len(rows), 'right answer')}, read as: {reading.title}. Objects are named by "
        f"{what}."
    )


def _refuse_contradictions(rows: np.ndarray, file: str, file_rows: Sequence[int]) -> None:
    places = {tuple(row): k for k, row in enumerate(rows.tolist())}
    for (anchor, near, far), k in places.items():
        other = places.get((anchor, far, near))
        if other is not None:
            first, second = sorted((int(file_rows[k]), int(file_rows[other])))
            raise DataError(
                "this gold question has two different answers"
                + (f", the other one in row {first:,}" if first != second else ""),
                file=file, row=second, remedy="Keep the right one.",
            )


def required_positions(
    names: np.ndarray, objects: Triplets, file: str, file_rows: Sequence[int]
) -> tuple[np.ndarray, str]:
    """(q, 3) positions of named objects, all of which must exist, and which names these are."""
    ways = {
        "their ids": objects.ids, "their labels": objects.labels,
        "their numbers from 0": [str(i) for i in range(objects.n_objects)],
    }
    positions = {way: _looked_up(names, vocabulary) for way, vocabulary in ways.items()}
    what = max(ways, key=lambda way: int((positions[way] >= 0).sum()))
    rows = positions[what]
    unknown = np.argwhere(rows < 0)
    if len(unknown):
        row, column = unknown[0]
        text, vocabulary = names[row, column], ways[what]
        raise DataError(
            f"{text!r} {'names several objects' if text in vocabulary else 'is no object'} of "
            f"{objects.name}", file=file,
            row=int(file_rows[row]),
            remedy=f"Name objects by {'their ids' if text in vocabulary else what}, such as "
            f"{listing(objects.ids if text in vocabulary else vocabulary, 3)}.",
        )
    return rows, what


def _looked_up(names: np.ndarray, vocabulary: list[str]) -> np.ndarray:
    """Positions in the vocabulary, also of whole numbers with a fraction."""
    texts = names.ravel().tolist()
    exact, plain = (lookup(some, vocabulary) for some in (texts, [*map(plain_number, texts)]))
    return np.where(exact < 0, plain, exact).reshape(names.shape)
