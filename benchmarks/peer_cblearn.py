"""One timed fit of a cblearn estimator, in an environment that knows nothing of this project.

    python benchmarks/peer_cblearn.py REQUEST.npz ANSWER.npz

`embedding.py` runs it. The request holds ``triplets`` (T, 3) and ``settings``, JSON with
``estimator`` (name in cblearn.embedding), ``parameters``, ``n_objects``, ``seed``, ``n_init`` and
``limit`` (CPU seconds after which SIGXCPU ends the process). The answer holds ``embedding``,
``cpu`` and ``wall`` (seconds of the fits only), ``loss`` (its own) and ``versions`` (JSON). Of
several starts it keeps the one with the lowest loss of its own.
"""

from __future__ import annotations

import json
import platform
import resource
import sys
import time
import warnings
from importlib.metadata import version
from typing import Any

import numpy as np
from cblearn import embedding
from threadpoolctl import threadpool_limits


def estimators(settings: dict[str, Any]) -> list[Any]:
    """As many estimators as starts, or one that makes the starts itself."""
    make, parameters = getattr(embedding, settings["estimator"]), settings["parameters"]
    seed, n_init = settings["seed"], settings["n_init"]
    if "n_init" in make().get_params():
        return [make(random_state=seed, n_init=n_init, **parameters)]
    return [make(random_state=seed + 1000 * start, **parameters) for start in range(n_init)]


def fit(settings: dict[str, Any], triplets: np.ndarray, n_objects: int) -> Any:
    """The fitted estimator of lowest loss."""
    fitted = [e.fit(triplets, n_objects=n_objects) for e in estimators(settings)]
    return min(fitted, key=lambda estimator: estimator.stress_)


def warm_up(settings: dict[str, Any]) -> None:
    """Fit something small, so that imports and compilation are not timed."""
    rng = np.random.default_rng(0)
    fit(settings, np.argsort(rng.random((200, 10)), axis=1)[:, :3], 10)


def main() -> None:
    """Read the request, fit, write the answer."""
    request = np.load(sys.argv[1])
    settings, triplets = json.loads(str(request["settings"])), request["triplets"]
    warnings.simplefilter("ignore")
    with threadpool_limits(1):
        warm_up(settings)
        limit = int(time.process_time() + settings["limit"]) + 1
        resource.setrlimit(resource.RLIMIT_CPU, (limit, resource.RLIM_INFINITY))
        cpu, wall = time.process_time(), time.perf_counter()
        fitted = fit(settings, triplets, settings["n_objects"])
        cpu, wall = time.process_time() - cpu, time.perf_counter() - wall
    versions = {name: version(name) for name in ("cblearn", "numpy", "scipy", "scikit-learn")}
    np.savez(
        sys.argv[2], embedding=fitted.embedding_, cpu=cpu, wall=wall, loss=fitted.stress_,
        versions=json.dumps({"Python": platform.python_version(), **versions}),
    )


if __name__ == "__main__":
    main()
