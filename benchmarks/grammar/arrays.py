"""Arrays of NumPy and of MATLAB 5."""

from __future__ import annotations

import struct

import numpy as np

from benchmarks.grammar.dice import NUMBERS, Dice
from tests.core.reading.raw import arrays as raw
from tests.core.reading.raw.archive import Member
from tests.core.reading.raw.archive import archive as zip_file

_DTYPES = ("'<i8'", "'<f8'", "'<i4'", "'|u1'", "'<U5'", "'|S3'", "'|b1'", "'>i2'", "'<f2'",
           "'<c16'")
_ODD_DTYPES = (
    "'|O'", "'<M8[ns]'", "'<m8'", "'|V8'", "'|S0'", "'<U0'", "'|V0'", "'<U999999999'", "'S-1'",
    "'x'", "''", "None", "[('a', '<i8'), ('b', '<U3')]", "[('a', '|O')]",
    "[('a', '<i8', (1000000,))]",
    "[('a', [('b', [('c', '<i8')])])]", "[('', '<i8'), ('', '<i8')]", "['<i8']", "{'a': 1}",
    "'<i8,<i8'", "('<i8', (3,))", "[(('t', 'a'), '<i8')]", "'<g16'", "'<f16'", "b'<i8'", "1", "()",
)
_ODD_SHAPES = (
    "()", "(0,)", "(0, 3)", "(3, 0)", "(-1, 3)", "(1000000000000, 3)", "(2**62, 2**62)",
    "(4611686018427387904, 4)", "(True, 3)", "(3.0, 3)", "3", "None", "'33'", "(3,) * 40",
    "(3, 3, 3)", "(1, 1, 1, 1, 9)", "(1000000, 0)", "(18446744073709551615,)", "(1e999,)",
)


def npy(dice: Dice) -> tuple[str, bytes]:
    """An array by itself."""
    return "a.npy", array(dice)


def npz(dice: Dice) -> tuple[str, bytes]:
    """Several arrays, also those of a sparse tensor."""
    names = dice.choice((("triplets", "responses"), ("a",), ("coords", "data", "shape"),
                         tuple(f"a{k}" for k in range(dice.many(4, 3000)))))
    n = dice.choice((3, 10, 100))
    members = [
        Member(f"{dice.word(name)}.npy", array(dice, n), method=dice.choice((0, 8)),
               local={"size": dice.number(0)} if dice.off() else {},
               central={"size": dice.number(0)} if dice.off(0.5) else {})
        for name in names
    ]
    return "a.npz", zip_file(*dice.shuffled(members))


def array(dice: Dice, n: int | None = None) -> bytes:
    """The bytes of an array with a header that may lie."""
    n = dice.few(300) if n is None else n
    width = dice.choice((1, 2, 3, 3, 3, 4, 12))
    descr = dice.choice(_ODD_DTYPES if dice.off(2) else _DTYPES)
    sides = [dice.number(side) for side in dice.choice(((n, width), (n,), (width, n)))]
    shape = dice.choice(_ODD_SHAPES) if dice.off(2) else str(tuple(sides))
    order = dice.choice(("None", "1", "'a'", "[]") if dice.off() else ("True", "False"))
    header = raw.array_header(descr, shape, order)
    if dice.off():
        header = dice.choice((
            header.replace("shape", "shap"), header[:-2], header + " " * dice.few(70_000),
            header[:-2] + ", 'x': 1}", "(" * dice.few(5000), "-" * dice.few(60_000) + "1",
            header.replace("{", "[{").replace("}", "}]"), "__import__('os').getcwd()",
            "{**{}, 'descr': '<i8'}", "1" * dice.few(60_000), header.replace("(", "(" * 100),
            "f'{1}'", "{'a': " * dice.few(150) + "1" + "}" * 150, "\udc80",
        ))
    version = dice.choice(((2, 0), (3, 0), (0, 0), (255, 1))) if dice.off() else (1, 0)
    body = _body(dice, descr, n * width)
    return raw.npy(header.encode("utf-8", "surrogatepass"), body, version,
                   dice.number(len(header)))


def _body(dice: Dice, descr: str, size: int) -> bytes:
    if descr in _DTYPES and not dice.off():
        kind = np.dtype(descr.strip("'"))
        values = [dice.randrange(6) for _ in range(size)]
        if dice.off(3) and kind.kind in "fc":
            values[0] = dice.choice((float("nan"), float("inf"), -1e300, 0.5))
        with np.errstate(all="ignore"):
            return np.array(values).astype(kind).tobytes()
    return dice.randbytes(dice.many(size * 8, 200_000))


def matlab(dice: Dice) -> tuple[str, bytes]:
    """A file of MATLAB up to version 7."""
    names = dice.shuffled(["triplets", "responses", "x"][: dice.choice((1, 1, 2, 3))])
    elements = []
    for name in names:
        one = _matrix(dice, dice.word(name), 0)
        if dice.random() < 0.3:
            one = raw.compressed(one) if not dice.off() else raw.element(
                raw.COMPRESSED, dice.randbytes(40), dice.number(40))
            if dice.off(0.5):
                one = raw.compressed(one * dice.few(30))
        elements.append(one)
    data = raw.matlab(
        *elements, version=dice.number(0x0100) & 0xFFFF,
        endian=dice.choice((b"MI", b"XX", b"\0\0")) if dice.off() else b"IM",
    )
    return "a.mat", data[: dice.randrange(len(data))] if dice.off(0.5) else data


_KINDS = {raw.DOUBLE: "d", raw.SINGLE: "f", raw.INT8: "b", raw.UINT8: "B", raw.INT16: "h",
          raw.UINT16: "H", raw.INT32: "i", raw.UINT32: "I", raw.INT64: "q", raw.UINT64: "Q"}


def _numbers(dice: Dice, size: int) -> bytes:
    kind = dice.choice(list(_KINDS))
    values = [dice.randrange(6) for _ in range(min(size, 3000))]
    data = struct.pack(f"<{len(values)}{_KINDS[kind]}", *values)
    tag = dice.choice((0, 8, 10, 11, 14, 15, 16, 17, 18, 99, 2**31)) if dice.off() else kind
    if len(data) <= 4 and dice.random() < 0.5:
        return raw.small(tag, data, dice.number(len(data)))
    return raw.element(tag, data, dice.number(len(data)))


def _matrix(dice: Dice, name: str, depth: int) -> bytes:
    kind = raw.FULL if not dice.off(2) and dice.random() < 0.7 else dice.choice(
        (raw.CELL, raw.STRUCT, raw.OBJECT, raw.CHAR, raw.SPARSE, raw.FUNCTION, raw.OPAQUE, 7, 9, 12,
         15, 0, 99))
    if depth > dice.choice((3, 3, 3, 400)):
        kind = raw.FULL
    dims = [dice.number(side) for side in (dice.few(100), dice.choice((1, 2, 3, 3, 4)))]
    if dice.off():
        dims = [dice.number(side) for side in dims * dice.many(2, 64)]
    inner = [abs(int(side)) for side in dims[:2]] or [1]
    size = min(int(np.prod([float(min(side, 3000)) for side in inner])), 3000)
    flags = dice.getrandbits(8) if dice.off() else 0
    if kind in (raw.CELL, raw.STRUCT, raw.OBJECT):
        if not dice.off():
            dims, size = [1, 2], 2
        return _holder(dice, name, dims, min(size, 20), kind, flags, depth)
    if kind == raw.CHAR:
        parts = [raw.element(dice.choice((raw.UTF8, raw.UTF16, raw.UINT16, raw.UINT8)),
                             dice.word("abc").encode() * dice.few(200))]
    elif kind == raw.SPARSE:
        parts = [_numbers(dice, dice.few(30)) for _ in range(3)]
    else:
        parts = [_numbers(dice, size)] + ([_numbers(dice, size)] if flags & 8 else [])
    return raw.matrix(name, dims, *parts, kind=kind, flags=flags,
                      most=dice.choice(NUMBERS) if dice.off() else size)


def _holder(dice: Dice, name: str, dims: list[int], size: int, kind: int, flags: int,
            depth: int) -> bytes:
    parts = []
    if kind == raw.OBJECT:
        parts.append(raw.element(raw.INT8, dice.word("cls").encode()))
    names = ["a", "b"][: dice.choice((1, 2))]
    if kind != raw.CELL:
        parts.append(raw.fields(names, dice.number(32) if dice.off() else 32))
        size *= len(names)
    parts += [_matrix(dice, "", depth + 1) for _ in range(min(size, 2 if depth > 2 else 20))]
    return raw.matrix(name, dims, *parts, kind=kind, flags=flags)
