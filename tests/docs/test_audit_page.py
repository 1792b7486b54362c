"""docs/audit.md: what it shows for other programs is run on stand-ins that have their methods, then audited."""

from __future__ import annotations

import re
import sys
from pathlib import Path
from types import ModuleType, SimpleNamespace
from typing import Any

import numpy as np
import pytest
import torch

from tests.evaluation.audit.planted import town
from tgap.evaluation.audit import CHECKS, Audit, audit_scores, read_scores, run_checks

PAGE = (Path(__file__).parents[2] / "docs" / "audit.md").read_text(encoding="utf-8")


def shown(heading: str) -> str:
    """The Python under a heading."""
    found = re.search(rf"## {heading}\n.*?```python\n(.*?)```", PAGE, re.DOTALL)
    assert found is not None
    return found.group(1)


def facts_by_name() -> list[tuple[str, str, str, str]]:
    data = town()
    names, relations, line = data.entities, data.relations, data.timeline
    return [(names.name(s), relations.name(r), names.name(o), line.format(t)) for s, r, o, t in data.test]


def audited(path: Path) -> Audit:
    return audit_scores(read_scores(path, town()), town())


def test_pykeen(tmp_path: Path) -> None:
    """Entities are numbered backwards, so that a mistaken order would show."""
    data = town()
    order = {name: 39 - at for at, name in enumerate(data.entities.names)}
    factory = SimpleNamespace(
        entity_to_id=order, relation_to_id={name: at for at, name in enumerate(data.relations.names)}
    )
    tails, heads = torch.randn(40, 2, 40), torch.randn(2, 40, 40)
    model = SimpleNamespace(
        predict_t=lambda pairs: tails[pairs[:, 0], pairs[:, 1]], predict_h=lambda pairs: heads[pairs[:, 0], pairs[:, 1]]
    )
    scope: dict[str, Any] = {}
    exec(shown("From PyKEEN"), scope)  # noqa: S102
    scope["write_scores"](model, factory, facts_by_name(), tmp_path / "scores.npz")
    audit = audited(tmp_path / "scores.npz")
    fact = data.test[0]
    ours = tails[39 - fact.subject, fact.relation, 39 - fact.object]
    theirs = heads[fact.relation, 39 - fact.object, 39 - fact.subject]
    assert audit.own[0] == pytest.approx(float(ours))
    assert audit.own[len(data.test)] == pytest.approx(float(theirs))
    assert run_checks(audit)["coverage"].verdict == "ok"


def test_libkge(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    data = town()
    test = torch.tensor(np.stack([data.test.subject, data.test.relation, data.test.object], axis=1))
    tails, heads = torch.randn(40, 2, 40), torch.randn(2, 40, 40)
    dataset = SimpleNamespace(
        split=lambda name: test if name == "test" else None,
        entity_ids=lambda: list(data.entities.names),
        relation_ids=lambda: list(data.relations.names),
    )
    model = SimpleNamespace(dataset=dataset, score_sp=lambda s, p: tails[s, p], score_po=lambda p, o: heads[p, o])
    stand_ins: dict[str, dict[str, Any]] = {
        "kge": {},
        "kge.model": {"KgeModel": SimpleNamespace(create_from=lambda _: model)},
        "kge.util": {},
        "kge.util.io": {"load_checkpoint": lambda _: None},
    }
    for name, content in stand_ins.items():
        module = ModuleType(name)
        module.__dict__.update(content)
        monkeypatch.setitem(sys.modules, name, module)
    monkeypatch.chdir(tmp_path)
    Path("test.txt").write_text("".join("\t".join(fact) + "\n" for fact in facts_by_name()), encoding="utf-8")
    exec(shown("From LibKGE"), {})  # noqa: S102
    audit = audited(tmp_path / "scores.npz")
    fact = data.test[3]
    assert audit.own[3] == pytest.approx(float(tails[fact.subject, fact.relation, fact.object]))
    assert audit.own[3 + len(data.test)] == pytest.approx(float(heads[fact.relation, fact.object, fact.subject]))
    assert run_checks(audit)["coverage"].verdict == "ok"


@pytest.mark.parametrize("lift", [0.0, 0.5])
def test_tkbc(tmp_path: Path, lift: float) -> None:
    """A factorisation in its manner; ``lift`` stands for a term that only the answer's score has."""
    data = town()
    entity, relation, time = torch.randn(40, 8), torch.randn(4, 8), torch.randn(10, 8)

    class Model:
        def get_rhs(self, begin: int, size: int) -> torch.Tensor:
            return entity[begin : begin + size].T

        def get_queries(self, queries: torch.Tensor) -> torch.Tensor:
            return entity[queries[:, 0]] * relation[queries[:, 1]] * time[queries[:, 3]]

        def score(self, queries: torch.Tensor) -> torch.Tensor:
            return (self.get_queries(queries) * entity[queries[:, 2]]).sum(1, keepdim=True) + lift

    scope: dict[str, Any] = {}
    exec(shown("From a script in the manner of tkbc"), scope)  # noqa: S102
    names = (data.entities.names, data.relations.names, [data.timeline.format(t) for t in range(10)])
    scope["write_scores"](Model(), np.stack(data.test.columns, axis=1), 2, names, tmp_path / "scores.npz")
    found = run_checks(audited(tmp_path / "scores.npz"))
    assert found["coverage"].verdict == found["siblings"].verdict == "ok"
    assert found["target"].verdict == ("fault" if lift else "ok")
    assert ("+0.5, the same everywhere" in found["target"].sentence) == bool(lift)


def test_every_check_is_on_the_page() -> None:
    for check in CHECKS:
        assert f"| {check.name} | {check.asks} |" in PAGE
