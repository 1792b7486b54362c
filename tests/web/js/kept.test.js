import assert from "node:assert/strict";
import { test } from "node:test";
import { Kept } from "../../../src/tgap/server/static/js/kept.js";

const entry = (time, answer = "Japan") => ({
  model: "",
  question: { subject: "North Korea", relation: "Threaten", object: "", time, answer },
  answer,
  score: 0.5,
});

function store(content = null) {
  const found = { content };
  return { getItem: () => found.content, setItem: (_, text) => Object.assign(found, { content: text }), found };
}

test("the history holds every question once, newest first, and has an end", () => {
  const kept = new Kept(store());
  for (let day = 0; day < 60; day += 1) kept.remember(entry(`day ${day}`));
  kept.remember(entry("day 30"));
  const { history } = kept.all;
  assert.equal(history.length, 50);
  assert.deepEqual(
    history.slice(0, 2).map(({ question }) => question.time),
    ["day 30", "day 59"],
  );
});

test("a pin can be taken away again and outlives the history", () => {
  const kept = new Kept(store());
  kept.remember(entry("a"));
  kept.toggle(entry("a"));
  assert.ok(kept.isPinned(entry("a")));
  assert.ok(!kept.isPinned(entry("a", "China")));
  kept.forget();
  assert.deepEqual([kept.all.history.length, kept.all.pins.length], [0, 1]);
  kept.toggle(entry("a"));
  assert.equal(kept.all.pins.length, 0);
});

test("what another page or an older version left there is no harm", () => {
  for (const content of ["no json", "{}", "null", '{"history": 3}']) {
    const kept = new Kept(store(content));
    assert.deepEqual(kept.all, { history: [], pins: [] });
    kept.remember(entry("a"));
    assert.equal(kept.all.history.length, 1);
  }
});

test("where storage is forbidden or full it lasts as long as the page", () => {
  const full = { getItem: () => null, setItem: () => assert.fail("full") };
  for (const storage of [null, full]) {
    const kept = new Kept(storage);
    kept.remember(entry("a"));
    assert.equal(kept.all.history.length, 1);
  }
});
