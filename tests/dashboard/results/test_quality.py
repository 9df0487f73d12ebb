"""What is said of the answers: their quality, whom to look at, and choices."""

from __future__ import annotations

from dataclasses import replace
from functools import partial

import numpy as np
import pandas as pd

from tests.core.inference.held_out.test_choice_accuracy import odd_ones
from tests.core.studies.quality.answers import people_data
from tests.core.studies.quality.test_verdict import crowd
from tripletscope.core.data.triplets import Triplets
from tripletscope.core.inference.held_out.ceiling import noise_ceiling
from tripletscope.core.inference.held_out.choice_accuracy import (
    choice_accuracies,
    observer_agreement,
)
from tripletscope.core.inference.held_out.share import Share
from tripletscope.core.studies.quality import Cleaning, Exclusion, participants, quality
from tripletscope.core.studies.quality.verdict import verdict
from tripletscope.dashboard.results import sentences
from tripletscope.dashboard.results.presentation import Advice, Drawing, Numbers, ShownResults
from tripletscope.dashboard.results.quality import (
    agreement_said,
    ceiling_said,
    of_choices,
    over_time_of,
    predicted_said,
    reasons_said,
    samplers_of,
)
from tripletscope.dashboard.results.registry import presented
from tripletscope.dashboard.words import words


def said(*results, answers, **further):
    return " ".join(sentences(*results, answers=answers, **further))


def of_kind(kind, *results, answers):
    shown = ShownResults((), answers, "X")
    return [part for part in presented(shown, *results) if isinstance(part, kind)]


def advised(*results, answers):
    return " ".join(part.text for part in of_kind(Advice, *results, answers=answers))


def test_the_report_in_words():
    triplets = people_data()
    report = quality(triplets, gold=triplets.rows[:1])
    text = said(report.coverage, report, answers=triplets)
    for part in (
        words.count(720, "answer"), "active (50.0", words.share(report.ceiling.upper.value),
        words.interval(report.checks.low, report.checks.high),
        words("sides of some", number=1, people=6, tested=6).replace("*", ""),
    ):
        assert part in text
    assert "p5" not in text, "people are named on the page alone"
    assert "p5" in advised(report, answers=triplets)
    (table,) = of_kind(Numbers, report, answers=triplets)
    assert table.table()["cases"].tolist()[-2:] == [report.checks.n, report.circular.n]


def test_what_is_unknown_is_not_said():
    parts = Triplets.from_array([[0, 1, 2], [3, 4, 5]])
    report = quality(parts)
    text = said(report.coverage, report, answers=parts)
    assert "noise ceiling cannot be estimated" in text
    assert "Side bias cannot be assessed" in advised(report, answers=parts)
    for word in ("circular", "consistency", "response time", "more than once"):
        assert word not in text
    assert "2 groups that no answer connects" in advised(report.coverage, answers=parts)


def test_a_few_of_many_with_a_side_bias_are_named():
    many = people_data(n_people=8)
    always = many.answers.assign(side=pd.Categorical(["left"] * len(many)))
    left = Triplets(many.rows, many.objects, always)
    assert advised(quality(left), answers=left).endswith(", and 3 more.")


def test_answers_per_object_are_drawn_where_they_differ_among_many():
    rows = [[0, k, k + 1] for k in range(1, 39)]
    many = Triplets.from_array(rows)
    (figure,) = of_kind(Drawing, quality(many).coverage, answers=many)
    assert figure.table()["answers"].tolist() == many.answers_per_object.tolist()
    few = Triplets.from_array(rows[:9])
    assert not of_kind(Drawing, quality(few).coverage, answers=few)


def test_samplers_and_changes_over_time_are_drawn():
    answers = people_data()
    report = quality(answers)
    shown = ShownResults((), answers, "X")
    figure, numbers = presented(
        shown, report, by=partial(over_time_of, name="median_time")
    )
    assert figure.figure().layout.xaxis.title.text == "part of each participant's answers"
    assert figure.figure().layout.yaxis.title.text == words("stretch median_time")
    assert words("in order of", parts=5, about=shown.about) == figure.caption
    assert numbers.table()["part"].tolist() == [1, 2, 3, 4, 5]
    figure, numbers = presented(shown, report, by=samplers_of)
    assert words.over("answers", None) in figure.caption
    assert {trace.name for trace in figure.figure().data} >= {words("sampler upper")}
    assert set(numbers.table()["sampler"]) == {"active", "random"}
    once = answers.take(np.unique(answers.questions, return_index=True)[1])
    said, _ = presented(shown, quality(once), by=samplers_of)
    assert said.text == words("no repeats by sampler")


def test_people_who_stand_out():
    answers = people_data()
    found = verdict(participants(answers))
    text = said(found, answers=answers)
    assert text.startswith(words("verdict look", number=1, people=6))
    assert words("measure failed") not in text, "of gold questions nothing is known"
    assert words("measure failed") in advised(found, answers=answers)
    why = reasons_said(found, "p5")
    assert "chooses left in " in why
    assert "0.4" in why


def test_a_verdict_says_what_it_is_about():
    answers = crowd(np.full(12, 0.8), 60, 0)
    people = participants(answers)
    assert said(verdict(people), answers=answers).startswith(
        "Nothing stands out among 12 participants. Checked: agreement with others and repeated "
    )
    unknown = people.drop(columns=["agrees", "consistent", "failed"]).assign(median_time=1.0)
    assert "; whether all guess is unknown." in said(verdict(unknown), answers=answers)
    alone = said(verdict(people.iloc[:1]), answers=answers)
    assert alone.startswith("One participant: there are no others to compare with. Checked: ")
    nobody = said(verdict(people.iloc[:0]), answers=answers)
    assert nobody == "The file names no participants: nobody can stand out."
    blind = said(verdict(people[["participant", "answers"]]), answers=answers)
    assert blind == "Nothing in the file tells careful from careless participants."


def test_a_methods_section_has_the_counts():
    cleaning = Cleaning(people_data()).excluding(
        Exclusion("fast_participants", reason="as preregistered")
    )
    report = quality(cleaning.triplets)
    text = said(
        cleaning, report.coverage, report, answers=cleaning.triplets,
        asked="More similar to the anchor?",
    )
    for part in (
        "720 trials from 6 participants", "12 objects", "More similar to the anchor.",
        "120 trials, 1 participant entirely (as preregistered)", "600 trials from 5 participants",
        "active (50.0%)", "median response time", "noise ceiling",
    ):
        assert part in text, part
    assert "[@" not in text
    whole = Cleaning(people_data())
    assert "No answers were excluded." in said(whole, answers=whole.raw)


# Ceilings and choices ---------------------------------------------------------------------------


def test_whom_a_ceiling_is_about():
    alone = Triplets([[0, 1, 2], [0, 1, 2], [1, 0, 2], [1, 2, 0]], pd.DataFrame({
        "id": list("abc")}), pd.DataFrame({"participant": ["ann", "ann", "bob", "bob"]}))
    assert "the participant's own other responses" in ceiling_said(noise_ceiling(alone))


def test_choices_are_told_with_chance_and_whom_they_are_about():
    given = odd_ones([[0, 1, 2], [0, 1, 3]], [0, 1])
    (found,) = choice_accuracies(given)
    assert not list(predicted_said(found)), "nothing was predicted"
    assert "the noise ceiling is unknown" in of_choices(found)
    known = replace(found, accuracy=Share.of(1, 2), is_of_the_learned=True)
    first, learned = predicted_said(known)
    assert first.startswith("Of 2 held-out trials (the odd one out of 3), a proportion of .500")
    assert "new people are predicted worse" in learned
    assert len(list(predicted_said(replace(known, is_of_the_learned=False)))) == 1
    ranking = replace(found, kind=replace(found.kind, name="ranking", steps=2))
    assert "rankings is not estimated" in of_choices(ranking)


def test_an_observer_is_told_of_beside_a_ceiling_that_is_known():
    people = Triplets.from_array([[0, 1, 2], [0, 2, 1], *([3, 4, k] for k in range(5, 40))])
    (found,) = observer_agreement(people, people)
    first, ceiling = agreement_said(found, "M")
    assert first.startswith("People answer like M in ")
    assert first.endswith("chance 50.0%.")
    assert ceiling.startswith("Answers to the same questions leave the bounds of the noise ceiling")
    half = replace(found, accuracy=Share.of(1, 2))
    assert "This cannot be told from guessing." in agreement_said(half, "M")


def test_the_fewest_answers_of_an_object_are_told():
    ring = Triplets.from_array([[k, (k + 1) % 9, (k + 2) % 9] for k in range(9)], 9)
    assert "Every object occurs in 3 answers." in said(quality(ring).coverage, answers=ring)
    more = Triplets.from_array([*ring.rows.tolist(), [0, 1, 2], [0, 1, 3]], 9)
    assert "(range 3 to 5)" in said(quality(more).coverage, answers=more)


def test_nobody_is_spoken_of_where_nobody_is_named():
    unnamed = Triplets.from_array([[0, 1, 2], [0, 1, 2], [0, 2, 1], [1, 0, 2], [1, 0, 2]], 3)
    text = said(quality(unnamed), answers=unnamed)
    assert "from unnamed people" in text
    assert not any(f"{who} participants" in text for who in ("different", "several"))
