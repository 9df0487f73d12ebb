"""Versions of the software, in formats that recreate an environment."""

from __future__ import annotations

import platform
import re
from functools import cache
from importlib.metadata import PackageNotFoundError, distribution
from pathlib import Path

from packaging.requirements import Requirement
from packaging.utils import canonicalize_name

from tripletscope import __version__

#: Versions and hashes of this version's dependencies, as `make lock` has written them.
LOCK = Path(__file__).parent / "locked.txt"
#: Libraries that results depend on to the last bit.
_COMPUTE = ("numba", "numpy", "pandas", "scikit-learn", "scipy")


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


@cache
def locked() -> dict[str, str]:
    """Versions in the lock of this version, by name."""
    return dict(re.findall(r"^([\w.-]+)==([^ ;\\]+)", LOCK.read_text(), re.MULTILINE))


def script_header() -> str:
    """Versions for ``uv run`` and ``pipx run`` (PEP 723)."""
    wanted = [f"tripletscope=={__version__}"]
    wanted += [f"{name}=={installed()[name]}" for name in _COMPUTE if name in installed()]
    lines = [f'    "{one}",' for one in wanted]
    return "\n".join(f"# {line}".rstrip() for line in (
        "/// script", 'requires-python = ">=3.11"', "dependencies = [", *lines, "]", "///",
    ))


def environment_files() -> dict[str, bytes]:
    """Files from which pip, uv and conda make the environment, by name."""
    pins = [f"tripletscope=={__version__}", *(f"{n}=={v}" for n, v in installed().items())]
    python = platform.python_version()
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
    lock = [
        f"# The versions that TripletScope {__version__} was released and tested with, and the",
        "# hashes of their files on PyPI, for every system.", *_differences(),
        "# pip install --require-hashes -r requirements-locked.txt",
        f"# pip install --no-deps tripletscope=={__version__}", LOCK.read_text(),
    ]
    return {
        "requirements.txt": "\n".join([*here, ""]).encode(),
        "requirements-locked.txt": "\n".join(lock).encode(),
        "environment.yml": "\n".join([*conda, ""]).encode(),
    }


def _differences() -> list[str]:
    """Differences of the installed versions from the lock, as comments."""
    other = [
        f"#   {name} {locked()[name]} (there {version})" for name, version in installed().items()
        if name in locked() and locked()[name] != version
    ]
    if not other:
        return ["# Where this was computed, all were installed in these versions."]
    return ["# Where this was computed, other versions were installed of:", *other]
