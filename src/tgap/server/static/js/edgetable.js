// The strongest edges as tables: the same walk for those who would rather read or listen.

import { h } from "./dom.js";
import { counted, percent } from "./format.js";

export function edgeTables(walk) {
  return h(
    "details",
    { class: "edge-table" },
    h("summary", {}, "The walk as tables"),
    walk.document.steps.map((step) =>
      h(
        "div",
        { class: "table-scroll", tabindex: "0", role: "region", "aria-label": `Strongest edges of step ${step.step}` },
        h(
          "table",
          {},
          h(
            "caption",
            {},
            `Step ${step.step}: ${counted(step.used_edges, "event")} followed, ${percent(step.self_loops)} of attention stayed where it was`,
          ),
          h(
            "thead",
            {},
            h(
              "tr",
              {},
              ["From", "Relation", "To", "Date", "Seen from the question", "Attention", "Of the answer"].map((text) =>
                h("th", { scope: "col" }, text),
              ),
            ),
          ),
          h(
            "tbody",
            {},
            step.edges.map((edge) =>
              h(
                "tr",
                {},
                [
                  edge.subject,
                  edge.relation + (edge.inverse ? " (inverse)" : ""),
                  edge.object,
                  edge.time,
                  edge.relative_time,
                ].map((text) => h("td", {}, text)),
                [edge.attention, edge.answer_share].map((share) => h("td", { class: "number" }, percent(share))),
              ),
            ),
          ),
        ),
      ),
    ),
  );
}
