"""Landmark designs: questions from which triplet kernels learn most."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from tripletscope.core.data.places import different
from tripletscope.core.data.triplets import Triplets


@dataclass(frozen=True)
class LandmarkDesign:
    """A landmark design that answers follow.

    kernel {"k1", "k2"}.
    landmarks (l,): Positions.
    n_asked, n_possible: Distinct questions of the design, with answers and in total.
    """

    kernel: str
    landmarks: np.ndarray
    n_asked: int
    n_possible: int


def choose_landmarks(n_objects: int, n_landmarks: int, rng: np.random.Generator) -> np.ndarray:
    """(l,) positions of random landmarks, ascending."""
    return np.sort(rng.choice(n_objects, n_landmarks, replace=False))


def landmark_questions(n_objects: int, landmarks: np.ndarray, kernel: str) -> np.ndarray:
    """(T, 3) anchor and two options of all questions of a landmark design, each once.

    For k1 every object is compared to all pairs of landmarks (l,). For k2 every landmark compares
    every other object to the other landmarks.

    Kleindessner & von Luxburg (2017), section 2.3.
    """
    landmarks, objects = np.unique(landmarks), np.arange(n_objects)
    if kernel == "k1":
        low, high = np.triu_indices(len(landmarks), 1)
        anchor = np.repeat(objects, len(low))
        first, second = np.tile(landmarks[low], n_objects), np.tile(landmarks[high], n_objects)
    elif kernel == "k2":
        grid = np.meshgrid(landmarks, objects, landmarks, indexing="ij")
        anchor, first, second = (part.ravel() for part in grid)
    else:
        raise ValueError(f"kernel is {kernel!r}; it must be 'k1' or 'k2'.")
    apart = (anchor != first) & (anchor != second) & (first != second)
    if kernel == "k2":  # two landmarks meet in both orders
        apart &= ~np.isin(first, landmarks) | (first < second)
    return np.column_stack([anchor, first, second])[apart]


def n_landmark_questions(n_objects: int, n_landmarks: int, kernel: str) -> int:
    m = n_landmarks
    among = m * (m - 1) * (m - 2) // 2  # questions about three landmarks
    return among + (n_objects - m) * m * (m - 1) // (2 if kernel == "k1" else 1)


def recognise(triplets: Triplets) -> list[LandmarkDesign]:
    """Landmark designs that contain all answers, with at most half of the objects."""
    designs = []
    n = int((triplets.answers_per_object > 0).sum())
    n_asked = len(different(triplets.questions))
    for kernel, landmarks in (
        ("k1", np.unique(triplets.rows[:, 1:])), ("k2", k2_landmarks(triplets))
    ):
        if landmarks is not None and 2 <= len(landmarks) <= n / 2:
            possible = n_landmark_questions(n, len(landmarks), kernel)
            designs.append(LandmarkDesign(kernel, landmarks, n_asked, possible))
    return designs


def k2_landmarks(triplets: Triplets) -> np.ndarray | None:
    """The anchors, if the options of each answer include one of them."""
    anchor, near, far = triplets.rows.T
    is_anchor = np.zeros(triplets.n_objects, dtype=bool)
    is_anchor[anchor] = True
    return np.flatnonzero(is_anchor) if np.all(is_anchor[near] | is_anchor[far]) else None
