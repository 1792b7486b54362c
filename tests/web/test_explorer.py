"""What an analyst does: ask, read, look, step, brush, drag, check, share."""

from __future__ import annotations

import csv
import io
import json
import re
from typing import TYPE_CHECKING, Any
from xml.dom import minidom

import pytest

from tests.web.page import NARROW, Browsing, drag_date, expect, in_sight, link, open_walk, save, settled
from tgap.asking.model import Model

if TYPE_CHECKING:
    from playwright.sync_api import Route

QUESTION = ("Galtria", "Visit", "?", "2012-09-14")


@pytest.fixture(scope="module")
def best(world_model: Model) -> list[str]:
    """The best answers to the question, as the predictor gives them."""
    found = world_model.predict(subject="Galtria", relation="Visit", time="2012-09-14").to_dict()
    return [answer["name"] for answer in found["answers"]]


def test_ask_with_the_keyboard_and_see_the_right_answers(browsing: Browsing, world: str, best: list[str]) -> None:
    with browsing.page() as page:
        page.goto(world)
        page.wait_for_selector(".starter")
        page.keyboard.press("Tab")  # skip link
        page.focus("#ask-subject")
        page.keyboard.type("galt")
        expect(page.locator("#ask-subject-list [aria-selected=true] .name")).to_have_text("Galtria")
        assert page.get_attribute("#ask-subject", "aria-expanded") == "true"
        page.keyboard.press("Enter")
        expect(page.locator("#ask-subject")).to_have_value("Galtria")
        expect(page.locator("#ask-relation")).to_be_focused()
        page.keyboard.type("vis")
        expect(page.locator("#ask-relation-list [aria-selected=true] .name")).to_have_text("Visit")
        page.keyboard.press("Enter")
        expect(page.locator("#ask-time")).to_be_focused()
        page.keyboard.type("2012-09-14")
        page.keyboard.press("Enter")
        page.wait_for_selector(".picture .node")
        assert page.locator(".answers .name").all_inner_texts() == best
        assert page.locator(".answer[aria-pressed=true] .name").inner_text() == best[0]
        assert page.inner_text("#reasons-title") == f"Why {best[0]}?"
        assert best[0] in page.inner_text("#announcer")
        assert page.locator(".node.answer").get_attribute("data-name") == best[0]


def test_suggestions_follow_the_arrows(browsing: Browsing, world: str) -> None:
    with browsing.page() as page:
        page.goto(world)
        page.wait_for_selector(".starter")
        page.focus("#ask-subject")
        page.keyboard.type("a")
        page.wait_for_selector("#ask-subject-list [aria-selected=true]")
        names = page.locator("#ask-subject-list .name").all_inner_texts()
        for key, place in (("ArrowDown", 1), ("ArrowDown", 2), ("ArrowUp", 1), ("ArrowUp", 0), ("ArrowUp", -1)):
            page.keyboard.press(key)
            active = page.get_attribute("#ask-subject", "aria-activedescendant")
            assert page.inner_text(f"#{active} .name") == names[place]
        page.keyboard.press("Escape")
        assert page.locator("#ask-subject-list").is_hidden()
        assert page.input_value("#ask-subject") == "a"  # Escape takes nothing
        page.keyboard.type("zzz")
        page.wait_for_selector("#ask-subject-list .none")
        page.fill("#ask-subject", names[0])
        page.keyboard.press("Escape")
        page.focus("#ask-relation")
        page.locator("#ask-relation-list [role=option]").first.click()
        expect(page.locator("#ask-time")).to_be_focused()
        assert page.input_value("#ask-relation")


def test_enter_takes_what_was_typed_not_what_was_listed_for_fewer_letters(browsing: Browsing, world: str) -> None:
    with browsing.page() as page:
        page.goto(world)
        page.wait_for_selector(".starter")
        page.focus("#ask-subject")
        page.keyboard.type("h")
        expect(page.locator("#ask-subject-list [aria-selected=true]")).to_be_visible()
        held: list[Route] = []
        page.route("**/api/v1/search?*", lambda route: held.append(route))  # noqa: PLW0108  a builtin takes no mark
        page.fill("#ask-subject", "galt")
        with page.expect_request("**/api/v1/search?*q=galt*"):
            page.keyboard.press("Enter")
        assert page.input_value("#ask-subject") == "galt"  # not the name that is marked for "h"
        held[-1].continue_()
        expect(page.locator("#ask-subject")).to_have_value("Galtria")
        expect(page.locator("#ask-relation")).to_be_focused()


def test_answers_that_are_known_are_marked_and_explained_on_request(browsing: Browsing, small: str) -> None:
    with browsing.page() as page:
        open_walk(page, link(small, "North Korea", "Threaten", "?", "2014-04-29"))
        marks = {
            name: page.locator(f".answer-row[data-name='{name}'] .mark").all_inner_texts()
            for name in ("Japan", "South Korea", "North Korea")
        }
        assert marks == {
            "Japan": ["known on this day, held out (valid)"],
            "South Korea": ["known on this day, held out (test)"],
            "North Korea": [],
        }
        open_walk(page, link(small, "North Korea", "Threaten", "?", "2014-05-03"))
        assert page.inner_text(".answer-row[data-name='Japan'] .mark").startswith(
            "known at another time, in its training"
        )
        other = page.locator(".answer[aria-pressed=false]").first
        name = other.locator(".name").inner_text()
        other.locator(".why").click()
        page.wait_for_function("name => document.querySelector('#walk-title').textContent.endsWith(name)", arg=name)
        assert page.inner_text("#reasons-title") == f"Why {name}?"


def test_examples_and_swap(browsing: Browsing, world: str) -> None:
    with browsing.page() as page:
        page.goto(world)
        page.locator(".starter").first.click()
        page.wait_for_selector(".picture .node")
        expect(page.locator(".starter").first).to_be_hidden()
        page.click("#examples-button")
        expect(page.locator(".starter").first).to_be_focused()
        subject = page.input_value("#ask-subject")
        assert subject
        page.get_by_role("button", name="Swap direction").click()
        page.wait_for_function("name => document.querySelector('.node.start')?.dataset.name === name", arg=subject)
        assert page.input_value("#ask-object") == subject
        assert page.input_value("#ask-subject") == ""
        assert "s=%3F" in page.url


def test_step_through_the_walk(browsing: Browsing, world: str, world_model: Model) -> None:
    explained = world_model.explain(subject="Galtria", relation="Visit", time="2012-09-14").to_dict()
    with browsing.page() as page:
        open_walk(page, link(world, *QUESTION))
        page.click("[data-view=all]")
        assert page.is_disabled("#step-forward")
        assert page.locator(".node.later").count() == 0
        for step in (2, 1):
            page.click("#step-back")
            caption = page.inner_text("#walk-caption")
            strongest = explained["steps"][step - 1]["nodes"][0]["name"]
            assert caption.startswith(f"After step {step}: {strongest}")
            assert "of all attention" in caption
            shown = page.eval_on_selector_all(".node:not(.later)", "nodes => nodes.map(n => Number(n.dataset.column))")
            assert max(shown) == step
        page.click("#step-back")
        assert page.inner_text("#walk-caption") == "Start: all attention is on Galtria."
        page.set_viewport_size({"width": 1500, "height": 900})  # drawn anew, the walk stands where it stood
        page.locator("#threshold").fill("-2.5")
        assert page.locator(".node:not(.later)").count() == 1
        assert page.is_disabled("#step-back")
        page.click("#play")  # with reduced motion it steps
        assert page.inner_text("#walk-caption").startswith("After step 1")


def test_play_moves_sparks_and_ends_at_the_answers(browsing: Browsing, world: str) -> None:
    with browsing.page((800, 500), moving=True) as page:  # small: every frame is painted
        open_walk(page, link(world, *QUESTION))
        page.wait_for_function("() => document.querySelectorAll('.node.later').length === 0")
        page.click("#play")
        page.wait_for_function(
            "() => document.querySelector('.spark') && document.getElementById('play').textContent === 'Pause'"
        )
        expect(page.locator("#play")).to_have_text("Play")
        expect(page.locator(".spark")).to_have_count(0)
        expect(page.locator(".node.later")).to_have_count(0)


def test_threshold_hides_weak_edges(browsing: Browsing, world: str) -> None:
    with browsing.page() as page:
        open_walk(page, link(world, *QUESTION))
        counts = []
        for value in ("-3.3", "-2", "-0.4"):
            page.locator("#threshold").fill(value)
            counts.append(page.locator(".link").count())
        assert counts[0] > counts[1] >= counts[2] > 0
        assert page.locator(".link:not(.on-path)").count() == 0  # the heaviest paths stay


def test_an_edge_opens_its_dated_events_and_a_node_its_facts(browsing: Browsing, world: str) -> None:
    with browsing.page() as page:
        open_walk(page, link(world, *QUESTION))
        page.locator(".link").last.dispatch_event("click")
        rows = page.locator(".detail-list li")
        assert rows.count() >= 1
        assert "201" in rows.first.inner_text()
        page.locator(".detail").get_by_role("button", name="what if not?").first.click()
        page.wait_for_selector(".told:has-text('%')")  # told beside the event
        in_sight(page, ".told")
        page.locator(".node.start circle").click()
        page.wait_for_selector(".detail:has-text('stored facts')")
        assert page.inner_text(".detail h3") == "Galtria"
        page.get_by_role("button", name="Close").click()
        expect(page.locator(".detail")).to_have_count(0)
        assert page.evaluate("document.activeElement.dataset.name") == "Galtria"  # where the reader was before


def test_hovering_tells_the_dated_events(browsing: Browsing, world: str) -> None:
    with browsing.page() as page:
        open_walk(page, link(world, *QUESTION))
        page.locator(".link").last.scroll_into_view_if_needed()
        middle = """line => {
            const point = line.getPointAtLength(line.getTotalLength() / 2).matrixTransform(line.getScreenCTM());
            return [point.x, point.y];
        }"""
        page.mouse.move(*page.locator(".link .line").last.evaluate(middle))
        page.wait_for_selector("#tooltip:not([hidden])")
        assert re.search(r"201\d-\d\d-\d\d · \w+", page.inner_text("#tooltip"))
        assert page.locator(".tick-mark").count() >= 1  # the same dates on the timeline
        page.mouse.move(2, 2)
        page.wait_for_selector("#tooltip", state="hidden")


def test_the_picture_is_one_tab_stop_with_arrows_inside(browsing: Browsing, world: str) -> None:
    with browsing.page() as page:
        open_walk(page, link(world, *QUESTION))
        assert page.locator(".picture [tabindex='0']").count() == 1
        page.focus(".node.start")
        page.keyboard.press("ArrowRight")
        label = page.evaluate("document.activeElement.getAttribute('aria-label')")
        assert label.startswith("Step 1")
        page.keyboard.press("Enter")
        page.wait_for_selector(".detail")


def test_brushing_time_lights_edges(browsing: Browsing, world: str) -> None:
    with browsing.page() as page:
        open_walk(page, link(world, *QUESTION))
        page.locator("#threshold").fill("-3")
        page.get_by_role("button", name="Future", exact=True).click()
        lit = page.locator(".link.lit").count()
        assert 0 < lit < page.locator(".link").count()
        assert page.locator(".link.lit.past").count() == 0
        page.get_by_role("button", name="Clear", exact=True).click()
        assert page.locator(".link.lit").count() == 0
        page.locator(".timeline").scroll_into_view_if_needed()
        plot = page.locator(".timeline .plot").bounding_box()
        assert plot is not None
        middle = plot["y"] + plot["height"] * 0.6
        page.mouse.move(plot["x"] + 5, middle)
        page.mouse.down()
        page.mouse.move(plot["x"] + plot["width"] * 0.25, middle, steps=4)
        page.mouse.up()
        words = page.inner_text(".time-words")
        assert re.match(r"2012-01-\d\d to 2012-\d\d-\d\d\. Ribbons with events of that time are lit", words)
        assert "root scale" in words
        assert page.locator(".picture.brushed").count() == 1
        assert page.locator(".link.lit.future").count() == 0  # the asked date lies to the right of the range
        page.mouse.click(plot["x"] + 60, middle)
        assert page.locator(".picture.brushed").count() == 0


def test_dragging_the_date_asks_again(browsing: Browsing, world: str, world_model: Model) -> None:
    with browsing.page() as page:
        open_walk(page, link(world, *QUESTION))
        drag_date(page, 90, moves=6)
        page.wait_for_function("() => !location.search.includes('2012-09-14')")
        time = page.input_value("#ask-time")
        assert time > "2012-09-14"
        expected = world_model.predict(subject="Galtria", relation="Visit", time=time).to_dict()
        names = [answer["name"] for answer in expected["answers"]]
        page.wait_for_function(
            "names => [...document.querySelectorAll('.answers .name')].map(n => n.textContent).join() === names",
            arg=",".join(names),
        )
        settled(page)
        assert page.get_attribute(".handle", "aria-valuetext") == time
        page.focus(".handle")
        page.keyboard.press("ArrowRight")
        page.wait_for_function("time => document.getElementById('ask-time').value > time", arg=time)


def test_dragging_is_debounced_and_dates_seen_before_are_not_asked_for_again(browsing: Browsing, world: str) -> None:
    with browsing.page(fresh=True) as page:
        page.clock.install()
        open_walk(page, link(world, *QUESTION))
        asked: list[str] = []
        page.on("request", lambda request: asked.append(request.url) if "/predict" in request.url else None)
        page.clock.pause_at(page.evaluate("Date.now() + 1000"))  # however slow the machine: the hand never rests
        drag_date(page, -120, moves=30)
        page.clock.resume()
        page.wait_for_function("() => !location.search.includes('2012-09-14')")
        settled(page)
        assert len(asked) == 1  # where it was let go
        page.go_back()
        expect(page.locator(".handle")).to_have_attribute("aria-valuetext", "2012-09-14")
        settled(page)
        assert len(asked) == 1


def test_chains_and_single_walks_are_told_and_traced(browsing: Browsing, world: str, world_model: Model) -> None:
    asked: dict[str, Any] = {"subject": "Galtria", "relation": "Visit", "time": "2012-09-14"}
    explained = world_model.explain(**asked, paths=6, effects=0).to_dict()
    with browsing.page() as page:
        open_walk(page, link(world, *QUESTION))
        chains = explained["chains"]["chains"]
        assert page.locator(".chain").count() == len(chains)
        through = [chains[0]["links"][0]["subject"], *(hop["object"] for hop in chains[0]["links"])]
        assert page.locator(".chain .through").first.inner_text() == " → ".join(through)
        page.locator(".walks summary").click()
        rows = page.locator(".path")
        assert rows.count() == len(explained["paths"]["walks"])
        first = explained["paths"]["walks"][0]
        told = rows.first.inner_text()
        for edge in first["edges"]:
            assert edge["relation"] in told
            assert edge["time"] in told
        rows.first.click()
        assert rows.first.get_attribute("aria-pressed") == "true"
        assert page.locator(".link.traced").count() + page.locator(".stay-line.traced").count() == 3


def test_deep_links_and_the_back_button(browsing: Browsing, world: str, best: list[str]) -> None:
    with browsing.page() as page:
        open_walk(page, link(world, "galtria", "VISIT", "?", "2012-09-14", best[1]))
        assert page.inner_text("#walk-title") == f"The way to {best[1]}"
        page.locator(".answer", has_text=best[2]).first.click()
        page.wait_for_function("name => document.querySelector('#walk-title').textContent.endsWith(name)", arg=best[2])
        page.go_back()
        page.wait_for_function("name => document.querySelector('#walk-title')?.textContent.endsWith(name)", arg=best[1])


def test_random_question_hides_its_answer_until_asked(browsing: Browsing, world: str) -> None:
    with browsing.page() as page:
        page.goto(world)
        page.click("#random")
        page.wait_for_selector("#reveal")
        settled(page)
        assert page.locator(".mark.now").count() == 0
        page.click("#reveal")
        expect(page.locator(".truth")).to_contain_text("True answer: ")


def test_saved_files_hold_what_is_shown(browsing: Browsing, world: str, best: list[str]) -> None:
    saved = {}
    with browsing.page() as page:
        open_walk(page, link(world, *QUESTION))
        for kind in ("json", "csv", "evidence.csv", "edges.csv", "svg", "png"):
            name, saved[kind] = save(page, kind)
            assert name == f"tgap-Galtria-Visit-2012-09-14.{kind}"
    document = json.loads(saved["json"])
    assert document["prediction"]["schema"] == "tgap.prediction/1"
    assert document["explanation"]["answer"]["name"] == best[0]
    assert document["explanation"]["sentence"].startswith(best[0])
    assert document["explanation"]["flow"]["steps"]
    assert saved["png"].startswith(b"\x89PNG")
    assert len(saved["png"]) > 10_000
    picture = minidom.parseString(saved["svg"])  # noqa: S318  our own file
    assert "Galtria" in picture.toxml()
    assert len(picture.getElementsByTagName("circle")) > 3
    answers, evidence, edges = (
        list(csv.DictReader(io.StringIO(saved[kind].decode()))) for kind in ("csv", "evidence.csv", "edges.csv")
    )
    assert answers[0]["name"] == best[0]
    assert edges[0]["subject"] == "Galtria"
    effects = [float(row["effect"]) for row in evidence]
    assert effects == sorted(effects, reverse=True)


def test_copies(browsing: Browsing, world: str, best: list[str]) -> None:
    with browsing.page() as page:
        page.context.grant_permissions(["clipboard-read", "clipboard-write"])
        open_walk(page, link(world, *QUESTION))
        for kind, expected in (
            ("link", "s=Galtria"),
            ("copy-csv", f"1,{best[0]},"),
            ("copy-edges.csv", "step,subject,relation"),
            ("copy-json", "tgap.explanation/3"),
            ("copy-svg", "<svg"),
            ("copy-png", None),
        ):
            page.click("#export-button")
            page.click(f"[data-export='{kind}']")
            page.wait_for_selector(".toast:has-text('opied')")
            assert "opied" in page.inner_text("#announcer")
            if expected is not None:
                assert expected in page.evaluate("navigator.clipboard.readText()")
            else:
                assert page.evaluate("navigator.clipboard.read().then(items => items[0].types)") == ["image/png"]
            page.evaluate("document.querySelector('.toast')?.remove()")


def test_dark_mode_follows_the_system_and_the_button(browsing: Browsing, world: str) -> None:
    with browsing.page(dark=True) as page:
        page.goto(world)
        assert page.get_attribute("html", "data-theme") == "dark"
        page.click("#theme-button")
        assert page.get_attribute("html", "data-theme") == "light"
        page.reload()
        assert page.get_attribute("html", "data-theme") == "light"


def test_every_width_holds_its_content(browsing: Browsing, world: str) -> None:
    with browsing.page(moving=True) as page:
        open_walk(page, link(world, *QUESTION))
        for width in (360, 480, 600, 768, 900, 1024, 1280, 1440, 1920):
            page.set_viewport_size({"width": width, "height": 900})
            page.wait_for_function("() => document.querySelector('.timeline').viewBox.baseVal.width > 0")
            page.wait_for_function("width => document.documentElement.scrollWidth === width", arg=width)
            place = "element => { const box = element.getBoundingClientRect(); return [box.top, box.right]; }"
            export = page.locator("#export-button").evaluate(place)
            card = page.locator(".reasons-card").evaluate(place)
            assert export[0] - card[0] < 30  # always in the upper right corner
            assert card[1] - export[1] < 30
            slider = page.locator("#threshold").evaluate(place)
            page.evaluate("document.getElementById('play').click()")
            assert page.locator("#threshold").evaluate(place) == slider  # nothing jumps when the button says Pause
            page.evaluate("document.getElementById('play').click()")


def test_narrow_screens_scroll_only_downwards(browsing: Browsing, world: str, best: list[str]) -> None:
    with browsing.page(NARROW) as page:
        open_walk(page, link(world, *QUESTION))
        assert page.evaluate("document.documentElement.scrollWidth") == NARROW[0]
        assert page.locator(".answers .name").first.inner_text() == best[0]
        page.locator(".node.answer").scroll_into_view_if_needed()
        assert page.locator(".node.answer").is_visible()
        order = [
            page.locator(place).bounding_box()
            for place in (".place-answers", ".place-reasons", ".place-walk", ".place-paths")
        ]
        tops = [box["y"] for box in order if box is not None]
        assert tops == sorted(tops)
        assert len(tops) == 4
