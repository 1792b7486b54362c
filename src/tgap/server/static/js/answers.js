// The ranked answers: bars, marks of what is known already, the true answer of a random question on demand.

import { breakable, h, icon } from "./dom.js";
import { percent, place, sentence } from "./format.js";
import { heldOut } from "./known.js";

const LISTED = 10; // answers at first
const MOST = 100;

export class AnswersCard {
  /** ``calls``: choose(name), compare(name), more(count) promises a longer prediction, reveal(). */
  constructor(calls) {
    this.calls = calls;
    this.filter = h("input", {
      type: "search",
      id: "answer-filter",
      placeholder: "Filter by name",
      autocomplete: "off",
    });
    this.filter.addEventListener("input", () => this.draw());
    this.list = h("ol", { class: "answers" });
    this.stale = h("span", { class: "stale-mark", hidden: true });
    this.truth = h("div", {});
    this.notes = h("div", {});
    this.extra = h("div", { class: "answers" });
    this.rest = h("p", { class: "rest-line quiet" });
    this.longer = h("button", {
      type: "button",
      class: "link-button",
      id: "more-answers",
      onclick: () => this.lengthen(),
    });
    this.filterBox = h(
      "div",
      { class: "answer-filter" },
      h("label", { for: "answer-filter", class: "unseen" }, "Filter answers"),
      this.filter,
    );
    this.element = h(
      "section",
      { class: "card answers-card", "aria-labelledby": "answers-title" },
      h("div", { class: "card-head" }, h("h2", { id: "answers-title" }, "Answers"), this.stale),
      this.notes,
      this.truth,
      this.filterBox,
      this.list,
      this.extra,
      h("div", { class: "answers-foot" }, this.rest, this.longer),
    );
  }

  /** ``selected`` is the answer whose reasons are shown, ``truth`` the hidden or revealed true answers, if any. */
  show(prediction, selected, truth) {
    if (prediction.question !== this.prediction?.question) this.filter.value = "";
    this.prediction = prediction;
    this.selected = selected;
    this.hidden = truth;
    this.markStale(null);
    this.draw();
  }

  /** Say that what is listed is about another time than the one that is being asked about. */
  markStale(time) {
    this.stale.hidden = time === null;
    this.stale.textContent = time === null ? "" : `still of ${time}`;
    this.element.classList.toggle("stale", time !== null);
  }

  draw() {
    const { prediction } = this;
    const { answers, asked, rest, notes } = prediction;
    const focused = document.activeElement?.closest?.(".answer-row")?.dataset.name;
    this.notes.replaceChildren(...notes.map((note) => h("p", { class: "note" }, sentence(note))));
    this.truth.replaceChildren(...(this.hidden ? [truthBox(this.hidden, prediction, this.calls.reveal)] : []));
    const wanted = this.filter.value.trim().toLowerCase();
    const shown = answers.filter((answer) => answer.name.toLowerCase().includes(wanted));
    this.best = Math.max(...answers.map((answer) => answer.score), 1e-9);
    this.list.replaceChildren(...shown.map((answer) => this.row(answer)));
    const apart = asked && !answers.some((answer) => answer.name === asked.name);
    this.extra.replaceChildren(
      ...(apart ? [h("p", { class: "quiet apart" }, "Further down:"), this.row(asked, "div")] : []),
    );
    this.filterBox.hidden = answers.length <= LISTED;
    this.rest.textContent = restWords(answers, rest, wanted, shown);
    this.longer.hidden = answers.length < LISTED || answers.length >= MOST;
    this.longer.textContent = `Show ${MOST}`;
    for (const list of [this.list, this.extra]) list.classList.toggle("plain", !this.calls.explains());
    if (focused) this.element.querySelector(`.answer-row[data-name="${CSS.escape(focused)}"] .answer`)?.focus();
  }

  async lengthen() {
    this.longer.disabled = true;
    await this.calls.more(MOST);
    this.longer.disabled = false;
    this.filter.focus();
  }

  row(answer, tag = "li") {
    const { probabilities } = this.prediction;
    const chosen = answer.name === this.selected;
    const fill = h("div", { class: "fill" });
    fill.style.width = `${(100 * Math.max(answer.score, 0)) / this.best}%`;
    const choose = h(
      "button",
      {
        type: "button",
        class: "answer",
        "aria-pressed": String(chosen),
        onclick: () => this.calls.choose(answer.name),
      },
      h("span", { class: "rank" }, place(answer.rank)),
      h("span", { class: "name" }, breakable(answer.name)),
      h("span", { class: "share" }, probabilities ? percent(answer.score) : answer.score.toFixed(3)),
      mark(answer, Boolean(this.hidden && !this.hidden.revealed)),
      this.calls.explains() && h("span", { class: "why", "aria-hidden": "true" }, "why?"),
      h("span", { class: "track", "aria-hidden": "true" }, fill),
    );
    const beside = h(
      "button",
      {
        type: "button",
        class: "compare-button",
        "aria-label": `Compare with ${answer.name}`,
        title: `Compare ${this.selected} with ${answer.name}`,
        onclick: () => this.calls.compare(answer.name),
      },
      icon("swap"),
    );
    return h(
      tag,
      { class: "answer-row", "data-name": answer.name },
      choose,
      !chosen && this.calls.explains() && beside,
    );
  }
}

function restWords(answers, rest, wanted, shown) {
  if (!answers.length) return "No attention reaches any entity from here, so there is no answer.";
  if (wanted && !shown.length) return "None of the listed answers has this in its name.";
  return rest >= 0.0005 ? `All other entities together: ${percent(rest)}` : "";
}

/** While the truth of a random question is hidden, so are the marks that would give it away. */
function mark(answer, hidden) {
  if (!answer.known || hidden) return null;
  const now = answer.known_when === "same";
  return h("span", { class: now ? "mark now" : "mark" }, `known ${answer.known}, ${heldOut(answer.known_in)}`);
}

function truthBox(truth, prediction, reveal) {
  if (!truth.revealed) {
    return h(
      "div",
      { class: "truth" },
      "A held-out fact: the model has never seen its answer.",
      h("button", { type: "button", class: "button", id: "reveal", onclick: reveal }, "Reveal the true answer"),
    );
  }
  const [first, ...others] = truth.answers;
  const found = prediction.answers.find((answer) => answer.name === first);
  const where = found ? `, ranked ${place(found.rank)}` : ", not among those listed";
  return h(
    "div",
    { class: "truth" },
    h("span", {}, "True answer: ", h("b", {}, first), where, others.length ? ` (also true: ${others.join(", ")})` : ""),
  );
}
