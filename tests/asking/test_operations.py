"""Operations as values: options, signatures, and that a file is all it takes."""

from __future__ import annotations

import inspect
from pathlib import Path
from typing import Any

import pytest

from tests.explain.small_dataset import small_dataset, small_explainer
from tgap.asking.load import load_model
from tgap.asking.model import Model
from tgap.asking.operation import OperationFolder
from tgap.asking.operations import OPERATIONS
from tgap.errors import OptionError, QueryError, UnknownNameError

QUESTION = ("North Korea", "Threaten", "?", "2014-04-29")


@pytest.fixture(scope="module")
def model() -> Model:
    dataset = small_dataset()
    return Model(small_explainer(dataset), dataset)


@pytest.mark.parametrize("name", OPERATIONS.names)
def test_every_operation_says_what_it_is(name: str) -> None:
    operation = OPERATIONS.find(name)
    assert operation.name == name
    assert operation.summary == OPERATIONS.summary(name)
    assert operation.summary.endswith(".")
    assert hasattr(operation.document, "to_dict")
    for field in operation.options.model_fields.values():
        assert field.description


def test_a_file_in_the_folder_is_an_operation(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    package = tmp_path / "more_operations"
    package.mkdir()
    (package / "__init__.py").write_text("")
    source = '''"""Count the facts of a dataset."""
from tgap.asking.operation import Operation
from tgap.asking.options import Options
from tgap.asking.record import Record
from tgap.text import Line

class Count(Record):
    """How many."""
    facts: int

OPERATION = Operation(
    name="count_facts",
    summary="Count the facts of a dataset.",
    options=Options,
    reply="more_operations.count_facts:Count",
    run=lambda model, options: Count(facts=len(model.dataset.train)),
    text=lambda found, options: [Line(str(found.facts))],
)
'''
    (package / "count_facts.py").write_text(source)
    monkeypatch.syspath_prepend(tmp_path)
    folder = OperationFolder("more_operations", package)
    assert folder.names == ("count_facts",)
    assert folder.commands == {"count-facts": "count_facts"}
    assert folder.summary("count_facts") == "Count the facts of a dataset."
    dataset = small_dataset()
    found = folder.find("count_facts")
    assert found.run(Model(small_explainer(dataset), dataset), found.options()).facts == len(dataset.train)


def test_a_question_is_resolved_once_and_stands_for_its_parts(model: Model, monkeypatch: pytest.MonkeyPatch) -> None:
    question = model.question(*QUESTION)
    asked = model.predict(*QUESTION)
    with monkeypatch.context() as patch:
        patch.setattr("tgap.asking.model.resolve", lambda *_: pytest.fail("the question was resolved again"))
        assert model.predict(question) == asked
        assert model.why(question).sentence == str(model.explain(question))
    assert model.predict(question, answer="Japan").asked == model.predict(*QUESTION, answer="Japan").asked


def test_a_question_carries_what_may_be_seen() -> None:
    counter = load_model("recency", "world")
    parts = ("Meridona", "Visit", "?", "2012-04-26")
    past = counter.question(*parts, past_only=True)
    assert counter.predict(past) == counter.predict(*parts, past_only=True)
    assert counter.predict(past) == counter.with_setting(past_only=True).predict(*parts)
    assert counter.predict(past) != counter.predict(*parts)
    dated = counter.question(*parts, as_of="2012-04-20")
    assert "until 2012-04-20" in counter.predict(dated).notes[-1]


def test_signatures_and_docstrings_come_from_the_options() -> None:
    predict = Model.predict
    assert list(inspect.signature(predict).parameters)[:5] == ["subject", "relation", "object", "time", "past_only"]
    assert inspect.signature(predict).parameters["top"].default == 10
    assert "top: Answers to list" in (predict.__doc__ or "")


@pytest.mark.parametrize(
    ("arguments", "options", "told"),
    [
        (QUESTION, {"tops": 3}, "unknown option 'tops'; expected one of"),
        (QUESTION, {"top": 0}, "top is 0: input should be greater than or equal to 1"),
        ((*QUESTION, 5), {}, "5 is too many"),
        (QUESTION, {"relation": "Consult"}, "relation is given twice"),
        ((3, "Threaten", "?", "2014-04-29"), {}, "subject is 3: input should be a valid string"),
        (QUESTION[:3], {}, "the time is missing"),
    ],
)
def test_mistakes_name_option_value_and_remedy(
    model: Model, arguments: tuple[Any, ...], options: dict[str, Any], told: str
) -> None:
    with pytest.raises(QueryError) as caught:
        model.predict(*arguments, **options)
    assert told in str(caught.value)
    assert "\n" not in str(caught.value)


def test_errors_are_for_programs_too(model: Model) -> None:
    with pytest.raises(UnknownNameError) as caught:
        model.predict("North Corea", *QUESTION[1:])
    assert (caught.value.field, caught.value.kind, caught.value.given) == ("subject", "entity", "North Corea")
    assert "North Korea" in caught.value.suggestions
    with pytest.raises(OptionError) as wrong:
        model.predict(*QUESTION, top=0)
    assert wrong.value.problems[0][0] == "top"


def test_a_model_lists_its_operations(model: Model) -> None:
    assert {"predict", "explain", "sweep", "timeline"} <= set(dir(model))
    assert model.timeline(points=3).to_dict()["facts"]
    with pytest.raises(AttributeError, match="no attribute 'prdict'"):
        model.prdict  # noqa: B018
