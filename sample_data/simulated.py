"""The samples that simulated people answered: their truths, and how each was asked.

Every function returns what is written to the sample's folder, with a seed of its own, so that the
same files come of it again; the README of each sample says the same in words and equations.
"""

from __future__ import annotations

from dataclasses import dataclass
from itertools import combinations

import numpy as np
import pandas as pd

from tripletscope.core.data.landmarks import landmark_questions
from tripletscope.core.models.simulation.simulate import answer, random_questions


@dataclass(frozen=True)
class Made:
    """A sample, and the truth that it was made of.

    Attributes
    ----------
    answers, objects : DataFrame
        As they are written.
    truth : ndarray, shape (n, d)
        Where the objects truly lie.
    """

    answers: pd.DataFrame
    objects: pd.DataFrame
    truth: np.ndarray


# Kitchen objects: a crowd ---------------------------------------------------------------------

KITCHEN = {
    "cutlery": ("fork", "table knife", "spoon", "teaspoon", "chopsticks", "butter knife",
                "cake fork", "soup spoon", "steak knife", "oyster fork"),
    "tableware": ("plate", "bowl", "mug", "cup", "saucer", "wine glass", "tumbler", "teapot",
                  "milk jug", "egg cup"),
    "utensils": ("whisk", "ladle", "spatula", "grater", "peeler", "rolling pin", "tongs",
                 "potato masher", "sieve", "wooden spoon"),
    "cookware": ("pot", "frying pan", "wok", "casserole", "kettle", "baking tray", "cake tin",
                 "pressure cooker", "roasting tin", "steamer"),
}
#: Where categories lie: from the table (-1) to the stove (1), from tool (-1) to vessel (1).
_PLACES = {"cutlery": (-1, -1), "tableware": (-1, 1), "utensils": (1, -1), "cookware": (1, 1)}
#: By how much each group weighs the squared differences of the two dimensions.
WEIGHTS = {"cooks": (1.6, 0.4), "guests": (0.4, 1.6)}
#: People who do not attend: whom, and how they respond.
CARELESS = {"p07": "guesses", "p22": "left", "p35": "guesses"}
_UNIT, _LAPSES = 0.8, 0.02
_RANDOM, _SHARED, _REPEATED, _CATCH = 60, 20, 12, 6


def kitchen() -> Made:
    """45 people, two groups, three of them careless, compare 40 kitchen objects."""
    rng = np.random.default_rng(40)
    names = [name for group in KITCHEN.values() for name in group]
    category = np.repeat(list(KITCHEN), [len(group) for group in KITCHEN.values()])
    truth = np.array([_PLACES[c] for c in category]) + 0.3 * rng.standard_normal((len(names), 2))
    rating = 50.0 + 30.0 * truth[:, 0] + 5.0 * rng.standard_normal(len(names))
    objects = pd.DataFrame({
        "id": names, "category": category, "stove_rating": np.clip(rating, 0, 100).round(),
    }).astype({"stove_rating": int})
    shared = random_questions(len(names), _SHARED, rng)
    tables = []
    for k in range(45):
        person, group = f"p{k + 1:02d}", list(WEIGHTS)[k % 2]
        questions, sampler = _kitchen_questions(len(names), shared, rng)
        tables.append(_responses(
            person, truth * np.sqrt(WEIGHTS[group]), questions, np.array(names), rng
        ).assign(group=group, sampler=sampler))
    return Made(pd.concat(tables, ignore_index=True), objects, truth)


def _kitchen_questions(
    n: int, shared: np.ndarray, rng: np.random.Generator
) -> tuple[np.ndarray, np.ndarray]:
    """Questions of one person in the order in which they are asked, and of which kind each is."""
    own = random_questions(n, _RANDOM, rng)
    again = own[rng.choice(_RANDOM, _REPEATED, replace=False)]
    catch = random_questions(n, _CATCH, rng)
    catch[:, 1] = catch[:, 0]
    questions = np.concatenate([own, shared, again, catch])
    turned = rng.random(len(questions)) < 0.5
    questions[turned, 1:] = questions[turned, :0:-1]
    kinds = np.repeat(["random", "shared", "repeat", "catch"],
                      [_RANDOM, _SHARED, _REPEATED, _CATCH])
    order = rng.permutation(len(questions))
    return questions[order], kinds[order]


def _responses(
    person: str, seen: np.ndarray, questions: np.ndarray, names: np.ndarray,
    rng: np.random.Generator,
) -> pd.DataFrame:
    """What one person chooses, and how long it takes, in milliseconds."""
    n = len(questions)
    left = answer(seen, questions, rng, noise="logistic", level=_UNIT)[:, 1] == questions[:, 1]
    for side, sees_left in ((1, True), (2, False)):  # of catch trials nobody is unsure
        left[questions[:, side] == questions[:, 0]] = sees_left
    habit, lapse = CARELESS.get(person), rng.random(n)
    if habit == "left":
        left = lapse < 0.9
    elif habit == "guesses":
        left = lapse < 0.5
    else:
        left = np.where(lapse < _LAPSES, rng.random(n) < 0.5, left)
    usual = 550.0 if habit else 1900.0
    time = usual * np.exp(0.2 * rng.standard_normal() + 0.35 * rng.standard_normal(n))
    return pd.DataFrame({
        "participant": person, "trial": np.arange(1, n + 1), "anchor": names[questions[:, 0]],
        "left": names[questions[:, 1]], "right": names[questions[:, 2]],
        "response": np.where(left, "left", "right"), "rt_ms": time.round().astype(int),
    })


# Things: the odd one out ----------------------------------------------------------------------

THINGS = {
    "mammal": ("dog", "cat", "horse", "cow", "rabbit", "fox", "bear", "mouse", "deer", "seal"),
    "bird": ("sparrow", "owl", "duck", "eagle", "robin", "crow", "goose", "parrot", "heron",
             "penguin"),
    "fruit": ("apple", "pear", "plum", "cherry", "grape", "peach", "banana", "lemon", "melon",
              "fig"),
    "vegetable": ("carrot", "onion", "leek", "cabbage", "potato", "pea", "radish", "spinach",
                  "tomato", "pumpkin"),
    "tool": ("hammer", "saw", "drill", "pliers", "wrench", "chisel", "axe", "rake", "spade",
             "ruler"),
    "vehicle": ("car", "bus", "bicycle", "tram", "lorry", "train", "boat", "scooter", "tractor",
                "plane"),
}
_ODD_UNIT, _ODD_TRIALS, _ODD_PEOPLE = 1.0, 60, 36


def things() -> Made:
    """36 people say which of three things is the odd one out."""
    rng = np.random.default_rng(60)
    names = np.array([name for group in THINGS.values() for name in group])
    category = np.repeat(list(THINGS), [len(group) for group in THINGS.values()])
    kind = np.repeat(["animal", "food", "artefact"], 20)
    # Three kinds at the corners of a triangle; the two categories of a kind above one another.
    angle = 2.0 * np.pi * np.arange(3) / 3.0
    corners = 1.5 * np.column_stack([np.cos(angle), np.sin(angle)])
    centres = np.column_stack([np.repeat(corners, 2, axis=0), np.tile([-0.7, 0.7], 3)])
    truth = np.repeat(centres, 10, axis=0) + 0.3 * rng.standard_normal((60, 3))
    alive = np.where(kind == "animal", 85.0, np.where(kind == "food", 45.0, 8.0))
    alive = np.clip(alive + 7.0 * rng.standard_normal(60), 0, 100).round().astype(int)
    n = _ODD_PEOPLE * _ODD_TRIALS
    shown = random_questions(60, n, rng)
    pairs = ((1, 2), (0, 2), (0, 1))  # those that stay if the first, second, third is odd
    similar = np.column_stack([
        -np.sum((truth[shown[:, a]] - truth[shown[:, b]]) ** 2, axis=1) for a, b in pairs
    ]) / _ODD_UNIT**2
    odd = np.argmax(similar + rng.gumbel(size=similar.shape), axis=1)
    answers = pd.DataFrame({
        "participant": np.repeat([f"p{k + 1:02d}" for k in range(_ODD_PEOPLE)], _ODD_TRIALS),
        "trial": np.tile(np.arange(1, _ODD_TRIALS + 1), _ODD_PEOPLE),
        "object1": names[shown[:, 0]], "object2": names[shown[:, 1]],
        "object3": names[shown[:, 2]], "odd": names[shown[np.arange(n), odd]],
        "rt_ms": (2300.0 * np.exp(0.4 * rng.standard_normal(n))).round().astype(int),
    })
    objects = pd.DataFrame({
        "id": names, "category": category, "kind": kind, "alive_rating": alive,
    })
    return Made(answers, objects, truth)


# Contrast: difference scaling -----------------------------------------------------------------

#: Contrast in per cent, and half-saturation, decision noise and rate of lapses of each observer.
CONTRASTS = np.arange(0, 101, 10)
OBSERVERS = {"ann": (0.30, 0.10, 0.0), "ben": (0.45, 0.10, 0.0), "eva": (0.30, 0.10, 0.25)}
_RUNS = 3


def perceived(contrast: np.ndarray, half: float) -> np.ndarray:
    """Perceived contrast, 0 to 1, of physical contrast in per cent (Naka and Rushton's curve)."""
    c = np.asarray(contrast) / 100.0
    return c**2 * (1.0 + half**2) / (c**2 + half**2)


def contrasts() -> Made:
    """Three observers say which of two intervals of a triad of contrasts looks larger."""
    rng = np.random.default_rng(11)
    triads = np.array(list(combinations(range(len(CONTRASTS)), 3)))
    tables = []
    for name, (half, noise, lapses) in OBSERVERS.items():
        scale = perceived(CONTRASTS, half)
        for run in range(1, _RUNS + 1):
            shown = triads[rng.permutation(len(triads))]
            turned = rng.random(len(shown)) < 0.5  # from high to low
            shown[turned] = shown[turned, ::-1]
            first, second, third = scale[shown].T
            wider = np.abs(third - second) - np.abs(second - first)
            response = wider + noise * rng.standard_normal(len(shown)) > 0
            guessed = rng.random(len(shown)) < lapses
            response = np.where(guessed, rng.random(len(shown)) < 0.5, response)
            levels = pd.DataFrame(CONTRASTS[shown], columns=["s1", "s2", "s3"])
            levels.insert(0, "Response", response.astype(int))
            tables.append(levels.assign(observer=name, run=run))
    objects = pd.DataFrame({
        "id": CONTRASTS, "contrast_percent": CONTRASTS,
        "image": [f"{c}.png" for c in CONTRASTS],
    })
    truth = np.mean([perceived(CONTRASTS, half) for half, *_ in OBSERVERS.values()], axis=0)
    return Made(pd.concat(tables, ignore_index=True), objects, truth[:, None])


# Pebbles: classes and a number ----------------------------------------------------------------

#: Mean length (mm), roundness (0 to 1) and darkness (0 to 1) of the pebbles of each beach.
BEACHES = {"north": (25, 0.35, 0.60), "east": (45, 0.75, 0.70), "south": (30, 0.80, 0.25),
           "west": (55, 0.45, 0.35)}
_WITHIN = (8.0, 0.13, 0.11)
_PER_BEACH, _LANDMARKS, _PEBBLE_NOISE = 32, 3, 0.3


def pebbles() -> Made:
    """A panel compares 128 pebbles of four beaches with pairs of a few of them."""
    rng = np.random.default_rng(128)
    beach = np.repeat(list(BEACHES), _PER_BEACH)
    features = np.array([BEACHES[b] for b in beach]) + _WITHIN * rng.standard_normal((128, 3))
    features = np.clip(features, (10.0, 0.05, 0.05), (80.0, 0.95, 0.95))
    truth = (features - features.mean(axis=0)) / features.std(axis=0)
    length, roundness, _ = features.T
    weight = 2.6e-3 * np.pi / 6.0 * length**3 * (0.3 + 0.5 * roundness) ** 2
    weight *= np.exp(0.1 * rng.standard_normal(128))
    names = np.array([f"p{k + 1:03d}" for k in range(128)])
    few = np.concatenate([
        rng.choice(np.flatnonzero(beach == b), _LANDMARKS, replace=False) for b in BEACHES
    ])
    questions = rng.permutation(landmark_questions(128, np.sort(few), "k1"))
    rows = answer(truth, questions, rng, noise="positions", level=_PEBBLE_NOISE)
    objects = pd.DataFrame({
        "id": names, "beach": beach, "weight_g": weight.round(1), "length_mm": length.round(1),
        "roundness": features[:, 1].round(3), "darkness": features[:, 2].round(3),
        "image": [f"{name}.png" for name in names],
    })
    return Made(pd.DataFrame(names[rows], columns=["anchor", "near", "far"]), objects, truth)


SIMULATED = {
    "crowd": kitchen, "odd_one_out": things, "difference_scaling": contrasts, "pebbles": pebbles,
}
