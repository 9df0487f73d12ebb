"""Versions of the software, in formats that recreate an environment."""

from __future__ import annotations

import platform
from functools import cache
from importlib.metadata import PackageNotFoundError, distribution

from packaging.requirements import Requirement
from packaging.utils import canonicalize_name

from tripletscope import __version__


@cache
def installed() -> dict[str, str]:
    """Versions of TripletScope's dependencies, direct and indirect, that are installed here."""
    versions: dict[str, str] = {}
    waiting = [("tripletscope", frozenset[str]())]
    seen = set(waiting)
    while waiting:
        name, extras = waiting.pop()
        try:
            there = distribution(name)
        except PackageNotFoundError:  # of a checkout that was not installed, or not needed here
            continue
        if name != "tripletscope":
            versions[canonicalize_name(name)] = there.version
        for text in there.requires or ():
            wanted = Requirement(text)
            chosen = any(
                wanted.marker is None or wanted.marker.evaluate({"extra": extra})
                for extra in ("", *extras)
            )
            one = canonicalize_name(wanted.name), frozenset(wanted.extras)
            if chosen and one not in seen:
                seen.add(one)
                waiting.append(one)
    return dict(sorted(versions.items()))


def _pins() -> list[str]:
    return [f"tripletscope=={__version__}", *(f"{n}=={v}" for n, v in installed().items())]


def script_header() -> str:
    """Versions for ``uv run`` and ``pipx run`` (PEP 723)."""
    lines = [f'    "{one}",' for one in _pins()]
    return "\n".join(f"# {line}".rstrip() for line in (
        "/// script", 'requires-python = ">=3.11"', "dependencies = [", *lines, "]", "///",
    ))


def environment_files() -> dict[str, bytes]:
    """Files from which pip, uv and conda make the environment, by name."""
    pins, python = _pins(), platform.python_version()
    where = f"Python {python} on {platform.system()} {platform.machine()}"
    conda = [
        f"# Python by conda, the rest from PyPI, as it was installed: {where}.",
        "name: tripletscope", "channels:", "  - conda-forge", "dependencies:",
        f"  - python={python}", "  - pip", "  - pip:", *(f"      - {pin}" for pin in pins),
    ]
    here = [
        f"# The versions that were installed where this was computed: {where}.",
        "# pip install -r requirements.txt", *pins,
    ]
    return {
        "requirements.txt": "\n".join([*here, ""]).encode(),
        "environment.yml": "\n".join([*conda, ""]).encode(),
    }
