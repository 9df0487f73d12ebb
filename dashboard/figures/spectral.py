"""Spectral colours of wavelengths."""

from __future__ import annotations

import re

import numpy as np

from tripletscope.dashboard.figures.theme import SEQUENTIAL

#: Names of columns that hold wavelengths, and visible light, in nanometres.
_WAVELENGTH = re.compile(r"wave.?length|lambda|λ|(?<![a-z])nm(?![a-z])", re.IGNORECASE)
_SEEN = 380.0, 780.0
_STEPS = 41  # of a scale of spectral colours


def colour_scale(name: str | None, values: np.ndarray) -> list[str]:
    """Colours in equal steps from the lowest value of a quantity to the highest.

    Spectral colours where the quantity is a wavelength by its name and its values.
    """
    finite = values[np.isfinite(values)]
    if not (name and _WAVELENGTH.search(name) and len(finite)):
        return SEQUENTIAL
    low, high = float(finite.min()), float(finite.max())
    if low < _SEEN[0] or high > _SEEN[1]:
        return SEQUENTIAL
    return ["rgb({}, {}, {})".format(*spectral_rgb(nm)) for nm in np.linspace(low, high, _STEPS)]


def spectral_rgb(nanometres: float) -> tuple[int, int, int]:
    """Colour of light of one wavelength, as near as a screen comes to it.

    Colour matching by the fits of Wyman, Sloan & Shirley (2013), then sRGB. White is added until a
    screen can show a colour; the ends of the spectrum are darkened less than in nature.
    """

    def lobe(height: float, centre: float, below: float, above: float) -> float:
        width = below if nanometres < centre else above
        return height * np.exp(-0.5 * ((nanometres - centre) * width) ** 2)

    xyz = np.array([
        lobe(1.056, 599.8, 0.0264, 0.0323) + lobe(0.362, 442.0, 0.0624, 0.0374)
        + lobe(-0.065, 501.1, 0.0490, 0.0382),
        lobe(0.821, 568.8, 0.0213, 0.0247) + lobe(0.286, 530.9, 0.0613, 0.0322),
        lobe(1.217, 437.0, 0.0845, 0.0278) + lobe(0.681, 459.0, 0.0385, 0.0725),
    ])
    linear = np.array([
        [3.2406, -1.5372, -0.4986], [-0.9689, 1.8758, 0.0415], [0.0557, -0.2040, 1.0570],
    ]) @ xyz
    linear -= min(linear.min(), 0.0)
    linear *= max(xyz[1], 0.0) ** 0.25 / linear.max()
    curved = np.where(linear <= 0.0031308, 12.92 * linear, 1.055 * linear ** (1 / 2.4) - 0.055)
    return tuple(round(255 * float(c)) for c in curved)
