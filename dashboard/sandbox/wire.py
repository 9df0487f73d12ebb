"""Plain data as bytes and back, between the server and readers of files.

An upload may have taken over its reader, so unpacking runs no code: there are numbers, texts,
arrays without objects, tables, and the records listed below.
"""

from __future__ import annotations

import io
import json
from collections.abc import Callable
from dataclasses import fields
from typing import Any

import numpy as np
import pandas as pd

from tripletscope.core.data.triplets import Triplets
from tripletscope.core.engine.parsing import undisturbed
from tripletscope.core.prompts.replies import Replies
from tripletscope.core.reading import FeatureTable, Pairs, RatingsFile, Reading, SquareTable
from tripletscope.core.studies.quality.direction import DirectionTest
from tripletscope.dashboard.sandbox.records import (
    Album,
    Companion,
    Look,
    Opened,
    Proposals,
    ReadAnswers,
    Sheet,
    Shown,
    Unpacked,
)

#: Allowed records, by name.
RECORDS: dict[str, type] = {
    record.__name__: record for record in (
        Album, ReadAnswers, Companion, DirectionTest, Look, RatingsFile, FeatureTable, Opened,
        Pairs, Proposals, Reading, Replies, Sheet, Shown, SquareTable, Unpacked,
    )
}


def pack(value: Any) -> bytes:
    """`value` as bytes."""
    buffers: list[bytes] = []
    head = json.dumps(_packed(value, buffers)).encode()
    sizes = np.array([len(head), *map(len, buffers)], dtype="<u8")
    return b"".join([np.uint64(len(sizes)).tobytes(), sizes.tobytes(), head, *buffers])


def unpack(data: bytes) -> Any:
    """The value of `pack`; `ValueError` for any other bytes."""
    try:
        (n,) = np.frombuffer(data, "<u8", 1)
        sizes = np.frombuffer(data, "<u8", int(n), 8)
        ends = 8 + 8 * int(n) + np.cumsum(sizes, dtype=np.int64)
        if ends[-1] != len(data):
            raise ValueError("parts are missing")
        starts = ends - sizes.astype(np.int64)
        view = memoryview(data)
        head, *buffers = [view[a:b] for a, b in zip(starts, ends, strict=True)]
        return _unpacked(json.loads(bytes(head)), buffers)
    except (LookupError, TypeError, RecursionError, EOFError) as error:
        raise ValueError(f"no plain data: {error}") from error


def _packed(value: Any, buffers: list[bytes]) -> Any:
    def within(inner: Any) -> Any:
        return _packed(inner, buffers)

    match value:
        case None | bool() | int() | float() | str():
            return value
        case np.generic():
            return value.item()
        case list():
            return [within(inner) for inner in value]
        case tuple():
            return {"tuple": [within(inner) for inner in value]}
        case dict():
            return {"dict": [[within(key), within(inner)] for key, inner in value.items()]}
        case bytes():
            buffers.append(value)
            return {"bytes": len(buffers) - 1}
        case np.ndarray():
            buffer = io.BytesIO()
            np.save(buffer, value, allow_pickle=False)
            buffers.append(buffer.getvalue())
            return {"array": len(buffers) - 1}
        case pd.DataFrame():
            plain = isinstance(value.index, pd.RangeIndex) and value.index.start == 0
            columns = [
                [str(name), within(_column(column))] for name, column in value.items()
            ]
            index = None if plain else value.index.to_numpy()
            return {"frame": columns, "rows": len(value), "index": within(index)}
        case Triplets():
            return {"triplets": within([value.rows, value.objects, value.answers, value.name])}
    name = type(value).__name__
    if RECORDS.get(name) is not type(value):
        raise TypeError(f"{name} is not plain")
    return {"record": name, "fields": {
        field.name: within(getattr(value, field.name)) for field in fields(value)
    }}


def _column(column: pd.Series) -> tuple[str, Any]:
    """A column of a table as a kind and simpler values."""
    if isinstance(column.dtype, pd.CategoricalDtype):
        categories = pd.Series(column.cat.categories)
        codes = column.cat.codes.to_numpy()
        return "categories", [codes, bool(column.cat.ordered), _column(categories)]
    if column.dtype == "str":
        return "str", [None if pd.isna(text) else text for text in column]
    if column.dtype == object:
        return "object", list(column)
    return "numbers", column.to_numpy()


def _unpacked(node: Any, buffers: list[memoryview]) -> Any:
    if isinstance(node, list):
        return [_unpacked(inner, buffers) for inner in node]
    if not isinstance(node, dict):
        return node
    kind = next(iter(node))
    return _MADE[kind](node, lambda inner: _unpacked(inner, buffers), buffers)


def _array(node: dict, within: Callable, buffers: list[memoryview]) -> np.ndarray:
    content = buffers[node["array"]]
    return undisturbed(lambda: np.load(io.BytesIO(content), allow_pickle=False))


def _frame(node: dict, within: Callable, buffers: list[memoryview]) -> pd.DataFrame:
    index = within(node["index"])
    index = pd.RangeIndex(node["rows"]) if index is None else pd.Index(index)
    columns = {name: _series(*within(column)).set_axis(index) for name, column in node["frame"]}
    return pd.DataFrame(columns, index=index)


def _series(kind: str, content: Any) -> pd.Series:
    if kind == "categories":
        codes, ordered, categories = content
        values = pd.Index(_series(*categories))
        return pd.Series(pd.Categorical.from_codes(codes, values, ordered=ordered))
    return pd.Series(content, dtype={"str": "str", "object": object}.get(kind))


def _record(node: dict, within: Callable, buffers: list[memoryview]) -> Any:
    values = {name: within(value) for name, value in node["fields"].items()}
    return RECORDS[node["record"]](**values)


#: The value of a node, by its kind.
_MADE: dict[str, Callable[[dict, Callable, list[memoryview]], Any]] = {
    "tuple": lambda node, within, _: tuple(map(within, node["tuple"])),
    "dict": lambda node, within, _: {within(key): within(value) for key, value in node["dict"]},
    "bytes": lambda node, _, buffers: bytes(buffers[node["bytes"]]),
    "array": _array,
    "frame": _frame,
    "triplets": lambda node, within, _: Triplets(*within(node["triplets"])),
    "record": _record,
}
