"""A script that maps measured dissimilarities again, and its data."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np
import pandas as pd
from pandas.api.types import is_numeric_dtype

from tripletscope import __version__
from tripletscope.core.engine.method import Method, unfitted
from tripletscope.core.inference.evaluation.stress import StressTest
from tripletscope.core.ratings import Measured
from tripletscope.dashboard import export
from tripletscope.dashboard.reproduce.cells import Cell, script
from tripletscope.dashboard.reproduce.environment import environment_files, script_header
from tripletscope.dashboard.reproduce.recipe import call, public_name, source_of, without_marks

#: Joins objects with their nearest ones, as the program does.
_GRAPH = """away = matrix + np.diag(np.full(len(matrix), np.inf))
nearest = np.argsort(away, axis=1, kind="stable")[:, :{neighbours}]
graph = np.zeros(matrix.shape, dtype=bool)
np.put_along_axis(graph, nearest, True, axis=1)"""


@dataclass(frozen=True)
class DissimilarityMap:
    """A map of dissimilarities (m, m).

    given: Ratings and so on behind the matrix.
    replicates, most: Drawn of these, and mapped at most.
    weigh: Whether pairs count by their standard errors.
    neighbours: Nearest ones that the map is to keep, by LOE.
    chance: Stress of random orders, where it was computed.
    """

    fitted: Method
    ids: Sequence[str]
    matrix: np.ndarray
    given: Measured | None = None
    replicates: int = 0
    weigh: bool = False
    most: int = 100
    neighbours: int | None = None
    chance: StressTest | None = None

    def files(self, name: str) -> dict[str, bytes]:
        """The script, its data and environment, by names that begin with `name`."""
        kind = "matrix" if self.given is None else self.given.kind
        table = self.given.table if self.given is not None else pd.DataFrame(
            self.matrix, columns=list(self.ids)
        )
        path = f"{name}-{kind}.csv"
        about = f"Maps dissimilarities again as TripletScope {__version__} did."
        cells = [
            Cell("code", "import numpy as np\nimport pandas as pd\nimport tripletscope as ts"),
            Cell("words", "## Data"), Cell("code", self._data(path, table)),
            Cell("words", "## Map"), Cell("code", self._map(name)),
        ]
        head = f'{script_header()}\n"""{about}\n\nRun it in this folder."""\n'
        return {
            path: export.csv(table), f"{name}.py": script(head, cells), **environment_files()
        }

    def _data(self, path: str, table: pd.DataFrame) -> str:
        if self.given is None:
            return call("matrix = pd.read_csv", repr(path)) + ".to_numpy(dtype=float)"
        texts = {name: "str" for name, column in table.items() if not is_numeric_dtype(column)}
        options = [f"{name}={value!r}" for name, value in self.given.options.items()]
        return "\n".join([
            call("table = pd.read_csv", repr(path), f"dtype={texts!r}", "keep_default_na=False",
                 'na_values=[""]') + without_marks(table),
            call(f"given = {public_name(type(self.given))}", "table", *options),
            f"apart = given.dissimilarities({self.replicates})",
        ])

    def _map(self, name: str) -> str:
        method, lines = source_of(unfitted(self.fitted)), []
        if self.neighbours is not None:
            if self.given is not None:
                lines.append("matrix = np.where(np.isfinite(apart.mean), apart.mean, np.inf)")
            neighbours = min(self.neighbours, len(self.matrix) - 1)
            lines += [_GRAPH.format(neighbours=neighbours), f"fitted = {method}.fit_graph(graph)"]
        elif self.given is None:
            lines.append(f"fitted = {method}.fit_dissimilarities(matrix)")
        else:
            lines += [
                call("found = ts.ratings.map_dissimilarities", method, "apart",
                     f"weigh={self.weigh}", f"most={self.most}"),
                "fitted = found.fitted",
            ]
        return "\n".join([
            *lines, *self._chance(method),
            f"np.savez('{name}-map.npz', embedding_=fitted.embedding_)",
            f'print(f"Loss {{fitted.loss_:.6f}}; it was {self.fitted.loss_:.6f}.")',
        ])

    def _chance(self, method: str) -> Iterator[str]:
        if self.chance is None:
            return
        about = ["given"] if self.given is not None else ["matrix"]
        if self.weigh:
            about.append("apart.weights")
        yield call("chance = ts.ratings.permuted_stress", method, *about)
        yield (
            'print(f"Stress {chance.stress:.4f}, in random orders from {min(chance.permuted):.4f}; '
            f'it was {self.chance.stress:.4f} and {self.chance.permuted.min():.4f}.")'
        )
