"""Maps from a file that is read part by part, beside those of the same answers in memory.

    python benchmarks/stored.py [--answers N] [--objects N] [--dimensions D] [--alone]

Seconds of the clock, peak memory, and how far the loss is above the least that is known, for
several tolerances; each fit in a process of its own. ``--alone`` leaves out the fit in memory.
"""

from __future__ import annotations

import argparse
import json
import resource
import subprocess
import sys
import tempfile
import time
from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.parquet
from report import machine, print_table

TOLERANCES = (1e-2, 1e-3, 1e-4)


def write(path: Path, n_answers: int, n_objects: int, n_components: int) -> None:
    """Write answers under STE's own noise about normal positions, a million at a time."""
    rng = np.random.default_rng(0)
    positions = rng.standard_normal((n_objects, n_components))
    names, whole = ["anchor", "near", "far"], pa.int32()
    schema = pa.schema([(name, whole) for name in names])
    with pyarrow.parquet.ParquetWriter(path, schema) as file:
        while n_answers > 0:
            size = min(n_answers, 1_000_000)
            rows = rng.integers(0, n_objects, (3, size))
            rows = rows[:, (rows[0] != rows[1]) & (rows[0] != rows[2]) & (rows[1] != rows[2])]
            anchor, near, far = rows
            gap = np.sum((positions[anchor] - positions[far]) ** 2, axis=1)
            gap -= np.sum((positions[anchor] - positions[near]) ** 2, axis=1)
            turned = rng.random(len(gap)) > 1 / (1 + np.exp(-np.clip(gap, -50, 50)))
            rows[1:, turned] = rows[2:0:-1, turned]
            file.write_table(pa.table(
                [pa.array(column, whole) for column in rows], schema=schema
            ))
            n_answers -= rows.shape[1]


def fit(path: Path, n_components: int, tolerance: float | None) -> dict[str, float]:
    """What one process measures; without a tolerance, of a fit in memory."""
    import tripletscope as ts

    method = ts.STE(n_components=n_components, n_init=1)
    begun = time.perf_counter()
    if tolerance is None:
        table = pyarrow.parquet.read_table(path)
        rows = np.stack([table[name].to_numpy() for name in ("anchor", "near", "far")], axis=1)
        del table
        method.fit(ts.Triplets.from_array(rows))
    else:
        ts.fit_stored(method, ts.StoredAnswers(path), tolerance=tolerance)
    return {
        "seconds": time.perf_counter() - begun, "loss": method.loss_, "iterations": method.n_iter_,
        "error": method.triplet_error_,
        "memory": resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1e6,
    }


def main() -> None:
    """Print the table."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--answers", type=int, default=10_000_000)
    parser.add_argument("--objects", type=int, default=50_000)
    parser.add_argument("--dimensions", type=int, default=2)
    parser.add_argument("--alone", action="store_true")
    parser.add_argument("--fit", type=Path, help=argparse.SUPPRESS)
    parser.add_argument("--tolerance", type=float, help=argparse.SUPPRESS)
    options = parser.parse_args()
    if options.fit:
        print(json.dumps(fit(options.fit, options.dimensions, options.tolerance)))
        return
    print(machine())
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "answers.parquet"
        write(path, options.answers, options.objects, options.dimensions)
        found = {}
        for tolerance in (*TOLERANCES, *(() if options.alone else (None,))):
            asked = ["--tolerance", str(tolerance)] if tolerance else []
            done = subprocess.run(
                [sys.executable, __file__, "--fit", path, "--dimensions", str(options.dimensions),
                 *asked], check=True, stdout=subprocess.PIPE, text=True,
            )
            found[tolerance] = json.loads(done.stdout)
            print(tolerance, found[tolerance], file=sys.stderr, flush=True)
        megabytes = path.stat().st_size / 1e6
    least = min(one["loss"] for one in found.values())
    print(f"{options.answers:,} answers about {options.objects:,} objects, "
          f"{options.dimensions} dimensions, a file of {megabytes:,.0f} MB")
    print_table(
        ("tolerance", "seconds", "iterations", "GB", "loss above the least", "triplet error"),
        [
            (
                f"{tolerance:g}" if tolerance else "in memory, 1e-8 a step",
                f"{one['seconds']:.0f}", one["iterations"], f"{one['memory']:.2f}",
                f"{one['loss'] / least - 1:.1e}", f"{one['error']:.5f}",
            ) for tolerance, one in found.items()
        ],
    )


if __name__ == "__main__":
    main()
