"""Ways in which a catalogue is lost."""

from __future__ import annotations

import sqlite3
from contextlib import closing
from pathlib import Path

#: And what is said of them.
WAYS = {
    "missing": "missing", "empty": "empty", "no tables": "empty", "no rows": "listed nothing",
    "garbage": "damaged", "half": "damaged", "of others": "damaged", "a folder": "a folder",
}


def lose(catalogue: Path, how: str) -> None:
    """Damage a catalogue that nobody uses."""
    whole = catalogue.read_bytes()
    if how == "no rows":
        with closing(sqlite3.connect(catalogue)) as connection, connection:
            connection.execute("DELETE FROM runs")
            connection.execute("DELETE FROM datasets")
        return
    catalogue.unlink()
    if how in ("of others", "no tables"):
        with closing(sqlite3.connect(catalogue)) as connection:
            connection.execute("CREATE TABLE birds (name)")
            if how == "no tables":
                connection.execute("DROP TABLE birds")
    elif how == "a folder":
        catalogue.mkdir()
    elif how != "missing":
        catalogue.write_bytes({
            "empty": b"", "garbage": b"garbage" * 3000, "half": whole[:len(whole) // 2],
        }[how])
