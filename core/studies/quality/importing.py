"""Files of answers, read: what a table is, by its values or by its answers, or an error."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

import pandas as pd

from tripletscope.core.data.errors import DataError, in_python, warn
from tripletscope.core.data.quadruples import Quadruples
from tripletscope.core.data.triplets import Triplets
from tripletscope.core.engine.progress import Progress, part, silent
from tripletscope.core.reading.columns.guess import complete
from tripletscope.core.reading.columns.reading import Reading
from tripletscope.core.reading.formats.source import Source
from tripletscope.core.reading.given import TableSource, are_rows
from tripletscope.core.reading.interpretation.imported import Imported, Report
from tripletscope.core.reading.interpretation.interpret import interpret
from tripletscope.core.reading.interpretation.proposal import keeping_all, recognise
from tripletscope.core.reading.loading import load
from tripletscope.core.reading.names import counted
from tripletscope.core.studies.quality.direction import decided


def read(
    source: TableSource, reading: Reading | Mapping[str, Any] | None = None, *,
    name: str | None = None, objects: Source | pd.DataFrame | None = None, keep: Sequence[str] = (),
    progress: Progress = silent,
) -> Triplets:
    r"""Read answers from a file, or a table in memory.

    Parameters
    ----------
    source : path, bytes, binary file object, list of such, DataFrame, array or list of rows
        Any file that `load` reads, or several that make one table, such as one per participant.
        Rows are tuples or lists of cells, with or without a header, or mappings; three without a
        header are anchor, nearer and farther.
    reading : Reading or mapping of str to str, optional
        By default what the values of the table, or else its answers, say clearly. A mapping has the
        column of each role, such as
        ``{"anchor": "head", "near": "winner", "far": "loser"}``, and optionally ``task``,
        ``choice_coding`` (such as ``{"q": "left", "p": "right"}``), ``response_time_unit``,
        ``index_base``, ``only``, ``exchanged``, ``copies``, ``apart`` and ``keep``: further columns
        of the answers, by default all.
    name : str, optional
        Of the file, for messages, and of the triplets.
    objects : DataFrame, path, bytes or binary file object, optional
        Table of the objects: only these exist, in this order.
    keep : sequence of str, optional
        Further columns that the answers keep, though they differ in most of very many rows.

    Warns
    -----
    UserWarning
        If rows or files occur twice, if the same participants are in several files, or if response
        times have several units. A reading with ``copies`` and ``apart`` decides. Also if rows are
        left out that may have been meant for answers.

    Raises
    ------
    AmbiguousTable
        If the table may be read in several ways, and its answers do not tell which is right; it
        names the arguments of each.
    OtherTask
        If the table holds no comparisons: it says what it holds, and the call that reads that.
    DataError
        If the file is unreadable or hardly any row makes sense; `interpret` reports single rows
        that were left out. Also if all answers compare pairs without a common object, which are no
        triplets: see `read_pairs`.

    Examples
    --------
    >>> import tripletscope as ts
    >>> ts.read("sample_data/ekman_colors/answers.csv")
    <Triplets 'answers': 800 answers on 14 objects>
    >>> rows = b"head,winner,loser\ncup,mug,fork\nfork,spoon,cup\n"
    >>> ts.read(rows, {"anchor": "head", "near": "winner", "far": "loser"}).ids
    ['cup', 'fork', 'mug', 'spoon']
    >>> ts.read([("cup", "mug", "fork"), ("fork", "spoon", "cup")])
    <Triplets 'table': 2 answers on 4 objects>
    """
    result = import_answers(
        source, reading, name=name, objects=objects, keep=keep, progress=progress
    )
    if result.pairs and not len(result.triplets):
        raise DataError(
            f"all {counted(len(result.pairs), 'answer')} compare pairs without a common object, "
            "which are no triplets", file=result.report.file,
            remedy="Read them as pairs: tripletscope.experiment.read_pairs.",
        )
    _warn_of_omissions(result.report)
    return result.triplets


def read_pairs(
    source: TableSource, reading: Reading | Mapping[str, Any] | None = None, *,
    name: str | None = None, objects: Source | pd.DataFrame | None = None, keep: Sequence[str] = (),
    progress: Progress = silent,
) -> Quadruples:
    r"""Read answers about which of two pairs of objects differs more.

    Parameters
    ----------
    source, reading, name, objects, keep, progress
        See `read`.

    Raises
    ------
    DataError
        As of `read`; and if the answers are of another task.

    Examples
    --------
    >>> import tripletscope as ts
    >>> rows = b"resp,S1,S2,S3,S4\n1,cup,mug,fork,pan\n0,fork,spoon,cup,mug\n"
    >>> ts.experiment.read_pairs(rows, name="Dishes").ids
    ['cup', 'fork', 'mug', 'pan', 'spoon']
    """
    result = import_answers(
        source, reading, name=name, objects=objects, keep=keep, progress=progress
    )
    if result.pairs is None:
        raise DataError(
            "the answers do not compare two pairs of objects", file=result.report.file,
            remedy="Read them as triplets: tripletscope.read.",
        )
    _warn_of_omissions(result.report)
    return result.pairs.quadruples(result.triplets.name, result.triplets.objects)


def _warn_of_omissions(report: Report) -> None:
    """`import_answers` has the report, but those who only get the answers never see it."""
    said = [omission.said() for omission in report.omissions if omission.asks]
    if said:
        warn(" ".join([f"{report.file}:", *said]) + in_python(
            "tripletscope.experiment.import_answers(…).report"
        ))


def import_answers(
    source: TableSource, reading: Reading | Mapping[str, Any] | None = None, *,
    name: str | None = None, objects: Source | pd.DataFrame | None = None, keep: Sequence[str] = (),
    progress: Progress = silent,
) -> Imported:
    r"""Read all of a file of answers, including catch trials.

    Parameters
    ----------
    source, reading, name, objects, keep, progress
        See `read`.

    Returns
    -------
    Imported
        `triplets`, `catch_trials` for `quality` and `Cleaning`, `pairs`, and a `report` of rows.

    Examples
    --------
    >>> import tripletscope as ts
    >>> imported = ts.experiment.import_answers("sample_data/crowd/answers.csv")
    >>> imported.triplets, len(imported.catch_trials)
    (<Triplets 'answers': 4,140 answers on 40 objects>, 270)
    """
    table = load(source, name, progress=part(progress, 0.0, 0.5))
    if reading is None and len(table.columns) == 3 and not table.header and are_rows(source):
        reading = dict(zip(("anchor", "near", "far"), table.columns, strict=True))  # as of `fit`
    if reading is None:
        reading = decided(table, recognise(table)).the_one().reading
    elif not isinstance(reading, Reading):
        chosen = complete(table, Reading.from_roles(**reading))[0]
        reading = chosen if "keep" in reading else keeping_all(table, chosen)
    reading = replace(reading, keep=tuple(dict.fromkeys((*reading.keep, *keep))))
    result = interpret(table, reading, objects, progress=part(progress, 0.5, 1.0))
    for note in result.report.brought:
        if note.asks:
            warn(note.said_in_python())
    return result
