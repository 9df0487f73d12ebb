"""Run in the peer's environment: VICE's own program on given trials, with its defaults.

    python peer_vice.py REPOSITORY FOLDER EPOCHS

FOLDER has ``train.npy``, (Q, 3) with the odd one last; the state after every tenth of the epochs is
written to it. The peer is as it is: only its count of dimensions, which it does after every epoch,
is watched.
"""

import os
import sys
import time

import numpy as np
import torch

REPOSITORY, FOLDER, EPOCHS = sys.argv[1], os.path.abspath(sys.argv[2]), int(sys.argv[3])
os.chdir(REPOSITORY)
sys.path.insert(0, REPOSITORY)

import optimization  # noqa: E402
from data import TripletData  # noqa: E402
from torch.utils.data import DataLoader  # noqa: E402


class Watched(optimization.VICE):
    """Keeps its state now and then."""

    begun, epoch = time.process_time(), 0

    def pruning(self, alpha: float = 0.05) -> tuple:
        found = super().pruning(alpha)
        self.epoch += 1
        # It counts once more when it has ended.
        if self.epoch <= EPOCHS and self.epoch % max(EPOCHS // 10, 1) == 0:
            np.savez(
                os.path.join(FOLDER, f"epoch{self.epoch:05d}.npz"), signal=found[0],
                seconds=time.process_time() - self.begun, **self.detached_params,
            )
        return found


def main() -> None:
    torch.manual_seed(42)
    trials = torch.from_numpy(np.load(os.path.join(FOLDER, "train.npy"))).long()
    n_objects = int(trials.max()) + 1
    batches = DataLoader(TripletData(trials, n_objects), batch_size=128, shuffle=True)
    few = DataLoader(TripletData(trials[:256], n_objects), batch_size=128)
    model = Watched(
        task="odd-one-out", n_train=len(trials), n_objects=n_objects, init_dim=100, optim="adam",
        eta=0.001, batch_size=128, epochs=EPOCHS, burnin=500, mc_samples=10, mixture="gaussian",
        spike=0.25, slab=1.0, pi=0.5, k=5, ws=500, steps=10 * EPOCHS,
        model_dir=os.path.join(FOLDER, "model"), results_dir=FOLDER, device=torch.device("cpu"),
    )
    model.fit(batches, few)


if __name__ == "__main__":
    main()
