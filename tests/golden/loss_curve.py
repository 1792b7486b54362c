"""A short training on the synthetic world: twenty losses that a refactor must not change.

``python tests/golden/loss_curve.py --write`` renews losses.txt after a change of the model that is meant.
``python tests/golden/loss_curve.py --steps 5 --seed 1 --threads 2`` prints a run as JSON, for tests of determinism.
"""

from __future__ import annotations

import argparse
import hashlib
import json
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import torch

from tgap.data import make_world
from tgap.graph import TemporalGraph, View
from tgap.kernels import set_threads
from tgap.model.settings import TGAPSettings
from tgap.model.tgap import TGAP
from tgap.scorer import QueryBatch

FILE = Path(__file__).with_name("losses.txt")
HEADER = "# 20 losses of a short training on the world; renew with: python tests/golden/loss_curve.py --write"
CONFIG = TGAPSettings(dimension=20, heads=5)
BATCH = 16


@dataclass(frozen=True)
class Run:
    """Loss of each step, and a digest of all parameters after the last, bit by bit."""

    losses: list[float]
    digest: str


def run(steps: int = 20, seed: int = 0, threads: int = 2, kernels: str = "compiled") -> Run:
    """Train for a few steps on batches of neighbouring days, each batch's own facts hidden."""
    set_threads(threads)
    world = make_world()
    facts, relations = world.train, world.num_relations
    graph = TemporalGraph.build(world.num_entities, relations, facts.subject, facts.relation, facts.object, facts.time)
    model = TGAP(CONFIG, graph, world.timeline.span, seed=seed, kernels=kernels)
    optimiser = torch.optim.Adam(model.parameters(), lr=3e-3)
    in_time = np.argsort(facts.time, kind="stable")
    starts = np.random.default_rng(seed).integers(0, len(facts) - BATCH, steps)
    losses = []
    for step, start in enumerate(starts):
        mine = facts[in_time[start : start + BATCH]]
        forward = step % 2 == 0
        queries = QueryBatch(
            mine.subject if forward else mine.object, mine.relation + (0 if forward else relations), mine.time
        )
        hidden = graph.find_facts(mine.subject, mine.relation, mine.object, mine.time)
        view = View.all().without(hidden)
        loss = model.loss(queries, mine.object if forward else mine.subject, view, seed=1000 * seed + step).value
        optimiser.zero_grad()
        loss.backward()  # type: ignore[no-untyped-call]
        optimiser.step()
        losses.append(loss.item())
    digest = hashlib.sha256()
    for name, parameter in model.named_parameters():
        digest.update(name.encode())
        digest.update(parameter.detach().numpy().tobytes())
    return Run(losses, digest.hexdigest())


def main() -> None:
    """Write the golden file, or print a run."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--write", action="store_true", help="renew losses.txt")
    parser.add_argument("--steps", type=int, default=20)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--threads", type=int, default=2)
    parser.add_argument("--kernels", choices=("compiled", "reference"), default="compiled")
    chosen = parser.parse_args()
    if chosen.write:
        lines = [f"{loss:.6f}" for loss in run().losses]
        FILE.write_text("\n".join([HEADER, *lines]) + "\n", encoding="utf-8")
        return
    result = run(chosen.steps, chosen.seed, chosen.threads, chosen.kernels)
    print(json.dumps({"losses": result.losses, "digest": result.digest}))  # noqa: T201 - this is the output


if __name__ == "__main__":
    main()
