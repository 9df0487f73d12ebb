"""All that can be said of the answers without fitting anything, and in a methods section."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
import pandas as pd

from tripletscope import __version__
from tripletscope.core.data.columns import codes_of, one_per_trial
from tripletscope.core.data.triplets import Judgements
from tripletscope.core.inference.evaluation.ceiling import Ceiling, noise_ceiling
from tripletscope.core.inference.evaluation.choosing import ChoiceAccuracy, choice_accuracies
from tripletscope.core.inference.evaluation.share import Share
from tripletscope.core.inference.evaluation.units import ENOUGH, over_units
from tripletscope.core.io.names import counted
from tripletscope.core.studies.quality.consistency import Coverage, Repeats, coverage, repeats
from tripletscope.core.studies.quality.exclusion import WEIGHTS, Cleaning, Exclusion
from tripletscope.core.studies.quality.people import participants
from tripletscope.core.studies.quality.tables import objects, over_time, samplers

#: Participants that a sentence names at most.
_NAMED = 5


@dataclass(frozen=True)
class Finding:
    """A sentence of the report.

    Attributes
    ----------
    text : str
    participants : tuple of str
        Whom it is about, where it is about some of them.
    """

    text: str
    participants: tuple[str, ...] = ()


@dataclass(frozen=True, eq=False)
class QualityReport:
    """What answers are worth. See the functions of the same names.

    Attributes
    ----------
    repeats : Repeats
    ceiling : Ceiling
    coverage : Coverage
    participants, objects, samplers, over_time : DataFrame
    checks : Share
        Of catch and gold questions that were answered wrong.
    circular : Share
        Of triples of options that go round in a circle; unknown of comparisons of pairs.
    sides : Finding
        Whether a preference for a side can be seen, and whose.
    choices : list of ChoiceAccuracy
        Chance and noise ceiling of every kind of choice among more than two.
    """

    repeats: Repeats
    ceiling: Ceiling
    coverage: Coverage
    participants: pd.DataFrame
    objects: pd.DataFrame
    samplers: pd.DataFrame
    over_time: pd.DataFrame
    checks: Share
    circular: Share
    sides: Finding
    choices: list[ChoiceAccuracy]

    def summary(self) -> list[str]:
        """The report as sentences."""
        return [finding.text for finding in self.findings()]

    def findings(self) -> list[Finding]:
        """The sentences of the report, with the participants that they are about."""
        pairs, cover = self.repeats, self.coverage
        lines = [
            f"{cover.answers:,} answers to {pairs.questions:,} different questions, of "
            f"{cover.possible:,} possible; {pairs.repeated:,} were asked more than once, and "
            f"{pairs.contradicted:,} of these received contradictory answers.",
        ]
        if pairs.within.n:
            lines.append(
                "Intra-observer consistency: participants repeat their own answer in "
                f"{pairs.within} of repeats."
            )
        if pairs.between.n:
            lines.append(
                "Inter-observer agreement: different participants give the same answer in "
                f"{pairs.between} of repeats."
            )
        lines.append(self.ceiling.sentence)
        lines += [choice.sentence for choice in self.choices]
        if self.checks.n:
            lines.append(
                f"{self.checks} of {self.checks.n:,} catch and gold questions were answered "
                "wrongly."
            )
        if self.circular.n:
            lines.append(
                f"{self.circular.value:.1%} of {self.circular.n:,} complete "
                f"triad{'s' * (self.circular.n != 1)} of options are circular; with guessing it "
                "would be 25%."
            )
        lines.append(self.sides.text)
        if cover.needed and not cover.dimensions:
            lines.append(
                "By the rule of thumb, a map in one dimension takes at least n ln n = "
                f"{cover.needed[1]:,.0f} answers: there are too few."
            )
        if cover.components > 1:
            lines.append(
                f"The objects fall into {cover.components} groups that no answer connects: their "
                "relative positions are undetermined."
            )
        return [self.sides if line == self.sides.text else Finding(line) for line in lines]


def quality(
    triplets: Judgements, *, catch_trials: pd.DataFrame | None = None, gold: Any = None,
    wrong: np.ndarray | None = None,
) -> QualityReport:
    """All that can be said of the answers without fitting anything.

    Parameters
    ----------
    triplets : Triplets or Quadruples
    catch_trials : DataFrame, optional
        As `tripletscope.core.io.Imported.catch_trials`.
    gold : Triplets or array-like, shape (G, 3), optional
        Right answers to some questions, see `gold_mistakes` and `obvious`.
    wrong : ndarray, shape (T,), optional
        How wrongly each answer was predicted by a map that had not seen it.

    Examples
    --------
    >>> import tripletscope as ts
    >>> answers = ts.read("sample_data/ekman_colors/answers.csv")
    >>> report = ts.quality(answers)
    >>> print(report.summary()[4])
    0.4% of 563 complete triads of options are circular; with guessing it would be 25%.
    """
    people = participants(triplets, catch_trials=catch_trials, gold=gold)
    things = objects(triplets)
    n_checks = people["checks"].to_numpy(dtype=float)
    failed = np.nan_to_num(people["failed"].to_numpy(dtype=float)) * n_checks
    checks = Share.of(failed.sum(), n_checks.sum())
    if np.count_nonzero(n_checks) >= ENOUGH:
        checks = Share.over_people(failed, n_checks)
    circular = Share.of(0, 0)
    if "circular" in things:
        circular = Share.of(things["circular"].sum(), things["triples"].sum())
    return QualityReport(
        repeats(triplets), noise_ceiling(triplets), coverage(triplets), people, things,
        samplers(triplets), over_time(triplets, wrong), checks, circular,
        _side_bias(people, "participant" in triplets.answers), choice_accuracies(triplets),
    )


def _side_bias(people: pd.DataFrame, named: bool) -> Finding:
    """Who prefers a side, of participants who are known or taken together.

    Silent on: people without a side
    (tests/core/studies/quality/test_quality.py::test_honest_crowds_have_no_side).
    """
    if "favourite_share" not in people:
        return Finding(
            "The file does not say on which side the options were shown, or was sorted by the "
            "answer: side bias cannot be assessed."
        )
    # Of a hundred people without a preference one would have p < 0.01 by itself (Bonferroni).
    tested = int(people["bias_p"].notna().sum())
    biased = people[people["bias_p"] * max(tested, 1) < 0.01]
    if not named:
        return Finding(
            "Over all participants there is a side bias (p < 0.01)." if len(biased)
            else "Over all participants there is no significant side bias (p < 0.01)."
        )
    who = tuple(biased.sort_values("bias_p", kind="stable")["participant"].astype(str))
    text = (
        f"{len(who):,} of {len(people):,} participants {'has' if len(who) == 1 else 'have'} a "
        f"side bias (p < 0.01{f', corrected for {tested:,} tests' if tested > 1 else ''})"
    )
    if who:
        further = f" and {len(who) - _NAMED:,} more" if len(who) > _NAMED else ""
        text += f": {', '.join(who[:_NAMED])}{further}"
    return Finding(f"{text}.", who)


# The paragraph of a methods section -------------------------------------------------------------


def methods_paragraph(cleaning: Cleaning, asked: str = "") -> str:
    """All counts that a methods section needs, as one paragraph.

    cleaning: The imported answers and what was left out of them.
    asked: What was asked, such as the title of a `tripletscope.core.io.Task`.
    """
    raw, kept = cleaning.raw, cleaning.triplets
    task = f" (task: {asked[:1].lower()}{asked[1:]})" if asked else ""
    lines = [f"We collected {_size(raw)} on {counted(raw.n_objects, 'object')}{task}."]
    catch = cleaning.catch_trials
    if catch is not None and len(catch):
        lines.append(
            f"On a further {counted(len(catch), 'catch trial')} the anchor was among the options; "
            f"{catch['correct'].mean():.1%} were answered correctly."
        )
    if cleaning.exclusions:
        used = int((kept.answers_per_object > 0).sum())
        lines.append(
            f"We applied these exclusions, in this order: {'; '.join(_steps(cleaning))}. This left "
            f"{_size(kept)} on {counted(used, 'object')}."
        )
    else:
        lines.append("No answers were excluded.")
    lines += _trials(kept) + _consistency(kept)
    lines.append(f"Answers were read and checked with TripletScope {__version__}.")
    return " ".join(lines)


def _steps(cleaning: Cleaning) -> list[str]:
    steps = []
    for exclusion, removed in zip(cleaning.exclusions, cleaning.previews, strict=True):
        title = exclusion.title
        if exclusion.rule == WEIGHTS:
            steps.append(_weighted(exclusion, cleaning))
            continue
        people = len(removed.participants)
        steps.append(
            f"{title[:1].lower()}{title[1:]}: {counted(removed.n_trials, 'trial')}"
            + (f", {counted(people, 'participant')} entirely" if people else "")
            + (f" ({exclusion.reason})" if exclusion.reason else "")
        )
    return steps


def _weighted(step: Exclusion, cleaning: Cleaning) -> str:
    weights = step.parameters["weights"]
    reason = f" ({step.reason})" if step.reason else ""
    return (
        f"answers of {counted(len(weights), 'participant')} were weighted by how rarely they "
        f"looked like guesses (median weight {np.median(weights):.2f}, lowest {min(weights):.2f}; "
        f"effective number of trials {cleaning.effective:,.0f}){reason}"
    )


def _size(triplets: Judgements) -> str:
    once = one_per_trial(triplets)
    text = counted(int(once.sum()), "trial")
    if not once.all():
        text += f" ({len(triplets):,} triplets)"
    who, names = codes_of(triplets.take(once), "participant")
    if "participant" in triplets.answers and names:
        each = np.median(np.bincount(who[who >= 0]))
        text += f" from {counted(len(names), 'participant')} (median {each:,.0f} trials each)"
    return text


def _trials(kept: Judgements) -> list[str]:
    lines = []
    answers = kept.take(one_per_trial(kept)).answers
    for column, what in (("sampler", "Questions were selected by"), (
        "split", "Trials were assigned to"
    )):
        if column in answers:
            shares = answers[column].value_counts(normalize=True)
            words = [f"{name} ({share:.1%})" for name, share in shares.items() if share > 0]
            lines.append(f"{what} {', '.join(words)}.")
    times = answers.get("response_time")
    if times is not None and times.notna().any():
        low, middle, high = times.quantile([0.25, 0.5, 0.75])
        lines.append(
            f"The median response time was {middle:.2f} s (quartiles {low:.2f} and {high:.2f} s)."
        )
    return lines


def _consistency(kept: Judgements) -> list[str]:
    pairs = repeats(kept)
    lines = [
        f"{counted(pairs.questions, 'different question')} were asked, {pairs.repeated:,} of "
        "them more than once."
    ]
    if pairs.within.n:
        lines.append(
            f"Intra-observer consistency: participants gave the same answer in {pairs.within} of "
            f"{pairs.within.n:,} pairs of repeats ({_interval(pairs.within)})."
        )
    if pairs.between.n:
        lines.append(
            "Inter-observer agreement: different participants gave the same answer in "
            f"{pairs.between} of {pairs.between.n:,} pairs of answers ({_interval(pairs.between)})."
        )
    choices = [choice.sentence for choice in choice_accuracies(kept)]
    return [*lines, noise_ceiling(kept).sentence, *choices]


def _interval(share: Share) -> str:
    if share.n_units is None:
        return "95% interval, by question"
    return f"95% interval{over_units('participants', share.n_units)}"
