"""What installing costs: megabytes and seconds of each dependency, and of the first starts.

    python benchmarks/installing.py [PYTHON]

PYTHON is of an environment in which a built wheel is installed (by default this one); make one with
`benchmarks/fresh.py`. "Alone" is what would not be there without a dependency: itself, and what
nothing else needs. Seconds of imports are of processor time, the least of three processes of their
own, so that they tell little of what else a machine does; those of numpy are part of most others.
"""

from __future__ import annotations

import json
import resource
import subprocess
import sys
import tempfile
import time
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parent.parent))

from tests.ports import free_port
from tests.server import running

#: Runs in the environment: sizes of what is installed, and who needs what.
LOOK = """
import json
from importlib.metadata import distributions
from packaging.requirements import Requirement
from packaging.utils import canonicalize_name

found = {}
for one in distributions():
    files = [one.locate_file(file) for file in one.files or ()]
    needs = [Requirement(text) for text in one.requires or ()]
    extras = {"": [canonicalize_name(n.name) for n in needs
                   if n.marker is None or n.marker.evaluate({"extra": ""})]}
    found[canonicalize_name(one.metadata["Name"])] = {
        "size": sum(f.stat().st_size for f in files if f.is_file() and f.suffix != ".pyc"),
        "needs": extras[""],
        "modules": sorted({f.parts[0].removesuffix(".py") for f in one.files or ()
                           if f.suffix == ".py" and "." not in f.parts[0].removesuffix(".py")}),
    }
print(json.dumps(found))
"""
#: Modules that are called otherwise than their distribution.
MODULES = {
    "arviz-stats": "arviz_stats", "charset-normalizer": "charset_normalizer",
    "fonttools": "fontTools.ttLib", "lazy-loader": "lazy_loader", "pillow": "PIL.Image",
    "scikit-learn": "sklearn.linear_model", "scipy": "scipy.optimize", "umap-learn": "umap",
    "pyarrow": "pyarrow.parquet", "plotly": "plotly.graph_objects",
}


def reached(found: dict, direct: list[str]) -> set[str]:
    """Everything that some dependencies need."""
    there, waiting = set(), [*direct]
    while waiting:
        name = waiting.pop()
        if name in found and name not in there:
            there.add(name)
            waiting += found[name]["needs"]
    return there


def processor_seconds(command: list[str]) -> float:
    """The least of three runs."""
    taken = []
    for _ in range(3):
        before = resource.getrusage(resource.RUSAGE_CHILDREN)
        subprocess.run(command, capture_output=True, check=True)
        after = resource.getrusage(resource.RUSAGE_CHILDREN)
        taken.append(after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime)
    return min(taken)


def started(python: str, folder: Path) -> float:
    """Seconds until the server answers."""
    begun = time.perf_counter()
    with running(folder, free_port(), command=[python, "-m", "tripletscope"]):
        return time.perf_counter() - begun


def main() -> None:
    python = sys.argv[1] if len(sys.argv) > 1 else sys.executable
    look = subprocess.run([python, "-c", LOOK], capture_output=True, text=True, check=True)
    found = json.loads(look.stdout)
    direct = sorted(found["tripletscope"]["needs"])
    everything = reached(found, direct)

    def size(names: set[str]) -> float:
        return sum(found[name]["size"] for name in names) / 1e6

    bare = processor_seconds([python, "-c", "pass"])
    print(f"{'':22} {'MB':>7} {'alone':>7} {'import, s':>10}   with it go")
    rows = []
    for name in direct:
        alone = everything - reached(found, [other for other in direct if other != name])
        rows.append((size(alone), name, alone))
    for alone_size, name, alone in sorted(rows, reverse=True):
        module = MODULES.get(name, name.replace("-", "_"))
        taken = processor_seconds([python, "-c", f"import {module}"]) - bare
        print(f"{name:22} {size({name}):7.1f} {alone_size:7.1f} {taken:10.2f}   "
              f"{' '.join(sorted(alone - {name}))}", flush=True)
    print(f"{'together':22} {size(everything):7.1f}, {len(everything)} distributions")
    peer = processor_seconds([python, "-c", "import pandas"]) - bare
    for words, command in (
        ("import tripletscope", ["-c", "import tripletscope"]),
        ("its core.run", ["-c", "import tripletscope.core.run"]),
        ("what serves pages", ["-c", "import tripletscope.dashboard.serve.server"]),
        ("all public names", ["-c", "import tripletscope as ts\nfor n in ts.__all__: "
                                    "getattr(ts, n)"]),
        ("tripletscope --help", ["-m", "tripletscope", "--help"]),
    ):
        taken = processor_seconds([python, *command]) - bare
        print(f"{words:22} {taken:7.2f} s of processor time beyond Python's {bare:.2f}, "
              f"{taken / peer:5.2f} imports of pandas")
    with tempfile.TemporaryDirectory() as folder:
        for words in ("first start", "next start"):
            print(f"{words:22} {started(python, Path(folder)):7.2f} s until the server answers")


if __name__ == "__main__":
    main()
