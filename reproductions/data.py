"""Data sets of the papers: those at hand, and those that a reader brings."""

from __future__ import annotations

import gzip
import json
import os
from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
from sklearn import datasets

from tripletscope.core.data.errors import DataError

#: Environment variable that names the folder of data sets which may not be shipped.
FOLDER = "TRIPLETSCOPE_DATA"
#: What is in that folder: its file, and where it comes from.
BROUGHT = {
    "mnist": ("mnist10k/t10k-images-idx3-ubyte.gz", "MNIST's 10,000 test images, as IDX files"),
    "chess": ("chess/kkr.csv.gz", "King and rook against king, from UCI"),
    "boston": ("regression/boston.csv", "Boston's housing prices"),
    "white_wine": ("regression/white_wine.csv", "White wine quality, from UCI"),
    "forest_fires": ("regression/forestfire.csv", "Forest fires, from UCI"),
    "mutag": ("graphs/mutag.jsonl.gz", "MUTAG's 188 graphs"),
    "enzymes": ("graphs/enzymes.jsonl.gz", "ENZYMES' 600 graphs"),
    "nci1": ("graphs/nci1.jsonl.gz", "NCI1's 4,110 graphs"),
    "nci109": ("graphs/nci109.jsonl.gz", "NCI109's 4,127 graphs"),
    "music": ("music/triplets.csv", "MusicSeer's answers about 412 musicians"),
    "musicians": ("music/objects.csv", "Names and genres of MusicSeer's musicians"),
    "mlds": ("mlds/kk1.csv", "Difference-scaling data of R's package MLDS"),
}


@dataclass(frozen=True)
class LabelledVectors:
    """Objects with features, and what is known of them.

    Shapes: points (n, f).
    target (n,): Classes as integers, or responses.
    """

    name: str
    points: np.ndarray
    target: np.ndarray

    def of_classes(self, classes: Sequence[int]) -> LabelledVectors:
        """Only objects of some classes."""
        kept = np.isin(self.target, classes)
        return LabelledVectors(self.name, self.points[kept], self.target[kept])

    def some(self, most: int, rng: np.random.Generator) -> LabelledVectors:
        """At most so many of the objects, drawn at random, in their order."""
        if len(self.points) <= most:
            return self
        kept = np.sort(rng.choice(len(self.points), most, replace=False))
        return LabelledVectors(self.name, self.points[kept], self.target[kept])


@dataclass(frozen=True)
class Graph:
    """An undirected graph with labels.

    node_labels: Of every node.
    edges (m, 2): Every edge once, as positions of nodes.
    label: Class of the graph.
    """

    node_labels: tuple
    edges: np.ndarray
    label: Any


def is_here(name: str) -> bool:
    """Whether a data set can be read."""
    folder = os.environ.get(FOLDER)
    return name not in BROUGHT or (bool(folder) and (Path(folder) / BROUGHT[name][0]).exists())


def brought(name: str) -> Path:
    """File of a data set of `BROUGHT`."""
    place, words = BROUGHT[name]
    if not is_here(name):
        raise DataError(
            f"{words} are not on this machine", file=place,
            remedy=f"Put them there, in the folder that the environment variable {FOLDER} names.",
        )
    return Path(os.environ[FOLDER]) / place


@lru_cache(maxsize=4)
def vectors(name: str) -> LabelledVectors:
    """Objects with features, by the name of the data set.

    name: "digits", "cancer", "wine", "iris" or "diabetes" (a response), which come with
        scikit-learn; or "mnist", "chess", "boston", "white_wine" or "forest_fires" of `BROUGHT`.
    """
    at_hand = {
        "digits": datasets.load_digits, "cancer": datasets.load_breast_cancer,
        "wine": datasets.load_wine, "iris": datasets.load_iris,
        "diabetes": datasets.load_diabetes,
    }
    if name in at_hand:
        points, target = at_hand[name](return_X_y=True)
        return LabelledVectors(name, points.astype(float), target)
    path = brought(name)
    if name == "mnist":
        with gzip.open(path) as file:
            points = np.frombuffer(file.read(), np.uint8, offset=16).reshape(-1, 784)
        with gzip.open(path.with_name("t10k-labels-idx1-ubyte.gz")) as file:
            target = np.frombuffer(file.read(), np.uint8, offset=8).astype(int)
        return LabelledVectors(name, points, target)
    table = pd.read_csv(path)
    if "target" in table:
        target = table.pop("target").to_numpy()
        return LabelledVectors(name, table.to_numpy(float), target)
    return LabelledVectors(name, table.iloc[:, :6].to_numpy(float), np.zeros(len(table), int))


@lru_cache(maxsize=2)
def graphs(name: str) -> list[Graph]:
    """Graphs of `BROUGHT`: "mutag", "enzymes", "nci1" or "nci109"; each has its class as label."""
    with gzip.open(brought(name), "rt", encoding="utf-8") as file:
        records = [json.loads(line) for line in file]
    return [
        Graph(
            tuple(record["node_labels"]),
            np.unique(np.sort(np.reshape(record["edges"], (-1, 2)), axis=1), axis=0).astype(int),
            record["label"],
        )
        for record in records
    ]
