"""Objects of questions: balanced over people, random, or by landmarks.

Balance needs no memory of earlier questions. Those of all people are one row of slots, of which
each person has the next part. Every n slots come from one random ring of the n objects: the
question in slot k shows the objects at fixed distances from place k of the ring, so that each
object is in each place of a question once. Exchanges of objects in the same place between a
person's questions keep that, and make the questions different.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from itertools import combinations
from math import comb

import numpy as np

from tripletscope.core.studies.experiment.question import ASKINGS

#: Parts of a seed, which make rings and landmarks independent.
_RINGS, _SUBJECTS, _LANDMARKS = 1, 2, 3
#: Most exchanges to make a question different, and draws thereafter.
_TRIES, _DRAWS = 60, 200
#: Ways to place the options of a question, of which the most even one is taken.
_PLACINGS = 8

#: Numbers of the objects of a question, in the order of their places.
Row = list[int]


@dataclass(frozen=True)
class QuestionPool:
    """Questions about `n_shown` objects by number, for a task of `ASKINGS`, balanced by a seed."""

    task: str
    n_objects: int
    n_shown: int
    seed: int

    @property
    def n_possible(self) -> int:
        """Number of different questions, whatever the places of their options."""
        n, k = self.n_objects, self.n_shown
        if self.task == "pairs":
            return 3 * comb(n, 4)
        return n * comb(n - 1, k - 1) if ASKINGS[self.task].is_anchored else comb(n, k)

    def same(self, row: Sequence[int]) -> tuple:
        """A key of questions that differ only in the places of their options."""
        if self.task == "pairs":
            return tuple(sorted((tuple(sorted(row[:2])), tuple(sorted(row[2:])))))
        if ASKINGS[self.task].is_anchored:
            return (row[0], *sorted(row[1:]))
        return tuple(sorted(row))

    def every(self) -> list[Row]:
        """All different questions, for small pools."""
        n, k = self.n_objects, self.n_shown
        if self.task == "pairs":
            return [
                list(row) for a, b, c, d in combinations(range(n), 4)
                for row in ((a, b, c, d), (a, c, b, d), (a, d, b, c))
            ]
        if ASKINGS[self.task].is_anchored:
            return [
                [anchor, *options] for anchor in range(n)
                for options in combinations([i for i in range(n) if i != anchor], k - 1)
            ]
        return [list(row) for row in combinations(range(n), k)]


def balanced(
    pool: QuestionPool, n_questions: int, person: int, rng: np.random.Generator
) -> list[Row]:
    """A person's questions, in random order, different as long as there are enough.

    Over people from 0 on, every object is in every place equally often, give or take one; nearly so
    where people are asked more than half of all questions.
    """
    passes, rest = divmod(n_questions, pool.n_possible)
    if not passes and rest <= pool.n_possible / 2:
        return shuffled(in_balance(pool, rest, person, rng), rng)
    every = pool.every()
    if rest > pool.n_possible / 2:  # the balance is then of questions that are left out
        left_out = {pool.same(row) for row in in_balance(pool, pool.n_possible - rest, person, rng)}
        last = [row for row in shuffled(every, rng) if pool.same(row) not in left_out][:rest]
    else:
        last = in_balance(pool, rest, person, rng)
    return _evenly_placed(shuffled(every * passes + last, rng), pool, rng)


def in_balance(pool: QuestionPool, count: int, person: int, rng: np.random.Generator) -> list[Row]:
    """A person's next `count` different questions, each part of them nearly in balance."""
    rows = _slots(pool, person * count, count)
    return _different(rows, pool, rng, lambda: drawn(pool, rng))


def at_random(pool: QuestionPool, n_questions: int, rng: np.random.Generator) -> list[Row]:
    """Equally likely random questions, different as long as there are enough."""
    passes, rest = divmod(n_questions, pool.n_possible)
    if passes or rest > pool.n_possible / 2:
        every = pool.every()
        rows = every * passes + [every[k] for k in rng.permutation(len(every))[:rest]]
        return shuffled([_placed(row, pool, rng) for row in rows], rng)
    different: dict[tuple, Row] = {}
    while len(different) < rest:
        row = drawn(pool, rng)
        different.setdefault(pool.same(row), row)
    return list(different.values())


def drawn(pool: QuestionPool, rng: np.random.Generator) -> Row:
    """One random question."""
    while True:
        row = rng.integers(pool.n_objects, size=pool.n_shown).tolist()
        if len({*row}) == len(row):
            return row


def of_landmarks(
    pool: QuestionPool, n_landmarks: int, n_questions: int, person: int, rng: np.random.Generator
) -> list[Row]:
    """Questions about objects in balance, beside landmarks, which are the same for all people."""
    n, beside = pool.n_objects, pool.n_shown - 1
    n_landmarks = min(n_landmarks, n)
    if n_landmarks < beside:
        raise ValueError(
            f"n_landmarks is {n_landmarks}; a question shows {beside} of them beside an object."
        )
    order = np.random.default_rng((pool.seed, _LANDMARKS)).permutation(n)
    landmarks = order[:n_landmarks]
    # Landmarks are subjects only if enough others are left.
    subjects = order if n_landmarks > beside else order[n_landmarks:]
    if not len(subjects):
        raise ValueError(f"n_landmarks is {n_landmarks}; no object is left to compare with them.")
    first = person * n_questions
    rings = QuestionPool(pool.task, n_landmarks, beside, pool.seed)
    others = landmarks[np.array(_slots(rings, first, n_questions)).reshape(-1, beside)]
    anchors = subjects[_dealt(len(subjects), first, n_questions, pool.seed)]
    rows = np.column_stack([anchors, others]).tolist()

    def draw() -> Row:
        while True:
            row = [int(rng.choice(subjects)), *rng.permutation(landmarks)[:beside].tolist()]
            if len({*row}) == len(row):
                return row

    rows = _different(rows, pool, rng, draw)
    if not ASKINGS[pool.task].is_anchored:
        rows = [_placed(row, pool, rng) for row in rows]
    return shuffled(rows, rng)


def _slots(pool: QuestionPool, first: int, count: int) -> list[Row]:
    """The questions in `count` slots of all people's row."""
    n, slots = pool.n_objects, []
    for block in range(first // n, -(-(first + count) // n)):
        rng = np.random.default_rng((pool.seed, _RINGS, block))
        ring = rng.permutation(n)
        offsets = np.append(0, 1 + rng.permutation(n - 1)[: pool.n_shown - 1])
        rows = ring[(np.arange(n)[:, None] + offsets) % n]
        slots += rows[max(first - block * n, 0) : first + count - block * n].tolist()
    return slots


def _dealt(n: int, first: int, count: int, seed: int) -> np.ndarray:
    """(count,) numbers below n in slots, each of them once in every n."""
    parts = [np.zeros(0, dtype=np.int64)]
    for block in range(first // n, -(-(first + count) // n)):
        order = np.random.default_rng((seed, _SUBJECTS, block)).permutation(n)
        parts.append(order[max(first - block * n, 0) : first + count - block * n])
    return np.concatenate(parts)


def _different(
    rows: list[Row], pool: QuestionPool, rng: np.random.Generator, draw: Callable[[], Row]
) -> list[Row]:
    """The rows, as far as possible without repeated objects in one, or repeated rows.

    By exchanges of objects in the same place between rows, otherwise by new draws.
    """
    rows = [list(row) for row in rows]
    often = Counter(pool.same(row) for row in rows)
    for one, row in enumerate(rows):
        if often[pool.same(row)] <= 1 and len({*row}) == pool.n_shown:
            continue
        others = rng.integers(len(rows), size=_TRIES).tolist()
        places = rng.integers(pool.n_shown, size=_TRIES).tolist()
        if any(
            _exchanged(rows, one, other, place, often, pool)
            for other, place in zip(others, places, strict=True)
        ):
            continue
        often[pool.same(row)] -= 1
        for _ in range(_DRAWS):
            rows[one] = draw()
            if not often[pool.same(rows[one])]:
                break
        often[pool.same(rows[one])] += 1
    return rows


def _exchanged(
    rows: list[Row], one: int, other: int, place: int, often: Counter, pool: QuestionPool
) -> bool:
    """Whether exchanging one place of two rows made both valid; otherwise rows are unchanged."""
    before = rows[one], rows[other]
    if one == other:
        return False
    after = [list(row) for row in before]
    after[0][place], after[1][place] = before[1][place], before[0][place]
    new = [pool.same(row) for row in after]
    often.subtract(map(pool.same, before))
    if new[0] == new[1] or any(
        often[key] > 0 or len({*row}) < pool.n_shown for key, row in zip(new, after, strict=True)
    ):
        often.update(map(pool.same, before))
        return False
    often.update(new)
    rows[one], rows[other] = after
    return True


def _placed(row: Row, pool: QuestionPool, rng: np.random.Generator) -> Row:
    """The same question with its options in random places."""
    asking = ASKINGS[pool.task]
    if asking.step == 1:  # pairs with an object in common are three objects
        fixed, options = row[: asking.is_anchored], row[asking.is_anchored :]
        return fixed + [options[k] for k in rng.permutation(len(options))]
    pairs = asking.options(row)
    return [
        one for k in rng.permutation(len(pairs))
        for one in (pairs[k] if rng.random() < 0.5 else pairs[k][::-1])
    ]


def _evenly_placed(rows: list[Row], pool: QuestionPool, rng: np.random.Generator) -> list[Row]:
    """The same questions with every object in every place about equally often."""
    often = np.zeros((pool.n_shown, pool.n_objects), dtype=int)
    places = np.arange(pool.n_shown)
    placed = []
    for row in rows:
        some = [_placed(row, pool, rng) for _ in range(_PLACINGS)]
        best = min(some, key=lambda one: (often[places, one] ** 2).sum())
        often[places, best] += 1
        placed.append(best)
    return placed


def shuffled(rows: list[Row], rng: np.random.Generator) -> list[Row]:
    """The rows in random order."""
    return [rows[k] for k in rng.permutation(len(rows))]
