"""Grammars of the files that can be uploaded: each makes one of chance, with chance deviations."""

from __future__ import annotations

from collections.abc import Callable

from benchmarks.grammar.arrays import matlab, npy, npz
from benchmarks.grammar.dice import Dice
from benchmarks.grammar.documents import document
from benchmarks.grammar.hierarchies import hdf5, matlab73
from benchmarks.grammar.packages import archive
from benchmarks.grammar.parquet import parquet
from benchmarks.grammar.sheets import workbook
from benchmarks.grammar.texts import text

#: What makes a file of each format: name and content.
GRAMMARS: dict[str, Callable[[Dice], tuple[str, bytes]]] = {
    "text": text, "JSON": document, "zip": archive, "Excel": workbook, "Parquet": parquet,
    "HDF5": hdf5, "MATLAB 7.3": matlab73, "MATLAB 5": matlab, "npy": npy, "npz": npz,
}
