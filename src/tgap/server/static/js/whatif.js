// What would be without some events, or with one more: before and after, beside the list they were ticked in.

import { h, reveal } from "./dom.js";
import { percent, place, sentence, unbroken } from "./format.js";
import { dateChip, factWords } from "./hops.js";

const LISTED = 3; // best answers before and after

export class WhatIf {
  /** ``calls``: whatIf(without, added) promises what would happen, fail(error). */
  constructor(calls) {
    this.calls = calls;
    this.result = h("div", { class: "what-if-result" });
    this.title = h("h3", { id: "what-if-title", tabindex: "-1" }, "What would be");
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

  /** Ask again without facts (rows with subject, relation, object, time) and with ``added`` ones (lists of these). */
  async ask(without, added = []) {
    this.asked += 1;
    const mine = this.asked;
    this.result.replaceChildren(h("p", { class: "quiet" }, "Computing everything again …"));
    reveal(this.element);
    try {
      const found = await this.calls.whatIf(
        without.map(({ subject, relation, object, time }) => [subject, relation, object, time]),
        added,
      );
      if (mine === this.asked) this.tell(without, added, found);
    } catch (error) {
      if (mine !== this.asked) return;
      const mistaken = ["unknown_name", "bad_question"].includes(error.code); // in the event that was added
      this.result.replaceChildren(...(mistaken ? [h("p", { class: "note" }, sentence(error.message))] : []));
      if (!mistaken) this.calls.fail(error);
    }
  }

  tell(without, added, { before, after, changes }) {
    const [next] = after.answers;
    this.result.replaceChildren(
      h(
        "p",
        { class: "verdict" },
        conditions(without, added),
        next
          ? [
              changes ? "the answer would be " : "the answer would still be ",
              h("b", {}, next.name),
              unbroken(` with ${percent(next.score)}.`),
            ]
          : "there would be no answer.",
      ),
      bars(this.answer, before.asked, after.asked),
      ...(added.length
        ? [
            h(
              "p",
              { class: "quiet" },
              "Both on one sample of events, another than above: compare these two with each other.",
            ),
          ]
        : []),
      h("div", { class: "before-after" }, best("Now", before.answers), best("Then", after.answers)),
      h(
        "details",
        {},
        h("summary", {}, added.length ? "Events taken away and added" : "Events taken away"),
        h(
          "ul",
          { class: "facts" },
          without.map((fact) => h("li", {}, factWords(fact), " ", dateChip(fact))),
          added.map(([subject, relation, object, time]) =>
            h("li", {}, `added: ${factWords({ subject, relation, object })}, ${time}`),
          ),
        ),
      ),
    );
    reveal(this.element);
  }
}

/** Under which conditions: "Without this event ", "With this event as well ". */
function conditions(without, added) {
  const away = without.length === 1 ? "this event" : `these ${without.length} events`;
  if (!added.length) return `Without ${away} `;
  return without.length ? `Without ${away} and with the added one ` : "If the added event had happened, ";
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
  return h("div", { class: "bars" }, ...line(`${name} now`, before, "whole"), ...line("then", after, "cut"));
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
