// From an explanation to what is drawn: dated events bundled into links, walks laid over the steps, mass of every entity.

import { sideOf } from "../dom.js";

/** Everything the picture knows about one explanation. */
export function buildWalk(document) {
  const length = document.steps.length;
  const start = document.question.subject || document.question.object;
  const links = document.steps.map((step) => bundle(step));
  const masses = massesOf(document, start);
  const paths = document.paths.walks.map((walk, place) => lay(walk, place, links, length, document.answer.score));
  return { document, length, start, answer: document.answer.name, links, masses, paths };
}

const linkKey = (step, edge) =>
  [step, edge.subject, edge.object, sideOf(edge.displacement), edge.inverse].join("\u0000");

const eventKey = (edge) => [edge.subject, edge.relation, edge.object, edge.inverse, edge.time].join("\u0000");

/** The events of a step by ends, direction and side of time: one link each. */
function bundle(step) {
  const links = new Map();
  for (const edge of step.edges) add(links, step.step, edge);
  return links;
}

function add(links, step, edge) {
  const key = linkKey(step, edge);
  if (!links.has(key)) {
    links.set(key, {
      key,
      step,
      subject: edge.subject,
      object: edge.object,
      side: sideOf(edge.displacement),
      inverse: edge.inverse,
      attention: 0,
      events: [],
      paths: new Set(),
    });
  }
  const link = links.get(key);
  link.attention += edge.attention;
  link.events.push(edge);
  return link;
}

/** Attention of each named entity after 0, 1, ... steps, as far as the explanation tells. */
function massesOf(document, start) {
  const masses = [new Map([[start, 1]])];
  document.steps.forEach((step, place) => {
    const held = new Map(step.nodes.map((node) => [node.name, node.attention]));
    for (const edge of document.steps[place + 1]?.edges ?? []) {
      if (!held.has(edge.subject)) held.set(edge.subject, edge.before);
    }
    masses.push(held);
  });
  return masses;
}

/** A walk with its waits folded away, laid over the steps where most attention supports it. */
function lay(walk, place, links, length, probability) {
  let best = null;
  for (const steps of choices(length, walk.edges.length)) {
    const support = walk.edges.map((edge, index) => supported(links[steps[index]], steps[index] + 1, edge));
    const strength = support.length ? Math.min(...support) : 1;
    if (!best || strength > best.strength) best = { steps, strength };
  }
  const steps = best ? best.steps : [];
  const taken = walk.edges.map((edge, index) => {
    const step = steps[index];
    const key = linkKey(step + 1, edge);
    let link = links[step].get(key);
    if (!link?.events.some((event) => eventKey(event) === eventKey(edge))) {
      // Too small for the list of strongest edges: it carried at least what this walk brought.
      link = add(links[step], step + 1, {
        ...edge,
        attention: walk.share * probability,
        through: walk.share,
        before: 0,
      });
    }
    link.paths.add(place);
    return link;
  });
  return { place, share: walk.share, edges: walk.edges, links: taken, waits: waitsOf(walk, steps, length) };
}

function supported(links, step, edge) {
  const link = links.get(linkKey(step, edge));
  const event = link?.events.find((other) => eventKey(other) === eventKey(edge));
  return event ? event.attention : 0;
}

/** All ways to choose ``count`` of ``length`` steps, in order. */
function choices(length, count, from = 0) {
  if (count === 0) return [[]];
  const found = [];
  for (let first = from; first <= length - count; first += 1) {
    for (const rest of choices(length, count - 1, first + 1)) found.push([first, ...rest]);
  }
  return found;
}

/** Where a walk stays: {step, name} for every step without an edge of its own. */
function waitsOf(walk, steps, length) {
  const waits = [];
  let name = walk.edges[0]?.subject;
  for (let step = 0; step < length; step += 1) {
    const index = steps.indexOf(step);
    if (index >= 0) name = walk.edges[index].object;
    else if (name) waits.push({ step, name });
  }
  return waits;
}

/** A threshold that leaves about ``most`` links in the whole picture. */
export function calmThreshold(walk, most = 30) {
  const falling = walk.links
    .flatMap((links) => [...links.values()].map((link) => link.attention))
    .sort((a, b) => b - a);
  return Math.min(Math.max(falling[most] ?? 0, 0.003), 0.2);
}
