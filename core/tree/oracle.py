"""Who answers the question "is x nearer to p than to q?", and how often it was asked.

Objects are numbers from 0. A question is a row (x, p, q); its answer is True if p is at least as
near as q. Algorithms that ask are *dialogues*: generators that yield questions, receive answers,
and return their result. `converse` holds many at once and asks in batches.
"""

from __future__ import annotations

import copy
from collections.abc import Callable, Generator, Sequence
from typing import Any, Self

import numpy as np
import pandas as pd
from sklearn.metrics import pairwise_distances
from sklearn.metrics.pairwise import distance_metrics
from sklearn.preprocessing import OrdinalEncoder, normalize

from tripletscope.core.computing.progress import Progress, Stopped, silent
from tripletscope.core.data.triplets import Triplets, as_triplets
from tripletscope.core.method import Method
from tripletscope.core.simulation.simulate import answer
from tripletscope.core.tree.nearer import Measure, answers

Dialogue = Generator[np.ndarray, np.ndarray, Any]

#: Metrics under which the nearer of two objects is told by a hyperplane, and by which preparation.
_PLANES: dict[str, Callable[[np.ndarray], np.ndarray]] = {
    "euclidean": lambda vectors: vectors,
    "l2": lambda vectors: vectors,
    "sqeuclidean": lambda vectors: vectors,
    "cosine": normalize,
}
#: Distances that are worth being kept in a table, at most; 0.5 GB.
_TABLE = 2**26

#: Shares of categories that differ, for data of any type.
MISMATCH = "mismatch"


def metrics() -> list[str]:
    """Names of the metrics that `Vectors` takes."""
    further = ["braycurtis", "canberra", "chebyshev", "correlation", "hamming", "sqeuclidean"]
    return sorted({*distance_metrics(), *further, MISMATCH} - {"precomputed", "haversine"})


class Tally:
    """What an oracle was asked, shared by its copies."""

    def __init__(self) -> None:
        self.clear()

    def clear(self) -> None:
        """Forget everything."""
        self.n_questions = self.n_calls = 0
        self.questions: list[np.ndarray] = []
        self.answers: list[np.ndarray] = []


class Oracle:
    """Answers questions about n objects, and counts them.

    Parameters
    ----------
    n_objects : int
    listed : bool
        Whether to keep a list of all questions and answers, see `listing`.

    Attributes
    ----------
    tally : Tally
    """

    def __init__(self, n_objects: int, *, listed: bool = False) -> None:
        self.n_objects = n_objects
        self.listed = listed
        self.tally = Tally()

    def __sklearn_clone__(self) -> Self:
        # An estimator's clones ask the same person.
        return self

    def __repr__(self) -> str:
        return f"<{type(self).__name__} about {self.n_objects:,} objects>"

    @property
    def n_questions(self) -> int:
        """Questions that were answered."""
        return self.tally.n_questions

    @property
    def n_calls(self) -> int:
        """Batches in which they were asked; compiled loops over measured objects make none."""
        return self.tally.n_calls

    def ask(self, questions: np.ndarray) -> np.ndarray:
        """Answer a batch of questions.

        Parameters
        ----------
        questions : ndarray of int, shape (m, 3)
            Rows (x, p, q) of three different objects.

        Returns
        -------
        ndarray of bool, shape (m,)
            True where p is at least as near to x as q.
        """
        if not len(questions):
            return np.zeros(0, dtype=bool)
        given = self._answer(questions)
        self.count(len(questions), calls=1)
        if self.listed:
            self.tally.questions.append(questions + self._offset())
            self.tally.answers.append(given)
        return given

    def count(self, n_questions: int, *, calls: int = 0) -> None:
        """Count questions that were answered."""
        self.tally.n_questions += n_questions
        self.tally.n_calls += calls

    def listing(self) -> pd.DataFrame:
        """Every question asked: ``call``, ``anchor``, ``near``, ``far``, as it was answered."""
        asked = np.concatenate([np.zeros((0, 3), dtype=int), *self.tally.questions])
        first = np.concatenate([np.zeros(0, dtype=bool), *self.tally.answers])
        table = pd.DataFrame(answered_rows(asked, first), columns=["anchor", "near", "far"])
        sizes = [len(given) for given in self.tally.answers]
        table.insert(0, "call", np.repeat(np.arange(len(sizes)), sizes))
        return table

    def measure(self) -> Measure | None:
        """What compiled loops answer by; None if only `ask` can answer."""
        return None

    def remarks(self, questions: np.ndarray) -> dict[str, np.ndarray]:
        """What else is known of the answers to questions: columns for a table of them."""
        return {}

    def _answer(self, questions: np.ndarray) -> np.ndarray:
        raise NotImplementedError

    def _offset(self) -> np.ndarray:
        return np.zeros(3, dtype=int)


def answered_rows(questions: np.ndarray, first: np.ndarray) -> np.ndarray:
    """(m, 3) rows (anchor, near, far) of questions and their answers."""
    rows = questions.copy()
    rows[~first, 1:] = rows[~first, :0:-1]
    return rows


def converse(
    oracle: Oracle, dialogues: Sequence[Dialogue], progress: Progress = silent
) -> list[Any]:
    """Results of dialogues that are held at the same time.

    Each call of the oracle takes the questions of all of them.

    Raises
    ------
    Stopped
        If `progress`, called after every batch, asks to stop.
    """
    results: list[Any] = [None] * len(dialogues)
    waiting: dict[int, np.ndarray] = {}

    def go_on(number: int, given: np.ndarray | None) -> None:
        try:
            waiting[number] = dialogues[number].send(given)
        except StopIteration as end:
            waiting.pop(number, None)
            results[number] = end.value

    for number in range(len(dialogues)):
        go_on(number, None)
    while waiting:
        given = oracle.ask(np.concatenate(list(waiting.values())))
        for number, questions in list(waiting.items()):
            go_on(number, given[: len(questions)])
            given = given[len(questions) :]
        if progress(1 - len(waiting) / len(dialogues)) and waiting:
            raise Stopped
    return results


# Measured objects ----------------------------------------------------------------------------


class MeasuredOracle(Oracle):
    """Objects whose distances are known.

    About further objects (`about`), x counts these, and p and q count the objects as ever.
    """

    def __init__(self, n_objects: int, measure: Measure | None, *, listed: bool = False) -> None:
        super().__init__(n_objects, listed=listed)
        self._measure = measure
        self._further = False

    def measure(self) -> Measure | None:
        return self._measure

    def about(self, further: Any) -> Self:
        """The same objects, compared from other ones; both count together.

        Parameters
        ----------
        further : array-like, m rows
            As the objects were given: vectors; distances or kernel values to all objects.
        """
        other = copy.copy(self)
        other._further = True
        other._see(further)
        return other

    def distances(self, which: np.ndarray | None = None) -> np.ndarray:
        """(m, n) distances from the x's, or some of them, to the objects.

        Under a kernel and for hyperplanes, some increasing function of them may stand instead.
        """
        queries = self._measure.queries
        return queries if which is None else queries[which]

    def _see(self, further: Any) -> None:
        raise NotImplementedError

    def _answer(self, questions: np.ndarray) -> np.ndarray:
        first = np.empty(len(questions), dtype=bool)
        answers(self._measure, *np.ascontiguousarray(questions.T, dtype=np.int32), first)
        return first

    def _offset(self) -> np.ndarray:
        return np.array([self.n_objects if self._further else 0, 0, 0])


class Vectors(MeasuredOracle):
    """Vectors under a metric.

    Parameters
    ----------
    vectors : array-like, shape (n, d)
        Bytes and single precision are kept as they are; other integers and floats become double.
        Of any type where `metric` is "mismatch".
    metric : str
        One of `metrics`.
    """

    def __init__(
        self, vectors: Any, metric: str = "euclidean", *, listed: bool = False
    ) -> None:
        if metric not in metrics():
            raise ValueError(f"metric is {metric!r}; it must be one of {', '.join(metrics())}.")
        self.metric = metric
        if metric == MISMATCH:
            self._encoder = OrdinalEncoder(
                handle_unknown="use_encoded_value", unknown_value=-1
            ).fit(vectors)
        self._points = self._prepared(vectors)
        super().__init__(len(self._points), None, listed=listed)
        self._look(self._points)

    @property
    def vectors(self) -> np.ndarray:
        """(n, d) the objects as they are compared."""
        return self._points

    def distances(self, which: np.ndarray | None = None) -> np.ndarray:
        queries = self._queries if which is None else self._queries[which]
        return pairwise_distances(queries, self._points, metric=self._sklearn_metric)

    def extended(self, further: Any) -> Vectors:
        """The objects followed by further ones; both count together."""
        other = copy.copy(self)
        other._points = np.concatenate([self._points, self._prepared(further)])
        other.n_objects = len(other._points)
        other._look(other._points)
        return other

    @property
    def _sklearn_metric(self) -> str:
        if self.metric in _PLANES:
            return "euclidean"
        return "hamming" if self.metric == MISMATCH else self.metric

    def _prepared(self, vectors: Any) -> np.ndarray:
        if self.metric == MISMATCH:
            vectors = self._encoder.transform(vectors)
        vectors = np.asarray(vectors)
        if vectors.dtype not in (np.uint8, np.float32):
            vectors = vectors.astype(np.float64, copy=False)
        if self.metric in _PLANES:
            vectors = _PLANES[self.metric](vectors)
        return _plain(vectors)

    def _see(self, further: Any) -> None:
        self._look(self._prepared(further))

    def _look(self, queries: np.ndarray) -> None:
        self._queries = queries
        if self.metric in _PLANES:
            dtype = np.result_type(queries, self._points)
            self._measure = Measure(
                False, queries.astype(dtype, copy=False), self._points.astype(dtype, copy=False)
            )
        elif len(queries) * len(self._points) <= _TABLE:
            self._measure = _table(self.distances())
        else:
            self._measure = None

    def _answer(self, questions: np.ndarray) -> np.ndarray:
        if self._measure is not None:
            return super()._answer(questions)
        x, p, q = questions.T
        return self._apart(x, p) <= self._apart(x, q)

    def _apart(self, x: np.ndarray, p: np.ndarray) -> np.ndarray:
        """Distances of pairs, one object p after the other."""
        order = np.argsort(p, kind="stable")
        found = np.empty(len(p))
        for same in np.split(order, np.flatnonzero(np.diff(p[order])) + 1):
            found[same] = pairwise_distances(
                self._queries[x[same]], self._points[p[same[:1]]], metric=self._sklearn_metric
            )[:, 0]
        return found


class Distances(MeasuredOracle):
    """A matrix of distances; `about` takes those of m further objects to all n.

    Parameters
    ----------
    distances : array-like, shape (n, n)
    """

    def __init__(self, distances: Any, *, listed: bool = False) -> None:
        table = _square(distances, "distances")
        super().__init__(len(table), _table(table), listed=listed)

    def _see(self, further: Any) -> None:
        self._measure = _table(_plain(np.asarray(further)))


class Kernel(MeasuredOracle):
    """A kernel: x is nearer to p if K_pp - 2 K_xp is smaller; `about` takes values (m, n).

    Parameters
    ----------
    kernel : array-like, shape (n, n)
    """

    def __init__(self, kernel: Any, *, listed: bool = False) -> None:
        kernel = _square(kernel, "kernel")
        self._diagonal = np.diag(kernel).copy()
        super().__init__(len(kernel), None, listed=listed)
        self._see(kernel)

    def _see(self, further: Any) -> None:
        # K_xx is the same on both sides of a question.
        self._measure = _table(self._diagonal - 2 * np.asarray(further))


class Fitted(Distances):
    """What a fitted method sees: the map of an embedding, the distance of a kernel.

    Parameters
    ----------
    method : Method
        Fitted.
    probability : callable, optional
        From rows (anchor, first, second), shape (m, 3), to the probabilities that the first is
        nearer; by default nothing is known of how sure an answer is.
    """

    def __init__(
        self, method: Method, probability: Callable[[np.ndarray], np.ndarray] | None = None,
        *, listed: bool = False,
    ) -> None:
        super().__init__(method.distances(), listed=listed)
        self._probability = probability

    def remarks(self, questions: np.ndarray) -> dict[str, np.ndarray]:
        """``certainty``: the probability of the likelier answer, if probabilities are known."""
        if self._probability is None:
            return {}
        found = np.asarray(self._probability(np.asarray(questions)))
        return {"certainty": np.maximum(found, 1 - found)}


# Those who can err ---------------------------------------------------------------------------


class Observer(Oracle):
    """A simulated observer of objects at known positions.

    See `tripletscope.core.simulation.simulate.answer`.

    Parameters
    ----------
    positions : array-like, shape (n, d)
    noise, level
        See `tripletscope.core.simulation.simulate.answer`. Asked again, the observer may answer
        differently.
    seed : int or sequence of int
    """

    def __init__(
        self, positions: Any, *, noise: str = "none", level: float = 0.0,
        seed: int | Sequence[int] = 0, listed: bool = False,
    ) -> None:
        self._positions = np.asarray(positions, dtype=float)
        super().__init__(len(self._positions), listed=listed)
        self._noise, self._level = noise, level
        self._rng = np.random.default_rng(seed)

    def _answer(self, questions: np.ndarray) -> np.ndarray:
        rows = answer(
            self._positions, questions, self._rng, noise=self._noise, level=self._level
        )
        return rows[:, 1] == questions[:, 1]


class Repeated(Oracle):
    """Asks another oracle every question several times and takes the majority.

    Parameters
    ----------
    oracle : Oracle
        It counts every time.
    times : int
        Odd.
    """

    def __init__(self, oracle: Oracle, times: int) -> None:
        if times < 1 or times % 2 == 0:
            raise ValueError(f"times is {times!r}; it must be an odd number from 1.")
        super().__init__(oracle.n_objects)
        self._oracle, self._times = oracle, times
        self.tally = oracle.tally

    def ask(self, questions: np.ndarray) -> np.ndarray:
        votes = self._oracle.ask(np.repeat(questions, self._times, axis=0))
        return votes.reshape(-1, self._times).sum(axis=1) * 2 > self._times

    def remarks(self, questions: np.ndarray) -> dict[str, np.ndarray]:
        return self._oracle.remarks(questions)


class Unanswered(Exception):
    """Questions that have to be answered before a computation can go on.

    Attributes
    ----------
    questions : ndarray of int, shape (m, 3)
        Rows (x, p, q); as often as answers are missing. They do not depend on each other.
    """

    def __init__(self, questions: np.ndarray) -> None:
        super().__init__(f"{len(questions)} questions wait for an answer")
        self.questions = questions


class Answered(Oracle):
    """Answers that people have given: an uploaded collection, or a person who is being asked.

    A question that nobody has answered goes to another oracle, or, where there is none, stops the
    computation by `Unanswered`. To go on, add the missing answers and compute again with the same
    seed: it comes to the same question, finds it answered, and continues. Nothing has to be kept
    in between but the answers, which are a `Triplets` like any other::

        oracle = Answered(n)
        while True:
            try:
                tree = ComparisonTree(metric=oracle).fit(range(n))
                break
            except Unanswered as waiting:
                oracle.add(answers_to(waiting.questions))

    Parameters
    ----------
    triplets : Triplets, array-like of int of shape (T, 3), or int
        The answers, or the number of objects if there are none yet.
    otherwise : Oracle, optional
        Who answers what nobody has.
    times : int
        Answers that a question needs; the majority counts, by weight. Contradicting answers of
        equal weight need one more.
    """

    def __init__(
        self, triplets: Any, otherwise: Oracle | None = None, *, times: int = 1,
        listed: bool = False,
    ) -> None:
        if isinstance(triplets, int | np.integer):
            triplets = Triplets.from_array(np.zeros((0, 3), dtype=int), int(triplets))
        triplets = as_triplets(triplets)
        super().__init__(triplets.n_objects, listed=listed)
        self.otherwise, self.times = otherwise, times
        self.n_answered = 0
        self._rows = np.zeros((0, 3), dtype=np.int64)
        self._weight = np.zeros(0)
        self._enter(triplets.rows, triplets.weight)

    @property
    def rows(self) -> np.ndarray:
        """(T, 3) all answers: anchor, near, far."""
        return self._rows

    @property
    def answered_share(self) -> float:
        """Share of the questions asked so far that people have answered."""
        return self.n_answered / self.n_questions if self.n_questions else np.nan

    def add(self, rows: Any) -> None:
        """Take further answers, rows (anchor, near, far)."""
        given = Triplets.from_array(rows, self.n_objects)
        self._enter(given.rows, given.weight)

    def known(self, questions: np.ndarray) -> np.ndarray:
        """(m,) whether people have answered each question, by a majority."""
        votes, given = self._votes(np.asarray(questions))
        return (votes != 0) & (given >= self.times)

    def remarks(self, questions: np.ndarray) -> dict[str, np.ndarray]:
        """``answered``: whether people did; and what the other oracle remarks."""
        further = self.otherwise.remarks(questions) if self.otherwise else {}
        return {"answered": self.known(questions), **further}

    def _enter(self, rows: np.ndarray, weight: np.ndarray) -> None:
        self._rows = np.concatenate([self._rows, rows])
        self._weight = np.concatenate([self._weight, weight])
        codes, sign = self._code(self._rows)
        self._codes, which = np.unique(codes, return_inverse=True)
        net = np.bincount(which, sign * self._weight, len(self._codes))
        # Sums of weights that are no whole numbers would hardly ever be equal.
        self._net = np.round(net, 9)
        self._given = np.bincount(which, self._weight > 0, len(self._codes))

    def _code(self, questions: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """A number for every comparison, and 1 if its first object is the lower one, else -1."""
        x, p, q = np.asarray(questions, dtype=np.int64).T
        n = self.n_objects
        return (x * n + np.minimum(p, q)) * n + np.maximum(p, q), np.where(p < q, 1, -1)

    def _votes(self, questions: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        codes, sign = self._code(questions)
        if not len(self._codes):
            return np.zeros(len(codes)), np.zeros(len(codes))
        place = np.minimum(np.searchsorted(self._codes, codes), len(self._codes) - 1)
        found = self._codes[place] == codes
        return np.where(found, sign * self._net[place], 0.0), found * self._given[place]

    def _answer(self, questions: np.ndarray) -> np.ndarray:
        votes, given = self._votes(questions)
        known = (votes != 0) & (given >= self.times)
        first = votes > 0
        if not known.all():
            missing = questions[~known]
            if self.otherwise is None:
                # A question may be asked by several dialogues at once; people need it once.
                place = np.sort(np.unique(self._code(missing)[0], return_index=True)[1])
                again = np.maximum(self.times - given[~known][place], 1).astype(int)
                raise Unanswered(np.repeat(missing[place], again, axis=0))
            first[~known] = self.otherwise.ask(missing)
        self.n_answered += int(known.sum())
        return first


# Arrays --------------------------------------------------------------------------------------


def _plain(array: np.ndarray) -> np.ndarray:
    """An array as compiled code expects it: contiguous, writeable."""
    return np.require(array, requirements=["C", "W"])


def _table(distances: np.ndarray) -> Measure:
    distances = distances if distances.dtype == np.float32 else distances.astype(float, copy=False)
    return Measure(True, _plain(distances), np.zeros((1, 1), dtype=distances.dtype))


def _square(values: Any, name: str) -> np.ndarray:
    values = np.asarray(values)
    if values.ndim != 2 or values.shape[0] != values.shape[1]:
        raise ValueError(f"{name} have shape {values.shape}; they must be square.")
    if not np.isfinite(values).all():
        raise ValueError(f"{name} must be finite.")
    return values
