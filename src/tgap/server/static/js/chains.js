// How attention came to the answer: chains of entities with all their events together, then the heaviest single walks.

import { h } from "./dom.js";
import { percent, unbroken, whole } from "./format.js";
import { hops } from "./hops.js";

/** ``trace(place or null)`` lights a walk in the picture. */
export function chainsCard(walk, trace) {
  const { chains, paths, reach, answer } = walk.document;
  return h(
    "section",
    { class: "card paths-card", "aria-labelledby": "paths-title" },
    h("div", { class: "card-head" }, h("h2", { id: "paths-title" }, `How attention came to ${answer.name}`)),
    h("p", { class: "quiet" }, reach.sentence),
    h("ol", { class: "chains" }, chains.chains.map(chainRow)),
    chains.chains.length ? h("p", { class: "quiet" }, `All other chains bring ${percent(chains.rest)}.`) : null,
    chains.complete ? null : cut("chains"),
    paths.walks.length ? singleWalks(walk, trace) : null,
  );
}

function chainRow(chain) {
  return h(
    "li",
    { class: "chain" },
    h("span", { class: "share" }, percent(chain.share)),
    chain.links.length
      ? h("span", {}, through(chain), chain.links.map(linkWords))
      : h("span", { class: "through" }, chain.sentence),
  );
}

/** The entities of a chain in their order. */
function through({ links }) {
  return h("span", { class: "through" }, [links[0].subject, ...links.map((link) => link.object)].join(" → "));
}

/** The relations that carried a link of a chain, strongest first. */
function linkWords(link) {
  const relations = link.relations
    .slice(0, 2)
    .map(({ relation, inverse, share }) => `${relation}${inverse ? " (the other way)" : ""} ${percent(share)}`);
  return h("span", { class: "quiet hop-words" }, unbroken(`${link.subject} → ${link.object}: ${relations.join(", ")}`));
}

const cut = (what) => h("p", { class: "quiet" }, `The search was cut short: heavier ${what} may be missing.`);

function singleWalks(walk, trace) {
  const { paths } = walk.document;
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
  return h(
    "details",
    { class: "walks" },
    h("summary", {}, "The heaviest single walks, event by event"),
    h(
      "ol",
      { class: "paths" },
      rows.map((row) => h("li", {}, row)),
    ),
    h("p", { class: "quiet" }, `The other walks, ${whole(paths.number)} in all, bring ${percent(paths.rest)}.`),
    paths.complete ? null : cut("walks"),
  );
}
