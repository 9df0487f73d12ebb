"""What is installed: one name, whatever else is there, and a public face with types."""

from __future__ import annotations

import inspect
import json
import os
import re
import shutil
import subprocess
import sys
import sysconfig
import tarfile
import zipfile
from importlib import import_module
from pathlib import Path

import pytest

import tripletscope as ts
from tests.builder import builder
from tests.paths import ROOT, SAMPLES
from tests.public import public_things
from tests.server import UNHURRIED, running
from tripletscope._names import place_of
from tripletscope.core.engine.method import Method, methods
from tripletscope.core.engine.registry import TASKS
from tripletscope.dashboard.collect.jspsych import missing

FOLDERS = ("core", "reproductions", "dashboard", "pages", "sample_data")
#: Every public thing by its name, such as ``people.compare_people``.
PUBLIC = public_things()
KINDS = (
    "embedding", "matrix_embedding", "kernel", "cluster", "scale", "individuals",
    "dimensions", "conjoint",
)
PROMISED = [
    "read", "write_answers", "Triplets", "Quadruples", "DataError", "STE", "TSTE", "CKL",
    "GNMDS", "GNMDSK", "SOE", "LOE", "NMDS", "LORE", "K1", "K2", "KMeans",
    "SpectralClustering", "AgglomerativeClustering", "ComparisonTree", "ComparisonForestClassifier",
    "ComparisonForestRegressor", "MLDS", "bootstrap", "sample_posterior", "calibrate",
    "cross_validate", "triplet_error", "quality", "Cleaning", "Exclusion", "simulate", "run",
]
#: Names at the top that moved or were renamed, and where they are.
EARLIER = {
    "Agglomerative": "AgglomerativeClustering", "Spectral": "SpectralClustering",
    "Fitted": "MapOracle", "expected": "experiment.experiment_cost",
    "left_over": "features.residual_map", "pool": "ratings.pool_ratings",
    "Features": "features.ColumnMap", "FeatureSpaces": "features.FeatureModel",
    "FeatureSpace": "features.FeatureSpace", "compare_people": "people.compare_people",
    "SPoSE": "dimensions.SPoSE", "plan": "experiment.plan", "LOE": "ratings.LOE",
    "MDS": "ratings.MDS", "NMDS": "ratings.NMDS",
    "read_objects": "features.read_objects", "read_pairs": "experiment.read_pairs",
    "OpenedDataset": "dashboard.store.python_api.OpenedDataset",
}


# The public face ---------------------------------------------------------------------------------


def test_what_is_promised_is_public():
    assert all(map(place_of, PROMISED))
    assert set(ts.__all__) <= set(dir(ts))
    with pytest.raises(AttributeError, match=r"has no attribute 'nothing_like_that'$"):
        ts.nothing_like_that  # noqa: B018


def test_the_top_is_short():
    assert len(ts.__all__) < 55


@pytest.mark.parametrize("name", PUBLIC)
def test_what_is_public_says_what_it_is(name):
    found = PUBLIC[name]
    assert len(found.__doc__) > 20
    assert found.__name__ == name.rpartition(".")[2]
    assert getattr(import_module(found.__module__), found.__name__) is found


@pytest.mark.parametrize("name", EARLIER)
def test_an_earlier_name_leads_to_the_present_one(name):
    place = f"tripletscope.{EARLIER[name]}"
    with pytest.raises(AttributeError, match=f"it is now {re.escape(place)}$"):
        getattr(ts, name)
    module, _, attribute = place.rpartition(".")
    assert hasattr(import_module(module), attribute)


def test_every_method_is_public():
    known: list[type[Method]] = [method for kind in KINDS for method in methods(kind).values()]
    assert len(known) > 14
    assert {*known} <= {*PUBLIC.values()}


def test_help_lists_the_tasks():
    listed = ts.run.__doc__.partition("One of these:")[2].partition(".")[0]
    assert set(re.findall(r"\w+", listed)) == set(TASKS)


@pytest.mark.parametrize("name", [
    name for name, found in PUBLIC.items() if "seed" in inspect.signature(found).parameters
])
def test_a_seed_is_also_a_random_state(name):
    with pytest.raises(TypeError, match="seed and random_state are the same"):
        PUBLIC[name](seed=1, random_state=1)


def test_importing_it_loads_nothing():
    code = "import sys, tripletscope; print('numpy' in sys.modules, 'numba' in sys.modules)"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout == "False False\n"


# Installed ---------------------------------------------------------------------------------------


@pytest.fixture(scope="module")
def built(tmp_path_factory) -> Path:
    """A folder with the wheel and the source distribution."""
    folder = tmp_path_factory.mktemp("built")
    before = Path.cwd()
    os.chdir(ROOT)
    try:
        builder().build_wheel(str(folder))
        builder().build_sdist(str(folder))
    finally:
        os.chdir(before)
    return folder


def foreign_wheel(folder: Path) -> Path:
    """A wheel of somebody who calls things as our folders are called."""
    wheel = folder / "foreign-1.0-py3-none-any.whl"
    info = "foreign-1.0.dist-info"
    with zipfile.ZipFile(wheel, "w") as file:
        for name in FOLDERS:
            file.writestr(f"{name}/__init__.py", "raise ImportError('somebody else')\n")
        file.writestr(f"{info}/METADATA", "Metadata-Version: 2.1\nName: foreign\nVersion: 1.0\n")
        file.writestr(
            f"{info}/WHEEL", "Wheel-Version: 1.0\nRoot-Is-Purelib: true\nTag: py3-none-any\n"
        )
        names = [*(f"{name}/__init__.py" for name in FOLDERS), f"{info}/METADATA", f"{info}/WHEEL"]
        file.writestr(f"{info}/RECORD", "".join(f"{name},,\n" for name in names))
    return wheel


@pytest.fixture(scope="module")
def installed(built, tmp_path_factory) -> Path:
    """Python of an environment in which a foreign wheel was installed, and then ours.

    What ours depends on is taken from the environment of the tests.
    """
    folder = tmp_path_factory.mktemp("environment")
    subprocess.run([sys.executable, "-m", "venv", "--without-pip", folder], check=True)
    python = folder / ("Scripts/python.exe" if os.name == "nt" else "bin/python")
    (ours,) = built.glob("*.whl")
    subprocess.run(
        [sys.executable, "-m", "pip", "--python", python, "install", "--quiet", "--no-deps",
         "--no-index", foreign_wheel(folder), ours],
        check=True,
    )
    where = subprocess.run(
        [python, "-c", "import sysconfig; print(sysconfig.get_path('purelib'))"],
        capture_output=True, text=True, check=True,
    ).stdout.strip()
    Path(where, "dependencies.pth").write_text(sysconfig.get_path("purelib") + "\n")
    return python


@pytest.fixture
def analysis(tmp_path, monkeypatch) -> Path:
    """A folder of an analysis that has folders called like ours, and is where one stands."""
    for name in FOLDERS:
        (tmp_path / name).mkdir()
        (tmp_path / name / "__init__.py").write_text("raise ImportError('a folder here')\n")
    monkeypatch.chdir(tmp_path)
    monkeypatch.delenv("PYTHONPATH", raising=False)
    return tmp_path


def test_the_wheel_holds_one_name(built):
    (wheel,) = built.glob("*.whl")
    with zipfile.ZipFile(wheel) as file:
        names = set(file.namelist())
    version = ts.__version__
    assert {name.split("/")[0] for name in names} == {
        "tripletscope", f"tripletscope-{version}.dist-info"
    }
    assert {f"tripletscope/{folder}" for folder in FOLDERS} <= {
        "/".join(name.split("/")[:2]) for name in names
    }
    inside = {"core/reading/words.toml", "core/reading/forms.toml",
              "dashboard/ui/assets/chart.js", "dashboard/.streamlit/config.toml",
              "sample_data/alien_eggs/responses.csv", "py.typed", "__init__.pyi"}
    assert {f"tripletscope/{name}" for name in inside} <= names
    assert not [name for name in names if "__pycache__" in name or name.endswith(".pyc")]
    assert wheel.name.endswith("-py3-none-any.whl")
    if not missing():
        assert "tripletscope/jspsych/LICENSES.txt" in names


def test_the_source_distribution_gives_the_same_wheel(built, tmp_path, monkeypatch):
    (source,) = built.glob("*.tar.gz")
    with tarfile.open(source) as file:
        file.extractall(tmp_path, filter="data")
    (folder,) = tmp_path.iterdir()
    monkeypatch.chdir(folder)
    again = builder(folder).build_wheel(str(tmp_path))
    (wheel,) = built.glob("*.whl")
    with zipfile.ZipFile(wheel) as first, zipfile.ZipFile(tmp_path / again) as second:
        assert sorted(first.namelist()) == sorted(second.namelist())


def test_what_no_repository_has_is_in_the_wheel(tmp_path, monkeypatch):
    """A documentation that was built, and jsPsych."""
    for name in ("pyproject.toml", "README.md", "LICENSE", ".gitignore"):
        shutil.copy(ROOT / name, tmp_path)
    for name in ("tripletscope", *FOLDERS):
        (tmp_path / name).mkdir()
        (tmp_path / name / "__init__.py").touch()
    (tmp_path / "tripletscope" / "help" / "pages").mkdir(parents=True)
    (tmp_path / "tripletscope" / "help" / "pages" / "data.html").touch()
    (tmp_path / "tripletscope" / "jspsych").mkdir()
    (tmp_path / "tripletscope" / "jspsych" / "jspsych.js").touch()
    subprocess.run(["git", "init", "--quiet", tmp_path], check=True)
    monkeypatch.chdir(tmp_path)
    with zipfile.ZipFile(tmp_path / builder().api.build_wheel(str(tmp_path))) as wheel:
        assert {"tripletscope/help/pages/data.html", "tripletscope/jspsych/jspsych.js"} <= {
            *wheel.namelist()
        }


def test_only_the_one_name_is_installed_and_a_script_runs(installed, analysis):
    answers = SAMPLES / "ekman_colors" / "answers.csv"
    code = (
        "import importlib, tripletscope as ts\n"
        "assert 'site-packages' in ts.__file__, ts.__file__\n"
        "for name in ts.__all__: assert 'site-packages' in getattr(\n"
        "    importlib.import_module(getattr(getattr(ts, name), '__module__', 'tripletscope')),\n"
        "    '__file__')\n"
        f"for name in {FOLDERS!r}:\n"
        "    try: importlib.import_module(name)\n"
        "    except ImportError as error: assert 'a folder here' in str(error)\n"
        "    else: raise AssertionError(name)\n"
        "import json, sys\n"
        f"answers = ts.read({str(answers)!r})\n"
        "found = ts.run('kernel_map', ts.K1(), answers)\n"
        "map = found.result().coordinates.tolist()\n"
        "json.dump([found.key, map], sys.stdout)\n"
    )
    (analysis / "script.py").write_text(code)
    done = subprocess.run([installed, "script.py"], capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    here = ts.run("kernel_map", ts.K1(), ts.read(answers))
    assert json.loads(done.stdout) == [here.key, here.result().coordinates.tolist()]


def test_the_command_and_the_dashboard_run_installed(installed, analysis):
    command = [str(installed), "-m", "tripletscope"]
    done = subprocess.run([*command, "--version"], capture_output=True, text=True)
    assert done.stdout == f"TripletScope {ts.__version__}\n", done.stderr
    script = installed.with_name("tripletscope")
    assert subprocess.run([script, "--version"], capture_output=True, text=True).stdout == (
        done.stdout
    )
    code = (
        "from streamlit.testing.v1 import AppTest\n"
        "from pathlib import Path\n"
        "import tripletscope.dashboard as dashboard\n"
        "from tripletscope.dashboard.jobs.child import Supply\n"
        "Supply.warm = lambda self: None\n"  # it would compile, for a file that never comes
        "app = AppTest.from_file(Path(dashboard.__file__).parent / 'app.py', default_timeout=120)\n"
        "app.run()\n"
        "assert not app.exception, app.exception\n"
        "assert app.button(key='sample.ekman_colors')\n"
    )
    environment = {**os.environ, "TRIPLETSCOPE_WORKSPACE": str(analysis / "workspace")}
    done = subprocess.run(
        [installed, "-c", code], capture_output=True, text=True, env=environment
    )
    assert done.returncode == 0, done.stderr
    with running(analysis / "served", command=[str(installed), *UNHURRIED[1:]]):
        pass


def test_types_of_the_public_face_are_known(installed, analysis):
    """A type checker reads the installed copy: it finds every name, and right and wrong uses."""
    script = analysis / "typed.py"
    uses = "\n".join(f"reveal_type(ts.{name})" for name in [*ts.__all__, *PUBLIC])
    script.write_text(
        "import tripletscope as ts\n"
        f"{uses}\n"
        "answers = ts.Triplets.from_array([[0, 1, 2]])\n"
        "error: float = ts.cross_validate(ts.STE(n_components=2), answers).error\n"
        "wrong: str = ts.triplet_error(ts.STE(), answers)\n"
        "ts.cross_validate('STE', answers)\n"
    )
    done = subprocess.run(
        [sys.executable, "-m", "mypy", "--python-executable", installed, "--cache-dir",
         analysis / "cache", "--ignore-missing-imports", script.name],
        capture_output=True, text=True,
    )
    assert 'Revealed type is "Any"' not in done.stdout, done.stdout
    errors = [line for line in done.stdout.splitlines() if ": error:" in line]
    assert len(errors) == 2, done.stdout + done.stderr
    assert 'expression has type "float", variable has type "str"' in errors[0]
    assert 'Argument 1 to "cross_validate" has incompatible type "str"' in errors[1]


def test_types_are_known_in_a_checkout(analysis):
    """A type checker follows the links that an editable install makes.

    It looks nowhere else: not at another checkout that is installed here.
    """
    checkout = analysis / "checkout"
    shutil.copytree(ROOT / "tripletscope", checkout / "tripletscope", symlinks=True,
                    ignore=shutil.ignore_patterns(*FOLDERS, "help", "jspsych"))
    for name in FOLDERS:
        (checkout / name).symlink_to(ROOT / name)
    builder().link(checkout)
    (analysis / "typed.py").write_text(
        "import tripletscope as ts\n"
        "from tripletscope.core.models.embedding.ste import STE\n"
        "from tripletscope.core.people.comparing import compare_people\n"
        "answers = ts.Triplets.from_array([[0, 1, 2]])\n"
        "right = (ts.cross_validate(STE(), answers).error, ts.people.compare_people)\n"
        "wrong = (ts.STEE, ts.people.compare_persons)\n"
        "wrong = ts.cross_validate(STE(), answers).eror\n"
        "wrong = ts.people.with_lapses(STE(), answers).nothing\n"
    )
    done = subprocess.run(
        [sys.executable, "-m", "mypy", "--cache-dir", analysis / "cache", "--no-site-packages",
         "--ignore-missing-imports", "--follow-imports=silent", "typed.py"],
        capture_output=True, text=True, env={**os.environ, "MYPYPATH": str(checkout)},
    )
    errors = [line for line in done.stdout.splitlines() if ": error:" in line]
    places = [line.split(": ")[0] for line in errors]
    assert places == [f"typed.py:{line}" for line in (6, 6, 7, 8)], done.stdout
    assert all("has no attribute" in line for line in errors)
