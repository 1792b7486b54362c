// What lies behind a part of the picture: the dated events of a ribbon, the stored facts of an entity.

import { get } from "./api.js";
import { h, icon, reveal } from "./dom.js";
import { counted, percent, whole } from "./format.js";
import { dateChip, factOf, factWords } from "./hops.js";
import { standing } from "./known.js";
import { wholeOf } from "./walk/parts.js";

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

/** Events of a ribbon, strongest first. ``calls.whatIf(without)`` asks again without one; told beside it. */
export function linkDetail(link, view, calls) {
  const rows = link.events.map((event) => eventRow(event, view, calls));
  const among = link.size > link.events.length ? "; the strongest:" : ".";
  const words = `${percent(link[view])} ${wholeOf(view)} took this way in step ${link.step}, over ${counted(link.size, "event")}${among}`;
  return frame(`${link.subject} to ${link.object}`, words, calls.close, h("ul", { class: "detail-list" }, rows));
}

function eventRow(event, view, calls) {
  const fact = factOf(event);
  const told = h("span", { class: "told", "aria-live": "polite" });
  const ask = h("button", { type: "button", class: "link-button" }, "what if not?");
  ask.addEventListener("click", async () => {
    ask.disabled = true;
    told.textContent = "computing …";
    try {
      const { before, after, changes } = await calls.whatIf([[fact.subject, fact.relation, fact.object, fact.time]]);
      const next = after.answers[0]?.name ?? "nobody";
      const first = changes ? `; ${next} would come first` : "; the answer would stay";
      told.textContent = `${before.asked.name} ${percent(before.asked.score)} → ${percent(after.asked.score)}${first}`;
      reveal(told);
    } catch (error) {
      told.textContent = "";
      calls.fail(error);
    } finally {
      ask.disabled = false;
    }
  });
  return h(
    "li",
    {},
    dateChip(event),
    h("span", { class: "what" }, factWords(fact)),
    h("span", { class: "number" }, percent(event[view])),
    ask,
    told,
  );
}

/** Facts of an entity around the asked time. */
export function nodeDetail(node, view, time, calls) {
  const list = h("ul", { class: "detail-list" }, h("li", { class: "quiet" }, "Looking up its facts …"));
  const when =
    node.column === 0
      ? "The walk starts here."
      : `Holds ${percent(node.weight)} ${wholeOf(view)} after step ${node.column}.`;
  const about = h(
    "button",
    { type: "button", class: "link-button", onclick: () => calls.entity(node.name) },
    `All about ${node.name}`,
  );
  const panel = frame(node.name, when, calls.close, h("div", {}, h("p", { class: "quiet" }, about), list));
  get("facts", { entity: node.name, time, limit: 30 })
    .then((found) => {
      panel.querySelector("p").textContent =
        `${when} ${whole(found.total)} stored facts; those nearest to ${found.time}:`;
      list.replaceChildren(...found.facts.map(factRow));
    })
    .catch((error) => list.replaceChildren(h("li", {}, error.message)));
  return panel;
}

function factRow(fact) {
  return h(
    "li",
    {},
    dateChip(fact),
    h("span", { class: "what" }, factWords(fact)),
    fact.split === "train" ? null : h("span", { class: "number" }, standing(fact.split)),
  );
}
