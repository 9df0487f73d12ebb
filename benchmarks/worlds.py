"""Odd-one-out answers in worlds that no method of the program was made for."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
import pandas as pd

from tripletscope.core.data.geometry import distances
from tripletscope.core.data.triplets import Triplets
from tripletscope.core.models.simulation.simulate import personal_maps, random_questions

OBJECTS, PEOPLE, TRIALS = 24, 27, 120


@dataclass(frozen=True)
class World:
    """How people answer which is the odd one out.

    noise: Gaussian and Student are on distances; logistic and Cauchy are responses to squared ones.
    level: Standard deviation, or the unit of a response.
    layout: Where the objects lie.
    spread: How far people's maps are from that of the group, as a share of its size.
    """

    noise: str
    level: float
    layout: str
    spread: float = 0.0

    @property
    def name(self) -> str:
        differ = f", people differ by {self.spread:g}" if self.spread else ""
        return f"{self.noise}, {self.layout}{differ}"

    def truth(self, seed: int) -> np.ndarray:
        """(n, 2) positions."""
        rng = np.random.default_rng([seed, 0])
        if self.layout == "normal":
            return rng.normal(size=(OBJECTS, 2))
        if self.layout == "uniform":
            return rng.uniform(-1.7, 1.7, size=(OBJECTS, 2))
        if self.layout == "ring":
            angle = 2 * np.pi * np.arange(OBJECTS) / OBJECTS
            return 1.5 * np.column_stack([np.cos(angle), np.sin(angle)])
        centres = np.array([[-1.5, -1.0], [1.5, -1.0], [-1.0, 1.5], [1.3, 1.2]])
        return centres[np.arange(OBJECTS) % 4] + 0.35 * rng.normal(size=(OBJECTS, 2))

    def answers(self, seed: int, people: int = PEOPLE, trials: int = TRIALS) -> Triplets:
        """Each trial as its two comparisons, with ``participant`` and ``trial``."""
        rng = np.random.default_rng([seed, 1])
        positions = self.truth(seed)
        rows = []
        for own in personal_maps(positions, people, self.spread, rng):
            shown = random_questions(OBJECTS, trials, rng)
            odd = 2 - self._pairs(distances(own), shown, rng)  # pairs: 01, 02, 12
            odd_one = shown[np.arange(trials), odd]
            left = np.sort(np.where(np.arange(3) == odd[:, None], -1, shown), axis=1)[:, 1:]
            for anchor, near in ((0, 1), (1, 0)):
                rows.append(np.column_stack([left[:, anchor], left[:, near], odd_one]))
        trial = np.concatenate([
            np.tile(np.arange(trials) + person * trials, 2) for person in range(people)
        ])
        who = [f"p{number // trials}" for number in trial]
        return Triplets(
            np.concatenate(rows), pd.DataFrame({"id": [f"o{k:02d}" for k in range(OBJECTS)]}),
            pd.DataFrame({"participant": who, "trial": trial}), self.name,
        )

    def _pairs(
        self, apart: np.ndarray, shown: np.ndarray, rng: np.random.Generator
    ) -> np.ndarray:
        """(T,) which pair of each trial is kept together."""
        d = np.stack([apart[shown[:, i], shown[:, j]] for i, j in ((0, 1), (0, 2), (1, 2))], axis=1)
        if self.noise == "Gaussian":
            return np.argmin(d + self.level * rng.normal(size=d.shape), axis=1)
        if self.noise == "Student":
            return np.argmin(d + self.level * rng.standard_t(2.5, size=d.shape), axis=1)
        likely = -(d**2) / self.level if self.noise == "logistic" else -np.log(self.level + d**2)
        return np.argmax(likely + rng.gumbel(size=d.shape), axis=1)


WORLDS = (
    World("Gaussian", 0.5, "normal"), World("logistic", 1.0, "normal"),
    World("Student", 0.35, "normal"), World("Gaussian", 0.4, "clusters"),
    World("logistic", 0.8, "clusters"), World("Student", 0.3, "uniform"),
)
#: In which a heavy tail is right, or people differ.
OTHERS = (
    World("Cauchy", 0.1, "normal"), World("Cauchy", 0.1, "clusters"),
    World("Gaussian", 0.2, "ring"), World("Gaussian", 0.5, "normal", 0.4),
    World("logistic", 0.8, "clusters", 0.4),
)


def worlds(sets: int, *, others: bool = True) -> Iterator[tuple[World, int]]:
    """Each world with so many seeds."""
    for world in (*WORLDS, *(OTHERS if others else ())):
        for seed in range(sets):
            yield world, seed
