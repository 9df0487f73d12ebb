"""One word of an item, over the seeds."""

from __future__ import annotations

import pandas as pd
import pytest

from tripletscope.reproductions.item import (
    DOES_NOT_HOLD,
    HOLDS,
    HOLDS_WITH_THEIRS,
    Item,
    Observation,
)
from tripletscope.reproductions.verdict import (
    DEMONSTRATED,
    ILLUSTRATION,
    NOT_REPRODUCED,
    REPRODUCED,
    STATED,
    THEIR_SETTING,
    UNDECIDED,
    verdict,
)

YES, THEIRS, NO = (Observation(shows, "1", "So it is.") for shows in (
    HOLDS, HOLDS_WITH_THEIRS, DOES_NOT_HOLD
))


def item(**fields) -> Item:
    return Item(
        key="thesis-figure-1.1", title="A title", claim="A claim.", experiment=pd.DataFrame,
        check=lambda table: YES, **fields,
    )


@pytest.mark.parametrize(("observations", "word", "share"), [
    ([YES] * 5, REPRODUCED, "held at 5 of 5 seeds"),
    ([NO] * 5, NOT_REPRODUCED, "held at 0 of 5 seeds"),
    ([YES, YES, NO, NO, NO], UNDECIDED, "held at 2 of 5 seeds"),
    ([YES] * 4 + [NO], UNDECIDED, "held at 4 of 5 seeds"),
    ([THEIRS] * 5, THEIR_SETTING, "held at 0 of 5 seeds, with their setting only at 5"),
    ([YES] * 2 + [THEIRS] * 3, THEIR_SETTING,
     "held at 2 of 5 seeds, with their setting only at 3"),
    ([THEIRS] * 4 + [NO], UNDECIDED, "held at 0 of 5 seeds, with their setting only at 4"),
    ([YES] * 4, UNDECIDED, "held at 4 of 4 seeds"),
    ([], UNDECIDED, "no run"),
])
def test_a_word_is_over_five_seeds_of_one_mind(observations, word, share):
    known = verdict(item(), observations)
    assert (known.word, known.share) == (word, share)


def test_figures_and_reason_are_of_a_run_that_shows_what_the_word_says():
    failed = Observation(DOES_NOT_HOLD, "2", "It was not so.")
    known = verdict(item(), [YES, YES, failed, YES, YES])
    assert (known.word, known.ours) == (UNDECIDED, "2")
    assert known.why == "At seed 2000: It was not so."
    assert verdict(item(), [YES] * 5).why == "So it is."


def test_other_data_neither_reproduce_nor_refute():
    other = item(stand_in="eggs in place of foods")
    assert verdict(other, [YES] * 5).word == DEMONSTRATED
    assert verdict(other, [NO] * 5).word == UNDECIDED
    assert verdict(item(), [YES] * 4).word == UNDECIDED


def test_one_run_tells_where_nothing_is_random():
    assert verdict(item(exact=True), [YES]).word == REPRODUCED
    assert verdict(item(exact=True), [NO]).word == NOT_REPRODUCED


def test_what_no_broken_method_turns_is_an_illustration():
    assert verdict(item(illustration=True), [YES] * 5).word == ILLUSTRATION


def test_what_is_stated_says_why():
    stated = Item(key="thesis-figure-1.1", title="A title", claim="A claim.", stated="Assumed.")
    assert verdict(stated, []).word == STATED
    assert verdict(stated, []).why == "Assumed."
    with pytest.raises(ValueError, match="or be stated"):
        Item(key="thesis-figure-1.1", title="A title", claim="A claim.")
