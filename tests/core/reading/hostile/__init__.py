"""Hostile files, each with a name that says what is hostile: what makes it, by format and name."""

from __future__ import annotations

from tests.core.reading.hostile import arrays, binaries, documents, packages, sheets, texts
from tests.core.reading.hostile.making import Files

HOSTILE: dict[str, Files] = {
    "text": texts.FILES, "JSON": documents.FILES, "zip": packages.FILES, "Excel": sheets.FILES,
    "Parquet": binaries.PARQUET, "HDF5": binaries.HDF5, "MATLAB": arrays.MATLAB,
    "NumPy": arrays.NUMPY,
}
