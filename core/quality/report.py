"""All that can be said of the answers without fitting anything."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
import pandas as pd

from tripletscope.core.data.triplets import Judgements
from tripletscope.core.evaluation.ceiling import Ceiling, noise_ceiling
from tripletscope.core.evaluation.choosing import ChoiceAccuracy, choice_accuracies
from tripletscope.core.evaluation.share import Share
from tripletscope.core.evaluation.units import ENOUGH
from tripletscope.core.quality.consistency import Coverage, Repeats, coverage, repeats
from tripletscope.core.quality.people import participants
from tripletscope.core.quality.tables import objects, over_time, samplers

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
    (tests/core/quality/test_quality.py::test_honest_crowds_have_no_side).
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
