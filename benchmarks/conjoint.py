"""Conjoint measurement beside R: scales and likelihoods of ``mlcm`` (MLCM 0.4.3, R 4.2).

    python benchmarks/conjoint.py FOLDER

FOLDER holds BumpyGlossy.rda and GlossyBumpy.rda of the R package MLCM, the data of Ho, Landy and
Maloney (2008), which are not passed on here.
"""

from __future__ import annotations

import argparse
import sys
from pathlib import Path

import numpy as np

sys.path.insert(0, str(Path(__file__).parent.parent))

from benchmarks.report import machine, print_table
from tripletscope.core.reading.measuring import read_conjoint
from tripletscope.core.scales import conjoint_scales

#: Additive scales of gloss and bumps, and log-likelihoods of gloss alone, bumps alone, the additive
#: and the saturated model, by R.
R = {
    "BumpyGlossy": (
        [0, 0.1321302636, 0.1848300358, 0.5041326387, 0.6301553375],
        [0, 1.692682978, 2.946854272, 4.281435300, 5.275295704],
        [-671.3006694, -250.0576898, -238.2401862, -230.7664669],
    ),
    "GlossyBumpy": (
        [0, 0.01071953115, 1.57186151992, 3.15784935521, 3.91690578535],
        [0, 0.9006059031, 1.1732516362, 1.4454565429, 1.3538145915],
        [-335.8994646, -649.0520177, -273.7255480, -259.2545136],
    ),
}


def main() -> None:
    options = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    options.add_argument("folder", type=Path)
    folder = options.parse_args().folder
    rows = []
    for name, (gloss, bumps, likelihoods) in R.items():
        table, _ = read_conjoint(folder / f"{name}.rda")
        scales = conjoint_scales(table, replicates=20)
        values = scales.curves()["value"].to_numpy()
        ours = [model.log_likelihood for model in scales.models.values()]
        rows.append((name, f"{np.abs(values - [*gloss, *bumps]).max():.1e}",
                     f"{np.abs(np.subtract(ours, likelihoods)).max():.1e}"))
    print(machine())
    print_table(("data", "scales differ by", "log-likelihoods differ by"), rows)


if __name__ == "__main__":
    main()
