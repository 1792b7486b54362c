// What would be without some events: before and after, beside the list they were ticked in.

import { h, reveal } from "./dom.js";
import { percent, place, unbroken } from "./format.js";
import { dateChip, factWords } from "./hops.js";

const LISTED = 3; // best answers before and after

export class WhatIf {
  /** ``calls``: counterfactual(facts) promises what would happen, fail(error). */
  constructor(calls) {
    this.calls = calls;
    this.result = h("div", { class: "what-if-result" });
    this.title = h("h3", { id: "what-if-title", tabindex: "-1" }, "Without them");
    this.element = h(
      "aside",
      { class: "what-if", "aria-labelledby": "what-if-title", "aria-live": "polite" },
      this.title,
      this.result,
    );
  }

  reset(document) {
    this.answer = document.answer.name;
    this.asked = 0;
    this.result.replaceChildren(
      h("p", { class: "quiet" }, "Tick events in the list and ask again: what the answer would be is shown here."),
    );
  }

  /** Ask again without ``facts`` (rows with subject, relation, object, time) and show what would be. */
  async ask(facts) {
    this.asked += 1;
    const mine = this.asked;
    this.result.replaceChildren(h("p", { class: "quiet" }, "Computing everything again …"));
    reveal(this.element);
    try {
      const found = await this.calls.counterfactual(
        facts.map(({ subject, relation, object, time }) => [subject, relation, object, time]),
      );
      if (mine === this.asked) this.tell(facts, found);
    } catch (error) {
      if (mine !== this.asked) return;
      this.result.replaceChildren();
      this.calls.fail(error);
    }
  }

  tell(facts, { before, after, changes }) {
    const [next] = after.answers;
    this.result.replaceChildren(
      h(
        "p",
        { class: "verdict" },
        facts.length === 1 ? "Without this event " : `Without these ${facts.length} events `,
        next
          ? [
              changes ? "the answer would be " : "the answer would still be ",
              h("b", {}, next.name),
              ` with ${percent(next.score)}.`,
            ]
          : "there would be no answer.",
      ),
      bars(this.answer, before.asked, after.asked),
      h("div", { class: "before-after" }, best("Now", before.answers), best("Without them", after.answers)),
      h(
        "details",
        {},
        h("summary", {}, "Events taken away"),
        h(
          "ul",
          { class: "facts" },
          facts.map((fact) => h("li", {}, factWords(fact), " ", dateChip(fact))),
        ),
      ),
    );
    reveal(this.element);
  }
}

function bars(name, before, after) {
  const most = Math.max(before.score, after.score, 1e-9);
  const line = (words, answer, kind) => {
    const fill = h("span", { class: `fill ${kind}` });
    fill.style.width = `${(100 * answer.score) / most}%`;
    return [
      h("span", {}, words),
      h("span", { class: "track", "aria-hidden": "true" }, fill),
      h("span", { class: "number" }, `${percent(answer.score)}, rank ${place(answer.rank)}`),
    ];
  };
  return h("div", { class: "bars" }, ...line(`${name} now`, before, "whole"), ...line("without them", after, "cut"));
}

function best(title, answers) {
  return h(
    "div",
    {},
    h("h4", {}, title),
    h(
      "ol",
      {},
      answers.slice(0, LISTED).map((answer) => h("li", {}, unbroken(`${answer.name} ${percent(answer.score)}`))),
    ),
  );
}
