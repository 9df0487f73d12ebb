"""Made-up answers for the documentation: which of two cities is nearer to a third?

Six people answer 150 questions each about fourteen cities where these lie, with some noise. Their
answers are a file, and the folder of a data set with a map.
"""

from __future__ import annotations

import shutil
import tempfile
from pathlib import Path

import numpy as np
import pandas as pd

import tripletscope as ts
from tripletscope.dashboard.store.workspace import Workspace

#: Degrees of latitude and longitude.
CITIES = {
    "Lisbon": (38.7, -9.1), "Madrid": (40.4, -3.7), "Paris": (48.9, 2.4), "London": (51.5, -0.1),
    "Dublin": (53.3, -6.3), "Berlin": (52.5, 13.4), "Rome": (41.9, 12.5), "Athens": (38.0, 23.7),
    "Vienna": (48.2, 16.4), "Warsaw": (52.2, 21.0), "Oslo": (59.9, 10.8), "Helsinki": (60.2, 24.9),
    "Kyiv": (50.5, 30.5), "Istanbul": (41.0, 29.0),
}
PEOPLE = ("Ann", "Ben", "Cleo", "Dan", "Eve", "Fay")
EACH = 150
NOISE = 0.15  # perceived distances are typically off by a sixth


def main() -> None:
    rng = np.random.default_rng(1)
    latitude, longitude = np.array(list(CITIES.values())).T
    places = np.column_stack([longitude * np.cos(np.radians(latitude.mean())), latitude])
    places = (places - places.mean(0)) / np.sqrt(np.mean((places - places.mean(0)) ** 2))
    answers = ts.simulate(places, EACH * len(PEOPLE), noise="lognormal", level=NOISE, seed=1)
    names = np.array(list(CITIES))[answers.rows]
    swapped = rng.random(len(names)) < 0.5
    left = np.where(swapped, names[:, 2], names[:, 1])
    right = np.where(swapped, names[:, 1], names[:, 2])
    table = pd.DataFrame({
        "participant": np.repeat(PEOPLE, EACH), "anchor": names[:, 0], "left": left,
        "right": right, "choice": names[:, 1],
    })
    file = Path(__file__).with_name("towns.csv")
    table.to_csv(file, index=False, lineterminator="\n")
    with tempfile.TemporaryDirectory() as place:
        workspace = Workspace(Path(place))
        towns = ts.read(file).renamed("Towns")
        info = workspace.add_dataset(towns, origin=file.name, report=["900 answers."])
        workspace.add_run(info, ts.run("fit", ts.STE(n_init=1), towns), "The map")
        shutil.rmtree(file.with_suffix(""), ignore_errors=True)
        shutil.copytree(Path(place) / info.id, file.with_suffix(""))


if __name__ == "__main__":
    main()
