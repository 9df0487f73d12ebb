"""What can be said of an item: one word, over several seeds."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from tripletscope.core.engine.short_repr import short_repr
from tripletscope.reproductions.item import (
    DOES_NOT_HOLD,
    HOLDS,
    HOLDS_WITH_THEIRS,
    Item,
    Observation,
)

REPRODUCED = "reproduced"
DEMONSTRATED = "demonstrated"
THEIR_SETTING = "their setting only"
NOT_REPRODUCED = "not reproduced"
UNDECIDED = "undecided"
ILLUSTRATION = "illustration"
STATED = "stated"
#: The words, each with what it says.
WORDS = {
    REPRODUCED: "The rule held at every seed, on the paper's data or an exact construction.",
    DEMONSTRATED: "The rule held at every seed on other data, which the card names.",
    THEIR_SETTING: "It holds for the variant that the paper used, and not for another; both were "
    "measured.",
    NOT_REPRODUCED: "The rule held at no seed, on the paper's data or an exact construction.",
    UNDECIDED: "The rule held at some seeds and not at others, or failed on other data than the "
    "paper's.",
    ILLUSTRATION: "Drawn from what was computed; no broken method would change it, so that it "
    "proves nothing.",
    STATED: "Defined, assumed, or of data that are not to be had: there is nothing to measure.",
}
#: Seeds of a verdict where anything is random: far apart, since repetitions may count on.
SEEDS = (0, 1000, 2000, 3000, 4000)


@short_repr
@dataclass(frozen=True)
class Conclusion:
    """What is known of an item.

    Attributes
    ----------
    word : str
        One of `WORDS`.
    share : str
        At how many seeds the rule held; empty of what is stated.
    ours, why : str
        Of the first run that shows what the word says, see `Observation`; of what is stated, why
        it is.
    """

    word: str
    share: str
    ours: str
    why: str


def verdict(item: Item, observations: Sequence[Observation]) -> Conclusion:
    """The verdict of an item, of one observation a seed.

    Parameters
    ----------
    item : Item
    observations : sequence of Observation
        Of runs in full, at `SEEDS`.

    Returns
    -------
    Conclusion
    """
    if item.experiment is None:
        return Conclusion(STATED, "", "", item.stated)
    if not observations:
        return Conclusion(UNDECIDED, "no run", "", "It was not run for this version.")
    shown = [observation.shows for observation in observations]
    word = _word(item, shown)
    decides = shown.index(next(kind for kind in _DECIDES.get(word, _ANY) if kind in shown))
    known = observations[decides]
    at = f"At seed {SEEDS[decides]}: " if decides else ""
    return Conclusion(word, _share(item, shown), known.ours, f"{at}{known.why}")


#: What a run shows for which a word is given, if any does.
_ANY = (HOLDS, HOLDS_WITH_THEIRS, DOES_NOT_HOLD)
_DECIDES = {
    THEIR_SETTING: (HOLDS_WITH_THEIRS,),
    NOT_REPRODUCED: (DOES_NOT_HOLD,),
    UNDECIDED: (DOES_NOT_HOLD, HOLDS_WITH_THEIRS, HOLDS),
}


def _share(item: Item, shown: Sequence[str]) -> str:
    held, theirs = shown.count(HOLDS), shown.count(HOLDS_WITH_THEIRS)
    if item.exact:
        return "held" if held else "held with their setting only" if theirs else "did not hold"
    told = f"held at {held} of {len(shown)} seeds"
    return f"{told}, with their setting only at {theirs}" if theirs else told


def _word(item: Item, shown: Sequence[str]) -> str:
    if item.illustration:
        return ILLUSTRATION
    kinds = set(shown)
    too_few = len(shown) < (1 if item.exact else len(SEEDS))
    if too_few or (DOES_NOT_HOLD in kinds and len(kinds) > 1):
        return UNDECIDED
    if kinds == {HOLDS}:
        return DEMONSTRATED if item.stand_in else REPRODUCED
    if kinds == {DOES_NOT_HOLD}:
        return UNDECIDED if item.stand_in else NOT_REPRODUCED
    return THEIR_SETTING
