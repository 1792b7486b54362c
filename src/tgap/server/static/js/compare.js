// Two answers, or the same at two dates, side by side: what each has, why, and when its evidence happened.

import { post } from "./api.js";
import { datesWhole, h, icon, reveal } from "./dom.js";
import { percent, place, points, unbroken } from "./format.js";
import { dateChip, factWords } from "./hops.js";
import { answerOf, askedOf, words } from "./question.js";
import { MEASURED } from "./wanted.js";

const EVENTS = 5;

export class CompareCard {
  /** ``calls``: close(), open(question), fail(error). */
  constructor(calls) {
    this.calls = calls;
    this.sides = h("div", { class: "compare-sides" });
    this.title = h("h2", { id: "compare-title", tabindex: "-1" });
    this.element = h(
      "section",
      { class: "card compare-card", "aria-labelledby": "compare-title" },
      h(
        "div",
        { class: "card-head" },
        this.title,
        h("span", { class: "grow" }),
        h(
          "button",
          { type: "button", class: "icon-button", "aria-label": "Close", onclick: calls.close },
          icon("close"),
        ),
      ),
      this.sides,
    );
  }

  /** Two questions, each about one answer; ``signal`` ends it where something else is asked meanwhile. */
  async show(left, right, signal) {
    const dates = words({ ...left, time: "" }) === words({ ...right, time: "" }) && left.time !== right.time;
    this.title.textContent = dates
      ? `${answerOf(left)} on ${left.time} and on ${right.time}`
      : `${answerOf(left)} and ${answerOf(right)}`;
    this.sides.replaceChildren(
      ...[left, right].map(() => h("div", { class: "compare-side" }, h("div", { class: "skeleton line" }))),
    );
    this.sides.setAttribute("aria-busy", "true");
    this.title.focus({ preventScroll: true });
    reveal(this.element, "start");
    try {
      const found = await Promise.all([left, right].map((question) => explain(question, signal)));
      this.sides.replaceChildren(...found.map((document, index) => this.side(document, [left, right][index])));
    } catch (error) {
      if (error.name === "AbortError") return;
      this.sides.replaceChildren();
      this.calls.fail(error);
    } finally {
      this.sides.removeAttribute("aria-busy");
    }
  }

  side(document, question) {
    const { answer, sentence, reach, evidence, shares } = document;
    return h(
      "div",
      { class: "compare-side" },
      h("h3", {}, `${answer.name}, ${document.question.time}`),
      h("p", { class: "compare-score" }, h("b", {}, percent(answer.score)), `, rank ${place(answer.rank)}`),
      h("p", {}, datesWhole(unbroken(sentence ?? reach.sentence))),
      h(
        "table",
        { class: "small-table" },
        h(
          "thead",
          {},
          h(
            "tr",
            {},
            ["Event", "Effect"].map((text) => h("th", { scope: "col" }, text)),
          ),
        ),
        h(
          "tbody",
          {},
          evidence
            .slice(0, EVENTS)
            .map((row) =>
              h(
                "tr",
                {},
                h("td", {}, factWords(row), " ", dateChip(row)),
                h("td", { class: "number" }, points(row.effect)),
              ),
            ),
        ),
      ),
      h(
        "p",
        { class: "quiet" },
        unbroken(
          `Of the way there ${percent(shares.past)} lies before the date, ${percent(shares.present)} on it, ${percent(shares.future)} after it.`,
        ),
      ),
      h("button", { type: "button", class: "link-button", onclick: () => this.calls.open(question) }, "Show only this"),
    );
  }
}

function explain(question, signal) {
  return post("explain", { ...askedOf(question, answerOf(question)), ...MEASURED }, signal);
}
