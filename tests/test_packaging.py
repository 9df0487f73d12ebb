"""What packages the program for others: recipes, starters, workflows. Nothing is built here."""

from __future__ import annotations

import json
import os
import re
import subprocess
import tomllib
from pathlib import Path

import pytest
import yaml
from packaging.requirements import Requirement

from tests.builder import builder
from tests.paths import ROOT
from tripletscope import __version__
from tripletscope.dashboard.collect import jspsych
from tripletscope.dashboard.collect.jspsych import SCRIPTS, STYLES

PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]
WORKFLOWS = sorted((ROOT / ".github" / "workflows").glob("*.yml"))
STARTERS = ROOT / "packaging" / "starters"
#: Distributions that are called otherwise by conda-forge, and what extras are there.
CONDA = {"kaleido": "python-kaleido"}
EXTRAS = {"fonttools": {"woff": ["brotli-python"]}}


# jsPsych ----------------------------------------------------------------------------------------


def test_the_lock_names_exact_versions_and_no_hosts():
    folder = ROOT / "packaging" / "jspsych"
    wanted = json.loads((folder / "package.json").read_text())["dependencies"]
    lock = json.loads((folder / "package-lock.json").read_text())["packages"]
    assert lock.pop("")["dependencies"] == wanted
    for name, one in lock.items():
        assert re.fullmatch(r"\d+\.\d+\.\d+", one["version"]), name
        assert one["integrity"].startswith("sha512-")
        assert "MIT" in one["license"]
        assert "resolved" not in one
    assert {f"node_modules/{name}" for name in wanted} <= {*lock}
    assert all(lock[f"node_modules/{name}"]["version"] == wanted[name] for name in wanted)
    sources = builder().FILES.values()
    assert {re.match(r"(@\w+/)?[\w-]+", source)[0] for source in sources} == {*wanted}
    assert {*builder().FILES} == {*SCRIPTS, *STYLES}


def test_the_package_is_built_where_jspsych_cannot_be_had(tmp_path, monkeypatch):
    ours = builder()
    ours.PLACE = tmp_path / "jspsych"
    ours._npm = lambda arguments, folder: subprocess.run(
        ["sh", "-c", "echo no network >&2; exit 1"], check=True, capture_output=True, text=True)
    assert ours.get_requires_for_build_wheel() == [ours.NPM_PACKAGE]
    monkeypatch.setattr(ours.api, "build_wheel", lambda *given: "a wheel")
    with pytest.warns(UserWarning, match="page Collect will run no experiments: no network"):
        assert ours.build_wheel(str(tmp_path)) == "a wheel"
    assert not ours.PLACE.exists()


def test_jspsych_is_brought_in_once_without_fonts_and_other_addresses(tmp_path):
    ours = builder()
    ours.PLACE = tmp_path / "jspsych"

    def npm(arguments, folder):
        assert arguments[:2] == ["ci", "--ignore-scripts"]
        for source in ours.FILES.values():
            path = folder / "node_modules" / source
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text("@font-face {\n src: url(data:x); }\na { color: red; }\n"
                            "//# sourceMappingURL=https://somewhere/else.map")
        about = folder / "node_modules" / "one"
        about.mkdir()
        (about / "package.json").write_text('{"name": "one", "version": "1.0.0"}')
        (about / "license").write_text("Free for all")

    ours._npm = npm
    ours.bring()
    assert (ours.PLACE / "jspsych.css").read_text().strip() == "a { color: red; }"
    licences = (ours.PLACE / "LICENSES.txt").read_text()
    assert "Joshua R. de Leeuw" in licences
    assert "one 1.0.0\n\nFree for all" in licences
    ours._npm = None  # nobody asks for it again
    assert ours.get_requires_for_build_wheel() == []
    ours._bring_if_possible()
    (ours.PLACE / "jspsych.js").unlink()
    assert not ours.is_there()


def test_what_is_missing_is_said(tmp_path, monkeypatch):
    monkeypatch.setattr(jspsych, "FOLDER", tmp_path)
    for name in (*SCRIPTS, *STYLES):
        (tmp_path / name).touch()
    assert jspsych.missing() == ""
    (tmp_path / "jspsych.js").unlink()
    assert "(jspsych.js)" in jspsych.missing()
    assert "Install TripletScope again" in jspsych.missing()


# Conda ------------------------------------------------------------------------------------------


def recipe() -> dict:
    text = (ROOT / "packaging" / "conda" / "meta.yaml").read_text()
    given = dict(re.findall(r'{% set (\w+) = "([^"]+)" %}', text))
    assert given == {"name": "tripletscope", "version": __version__}
    text = re.sub(r"{%.*?%}", "", text)
    text = text.replace("{{ PYTHON }}", "python")
    return yaml.safe_load(re.sub(r"{{ (\w+) }}", lambda found: given[found[1]], text))


def test_the_recipe_needs_what_the_project_needs():
    wanted = {"python": PROJECT["requires-python"]}
    for text in PROJECT["dependencies"]:
        one = Requirement(text)
        wanted[CONDA.get(one.name, one.name)] = str(one.specifier)
        for extra in one.extras:
            wanted |= dict.fromkeys(EXTRAS[one.name][extra], "")
    given = (line.partition(" ") for line in recipe()["requirements"]["run"])
    assert {name: version for name, _, version in given} == wanted
    (command,) = recipe()["build"]["entry_points"]
    assert command == f"tripletscope = {PROJECT['scripts']['tripletscope']}"


# Container --------------------------------------------------------------------------------------


def test_the_container_is_nobodys_root_and_watched():
    text = (ROOT / "packaging" / "Containerfile").read_text()
    lines = text.replace("\\\n", " ").splitlines()
    steps = [line.split()[0] for line in lines if re.match(r"[A-Z]+ ", line)]
    assert steps.count("FROM") == 2
    last = steps[len(steps) - steps[::-1].index("FROM"):]
    assert {"USER", "HEALTHCHECK", "VOLUME", "ENTRYPOINT"} <= set(last)
    assert "USER person" in lines
    for source in re.findall(r"^COPY (?!--from)(\S+)", text, re.MULTILINE):
        assert (ROOT / source).exists(), source
    assert (ROOT / re.search(r"-c (\S+)", text)[1]).exists()


def test_the_entry_point_of_the_container_is_a_script():
    subprocess.run(["sh", "-n", ROOT / "packaging" / "entrypoint.sh"], check=True)


# Starters ---------------------------------------------------------------------------------------


def programs(folder: Path, **scripts: str) -> str:
    """A search path with nothing but some programs of our own and those of the system."""
    folder.mkdir()
    for name, text in scripts.items():
        (folder / name).write_text(f"#!/bin/sh\n{text}\n")
        (folder / name).chmod(0o755)
    for name in ("sh", "uname", "rm", "mkdir", "cat", "chmod", "dirname"):
        (folder / name).symlink_to(f"/bin/{name}" if Path(f"/bin/{name}").exists()
                                   else f"/usr/bin/{name}")
    return str(folder)


def started(tmp_path: Path, path: str) -> subprocess.CompletedProcess:
    text = (STARTERS / "TripletScope.command").read_text()
    # What a person has at the usual places is not to be found.
    text = re.sub(r'^PATH=.*$', f'PATH="{path}"', text, flags=re.MULTILINE)
    script = tmp_path / "packaging" / "starters" / "TripletScope.command"
    script.parent.mkdir(parents=True, exist_ok=True)
    script.write_text(text)
    return subprocess.run(
        ["/bin/sh", script], capture_output=True, text=True, input="\n",
        env={"HOME": str(tmp_path), "PATH": path},
    )


def test_a_double_click_uses_uv_where_there_is_one(tmp_path):
    path = programs(tmp_path / "bin", uv='echo "uv $*"')
    assert started(tmp_path, path).stdout == "uv tool run --from tripletscope tripletscope\n"
    (tmp_path / "packaging" / "backend.py").touch()
    here = started(tmp_path, path).stdout
    assert here == f"uv tool run --from {tmp_path} tripletscope\n", "a copy of the repository"


def test_a_double_click_installs_once(tmp_path):
    python = (
        'if [ "$1" = -c ]; then exit 0; fi\n'
        'place="$3"; mkdir -p "$place/bin"\n'
        'printf "#!/bin/sh\\necho pip \\$*; printf \'#!/bin/sh\\necho runs\\n\' > '
        '\\"$place/bin/tripletscope\\"; chmod +x \\"$place/bin/tripletscope\\"\\n" '
        '> "$place/bin/python"; chmod +x "$place/bin/python"'
    )
    path = programs(tmp_path / "bin", python3=python)
    first = started(tmp_path, path)
    assert "Installing" in first.stdout, first.stderr
    assert first.stdout.endswith("runs\n"), first.stderr
    assert started(tmp_path, path).stdout == "runs\n"


def test_a_double_click_says_what_is_missing(tmp_path):
    ended = started(tmp_path, programs(tmp_path / "bin", python3="exit 1"))
    assert ended.returncode == 1
    assert "Python 3.11 or newer is missing" in ended.stdout


def test_an_installation_that_fails_leaves_nothing(tmp_path):
    python = 'if [ "$1" = -c ]; then exit 0; fi\nmkdir -p "$3/bin"; exit 1'
    ended = started(tmp_path, programs(tmp_path / "bin", python3=python))
    assert ended.returncode == 1
    assert "That did not work" in ended.stdout
    assert not list(tmp_path.rglob("tripletscope-program"))


def test_starters_are_files_of_their_systems():
    assert os.access(STARTERS / "TripletScope.command", os.X_OK)
    batch = (STARTERS / "TripletScope.bat").read_bytes()
    assert batch.count(b"\r\n") == batch.count(b"\n") > 10
    labels = set(re.findall(rb"^:(\w+)", batch, re.MULTILINE))
    assert set(re.findall(rb"goto (\w+)", batch)) == labels
    entry = (STARTERS / "tripletscope.desktop").read_text()
    assert entry.startswith("[Desktop Entry]\n")
    assert "TripletScope.command" in entry


# Workflows --------------------------------------------------------------------------------------


@pytest.mark.parametrize("path", WORKFLOWS, ids=lambda path: path.stem)
def test_workflows_are_valid_and_name_versions(path):
    found = yaml.safe_load(path.read_text())
    assert found[True], "when it runs"  # YAML takes `on` for true
    assert found["permissions"] == {"contents": "read"}
    for job in found["jobs"].values():
        assert job["runs-on"]
        assert set(job.get("needs", ())) <= set(found["jobs"])
        for step in job["steps"]:
            assert ("run" in step) != ("uses" in step)
            assert re.search(r"@(v\d|release/v\d|[0-9a-f]{40})", step.get("uses", "@v1"))
            named = r"(?:python|sh) ([\w./]+\.py|\.ci/run)|\s(tests/[\w/]+)"
            for script in re.findall(named, step.get("run", "")):
                assert (ROOT / "".join(script)).exists()


def test_the_oldest_python_that_is_promised_and_newer_ones_are_tested():
    (ci,) = (path for path in WORKFLOWS if path.stem == "ci")
    oldest, *newer = yaml.safe_load(ci.read_text())["jobs"]["test"]["strategy"]["matrix"]["python"]
    assert PROJECT["requires-python"] == f">={oldest}"
    assert len(newer) >= 2


def test_a_release_is_signed_and_needs_its_tests():
    jobs = yaml.safe_load((ROOT / ".github" / "workflows" / "release.yml").read_text())["jobs"]
    assert {"build", "test", "docs"} <= set(jobs["publish"]["needs"])
    for name in ("build", "docs", "container"):
        assert jobs[name]["permissions"]["attestations"] == "write"
