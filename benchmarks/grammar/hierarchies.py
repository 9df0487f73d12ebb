"""HDF5: written by h5py, then with other numbers in superblock, object headers and messages."""

from __future__ import annotations

import contextlib
import io

import h5py
import numpy as np

from benchmarks.grammar.dice import NUMBERS, Dice
from tests.core.reading.raw import hdf5 as raw

#: Bytes; the index of an array that was never written may be much longer.
_LARGEST = 2**20


def hdf5(dice: Dice) -> tuple[str, bytes]:
    """An HDF5 file."""
    data = _changed(dice, _written(dice, 0 if not dice.off() else dice.choice((512, 1024))))
    return dice.choice(("a.h5", "a.hdf5", "a.csv")), data


def matlab73(dice: Dice) -> tuple[str, bytes]:
    """A file of MATLAB from version 7.3: HDF5 behind a head of MATLAB's."""
    head = b"MATLAB 7.3 MAT-file, Platform: GLNXA64".ljust(124) + b"\0\x02IM"
    data = _written(dice, 512)
    return "a.mat", _changed(dice, head.ljust(512, b"\0") + data[512:])


def _changed(dice: Dice, data: bytes) -> bytes:
    """The file with other numbers where numbers are."""
    data = data[:_LARGEST]
    if not dice.rate:
        return data
    known = raw.places(data)
    groups = sorted({place.what for place in known})
    changes = []
    for _ in range(dice.choice((0, 1, 1, 1, 2, 4, 8))):
        what = dice.choice(groups)
        place = dice.choice([place for place in known if place.what == what])
        old = int.from_bytes(data[place.offset : place.offset + place.size], "little")
        new = dice.of(
            lambda: dice.choice(NUMBERS), lambda old=old: old + dice.choice((-8, -1, 1, 8)),
            lambda old=old: old ^ 1 << dice.randrange(64), lambda: dice.randrange(32),
            lambda: dice.randrange(len(data)), lambda: dice.choice(known).offset,
        )
        changes.append((place, new))
    data = raw.changed(data, changes)
    return data[: dice.randrange(len(data))] if dice.off(0.3) else data


def _written(dice: Dice, userblock: int) -> bytes:
    buffer = io.BytesIO()
    libver = dice.choice(("earliest", "earliest", "latest", "v108", "v110"))
    with h5py.File(buffer, "w", libver=libver, userblock_size=userblock,
                   track_order=dice.random() < 0.2) as file:
        n = dice.choice((3, 10, 60))
        names = dice.choice((("stimulus_set", "n_select"), ("triplets", "responses"), ("a",),
                             tuple(f"d{k}" for k in range(dice.many(4, 300)))))
        for name in names:
            # What h5py itself refuses to write is left out.
            with contextlib.suppress(Exception):
                _dataset(dice, file, dice.word(name), n)
        for _ in range(dice.few(3) if dice.rate else 0):
            with contextlib.suppress(Exception):
                dice.choice(_EXTRAS)(dice, file, n)
    return buffer.getvalue()


def _dataset(dice: Dice, group: h5py.Group, name: str, n: int) -> None:
    width = dice.choice((0, 2, 3, 3, 4, 9))
    shape: tuple[int, ...] = (n, width) if width else (n,)
    if dice.off():
        shape = dice.choice(((), (0,), (n, 1, 1), (1, n), (n, 0), (2,) * 20))
    values = _values(dice, shape)
    if dice.random() < 0.5:
        group[name] = values
        return
    options: dict = {}
    if values.ndim and values.size:
        options["chunks"] = tuple(dice.randrange(1, side + 1) for side in values.shape)
        options["compression"] = dice.choice((None, "gzip", "lzf"))
        options["shuffle"] = dice.random() < 0.3
        options["fletcher32"] = dice.random() < 0.3
        if dice.random() < 0.1 and values.dtype.kind in "iu":
            options["scaleoffset"] = 0
        if dice.random() < 0.3:
            options["maxshape"] = (None,) * values.ndim
    made = group.create_dataset(name, data=values, **options)
    for k in range(dice.many(dice.few(3), 500) if dice.off(3) else 0):
        made.attrs[f"a{k}"] = dice.choice((1, "x", [1, 2], np.zeros(500), h5py.Empty("f8")))


def _values(dice: Dice, shape: tuple[int, ...]) -> np.ndarray:
    numbers = np.array([dice.randrange(6) for _ in range(int(np.prod(shape)))]).reshape(shape)
    kind = dice.randrange(5) if not dice.off(2) else 5
    if kind < 3:
        return numbers.astype(dice.choice(("i8", "f8", "u1", "i2", ">i4", "f4")))
    if kind == 3:
        return numbers.astype("S5")
    if kind == 4:
        return numbers.astype(str).astype(h5py.string_dtype())
    odd = dice.choice((
        np.dtype([("a", "i8"), ("b", "S3")]), h5py.enum_dtype({"a": 0, "b": 5}, "i4"), "V8", "?",
        "c16", "f2", h5py.vlen_dtype("i4"), h5py.ref_dtype, h5py.string_dtype("ascii", 7),
        np.dtype(("i4", (3,))), "S1",
    ))
    return np.zeros(shape, odd)


def _group(dice: Dice, file: h5py.File, n: int) -> None:
    inner: h5py.Group = file
    for k in range(dice.many(3, 300)):
        inner = inner.create_group(f"g{k}")
    _dataset(dice, inner, "deep", n)


def _cycle(dice: Dice, file: h5py.File, n: int) -> None:
    inner = file.create_group("around")
    for k in range(dice.few(30)):
        inner[f"again{k}"] = dice.choice((file, inner, file["/"]))


def _soft(dice: Dice, file: h5py.File, n: int) -> None:
    for k in range(dice.few(30)):
        file[f"soft{k}"] = h5py.SoftLink(dice.choice((
            f"/soft{k}", f"/soft{(k + 1) % 30}", "/", ".", "/a", "nowhere", "../..", "/a/" * 500)))


def _external(dice: Dice, file: h5py.File, n: int) -> None:
    file["out"] = h5py.ExternalLink(dice.choice(("/etc/passwd", "a.h5", "", "x" * 3000)), "/a")


def _huge(dice: Dice, file: h5py.File, n: int) -> None:
    """Much that was never written."""
    side = dice.choice((10**3, 10**5, 10**7, 10**9, 2**40, 2**62))
    shape = dice.choice(((side,), (side, 3), (3, side), (side, side)))
    file.create_dataset(
        "huge", shape, dice.choice(("i1", "f8", "S100", h5py.string_dtype())),
        chunks=tuple(min(one, 1000) for one in shape), fillvalue=None,
        compression=dice.choice((None, "gzip")),
    )


def _filled(dice: Dice, file: h5py.File, n: int) -> None:
    file.create_dataset("filled", (n, 3), dice.choice(("f8", "i4")), chunks=(n, 3),
                        fillvalue=dice.choice((0, 1, 127)))


def _virtual(dice: Dice, file: h5py.File, n: int) -> None:
    layout = h5py.VirtualLayout((n, 3), "i8")
    layout[:] = h5py.VirtualSource(dice.choice((".", "/etc/passwd", "x.h5")), "a", (n, 3))
    file.create_virtual_dataset("virtual", layout)


def _filters(dice: Dice, file: h5py.File, n: int) -> None:
    created = h5py.h5p.create(h5py.h5p.DATASET_CREATE)
    created.set_chunk((n, 3))
    for _ in range(dice.few(8)):
        created.set_filter(dice.choice((1, 2, 3, 4, 5, 6, 32_000, 32_015, 307)),
                           h5py.h5z.FLAG_OPTIONAL, tuple(dice.randrange(9) for _ in range(3)))
    space = h5py.h5s.create_simple((n, 3))
    h5py.h5d.create(file.id, b"filters", h5py.h5t.NATIVE_INT64, space, created)


def _types(dice: Dice, file: h5py.File, n: int) -> None:
    file["type"] = np.dtype([(f"f{k}", "i4") for k in range(dice.few(200))])
    file["many"] = np.zeros(n, file["type"].dtype)


_EXTRAS = (_group, _cycle, _soft, _external, _huge, _filled, _virtual, _filters, _types)
