"""Parquet files: written by Arrow, taken apart, and put together with other numbers in them."""

from __future__ import annotations

import io
from decimal import Decimal

import numpy as np
import pyarrow as pa
import pyarrow.parquet

from benchmarks.grammar.dice import Dice, answers
from tests.core.reading.raw import thrift
from tests.core.reading.raw.thrift import Many


def parquet(dice: Dice) -> tuple[str, bytes]:
    """A Parquet file."""
    data = _whole(dice)
    if dice.rate:
        footer, chunks = thrift.taken_apart(data)
        _bend(dice, footer)
        for chunk in chunks:
            chunk.pages = dice.shuffled([
                (_bend(dice, head) or head, _content(dice, content))
                for head, content in chunk.pages
            ])
        written = thrift.put_together(footer, dice.shuffled(chunks))
        if dice.off():
            length = int.from_bytes(written[-8:-4], "little")
            said = dice.number(length) % 2**32
            written = written[:-8] + said.to_bytes(4, "little") + written[-4:]
        data = written
    return dice.choice(("a.parquet", "a.pq", "a.csv")), data


def _whole(dice: Dice) -> bytes:
    names, rows = answers(dice)
    n = len(rows)
    columns: list[pa.Array] = [pa.array([row[k] for row in rows], pa.string())
                               for k in range(len(names))]
    for _ in range(dice.few(4)):
        names.append(dice.choice(names) if dice.off() and names else f"more {len(names)}")
        columns.append(_other(dice, n))
    if dice.off(0.5):
        columns = [pa.concat_arrays([column] * 50).cast(column.type) for column in columns]
    buffer = io.BytesIO()
    pyarrow.parquet.write_table(
        pa.Table.from_arrays(columns, names), buffer,
        compression=dice.choice(("snappy", "none", "gzip", "zstd", "lz4", "brotli")),
        use_dictionary=dice.random() < 0.6, version=dice.choice(("1.0", "2.4", "2.6")),
        data_page_version=dice.choice(("1.0", "2.0")), write_statistics=dice.random() < 0.5,
        row_group_size=max(1, dice.choice((n, n // 3, 7))), data_page_size=dice.choice((64, 2**20)),
        store_schema=dice.random() < 0.5,
    )
    return buffer.getvalue()


def _other(dice: Dice, n: int) -> pa.Array:
    """A column that is no text."""
    numbers = np.arange(n) % 5
    return dice.choice((
        lambda: pa.array(numbers), lambda: pa.array(numbers / 3), lambda: pa.nulls(n),
        lambda: pa.array(numbers == 0), lambda: pa.array(numbers, pa.timestamp("us", "UTC")),
        lambda: pa.array(numbers, pa.duration("us")), lambda: pa.array([[1, None]] * n),
        lambda: pa.array([{"a": {"b": [1]}}] * n), lambda: pa.array([b"\xff\xfe"] * n),
        lambda: pa.array([[("k", 1)]] * n, pa.map_(pa.string(), pa.int64())),
        lambda: pa.array(["a"] * n).dictionary_encode(),
        lambda: pa.array(list(map(Decimal, numbers.tolist())), pa.decimal128(9)),
        lambda: pa.array([b"abc"] * n, pa.binary(3)), lambda: pa.array(numbers, pa.int8()),
        lambda: pa.array(numbers, pa.date64()), lambda: pa.array(numbers, pa.time64("us")),
        lambda: pa.array(numbers.astype(np.float16)), lambda: pa.array(["x" * 500] * n),
        lambda: pa.array(numbers, pa.uint64()),
        lambda: pa.array([None, "a"] * n, pa.large_string())[:n],
    ))()


def _bend(dice: Dice, structure: list[list]) -> None:
    """Deviations at the fields of a structure and below it."""
    for one in list(structure):
        _, kind, value = one
        if kind == thrift.STRUCT:
            _bend(dice, value)
        elif isinstance(value, Many):
            _bend_list(dice, value)
        elif kind in (thrift.I16, thrift.I32, thrift.I64, thrift.BYTE):
            # Most are small numbers that stand for kinds of something.
            one[2] = dice.randrange(16) if value < 16 and dice.off(0.5) else dice.number(value)
        elif kind == thrift.BINARY and dice.off():
            one[2] = dice.choice((b"", b"\xff", value * 2, value[:-1], dice.word("a").encode(),
                                  b"x" * dice.few(5000), dice.randbytes(8)))
        elif kind in (thrift.TRUE, thrift.FALSE) and dice.off():
            one[2] = not value
    if dice.off(0.1):
        structure[:] = dice.shuffled(structure)
    if structure and dice.off(0.1):
        structure.append([structure[-1][0] + dice.randrange(1, 40), thrift.I64, dice.number(1)])


def _bend_list(dice: Dice, many: Many) -> None:
    if many.kind == thrift.STRUCT:
        for item in many.items:
            _bend(dice, item)
    elif many.kind in (thrift.I16, thrift.I32, thrift.I64):
        many.items = [dice.number(item) for item in many.items]
    elif many.kind == thrift.BINARY:
        many.items = [dice.word("x").encode() if dice.off() else item for item in many.items]
    if dice.off(0.2):
        many.items = dice.shuffled(many.items)
    if dice.off(0.1) and many.items:
        many.items = many.items[:3] * dice.many(2, 20_000)
    if dice.off(0.1):
        many.said = dice.choice((0, 1, 20, 2**20, 2**31 - 1, 2**31, 2**32 - 1))


def _content(dice: Dice, content: bytes) -> bytes:
    if not dice.off() or not content:
        return content
    changed = bytearray(content)
    for _ in range(dice.few(5)):
        changed[dice.randrange(len(changed))] = dice.randrange(256)
    return bytes(changed[: dice.randrange(len(changed) + 1)] if dice.off() else changed)
