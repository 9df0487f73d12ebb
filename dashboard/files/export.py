"""Tables and runs as files, and what files are called."""

from __future__ import annotations

import io
import json
import re
import zipfile
from collections.abc import Mapping
from typing import Any

import numpy as np
import pandas as pd

from tripletscope.core.data.cells import marked
from tripletscope.core.run import Run

#: Bytes of a part of a file's name; most systems allow 255 for the whole.
_LONGEST = 100
_RETURN = re.compile(r"\r\n?")


def csv(table: pd.DataFrame) -> bytes:
    """A table as UTF-8 CSV with all digits.

    No text in it is a formula (`tripletscope.core.data.cells`): names come from users' files.
    """
    columns = [
        column if pd.api.types.is_numeric_dtype(column) and not pd.api.types.is_bool_dtype(column)
        else column.astype(object).map(_as_text) for _, column in table.items()
    ]
    safe = pd.concat(columns, axis=1) if columns else table
    return safe.set_axis([_as_text(name) for name in table.columns], axis=1).to_csv(
        index=False
    ).encode()


def _as_text(value: Any) -> Any:
    if isinstance(value, bool | np.bool_):
        return "TRUE" if value else "FALSE"  # R reads no other way of writing them
    if not isinstance(value, str):
        return value
    return marked(_RETURN.sub("\n", value))  # the writer quotes no returns: the rest were a row


def settings(runs: Mapping[str, Run], data: Mapping[str, Any]) -> bytes:
    """Provenance of results as JSON: data, method, parameters, options, versions, times."""
    record = {
        "data": dict(data),
        "computations": {
            name: {key: value for key, value in vars(run).items() if key != "arrays"}
            for name, run in runs.items()
        },
    }
    return json.dumps(record, indent=2, ensure_ascii=False).encode()


def bundle(files: Mapping[str, bytes]) -> bytes:
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, content in files.items():
            archive.writestr(name, content)
    return buffer.getvalue()


def file_name(*parts: str) -> str:
    """A file name that every system accepts, of parts of at most `_LONGEST` bytes."""
    words = (re.sub(r"[^\w.-]+", "-", part).strip("-.") for part in parts)
    words = (word.encode()[:_LONGEST].decode(errors="ignore").strip("-.") for word in words)
    return "-".join(word for word in words if word) or "tripletscope"
