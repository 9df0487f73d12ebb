"""A script that maps an uploaded matrix of dissimilarities again, and its data."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np
import pandas as pd

from tripletscope import __version__
from tripletscope.core.engine.method import Method, make_method
from tripletscope.core.inference.evaluation.stress import StressTest
from tripletscope.dashboard import export
from tripletscope.dashboard.reproduce.cells import Cell, script
from tripletscope.dashboard.reproduce.environment import environment_files, script_header
from tripletscope.dashboard.reproduce.recipe import call, source_of

#: Joins objects with their nearest ones, as the program does.
_GRAPH = """away = matrix + np.diag(np.full(len(matrix), np.inf))
nearest = np.argsort(away, axis=1, kind="stable")[:, :{neighbours}]
graph = np.zeros(matrix.shape, dtype=bool)
np.put_along_axis(graph, nearest, True, axis=1)"""


@dataclass(frozen=True)
class DissimilarityMap:
    """A map of an uploaded matrix of dissimilarities (m, m).

    neighbours: Nearest ones that the map is to keep, by LOE.
    chance: Stress of random orders, where it was computed.
    """

    fitted: Method
    ids: Sequence[str]
    matrix: np.ndarray
    neighbours: int | None = None
    chance: StressTest | None = None

    def files(self, name: str) -> dict[str, bytes]:
        """The script, its data and environment, by names that begin with `name`."""
        path = f"{name}-matrix.csv"
        about = f"Maps dissimilarities again as TripletScope {__version__} did."
        data = call("matrix = pd.read_csv", repr(path)) + ".to_numpy(dtype=float)"
        cells = [
            Cell("code", "import numpy as np\nimport pandas as pd\nimport tripletscope as ts"),
            Cell("words", "## Data"), Cell("code", data),
            Cell("words", "## Map"), Cell("code", self._map(name)),
        ]
        head = f'{script_header()}\n"""{about}\n\nRun it in this folder."""\n'
        table = pd.DataFrame(self.matrix, columns=list(self.ids))
        return {
            path: export.csv(table), f"{name}.py": script(head, cells), **environment_files()
        }

    def _map(self, name: str) -> str:
        method, lines = source_of(make_method(self.fitted)), []
        if self.neighbours is not None:
            neighbours = min(self.neighbours, len(self.matrix) - 1)
            lines += [_GRAPH.format(neighbours=neighbours), f"fitted = {method}.fit_graph(graph)"]
        else:
            lines.append(f"fitted = {method}.fit_dissimilarities(matrix)")
        return "\n".join([
            *lines, *self._chance(method),
            f"np.savez('{name}-map.npz', embedding_=fitted.embedding_)",
            f'print(f"Loss {{fitted.loss_:.6f}}; it was {self.fitted.loss_:.6f}.")',
        ])

    def _chance(self, method: str) -> Iterator[str]:
        if self.chance is None:
            return
        yield f"chance = ts.ratings.permuted_stress({method}, matrix)"
        yield (
            'print(f"Stress {chance.stress:.4f}, in random orders from {min(chance.permuted):.4f}; '
            f'it was {self.chance.stress:.4f} and {self.chance.permuted.min():.4f}.")'
        )
