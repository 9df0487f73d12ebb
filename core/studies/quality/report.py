"""All results about answers that need no fit."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np
import pandas as pd

from tripletscope.core.data.kinds import UNANSWERED
from tripletscope.core.data.triplets import Answers
from tripletscope.core.engine.short_repr import short_repr
from tripletscope.core.inference.held_out.ceiling import Ceiling, noise_ceiling, people_differ
from tripletscope.core.inference.held_out.choosing import ChoiceAccuracy, choice_accuracies
from tripletscope.core.inference.held_out.share import Share
from tripletscope.core.inference.held_out.units import ENOUGH
from tripletscope.core.inference.validity import Doubt, doubts
from tripletscope.core.studies.quality.consistency import Coverage, Repeats, coverage, repeats
from tripletscope.core.studies.quality.people import participants
from tripletscope.core.studies.quality.tables import objects, over_time, samplers
from tripletscope.core.studies.quality.verdict import Finding


@short_repr
@dataclass(frozen=True, eq=False)
class QualityReport:
    """Quality of answers; see the functions of the same names.

    Attributes
    ----------
    repeats : Repeats
    ceiling : Ceiling
    coverage : Coverage
    participants, objects, samplers, over_time : DataFrame
    checks : Share
        Of catch and gold questions that were answered wrong.
    circular : Share
        Of triples of options that are circular; unknown for comparisons of pairs.
    sides : Finding
        Preference for a side: "unknown", "of all" taken together, "of all none", "of some"
        participants, who are named, or "of none".
    choices : list of ChoiceAccuracy
        Chance and noise ceiling of every kind of choice among more than two.
    unanswered : dict of str to Share
        Of the questions asked, those that were ``skipped`` and those that were ``late``; empty
        where all have an answer.
    doubts : tuple of Doubt
        What these answers do not say; see `tripletscope.doubts`.
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
    doubts: tuple[Doubt, ...] = field(default=(), repr=False)
    unanswered: dict[str, Share] = field(default_factory=dict)

    @property
    def doubted(self) -> tuple[str, ...]:
        """Codes of the doubts."""
        return tuple(doubt.code for doubt in self.doubts)


def quality(
    triplets: Answers, *, catch_trials: pd.DataFrame | None = None, gold: Any = None,
    wrong: np.ndarray | None = None,
) -> QualityReport:
    """All results about answers that need no fit.

    Parameters
    ----------
    triplets : Triplets or Quadruples
    catch_trials : DataFrame, optional
        As `tripletscope.core.reading.Imported.catch_trials`.
    gold : Triplets or array-like, shape (G, 3), optional
        Right answers to some questions, see `gold_mistakes` and `obvious`.
    wrong : ndarray, shape (T,), optional
        Held-out error of each answer's prediction by a map.

    Examples
    --------
    >>> import tripletscope as ts
    >>> answers = ts.read("sample_data/ekman_colors/answers.csv")
    >>> report = ts.quality(answers)
    >>> report.circular.n, round(float(report.circular.value), 3)
    (563, 0.004)
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
        repeats(triplets), replace(noise_ceiling(triplets), differ=people_differ(triplets)),
        coverage(triplets), people, things,
        samplers(triplets), over_time(triplets, wrong), checks, circular,
        _side_bias(people, "participant" in triplets.answers), choice_accuracies(triplets),
        tuple(doubts(triplets)), _unanswered(people),
    )


def _unanswered(people: pd.DataFrame) -> dict[str, Share]:
    """Over the people who answered something."""
    if "asked" not in people:
        return {}
    asked = people["asked"].fillna(0).to_numpy()
    return {
        why: Share.of(float(np.rint((people[why].fillna(0).to_numpy() * asked).sum())),
                      float(asked.sum()))
        for why in UNANSWERED
    }


def _side_bias(people: pd.DataFrame, named: bool) -> Finding:
    """Participants who prefer a side, or all taken together where none are named."""
    if "favourite_share" not in people:
        return Finding("unknown")
    # Bonferroni: one in a hundred people without a preference has p < 0.01.
    tested = int(people["bias_p"].notna().sum())
    biased = people[people["bias_p"] * max(tested, 1) < 0.01]
    if not named:
        return Finding("of all" if len(biased) else "of all none")
    who = tuple(biased.sort_values("bias_p", kind="stable")["participant"].astype(str))
    values = {"number": len(who), "people": len(people), "tested": tested}
    return Finding("of some" if who else "of none", values, who)
