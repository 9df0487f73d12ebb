"""Mutations of one module that its tests do not notice.

    python -m venv mutating && mutating/bin/pip install cosmic-ray
    python benchmarks/mutations.py core/evaluation/score.py tests/core/evaluation/test_score.py \
        --tool mutating/bin/cosmic-ray [--operators Sub_Add Gt_GtE] [--minutes 60]

cosmic-ray changes a module at one place at a time, in a copy of the last commit, and runs the tests
named. It is no part of the suite: a module takes some hundred runs of its tests. Where one of its
operators turns numbers into nonsense that any test notices, such as shifts by a fraction, leave it
out. Prints the changes that survived; some of them change nothing that can be seen.
"""

from __future__ import annotations

import argparse
import os
import sqlite3
import subprocess
import sys
import tempfile
from pathlib import Path

ROOT = Path(__file__).parent.parent
#: What is easily written by mistake.
OPERATORS = [
    "Sub_Add", "Add_Sub", "Mul_Div", "Div_Mul", "Gt_GtE", "Lt_LtE", "Eq_NotEq", "AndWithOr",
    "OrWithAnd", "AddNot", "TrueWithFalse", "FalseWithTrue", "NumberReplacer", "Delete_Not",
    "Delete_USub",
]
CONFIG = """[cosmic-ray]
module-path = "{module}"
timeout = {timeout}
test-command = "{python} -m pytest -x -q -p no:cacheprovider {tests}"
[cosmic-ray.distributor]
name = "local"
"""


def leave_out(session: Path, operators: list[str]) -> int:
    """Keep the mutations of these operators only; their number."""
    with sqlite3.connect(session) as base:
        named = " or ".join("operator_name like ?" for _ in operators)
        kept = f"select job_id from mutation_specs where {named}"
        ends = [f"%{operator}" for operator in operators]
        base.execute(f"delete from work_items where job_id not in ({kept})", ends)
        base.execute(
            "delete from mutation_specs where job_id not in (select job_id from work_items)"
        )
        return base.execute("select count(*) from work_items").fetchone()[0]


def survivors(session: Path) -> tuple[int, list[str]]:
    """How many mutations were tried, and the changes that no test noticed."""
    with sqlite3.connect(session) as base:
        tried = base.execute("select test_outcome, diff from work_results").fetchall()
    return len(tried), [diff for outcome, diff in tried if "SURVIVED" in str(outcome).upper()]


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("module")
    parser.add_argument("tests", nargs="+")
    parser.add_argument("--tool", default="cosmic-ray")
    parser.add_argument("--operators", nargs="+", default=OPERATORS)
    parser.add_argument("--minutes", type=float, default=60.0)
    given = parser.parse_args()
    tool = Path(given.tool).resolve() if os.sep in given.tool else given.tool
    with tempfile.TemporaryDirectory() as folder:
        copy = Path(folder) / "copy"
        subprocess.run(["git", "clone", "-q", ROOT, copy], check=True)
        config, session = copy / "mutations.toml", copy / "mutations.sqlite"
        config.write_text(CONFIG.format(
            module=given.module, timeout=120.0, python=sys.executable, tests=" ".join(given.tests)
        ))
        around = {"cwd": copy, "env": {**os.environ, "PYTHONPATH": str(copy)}}
        subprocess.run([sys.executable, "-m", "pytest", "-q", *given.tests], check=True, **around)
        subprocess.run([tool, "init", config, session], check=True, **around)
        print(f"{leave_out(session, given.operators)} mutations", flush=True)
        try:
            subprocess.run(
                [tool, "exec", config, session], check=True, timeout=60 * given.minutes, **around
            )
        except subprocess.TimeoutExpired:
            print("Time is up; these were tried.")
        n_tried, found = survivors(session)
        print(*found, sep="\n")
        print(f"{len(found)} of {n_tried} survived.")


if __name__ == "__main__":
    main()
