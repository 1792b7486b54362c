// Is the explanation faithful? Take the strongest events away, walk again, and see what the answer would be.

import { post } from "./api.js";
import { h } from "./dom.js";
import { percent, place } from "./format.js";
import { body } from "./question.js";

const SIZES = [1, 3, 5, 10];
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

  /** The question with its open side open, and the answer to look at. */
  asked() {
    const { subject } = this.question;
    return { ...body(this.question), ...(subject ? { object: null } : {}), answer: this.answer };
  }

  async run() {
    await this.busy(async () => {
      const count = Number(this.size.value);
      const { check } = await post("explain", {
        ...this.asked(),
        effects: 0,
        hide_asked: false,
        check: count,
        edges: 1,
      });
      const changed = await post("counterfactual", { ...this.asked(), facts: check.strongest.facts, top: 3 });
      return () => this.tellCheck(check, changed);
    });
  }

  /** One event of the reader's choice. */
  async whatIf(fact) {
    this.element.scrollIntoView({ block: "nearest", behavior: "smooth" });
    await this.busy(async () => {
      const changed = await post("counterfactual", { ...this.asked(), facts: [fact], top: 3 });
      return () => this.tellOne(fact, changed);
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
    const [next] = changed.after.answers;
    this.result.replaceChildren(
      h(
        "p",
        { class: "verdict" },
        `Without the ${count} strongest event${count === 1 ? "" : "s"} `,
        h("b", {}, this.answer),
        ` goes from ${percent(check.probability)} (rank ${place(check.rank)}) to ${percent(check.strongest.probability)} (rank ${place(check.strongest.rank)}). `,
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

  tellOne(fact, { before, after, changes }) {
    const [next] = after.answers;
    const stands = ({ asked }) => ({ probability: asked.score, rank: asked.rank });
    this.result.replaceChildren(
      h(
        "p",
        { class: "verdict" },
        `If ${fact[0]} · ${fact[1]} · ${fact[2]} on ${fact[3]} had not happened, the answer would ${changes ? "" : "still "}be `,
        h("b", {}, next ? next.name : "nobody"),
        next ? ` with ${percent(next.score)}.` : ".",
      ),
      bars([
        [`${this.answer} as it is`, stands(before), "whole"],
        ["without the event", stands(after), "cut"],
      ]),
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
