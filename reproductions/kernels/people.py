"""What kernels show in answers of people: clusters and maps of samples that come with the program.

The paper's images of foods, cars and landscapes are not to be had. Odd-one-out trials make two
answers each, as its statements on outliers do; the eggs were compared by people.
"""

from __future__ import annotations

import time
from functools import partial

import numpy as np
import pandas as pd
from scipy.stats import spearmanr
from sklearn.neighbors import NearestNeighbors

from tripletscope.core.cluster.agglomerative import Agglomerative
from tripletscope.core.computing.progress import Progress, Stopped, silent
from tripletscope.core.data.triplets import Triplets
from tripletscope.core.embedding import GNMDS
from tripletscope.core.kernel.space import space_of
from tripletscope.core.kernel.spectrum import principal_components
from tripletscope.core.kernel.triplet import K1, K2
from tripletscope.core.method import Method
from tripletscope.reproductions.item import (
    DOES_NOT_HOLD,
    HOLDS,
    Item,
    Observation,
)
from tripletscope.reproductions.samples import sample

_METHODS = {"k1": K1, "k2": K2, "GNMDS": GNMDS}
_CLUSTERS = 10
#: Objects nearest in a map of which it is asked whether they are of the same kind.
_NEIGHBOURS = 3
#: Draws of labels at random, to tell what purity is by chance.
_DRAWS = 200


def thing_answers() -> Triplets:
    return sample("odd_one_out").triplets


def egg_answers() -> Triplets:
    return sample("alien_eggs").triplets


def _fitted(name: str, triplets: Triplets, seed: int) -> tuple[Method, float]:
    """A method, and processor seconds of its fit."""
    method = GNMDS(n_init=1, seed=seed) if name == "GNMDS" else _METHODS[name]()
    begun = time.process_time()
    method.fit(triplets)
    if name != "GNMDS":
        _ = method.kernel_
    return method, time.process_time() - begun


def _clusters_of(method: Method, categories: np.ndarray, labels: np.ndarray) -> pd.DataFrame:
    """Members of ten clusters by complete linkage, by category."""
    clustering = Agglomerative(linkage="complete", n_clusters=_CLUSTERS, order_leaves=False)
    clusters = clustering.fit_space(space_of(method)).labels_
    rows = []
    for number in range(_CLUSTERS):
        members = labels[clusters == number]
        shown = ", ".join(members[:3]) + (" …" if len(members) > 3 else "")
        rows += [
            {"what": "clusters", "cluster": f"{number + 1}: {shown}", "category": category,
             "members": int(np.sum(categories[clusters == number] == category))}
            for category in dict.fromkeys(categories)
        ]
    return pd.DataFrame(rows)


def _purity_by_chance(sizes: np.ndarray, categories: np.ndarray, seed: int) -> float:
    """97.5 % point of the purity of clusters of these sizes, drawn at random."""
    rng, codes = np.random.default_rng(seed), pd.factorize(categories)[0]
    cut = np.cumsum(sizes)[:-1]
    found = [
        sum(np.bincount(part).max() for part in np.split(rng.permutation(codes), cut)
            if len(part)) / len(codes)
        for _ in range(_DRAWS)
    ]
    return float(np.quantile(found, 0.975))


def clusters(
    *, kernel: str, seed: int = 0, progress: Progress = silent
) -> pd.DataFrame:
    """Ten clusters of things by complete linkage, and the time that kernel and GNMDS take."""
    triplets = thing_answers()
    categories = triplets.objects["category"].astype(str).to_numpy()
    _fitted(kernel, triplets, seed)  # what is compiled is not timed
    method, seconds = _fitted(kernel, triplets, seed)
    if progress(0.5):
        raise Stopped
    _, other = _fitted("GNMDS", triplets, seed)
    table = _clusters_of(method, categories, np.array(triplets.labels, dtype=object))
    sizes = table.groupby("cluster", sort=False)["members"].sum().to_numpy()
    return table.assign(
        chance=_purity_by_chance(sizes, categories, seed), seconds=seconds, gnmds_seconds=other
    )


def check_clusters(table: pd.DataFrame) -> Observation:
    """Whether clusters are purer than by chance, and most of them of mostly one category."""
    table = table[table["what"] == "clusters"]
    by = table.groupby("cluster")["members"]
    purity = float(by.max().sum() / by.sum().sum())
    shares = by.max() / by.sum()
    chance = float(table["chance"].iloc[0])
    said = (
        f"purity of ten clusters {purity:.2f} (by chance at most {chance:.2f}); of "
        f"{int((shares >= 0.6).sum())} of 10 at least 60 % are of one category"
    )
    if purity > chance and (shares >= 0.6).sum() > _CLUSTERS / 2:
        return Observation(HOLDS, said, "Clusters are far purer than random ones, and most consist "
                           "of one category for the most part.")
    return Observation(
        DOES_NOT_HOLD, said, "Most clusters mix categories." if purity > chance else
        "Clusters are no purer than random ones.",
    )


def projection(*, method: str, seed: int = 0, progress: Progress = silent) -> pd.DataFrame:
    """Places of things in the plane by a method, and how often neighbours are of the same kind."""
    triplets = thing_answers()
    _fitted(method, triplets, seed)  # what is compiled is not timed
    fitted, seconds = _fitted(method, triplets, seed)
    if progress(0.5):
        raise Stopped
    if method == "GNMDS":
        places = fitted.embedding_
    else:
        places = principal_components(space_of(fitted), 2).coordinates
    kinds = triplets.objects["kind"].astype(str).to_numpy()
    nearest = NearestNeighbors(n_neighbors=_NEIGHBOURS).fit(places).kneighbors(
        return_distance=False
    )
    away = np.linalg.norm(places - np.median(places, axis=0), axis=1)
    return pd.DataFrame({
        "what": "map", "x": places[:, 0], "y": places[:, 1], "kind": kinds,
        "label": triplets.labels, "away": away / np.median(away),
        "alike": (kinds[nearest] == kinds[:, None]).mean(axis=1),
        "chance": float(np.sum((pd.Series(kinds).value_counts() / len(kinds)) ** 2)),
        "seconds": seconds,
    })


def check_projection(table: pd.DataFrame) -> Observation:
    """Whether neighbours are of the same kind at least half as far from chance as can be."""
    alike, chance = table["alike"].mean(), table["chance"].iloc[0]
    outside = int((table["away"] > 3).sum())
    said = (
        f"{alike:.0%} of the {_NEIGHBOURS} nearest neighbours are of the same kind (by chance "
        f"{chance:.0%}); {outside or 'no'} objects lie more than three times as far out as the "
        "median one"
    )
    if alike > (1 + chance) / 2:
        return Observation(HOLDS, said, "What lies close together in the map is of the same kind.")
    return Observation(DOES_NOT_HOLD, said, "Neighbours in the map are often of another kind.")


def both(*, seed: int = 0, progress: Progress = silent) -> pd.DataFrame:
    """Clusters of things by k1, and the first two kernel principal components of eggs by k1."""
    table = clusters(kernel="k1", seed=seed)
    if progress(0.5):
        raise Stopped
    triplets = egg_answers()
    places = principal_components(space_of(K1().fit(triplets)), 2).coordinates
    spikiness = triplets.objects["spikiness"].to_numpy(float)
    thirds = np.array(["spiky", "between", "round"], dtype=object)
    eggs = pd.DataFrame({
        "what": "map", "x": places[:, 0], "y": places[:, 1], "spikiness": spikiness,
        "third": thirds[np.argsort(np.argsort(spikiness)) * 3 // len(spikiness)],
    })
    progress(1.0)
    return pd.concat([table, eggs], ignore_index=True)


def _check_both(table: pd.DataFrame) -> Observation:
    found = check_clusters(table)
    eggs = table[table["what"] == "map"]
    order = abs(spearmanr(eggs["x"], eggs["spikiness"]).statistic)
    times = table[table["what"] == "clusters"][["seconds", "gnmds_seconds"]].iloc[0]
    said = (
        f"{found.ours}; first component and spikiness of eggs: rank correlation {order:.2f}; "
        f"{times['seconds']:.3f} s, GNMDS {times['gnmds_seconds']:.3f} s"
    )
    if found.shows != HOLDS or order < 0.7:
        why = found.why if found.shows != HOLDS else (
            "The first component does not order the eggs by what they differ in."
        )
        return Observation(DOES_NOT_HOLD, said, why)
    return Observation(HOLDS, said, "Clusters are of one category for the most part, and the "
                       "kernel's first component orders eggs by what they differ in.")


_THINGS = "the sample of odd-one-out trials, which simulated people gave by known categories"


def _clusters_item(key: str, kernel: str) -> Item:
    return Item(
        key=key, title=f"Clusters of landscapes by {kernel}",
        claim=f"Most of ten clusters that complete linkage makes of {kernel} hold images of one "
        "kind.",
        published="clusters of deserts, forests, mountains, coastlines (pictures; no numbers)",
        setting="120 images, 3,355 statements on the outlier of three, 6,710 answers",
        experiment=partial(clusters, kernel=kernel), check=check_clusters,
        stand_in=_THINGS,
    )


def _map_item(key: str, method: str, of: str, setting: str, published: str) -> Item:
    return Item(
        key=key, title=f"{of} by {method}",
        claim=f"Images that lie close together in the map of {method} show similar things.",
        published=published, setting=setting, experiment=partial(projection, method=method),
        check=check_projection, stand_in=_THINGS,
    )


_NATURE = "120 images, 6,710 answers from statements on the outlier of three"

ITEMS = (
    Item(
        key="kernels-figure-4", title="Foods and cars",
        claim="Complete linkage on a kernel finds homogeneous clusters, and kernel PCA arranges "
        "objects sensibly, with answers of crowds.",
        published="ten clusters of foods: vegetables, fruits, desserts; cars: sports cars, "
        "ordinary ones, off-road; 0.1 s, GNMDS 18 s",
        setting="Food: 100 images, 190,376 answers; cars: 60 images, 13,514 answers from "
        "statements on the most central of three",
        experiment=both, check=_check_both,
        stand_in=f"{_THINGS} and alien eggs (231 people)",
    ),
    _map_item("kernels-figure-9", "GNMDS", "Foods", "100 images, 190,376 answers, two dimensions",
              "a picture; 18 s"),
    _map_item("kernels-figure-10", "k1", "Landscapes", _NATURE, "a picture"),
    _map_item("kernels-figure-11", "k2", "Landscapes", _NATURE, "a picture"),
    _map_item("kernels-figure-12", "GNMDS", "Landscapes", _NATURE,
              "a picture, with three images far from all others"),
    _clusters_item("kernels-figure-13", "k1"),
    _clusters_item("kernels-figure-14", "k2"),
)
