"""An id of a participant has one spelling, which files and data sets keep."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

import tripletscope as ts
from tests.core.studies.experiment.made import experiment_of
from tripletscope.core.data.cells import MISSING
from tripletscope.core.data.errors import DataError
from tripletscope.core.studies.experiment.participant import normal_id, participant_id, shown_id
from tripletscope.core.studies.experiment.results import (
    AnswerRecord,
    answers_table,
    checks_answered,
    gathered_answers,
)

#: Of each pair, what is given and the id it is.
SPELLINGS = [
    ("carol", "carol"), ("carol ", "carol"), (" carol", "carol"), ("carol\u00a0", "carol"),
    ("ca\u200brol", "carol"), ("\ufeffcarol", "carol"), ("car\u00adol", "carol"),
    ("carol\u2060\u200e", "carol"), ("\uff43\uff41\uff52\uff4f\uff4c", "carol"),
    ("carol\ufe0f", "carol"), ("carol\u034f", "carol"), ("carol\u3164", "carol"),
    ("ann\u2003\tlee", "ann lee"), ("jose\u0301", "jos\u00e9"), ("jose\u200b\u0301", "jos\u00e9"),
    ("\u2460", "1"), ("Carol", "Carol"), ("person 1", "person 1"), ("007", "007"),
    ("=1+1", "=1+1"), ("a" * 200, "a" * 200), ("a" * 200 + " ", "a" * 200),
    ("participant none", "participant none"), ("say \"no\"", "say \"no\""),
]
#: What is refused.
REFUSED = [
    "", " ", "\u200b", "\u3164", "a" * 201, "\ufdfa" * 20, "a\x00b", "a\x7f", "\x85\x9f", "\ue000",
    "\U000e0000x", "\ud800", *sorted(MISSING), "None", "NAN", "N/A ", "none\u200b", "\uff4e\uff41",
    '"carol"', '""', "7.0", "+7.00", "anonymous 1",
    "Anonymous 12 ", "anonymous\u00a01", "anonymous 01",
]


@pytest.mark.parametrize(("given", "found"), SPELLINGS)
def test_an_id_has_one_spelling(given, found):
    assert participant_id(given) == found


@pytest.mark.parametrize("given", REFUSED)
def test_what_a_data_set_would_change_is_refused_without_being_repeated(given):
    with pytest.raises(DataError) as caught:
        participant_id(given)
    assert not given.strip() or given not in str(caught.value).replace("“anonymous”", "")


@given(st.text(max_size=30))
def test_the_spelling_is_kept_by_files_and_data_sets(given):
    try:
        found = participant_id(given)
    except DataError:
        return
    assert participant_id(found) == normal_id(found) == shown_id(found) == found
    experiment = experiment_of()
    records = [AnswerRecord(found, "q1", 0, "triplet", ("o1", "o2", "o3"), (0,))]
    read = ts.read(answers_table(experiment, records).to_csv(index=False).encode(), name="A")
    assert read.answers["participant"].tolist() == [found]


@pytest.mark.parametrize("other", ["carol ", "carol\u00a0", '"carol"'])
def test_two_participants_never_become_one(other):
    experiment = experiment_of()
    records = [
        AnswerRecord(who, "q1", 0, "triplet", ("o1", "o2", "o1"), (1,), "catch", correct=(1,))
        for who in ("carol", other)
    ]
    for make in (
        lambda: answers_table(experiment, records), lambda: checks_answered(records),
        lambda: gathered_answers(experiment, [
            AnswerRecord(who, "q1", 0, "triplet", ("o1", "o2", "o3"), (1,))
            for who in ("carol", other)
        ]),
    ):
        with pytest.raises(DataError, match="would both be called 'carol'"):
            make()
