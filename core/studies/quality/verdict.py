"""One verdict on the participants: whom to look at, and why; or that nobody stands out."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import pandas as pd
from scipy.special import bdtr, ndtr, ndtri

from tripletscope.core.inference.evaluation.share import Share
from tripletscope.core.io.names import counted

#: Family-wise level of all tests of one kind, over the participants.
_LEVEL = 0.05
#: Share of failed checks, and of one side, that published rules exclude from.
_FAILED, _ONE_SIDE = 0.2, 0.8
#: Seconds; nobody looks at three objects in less.
_TOO_FAST = 0.5
_FEWEST_CHECKS = 3
#: Guessing is said where the interval of some share ends below this: a wide one leaves it open.
_NEAR_GUESSING = 0.65
#: Errors to be expected, of which fewer are not normally distributed.
_FEW = 5

#: Shares of which guessing gives one half: what is said of those near it, and of all others.
_AGREEMENTS = {
    "predicted": ("predicted by the others' map in {own} of answers", "{usual} of the others'"),
    "agrees": ("agrees with the majority in {own} of answers", "usual {usual}"),
    "consistent": ("repeats own answers in {own} of cases", "usual {usual}"),
}
#: How many questions a share is of.
_CASES = {"agrees": "compared", "consistent": "repeats"}
#: Cases of every share of which guessing gives one half, for the crowd as a whole.
_GUESSED = {"predicted": "answers", **_CASES, "failed": "checks"}
_LOOKED_AT = {
    "predicted": "how well a map of the others predicts them", "agrees": "agreement with others",
    "consistent": "repeated questions", "failed": "catch and gold questions",
    "bias_p": "preferred sides", "median_time": "response times",
}


@dataclass(frozen=True)
class Verdict:
    """Whom to look at.

    reasons: What stands out, by participant; who has most comes first.
    looked_at: What the answers let one look at, in words.
    not_looked_at: What they say nothing about.
    guessing: Whether all of them together are not told apart from people who guess: no share of
        agreement, repeats, checks or predicted answers is surely above one half, and the interval
        of one ends below 0.65. None where nothing, or too little, is known of these.
    """

    reasons: dict[str, tuple[str, ...]]
    n_participants: int
    looked_at: tuple[str, ...]
    not_looked_at: tuple[str, ...]
    guessing: bool | None = False

    @property
    def sentence(self) -> str:
        """The verdict in a few words, without names.

        Silent on: people who all guess
        (tests/core/studies/quality/test_verdict.py::test_all_guess).
        Silent on: few repeats (tests/core/studies/quality/test_verdict.py::test_few_repeats).
        """
        if not self.n_participants:
            return "The file names no participants: nobody can stand out."
        if not self.looked_at:
            return "Nothing in the file tells careful from careless participants."
        if self.guessing:
            who = counted(self.n_participants, "participant")
            return f"The answers of {who} are not told apart from guesses."
        if self.reasons:
            n = len(self.reasons)
            return "Look at this person" if n == 1 else f"Look at these {n:,} people"
        left = "; whether all guess is unknown" if self.guessing is None else ""
        return f"Nothing stands out among {counted(self.n_participants, 'participant')}{left}."


def verdict(people: pd.DataFrame) -> Verdict:
    """Whom to look at before their answers are used.

    Agreement stands out if it is both less than half as far above guessing as that of the median
    participant, and significantly below it; a side is preferred if it has more than 80 % of the
    responses, significantly more than its share. Both tests are of level 0.05 over all
    participants (Bonferroni). More than 20 % of at least three failed checks stand out, and half
    of the responses in under 0.5 s and in under half of the usual time.

    people: As `participants`, where ``predicted`` with ``predicted_low`` and ``predicted_high`` may
        be added.
    """
    n = len(people)
    has = {c: bool(c in people and people[c].notna().any()) for c in _LOOKED_AT}
    reasons: dict[str, list[str]] = {}
    for column, rows in _standing_out(people, has):
        for row in np.flatnonzero(rows):
            who = str(people["participant"].iloc[row])
            reasons.setdefault(who, []).append(_said(people, column, int(row)))
    order = sorted(reasons, key=lambda who: -len(reasons[who]))
    return Verdict(
        {who: tuple(reasons[who]) for who in order}, n,
        tuple(words for column, words in _LOOKED_AT.items() if has[column]),
        tuple(words for column, words in _LOOKED_AT.items() if not has[column]),
        _guessing(people, has),
    )


def _guessing(people: pd.DataFrame, has: dict[str, bool]) -> bool | None:
    """Whether no share of all together is above that of guessing; None where that is not known.

    Agreement with a majority is not that of independent cases: two who agree are one, and where
    many answer a question, which side is the majority turns on few. Of n answers to each of q
    questions it varies by no more than that of q √n cases, and of half of the answers.
    """
    shares = []
    for column, cases in _GUESSED.items():
        if has[column]:
            share = people[column].to_numpy(dtype=float)
            share = 1.0 - share if column == "failed" else share
            of = np.where(np.isfinite(share), people[cases], 0.0)
            if column == "agrees":
                of = of * min(0.5, np.sqrt(people["questions"].max() / max(of.sum(), 1.0)))
            shares.append(Share.over_people(np.nan_to_num(share) * of, of))
    if any(share.low > 0.5 for share in shares):
        return False
    return True if any(share.high < _NEAR_GUESSING for share in shares) else None


def _standing_out(people: pd.DataFrame, has: dict[str, bool]) -> list[tuple[str, np.ndarray]]:
    """Rows that stand out, by what they stand out in."""
    rows = []
    for column in _AGREEMENTS:
        if has[column]:
            rows.append((column, _near_guessing(people, column)))
    if has["failed"]:
        failed = (people["failed"] > _FAILED) & (people["checks"] >= _FEWEST_CHECKS)
        rows.append(("failed", failed.to_numpy()))
    if has["bias_p"]:
        one_sided = (people["favourite_share"] > _ONE_SIDE) & (
            people["bias_p"] < _LEVEL / len(people)
        )
        rows.append(("favourite_share", one_sided.to_numpy()))
    if has["median_time"]:
        times = people["median_time"]
        fast = (times < _TOO_FAST) & ((times < times.median() / 2) | (len(people) == 1))
        rows.append(("median_time", fast.to_numpy()))
    return rows


def _near_guessing(people: pd.DataFrame, column: str) -> np.ndarray:
    share = people[column].to_numpy(dtype=float)
    usual = float(np.nanmedian(share))
    # The upper end decides whether it may be as high as usual.
    error = (people[f"{column}_high"].to_numpy(dtype=float) - share) / ndtri(0.975)
    with np.errstate(invalid="ignore", divide="ignore"):
        p = ndtr((share - usual) / error)
        if column in _CASES:  # of few questions an interval may come out too short
            # Answers to one question that is asked again and again are one case.
            cases = people[["questions", _CASES[column]]].min(axis=1).to_numpy(dtype=float)
            # Of all together, and never 1: who repeated two questions may have erred in both.
            pooled = (np.nansum(share * cases) + 1) / (np.sum(cases[np.isfinite(share)]) + 2)
            normal = ndtr((share - pooled) * np.sqrt(cases / (pooled * (1 - pooled))))
            exact = bdtr(np.rint(share * cases), np.rint(np.nan_to_num(cases)).astype(int), pooled)
            p = np.fmax(p, np.where(cases * (1 - pooled) < _FEW, exact, normal))
        return (share < 0.5 + (usual - 0.5) / 2) & (p < _LEVEL / max(np.isfinite(share).sum(), 1))


def _said(people: pd.DataFrame, column: str, row: int) -> str:
    value, usual = people[column].iloc[row], people[column].median()
    if column in _AGREEMENTS:
        text, others = _AGREEMENTS[column]
        return f"{text} ({others})".format(own=f"{value:.0%}", usual=f"{usual:.0%}")
    if column == "failed":
        return f"fails {value:.0%} of {people['checks'].iloc[row]:,} catch and gold questions"
    if column == "favourite_share":
        return f"chooses {people['favourite'].iloc[row]} in {value:.0%} of trials"
    return f"half of the responses take less than {value:.2f} s (usually {usual:.2g} s)"
