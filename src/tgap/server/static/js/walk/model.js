// From an explanation to what the picture knows. Nothing is computed here: every number is the server's, this only ties
// the parts together. Pure.

export const VIEWS = { all: "attention", answer: "answer_share" }; // what a ribbon's width means, by the switch's position

/** Columns of entities, links between them and walks across them. */
export function walkOf(document) {
  const { flow, question } = document;
  return {
    document,
    length: flow.steps.length,
    start: question.subject ?? question.object,
    answer: document.answer.name,
    nodes: flow.columns.map((column) => new Map(column.map((node) => [node.name, node]))),
    links: flow.steps.map(({ step, bundles }) =>
      bundles.map((bundle, place) => ({ ...bundle, step, key: `${step}.${place}`, events: eventsOf(bundle) })),
    ),
    steps: flow.steps,
    paths: document.paths.walks.map((walk, place) => ({ ...walk, place, waits: waitsOf(walk) })),
  };
}

/** The listed events of a bundle with its ends, its side of time and its direction. */
function eventsOf({ subject, object, sign, inverse, events }) {
  return events.map((event) => ({ ...event, subject, object, sign, inverse }));
}

/** Where a walk stays: {step, name} for every step (from 0) in which it takes no edge. */
function waitsOf(walk) {
  const moved = new Set(walk.edges.map((edge) => edge.step));
  return walk.entities.slice(0, -1).flatMap((name, step) => (moved.has(step + 1) ? [] : [{ step, name }]));
}

/** The weight above which about ``most`` links are left in the whole picture. */
export function calmThreshold(walk, view, most = 30) {
  const falling = walk.links.flatMap((links) => links.map((link) => link[view])).sort((a, b) => b - a);
  return Math.min(Math.max(falling[most] ?? 0, 0.003), 0.2);
}
