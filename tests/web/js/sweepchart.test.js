import assert from "node:assert/strict";
import { test } from "node:test";
import { apart, highest, lines, nearest, shareTicks } from "../../../src/tgap/server/static/js/sweepchart.js";

const answers = (...scores) => scores.map((score, place) => ({ name: `N${place}`, score }));
const points = [
  { instant: 10, answers: answers(0.5, 0.25) },
  { instant: 0, answers: answers(0.25, 0) },
];

test("lines run through the points in the order of time", () => {
  const [first, second] = lines(
    points,
    (instant) => instant,
    (share) => 100 * share,
  );
  assert.equal(first.d, "M0.0 25.0L10.0 50.0");
  assert.deepEqual(second.end, [10, 25]);
  assert.deepEqual(lines([], Number, Number), []);
});

test("shares are labelled by round steps", () => {
  assert.deepEqual(
    shareTicks(0.5).map((share) => share.toFixed(1)),
    ["0.0", "0.2", "0.4"],
  );
  assert.equal(shareTicks(0.021).length, 3);
  assert.equal(highest(points), 0.5);
  assert.equal(highest([{ instant: 0, answers: answers(0.001) }]), 0.02);
});

test("names are moved apart and stay inside", () => {
  assert.deepEqual(apart([50, 50, 10], 14, 100), [50, 64, 10]);
  assert.deepEqual(apart([98, 99], 14, 100), [86, 100]);
});

test("the nearest point is meant", () => {
  assert.equal(nearest(points, 6).instant, 10);
  assert.equal(nearest(points, 4).instant, 0);
});
