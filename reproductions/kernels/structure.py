"""Properties of the kernels that the text tells of: diagonals, and numbers of operations."""

from __future__ import annotations

import numpy as np
import pandas as pd
from scipy import sparse
from scipy.spatial.distance import pdist, squareform

from tripletscope.core.data.landmarks import choose_landmarks, landmark_questions
from tripletscope.core.data.triplets import Triplets
from tripletscope.core.engine.progress import Progress, Stopped, silent
from tripletscope.core.similarity.kernels.triplet import K1, K2
from tripletscope.reproductions.item import (
    DOES_NOT_HOLD,
    HOLDS,
    Item,
    Observation,
)
from tripletscope.reproductions.kernels.asking import all_questions, answered

_KERNELS = {"k1": K1, "k2": K2}
_ROUNDING = 1e-9
_GENERAL, _TENTH, _LANDMARK = "all comparisons", "a tenth of them", "landmark design"


def _distances(n_objects: int, rng: np.random.Generator) -> np.ndarray:
    return squareform(pdist(rng.normal(size=(n_objects, 2))))


def dominance(
    *, n_objects: int, shares: tuple[float, ...], seed: int = 0, progress: Progress = silent
) -> pd.DataFrame:
    """How similar different objects are, of what they are to themselves, by share of answers.

    ``off`` is by how much the reduced kernel differs from K - lambda I, and ``least`` its smallest
    eigenvalue.
    """
    rng = np.random.default_rng(seed)
    apart, every = _distances(n_objects, rng), all_questions(n_objects)
    order, others = rng.permutation(len(every)), ~np.eye(n_objects, dtype=bool)
    rows = []
    for share in shares:
        triplets = answered(apart, every[order[: round(share * len(every))]], 0.0, rng)
        for name, method in _KERNELS.items():
            plain = method(reduce_diagonal=False).fit(triplets).kernel_
            reduced = method().fit(triplets).kernel_
            taken = plain - np.linalg.eigvalsh(plain)[0] * np.eye(n_objects)
            rows += [
                {"kernel": name, "share": 100 * share, "diagonal": diagonal,
                 "y": np.abs(matrix[others]).mean() / matrix.diagonal().mean(),
                 "off": np.abs(reduced - taken).max(), "least": np.linalg.eigvalsh(reduced)[0]}
                for diagonal, matrix in (("as defined", plain), ("reduced", reduced))
            ]
    progress(1.0)
    return pd.DataFrame(rows)


def _check_dominance(table: pd.DataFrame) -> Observation:
    """Whether few answers make similarities small, and the smallest eigenvalue is taken."""
    wide = table.pivot_table(index="share", columns=["kernel", "diagonal"], values="y")
    plain, reduced = (wide.xs(name, axis=1, level=1) for name in ("as defined", "reduced"))
    off = float(max(table["off"].max(), table["least"].abs().max()))
    ours = "; ".join(
        f"{name}: {plain[name].iloc[0]:.3f} of self-similarity with {wide.index[0]:g} % of all "
        f"answers ({reduced[name].iloc[0]:.3f} reduced), {plain[name].iloc[-1]:.3f} with all"
        for name in plain
    ) + f"; largest difference from K - lambda I {off:.1g}"
    wrong = [words for words, so in (
        ("few answers do not make similarities small", (plain.iloc[0] >= 0.1).any()),
        ("similarities do not rise with answers", (np.diff(plain, axis=0) <= 0).any()),
        ("the smallest eigenvalue is not what is taken", off > _ROUNDING),
        ("the reduced diagonal still dominates as much",
         (reduced.iloc[0] <= plain.iloc[0]).any() or (reduced < plain - _ROUNDING).any().any()),
    ) if so]
    if wrong:
        return Observation(DOES_NOT_HOLD, ours, f"Not as claimed: {'; '.join(wrong)}.")
    return Observation(HOLDS, ours, "With few answers the diagonal dominates, and taking the "
                       "smallest eigenvalue from it leaves a valid kernel in which it does less.")


def _entries(name: str, triplets: Triplets) -> tuple[int, int]:
    """Columns of the feature matrix in which anything is, and multiplications of all pairs."""
    features, _ = _KERNELS[name]()._features(triplets)
    held = np.diff(sparse.csc_array(features).indptr)
    return int((held > 0).sum()), int((held.astype(np.int64) ** 2).sum())


def operations(
    *, sizes: tuple[int, ...], large: tuple[int, ...], landmarks: int, seed: int = 0,
    progress: Progress = silent,
) -> pd.DataFrame:
    """Features and multiplications of both kernels, by the number of objects.

    sizes, large: Numbers of objects, of which all comparisons are answered, and all of a landmark
        design.
    """
    rng, rows = np.random.default_rng(seed), []
    work = [(name, n, False) for name in _KERNELS for n in sizes]
    work += [(name, n, True) for name in _KERNELS for n in large]
    for done, (name, n, by_landmarks) in enumerate(work, 1):
        apart, every = _distances(n, rng), all_questions(n) if not by_landmarks else None
        if by_landmarks:
            asked = {_LANDMARK: landmark_questions(n, choose_landmarks(n, landmarks, rng), name)}
        else:
            some = rng.choice(len(every), len(every) // 10, replace=False)
            asked = {_GENERAL: every, _TENTH: every[some]}
        for design, questions in asked.items():
            columns, products = _entries(name, answered(apart, questions, 0.0, rng))
            rows.append({
                "kernel": name, "design": design, "objects": n, "landmarks": landmarks,
                "answers": len(questions), "features": columns,
                "full": float(n) ** 2 * columns, "multiplications": products,
            })
        if progress(done / len(work)) and done < len(work):
            raise Stopped
    return pd.DataFrame(rows)


def _check_operations(table: pd.DataFrame) -> Observation:
    """Whether features are as many as the text says, and few answers make few products."""
    n, m = table["objects"], table["landmarks"]
    said = np.where(
        table["design"] == _LANDMARK,
        np.where(table["kernel"] == "k1", m * (m - 1) / 2, m**2 + m),
        np.where(table["kernel"] == "k1", n * (n - 1) / 2, n * (n - 1)),
    )
    general, tenth, landmark = (
        table[table["design"] == name].set_index(["kernel", "objects"])
        for name in (_GENERAL, _TENTH, _LANDMARK)
    )
    right = (table["features"] == said)[table["design"] == _GENERAL].all()
    within = (table["features"] <= said)[table["design"] == _LANDMARK].all()
    by_kernel = landmark.groupby("kernel")["features"]
    constant = (by_kernel.max() == by_kernel.min()).all()
    answers = (landmark["answers"] <= landmark["landmarks"] ** 2 * landmark.index.get_level_values(
        "objects")).all()
    share = (tenth["multiplications"] / general["multiplications"]).max()
    ours = "; ".join(
        f"{name}, {design}: " + ", ".join(
            f"{row.features:,} features of {row.objects}" for row in own.itertuples()
        ) for (name, design), own in table[table["design"] != _TENTH].groupby(["kernel", "design"])
    ) + f"; with a tenth of the answers at most {share:.1%} of the multiplications"
    if right and within and constant and answers and share < 0.1:
        return Observation(HOLDS, ours, "In general products of all pairs take in the order of n⁴ "
                           "operations, with l landmarks l² n², and fewer with few answers.")
    return Observation(DOES_NOT_HOLD, ours, "Features or products are not as many as the text "
                       "says.")


ITEMS = (
    Item(
        key="kernels-section-2.1", title="Diagonal dominance",
        claim="With few answers every object is far more similar to itself than to any other; "
        "taking the smallest eigenvalue from the diagonal reduces this and leaves a kernel.",
        setting="K - lambda I in all experiments; no figures",
        ours="a share of all comparisons is answered",
        stand_in="random points in the plane in place of the data of the paper's experiments",
        experiment=dominance,
        full={"n_objects": 100, "shares": (0.003, 0.01, 0.03, 0.1, 0.3, 1.0)},
        quick={"n_objects": 40, "shares": (0.02, 0.1, 1.0)}, check=_check_dominance,
        rule="Holds if for k1 and for k2 the mean absolute similarity of different objects is "
        "below a tenth of self-similarity with the fewest answers and rises with every further "
        "share; the reduced kernel is K less its smallest eigenvalue on the diagonal, and its own "
        "smallest one 0, but for 1e-9; and in it similarities are larger in proportion with the "
        "fewest answers and at no share smaller.",
        not_judged="That dominance makes kernel methods fail, which the paper takes from others.",
    ),
    Item(
        key="kernels-section-2.4", title="How much there is to compute",
        claim="In general k1 and k2 take in the order of n⁴ operations, with l landmarks only l² "
        "n², and fewer still where answers are few and features are therefore sparse.",
        setting="Products of feature vectors, as counted in the text",
        ours="features and products are counted in the program's own feature vectors; 15 landmarks",
        experiment=operations,
        full={"sizes": (20, 40, 80), "large": (300, 600), "landmarks": 15},
        quick={"sizes": (20, 40), "large": (300, 400)}, check=_check_operations,
        rule="Holds if with all comparisons k1 has n (n - 1) / 2 features and k2 n (n - 1), which "
        "times n² products are of the order n⁴; with l landmarks and all their answers, at most l² "
        "n, at most l (l - 1) / 2 and l (l + 1) whatever n; and if with a tenth of all comparisons "
        "sparse products take less than a tenth of the multiplications.",
        not_judged="How long embeddings take, of which nothing is proved (figures 5 and 7 time "
        "them), and Strassen's algorithm, which nobody uses here.",
    ),
)
