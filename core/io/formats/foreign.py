"""Arrays from HDF5 and MATLAB files, read in a process of their own.

Their parsers are old C code that damaged files can crash, and with it whoever called it. Run as a
program, this module reads a file from standard input and writes its arrays to standard output as
.npz; it imports nothing of this package, so that it starts quickly. A file may name other files of
this machine as its content: such a file is refused.

A process that has been shut in already parses them itself, see `parse_here`.
"""

from __future__ import annotations

import contextlib
import importlib
import io
import os
import subprocess
import sys
from typing import Any

import numpy as np

#: Seconds after which the parser is given up.
PATIENCE = 30
#: Address space that it may take, in bytes.
MEMORY = 6 * 2**30
#: Variables without which HDF5 would search the machine for programs that decode its filters.
NO_PLUGINS = {"HDF5_PLUGIN_PRELOAD": "::"}

#: How the program ends: all is well; the file cannot be read; it unpacks to too much; it takes
#: something from outside of itself.
FINE, DAMAGED, TOO_LARGE, REACHES_OUT = 0, 3, 4, 5

_here = False


def parse_here() -> None:
    """Parse in this process from now on: it is about to lose what a parser could want."""
    global _here
    for needed in _NEEDED.values():
        importlib.import_module(needed)
    _here = True


def arrays_of(kind: str, data: bytes, most: int) -> dict[str, np.ndarray] | int:
    """The plain arrays in a file, or how the program ended without them."""
    if _here:
        try:
            return _PARSERS[kind](data, most)
        except _Refused as refused:
            return refused.args[0]
        except Exception:
            return DAMAGED
    try:
        done = subprocess.run(
            [sys.executable, "-I", __file__, kind, str(most)], input=data, capture_output=True,
            timeout=PATIENCE, check=False, env=os.environ | NO_PLUGINS,
        )
    except subprocess.TimeoutExpired:
        return DAMAGED
    if done.returncode != FINE:
        return done.returncode if done.returncode in (TOO_LARGE, REACHES_OUT) else DAMAGED
    with np.load(io.BytesIO(done.stdout), allow_pickle=False) as arrays:
        names = arrays["names"].tolist()
        return {name: arrays[f"array_{i}"] for i, name in enumerate(names)}


class _Refused(Exception):
    """How the program ends, of `TOO_LARGE` and `REACHES_OUT`."""


def _hdf5(data: bytes, most: int) -> dict[str, np.ndarray]:
    import h5py

    arrays: dict[str, np.ndarray] = {}
    size = 0

    def leaves(path: bytes, link: Any) -> bool:
        # Soft links name places in the same file; others may be programs that find their target.
        return link.type not in (h5py.h5l.TYPE_HARD, h5py.h5l.TYPE_SOFT)

    def take(path: str | bytes, item: Any) -> None:
        nonlocal size
        if not isinstance(item, h5py.Dataset):
            return
        if _reaches_out(item):  # asked first: the shape of some is that of other files
            raise _Refused(REACHES_OUT)
        if not 0 < item.ndim <= 2:
            return
        is_text = h5py.check_string_dtype(item.dtype) is not None
        if not is_text and item.dtype.kind not in "biuf":
            return
        size += item.size * max(item.dtype.itemsize, 1)
        if size > most:
            raise _Refused(TOO_LARGE)
        values = item[()]
        if is_text:
            texts = [_text(value) for value in values.ravel()]
            size += 4 * len(texts) * max(map(len, texts), default=0)
            if size > most:
                raise _Refused(TOO_LARGE)
            values = np.array(texts).reshape(values.shape)
        arrays[_text(path)] = values

    with h5py.File(io.BytesIO(data), "r") as file:
        if file.id.links.visit(leaves, info=True):
            raise _Refused(REACHES_OUT)
        file.visititems(take)
    return arrays


def _reaches_out(dataset: Any) -> bool:
    """Whether values are in other files, or are decoded by a filter that is not built in."""
    import h5py

    created = dataset.id.get_create_plist()
    filters = [created.get_filter(i)[0] for i in range(created.get_nfilters())]
    return (
        created.get_external_count() > 0 or created.get_layout() == h5py.h5d.VIRTUAL
        or not all(map(h5py.h5z.filter_avail, filters))
    )


def _matlab(data: bytes, most: int) -> dict[str, np.ndarray]:
    from scipy.io import loadmat, whosmat

    about = whosmat(io.BytesIO(data))
    if sum(8 * float(np.prod(shape)) for _, shape, _ in about) > most:
        raise _Refused(TOO_LARGE)
    arrays = loadmat(io.BytesIO(data))
    plain = {name: np.asarray(value) for name, value in arrays.items() if not name.startswith("__")}
    return {name: value for name, value in plain.items() if value.dtype.kind in "biufU"}


def _text(value: Any) -> str:
    return value.decode(errors="replace") if isinstance(value, bytes) else str(value)


_PARSERS = {"hdf5": _hdf5, "matlab": _matlab}
_NEEDED = {"hdf5": "h5py", "matlab": "scipy.io"}


def _main() -> int:
    kind, most = sys.argv[1], int(sys.argv[2])
    with contextlib.suppress(ImportError, ValueError, OSError):  # not every system has such limits
        resource = importlib.import_module("resource")
        resource.setrlimit(resource.RLIMIT_AS, (MEMORY, MEMORY))
    try:
        arrays = _PARSERS[kind](sys.stdin.buffer.read(), most)
        buffer = io.BytesIO()
        numbered = {f"array_{i}": values for i, values in enumerate(arrays.values())}
        np.savez(buffer, names=np.array(list(arrays), dtype=str), **numbered)
    except _Refused as refused:
        return refused.args[0]
    except Exception:
        # What a parser meets in a damaged file is of any kind.
        return DAMAGED
    sys.stdout.buffer.write(buffer.getvalue())
    return FINE


if __name__ == "__main__":
    sys.exit(_main())
