"""What becomes of a workspace that is damaged, and of one whose disk is full at random moments.

    python benchmarks/workspaces.py [--moments 50] [--seed 0] [--only damage|disk]

Damaged are copies of a workspace with four data sets, each with a picture and results, some of them
changed later. Looked at is what can still be used, and whether any file went other than to the
trash. Full disks are small ones in memory, which Linux lets a user
mount: a process imports, computes, excludes, renames and deletes, and says so after each; at a
random moment its disk is full, and every second time it is killed soon after.
"""

from __future__ import annotations

import argparse
import json
import logging
import os
import random
import shutil
import signal
import subprocess
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import suppress
from pathlib import Path

import numpy as np

sys.path.insert(0, str(Path(__file__).parent.parent))

from benchmarks.report import machine, print_table
from tests.dashboard.upload.uploads import png
from tripletscope.core.models.embedding import STE
from tripletscope.core.models.simulation.simulate import simulate
from tripletscope.core.run import Run, run
from tripletscope.core.studies.quality import Exclusion
from tripletscope.dashboard.files.errors import DamagedFile, WorkspaceError
from tripletscope.dashboard.store.workspace import Workspace

TRUTH = np.random.default_rng(0).normal(size=(30, 2))
_MOUNTED = ["unshare", "--user", "--map-root-user", "--mount", "sh", "-c",
            'mount -t tmpfs -o size=24m none "$0" && exec "$@"']


def data(seed: int, n: int = 500):
    return simulate(TRUTH, n, noise="logistic", seed=seed).renamed(f"Set {seed}")


# Damage --------------------------------------------------------------------------------------


def template(folder: Path) -> None:
    """Data sets, results, pictures, a session, backups; the last changes are in no backup."""
    for seeds in ((0, 1), (2, 3)):
        workspace = Workspace(folder)
        for seed in seeds:
            triplets = data(seed)
            info = workspace.add_dataset(
                triplets, origin="a.csv", report=["Read."], pictures={"a": png()},
            )
            workspace.add_run(info, run("fit", STE(n_init=1), triplets), "map")
            workspace.add_run(info, run("fit", STE(n_init=1, seed=1), triplets), "other map")
        workspace.save_session("s", {"seeds": seeds})
        workspace.close()
    workspace = Workspace(folder)
    info = next(info for info in workspace.datasets() if info.name == "Set 0")
    cleaning = workspace.cleaning(info)
    workspace.update_dataset(info, cleaning.excluding(Exclusion(answers=(1,), reason="slow")))
    workspace.rename_dataset(info.id, "Renamed")
    workspace.close()


def damages(folder: Path) -> Iterator[tuple[str, Callable[[Path, random.Random], None]]]:
    """Names, and what is done to a folder."""
    def each(pattern: str, how: Callable[[Path, random.Random], None], most: int = 1) -> Callable:
        def change(ws: Path, rng: random.Random) -> None:
            found = sorted(ws.glob(pattern))
            for path in rng.sample(found, min(most, len(found))):
                how(path, rng)
        return change

    def both(*changes: Callable) -> Callable:
        def change(ws: Path, rng: random.Random) -> None:
            for one in changes:
                one(ws, rng)
        return change

    for name, how in (("missing", remove), ("garbage", garbage), ("empty", emptied),
                      ("cut", cut)):
        yield f"a description: {name}", each("[RS]*/about.json", how)
        yield f"all descriptions: {name}", each("[RS]*/about.json", how, 9)
        yield f"all descriptions, earlier ones too: {name}", each("[RS]*/about*.json", how, 9)
    for k in range(3):
        yield f"a description: bits, {8 ** k}", each(
            "[RS]*/about.json", lambda path, rng, k=k: flip(path, rng, 8 ** k))
    yield "a result's description: cut", each("[RS]*/results/*/run.json", cut)
    yield "results' descriptions: missing", each("[RS]*/results/*/run.json", remove, 99)
    for part, pattern in (
        ("answers", "[RS]*/answers.parquet"), ("objects", "[RS]*/objects.parquet"),
        ("a result", "[RS]*/results/*/arrays.npz"), ("a picture", "[RS]*/pictures/*.png"),
    ):
        yield f"{part}: a byte", each(pattern, flip)
    yield "answers: missing", each("[RS]*/answers.parquet", remove)
    yield "results: all missing", each("[RS]*/results/*/arrays.npz", remove, 99)
    yield "when each was opened: damaged", each("opened.json", garbage)
    yield "sessions: damaged", each("sessions/*.json", garbage)
    yield "a data set of a newer version", each("[RS]*/about.json", newer)
    yield "half of a data set that was being made", lambda ws, rng: shutil.copytree(
        next(ws.glob("[RS]*")), ws / "Set-9-012345.0123abcd.partial")


def newer(path: Path, rng: random.Random) -> None:
    path.write_text(path.read_text().replace('"format": 1', '"format": 99'))


def emptied(path: Path, rng: random.Random) -> None:
    path.write_bytes(b"")


def cut(path: Path, rng: random.Random) -> None:
    path.write_bytes(path.read_bytes()[:path.stat().st_size // 2])


def flip(path: Path, rng: random.Random, times: int = 1) -> None:
    content = bytearray(path.read_bytes())
    for _ in range(times):
        content[rng.randrange(len(content))] ^= 1 << rng.randrange(8)
    path.write_bytes(content)


def garbage(path: Path, rng: random.Random) -> None:
    path.write_bytes(rng.randbytes(path.stat().st_size))


def remove(path: Path, rng: random.Random) -> None:
    path.unlink()


def files_of(folder: Path) -> Counter:
    """Contents of what users have entrusted."""
    return Counter(
        path.read_bytes() for pattern in ("*.parquet", "*.npz", "pictures/*.png")
        for path in folder.rglob(pattern)
    )


def used(folder: Path) -> tuple[str, int, int, bool]:
    """How a folder opens, data sets and results that can be used, and whether something is said."""
    try:
        workspace = Workspace(folder)
    except WorkspaceError:
        return "refused", 0, 0, True
    sets = results = 0
    said = bool(workspace.notes)
    for info in workspace.datasets():
        try:
            sets += workspace.triplets(info).fingerprint == info.fingerprint
            workspace.cleaning(info)
        except DamagedFile:
            said = True
        for listed in workspace.runs(info.id):
            try:
                results += workspace.run(info.id, listed.key).fitted().n_objects_ == 30
            except WorkspaceError:
                said = True
        for file in info.pictures.values():
            try:
                workspace.picture(file)
            except DamagedFile:
                said = True
    workspace.close()
    return "opened", sets, results, said


def measure_damage(seed: int) -> None:
    with tempfile.TemporaryDirectory() as place:
        whole = Path(place) / "whole"
        template(whole)
        intact = used(shutil.copytree(whole, Path(place) / "intact"))
        rows, n = [], 0
        for name, damage in damages(whole):
            n += 1
            folder = shutil.copytree(whole, Path(place) / f"{n}")
            damage(folder, random.Random(seed + n))
            before = files_of(folder)
            try:
                how, sets, results, said = used(folder)
            except Exception as error:  # which none may be
                how, sets, results, said = f"failed: {error!r}", 0, 0, False
            gone = sum((before - files_of(folder)).values())
            rows.append([name, how, f"{sets} of {intact[1]}", f"{results} of {intact[2]}",
                         "yes" if said else "no", gone])
    print(f"{n} damaged workspaces")
    print_table(["damage", "workspace", "data sets", "results", "named", "files gone"], rows)


# Disk ----------------------------------------------------------------------------------------


def work(folder: Path, results: list[tuple[object, Run]], say: int, seed: int) -> None:
    """Do what people do, and say what is begun, done, or not possible."""
    rng, number = random.Random(seed), 0

    def tell(**words: object) -> None:
        os.write(say, (json.dumps(words) + "\n").encode())

    workspace = Workspace(folder)
    while True:
        number += 1
        infos = workspace.datasets()
        doing = rng.choice(["add", "add", "rename", "exclude", "delete"]) if infos else "add"
        info = rng.choice(infos) if infos else None
        tell(state="begun", doing=doing, id=info and info.id)
        try:
            if doing == "add":
                triplets, result = rng.choice(results)
                info = workspace.add_dataset(triplets, origin="x", report=[])
                tell(state="done", doing="add", id=info.id)
                workspace.add_run(info, result, "map")
                tell(state="done", doing="run", id=info.id, key=result.key)
            elif doing == "rename":
                workspace.rename_dataset(info.id, f"name {number}")
                tell(state="done", doing="rename", id=info.id, name=f"name {number}")
            elif doing == "exclude":
                cleaning = workspace.cleaning(info)
                step = Exclusion(answers=(rng.randrange(100),), reason="slow")
                info = workspace.update_dataset(info, cleaning.excluding(step))
                tell(state="done", doing="exclude", id=info.id, fingerprint=info.fingerprint)
            elif len(infos) > 3:
                workspace.delete_dataset(info.id)
                tell(state="done", doing="delete", id=info.id)
        except WorkspaceError as error:
            tell(state="refused", doing=doing, id=info and info.id, words=str(error))
        except BaseException as error:
            tell(state="failed", doing=doing, words=repr(error))
            os._exit(1)
        workspace.save_session("s", {"number": number})


def fill(ballast: Path) -> None:
    with ballast.open("wb") as file:
        for size in (2**20, 2**12):
            with suppress(OSError):
                while True:
                    os.write(file.fileno(), bytes(size))


def moment(disk: Path, results: list, seed: int) -> Counter:
    """One full disk; what was counted."""
    rng = random.Random(seed)
    folder, ballast = disk / "ws", disk / "ballast"
    shutil.rmtree(folder, ignore_errors=True)
    ballast.unlink(missing_ok=True)
    Workspace(folder).close()
    hear, say = os.pipe()
    child = os.fork()
    if child == 0:
        work(folder, results, say, seed)
    os.close(say)
    time.sleep(rng.uniform(0.05, 2.0))
    fill(ballast)
    time.sleep(rng.uniform(0.0, 1.0) if seed % 2 else 1.5)
    if os.waitpid(child, os.WNOHANG) == (0, 0):  # it is alive
        os.kill(child, signal.SIGKILL)
        os.waitpid(child, 0)
    with os.fdopen(hear) as said:
        lines = [json.loads(line) for line in said if line.endswith("\n")]
    fill(ballast)

    found = Counter(moments=1)
    expected: dict[str, dict] = {}
    for line in lines:
        found[line["state"]] += 1
        if line["state"] == "failed":
            print(line["words"])
        if line["state"] == "done":
            if line["doing"] == "add":
                expected[line["id"]] = {"runs": set()}
            elif line["doing"] == "run":
                expected[line["id"]]["runs"].add(line["key"])
            elif line["doing"] == "delete":
                del expected[line["id"]]
            else:
                expected[line["id"]].update(line)
    last = lines[-1] if lines and lines[-1]["state"] == "begun" else {}

    try:
        workspace = Workspace(folder)
    except WorkspaceError as error:
        print("not opened:", error)
        found["not opened"] += 1
        return found
    found["as a copy"] += bool(workspace.read_only)
    listed = {info.id: info for info in workspace.datasets()}
    for dataset, known in expected.items():
        info = listed.get(dataset)
        if dataset == last.get("id"):
            continue  # it was being changed when the process was killed
        found["acknowledged"] += 1
        ok = info is not None and known.get("name", info.name) == info.name
        ok = ok and known.get("fingerprint", info.fingerprint) == info.fingerprint
        with suppress(WorkspaceError, AttributeError):
            ok = ok and workspace.triplets(info).fingerprint == info.fingerprint
            if not info.state:
                ok = ok and known["runs"] <= {run.key for run in workspace.runs(dataset)}
            found["lost"] += not ok
            if not ok:
                print("lost", known, info and (info.name, info.fingerprint, info.state))
            continue
        print("unusable", known, info)
        found["lost"] += 1
    if listed and not workspace.read_only:
        before = os.statvfs(disk).f_bavail
        try:
            for dataset in listed:  # which may share files
                workspace.delete_dataset(dataset)
        except WorkspaceError as error:
            print("not deleted:", error, repr(error.__cause__))
        found["room made"] += os.statvfs(disk).f_bavail > before
        found["room wanted"] += 1
    workspace.close()
    return found


def measure_disk(disk: Path, moments: int, seed: int) -> None:
    results = []
    for number in range(4):
        triplets = data(number, 4000)
        results.append((triplets, run("fit", STE(n_init=1, max_iter=5), triplets)))
    total: Counter = Counter()
    for number in range(moments):
        total += moment(disk, results, seed + number)
    print(f"Disk full at {moments} random moments")
    print_table(["what", "number"], [[what, f"{number:,}"] for what, number in (
        ("changes begun", total["begun"]), ("acknowledged", total["done"]),
        ("refused with a sentence", total["refused"]), ("ended otherwise", total["failed"]),
        ("not opened afterwards", total["not opened"]), ("opened as a copy", total["as a copy"]),
        ("acknowledged data sets looked for", total["acknowledged"]), ("lost", total["lost"]),
        ("deleting on the full disk", total["room wanted"]), ("made room", total["room made"]),
    )])


def main() -> None:
    command = argparse.ArgumentParser(description=__doc__.split("\n\n")[0])
    command.add_argument("--moments", type=int, default=50)
    command.add_argument("--seed", type=int, default=0)
    command.add_argument("--only", choices=["damage", "disk"])
    command.add_argument("--disk", type=Path, help=argparse.SUPPRESS)
    options = command.parse_args()
    logging.basicConfig(level=logging.CRITICAL)
    if options.disk:
        measure_disk(options.disk, options.moments, options.seed)
        return
    print(machine())
    if options.only != "disk":
        measure_damage(options.seed)
    if options.only != "damage":
        with tempfile.TemporaryDirectory() as disk:
            subprocess.run([
                *_MOUNTED, disk, sys.executable, __file__, "--disk", disk,
                "--moments", str(options.moments), "--seed", str(options.seed),
            ], check=True)


if __name__ == "__main__":
    main()
