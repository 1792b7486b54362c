import assert from "node:assert/strict";
import { test } from "node:test";
import { barPath, rootScale, TimeScale, textAt, ticks } from "../../../src/tgap/server/static/js/timescale.js";

const days = Array.from({ length: 100 }, (_, day) => `day ${day}`);
const timeline = {
  span: 99,
  step: 1,
  texts: days,
  ticks: [
    [
      { instant: 0, text: "Jan" },
      { instant: 60, text: "Mar" },
    ],
    [
      { instant: 0, text: "Jan" },
      { instant: 31, text: "Feb" },
      { instant: 60, text: "Mar" },
      { instant: 91, text: "Apr" },
    ],
  ],
};

test("instants and pixels are each other's inverse", () => {
  const scale = new TimeScale(timeline, 40, Infinity, 600);
  for (const instant of [0, 17, 99]) assert.ok(Math.abs(scale.instant(scale.x(instant)) - instant) < 1e-9);
  assert.equal(scale.x(99), scale.right);
  assert.equal(scale.clip(-5), scale.left);
});

test("a window lies around its instant, and the whole line reaches to an instant outside", () => {
  const near = new TimeScale(timeline, 40, 10, 600);
  assert.deepEqual([near.first, near.last], [30, 50]);
  assert.equal(new TimeScale(timeline, 150, Infinity, 600).last, 150);
  assert.equal(new TimeScale(timeline, -20, Infinity, 600).first, -20);
});

test("the finest level that has room is labelled", () => {
  const texts = (width, window = Infinity) =>
    ticks(timeline, new TimeScale(timeline, 40, window, width)).map((tick) => tick.text);
  assert.deepEqual(texts(600), ["Jan", "Feb", "Mar", "Apr"]);
  assert.deepEqual(texts(320), ["Jan", "Mar"]);
  assert.deepEqual(texts(410, 5), ["day 35", "day 38", "day 42", "day 45"]); // no round instant there: evenly spread
});

test("labels at the ends stay inside", () => {
  const found = ticks(timeline, new TimeScale(timeline, 40, Infinity, 600));
  assert.deepEqual(
    found.map((tick) => tick.anchor),
    ["start", "middle", "middle", "middle"],
  );
});

test("shares are drawn by their root and labelled apart", () => {
  const { high, marks } = rootScale(0.25, 100);
  assert.equal(high(0.25), 100);
  assert.equal(high(0.0625), 50);
  assert.equal(high(0.9), 100); // what is higher than the plot is cut
  assert.deepEqual(
    marks.map((mark) => mark.share),
    [0.2, 0.1, 0.05, 0.02],
  );
  assert.deepEqual(rootScale(0, 100).marks, []);
});

test("bars become one path, empty ones none", () => {
  assert.equal(
    barPath(
      [
        { x: 10, high: 5 },
        { x: 20, high: 0 },
      ],
      2,
      100,
    ),
    "M9.0 100v-5.0h2.0v5.0z",
  );
});

test("an instant's text is that of the nearest that the timeline has", () => {
  assert.equal(textAt(timeline, 7), "day 7");
  assert.equal(textAt(timeline, -3), "day 0");
  assert.equal(textAt({ texts: ["a", "b", "c"], step: 10 }, 12), "b");
  assert.equal(textAt(timeline, Infinity), "day 99");
});
