"""Crowds whose weights, groups and conditions are known."""

from __future__ import annotations

import numpy as np
import pandas as pd

from tripletscope.core.data.triplets import Triplets, numbered_objects


def answers_of(
    positions: np.ndarray, weights: np.ndarray, each: int, rng: np.random.Generator
) -> Triplets:
    """Answers of one person for every row of the weights, by STE's response model."""
    who = np.repeat(np.arange(len(weights)), each)
    asked = rng.random((len(who), len(positions))).argsort(axis=1)[:, :3]
    first, second = (
        np.sum(weights[who] * (positions[asked[:, 0]] - positions[asked[:, k]]) ** 2, axis=1)
        for k in (1, 2)
    )
    near = rng.random(len(who)) < 1 / (1 + np.exp(first - second))
    rows = np.where(near[:, None], asked, asked[:, [0, 2, 1]])
    people = pd.DataFrame({"participant": [f"p{k:03d}" for k in who]})
    return Triplets(rows, numbered_objects(len(positions)), people, "planted")


def weighing(
    people: int = 40, each: int = 150, attention: float = 0.7, consistency: float = 0.3,
    seed: int = 0, n: int = 20, d: int = 2,
) -> tuple[Triplets, np.ndarray, np.ndarray]:
    """Answers, true positions and true weights, whose mean over people is 1."""
    rng = np.random.default_rng(seed)
    positions = 1.3 * rng.normal(size=(n, d))
    shared = np.full((d, d), 1 / d)
    spread = consistency * shared + attention * (np.eye(d) - shared)
    weights = np.exp(rng.normal(size=(people, d)) @ spread)
    mean = weights.mean(axis=0)
    weights, positions = weights / mean, positions * np.sqrt(mean)
    return answers_of(positions, weights, each, rng), positions, weights


def guessing(people: int = 12, guessers: int = 3, each: int = 80, seed: int = 0) -> Triplets:
    """Answers of people who are alike, but for the first ones, who guess."""
    rng = np.random.default_rng(seed)
    weights = np.ones((people, 2))
    weights[:guessers] = 0.0
    return answers_of(1.3 * rng.normal(size=(12, 2)), weights, each, rng)


def own_directions(
    people: int = 16, each: int = 100, spread: float = 0.5, seed: int = 0
) -> Triplets:
    """Answers of people who each stretch a plane along a direction of their own."""
    rng = np.random.default_rng(seed)
    positions = 1.3 * rng.normal(size=(15, 2))
    turn, parts = rng.uniform(0.0, np.pi, people), []
    for angle, size in zip(turn, np.exp(spread * rng.normal(size=people)), strict=True):
        axes = np.array([[np.cos(angle), -np.sin(angle)], [np.sin(angle), np.cos(angle)]])
        seen = positions @ axes * [size, 1.0 / size]
        parts.append(answers_of(seen, np.ones((1, 2)), each, rng).rows)
    who = pd.DataFrame({"participant": np.repeat([f"p{k:03d}" for k in range(people)], each)})
    return Triplets(np.concatenate(parts), numbered_objects(15), who, "planted")
