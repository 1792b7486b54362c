"""Names that hold control characters: people see them spelt out, programs get them as they are."""

from __future__ import annotations

import io
import json
from dataclasses import replace
from xml.etree import ElementTree

import pytest
from rich.console import Console

from tests.explain.small_dataset import ENTITIES, RELATIONS, small_dataset, small_explainer
from tgap.asking.explanation_text import explanation_text, walk_text
from tgap.asking.model import Model
from tgap.cli.blocks import print_blocks
from tgap.data import Vocabulary
from tgap.explain.explanation import Explanation

EVIL, TURNED = "South\x1b[31m Korea\x00", "Con\u202esult"
ACTING = ("\x1b[31m", "\x00", "\u202e")


@pytest.fixture(scope="module")
def explanation() -> Explanation:
    entities = [EVIL if name == "South Korea" else name for name in ENTITIES]
    relations = [TURNED if name == "Consult" else name for name in RELATIONS]
    dataset = small_dataset()
    dataset = replace(dataset, entities=Vocabulary(entities, "entity"), relations=Vocabulary(relations, "relation"))
    return Model(small_explainer(dataset), dataset).explain("North Korea", "Threaten", EVIL, "2014-04-29")


def test_text(explanation: Explanation) -> None:
    out = io.StringIO()
    console = Console(file=out, width=200, highlight=False)
    print_blocks(console, explanation_text(explanation.document))
    print_blocks(console, walk_text(explanation.document))
    text = out.getvalue()
    assert "South\\x1b[31m Korea\\x00" in text
    assert "Con\\u202esult" in text
    assert not any(acting in text for acting in ACTING)


def test_page_and_picture(explanation: Explanation) -> None:
    for text in (explanation.to_html(), explanation.to_svg(), explanation.draw_profile("svg").decode()):
        assert not any(acting in text for acting in ACTING)
    assert "South\\x1b[31m Korea\\x00" in explanation.to_html()
    for picture in (explanation.to_svg(), explanation.draw_profile("svg").decode()):
        ElementTree.fromstring(picture)  # noqa: S314  our own text
    assert explanation.draw("png").startswith(b"\x89PNG")


def test_json_keeps_names_as_they_are(explanation: Explanation) -> None:
    assert json.loads(explanation.to_json())["answer"]["name"] == EVIL
