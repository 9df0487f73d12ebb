"""What the page Scale says of lapses."""

from __future__ import annotations

import numpy as np

from tripletscope.core.scale import MLDS, ScaleDiagnostics
from tripletscope.dashboard.figures.labels import short_people
from tripletscope.dashboard.interface import panels

_NAMED = 6  # observers in a sentence


def rates_in_words(fitted: MLDS) -> list[str]:
    """Lapse rates and preferences of a fitted scale, with their intervals."""
    found = []
    if fitted.lapses != "none":
        names = _named(fitted.observers_)
        order = np.argsort(-fitted.lapse_)[:_NAMED]
        rates = [
            f"{names[k]}{fitted.lapse_[k]:.1%} [{fitted.lapse_low_[k]:.1%}, "
            f"{fitted.lapse_high_[k]:.1%}]" for k in order
        ]
        rest = len(names) - len(order)
        more = f", and {rest:,} more with lower rates" if rest else ""
        found.append(panels.plain(
            f"answers like guesses in {', '.join(rates)}{more} of the trials (95 % intervals)."
        ))
    if fitted.order:
        names = _named(fitted.observers_)
        reach = 1.96 * fitted.preference_errors_
        sides = [
            f"{name}{value:+.2f} [{value - half:+.2f}, {value + half:+.2f}]"
            for name, value, half in zip(names, fitted.preference_, reach, strict=True)
        ][:_NAMED]
        found.append(panels.plain(
            f"preference for the second interval, in units of the noise: {', '.join(sides)}."
        ))
    return found


def _named(observers: np.ndarray) -> list[str]:
    """Names that go before a number; none where all share it."""
    short = short_people([name for name in observers.tolist() if name])
    return [f"{short[name]} " if name else "" for name in observers.tolist()]


def about_lapses(fitted: MLDS, found: ScaleDiagnostics) -> list[str]:
    """Whether lapses are needed, or what they are."""
    if fitted.lapses != "none":
        return [f"**Lapses**: {said}" for said in rates_in_words(fitted)]
    if found.lapse_p is None:  # computed before this was asked
        return []
    p = panels.plain(
        f"p = {found.lapse_p:.3f}" if found.lapse_p >= 0.001 else "p < 0.001"
    )
    if not found.advises_lapses:
        return [f"**Lapses**: no sign of guesses that the scale does not explain ({p})."]
    rate, change = panels.plain(f"{found.lapse:.1%}"), panels.plain(f"{found.lapse_aic:+.1f}")
    return [
        f"**Lapses**: a rate of {rate} makes the answers clearly more probable ({p}; AIC changes "
        f"by {change}). Guesses flatten the scale and pass for noise; observers of different "
        "precision can look like them. Estimate lapses with the scale, and compare."
    ]
