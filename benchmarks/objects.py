"""Vectors with classes, for the benchmarks of trees."""

from __future__ import annotations

import gzip
from pathlib import Path

import numpy as np
from sklearn.datasets import load_digits


def mnist(folder: Path | None) -> tuple[np.ndarray, np.ndarray] | None:
    """The 10,000 test images of MNIST (bytes, 784) and their digits, if `folder` holds them."""
    path = folder / "mnist10k" if folder else None
    if path is None or not path.exists():
        print("MNIST is left out: give the folder that holds mnist10k by --data.")
        return None
    images = _idx(path / "t10k-images-idx3-ubyte.gz", 16).reshape(-1, 784)
    return images, _idx(path / "t10k-labels-idx1-ubyte.gz", 8).astype(int)


def _idx(path: Path, header: int) -> np.ndarray:
    return np.frombuffer(gzip.decompress(path.read_bytes()), np.uint8, offset=header).copy()


def images(n: int, seed: int = 0) -> tuple[np.ndarray, np.ndarray]:
    """(n, 784) bytes: digits of scikit-learn enlarged, with noise. For times only: they repeat."""
    rng = np.random.default_rng(seed)
    digits, classes = load_digits(return_X_y=True)
    enlarged = np.kron(digits.reshape(-1, 8, 8), np.ones((4, 4)))[:, 2:30, 2:30].reshape(-1, 784)
    chosen = rng.integers(len(digits), size=n)
    noisy = np.empty((n, 784), dtype=np.uint8)
    for part in np.array_split(np.arange(n), max(n // 5000, 1)):
        bright = 15 * enlarged[chosen[part]] + rng.normal(0, 20, (len(part), 784))
        noisy[part] = np.clip(bright, 0, 255)
    return noisy, classes[chosen]
