"""Ticks of logarithmic axes, and of counts."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import numpy as np

#: Most decades with ticks at 1, 2 and 5; below the second number, round steps.
_FEW, _NONE = 2.0, 0.7
_MOST = 7  # numbers on a long axis
_WIDE = 30  # whole numbers that reach further have whole ticks by themselves
_LEAST, _BESIDE = 1.02, 1.2  # how far beyond its values an axis reaches, at least and at most


def log_axis(*values: Any) -> dict[str, Any]:
    """Type and ticks of an axis for some positive values.

    Plotly labels ticks by their first digits alone: 2, 5, 100, 2, 5.
    """
    shown = _finite(values)
    shown = shown[shown > 0]
    if not len(shown):
        return {"type": "log"}
    low, high = float(shown.min()), float(shown.max())
    if low == high:
        return {
            "type": "log", "tickvals": [low], "ticktext": [_written(low)],
            "range": [float(np.log10(low / 2)), float(np.log10(low * 2))],
        }
    # Values that are close together have an axis that reaches hardly further.
    beside = min(max(high / low, _LEAST), _BESIDE)
    low, high = low / beside, high * beside
    ticks = _ticks(low, high)
    return {
        "type": "log", "tickvals": ticks.tolist(), "ticktext": [_written(tick) for tick in ticks],
    }


def whole_axis(*values: Any) -> dict[str, Any]:
    """Ticks, and a range if need be, of an axis for some quantities.

    Between few whole numbers plotly would write fractions.
    """
    shown = _finite(values)
    if not len(shown) or (shown % 1).any() or np.ptp(shown) > _WIDE:
        return {}
    if not np.ptp(shown):
        only = float(shown[0])
        return {"tickvals": [only], "range": [only - 1, only + 1]}
    return {"tick0": 0, "dtick": next(k for k in (1, 2, 5) if np.ptp(shown) <= k * _MOST)}


def _finite(values: Iterable[Any]) -> np.ndarray:
    shown = np.concatenate([np.ravel(np.asarray(part, dtype=float)) for part in ([], *values)])
    return shown[np.isfinite(shown)]


def _ticks(low: float, high: float) -> np.ndarray:
    decades = np.log10(high / low)
    powers = np.arange(np.floor(np.log10(low)), np.ceil(np.log10(high)) + 1)
    if decades < _NONE:
        step = 10.0 ** np.floor(np.log10((high - low) / _MOST))
        step *= next((k for k in (1, 2, 5) if (high - low) / (k * step) <= _MOST), 10)
        ticks = step * np.arange(np.ceil(low / step), np.floor(high / step) + 1)
    elif decades <= _FEW:
        ticks = (10.0 ** powers[:, None] * [1, 2, 5]).ravel()
    else:
        ticks = 10.0 ** powers[:: int(np.ceil(decades / _MOST))]
    return ticks[(ticks >= low) & (ticks <= high)]


def _written(tick: float) -> str:
    if 1e-4 <= tick < 1e6:
        return f"{float(f'{tick:.6g}'):,.10g}"
    digits, power = f"{tick:.2e}".split("e")
    return f"{float(digits):g}e{int(power)}"
