"""A run folder of version 0.1 goes on, bit for bit, under today's names."""

from __future__ import annotations

import hashlib
import json
from pathlib import Path

from tests.training.standin import new_run, train_standin
from tests.training.test_loop import Recorder
from tgap.runs.files import encode_tensors, read_tensors
from tgap.runs.folder import RunFolder
from tgap.training.interruption import Interruption

_FORMER_NAMES = {"exp_avg": "moment1", "exp_avg_sq": "moment2", "step": "count"}


def make_former(folder: RunFolder) -> None:
    """Rewrite the checkpoints of a run as version 0.1 wrote them."""
    for path in folder.checkpoints.iterdir():
        tensors, metadata = read_tensors(path / "tensors.safetensors")
        former = {}
        for name, tensor in tensors.items():
            part, _, rest = name.partition("/")
            key, _, parameter = rest.partition("/")
            former[f"{_FORMER_NAMES[key]}/{parameter}" if part == "optimiser" else name] = tensor
        content = encode_tensors(former, metadata)
        record = json.loads((path / "state.json").read_text())
        for part in ("window", "round"):
            metrics = record["state"][part].pop("metrics")
            record["state"][part]["unreachable"] = int(metrics.get("unreachable", 0))
        record |= {"format": 2, "config": "", "tensors": hashlib.sha256(content).hexdigest()}
        del record["sha256"]
        digest = hashlib.sha256(json.dumps(record, sort_keys=True).encode()).hexdigest()
        (path / "tensors.safetensors").write_bytes(content)
        (path / "state.json").write_text(json.dumps({"sha256": digest, **record}))


def test_a_checkpoint_of_version_0_1_goes_on_bit_for_bit(tmp_path: Path) -> None:
    whole, parts = new_run(tmp_path / "whole"), new_run(tmp_path / "parts")
    train_standin(whole)
    interruption = Interruption()
    train_standin(parts, listeners=[Recorder(interruption, 10)], interruption=interruption)
    make_former(parts)
    recorder = Recorder()
    assert train_standin(parts, listeners=[recorder]) == "finished"
    assert recorder.started[0].at.step == 10
    assert "unreachable" in recorder.measures[0].metrics
    assert whole.weights_file.read_bytes() == parts.weights_file.read_bytes()
    assert whole.report()["validation"] == parts.report()["validation"]
