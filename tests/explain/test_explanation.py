from __future__ import annotations

import dataclasses
import json
import sys
import types
import typing
from pathlib import Path

import numpy as np
import pytest
from pydantic import TypeAdapter

from tests.explain.small_dataset import SCRIPT, small_dataset, small_explainer
from tests.processes import Started
from tgap.asking.model import Model
from tgap.asking.prediction import Prediction
from tgap.evaluation.ranks import scored_rank
from tgap.explain import schema
from tgap.explain.contrast import Contrast
from tgap.explain.explanation import Explanation
from tgap.explain.wording import percent
from tgap.graph import View

DOCS = Path(__file__).parents[2] / "docs"


@pytest.fixture(scope="module")
def model() -> Model:
    dataset = small_dataset()
    return Model(small_explainer(dataset), dataset)


@pytest.fixture(scope="module")
def explanation(model: Model) -> Explanation:
    return model.explain("North Korea", "Threaten", SCRIPT, "2014-04-29")


def test_document_agrees_with_itself(explanation: Explanation) -> None:
    document = explanation.document
    assert document.answer.name == SCRIPT
    assert document.reach.reachable
    assert sum(walk.share for walk in document.paths.walks) + document.paths.rest == pytest.approx(1, abs=1e-5)
    assert document.profile.queries == 1
    assert sum(document.profile.attention.values()) + document.profile.self_loops == pytest.approx(1, abs=1e-5)
    assert sum(document.profile.base.values()) == pytest.approx(1)
    assert sum(chain.share for chain in document.chains.chains) + document.chains.rest == pytest.approx(1, abs=1e-5)
    shares = document.shares
    assert shares.past + shares.present + shares.future + shares.self_loops == pytest.approx(1, abs=1e-5)
    assert sum(row.share for row in shares.times) == pytest.approx(1 - shares.self_loops, abs=1e-5)
    relations = sum(row.share for row in shares.relations) + shares.relations_rest
    assert relations == pytest.approx(1 - shares.self_loops, abs=1e-5)
    for step_shares in shares.steps:
        assert sum(row.share for row in step_shares.entities) + step_shares.rest == pytest.approx(1, abs=1e-5)
    for step in document.steps:
        assert all(edge.attention <= edge.subject_attention + 1e-6 for edge in step.edges)
    assert document.steps[-1].core_nodes == ()
    assert document.steps[0].core_nodes == ("North Korea",)


def test_the_reasons_agree_with_the_measurement(explanation: Explanation, model: Model) -> None:
    document, explainer, graph = explanation.document, model.walker, model.walker.graph
    answer = model.dataset.entities.id(SCRIPT)
    assert document.evidence
    for row in document.evidence:
        fact = (row.subject, row.relation, row.object)
        ids = [model.dataset.entities.id(fact[0]), model.dataset.relations.id(fact[1])]
        ids += [model.dataset.entities.id(fact[2]), model.dataset.timeline.parse(row.time)]
        found = graph.find_facts(*(np.array([part], dtype=np.int64) for part in ids))
        after = explainer.trace(explanation.trace.query, View.all().without(found)).scores
        assert (row.probability, row.rank) == (float(after[answer]), float(scored_rank(after, answer).rank))
        assert row.effect == pytest.approx(document.answer.score - row.probability, abs=1e-6)
        assert row.relative_time == model.names.relative_time(row.displacement)
    assert {row.kind for row in document.groups} >= {"first"}
    assert document.sufficient is not None
    assert document.sufficient.touching == 3
    for kept in document.sufficient.rows:
        assert kept.kept == pytest.approx(kept.probability / document.answer.score)
    assert explanation.evidence_frame().height == len(document.evidence)


def test_a_flip_names_the_answer_that_would_come_first(model: Model) -> None:
    found = model.explain("North Korea", "Threaten", None, "2014-04-29").document
    assert found.flips is not None
    assert found.flips.answer != found.answer.name
    assert found.flips.answer_probability >= found.flips.probability
    assert found.flips.rank > 1
    assert all(fact.clause for fact in found.flips.facts)


def test_the_asked_fact_is_hidden_as_in_training_and_that_is_said(model: Model) -> None:
    asked = ("North Korea", "Threaten", "South Korea", "2014-04-28")
    hidden = model.explain(*asked)
    assert hidden.document.asked_fact_hidden
    assert len(hidden.trace.view.hidden) == 1
    named = {(row.subject, row.relation, row.object, row.time) for row in hidden.document.evidence}
    assert named
    assert asked not in named
    assert "it was hidden for this explanation" in (hidden.document.sentence or "")
    shown = model.explain(*asked, hide_asked=False)
    assert not shown.document.asked_fact_hidden
    assert asked in {(row.subject, row.relation, row.object, row.time) for row in shown.document.evidence}
    words = f"the probability would be {percent(shown.document.answer.score)}, rank {shown.document.answer.rank:g}"
    assert any(words in note for note in hidden.document.notes)
    inverse = model.explain(None, "Threaten", "South Korea", "2014-04-28", answer="North Korea")
    assert inverse.document.asked_fact_hidden
    assert inverse.trace.view == hidden.trace.view
    other = model.explain("North Korea", "Threaten", "South Korea", "2014-04-29")
    assert not other.document.asked_fact_hidden


def test_nothing_is_measured_where_no_effect_is_wanted(model: Model) -> None:
    found = model.explain("North Korea", "Threaten", None, "2014-04-29", effects=0).document
    assert (found.sentence, found.kind, found.flips, found.sufficient) == (None, None, None, None)
    assert found.evidence == found.groups == ()  # type: ignore[comparison-overlap]
    assert found.chains.chains


def test_edges_are_told_in_words(explanation: Explanation) -> None:
    edges = {edge.fact: edge for step in explanation.document.steps for edge in step.edges}
    threat = edges["North Korea", "Threaten", "South Korea", "2014-04-28"]
    assert (threat.relative_time, threat.displacement, threat.sign) == ("1 day before", -1, "past")
    backwards = [edge for edge in edges.values() if edge.inverse]
    assert backwards
    assert backwards[0].label.endswith(" (inverse)")
    assert backwards[0].fact[0] == backwards[0].object


def test_json_holds_the_whole_document(explanation: Explanation) -> None:
    document = json.loads(explanation.to_json())
    assert document["schema"] == schema.Document.VERSION == "tgap.explanation/3"
    assert document["question"] == {
        "subject": "North Korea",
        "relation": "Threaten",
        "object": None,
        "time": "2014-04-29",
        "asks": "object",
    }
    assert document["steps"][0]["edges"][0]["attention"] == explanation.document.steps[0].edges[0].attention


def _classes(kind: object, found: dict[str, set[str]]) -> None:
    """Every dataclass below a type, with the names of its fields."""
    if dataclasses.is_dataclass(kind) and isinstance(kind, type):
        if kind.__name__ not in found:
            hints = typing.get_type_hints(kind)
            found[kind.__name__] = {field.name for field in dataclasses.fields(kind)}
            for field in dataclasses.fields(kind):
                _classes(hints[field.name], found)
    else:
        for part in typing.get_args(kind):
            if not isinstance(part, types.EllipsisType):
                _classes(part, found)


def test_every_field_is_documented() -> None:
    """docs/json-schema.md has a section for every object and a row for every field, and no other."""
    found: dict[str, set[str]] = {}
    for kind in (schema.Document, Contrast, Prediction):
        _classes(kind, found)
    page = (DOCS / "json-schema.md").read_text(encoding="utf-8")
    sections = {}
    for section in page.split("\n### ")[1:]:
        name, _, rest = section.partition("\n")
        rows = [line.split("|")[1].strip() for line in rest.splitlines() if line.startswith("| `")]
        sections[name.strip().strip("`")] = {row.strip("`") for row in rows}
    extra = {"Document": {"schema"}, "Contrast": {"schema"}, "Prediction": {"schema"}, "Question": {"asks"}}
    assert {name: fields | extra.get(name, set()) for name, fields in found.items()} == sections


def test_descriptions_in_code_and_on_the_page_agree() -> None:
    """The JSON schema that pydantic makes of the document describes every field as docs/json-schema.md does."""
    made, other = (TypeAdapter(kind).json_schema() for kind in (schema.Document, Contrast))
    page = (DOCS / "json-schema.md").read_text(encoding="utf-8")
    told: dict[str, dict[str, str]] = {}
    for section in page.split("\n### ")[1:]:
        name, _, rest = section.partition("\n")
        cells = [line.strip("|").split("|") for line in rest.splitlines() if line.startswith("| `")]
        told[name.strip()] = {cell[0].strip().strip("`"): cell[2].strip().replace("`", "") for cell in cells}
    for name, found in {**made["$defs"], **other["$defs"], "Document": made, "Contrast": other}.items():
        assert {field: kind.get("description") for field, kind in found["properties"].items()} == {
            field: words for field, words in told[name].items() if field not in ("schema", "asks")
        }


def test_frames(explanation: Explanation) -> None:
    edges = explanation.to_frame()
    assert edges["step"].unique().sort().to_list() == [1, 2, 3]
    assert {"subject", "relation", "object", "time", "relative_time", "attention", "answer_share"} <= set(edges.columns)
    paths = explanation.paths_frame()
    assert paths["share"].is_sorted(descending=True)
    assert explanation.profile_frame().height == len(explanation.document.profile.displacements)
    trace = explanation.trace_frame()
    assert trace.height == sum(len(step.edge) for step in explanation.trace.steps)
    for step in (1, 2, 3):
        assert trace.filter(trace["step"] == step)["attention"].sum() == pytest.approx(1, abs=1e-5)
    assert (trace["attention"] <= trace["before"] + 1e-6).all()


def test_an_answer_out_of_reach_is_said_to_be_so(model: Model) -> None:
    for name, words in (
        ("Lonely Island", "no chain of facts leads there from North Korea"),
        ("Far Away", "it is 4 edges away from North Korea and the walk takes 3 steps"),
    ):
        found = model.explain("North Korea", "Threaten", name, "2014-04-29")
        assert not found.document.reach.reachable
        assert words in found.document.reach.sentence
        assert "so no attention can arrive" in found.document.reach.sentence
        assert (found.document.kind, found.document.evidence) == ("unreached", ())
        assert found.document.reach.sentence in found.to_html()
        assert found.document.paths.walks == ()
        assert "No walk leads to the answer" in found.to_html()


def test_the_entity_itself_as_answer(model: Model) -> None:
    found = model.explain("Lonely Island", "Consult", "Lonely Island", "2014-04-29")
    assert [walk.sentence for walk in found.document.paths.walks] == ["attention stays at Lonely Island"]
    assert "attention can stay there" in found.document.reach.sentence
    assert found.to_frame().height == 0
    found.to_html()


def test_a_document_is_made_without_what_draws(tmp_path: Path) -> None:
    """Neither the drawing room nor its libraries are loaded before something is drawn."""
    assert Started(tmp_path / "log", _explain_without_drawing).finish() == ""


def _explain_without_drawing() -> None:
    dataset = small_dataset()
    Model(small_explainer(dataset), dataset).explain("North Korea", "Threaten", "Japan", "2014-04-29").to_json()
    loaded = [name for name in ("tgap.drawing", "matplotlib", "jinja2") if name in sys.modules]
    if loaded:
        raise AssertionError(f"{', '.join(loaded)} loaded by an explanation")
