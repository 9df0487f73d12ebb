"""Arrays of all pairs of objects, a square or its half of each person -> columns of pairs."""

from __future__ import annotations

import re
from collections.abc import Mapping

import numpy as np

from tripletscope.core.reading.formats.arrays import decoded_texts
from tripletscope.core.reading.names import common_start, counted

#: Names of arrays of dissimilarities and similarities.
_USUAL = re.compile(r"rdm|rsm|diss|dist|simil|pdist|proxim", re.IGNORECASE)
#: Fewest objects: of fewer, three numbers may be anything.
_FEWEST = 4
_MOST_PEOPLE = 1_000


def pairs_in(arrays: Mapping[str, np.ndarray]) -> tuple[dict[str, np.ndarray], str] | None:
    """Columns participant, item1, item2 and a value, and a sentence; None for other arrays.

    Vectors have the half above the diagonal row by row, as MATLAB's pdist and Meadows write it.
    """
    texts = {key: [text.strip() for text in decoded_texts(value).ravel().tolist()]
             for key, value in arrays.items() if value.dtype.kind in "US"}
    numbers = {key: value for key, value in arrays.items()
               if value.dtype.kind in "iuf" and value.size > 1}
    layers = {key: _layers(value) for key, value in numbers.items()}
    stacks = {key: own for key, own in layers.items() if own is not None}
    sizes = {own.shape[1] for own in stacks.values()}
    n, n_people = max(sizes, default=0), sum(map(len, stacks.values()))
    if len(stacks) < max(len(layers), 1) or len(sizes) > 1 or n < _FEWEST or (
        n_people > _MOST_PEOPLE
    ):
        return None
    ids = next((own for own in texts.values() if len(own) == n == len({*own})), None)
    half = any(value.ndim < 3 for value in numbers.values())
    if half and ids is None and not all(map(_USUAL.search, stacks)):
        return None
    start = common_start(stacks) if len(stacks) > 1 else ""
    people, listed = _named(stacks, texts, ids, start)
    stacked = np.concatenate([*stacks.values()])
    first, second = np.nonzero(np.isfinite(stacked).any(axis=0))
    numbered = [str(k + 1) for k in range(n)]
    names = np.array([own or numbered for own in listed])
    called = (start or next(iter(stacks))).rpartition(".")[2]
    value = re.sub(r"(utv)?[\W_\d]*$", "", called) or "value"
    columns = {"item1": names[:, first].ravel(), "item2": names[:, second].ravel(),
               value: stacked[:, first, second].ravel()}
    if len(stacked) > 1:
        columns = {"participant": np.repeat(people, len(first))} | columns
    n = len(np.unique(names))
    said = (f"Pairs of {counted(n, 'object')} by {counted(len(stacked), 'person', 'people')}, from "
            f"{'the halves of squares' if half else 'squares'}.")
    return columns, said


def _named(
    stacks: Mapping[str, np.ndarray], texts: Mapping[str, list[str]], ids: list[str] | None,
    start: str,
) -> tuple[list[str], list[list[str] | None]]:
    """The person of each square, and the names of its objects: `ids` where it has none of its own.

    start: Of all names of arrays.
    """
    people, listed = [], []
    n = next(iter(stacks.values())).shape[1]
    for key, own in stacks.items():
        named = [one for one in texts.values()
                 if one is not ids and len(one) == len({*one}) == len(own)]
        rest = key.removeprefix(start) or key
        # People may have seen the objects in orders, or sets, of their own.
        listed += [next((texts[name] for name in texts if len(stacks) > 1 and name.endswith(rest)
                         and len(texts[name]) == n == len({*texts[name]})), ids)] * len(own)
        people += named[0] if named and len(own) > 1 else (
            [f"{rest} {k + 1}" for k in range(len(own))] if len(own) > 1 else [rest]
        )
    return people, listed


def _layers(values: np.ndarray) -> np.ndarray | None:
    """(people, n, n) of a stack of squares, first or last axis people, or of a half; else None."""
    if values.ndim == 3:
        for stack in (values, np.moveaxis(values, 2, 0)):
            turned = stack.transpose(0, 2, 1)
            if stack.shape[1] == stack.shape[2] and np.allclose(stack, turned, equal_nan=True):
                return stack.astype(float)
        return None
    if values.ndim > 2 or values.size != max(values.shape):
        return _rows(values)
    return _rows(values.reshape(1, -1))


def _rows(values: np.ndarray) -> np.ndarray | None:
    """The half of each row."""
    if values.ndim != 2 or values.dtype.kind != "f":
        return None
    n = round((1 + np.sqrt(1 + 8 * values.shape[1])) / 2)
    if n * (n - 1) // 2 != values.shape[1] or values.shape[0] >= values.shape[1]:
        return None
    squares = np.full((len(values), n, n), np.nan)
    squares[:, *np.triu_indices(n, 1)] = values
    return squares
