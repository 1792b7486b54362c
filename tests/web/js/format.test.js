import assert from "node:assert/strict";
import { test } from "node:test";
import {
  counted,
  percent,
  place,
  points,
  sentence,
  shortened,
  whole,
} from "../../../src/tgap/server/static/js/format.js";

test("percentages are short", () => {
  const shares = [0, 0.00001, 0.0003, 0.012, 0.0999, 0.31, 1];
  assert.deepEqual(shares.map(percent), ["0 %", "< 0.01 %", "0.03 %", "1.2 %", "10 %", "31 %", "100 %"]);
});

test("a share half way between two texts goes to the even digit", () => {
  assert.deepEqual([0.125, 0.375, 0.0125, 0.0375, 0.00125].map(percent), ["12 %", "38 %", "1.2 %", "3.8 %", "0.12 %"]);
});

test("large numbers have commas, one has no plural", () => {
  assert.equal(whole(1234567.4), "1,234,567");
  assert.deepEqual(
    [0, 1, 1200].map((number) => counted(number, "edge")),
    ["0 edges", "1 edge", "1,200 edges"],
  );
});

test("a shared rank keeps its half", () => {
  assert.deepEqual([1, 2.5].map(place), ["1", "2.5"]);
});

test("words become a sentence once", () => {
  assert.deepEqual(["it is late", "It is.", "again …"].map(sentence), ["It is late.", "It is.", "Again …"]);
});

test("effects are signed percentage points", () => {
  assert.deepEqual([0.31, -0.042, 0.0012, 0.00001, -0.125].map(points), ["+31", "−4.2", "+0.12", "0", "−12"]);
});

test("long names lose their middle, not the country at their end", () => {
  assert.equal(shortened("Citizen (South Korea)", 30), "Citizen (South Korea)");
  assert.match(shortened("Foreign Affairs (South Korea)", 20), /^Foreig.*…\(?South Korea\)$/);
  assert.ok(shortened("Foreign Affairs (South Korea)", 20).length <= 20);
});
