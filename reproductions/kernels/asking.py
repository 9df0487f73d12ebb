"""Answers that distances give, and those of a landmark design."""

from __future__ import annotations

import numpy as np

from tripletscope.core.data.landmarks import choose_landmarks, landmark_questions
from tripletscope.core.data.triplets import Triplets
from tripletscope.core.models.simulation.simulate import random_questions


def answered(
    distances: np.ndarray, questions: np.ndarray, wrong: float, rng: np.random.Generator
) -> Triplets:
    """What distances say to questions.

    Shapes: questions (T, 3).
    distances (n, n): Of two equal ones a coin decides which is smaller.
    wrong: Probability that an answer is turned round, whatever the question.
    """
    anchor, first, second = questions.T
    apart = distances[anchor, first] - distances[anchor, second]
    turned = np.where(apart == 0, rng.random(len(apart)) < 0.5, apart > 0)
    turned ^= rng.random(len(apart)) < wrong
    rows = questions.astype(np.int32)
    rows[turned, 1:] = rows[turned, :0:-1]
    return Triplets.from_array(rows, len(distances))


def all_questions(n_objects: int) -> np.ndarray:
    """(n (n - 1) (n - 2) / 2, 3) every comparison once."""
    return landmark_questions(n_objects, np.arange(n_objects), "k1")


def asked(
    design: str, n_objects: int, n_landmarks: int, n_answers: int, rng: np.random.Generator
) -> np.ndarray:
    """Questions of an experiment with landmarks.

    design {"k1", "k2", "random"}: A landmark design, of which questions are drawn without
        replacement, all if there are no more; or random questions, drawn with replacement.

    References
    ----------
    Kleindessner & von Luxburg (2017), sections 2.3 and 4.2.
    """
    if design == "random":
        return random_questions(n_objects, n_answers, rng)
    landmarks = choose_landmarks(n_objects, n_landmarks, rng)
    questions = landmark_questions(n_objects, landmarks, design)
    if len(questions) <= n_answers:
        return questions
    return questions[rng.choice(len(questions), n_answers, replace=False)]
