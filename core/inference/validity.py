"""What a result does not mean: the one place that knows, in codes without prose."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any
from weakref import WeakKeyDictionary

import numpy as np
import pandas as pd
from scipy.sparse import coo_array
from scipy.sparse.csgraph import connected_components, minimum_spanning_tree

from tripletscope.core.data.columns import codes_of
from tripletscope.core.data.places import different
from tripletscope.core.data.quadruples import as_answers
from tripletscope.core.data.triplets import Answers
from tripletscope.core.engine.method import Method
from tripletscope.core.engine.short_repr import short_repr
from tripletscope.core.inference.held_out.compare import Suggestion, is_chance
from tripletscope.core.inference.held_out.paired import PairedDifference, ahead_of
from tripletscope.core.inference.held_out.score import ErrorEstimate
from tripletscope.core.inference.held_out.stress import StressTest
from tripletscope.core.similarity.clusters.counting import ClusterCounts, recommend_clusters
from tripletscope.core.similarity.clusters.dendrogram import Dendrogram

#: What may be in doubt, the gravest first.
CODES = (
    "guessing", "random order", "popularity", "another method", "parts", "weak links",
    "more dimensions", "few answers", "copies", "unfinished", "degenerate", "no clusters", "ties",
)
#: Those before which a map is not looked at.
GRAVE = {"guessing", "random order", "popularity", "another method", "parts", "degenerate"}
#: Objects in fewer answers hardly have a place.
FEW_ANSWERS = 3
#: Single trials and questions of more answers than this are no weak links. Fewer objects than this
#: have no answer of their own: where one link holds them, they are in few answers.
_WEAK, _OWN = 2, 3
#: Answers for each object that are looked at first; they seldom leave a link in doubt.
_TRIED = 50
#: So many answers in the same order, about questions that nobody else was asked in that order, are
#: a copy.
_A_COPY = 10
#: What is the same of a copy only.
_RECORDED = ("response_time", "time", "side")
#: Stress that is next to nothing. Pairs lie on one another up to the second share of the largest
#: distance; where more than the third are there without being the most alike, a map is degenerate.
_NOTHING, _TOGETHER, _MOST_TOGETHER = 0.01, 0.05, 0.15
#: A lower error by this much is worth a dimension.
_WORTH_ONE = 0.01
#: Heights that differ by less than this share differ by rounding.
_ROUNDING = 1e-9
#: Pairs from which on a map can be degenerate.
_PAIRS = 15


@short_repr
@dataclass(frozen=True)
class Doubt:
    """Something that a result does not mean.

    Attributes
    ----------
    code : str
        ``guessing``: the map predicts no better than guesses. ``random order``: dissimilarities fit
        no better than in random order. ``popularity``: how often each object is chosen, whatever it
        is compared with, predicts better than the map. ``another method`` predicts better than that
        of the map. ``parts``: groups of objects that no answer connects. ``weak links``: such
        groups without single trials or questions, on which alone rests how these groups lie to each
        other. ``more dimensions`` predict better than those of the map. ``few answers``: about some
        objects. ``copies``: answers that repeat others.
        ``unfinished``: a fit that was stopped or has not converged.
        ``degenerate``: no stress, because pairs lie on one another that are not alike.
        ``no clusters``: no test has shown any. ``ties``: no height gives so many clusters.
    values : dict
        Numbers: see `doubts`.
    objects : ndarray of int
        Positions of the objects that are concerned; empty for all of them.
    """

    code: str
    values: dict[str, Any] = field(default_factory=dict)
    objects: np.ndarray = field(default_factory=lambda: np.zeros(0, dtype=np.int64))

    def __post_init__(self) -> None:
        if self.code not in CODES:
            raise ValueError(f"{self.code} is no doubt; there are {', '.join(CODES)}.")


def doubts(
    answers: Answers, fitted: Method | None = None, *, error: ErrorEstimate | None = None,
    others: Mapping[str, ErrorEstimate] | None = None, ratio: float | None = None,
) -> list[Doubt]:
    """What answers, and a method that was fitted to them, leave in doubt.

    Parameters
    ----------
    answers : Triplets, Quadruples or array-like of int, shape (T, 3) or (T, 4)
    fitted : Method, optional
    error : ErrorEstimate, optional
        Held-out error of the method.
    others : mapping of str to ErrorEstimate, optional
        Errors of other methods, held out in the same folds, by name.
    ratio : float, optional
        Held-out answers to training answers in every fold, by default of a single division.

    Returns
    -------
    list of Doubt
        The gravest first. Values: ``guessing`` has the ``error``; ``popularity`` by how ``much`` it
        predicts better, with its interval; ``another method`` the ``best`` that predicts better,
        and by how ``much``, with its interval; ``parts`` and ``weak links`` the ``number`` of
        groups; ``few answers`` the ``number`` of objects and ``few``; ``copies`` their ``share``;
        ``unfinished`` whether it was ``stopped``.

    Examples
    --------
    >>> import tripletscope as ts
    >>> apart = [[0, 1, 2], [1, 2, 0], [3, 4, 5], [4, 5, 3]]
    >>> [doubt.code for doubt in ts.doubts(apart)]
    ['parts', 'few answers']
    """
    answers = as_answers(answers)
    ahead = {}
    if error is not None and others:
        if ratio is None:
            ratio = 1.0 / max(len(error.fold_errors) - 1, 1) if len(error.fold_errors) else 0.0
        ahead = ahead_of(error, others, answers, ratio)
    found = [*_of_error(error), another_method(ahead), *_of_answers(answers), *_of_fit(fitted)]
    return by_gravity(found)


def by_gravity(found: Iterable[Doubt | None]) -> list[Doubt]:
    """The gravest first. Of guesses it does not matter who guesses better."""
    there = [doubt for doubt in found if doubt is not None]
    if any(doubt.code == "guessing" for doubt in there):
        there = [one for one in there if one.code not in ("another method", "more dimensions")]
    return sorted(there, key=lambda doubt: CODES.index(doubt.code))


def _of_error(error: ErrorEstimate | None) -> Iterator[Doubt | None]:
    if error is None:
        return
    if is_chance(error):
        yield Doubt("guessing", {"error": error.error})
    yield popularity(error)


def popularity(error: ErrorEstimate) -> Doubt | None:
    """That how often each object is chosen predicts better than the method of this error."""
    if not error.is_surpassed_by_popularity:
        return None
    above, low, high = error.popularity[1].tolist()
    return Doubt("popularity", {"much": (-above, -high, -low)})


def another_method(ahead: Mapping[str, PairedDifference]) -> Doubt | None:
    """That others surely predict better, of which the best is named: by `ahead_of`."""
    better = [name for name, more in ahead.items()
              if more.p < Suggestion.level and more.difference > 0]
    if not better:
        return None
    best = max(better, key=lambda name: ahead[name].difference)
    more = ahead[best]
    return Doubt("another method", {"best": best, "much": (more.difference, more.low, more.high)})


def more_dimensions(ahead: Mapping[int, PairedDifference]) -> Doubt | None:
    """That a map surely needs more dimensions, of which the best number is named: by `ahead_of`."""
    better = {d: more for d, more in ahead.items() if more.difference >= _WORTH_ONE}
    found = another_method(better)
    if found is None:
        return None
    return Doubt("more dimensions", {"d": found.values["best"], "much": found.values["much"]})


#: What was found of answers that are still in use: page, caption and report ask in turn.
_found: WeakKeyDictionary[Answers, tuple[Doubt, ...]] = WeakKeyDictionary()


def _of_answers(answers: Answers) -> tuple[Doubt, ...]:
    if (found := _found.get(answers)) is None:
        found = _found[answers] = tuple(_looked_for(answers))
    return found


def _looked_for(answers: Answers) -> Iterator[Doubt]:
    parts = parts_of(answers)
    if (number := int(parts.max(initial=-1)) + 1) > 1:
        largest = np.bincount(parts[parts >= 0]).argmax()
        yield Doubt("parts", {"number": number}, np.flatnonzero((parts >= 0) & (parts != largest)))
    if (weak := weak_links(answers)).any():
        held = parts_of(answers, ~weak)
        sizes = np.bincount(held[held >= 0])
        yield Doubt("weak links", {"number": int((sizes >= _OWN).sum())},
                    np.flatnonzero((held >= 0) & (held != sizes.argmax())))
    each = answers.answers_per_object
    rare = np.flatnonzero((each > 0) & (each < FEW_ANSWERS))
    if len(rare):
        yield Doubt("few answers", {"number": len(rare), "few": FEW_ANSWERS}, rare)
    if len(answers) and (share := float(copies(answers).mean())):
        yield Doubt("copies", {"share": share})


def _of_fit(fitted: Method | None) -> Iterator[Doubt]:
    stopped = bool(getattr(fitted, "stopped_", False))
    if stopped or not getattr(fitted, "converged_", True):
        yield Doubt("unfinished", {"stopped": stopped})


def parts_of(answers: Answers, among: np.ndarray | None = None) -> np.ndarray:
    """(n,) group of each object, from 0: no answer connects groups; -1 for objects in no answer.

    among (T,) bool: Answers that connect; by default all of positive weight.
    """
    n, counts = answers.n_objects, answers.weight > 0
    parts = np.full(n, -1)
    if not counts.any():
        return parts
    ends = _joined(answers.rows[counts if among is None else counts & among])
    graph = coo_array((np.ones(len(ends)), ends.T), shape=(n, n))
    groups = connected_components(graph, directed=False)[1]
    mentioned = np.bincount(answers.rows[counts].ravel(), minlength=n) > 0
    parts[mentioned] = np.unique(groups[mentioned], return_inverse=True)[1]
    return parts


def _joined(rows: np.ndarray) -> np.ndarray:
    """(k T, 2) pairs of objects that answers join, one column of the answers after the other."""
    return np.concatenate([rows[:, [0, other]] for other in range(1, rows.shape[1])])


def weak_links(answers: Answers) -> np.ndarray:
    """(T,) bool: answers of single trials or questions without which groups of objects fall apart.

    Each group has at least three objects: fewer have no answer of their own.

    A spanning forest holds one answer at least of every such link, and whatever other answers
    connect does not depend on any. So few links are left to be tried, one after the other.
    """
    counts, is_weak = answers.weight > 0, np.zeros(len(answers), dtype=bool)
    places = np.flatnonzero(counts)
    if not len(places) or _well_joined(answers.rows[places], answers):
        return is_weak
    units = np.unique(answers.groups, return_inverse=True)[1]
    sizes = np.bincount(units, counts)
    forest = np.zeros(len(sizes), dtype=bool)
    forest[units[places[_spanning(answers.rows[places], answers.n_objects)[0]]]] = True
    forest &= sizes <= _WEAK
    if not forest.any():
        return is_weak
    held = parts_of(answers, ~forest[units])
    within = np.flatnonzero(counts & forest[units])
    rows, unit = held[answers.rows[within]], units[within]
    n_groups = int(held.max()) + 1
    if n_groups == 1:
        return is_weak
    weight, ends = np.bincount(held[held >= 0]), _joined(rows)
    of = np.tile(unit, rows.shape[1] - 1)
    outside = ends[:, 0] != ends[:, 1]
    ends, of = ends[outside], of[outside]
    whole = _sizes_of_parts(ends, weight, n_groups)
    for one in np.unique(of):
        left = _sizes_of_parts(ends[of != one], weight, n_groups)
        if (left >= _OWN).sum() > (whole >= _OWN).sum():
            is_weak |= counts & (units == one)
    return is_weak


def _well_joined(rows: np.ndarray, answers: Answers) -> bool:
    """Whether a part of the answers connects all objects, however few of it are missing."""
    n, mentioned = answers.n_objects, int((answers.answers_per_object > 0).sum())
    rows = rows[::max(len(rows) // (_TRIED * n), 1)]
    for _ in range(_WEAK + 1):  # forests without a common answer: a link breaks all but one
        if not len(rows):
            return False
        tree, n_edges = _spanning(rows, n)
        if n_edges < mentioned - 1:
            return False
        rows = np.delete(rows, tree, axis=0)
    return True


def _spanning(rows: np.ndarray, n: int) -> tuple[np.ndarray, int]:
    """Positions of answers that connect all that answers connect, and pairs in this forest."""
    ends = np.sort(_joined(rows), axis=1).astype(np.int64)
    pairs, first = np.unique(ends[:, 0] * n + ends[:, 1], return_index=True)
    graph = coo_array((np.ones(len(pairs)), np.divmod(pairs, n)), shape=(n, n))
    tree = minimum_spanning_tree(graph.tocsr()).tocoo()
    of = first[np.searchsorted(pairs, tree.row.astype(np.int64) * n + tree.col)] % len(rows)
    return np.unique(of), len(of)


def _sizes_of_parts(ends: np.ndarray, weight: np.ndarray, n: int) -> np.ndarray:
    """Objects in each part of n groups of so many objects, joined by pairs of groups."""
    graph = coo_array((np.ones(len(ends)), ends.T), shape=(n, n))
    return np.bincount(connected_components(graph, directed=False)[1], weight)


def copies(answers: Answers) -> np.ndarray:
    """(T,) bool: answers that repeat earlier ones in the same order, and with the same times.

    Of one person, if that is so of most people: some answer a list twice, and agree with
    themselves. Of two people, if response times are the same; without these, if others were asked,
    but nobody else these questions in this order: of a list for all, people may well agree.
    """
    is_copy = np.zeros(len(answers), dtype=bool)
    who, trials, recorded = codes_of(answers, "participant")[0], answers.trials, _recorded(answers)

    def are_many(block: np.ndarray) -> bool:
        # Comparisons that come of one ranking, say, agree as soon as one does.
        number = len(block) if trials is None else len(different(trials[block]))
        return number >= _A_COPY

    order = np.argsort(who, kind="stable")
    blocks = list(filter(are_many, np.split(order, np.flatnonzero(np.diff(who[order])) + 1)))
    halves = [next(filter(lambda both: are_many(both[0]), _halves(recorded, block)), None)
              for block in blocks]
    if 2 * sum(each is not None for each in halves) > len(blocks):
        for k, each in enumerate(halves):
            if each is not None:
                blocks[k] = each[0]
                is_copy[each[1]] = True
    times = answers.answers.get("response_time")
    asked = [answers.questions[block].tobytes() for block in blocks]
    people = Counter(asked)
    earlier: set[bytes] = set()
    for block, questions in zip(blocks, asked, strict=True):
        is_timed = times is not None and len(times.iloc[block].unique()) > 1
        said = np.ascontiguousarray(recorded[block]).tobytes()
        if is_timed or (people[questions] == 2 < len(blocks)):
            is_copy[block] |= said in earlier
        earlier.add(said)
    return is_copy


def _recorded(answers: Answers) -> np.ndarray:
    """(T, k) the objects of each answer, and codes of what else was recorded of it."""
    table = answers.answers
    codes = [pd.factorize(table[name])[0] for name in _RECORDED if name in table]
    return np.column_stack([answers.rows, *codes])


def _halves(recorded: np.ndarray, block: np.ndarray) -> Iterator[tuple[np.ndarray, np.ndarray]]:
    """The two parts of answers that are equal: the second after the first, or one by one."""
    half = len(block) // 2
    if len(block) == 2 * half:
        for first, second in ((block[:half], block[half:]), (block[::2], block[1::2])):
            if np.array_equal(recorded[first], recorded[second]):
                yield first, second


def tied_cut(tree: Dendrogram, n_clusters: int) -> Doubt | None:
    """That no height of a tree gives so many clusters, because branches merge at once."""
    if not 1 < n_clusters < tree.n_leaves:
        return None
    merges, merged = tree.linkage[:, 2], tree.n_leaves - n_clusters
    # Means of the same distances, taken in another order, differ in their last digits.
    near = _ROUNDING * abs(merges[merged])
    low, high = np.searchsorted(merges, [merges[merged] - near, merges[merged] + near])
    if low == merged:
        return None
    return Doubt("ties", {
        "number": n_clusters, "fewer": tree.n_leaves - int(high), "more": tree.n_leaves - int(low),
    })


def unseen_clusters(counts: ClusterCounts) -> Doubt | None:
    """That a test of the number of clusters has shown none, of guesses for instance."""
    return None if recommend_clusters(counts).reason == "supported" else Doubt("no clusters")


def random_order(test: StressTest) -> Doubt | None:
    """That a map of dissimilarities has the stress of one of the same values in random order."""
    if not test.is_chance:
        return None
    return Doubt("random order", {
        "stress": test.stress, "low": float(test.permuted.min(initial=np.inf)),
        "high": float(test.permuted.max(initial=-np.inf)), "number": len(test.permuted),
    })


def degenerate(distances: np.ndarray, dissimilarities: np.ndarray, stress: float) -> Doubt | None:
    """That a non-metric map has no stress because pairs lie on one another that are not alike.

    Only the order of dissimilarities counts, as for the map. True maps may have few different
    distances, as of objects on a circle.

    Parameters
    ----------
    distances, dissimilarities : (p,) ndarray
        Of the same pairs.
    """
    widest = distances.max(initial=0.0)
    if len(distances) < _PAIRS or stress > _NOTHING or not widest:
        return None
    is_together = distances <= _TOGETHER * widest
    together = float(np.mean(is_together & (dissimilarities > dissimilarities.min())))
    if together <= _MOST_TOGETHER:
        return None
    return Doubt("degenerate", {"pairs": len(distances), "together": together})
