"""Maps of answers that do not fit into memory, read from a Parquet file part by part."""

from __future__ import annotations

from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from os import PathLike
from pathlib import Path
from typing import TypeVar

import numpy as np
import pyarrow as pa
import pyarrow.parquet

from tripletscope.core.data.errors import DataError
from tripletscope.core.data.lazy import cached_property
from tripletscope.core.engine.parallel import single_blas_thread
from tripletscope.core.engine.progress import Progress, part, silent
from tripletscope.core.models.embedding.ordinal import OrdinalEmbedding
from tripletscope.core.models.optimise.layout import AnswerLayout, LayoutPart
from tripletscope.core.models.optimise.loss import Objective, margins
from tripletscope.core.models.optimise.minimise import minimise

Fitted = TypeVar("Fitted", bound=OrdinalEmbedding)

TRIPLETS, PAIRS = ("anchor", "near", "far"), ("i", "j", "k", "l")
#: Answers that are in memory at a time, and those from which a fit begins.
_AT_ONCE, _SAMPLE = 4_000_000, 8_000_000
#: More objects are identifiers that stand where positions belong.
_MOST_OBJECTS = 100_000_000
#: Near the optimum an iteration lowers the loss by a tenth or more of the rest.
_LEFT = 10.0


class StoredAnswers:
    """Answers in a Parquet file, which is never in memory as a whole.

    The two answers of an odd one out count as two, because they may be read at different times.

    Parameters
    ----------
    path : path-like
        A file with the columns ``anchor``, ``near`` and ``far``, or ``i``, ``j``, ``k`` and ``l``
        where i and j are more similar than k and l: positions of objects, counted from 0. A
        column ``weight`` is optional.
    n_objects : int, optional
        By default the highest position plus one, from the statistics in the file.

    Attributes
    ----------
    name : str
    n_objects, n_answers : int

    Raises
    ------
    DataError
        If it is no such file.

    Examples
    --------
    >>> import pandas as pd, tempfile, tripletscope as ts
    >>> answers = ts.read("sample_data/ekman_colors/answers.csv")
    >>> table = pd.DataFrame(answers.rows, columns=["anchor", "near", "far"])
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     table.to_parquet(f"{folder}/answers.parquet", row_group_size=1000)
    ...     fitted = ts.fit_stored(ts.STE(), ts.StoredAnswers(f"{folder}/answers.parquet"))
    >>> fitted.embedding_.shape
    (14, 2)
    """

    def __init__(self, path: str | PathLike, n_objects: int | None = None) -> None:
        self._path, self.name = Path(path), Path(path).name
        try:
            about = pyarrow.parquet.read_metadata(self._path)
            schema = pyarrow.parquet.read_schema(self._path)
        except (pa.ArrowException, OSError) as error:
            raise DataError(
                "it cannot be read as Parquet", file=self.name,
                remedy="Write the answers with pandas.DataFrame.to_parquet.",
            ) from error
        self._columns = next(
            (names for names in (TRIPLETS, PAIRS) if set(names) <= set(schema.names)), ()
        )
        wrong = [name for name in self._columns if not pa.types.is_integer(schema.field(name).type)]
        if wrong or not self._columns:
            raise DataError(
                f"the column {wrong[0]} does not hold whole numbers" if wrong else
                f"its columns are {', '.join(schema.names)}", file=self.name,
                remedy=f"Name the columns {', '.join(TRIPLETS)} or {', '.join(PAIRS)}, and write "
                "the objects as positions from 0.",
            )
        self._weighted = "weight" in schema.names
        if self._weighted and not _is_number(schema.field("weight").type):
            raise DataError(
                "the column weight does not hold numbers", file=self.name,
                remedy="Write weights as numbers, 0 or more.",
            )
        self.n_answers = about.num_rows
        self.n_objects = self._highest(about) + 1 if n_objects is None else n_objects
        if self.n_objects > _MOST_OBJECTS:
            raise DataError(
                f"it would be about {self.n_objects:,} objects", file=self.name,
                remedy="Number the objects from 0 without gaps.",
            )

    def __len__(self) -> int:
        return self.n_answers

    def _highest(self, about: pyarrow.parquet.FileMetaData) -> int:
        highest = -1
        for group in map(about.row_group, range(about.num_row_groups)):
            if not group.num_rows:
                continue
            for column in map(group.column, range(group.num_columns)):
                if column.path_in_schema in self._columns:
                    statistics = column.statistics
                    if statistics is None or not statistics.has_min_max:
                        raise DataError(
                            "the file does not state the number of objects", file=self.name,
                            remedy="Hand over n_objects.",
                        )
                    highest = max(highest, statistics.max)
        return highest

    def parts(self) -> Iterator[LayoutPart]:
        """All answers, some millions at a time; the next part is read meanwhile.

        Raises
        ------
        DataError
            If an answer names an object that does not exist, or the same one twice.
        """
        columns = [*self._columns, *(["weight"] if self._weighted else [])]
        with pyarrow.parquet.ParquetFile(self._path) as file, ThreadPoolExecutor(1) as reader:
            batches = file.iter_batches(_AT_ONCE, columns=columns)
            row, coming = 0, reader.submit(next, batches, None)
            while (batch := coming.result()) is not None:
                coming = reader.submit(next, batches, None)
                yield self._prepared(batch, row)
                row += batch.num_rows

    def _prepared(self, batch: pa.RecordBatch, first_row: int) -> LayoutPart:
        rows = np.stack([batch[name].to_numpy(zero_copy_only=False) for name in self._columns], 1)
        wrong = ~((rows >= 0) & (rows < self.n_objects)).all(axis=1)  # empty places are NaN
        wrong |= (rows[:, 0] == rows[:, 1]) | (rows[:, -2] == rows[:, -1])
        if rows.shape[1] == 3:
            wrong |= rows[:, 0] == rows[:, 2]
        weight = (
            batch["weight"].to_numpy(zero_copy_only=False).astype(float) if self._weighted
            else np.ones(len(rows))
        )
        wrong |= ~(weight >= 0) | np.isinf(weight)
        if wrong.any():
            row = int(np.argmax(wrong))
            raise DataError(
                f"{', '.join(map(_shown, rows[row]))} with the weight {weight[row]:g} is no answer "
                f"about {self.n_objects:,} objects", file=self.name, row=first_row + row,
                remedy="Positions are whole numbers from 0, different ones; weights 0 or more.",
            )
        return LayoutPart.of(rows, weight, self.n_objects)

    def sampled(self, n_answers: int, seed: int) -> AnswerLayout:
        """About `n_answers` of the answers, drawn at random; all if there are no more."""
        rng = np.random.default_rng(seed)
        share, samples = min(n_answers / max(self.n_answers, 1), 1.0), []
        for block in self.parts():
            kept = rng.random(len(block)) < share
            samples.append((block.roles[:, kept].T, block.weight[kept]))
        rows, weight = (np.concatenate(parts) for parts in zip(*samples, strict=True))
        return AnswerLayout([LayoutPart.of(rows, weight, self.n_objects)])

    @cached_property
    def placed(self) -> np.ndarray:
        """(n,) bool: objects that some answer of a weight above 0 mentions."""
        placed = np.zeros(self.n_objects, dtype=bool)
        for block in self.parts():
            placed |= block.placed
        return placed


def _is_number(kind: pa.DataType) -> bool:
    return pa.types.is_integer(kind) or pa.types.is_floating(kind) or pa.types.is_decimal(kind)


def _shown(position: float) -> str:
    return "nothing" if np.isnan(position) else str(int(position))


def fit_stored(
    method: Fitted, stored: StoredAnswers, *, tolerance: float = 1e-3, progress: Progress = silent
) -> Fitted:
    """Fit a map to answers that do not fit into memory, from one start.

    Parameters
    ----------
    method : OrdinalEmbedding
        Fitted in place; `n_init`, `tol` and `average` do not matter.
    stored : StoredAnswers
    tolerance : float
        Fraction by which the loss may be above that of the best map nearby.
    progress : Progress
        Reports every iteration, which reads the file once or twice; a stop keeps the last map.

    Returns
    -------
    OrdinalEmbedding
        The same object.

    Raises
    ------
    DataError
        If the file has no answers, or wrong ones.
    ValueError
        If the method's loss is not a sum over answers and a prior, or the tolerance is not
        between 0 and 0.1.

    Notes
    -----
    All answers count in every step. The fit ends when an iteration lowers the loss by less than a
    tenth of `tolerance`, which near an optimum is about the rest (``benchmarks/stored.py``).
    Fitting samples first does not pay: the spectral start from a sample is good enough, and the
    optimum of a small sample is far away.

    Examples
    --------
    >>> import pandas as pd, tempfile, tripletscope as ts
    >>> answers = ts.simulate([[0, 0], [0, 1], [3, 0], [3, 2]], 2000)
    >>> table = pd.DataFrame(answers.rows, columns=["anchor", "near", "far"])
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     table.to_parquet(f"{folder}/answers.parquet")
    ...     fitted = ts.fit_stored(ts.STE(), ts.StoredAnswers(f"{folder}/answers.parquet"))
    >>> fitted.embedding_.shape
    (4, 2)
    """
    method._check_parameters()
    if not 0 < tolerance <= 0.1:
        raise ValueError(f"tolerance is {tolerance!r}; it must be above 0, and at most 0.1.")
    if type(method)._minimise is not OrdinalEmbedding._minimise:
        raise ValueError(f"{method.title} needs all answers in memory.")
    if not stored.n_answers or not stored.placed.any():
        raise DataError(
            "there are no answers to learn from", file=stored.name,
            remedy="Include at least one answer.",
        )
    shape = (method.n_components, stored.n_objects)

    def objective(x: np.ndarray) -> tuple[float, np.ndarray]:
        """Total loss and gradient; one evaluation reads the file once."""
        total, gradient = 0.5 * method.prior * float(x @ x), method.prior * x
        for block in stored.parts():
            loss, pull = Objective(AnswerLayout([block]), method._loss(), method.n_components)(x)
            total += loss
            gradient += pull
        return total, gradient

    with single_blas_thread():
        start = next(method._starts(stored.sampled(_SAMPLE, method.seed), None, 1))
        optimum = minimise(
            objective, start, max_iter=method.max_iter, tol=tolerance / _LEFT,
            progress=part(progress, show=lambda x: x.reshape(shape).T),
        )
        method._keep([optimum], stored.placed)
    method.triplet_error_ = _error(method.embedding_, stored)
    return method


def _error(embedding: np.ndarray, stored: StoredAnswers) -> float:
    """Weighted share of the answers that a map contradicts; ties count one half."""
    missed = total = 0.0
    for block in stored.parts():
        wrong = 0.5 - np.sign(margins(embedding, block.roles.T)) / 2
        missed += float(wrong @ block.weight)
        total += float(block.weight.sum())
    return missed / total
