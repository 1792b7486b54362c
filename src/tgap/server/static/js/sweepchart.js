// The chart of probabilities over time: scales and lines. Pure: points in, pixels out.

const STEPS = [0.5, 0.2, 0.1, 0.05, 0.02, 0.01, 0.005];

/** Shares to label on a linear axis that ends at ``most``: round ones, not too many. */
export function shareTicks(most) {
  const step = STEPS.find((share) => most / share >= 2) ?? STEPS.at(-1);
  const count = Math.floor(most / step + 1e-9);
  return Array.from({ length: Math.min(count, 6) + 1 }, (_, place) => step * place);
}

/** The highest share that any followed answer has at any time. */
export const highest = (points) =>
  Math.max(0.02, ...points.flatMap((point) => point.answers.map(({ score }) => score)));

/** One line an answer: {name, d, end: [x, y]}, in the order of the answers. ``x(instant)`` and ``y(share)`` give pixels. */
export function lines(points, x, y) {
  const ordered = [...points].sort((a, b) => a.instant - b.instant);
  if (!ordered.length) return [];
  return ordered[0].answers.map(({ name }, place) => {
    const corners = ordered.map((point) => [x(point.instant), y(point.answers[place].score)]);
    const d = corners.map(([left, top], index) => `${index ? "L" : "M"}${left.toFixed(1)} ${top.toFixed(1)}`).join("");
    return { name, d, end: corners.at(-1), corners };
  });
}

/** Places for the names at the lines' ends, moved apart so that none lies on another. */
export function apart(tops, height, bottom) {
  const order = tops.map((top, place) => [top, place]).sort((a, b) => a[0] - b[0]);
  const places = new Array(tops.length);
  let lowest = -Infinity;
  for (const [top, place] of order) {
    lowest = Math.max(top, lowest + height);
    places[place] = lowest;
  }
  const over = Math.max(0, lowest - bottom);
  return places.map((top) => top - over);
}

/** The point nearest to an instant. */
export function nearest(points, instant) {
  return points.reduce((one, other) =>
    Math.abs(other.instant - instant) < Math.abs(one.instant - instant) ? other : one,
  );
}
