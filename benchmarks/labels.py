"""How long the labels of a map take, and how much memory, at any number of objects.

    python benchmarks/labels.py [--repeats 5]

The named peer is numpy's comparison of every label with every point, which was how it was done;
of 50,000 points it would take 7 GB.
"""

from __future__ import annotations

import argparse
import statistics
import time
import tracemalloc

import numpy as np

from tripletscope.dashboard.figures.labels import _short, short_names
from tripletscope.dashboard.figures.placing import by_importance, place_labels

SIZE, ROOM = 12.0, [0.0, 0.0, 900.0, 620.0]


def labelled(points: np.ndarray, labels: list[str]) -> int:
    """Choose, shorten and place; tells how many labels are shown."""
    order = by_importance(points, range(len(points)), [len(points) // 2], font_size=SIZE)
    texts = short_names(labels, order)
    return len(place_labels(points, texts, font_size=SIZE, room=ROOM, radius=2.25))


def each_with_each(points: np.ndarray) -> None:
    """Whether a label above each point covers another point."""
    low, high = points - np.array([30, 0]), points + np.array([30, 12])
    covers = (low[:, None] < points[None]) & (high[:, None] > points[None])
    covers.all(axis=2).any(axis=1)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--repeats", type=int, default=5)
    repeats = parser.parse_args().repeats
    rng = np.random.default_rng(0)
    print("  objects  shown  first, s  again, s  peak, MB   peer, s")
    for n in (40, 300, 2_000, 8_000, 50_000, 200_000):
        points = np.clip(rng.normal([450, 310], [130, 90], (n, 2)), 5, [895, 615])
        labels = [f"stimulus number {k} of the first list" for k in range(n)]
        first, again, peer = [], [], []
        for _ in range(repeats):
            _short.cache_clear()
            for times in (first, again):
                begun = time.perf_counter()
                shown = labelled(points, labels)
                times.append(time.perf_counter() - begun)
            if n <= 8_000:
                begun = time.perf_counter()
                each_with_each(points)
                peer.append(time.perf_counter() - begun)
        tracemalloc.start()
        labelled(points, labels)
        peak = tracemalloc.get_traced_memory()[1] / 1e6
        tracemalloc.stop()
        other = f"{statistics.median(peer):9.3f}" if peer else f"{'':9}"
        print(
            f"{n:9,} {shown:6} {statistics.median(first):9.3f} {statistics.median(again):9.3f} "
            f"{peak:9.0f} {other}"
        )


if __name__ == "__main__":
    main()
