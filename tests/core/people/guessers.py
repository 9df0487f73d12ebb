"""Crowds some of whom guess, with their rates as they were planted."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import pandas as pd

from tripletscope.core.data.triplets import Triplets, numbered_objects
from tripletscope.core.inference.uncertainty.calibration import Truth, simulated_answers
from tripletscope.core.models.embedding import TSTE
from tripletscope.core.models.simulation.simulate import random_questions


@dataclass(frozen=True)
class Guessers:
    """Answers, the map that they follow, and how often each person guessed, and to which side."""

    data: Triplets
    positions: np.ndarray
    lapse: np.ndarray
    left: np.ndarray


def guessers(
    seed: int, *, people: int = 40, careless: int = 10, each: int = 80, n_objects: int = 20
) -> Guessers:
    """A crowd whose first people are careful, and whose last guess in 30 to 100 % of trials.

    Every other one of these mostly chooses left when guessing.
    """
    rng = np.random.default_rng(seed)
    positions = 1.2 * rng.standard_normal((n_objects, 2))
    lapse, left = rng.beta(1, 40, people), np.full(people, 0.5)
    bad = np.arange(people) >= people - careless
    lapse[bad] = rng.uniform(0.3, 1.0, careless)
    left[bad & (np.arange(people) % 2 == 0)] = 0.9
    who = np.repeat(np.arange(people), each)
    asked = rng.random((len(who), n_objects)).argsort(axis=1)[:, :3]
    to_left, to_right = (
        np.sum((positions[asked[:, 0]] - positions[asked[:, k]]) ** 2, axis=1) for k in (1, 2)
    )
    chose_left = rng.random(len(who)) < 1.0 / (1.0 + np.exp(to_left - to_right))
    guess = rng.random(len(who)) < lapse[who]
    chose_left = np.where(guess, rng.random(len(who)) < left[who], chose_left)
    rows = np.where(chose_left[:, None], asked, asked[:, [0, 2, 1]])
    return Guessers(
        Triplets(rows, numbered_objects(n_objects), pd.DataFrame({
            "participant": [f"p{k:02d}" for k in who],
            "side": np.where(chose_left, "left", "right"),
        })), positions, lapse, left,
    )


def heavier(seed: int, *, people: int = 30, each: int = 120, n_objects: int = 20) -> Triplets:
    """Answers of t-STE, which errs in clear cases, by people of whom nobody guesses."""
    rng = np.random.default_rng(seed)
    asked = random_questions(n_objects, people * each, rng)
    truth = Truth(3.0 * rng.standard_normal((n_objects, 2)), 0.0, 0.0)
    return Triplets(
        simulated_answers(TSTE(), truth, asked, rng), numbered_objects(n_objects),
        pd.DataFrame({"participant": [f"p{k:02d}" for k in np.repeat(np.arange(people), each)]}),
    )
