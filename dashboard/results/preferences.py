"""Scales of paired preferences."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from tripletscope.core.ratings import PreferenceScale
from tripletscope.core.ratings.preferences import MODELS
from tripletscope.dashboard.figures.preferences import preference_dots
from tripletscope.dashboard.results.drawing import Drawing
from tripletscope.dashboard.results.shown import (
    Advice,
    Element,
    ShownResults,
    Statement,
    presents,
)
from tripletscope.dashboard.wording import Words

_FLAT = 0.42


@dataclass(frozen=True)
class ScaledPreferences:
    """A scale, its file, and notes on reading it."""

    scale: PreferenceScale
    file: str
    notes: list[str]


@presents(ScaledPreferences)
def preferences_of(shown: ShownResults, result: ScaledPreferences) -> Iterator[Element]:
    words, scale = shown.words, result.scale
    if scale.degrees:
        yield Statement(one_scale_said(words, scale))
    people = scale.unit == "participants"
    text = words(
        "preferences of", model=MODELS[scale.model], objects=len(scale.ids), file=result.file,
        number=int(scale.wins.sum() + scale.ties.sum() / 2), level=scale.level,
        over=words("over participants", people=scale.n_participants) if people
        else words("over comparisons"),
    )
    yield Drawing(
        "preference-scale", words("title preferences"), text, words("alt rows"), _FLAT,
        lambda canvas: preference_dots(scale.table, caption=text, canvas=canvas),
        lambda: scale.table, saved_as=f"{result.file}-preferences",
    )
    yield from map(Advice, [*result.notes, *scale.notes])


def one_scale_said(words: Words, scale: PreferenceScale) -> str:
    """Whether one scale holds for preferences; see `PreferenceScale.denies_one_scale`."""
    key = "one scale denied" if scale.denies_one_scale else "one scale holds"
    return words(key, deviance=f"{scale.deviance:.1f}", degrees=scale.degrees, p=scale.p_value)
