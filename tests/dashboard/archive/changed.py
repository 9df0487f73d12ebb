"""Archives that somebody has changed, whose sums are right; and scripts that run."""

from __future__ import annotations

import io
import zipfile
from contextlib import redirect_stdout
from pathlib import Path

import pytest

from tripletscope.dashboard.archive.terms import Terms
from tripletscope.dashboard.files import export
from tripletscope.dashboard.sandbox.archive import MANIFEST, manifest

TERMS = Terms("Shapes, compared", ("Ada Lovelace", "Hopper, Grace"), "CC0-1.0")


def unzipped(content: bytes) -> dict[str, bytes]:
    """The files of an archive by their names."""
    with zipfile.ZipFile(io.BytesIO(content)) as file:
        return {name: file.read(name) for name in file.namelist()}


def signed(files: dict[str, bytes]) -> bytes:
    """An archive of files, with sums of what they are now."""
    others = {name: content for name, content in files.items() if name != MANIFEST}
    return export.bundle({**others, MANIFEST: manifest(others)})


def ran(folder: Path, script: str) -> str:
    """What a script prints, in this process: another one would load everything anew."""
    code = compile((folder / script).read_bytes(), script, "exec")
    with pytest.MonkeyPatch.context() as patch, redirect_stdout(io.StringIO()) as printed:
        patch.chdir(folder)
        exec(code, {"__name__": "__main__", "__file__": script})
    return printed.getvalue()
