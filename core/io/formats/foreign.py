"""Arrays from HDF5 and MATLAB files, read in a process of their own.

Their parsers are old C code that damaged files can crash, and with it whoever called it. Run as a
program, this module reads a file from standard input and writes its arrays to standard output as
.npz; it imports nothing of this package, so that it starts quickly.
"""

from __future__ import annotations

import io
import subprocess
import sys
from typing import Any

import numpy as np

#: Seconds after which the parser is given up.
PATIENCE = 30
#: Address space that it may take, in bytes.
MEMORY = 6 * 2**30

#: How the program ends: all is well; the file cannot be read; it unpacks to too much.
FINE, DAMAGED, TOO_LARGE = 0, 3, 4


def arrays_of(kind: str, data: bytes, most: int) -> dict[str, np.ndarray] | int:
    """The plain arrays in a file, or how the program ended without them.

    Parameters
    ----------
    kind : {"hdf5", "matlab"}
    data : bytes
    most : int
        Bytes that the arrays may have together.
    """
    try:
        done = subprocess.run(
            [sys.executable, "-I", __file__, kind, str(most)], input=data, capture_output=True,
            timeout=PATIENCE, check=False,
        )
    except subprocess.TimeoutExpired:
        return DAMAGED
    if done.returncode != FINE:
        return TOO_LARGE if done.returncode == TOO_LARGE else DAMAGED
    with np.load(io.BytesIO(done.stdout), allow_pickle=False) as found:
        names = found["names"].tolist()
        return {name: found[f"array_{i}"] for i, name in enumerate(names)}


class _TooLarge(Exception):
    pass


def _hdf5(data: bytes, most: int) -> dict[str, np.ndarray]:
    import h5py

    arrays: dict[str, np.ndarray] = {}
    size = 0

    def take(path: str | bytes, item: Any) -> None:
        nonlocal size
        if not isinstance(item, h5py.Dataset) or not 0 < item.ndim <= 2:
            return
        is_text = h5py.check_string_dtype(item.dtype) is not None
        if not is_text and item.dtype.kind not in "biuf":
            return
        size += item.size * max(item.dtype.itemsize, 1)
        if size > most:
            raise _TooLarge
        values = item[()]
        if is_text:
            values = np.array([_text(value) for value in values.ravel()]).reshape(values.shape)
        arrays[_text(path)] = values

    with h5py.File(io.BytesIO(data), "r") as file:
        file.visititems(take)
    return arrays


def _matlab(data: bytes, most: int) -> dict[str, np.ndarray]:
    from scipy.io import loadmat, whosmat

    if sum(8 * float(np.prod(shape)) for _, shape, _ in whosmat(io.BytesIO(data))) > most:
        raise _TooLarge
    found = loadmat(io.BytesIO(data))
    plain = {name: np.asarray(value) for name, value in found.items() if not name.startswith("__")}
    return {name: value for name, value in plain.items() if value.dtype.kind in "biufU"}


def _text(value: Any) -> str:
    return value.decode(errors="replace") if isinstance(value, bytes) else str(value)


def _main() -> int:
    kind, most = sys.argv[1], int(sys.argv[2])
    try:
        import resource

        resource.setrlimit(resource.RLIMIT_AS, (MEMORY, MEMORY))
    except (ImportError, ValueError, OSError):
        pass  # not every system knows such limits
    try:
        arrays = {"hdf5": _hdf5, "matlab": _matlab}[kind](sys.stdin.buffer.read(), most)
        buffer = io.BytesIO()
        numbered = {f"array_{i}": values for i, values in enumerate(arrays.values())}
        np.savez(buffer, names=np.array(list(arrays), dtype=str), **numbered)
    except _TooLarge:
        return TOO_LARGE
    except Exception:
        # What a parser meets in a damaged file is of any kind.
        return DAMAGED
    sys.stdout.buffer.write(buffer.getvalue())
    return FINE


if __name__ == "__main__":
    sys.exit(_main())
