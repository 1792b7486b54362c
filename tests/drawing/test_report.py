"""The report and the pictures of an explanation."""

from __future__ import annotations

from html.parser import HTMLParser
from xml.etree import ElementTree

import pytest

from tests.explain.small_dataset import FORMULA, SCRIPT, small_dataset, small_explainer
from tgap.asking.model import Model
from tgap.drawing.rendering import drawing_figure, render
from tgap.drawing.shapes import Drawing, Text
from tgap.drawing.svg import drawing_svg
from tgap.explain.explanation import Explanation


@pytest.fixture(scope="module")
def model() -> Model:
    dataset = small_dataset()
    return Model(small_explainer(dataset), dataset)


@pytest.fixture(scope="module")
def explanation(model: Model) -> Explanation:
    return model.explain("North Korea", "Threaten", SCRIPT, "2014-04-29")


class Page(HTMLParser):
    """Collects tags, links and text, and checks that tags are closed in order."""

    def __init__(self) -> None:
        super().__init__()
        self.open: list[str] = []
        self.tags: set[str] = set()
        self.links: list[str] = []
        self.text = ""

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.add(tag)
        self.links += [value or "" for name, value in attrs if name in ("href", "src", "xlink:href", "action")]
        if tag not in ("meta",):
            self.open.append(tag)

    def handle_startendtag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.handle_starttag(tag, attrs)
        self.open.pop()

    def handle_endtag(self, tag: str) -> None:
        assert self.open.pop() == tag

    def handle_data(self, data: str) -> None:
        self.text += data


def test_report_is_one_page_without_network_or_script(explanation: Explanation) -> None:
    page = Page()
    html = explanation.to_html()
    page.feed(html)
    assert page.open == []
    assert "script" not in page.tags
    assert page.links == []
    assert "http:" not in html
    assert "https:" not in html
    assert "url(" not in html
    assert SCRIPT in page.text
    assert explanation.document.sentence is not None
    headings = ("What each event does", "What events do together", "How the probability came", "Strongest edges")
    places = [page.text.index(words) for words in (explanation.document.sentence, *headings)]
    assert places == sorted(places)  # the report leads with why
    for words in ("2014-04-28", "1 day before", "Heaviest paths"):
        assert words in page.text


def test_notebook_form_is_the_report_without_the_page(explanation: Explanation) -> None:
    assert explanation._repr_html_() in explanation.to_html()
    assert "<html" not in explanation._repr_html_()


def test_picture_is_valid_xml_with_titles(explanation: Explanation) -> None:
    root = ElementTree.fromstring(drawing_svg(explanation.drawing(), alone=True))  # noqa: S314  our own text
    space = "{http://www.w3.org/2000/svg}"
    titles = [title.text or "" for title in root.iter(f"{space}title")]
    assert any(title.startswith("1. ") and "of the answer" in title for title in titles)
    assert any(SCRIPT in title for title in titles)


def test_names_with_control_characters_give_valid_xml() -> None:
    drawing = Drawing(10, 10, "A\x01", (Text(1, 1, "B\x1b[31m\ufffe", title="C\x00"),))
    root = ElementTree.fromstring(drawing_svg(drawing, alone=True))  # noqa: S314  our own text
    assert [text.strip() for text in root.itertext() if text.strip()] == ["A\\x01", "C\\x00", "B\\x1b[31m\\ufffe"]


def test_names_that_look_like_formulas_are_drawn_as_text(model: Model) -> None:
    found = model.explain("North Korea", "Threaten", FORMULA, "2014-04-29")
    assert render(drawing_figure(found.drawing()), "svg").count(FORMULA.encode()) >= 1
