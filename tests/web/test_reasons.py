"""Why this answer: the sentence, measured events, what would be without them, what would change it."""

from __future__ import annotations

import threading
from typing import TYPE_CHECKING, Any

import pytest

from tests.web.page import NARROW, Browsing, drag_date, expect, in_sight, link, open_walk, settled
from tests.web.test_explorer import QUESTION
from tgap.asking.model import Model
from tgap.explain.wording import percent, points

if TYPE_CHECKING:
    from playwright.sync_api import Page, Route

ASKED: dict[str, Any] = {"subject": "Galtria", "relation": "Visit", "time": "2012-09-14"}
PHONE = (390, 844)


@pytest.fixture(scope="module")
def explained(world_model: Model) -> dict[str, Any]:
    return world_model.explain(**ASKED).to_dict()


def open_reasons(page: Page, address: str) -> None:
    open_walk(page, address)
    page.wait_for_selector(".evidence-row")


def test_the_sentence_and_the_effects_are_those_of_the_command_line(
    browsing: Browsing, world: str, explained: dict[str, Any]
) -> None:
    with browsing.page() as page:
        open_reasons(page, link(world, *QUESTION))
        assert page.inner_text(".sentence").replace("\u00a0", " ") == explained["sentence"]
        rows = page.locator(".evidence-row")
        assert rows.count() == len(explained["evidence"])
        for place, row in enumerate(explained["evidence"][:5]):
            told = rows.nth(place)
            assert told.locator(".points").inner_text() == points(row["effect"])
            assert told.locator(".then").inner_text() == f"leaves {percent(row['probability'])}"
            assert row["time"] in told.inner_text()


def test_ticked_events_are_taken_away_and_the_result_stands_beside_them(
    browsing: Browsing, world: str, world_model: Model, explained: dict[str, Any]
) -> None:
    name = explained["answer"]["name"]
    facts = [[row[part] for part in ("subject", "relation", "object", "time")] for row in explained["evidence"][:2]]
    expected = world_model.what_if(**ASKED, answer=name, without=facts, top=3).to_dict()
    with browsing.page() as page:
        open_reasons(page, link(world, *QUESTION))
        assert page.is_disabled("#ask-without")
        for place in (0, 1):
            page.locator(".evidence-row input").nth(place).check()
        assert page.inner_text(".evidence-foot .quiet") == "2 events ticked"
        page.click("#ask-without")
        page.wait_for_selector(".what-if .bars")
        numbers = page.locator(".what-if .number").all_inner_texts()
        before, after = expected["before"]["asked"], expected["after"]["asked"]
        assert [number.partition(",")[0] for number in numbers] == [percent(before["score"]), percent(after["score"])]
        verdict = page.inner_text(".what-if .verdict")
        assert expected["after"]["answers"][0]["name"] in verdict
        assert ("still" in verdict) is not expected["changes"]
        in_sight(page, ".what-if")
        list_box, result_box = (page.locator(place).bounding_box() for place in (".evidence", ".what-if"))
        assert list_box is not None
        assert result_box is not None
        assert result_box["x"] > list_box["x"] + list_box["width"]  # beside it
        page.get_by_role("button", name="untick all").click()
        assert page.is_disabled("#ask-without")
        assert page.locator(".what-if .bars").count() == 0


def test_what_would_change_the_answer_can_be_tried(browsing: Browsing, small: str) -> None:
    """The first answer of the small world that a set of facts can topple."""
    with browsing.page() as page:
        open_reasons(page, link(small, "North Korea", "Threaten", "?", "2014-04-29"))
        told = page.inner_text(".flip p")
        page.click("#try-flip")
        page.wait_for_selector(".what-if .bars")
        verdict = page.inner_text(".what-if .verdict")
        assert "still" not in verdict
        instead = page.inner_text(".flip p b")
        assert instead in verdict
        assert instead in told


def test_an_event_that_did_not_happen_can_be_added(
    browsing: Browsing, world: str, world_model: Model, explained: dict[str, Any]
) -> None:
    name = explained["answer"]["name"]
    with browsing.watched() as watched:
        page = watched.page
        open_reasons(page, link(world, *QUESTION))
        page.locator(".add-fact summary").click()
        parts = ["subject", "relation", "object", "time"]
        second = page.locator(".answers .name").nth(1).inner_text()
        offered = [page.input_value(f"#added-{part}") for part in parts]
        assert offered == ["Galtria", "Visit", second, "2012-09-14"]
        page.fill("#added-time", "2012-09-13")
        page.click("#ask-with")
        page.wait_for_selector(".what-if .bars")
        fact = ("Galtria", "Visit", second, "2012-09-13")
        expected = world_model.what_if(**ASKED, answer=name, added=[fact], top=3).to_dict()
        numbers = [number.partition(",")[0] for number in page.locator(".what-if .number").all_inner_texts()]
        assert numbers == [percent(expected[when]["asked"]["score"]) for when in ("before", "after")]
        verdict = page.inner_text(".what-if .verdict")
        assert verdict.startswith("If the added event had happened, the answer would")
        in_sight(page, ".what-if .verdict")
        page.fill("#added-object", "Hestonja")
        page.keyboard.press("Escape")
        page.click("#ask-with")
        expect(page.locator(".what-if .note")).to_contain_text("Unknown entity 'Hestonja'")
        assert all("422" in error for error in watched.errors)


def test_on_a_phone_why_and_what_if_come_into_sight(browsing: Browsing, world: str) -> None:
    with browsing.page(PHONE) as page:
        open_reasons(page, link(world, *QUESTION))
        page.evaluate("scrollTo(0, 0)")
        other = page.locator(".answer[aria-pressed=false]").nth(1)
        name = other.locator(".name").inner_text()
        other.click()
        page.wait_for_function(
            """name => { const title = document.getElementById('reasons-title'), box = title.getBoundingClientRect();
            return title.textContent === `Why ${name}?` && box.top >= 0 && box.top < innerHeight / 2; }""",
            arg=name,
        )
        page.wait_for_selector(".evidence-row")
        settled(page)
        page.locator(".evidence-row input").first.check()
        page.click("#ask-without")
        page.wait_for_selector(".what-if .bars")
        page.wait_for_function(
            "() => document.querySelector('.what-if').getBoundingClientRect().top < innerHeight - 80"
        )
        in_sight(page, ".what-if .verdict")


def test_the_picture_switches_between_this_answer_and_all_attention(
    browsing: Browsing, world: str, explained: dict[str, Any]
) -> None:
    with browsing.page() as page:
        open_walk(page, link(world, *QUESTION))
        assert page.get_attribute("[data-view=answer]", "aria-pressed") == "true"
        assert page.text_content(".node.answer .amount") == "100 %"
        mine = page.locator(".time-words").inner_text().replace("\u00a0", " ")
        assert f"{percent(explained['shares']['past'])} of this answer's way" in mine
        page.click("[data-view=all]")
        assert page.inner_text("#walk-title") == "Where all attention went"
        assert page.text_content(".node.answer .amount") == percent(explained["answer"]["score"])
        attention = explained["profile"]["attention"]
        told = page.locator(".time-words").inner_text().replace("\u00a0", " ")
        assert f"{percent(attention['past'])} of all attention" in told


def test_what_is_not_drawn_is_told_as_a_rest(browsing: Browsing, world: str, world_model: Model) -> None:
    flow = world_model.explain(**ASKED, effects=0, bundles=40).to_dict()["flow"]
    with browsing.page() as page:
        open_walk(page, link(world, *QUESTION))
        page.click("[data-view=all]")
        page.locator("#threshold").fill("-0.4")
        told = page.locator(".band-words").all_text_contents()
        assert len(told) == 3
        for words, step in zip(told, flow["steps"], strict=True):
            shares = [percent(step["moved"]), *(percent(bundle["rest_attention"]) for bundle in step["bundles"])]
            assert any(words.startswith((f"other events {share}, unmoved", f"others {share}")) for share in shares), (
                words
            )


def test_ribbons_are_named_or_numbered_and_numbers_are_spelled_out(browsing: Browsing, world: str) -> None:
    with browsing.page() as page:
        open_walk(page, link(world, *QUESTION))
        names, badges = page.locator(".ribbon-name").count(), page.locator(".badge").count()
        assert names + badges > 0
        assert page.locator(".picture-key li").count() == badges
        page.set_viewport_size({"width": NARROW[0], "height": NARROW[1]})
        page.wait_for_function("() => document.querySelector('.picture').clientWidth === 500")
        settled(page)
        assert page.locator(".badge").count() == page.locator(".picture-key li").count() > 0


def test_while_the_date_moves_what_is_shown_is_marked_with_its_own(browsing: Browsing, world: str) -> None:
    with browsing.page() as page:
        open_reasons(page, link(world, *QUESTION))
        held: list[Route] = []
        free = threading.Event()
        page.route("**/api/v1/predict", lambda route: route.continue_() if free.is_set() else held.append(route))
        drag_date(page, 60, moves=3)
        page.wait_for_function("() => !location.search.includes('2012-09-14')")  # let go: the last one that is asked
        page.wait_for_selector(".answers-card .stale-mark:not([hidden])")
        assert page.inner_text(".answers-card .stale-mark") == "still of 2012-09-14"
        assert page.inner_text(".reasons-card .stale-mark") == "still of 2012-09-14"
        assert page.inner_text(".time-words").startswith("Everything here is still about 2012-09-14; asking about ")
        assert page.get_attribute(".ghost", "hidden") is None
        free.set()
        for route in held:  # those before the last were given up
            route.continue_()
        page.wait_for_selector(".answers-card .stale-mark", state="hidden")
        page.wait_for_selector(".evidence-row")
        settled(page)
        assert page.get_attribute(".ghost", "hidden") is not None


def test_a_chosen_answer_that_leaves_the_list_stays_in_sight(browsing: Browsing, world: str) -> None:
    with browsing.page() as page:
        open_walk(page, link(world, *QUESTION))
        listed = page.locator(".answers .name").all_inner_texts()
        far = "Hestonia" if "Hestonia" not in listed else "Galtria"
        open_walk(page, link(world, *QUESTION, far))
        row = page.locator(f".answer-row[data-name='{far}']")
        assert row.is_visible()
        assert row.locator(".answer").get_attribute("aria-pressed") == "true"


def test_more_answers_and_a_filter(browsing: Browsing, world: str) -> None:
    with browsing.page() as page:
        open_walk(page, link(world, *QUESTION))
        assert page.locator("#answer-filter").is_hidden()
        page.click("#more-answers")
        page.wait_for_function("() => document.querySelectorAll('.answers li').length > 10")
        expect(page.locator("#answer-filter")).to_be_focused()
        wanted = page.locator(".answers .name").nth(14).inner_text()
        page.fill("#answer-filter", wanted[1:].upper())
        expect(page.locator(".answers .name", has_text=wanted).first).to_be_visible()
        page.fill("#answer-filter", "zzz")
        expect(page.locator(".rest-line")).to_contain_text("None of the listed answers")


def test_forced_colours_keep_bars_and_choices_visible(browsing: Browsing, world: str) -> None:
    with browsing.page() as page:
        page.emulate_media(forced_colors="active")
        open_reasons(page, link(world, *QUESTION))
        colour = "element => getComputedStyle(element).backgroundColor"
        ground = page.locator("body").evaluate(colour)
        assert page.locator(".answer[aria-pressed=true] .fill").evaluate(colour) != ground
        assert page.locator(".effect-bar").first.evaluate(colour) != ground
        assert page.locator("[data-view=answer]").evaluate(colour) != page.locator("[data-view=all]").evaluate(colour)


def test_on_paper_there_is_nothing_to_press_and_nothing_is_cut_off(browsing: Browsing, world: str) -> None:
    with browsing.page(dark=True) as page:
        open_reasons(page, link(world, *QUESTION))
        page.emulate_media(media="print")
        listed = ".answer, .picture-key .link-button, .brand"  # they hold words that belong on paper
        pressed = page.locator(f":is(button, a, input[type=checkbox]):visible:not({listed})")
        assert pressed.evaluate_all("all => all.map((element) => element.id || element.outerHTML)") == []
        assert page.locator("body").evaluate("body => getComputedStyle(body).backgroundColor") == "rgb(255, 255, 255)"
        assert page.locator(".evidence").evaluate("list => list.scrollHeight <= list.clientHeight")
        assert page.pdf(format="A4").startswith(b"%PDF")
