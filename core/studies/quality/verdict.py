"""One verdict on the participants: whom to check and why, or that nobody stands out."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

import numpy as np
import pandas as pd
from scipy.special import bdtr, ndtr, ndtri

from tripletscope.core.engine.short_repr import short_repr
from tripletscope.core.inference.held_out.share import Share
from tripletscope.core.studies.quality.people import FEWEST_CHECKS

#: Family-wise level of all tests of one kind, over the participants.
_LEVEL = 0.05
#: Shares of failed checks, and of one side, above which published rules exclude.
_FAILED, _ONE_SIDE = 0.2, 0.8
#: Fewest seconds to look at three objects.
_TOO_FAST = 0.5
#: Largest upper end of a share's interval that shows guessing: a wide one leaves it open.
_NEAR_GUESSING = 0.65
#: Fewest expected errors with a normal distribution.
_FEW = 5

#: Shares of which guessing gives one half.
_AGREEMENTS = ("predicted", "agrees", "consistent")
#: Column with the number of cases of a share.
_CASES = {"agrees": "compared", "consistent": "repeats"}
#: Cases of every share of which guessing gives one half, for the crowd as a whole.
_GUESSED = {"predicted": "answers", **_CASES, "failed": "checks"}
#: Columns of `participants` that are checked.
_LOOKED_AT = (*_AGREEMENTS, "failed", "bias_p", "median_time")


@short_repr
@dataclass(frozen=True)
class Finding:
    """What a result says.

    Attributes
    ----------
    code : str
        What it is, for a catalogue of sentences.
    values : dict
        Numbers that belong to it.
    participants : tuple of str
        Whom it is about, where it is about some of them.
    """

    code: str
    values: dict[str, Any] = field(default_factory=dict)
    participants: tuple[str, ...] = ()


@dataclass(frozen=True)
class Verdict:
    """Participants who stand out.

    reasons: By participant, most reasons first.
    looked_at, not_looked_at: Columns of `participants` that the answers allow, and the others.
    guessing: Whether all together may be guessing: no share of agreement, repeats, checks or
        predicted answers is surely above one half, and one interval ends below 0.65. None where too
        little is known.
    """

    reasons: dict[str, tuple[Finding, ...]]
    n_participants: int
    looked_at: tuple[str, ...]
    not_looked_at: tuple[str, ...]
    guessing: bool | None = False


def verdict(people: pd.DataFrame) -> Verdict:
    """Participants to check before their answers are used.

    Agreement stands out if it is both less than half as far above guessing as that of the median
    participant, and significantly below it; below guessing, it says so. A side stands out, if it
    has more than 80 % of the responses, significantly more than its share. All these tests are of
    level 0.05 over all participants (Bonferroni). More than 20 % of at least three failed checks
    stand out, and half of the responses in under 0.5 s and in under half of the usual time.

    people: As `participants`, perhaps with ``predicted``, ``predicted_low`` and ``predicted_high``.
    """
    n = len(people)
    has = {c: bool(c in people and people[c].notna().any()) for c in _LOOKED_AT}
    reasons: dict[str, list[Finding]] = {}
    for column, rows in _standing_out(people, has):
        for row in np.flatnonzero(rows):
            who = str(people["participant"].iloc[row])
            reasons.setdefault(who, []).append(_finding(people, column, int(row)))
    order = sorted(reasons, key=lambda who: -len(reasons[who]))
    return Verdict(
        {who: tuple(reasons[who]) for who in order}, n,
        tuple(column for column in _LOOKED_AT if has[column]),
        tuple(column for column in _LOOKED_AT if not has[column]),
        _guessing(people, has),
    )


def _guessing(people: pd.DataFrame, has: dict[str, bool]) -> bool | None:
    """Whether no share of all together is above guessing; None where unknown.

    Cases of agreement with a majority are dependent: for n answers to each of q questions, at most
    q √n cases count, and half of the answers.
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
    """Rows that stand out, by column."""
    rows = []
    for column in _AGREEMENTS:
        if has[column]:
            near = _near_guessing(people, column)
            against = near & _is_below(people, column, 0.5, 0.5)
            rows += [(column, near & ~against), (f"{column} against", against)]
    if has["failed"]:
        failed = (people["failed"] > _FAILED) & (people["checks"] >= FEWEST_CHECKS)
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
    usual, pooled = float(np.nanmedian(share)), 0.5
    if column in _CASES:
        # Of all together, and never 1: two repeats may both be errors.
        cases = _cases(people, column)
        pooled = (np.nansum(share * cases) + 1) / (np.sum(cases[np.isfinite(share)]) + 2)
    with np.errstate(invalid="ignore"):
        return (share < 0.5 + (usual - 0.5) / 2) & _is_below(people, column, usual, pooled)


def _is_below(people: pd.DataFrame, column: str, usual: float, pooled: float) -> np.ndarray:
    """Whose share is significantly below the usual one, and below that of all together."""
    share = people[column].to_numpy(dtype=float)
    # The upper end decides whether it may be as high as usual.
    error = (people[f"{column}_high"].to_numpy(dtype=float) - share) / ndtri(0.975)
    with np.errstate(invalid="ignore", divide="ignore"):
        p = ndtr((share - usual) / error)
        if column in _CASES:  # intervals of few questions may be too short
            cases = _cases(people, column)
            normal = ndtr((share - pooled) * np.sqrt(cases / (pooled * (1 - pooled))))
            exact = bdtr(np.rint(share * cases), np.rint(np.nan_to_num(cases)).astype(int), pooled)
            p = np.fmax(p, np.where(cases * (1 - pooled) < _FEW, exact, normal))
        return p < _LEVEL / max(np.isfinite(share).sum(), 1)


def _cases(people: pd.DataFrame, column: str) -> np.ndarray:
    """Answers to one question that is repeated often are one case."""
    return people[["questions", _CASES[column]]].min(axis=1).to_numpy(dtype=float)


def _finding(people: pd.DataFrame, code: str, row: int) -> Finding:
    """A value that stands out, with the usual one."""
    column = code.split()[0]
    values = {"value": people[column].iloc[row], "usual": people[column].median()}
    beside = {**_CASES, "failed": "checks", "favourite_share": "favourite"}.get(column)
    if beside:
        values[beside] = people[beside].iloc[row]
    return Finding(code, values)
