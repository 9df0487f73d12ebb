"""Archives that somebody has changed: the sums are right, what they say is not."""

from __future__ import annotations

import io
import zipfile

from tripletscope.dashboard import export
from tripletscope.dashboard.door.archive import MANIFEST, manifest
from tripletscope.dashboard.reproduce.terms import Terms

TERMS = Terms("Shapes, compared", ("Ada Lovelace", "Hopper, Grace"), "CC0-1.0")


def unzipped(content: bytes) -> dict[str, bytes]:
    """The files of an archive by their names."""
    with zipfile.ZipFile(io.BytesIO(content)) as file:
        return {name: file.read(name) for name in file.namelist()}


def signed(files: dict[str, bytes]) -> bytes:
    """An archive of files, with sums of what they are now."""
    others = {name: content for name, content in files.items() if name != MANIFEST}
    return export.bundle({**others, MANIFEST: manifest(others)})
