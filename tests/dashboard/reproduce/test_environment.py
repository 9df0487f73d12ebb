"""The versions that are written down are those that are there, and those that were locked."""

from __future__ import annotations

import re
import tomllib
from importlib.metadata import version

import yaml
from packaging.requirements import Requirement
from packaging.utils import canonicalize_name

from tests.paths import ROOT
from tripletscope import __version__
from tripletscope.dashboard.reproduce import environment

DIRECT = {
    canonicalize_name(Requirement(text).name)
    for text in tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]["dependencies"]
}


def test_the_lock_has_every_dependency_in_the_version_that_is_tested():
    assert set(environment.locked()) >= DIRECT, "run `make lock`"
    tested = {
        canonicalize_name(name): version for name, version in re.findall(
            r"^([\w.-]+)==(\S+)", (ROOT / "constraints.txt").read_text(), re.MULTILINE
        )
    }
    for name, locked in environment.locked().items():
        assert tested.get(canonicalize_name(name), locked) == locked, "run `make lock`"


def test_every_version_of_the_lock_has_hashes():
    entries = re.split(r"^(?=[\w.-]+==)", environment.LOCK.read_text(), flags=re.MULTILINE)
    assert len(entries) - 1 == len(environment.locked())
    assert all(re.search(r"--hash=sha256:[0-9a-f]{64}", entry) for entry in entries[1:])


def test_files_name_what_is_installed():
    files = environment.environment_files()
    here = dict(
        line.split("==") for line in files["requirements.txt"].decode().splitlines()
        if not line.startswith("#")
    )
    assert here.pop("tripletscope") == __version__
    assert set(here) >= DIRECT
    assert all(version(name) == known for name, known in here.items())
    conda = yaml.safe_load(files["environment.yml"])
    assert conda["dependencies"][-1]["pip"][1:] == [f"{n}=={v}" for n, v in here.items()]


def test_versions_that_are_not_those_of_the_lock_are_named(monkeypatch):
    monkeypatch.setattr(environment, "installed", lambda: {"numpy": "0.1"})
    locked = environment.environment_files()["requirements-locked.txt"].decode()
    assert f"numpy {environment.locked()['numpy']} (there 0.1)" in locked
    assert "other versions" in locked


def test_a_script_says_what_it_needs():
    head = environment.script_header()
    block = re.fullmatch(r"# /// script\n((?:#.*\n)+)# ///", head).group(1)
    needs = tomllib.loads(re.sub(r"^# ?", "", block, flags=re.MULTILINE))
    assert f"tripletscope=={__version__}" in needs["dependencies"]
    assert f"numpy=={version('numpy')}" in needs["dependencies"]
