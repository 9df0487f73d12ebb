"""What kernels that start from a map share: the map is found first."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Annotated, Any, Self

from tripletscope.core.computing.progress import Progress, silent
from tripletscope.core.data.quadruples import as_answers
from tripletscope.core.data.triplets import Judgements
from tripletscope.core.embedding import DEFAULT_EMBEDDING
from tripletscope.core.kernel.kernel import Kernel, refuse_matrix
from tripletscope.core.method import Inner, Method, unfitted


@dataclass(kw_only=True, eq=False, repr=False)
class MapKernel(Kernel):
    """Similarities for which a map is needed."""

    basis: Annotated[Method | dict | None, Inner(
        ("embedding",), "Map", "The map that the kernel needs.", automatic=DEFAULT_EMBEDDING.title
    )] = None

    def fit(self, triplets: Judgements, y: Any = None, *, progress: Progress = silent) -> Self:
        """Find the map, then the kernel.

        Parameters
        ----------
        triplets : Triplets or array-like of int, shape (T, 3)
            Or Quadruples, where the kernel needs nothing but the map.
        y : ignored
        progress : Progress
            Of the map; a stop keeps the kernel of the map so far.

        Raises
        ------
        DataError
            If there is no answer to learn from, or the objects are too many for a matrix.
        """
        self._check_parameters()
        data = as_answers(triplets)
        refuse_matrix(data.n_objects)
        fitted = unfitted(self.basis or DEFAULT_EMBEDDING()).fit(data, progress=progress)
        self._fit_mapped(fitted, data)
        self.stopped_ = fitted.stopped_
        return self

    def _fit_mapped(self, fitted: Method, triplets: Judgements) -> None:
        """Find the kernel, once there is a map."""
        raise NotImplementedError
