"""Typical and odd objects: whether any are said to be, which, and what intervals hold."""

from __future__ import annotations

from collections.abc import Iterator
from functools import cache
from itertools import combinations

import numpy as np
import pandas as pd

import tripletscope as ts
from planted import Sentence
from tripletscope.core.features.typicality import Typicality, typicality_in

PLACE, OBJECTS, TRIALS, RUNS = "Embedding, Typicality", 20, 1500, 200
DIFFER, FAR, OUTSIDE, MISSED, ALIKE = (
    "objects differ", "the far object is odd", "a rank outside its interval",
    "an interval without the depth of the first object", "trials show objects that are alike",
)
#: What was asked for, of three objects, and where objects are.
ASKED, WORLDS = ("odd", "central", "nearer"), ("coins", "ring", "far", "cloud", "line")


@cache
def places(world: str) -> np.ndarray:
    """(n, 2) of objects; of the world `far`, the first is far from four clusters."""
    rng, at = np.random.default_rng(len(world)), np.arange(OBJECTS)
    angle = 2 * np.pi * at / OBJECTS
    return {
        "ring": 1.5 * np.column_stack([np.cos(angle), np.sin(angle)]),
        "coins": np.zeros((OBJECTS, 2)),
        "line": np.column_stack([np.linspace(-2, 2, OBJECTS), 0 * at]),
        "cloud": rng.normal(size=(OBJECTS, 2)),
        "far": np.where(at[:, None] == 0, 4.0, 0.4 * rng.normal(size=(OBJECTS, 2))
                        + 1.5 * rng.normal(size=(4, 2))[at % 4]),
    }[world]


def drawn(design: str, where: np.ndarray, number: int, rng: np.random.Generator) -> np.ndarray:
    """(t, 3) objects of trials.

    popular: some far more often; hard: half of all with the most central ones; near: four fifths of
    trials of an object and neighbours, as of an adaptive sampler.
    """
    n = len(where)
    chance = 1.0 / (1 + rng.permutation(n)) if design == "popular" else np.ones(n)
    # The largest of random keys are a draw without replacement (Efraimidis & Spirakis).
    keys = rng.random((number, n)) ** (1 / chance)
    first, row = keys.argmax(axis=1), np.arange(number)
    if design in ("hard", "near"):
        apart = ((where[:, None] - where) ** 2).sum(axis=2)
        few = np.argsort(((where - where.mean(axis=0)) ** 2).sum(axis=1))[: n // 3]
        allowed = np.ones((n, n), dtype=bool)
        if design == "hard":
            allowed[np.ix_(rng.permutation(n)[: n // 2], np.setdiff1d(np.arange(n), few))] = False
        else:
            allowed = apart.argsort(axis=1).argsort(axis=1) <= n // 3
        held = allowed[first] | (rng.random(number)[:, None] < 0.2) & (design == "near")
        keys = np.where(held, keys, keys - 2)
    keys[row, first] = 3.0
    return rng.permuted(np.argsort(-keys, axis=1)[:, :3], axis=1)


def chances(sets: np.ndarray, where: np.ndarray, asked: str) -> np.ndarray:
    """(..., 3) probability of each object of some sets (..., 3) to be chosen."""
    x = where[sets]
    across = [((x[..., a, :] - x[..., b, :]) ** 2).sum(-1) for a, b in ((1, 2), (0, 2), (0, 1))]
    pull = {"odd": [-one for one in across], "central": across,
            "nearer": [np.full(sets.shape[:-1], -np.inf), -across[2], -across[1]]}[asked]
    pull = np.stack(pull, axis=-1)
    odds = np.exp(pull - pull.max(axis=-1, keepdims=True))
    return odds / odds.sum(axis=-1, keepdims=True)


@cache
def true_depth(world: str, asked: str, guesses: float) -> np.ndarray:
    """(n,) of trials with every company equally often."""
    where, total = places(world), np.zeros(OBJECTS)
    sets = np.array(list(combinations(range(OBJECTS), 3)))
    turns = [sets] if asked != "nearer" else [np.roll(sets, k, axis=1) for k in range(3)]
    for turn in turns:
        p = chances(turn, where, asked)
        for k in range(3):
            total += np.bincount(turn[:, k], p[:, k], OBJECTS)
    share = total * OBJECTS / 3 / len(sets) / (2 if asked == "nearer" else 1)
    share = guesses / (2 if asked == "nearer" else 3) + (1 - guesses) * share
    return 1 - share if asked == "odd" else share


@cache
def found(
    world: str, asked: str, design: str, people: int, same: int, own: float, guesses: float,
    number: int, seed: int,
) -> Typicality:
    """What is found of people's answers.

    same: Questions that all people answer; 0 where each has own ones.
    own: Standard deviation of what a person thinks of single objects.
    """
    rng, where = np.random.default_rng([seed, people, number]), places(world)
    who = np.arange(number) % people
    sets = drawn(design, where, same or number, rng)
    if same:
        sets = sets[np.arange(number) // people % same]
    p = chances(sets, where, asked)
    p = p * np.exp(own * rng.normal(size=(people, OBJECTS)))[who[:, None], sets]
    p = p / p.sum(axis=1, keepdims=True)
    p = (1 - guesses) * p + guesses * (p > 0) / (p > 0).sum(axis=1, keepdims=True)
    chosen = (rng.random((number, 1)) > p.cumsum(axis=1)).sum(axis=1).clip(0, 2)
    row = np.arange(number)
    one, other = np.sort((chosen[:, None] + [1, 2]) % 3, axis=1).T
    c, a, b = sets[row, chosen], sets[row, one], sets[row, other]
    answers = {"participant": [f"p{k}" for k in who]}
    if asked == "nearer":
        rows = np.column_stack([a, c, b])
    else:
        rows = np.concatenate([[a, b, c], [b, a, c]] if asked == "odd" else [[a, c, b], [b, c, a]],
                              axis=1).T
        answers = {"participant": answers["participant"] * 2, "trial": [*row, *row]}
    objects = pd.DataFrame({"id": [f"o{k}" for k in range(OBJECTS)]})
    return typicality_in(ts.Triplets(rows, objects, pd.DataFrame(answers)), where)


def said(words: str, world: str, asked: str, guesses: float, result: Typicality) -> bool:
    depth, true = result.depth, true_depth(world, asked, guesses)
    if words == DIFFER:
        return result.differs
    if words == FAR:
        return result.side[0] < 0
    if words == ALIKE:
        return result.are_alike
    if words == MISSED:
        return not depth.low[0] <= true[0] <= depth.high[0]
    # Ties may have any of their ranks.
    above = np.array([np.sum(true > one + 1e-9) for one in true])
    below = np.array([np.sum(true < one - 1e-9) for one in true])
    return bool(np.any((result.highest > OBJECTS - below) | (result.lowest < 1 + above)))


#: What is usual, and what is different next door.
USUAL = {"design": "random", "people": 20, "same": 0, "own": 0.0, "guesses": 0.0, "number": TRIALS}
HOW = {
    "": {}, "one person": {"people": 1}, "8 people": {"people": 8},
    "a third guessed": {"guesses": 1 / 3}, "15 trials an object": {"number": 100},
    "own thoughts of objects": {"own": 0.5}, "100 questions to all": {"same": 100},
    "popular objects": {"design": "popular"}, "hard company": {"design": "hard"},
    "neighbours": {"design": "near"},
}
#: Worlds in which all differences of company are tried; of others, the usual one alone.
TRIED = ("coins", "ring", "far")


def sentences(runs: int | None) -> Iterator[Sentence]:
    """Where trials show neighbours, depths are not those of all company: rates describe that."""
    each = range(runs or RUNS)

    def counted(words: str, world: str, asked: str, about: str, is_null: bool,
                rate: float | None) -> Sentence:
        how = USUAL | HOW[about]
        often = sum(
            said(words, world, asked, how["guesses"], found(world, asked, *how.values(), seed))
            for seed in each
        ), len(each)
        data = ", ".join(filter(None, (world, asked, about)))
        neighbour = about or ("" if world == "coins" else world)
        return Sentence(
            place=PLACE, before="", now=words, null=data, alarms=often if is_null else None,
            planted=data, said=None if is_null else often, neighbour=neighbour, rate=rate,
        )

    for asked in ASKED:
        for world in WORLDS:
            for about in HOW if world in TRIED and asked != "central" else ("",):
                is_equal, is_near = world in ("coins", "ring"), about == "neighbours"
                held = None if is_near else 0.05
                yield counted(DIFFER, world, asked, about, is_equal, 0.05)
                yield counted(MISSED, world, asked, about, True, held and 0.08)
                if not is_equal:
                    yield counted(OUTSIDE, world, asked, about, True, held)
                if world == "far" or (is_equal and not about):
                    yield counted(FAR, world, asked, about, is_equal, 0.05)
                if world in ("ring", "far") and HOW[about].keys() <= {"design"}:
                    yield counted(ALIKE, world, asked, about, not is_near, 0.05)
                found.cache_clear()
