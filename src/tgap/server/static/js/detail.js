// What lies behind a part of the picture: the dated events of a link, the stored facts of an entity.

import { get } from "./api.js";
import { h, icon } from "./dom.js";
import { counted, percent, whole } from "./format.js";
import { arrow, dateChip, factOf } from "./hops.js";

function frame(title, words, close, list) {
  return h(
    "section",
    { class: "detail", "aria-label": title },
    h(
      "div",
      { class: "detail-head" },
      h("h3", { tabindex: "-1" }, title),
      h("button", { type: "button", class: "icon-button", "aria-label": "Close", onclick: close }, icon("close")),
    ),
    h("p", { class: "quiet" }, words),
    list,
  );
}

/** Events of a link, strongest first. ``whatIf(fact)`` asks again without one. */
export function linkDetail(link, close, whatIf) {
  const rows = link.events.map((event) =>
    h(
      "li",
      {},
      dateChip(event),
      h("span", { class: "what" }, event.subject, " ", arrow(event), " ", event.object),
      h("span", { class: "number" }, percent(event.attention)),
      h("button", { type: "button", class: "link-button", onclick: () => whatIf(factOf(event)) }, "what if not?"),
    ),
  );
  const among = link.size > link.events.length ? "; the strongest:" : ".";
  const words = `${percent(link.attention)} of all attention took this way in step ${link.step}, over ${counted(link.size, "event")}${among}`;
  return frame(`${link.subject} to ${link.object}`, words, close, h("ul", { class: "detail-list" }, rows));
}

/** Facts of an entity around the asked time. */
export function nodeDetail(node, time, close) {
  const list = h("ul", { class: "detail-list" }, h("li", { class: "quiet" }, "Looking up its facts …"));
  const when =
    node.column === 0
      ? "The walk starts here."
      : `Holds ${percent(node.weight)} of attention after step ${node.column}.`;
  const panel = frame(node.name, when, close, list);
  get("facts", { entity: node.name, time, limit: 30 })
    .then((found) => {
      panel.querySelector("p").textContent =
        `${when} ${whole(found.total)} stored facts; those nearest to ${found.time}:`;
      list.replaceChildren(
        ...found.facts.map((fact) =>
          h(
            "li",
            {},
            dateChip(fact),
            h("span", { class: "what" }, `${fact.subject} — ${fact.relation} → ${fact.object}`),
            fact.split === "train" ? null : h("span", { class: "number" }, "held out"),
          ),
        ),
      );
    })
    .catch((error) => list.replaceChildren(h("li", {}, error.message)));
  return panel;
}
