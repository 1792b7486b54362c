// Is the explanation faithful? Take the strongest events away, walk again, and see what the answer would be.

import { post } from "./api.js";
import { h } from "./dom.js";
import { percent, place } from "./format.js";
import { body } from "./question.js";

const SIZES = [1, 3, 5, 10];
const MOST = 100; // answers among which the chosen one is looked for where the subject is asked for
const ROWS = [
  ["strongest", "without the strongest events", "cut"],
  ["brought", "without those that brought most to it", "cut"],
];
const CONTROLS = {
  random: "without as many random events",
  nearby: "without as many events of the asked entity",
};

export class CheckCard {
  /** ``fail(error)`` shows what went wrong. */
  constructor(fail) {
    this.fail = fail;
    this.result = h("div", { "aria-live": "polite", class: "check-result" });
    this.size = h(
      "select",
      { "aria-label": "Number of events" },
      SIZES.map((size) => h("option", { value: size, selected: size === 5 }, `${size}`)),
    );
    this.button = h(
      "button",
      { type: "button", class: "button", id: "check-button", onclick: () => this.run() },
      "Take them away and ask again",
    );
    this.element = h(
      "section",
      { class: "card check-card", "aria-labelledby": "check-title" },
      h("div", { class: "card-head" }, h("h2", { id: "check-title" }, "Is that really why?")),
      h(
        "div",
        { class: "check-body" },
        h(
          "p",
          { class: "quiet" },
          "If the strongest events had not happened, what would the answer be? The whole walk is computed again without them.",
        ),
        h("div", { class: "check-ask" }, h("span", {}, "Strongest events:"), this.size, this.button),
        this.result,
      ),
    );
  }

  reset(question, answer) {
    this.question = question;
    this.answer = answer;
    this.result.replaceChildren();
    this.button.disabled = false;
  }

  async run() {
    await this.busy(async () => {
      const count = Number(this.size.value);
      const asked = body(this.question);
      const { check } = await post("explain", {
        ...asked,
        object: this.question.subject ? null : asked.object,
        answer: this.answer,
        check: count,
        edges: 1,
        paths: 1,
      });
      const changed = await post("without", { ...asked, facts: check.strongest.facts, top: 3 });
      return () => this.tellCheck(check, changed);
    });
  }

  /** One event of the reader's choice. */
  async whatIf(fact) {
    this.element.scrollIntoView({ block: "nearest", behavior: "smooth" });
    await this.busy(async () => {
      const asked = {
        ...body(this.question),
        object: this.question.subject ? this.answer : this.question.object,
        top: MOST,
      };
      const before = await post("predict", asked);
      const after = await post("without", { ...asked, facts: [fact] });
      const stands = (found) => found.asked ?? found.answers.find((answer) => answer.name === this.answer);
      return () => this.tellOne(fact, stands(before), stands(after), after);
    });
  }

  async busy(work) {
    const { question, answer } = this;
    this.button.disabled = true;
    this.result.replaceChildren(h("p", { class: "quiet" }, "Walking again …"));
    try {
      const tell = await work();
      if (question === this.question && answer === this.answer) tell();
    } catch (error) {
      this.result.replaceChildren();
      this.fail(error);
    } finally {
      this.button.disabled = false;
    }
  }

  tellCheck(check, changed) {
    const named = ROWS.filter(([key]) => check[key]).map(([key, words, kind]) => [words, check[key], kind]);
    const controls = Object.entries(check.controls).map(([key, row]) => [CONTROLS[key] ?? key, row, ""]);
    const count = check.strongest.facts.length;
    const [next] = changed.answers;
    this.result.replaceChildren(
      h(
        "p",
        { class: "verdict" },
        `Without the ${count} strongest event${count === 1 ? "" : "s"} `,
        h("b", {}, this.answer),
        ` ${check.strongest.drop > 0.005 ? "falls" : "goes"} from ${percent(check.probability)} (rank ${place(check.rank)}) to ${percent(check.strongest.probability)} (rank ${place(check.strongest.rank)}). `,
        next
          ? next.name === this.answer
            ? "It would still be the answer."
            : h("span", {}, "The answer would be ", h("b", {}, next.name), ` with ${percent(next.score)}.`)
          : "",
      ),
      bars([["as it is", check, "whole"], ...named, ...controls]),
      h("details", {}, h("summary", {}, "Events taken away"), factList(check.strongest.facts)),
    );
  }

  tellOne(fact, before, after, changed) {
    const [next] = changed.answers;
    this.result.replaceChildren(
      h(
        "p",
        { class: "verdict" },
        `If ${fact[0]} · ${fact[1]} · ${fact[2]} on ${fact[3]} had not happened, the answer would ${next?.name === this.answer ? "still " : ""}be `,
        h("b", {}, next ? next.name : "nobody"),
        next ? ` with ${percent(next.score)}.` : ".",
      ),
      before && after
        ? bars([
            [`${this.answer} as it is`, { probability: before.score, rank: before.rank }, "whole"],
            ["without the event", { probability: after.score, rank: after.rank }, "cut"],
          ])
        : null,
    );
  }
}

function bars(rows) {
  const most = Math.max(...rows.map(([, row]) => row.probability), 1e-9);
  return h(
    "div",
    { class: "bars" },
    rows.flatMap(([words, row, kind]) => {
      const fill = h("div", { class: `fill ${kind}` });
      fill.style.width = `${(100 * row.probability) / most}%`;
      return [
        h("span", {}, words),
        h("span", { class: "track", "aria-hidden": "true" }, fill),
        h("span", { class: "number" }, percent(row.probability)),
      ];
    }),
  );
}

function factList(facts) {
  return h(
    "ul",
    { class: "facts-list" },
    facts.map((fact) => h("li", {}, fact.join(" · "))),
  );
}
