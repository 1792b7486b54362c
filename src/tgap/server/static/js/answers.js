// The ranked answers: bars, marks of what is known already, the true answer of a random question on demand.

import { h } from "./dom.js";
import { percent, place } from "./format.js";

/** ``state``: {prediction, selected, truth, choose(name), reveal()}. */
export function answersCard(state) {
  const { prediction, truth } = state;
  const hidden = Boolean(truth && !truth.revealed);
  const best = Math.max(...prediction.answers.map((answer) => answer.score), 1e-9);
  const card = h(
    "section",
    { class: "card answers-card", "aria-labelledby": "answers-title" },
    h("div", { class: "card-head" }, h("h2", { id: "answers-title" }, "Answers")),
    ...prediction.notes.map((note) => h("p", { class: "note" }, note)),
  );
  if (truth) card.append(truthBox(truth, prediction, state.reveal));
  if (!prediction.answers.length) {
    card.append(
      h("p", { class: "asked-line quiet" }, "No attention reaches any entity from here, so there is no answer."),
    );
    return card;
  }
  card.append(
    h(
      "ol",
      { class: "answers" },
      prediction.answers.map((answer) => h("li", {}, row(answer, best, hidden, state))),
    ),
  );
  const { asked } = prediction;
  if (asked && !prediction.answers.some((answer) => answer.name === asked.name)) {
    card.append(h("div", { class: "answers" }, row(asked, best, hidden, state)));
  }
  if (prediction.rest >= 0.0005) {
    card.append(h("p", { class: "rest-line quiet" }, `All other entities together: ${percent(prediction.rest)}`));
  }
  return card;
}

function row(answer, best, hidden, state) {
  const { probabilities } = state.prediction;
  const chosen = answer.name === state.selected;
  const fill = h("div", { class: "fill" });
  fill.style.width = `${(100 * Math.max(answer.score, 0)) / best}%`;
  return h(
    "button",
    {
      type: "button",
      class: "answer",
      "aria-pressed": String(chosen),
      "data-name": answer.name,
      onclick: () => state.choose(answer.name),
    },
    h("span", { class: "rank" }, place(answer.rank)),
    h("span", { class: "name" }, answer.name),
    h("span", { class: "share" }, probabilities ? percent(answer.score) : answer.score.toFixed(3)),
    mark(answer, hidden),
    state.card?.explains !== false && h("span", { class: "why", "aria-hidden": "true" }, "why?"),
    h("span", { class: "track", "aria-hidden": "true" }, fill),
  );
}

/** While the truth of a random question is hidden, so are the marks that would give it away. */
function mark(answer, hidden) {
  if (!answer.known || hidden) return null;
  const now = answer.known_when === "same";
  return h(
    "span",
    { class: now ? "mark now" : "mark", title: `stored in ${answer.known_in.join(", ")}` },
    `known ${answer.known}`,
  );
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
