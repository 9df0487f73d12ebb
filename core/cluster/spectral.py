"""Spectral clustering."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Annotated

import numpy as np

from tripletscope.core.cluster.clustering import BasedClustering
from tripletscope.core.computing.parallel import single_blas_thread
from tripletscope.core.kernel.space import Space
from tripletscope.core.method import Number, register

#: Objects stay connected, however far apart.
_LEAST = 1e-6


@register("cluster")
@dataclass(kw_only=True, eq=False, repr=False)
class Spectral(BasedClustering):
    """Spectral clustering: groups that are connected by chains of neighbours, of any shape.

    Similarities are exp(-d_ab^2 / (s_a s_b)), where s is the distance to the scaling neighbour;
    the eigenvectors of the normalised Laplacian are turned into clusters by scikit-learn's pivoted
    QR, which needs no random initialisation.

    References
    ----------
    Zelnik-Manor, L., & Perona, P. (2004). Self-tuning spectral clustering. Advances in Neural
    Information Processing Systems 17. Section 2.
    Damle, A., Minden, V., & Ying, L. (2019). Simple, direct and efficient multi-way spectral
    clustering. Information and Inference, 8, 181-203.

    Examples
    --------
    >>> import tripletscope as ts
    >>> answers = ts.read("sample_data/ekman_colors/answers.csv")
    >>> ts.Spectral(n_clusters=3).fit(answers).n_clusters_
    3
    """

    name = "spectral"
    title = "Spectral"

    n_neighbours: Annotated[
        int,
        Number(
            1, 200, "Scaling neighbour",
            "Distances are scaled by the distance to this nearest neighbour before they become "
            "similarities.",
            advanced=True,
        ),
    ] = 7

    def divisions(self, space: Space, numbers: Sequence[int]) -> np.ndarray:
        """(len(numbers), m) clusters, for several numbers of them."""
        from sklearn.cluster import spectral_clustering  # imported late: slow to import

        distances = space.distances()
        m = len(distances)
        scale = np.sort(distances, axis=1)[:, min(self.n_neighbours, m - 1)]
        scale = np.where(scale > 0, scale, distances.max() or 1.0)
        affinity = np.maximum(np.exp(-(distances**2) / (scale[:, None] * scale)), _LEAST)
        found = []
        with single_blas_thread():
            for number in numbers:
                if number in (1, m):
                    found.append(np.zeros(m, dtype=int) if number == 1 else np.arange(m))
                    continue
                found.append(
                    spectral_clustering(
                        affinity, n_clusters=number, assign_labels="cluster_qr", random_state=0,
                    )
                )
        return np.array([np.unique(labels, return_inverse=True)[1] for labels in found])
