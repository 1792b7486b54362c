// The heaviest walks to the answer, told in words with their share.

import { h } from "./dom.js";
import { percent, whole } from "./format.js";
import { hops } from "./hops.js";

/** ``trace(place or null)`` lights a walk in the picture. */
export function pathsCard(walk, trace) {
  const { paths, reach, answer } = walk.document;
  let pinned = null;
  const rows = walk.paths.map((path) => {
    const button = h(
      "button",
      { type: "button", class: "path", "aria-pressed": "false" },
      h("span", { class: "share" }, percent(path.share)),
      hops(walk.start, path.edges),
    );
    button.addEventListener("click", () => {
      pinned = pinned === path.place ? null : path.place;
      for (const [place, other] of rows.entries()) other.setAttribute("aria-pressed", String(place === pinned));
      trace(pinned);
    });
    button.addEventListener("pointerenter", () => trace(path.place));
    button.addEventListener("pointerleave", () => trace(pinned));
    return button;
  });
  const rest = `The other walks, ${whole(paths.number)} in all, bring ${percent(paths.rest)}.`;
  return h(
    "section",
    { class: "card paths-card", "aria-labelledby": "paths-title" },
    h("div", { class: "card-head" }, h("h2", { id: "paths-title" }, `How attention came to ${answer.name}`)),
    h("p", { class: "quiet" }, reach.sentence),
    h(
      "ol",
      { class: "paths" },
      rows.map((row) => h("li", {}, row)),
    ),
    rows.length ? h("p", { class: "quiet" }, rest) : null,
    paths.complete ? null : h("p", { class: "quiet" }, "The search was cut short: heavier walks may be missing."),
  );
}
