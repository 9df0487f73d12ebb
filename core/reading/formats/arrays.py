"""Arrays in NumPy, HDF5 and MATLAB files. Files that refer to other files are refused."""

from __future__ import annotations

import io
from typing import Any

import numpy as np

from tripletscope.core.data.errors import DataError
from tripletscope.core.engine.parsing import undisturbed
from tripletscope.core.reading.formats.archive import (
    MAX_BYTES,
    MAX_RATIO,
    RATIO_FREE,
    Archive,
    damaged,
    too_large,
)
from tripletscope.core.reading.table import as_text


def arrays_in(data: bytes, name: str) -> dict[str, np.ndarray] | None:
    """The arrays of a NumPy, HDF5 or MATLAB file by name; None for any other file."""
    most = min(MAX_BYTES, max(MAX_RATIO * len(data), RATIO_FREE))
    if data.startswith((b"PK\x03\x04", b"PK\x05\x06")):
        archive = Archive(data, name)
        if not archive.names or not all(member.endswith(".npy") for member in archive.names):
            return None
        return {member.removesuffix(".npy"): _npy(content, name) for member, content in archive}
    if data.startswith(b"\x93NUMPY"):
        return {"": _npy(data, name)}
    if data.startswith(b"\x89HDF"):
        return _parsed(_hdf5, "HDF5", data, name, most)
    if data.startswith(b"MATLAB 7.3"):  # HDF5 behind a head
        arrays = _parsed(_hdf5, "MATLAB", data, name, most)
        # MATLAB writes columns first; names with # are internal.
        return {key: values.T for key, values in arrays.items() if not key.startswith("#")}
    return _parsed(_matlab, "MATLAB", data, name, most) if data.startswith(b"MATLAB 5") else None


def decoded_texts(values: np.ndarray) -> np.ndarray:
    return np.char.decode(values, "utf-8", "replace") if values.dtype.kind == "S" else values


def _npy(data: bytes, name: str) -> np.ndarray:
    """An array; arrays of objects are refused, because they may contain programs."""
    try:
        return undisturbed(lambda: _checked(data))
    except Exception as error:
        # numpy passes on any error of Python's parser.
        remedy = "Copy or download it again."
        if "allow_pickle" in str(error) or "Object arrays" in str(error):
            remedy = "Save the array with a numeric or text type, not as objects."
        raise DataError(
            "the NumPy array is damaged, incomplete or of objects", file=name, remedy=remedy
        ) from error


def _checked(data: bytes) -> np.ndarray:
    stream = io.BytesIO(data)
    version = np.lib.format.read_magic(stream)
    read = {
        (1, 0): np.lib.format.read_array_header_1_0, (2, 0): np.lib.format.read_array_header_2_0
    }.get(version)
    if read is not None:  # checks the size before memory is allocated
        shape, _, dtype = read(stream)
        size = int(np.prod([float(side) for side in shape])) * dtype.itemsize
        if size > len(data):
            raise ValueError("the array is longer than the file")
        stream.seek(0)
    array = np.load(stream, allow_pickle=False)
    if not array.dtype.itemsize:
        raise ValueError("empty cells have no defined value")
    return array


class _ReachesOut(Exception):
    """A file refers to something outside."""


class _TooLarge(Exception):
    """A file unpacks to too much."""


def _parsed(parser: Any, title: str, data: bytes, name: str, most: int) -> dict[str, np.ndarray]:
    try:
        return parser(data, most)
    except _TooLarge:
        raise too_large(name) from None
    except _ReachesOut:
        raise DataError(
            f"parts of the {title} file are stored elsewhere: external storage, a virtual dataset, "
            "a link to another file, or a filter of its own", file=name,
            remedy="Write the arrays themselves into one file, uncompressed or by gzip, or save "
            "the answers as CSV.",
        ) from None
    except Exception as error:
        # Damaged files raise errors of any type.
        raise damaged(f"the {title} file", name) from error


def _hdf5(data: bytes, most: int) -> dict[str, np.ndarray]:
    import h5py  # late: few files need it

    arrays: dict[str, np.ndarray] = {}
    size = 0

    def leaves(path: bytes, link: Any) -> bool:
        # Soft links stay in the file; other types may run programs to find their target.
        return link.type not in (h5py.h5l.TYPE_HARD, h5py.h5l.TYPE_SOFT)

    def take(path: str | bytes, item: Any) -> None:
        nonlocal size
        if not isinstance(item, h5py.Dataset):
            return
        if _reaches_out(item):  # before the shape, which may come from other files
            raise _ReachesOut
        if not 0 < item.ndim <= 2:
            return
        is_text = h5py.check_string_dtype(item.dtype) is not None
        if not is_text and item.dtype.kind not in "biuf":
            return
        size += item.size * max(item.dtype.itemsize, 1)
        if size > most:
            raise _TooLarge
        values = item[()]
        if is_text:
            texts = [as_text(value) for value in values.ravel()]
            size += 4 * len(texts) * max(map(len, texts), default=0)
            if size > most:
                raise _TooLarge
            values = np.array(texts).reshape(values.shape)
        arrays[as_text(path)] = values

    with h5py.File(io.BytesIO(data), "r") as file:
        if file.id.links.visit(leaves, info=True):
            raise _ReachesOut
        file.visititems(take)
    return arrays


def _reaches_out(dataset: Any) -> bool:
    """Whether values are in other files, or need a filter that is not built in."""
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
        raise _TooLarge
    arrays: dict[str, np.ndarray] = {}
    for name, value in loadmat(io.BytesIO(data)).items():
        if not name.startswith("__"):
            arrays |= _plain(name, np.asarray(value))
    if sum(value.nbytes for value in arrays.values()) > most:  # cells are not in their shapes
        raise _TooLarge
    return arrays


def _plain(name: str, value: np.ndarray) -> dict[str, np.ndarray]:
    """The arrays of a variable: of a struct those of its fields, of equal cells one of all.

    Fields are called name.field; the first axis counts the structs of an array.
    """
    if value.dtype.kind in "biufU":
        return {name: value}
    if value.dtype.names:
        fields: dict[str, np.ndarray] = {}
        for own in value.dtype.names:
            fields |= _plain(f"{name}.{own}", value[own])
        return fields
    cells = [np.asarray(cell) for cell in value.ravel()] if value.dtype.kind == "O" else []
    if any(cell.dtype.kind not in "biufU" for cell in cells) or len(
        {(cell.dtype.kind == "U", cell.shape) for cell in cells}
    ) != 1:
        return _plain(name, cells[0]) if len(cells) == 1 else {}
    if len(cells) == 1:
        return {name: cells[0]}
    if cells[0].dtype.kind == "U":
        return {name: np.array([cell.item() for cell in cells])} if cells[0].size == 1 else {}
    return {name: np.array(cells)}
