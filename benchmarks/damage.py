"""Files that are damaged at random, as files are and as they are not."""

from __future__ import annotations

import contextlib
import gzip
import io
import json
import random
import zipfile

from tests.core.reading.test_hostile import zipped

#: Damaged files grow to this size at most.
LARGEST = (2**18, 2**20, 2**22)

WORDS = [
    "", " ", "NA", "nan", "0", "1", "-1", "2", "3", "1.0", "1e999", "-0", "99999999999999999999",
    "inf", "0x1", "true", "left", "f", "a", "é", "\u202e", "\ufeff", "\0", '"', '""', "'", "[", "]",
    '["a","b"]', '["a","b","c"]', "<img src='a.png'>", "a.png", "../a", "#", "=1+1", "None", "\n",
    "{}", "head", "left", "right", "winner", "image1", "choice", "anchor", "near", "far", "rt",
    "participant", "weight", "stimulus", "s1", "s2", "s3", "resp", "item1", "trial_type",
    "2023-01-05T10:00:00.000Z", "x" * 2000,
]


def mutated(data: bytes, rng: random.Random, others: list[bytes]) -> bytes:
    """`data` with one to five changes."""
    most = rng.choices(LARGEST, (6, 3, 1))[0]
    for _ in range(rng.choice((1, 1, 1, 2, 3, 5))):
        data = _changed(data, rng, others)[:most]
    return data


def _changed(data: bytes, rng: random.Random, others: list[bytes]) -> bytes:
    if rng.random() < 0.6:
        if data.startswith(b"PK"):
            with contextlib.suppress(Exception):  # already damaged
                return _inside_of_zip(data, rng, others)
        if data.startswith(b"\x1f\x8b"):
            with contextlib.suppress(Exception):
                return gzip.compress(_changed(gzip.decompress(data), rng, others), 1)
    if rng.random() < 0.03:
        return rng.choice((gzip.compress(data, 1), zipped(("a.csv", data)), zipped(
            ("a.csv", data), ("b.csv", rng.choice(others)))))
    is_text = b"\0" not in data[:1000] and not data.startswith((b"PAR1", b"\x89", b"\x93", b"PK"))
    return rng.choice(_OF_TEXT if is_text and rng.random() < 0.7 else _OF_BYTES)(data, rng, others)


def _inside_of_zip(data: bytes, rng: random.Random, others: list[bytes]) -> bytes:
    with zipfile.ZipFile(io.BytesIO(data)) as archive:
        members = {name: archive.read(name) for name in archive.namelist()}
    victim = rng.choice(list(members))
    members[victim] = _changed(members[victim], rng, others)
    if rng.random() < 0.1:
        members[rng.choice(WORDS) or "x"] = rng.choice(others)
    if rng.random() < 0.1:
        del members[rng.choice(list(members))]
    return zipped(*members.items())


def _places(data: bytes, rng: random.Random) -> tuple[int, int]:
    """A stretch of the data, more often a short one."""
    start = rng.randrange(len(data) + 1)
    return start, min(len(data), start + int(2 ** rng.uniform(0, 12)))


def _bits(data: bytes, rng: random.Random, others: list[bytes]) -> bytes:
    changed = bytearray(data or b"x")
    for _ in range(rng.choice((1, 1, 2, 8, 64))):
        changed[rng.randrange(len(changed))] ^= 1 << rng.randrange(8)
    return bytes(changed)


def _overwritten(data: bytes, rng: random.Random, others: list[bytes]) -> bytes:
    start, _ = _places(data, rng)
    size = rng.choice((1, 2, 4, 8))
    value = rng.choice((b"\0", b"\xff", b"\x7f\xff\xff\xff\xff\xff\xff\xff", b"\x01\0\0\0\0\0\0\0",
                        rng.randbytes(8)))
    return data[:start] + (value * 8)[:size] + data[start + size :]


def _cut(data: bytes, rng: random.Random, others: list[bytes]) -> bytes:
    start, end = _places(data, rng)
    return data[:start] + data[end:] if rng.random() < 0.7 else data[:start]


def _repeated(data: bytes, rng: random.Random, others: list[bytes]) -> bytes:
    start, end = _places(data, rng)
    times = min(int(2 ** rng.uniform(0, 14)), LARGEST[-1] // max(end - start, 1))
    return data[:start] + data[start:end] * times + data[start:]


def _spliced(data: bytes, rng: random.Random, others: list[bytes]) -> bytes:
    other = rng.choice(others)
    (start, end), (a, b) = _places(data, rng), _places(other, rng)
    return data[:start] + other[a:b] + data[end:]


def _word(data: bytes, rng: random.Random, others: list[bytes]) -> bytes:
    start, _ = _places(data, rng)
    return data[:start] + rng.choice(WORDS).encode() + data[start + rng.randrange(4) :]


def _sign(data: bytes) -> str:
    """What stands between the cells."""
    line = data[:4096].split(b"\n", 1)[0].decode(errors="replace")
    return max(",;\t ", key=line.count)


def _cells(data: bytes, rng: random.Random, others: list[bytes]) -> bytes:
    """Some cells become words, or those of another row or column."""
    sign = _sign(data)
    rows = [line.split(sign) for line in data.decode(errors="replace").split("\n")]
    for _ in range(rng.choice((1, 3, 10, len(rows)))):
        row = rng.choice(rows)
        k = rng.randrange(len(row))
        row[k] = rng.choice((rng.choice(WORDS), rng.choice(rng.choice(rows)), row[k] * 2))
    return "\n".join(sign.join(row) for row in rows).encode()


def _columns(data: bytes, rng: random.Random, others: list[bytes]) -> bytes:
    """Columns are moved, doubled, left out or called otherwise."""
    sign = _sign(data)
    rows = [line.split(sign) for line in data.decode(errors="replace").split("\n")]
    width = len(rows[0])
    order = list(range(width))
    kind = rng.randrange(4)
    if kind == 0:
        rng.shuffle(order)
    elif kind == 1:
        order += [rng.randrange(width)] * rng.choice((1, 2, 30, 3000 if len(data) < 5000 else 3))
    elif kind == 2 and width > 1:
        order.pop(rng.randrange(width))
    else:
        rows[0][rng.randrange(width)] = rng.choice(WORDS)
    return "\n".join(
        sign.join(row[k] for k in order if k < len(row)) for row in rows
    ).encode()


def _rows(data: bytes, rng: random.Random, others: list[bytes]) -> bytes:
    """Rows are shuffled, left out, doubled, or there are very many of them."""
    head, *rows = data.split(b"\n")
    if not rows:
        return data * 2
    kind = rng.randrange(4)
    if kind == 0:
        rng.shuffle(rows)
    elif kind == 1:
        rows = rows[:: rng.choice((2, 3, 10))]
    elif kind == 2:
        rows *= max(1, min(int(2 ** rng.uniform(0, 14)), LARGEST[-1] // max(len(data), 1)))
    else:
        rows = rows[1:] if rng.random() < 0.5 else [head, *rows]
    return b"\n".join([head, *rows])


def _numbered(data: bytes, rng: random.Random, others: list[bytes]) -> bytes:
    """Very many rows with ever new values in one column."""
    sign = _sign(data)
    head, *rows = (line.split(sign) for line in data.decode(errors="replace").split("\n"))
    if not rows or not rows[0]:
        return data
    k = rng.randrange(len(rows[0]))
    many = []
    for i in range(int(2 ** rng.uniform(4, 16))):
        row = list(rows[i % len(rows)])
        if k < len(row):
            row[k] = f"{row[k][:20]}{i}"
        many.append(sign.join(row))
    return "\n".join([sign.join(head), *many]).encode()


def _resigned(data: bytes, rng: random.Random, others: list[bytes]) -> bytes:
    """Other signs between cells, other ends of lines, another encoding."""
    text = data.decode(errors="replace")
    kind = rng.randrange(5)
    if kind == 0:
        return text.replace(_sign(data), rng.choice((",", ";", "\t", " ", "|", ""))).encode()
    if kind == 1:
        return text.replace("\n", rng.choice(("\r", "\r\n", "\n\n", ",\n", " "))).encode()
    if kind == 2:
        return text.encode(rng.choice(("utf-16", "utf-16-le", "utf-32", "utf-8-sig")))
    if kind == 3:
        return text.replace('"', rng.choice(("", '""', "'"))).encode()
    return text.replace(rng.choice("0123456789abc[{"), rng.choice(WORDS[:40])).encode()


def _nested(data: bytes, rng: random.Random, others: list[bytes]) -> bytes:
    """What is JSON becomes deeper, or a part of it is exchanged."""
    try:
        document = json.loads(data)
    except (ValueError, RecursionError):
        return _bits(data, rng, others)
    for _ in range(rng.choice((1, 2, 4))):
        places = list(_places_in(document, 3000))
        if not places:
            document = [document]
            continue
        holder, key = rng.choice(places)
        other, other_key = rng.choice(places)
        value = rng.choice((
            None, [], {}, "", "a", 1, -1, 1.5, True, [1, 2, 3], {"a": {"b": [None]}},
            [holder[key]], [holder[key]] * 3, other[other_key],
        ))
        holder[key] = json.loads(json.dumps(value))
    return json.dumps(document).encode()


def _places_in(document: object, most: int) -> list[tuple]:
    found, queue = [], [document]
    while queue and len(found) < most:
        holder = queue.pop()
        keys = range(len(holder)) if isinstance(holder, list) else (
            list(holder) if isinstance(holder, dict) else ()
        )
        for key in keys:
            found.append((holder, key))
            queue.append(holder[key])
    return found


_OF_BYTES = (_bits, _bits, _overwritten, _overwritten, _cut, _repeated, _spliced)
_OF_TEXT = (_cells, _cells, _columns, _columns, _rows, _numbered, _resigned, _word, _nested, _cut,
            _repeated, _spliced)
