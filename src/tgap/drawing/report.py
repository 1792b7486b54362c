"""The HTML report: one page without scripts or network access.

The templates in ``templates/`` decide what is shown. Autoescape is on and every text passes through ``shown``, so a
name is never read as markup and none of its control characters has an effect.
"""

from __future__ import annotations

from functools import cache
from typing import Any

from jinja2 import Environment, PackageLoader, StrictUndefined
from markupsafe import Markup

from tgap.data.display import shown
from tgap.drawing import palette
from tgap.drawing.shapes import Drawing
from tgap.drawing.svg import drawing_svg
from tgap.explain import wording
from tgap.explain.schema import Document

_FILTERS = ("percent", "points", "counted")
_TEXTS = ("calibration_words", "chains_words", "flip_words", "group_words", "sufficient_words", "times_words")


def report_page(document: Document, drawing: Drawing) -> str:
    """A whole HTML page."""
    return _render("page.html", document, drawing)


def report_body(document: Document, drawing: Drawing) -> str:
    """The report without a page around it, as a notebook shows it."""
    return _render("report.html", document, drawing)


def _render(template: str, document: Document, drawing: Drawing) -> str:
    picture = Markup(drawing_svg(drawing))  # noqa: S704  escaped by drawing_svg
    return _templates().get_template(template).render(document=document, picture=picture)


@cache
def _templates() -> Environment:
    """The templates, compiled once per process."""
    templates = Environment(
        loader=PackageLoader("tgap.drawing"),
        autoescape=True,
        undefined=StrictUndefined,
        finalize=_printable,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    templates.filters.update({name: getattr(wording, name) for name in _FILTERS})
    templates.globals.update({name: getattr(wording, name) for name in _TEXTS}, palette=palette)
    return templates


def _printable(value: Any) -> Any:
    """Text with its control characters spelled out; markup and numbers as they are."""
    return shown(value) if isinstance(value, str) and not isinstance(value, Markup) else value
