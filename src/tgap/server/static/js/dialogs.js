// The model card and the question for the token.

import { h, icon } from "./dom.js";
import { whole } from "./format.js";

const about = document.getElementById("about");
const tokenDialog = document.getElementById("token");

function head(id, title, dialog) {
  return h(
    "div",
    { class: "dialog-head" },
    h("h2", { id }, title),
    h(
      "button",
      { type: "button", class: "icon-button", "aria-label": "Close", onclick: () => dialog.close() },
      icon("close"),
    ),
  );
}

/** Fill and open the model card. */
export function showCard(card) {
  const { dataset } = card;
  const split = card.metrics.test ? "test" : "validation";
  about.replaceChildren(
    head("about-title", `${card.scorer} on ${dataset.name}`, about),
    h("p", { class: "quiet" }, card.protocol),
    h("h3", {}, "Data"),
    rows([
      ["Entities", whole(dataset.entities)],
      ["Relations", whole(dataset.relations)],
      ...Object.entries(dataset.facts).map(([split, count]) => [`Facts in ${split}`, whole(count)]),
      ["Time", `${dataset.timeline.first} to ${dataset.timeline.last}, by ${dataset.timeline.unit}`],
    ]),
    ...figures(split, card.metrics[split] ?? {}),
    h("h3", {}, "Settings"),
    rows(Object.entries(card.settings.model ?? {}).map(([name, value]) => [name, String(value)])),
    h("p", { class: "quiet" }, `tgap ${card.version}, data ${dataset.checksum.slice(0, 12)}`),
  );
  about.showModal();
}

const COLUMNS = { mrr: "MRR", hits1: "Hits@1", hits3: "Hits@3", hits10: "Hits@10", mean_rank: "Mean rank" };

/** Figures by protocol, one row each. */
function figures(split, measured) {
  const protocols = ["raw", "static", "time"].filter((name) => measured[name]);
  if (!protocols.length) return [];
  const cell = (name, value) =>
    name === "mean_rank" ? value.toFixed(0) : name === "mrr" ? value.toFixed(4) : `${(100 * value).toFixed(1)} %`;
  return [
    h("h3", {}, `Measured on ${split}`),
    h(
      "table",
      { class: "figures" },
      h(
        "thead",
        {},
        h(
          "tr",
          {},
          h("td", {}),
          Object.values(COLUMNS).map((name) => h("th", { scope: "col" }, name)),
        ),
      ),
      h(
        "tbody",
        {},
        protocols.map((protocol) =>
          h(
            "tr",
            {},
            h("th", { scope: "row" }, protocol),
            Object.keys(COLUMNS).map((name) =>
              h("td", {}, measured[protocol][name] === undefined ? "" : cell(name, measured[protocol][name])),
            ),
          ),
        ),
      ),
    ),
  ];
}

function rows(pairs) {
  return h(
    "table",
    {},
    h(
      "tbody",
      {},
      pairs.map(([name, value]) => h("tr", {}, h("th", { scope: "row" }, name), h("td", {}, value))),
    ),
  );
}

/** Ask for the token; ``wrong`` says that the last one was refused. Null where the reader closes the dialog. */
export function askForToken(wrong) {
  return new Promise((resolve) => {
    const input = h("input", { type: "password", id: "token-input", autocomplete: "off", required: true });
    const form = h(
      "form",
      { method: "dialog" },
      h(
        "label",
        { for: "token-input" },
        wrong ? "That token was refused. Token of this server:" : "Token of this server:",
      ),
      input,
      h("button", { type: "submit", class: "button primary" }, "Continue"),
    );
    let given = null;
    form.addEventListener("submit", () => {
      given = input.value.trim();
    });
    tokenDialog.addEventListener("close", () => resolve(given), { once: true });
    tokenDialog.replaceChildren(head("token-title", "A token is needed", tokenDialog), form);
    if (!tokenDialog.open) tokenDialog.showModal();
    input.focus();
  });
}
