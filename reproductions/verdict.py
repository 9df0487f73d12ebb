"""What can be said of an item: one word, over several seeds."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from tripletscope.reproductions.item import DOES_NOT_HOLD, HOLDS, Item, Observation

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
#: Fewest seeds of a verdict where anything is random.
SEEDS = 5


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
        Of the first run, see `Observation`; of what is stated, why it is.
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
        Of runs in full.

    Returns
    -------
    Conclusion

    Notes
    -----
    Silent on: fewer than five seeds of what is random, and data that are not the paper's
    (tests/reproductions/test_verdict.py::test_other_data_neither_reproduce_nor_refute).
    """
    if item.experiment is None:
        return Conclusion(STATED, "", "", item.stated)
    if not observations:
        return Conclusion(UNDECIDED, "no run", "", "It was not run for this version.")
    shown = [observation.shows for observation in observations]
    held = shown.count(HOLDS)
    told = f"held at {held} of {len(shown)} seeds" if not item.exact else (
        "held" if held else "did not hold"
    )
    return Conclusion(_word(item, shown), told, observations[0].ours, observations[0].why)


def _word(item: Item, shown: Sequence[str]) -> str:
    if item.illustration:
        return ILLUSTRATION
    kinds = set(shown)
    if len(shown) < (1 if item.exact else SEEDS) or (DOES_NOT_HOLD in kinds and len(kinds) > 1):
        return UNDECIDED
    if kinds == {HOLDS}:
        return DEMONSTRATED if item.stand_in else REPRODUCED
    if kinds == {DOES_NOT_HOLD}:
        return UNDECIDED if item.stand_in else NOT_REPRODUCED
    return THEIR_SETTING
