"""The versions that are written down are those that are there."""

from __future__ import annotations

import re
import tomllib
from importlib.metadata import version

import yaml
from packaging.requirements import Requirement
from packaging.utils import canonicalize_name

from tests.paths import ROOT
from tripletscope import __version__
from tripletscope.dashboard.archive import environment

DIRECT = {
    canonicalize_name(Requirement(text).name)
    for text in tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]["dependencies"]
}


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


def test_what_dependencies_depend_on_is_named():
    assert {"altair", "click"} <= environment.installed().keys() - DIRECT


def test_a_script_says_what_it_needs():
    head = environment.script_header()
    block = re.fullmatch(r"# /// script\n((?:#.*\n)+)# ///", head).group(1)
    needs = tomllib.loads(re.sub(r"^# ?", "", block, flags=re.MULTILINE))
    known = dict(one.split("==") for one in needs["dependencies"])
    assert known == {"tripletscope": __version__, **environment.installed()}
    assert known["numpy"] == version("numpy")
