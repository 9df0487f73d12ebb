"""Steps of an analysis, as a script and as a notebook."""

from __future__ import annotations

import hashlib
import json
import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Literal

_HEADING = re.compile(r"^#+ ")


@dataclass(frozen=True)
class Cell:
    """A step.

    kind {"words", "code"}: Words are in Markdown.
    shows: It only shows results, and is not in the script.
    """

    kind: Literal["words", "code"]
    text: str
    shows: bool = False


def script(head: str, cells: Sequence[Cell]) -> bytes:
    """The steps as a script: words become comments, headings without their marks."""
    text, with_words = head, False
    for cell in cells:
        if cell.shows:
            continue
        lines = cell.text
        if cell.kind == "words":
            lines = "\n".join(
                f"# {_HEADING.sub('', line)}".rstrip() for line in lines.splitlines()
            )
        # Words stand right above the code that they are about.
        text += f"{lines}\n" if with_words else f"\n{lines}\n"
        with_words = cell.kind == "words"
    # In literals such signs are escaped; in comments a NUL would end the script.
    return "".join(c if c.isprintable() or c == "\n" else " " for c in text).encode()


def notebook(cells: Sequence[Cell]) -> bytes:
    """The steps as a Jupyter notebook of format 4.5, not yet executed."""
    made = [_made(number, cell) for number, cell in enumerate(cells)]
    return json.dumps({
        "cells": made,
        "metadata": {
            "kernelspec": {"display_name": "Python 3", "language": "python", "name": "python3"},
            "language_info": {"name": "python"},
        },
        "nbformat": 4, "nbformat_minor": 5,
    }, indent=1, ensure_ascii=False).encode()


def _made(number: int, cell: Cell) -> dict[str, Any]:
    # The same steps are the same file: an id says what is in a cell, and where.
    name = hashlib.blake2b(f"{number} {cell.text}".encode(), digest_size=6).hexdigest()
    lines = cell.text.splitlines(keepends=True)
    common = {"id": name, "metadata": {}, "source": lines}
    if cell.kind == "words":
        return {"cell_type": "markdown", **common}
    return {"cell_type": "code", "execution_count": None, "outputs": [], **common}
