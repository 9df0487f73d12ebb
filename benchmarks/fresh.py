"""Does what is built work where nothing else is? Wheel, archive and notebook in a new environment.

    python benchmarks/fresh.py [--folder DIR]

Builds the wheel, installs it with what it needs from the package index into a new environment,
starts the command and the dashboard there, makes an archive of a sample with results, executes its
notebook and its script in the new environment, and converts the notebook to HTML without any
network being asked. Prints how long each takes. Needs the index and ``uv``.
"""

from __future__ import annotations

import argparse
import json
import os
import shutil
import subprocess
import sys
import tempfile
import time
import zipfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parent.parent))

from tests.builder import builder
from tests.paths import ROOT
from tests.ports import free_port
from tests.server import running

#: Makes an archive with what is installed: a map with its uncertainty, a tree, held-out errors.
MAKE = """
import sys
from pathlib import Path
import tripletscope as ts
from tripletscope.core.data.triplets import Triplets
from tripletscope.dashboard.store.samples import FOLDER
from tripletscope.dashboard.store.workspace import Workspace
from tripletscope.dashboard.archive.archive import archive
from tripletscope.dashboard.archive.terms import Terms

folder = FOLDER / "ekman_colors"
answers = ts.read(folder / "answers.csv", objects=folder / "objects.csv")
workspace = Workspace(Path(sys.argv[1]) / "workspace")
info = workspace.add_dataset(answers.renamed("Colours"), origin="answers.csv", report=[])
info = workspace.update_dataset(
    info, workspace.cleaning(info).excluding(ts.Exclusion(answers=(0, 1))))
left = workspace.triplets(info)
for task, method, options in (
    ("fit", ts.STE(), {}), ("bootstrap", ts.STE(), {"replicates": 20}),
    ("fit", ts.AgglomerativeClustering(), {}), ("cross_validate", ts.STE(), {}),
):
    workspace.add_run(info, ts.run(task, method, left, options), task)
Path(sys.argv[1], "colours.zip").write_bytes(
    archive(workspace, info, Terms("Colours", ("Gosta Ekman",))))
workspace.close()
"""


@contextmanager
def told(what: str) -> Iterator[None]:
    begun = time.perf_counter()
    yield
    print(f"{what:58} {time.perf_counter() - begun:7.1f} s", flush=True)


def ran(*command: str | Path, folder: Path, **more: str) -> str:
    """What a command prints; it may not fail."""
    ended = subprocess.run(
        [*map(str, command)], cwd=folder, capture_output=True, text=True,
        env={**{k: v for k, v in os.environ.items() if k != "PYTHONPATH"}, **more},
    )
    if ended.returncode:
        sys.exit(f"{' '.join(map(str, command))}\n{ended.stdout[-3000:]}{ended.stderr[-6000:]}")
    return ended.stdout + ended.stderr


def build(folder: Path) -> Path:
    os.chdir(ROOT)
    wheel = builder().build_wheel(str(folder))
    builder().build_sdist(str(folder))
    return folder / wheel


def outputs(notebook: Path) -> tuple[list[str], str]:
    """Kinds of what stands below the cells of an executed notebook, and all that was printed."""
    found, text = [], ""
    for cell in json.loads(notebook.read_text())["cells"]:
        for output in cell.get("outputs", ()):
            found += list(output.get("data", ()))
            text += "".join(output.get("text", ()))
    return found, text


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--folder", type=Path, help="kept afterwards")
    given = parser.parse_args()
    folder = (given.folder or Path(tempfile.mkdtemp(prefix="fresh-"))).resolve()
    folder.mkdir(parents=True, exist_ok=True)
    environment = folder / "environment"
    python, uv = environment / "bin" / "python", shutil.which("uv") or sys.exit("uv is missing")
    with told("build wheel and sdist"):
        wheel = build(folder)
    with told("install the wheel with uv"):
        ran(uv, "venv", "--seed", "--python", sys.executable, environment, folder=folder)
        ran(uv, "pip", "install", "--python", python, wheel, folder=folder)
    size = sum(f.stat().st_size for f in environment.rglob("*") if f.is_file())
    print(f"{'':58} {size / 1e6:7.0f} MB")
    with told("tripletscope --help"):
        ran(environment / "bin" / "tripletscope", "--help", folder=folder)
    with (
        told("first start, until the server answers"),
        running(folder / "served", free_port(), ["--sample", "ekman_colors"],
                [str(python), "-m", "tripletscope"]),
    ):
        pass
    with told("compute four results, and make the archive"):
        ran(python, "-c", MAKE, folder, folder=folder)
    archive = folder / "colours.zip"
    print(f"{'':58} {archive.stat().st_size / 1e6:7.2f} MB")
    with zipfile.ZipFile(archive) as file:
        file.extractall(folder / "colours")
    with told("check its sums"):
        ran("sha256sum", "--quiet", "-c", "manifest-sha256.txt", folder=folder / "colours")
    analysis = folder / "colours" / "analysis"
    with told("run its script"):
        assert "numbers may differ" not in ran(python, "Colours.py", folder=analysis)
    with told("run its script with uv run, in an environment of its own"):
        said = ran(uv, "run", "--find-links", folder, "--python", sys.executable, "Colours.py",
                   folder=analysis)
        assert "numbers may differ" not in said
    with told("install Jupyter"):
        ran(uv, "pip", "install", "--python", python, "nbconvert", "ipykernel", folder=folder)
    for name, still in (("pictures", True), ("interactive", False)):
        text = (analysis / "Colours.ipynb").read_text().replace(
            "name='Colours'))", f"name='Colours'), still={still})"
        )
        (analysis / f"{name}.ipynb").write_text(text)
        with told(f"execute its notebook, figures as {name}"):
            ran(python, "-m", "nbconvert", "--to", "notebook", "--execute", "--inplace",
                f"{name}.ipynb", folder=analysis)
        kinds, text = outputs(analysis / f"{name}.ipynb")
        assert "numbers may differ" not in text
        ran(python, "-m", "nbconvert", "--to", "html", f"{name}.ipynb", folder=analysis)
        page = (analysis / f"{name}.html").read_text()
        print(f"  {kinds.count('text/html')} figures, {kinds.count('image/png')} PNG; "
              f"{len(page) / 1e6:.1f} MB of HTML")
    with told("uvx, from the wheel"):
        ran(uv, "tool", "run", "--from", wheel, "tripletscope", "--version", folder=folder)
    if given.folder is None:
        shutil.rmtree(folder)


if __name__ == "__main__":
    main()
