"""Confusions: what was shown, and the object that it was taken for."""

from __future__ import annotations

import numpy as np
import pandas as pd

from tripletscope.core.reading.columns.pair_columns import NAMES, is_beside, participant_of
from tripletscope.core.reading.columns.values import ColumnCells, Columns
from tripletscope.core.reading.kinds import CERTAIN, LIKELY, POSSIBLE, Claim, Kind, Sign
from tripletscope.core.reading.names import named

#: Share of the responses that are stimuli; least share of right ones, by values alone.
_STIMULI, _RIGHT, _OFTEN_RIGHT = 0.8, 0.3, 0.6
#: Share of stimuli that are taken for themselves most often, in counts.
_USUALLY = 0.5
#: Times that a stimulus is shown, and columns beside, by values alone.
_SHOWN, _BESIDE = 3, 2


def _evidence(columns: Columns) -> list[Claim]:
    if not columns.table.header:
        return []
    beside = participant_of(columns)
    free = [name for name in columns.names if name not in beside.values()]
    stimulus, response = named(free, NAMES["stimuli"]), named(free, NAMES["responses"])
    points = CERTAIN
    if stimulus is None or response is None or len(free) > 6 or not _confuses(
        columns[stimulus], columns[response]
    ):
        stimulus, response, points = _crossed(columns, free) or _by_values(columns, free)
    if not (stimulus and response) or _others(columns, stimulus, response, free):
        return []
    count = named(free, NAMES["counts"])
    roles = {**beside, "stimulus": stimulus, "response": response}
    if count and columns[count].is_numeric and not columns[count].counts_rows:
        roles["count"] = count
    sign = Sign("names_confusions", {"stimulus": stimulus, "response": response})
    return [Claim("confusions", "confusions", points, (sign,), roles)]


def _confuses(stimulus: ColumnCells, response: ColumnCells) -> bool:
    """Whether responses name stimuli."""
    shown, named_ = stimulus.values, response.values
    return len(shown) > 2 and bool(named_) and (
        len(shown & named_) >= _STIMULI * len(named_)
    ) and (stimulus.texts != response.texts).any()


def _crossed(columns: Columns, free: list[str]) -> tuple[str, str, int] | None:
    """Two columns of all pairs in either order and with themselves, and counts, as R's table()."""
    count = named(free, NAMES["counts"])
    if count is None or len(free) != 3 or not columns[count].is_whole:
        return None
    one, other = columns.but(count)
    n, cells = len(one.values), {*zip(one.texts.tolist(), other.texts.tolist(), strict=True)}
    if one.values != other.values or not 2 < n * n == len(cells) == len(one.texts):
        return None
    frame = pd.DataFrame({"one": one.texts, "other": other.texts, "n": columns[count].numbers})
    counts = frame.pivot_table(index="one", columns="other", values="n").to_numpy()
    # How often objects were together is as often for either order of a pair.
    if np.array_equal(counts, counts.T):
        return None
    right = np.mean(np.diag(counts) >= counts.max(axis=1))
    return (one.name, other.name, CERTAIN) if right > _USUALLY else None


def _by_values(columns: Columns, free: list[str]) -> tuple[str | None, str | None, int]:
    """The only two columns of words with the same values, often but not always alike in a row."""
    words = [columns[name] for name in free if not is_beside(name)]
    words = [one for one in words if len(one.values) > 2 and not one.is_numeric]
    if len(words) != 2 or len(free) > 2 + _BESIDE:
        return None, None, 0
    one, other = words
    right = float(np.mean(one.texts == other.texts))
    often = one.n_written >= _SHOWN * len(one.values)
    fits = _confuses(one, other) and len(one.values & other.values) >= _STIMULI * len(one.values)
    if not (fits and often and _RIGHT <= right < 1):
        return None, None, 0
    return one.name, other.name, LIKELY if right >= _OFTEN_RIGHT or len(free) == 2 else (POSSIBLE)


def _others(columns: Columns, stimulus: str, response: str, free: list[str]) -> list[str]:
    """Further columns of the same objects: these are options."""
    objects = columns[stimulus].values
    return [name for name in free if name not in (stimulus, response) and not is_beside(name)
            and 2 * len(columns[name].values & objects) >= len(objects)
            and not columns[name].counts_rows and name != named([name], NAMES["counts"])]


CONFUSIONS = Kind("confusions", "confusions", 42, _evidence, "tripletscope.ratings.read_measured")
