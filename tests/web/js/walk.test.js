import assert from "node:assert/strict";
import { test } from "node:test";
import { labelLinks, nameOf, nodeBoxes, spelledOut } from "../../../src/tgap/server/static/js/walk/labels.js";
import { along, isHeavy, layOut } from "../../../src/tgap/server/static/js/walk/layout.js";
import { calmThreshold, walkOf } from "../../../src/tgap/server/static/js/walk/model.js";
import { sample } from "./sample.js";

const names = (layout, column) => layout.columns[column].nodes.map((node) => node.name);
const rest = (layout) => layout.bands.map((band) => band.share);
const drawn = (layout) => layout.links.map(({ link }) => `${link.subject}${link.object}`).sort();

test("a walk waits in the steps in which the server says that it takes no edge", () => {
  const walk = walkOf(sample());
  assert.deepEqual(
    walk.paths.map((path) => path.waits),
    [[], [{ step: 0, name: "A" }]],
  );
  assert.equal(walk.start, "A");
  assert.equal(walk.answer, "D");
});

test("where the subject is asked for, the walk starts at the object", () => {
  const asked = { ...sample(), question: { subject: null, relation: "meets", object: "Z", time: "2014" } };
  assert.equal(walkOf(asked).start, "Z");
});

test("links have a key of their own and know the walks that take them", () => {
  const links = walkOf(sample()).links.flat();
  assert.equal(new Set(links.map((link) => link.key)).size, links.length);
  assert.deepEqual(
    links.filter(isHeavy).map((link) => link.object),
    ["C", "D", "D"],
  );
});

test("the threshold leaves a calm number of links", () => {
  const walk = walkOf(sample());
  assert.equal(calmThreshold(walk, "attention", 2), 0.2); // never above a fifth
  assert.equal(calmThreshold(walk, "answer_share", 3), 0.1);
  assert.equal(calmThreshold(walk, "attention", 30), 0.003);
});

test("the last column is ordered by weight, whichever weight is looked at", () => {
  const walk = walkOf(sample());
  assert.deepEqual(names(layOut(walk, { view: "attention", threshold: 0, width: 800 }), 2), ["E", "D"]);
  assert.deepEqual(names(layOut(walk, { view: "answer_share", threshold: 0, width: 800 }), 2), ["D", "E"]);
});

test("weak links are left out, heavy walks stay, and the rest is the server's number", () => {
  const walk = walkOf(sample());
  const everything = layOut(walk, { view: "attention", threshold: 0, width: 800 });
  assert.deepEqual(drawn(everything), ["AB", "AC", "AD", "BE", "CD"]);
  assert.deepEqual(rest(everything), [0.05, 0.05]);
  const strong = layOut(walk, { view: "attention", threshold: 0.55, width: 800 });
  assert.deepEqual(drawn(strong), ["AB", "AC", "AD", "CD"]);
  assert.deepEqual(rest(strong), [0.3, 0.8]); // of the second step only heavy walks are left: all that moved is the rest
});

test("no column holds more entities than it has room for", () => {
  const document = sample();
  const crowd = Array.from({ length: 30 }, (_, place) => ({
    ...document.flow.steps[0].bundles[0],
    object: `N${place}`,
    attention: 0.5 - place / 100,
    rest_attention: (29 - place) / 100,
  }));
  document.flow.steps[0].bundles.push(...crowd);
  document.flow.columns[1].push(...crowd.map(({ object }) => ({ name: object, attention: 0.01, answer_share: 0 })));
  const layout = layOut(walkOf(document), { view: "attention", threshold: 0, width: 800 });
  assert.equal(layout.columns[1].nodes.length, 11);
  const last = layout.links.filter(({ link }) => link.step === 1 && link.object.startsWith("N")).at(-1).link;
  assert.equal(rest(layout)[0], last.rest_attention); // from the first link without room on, everything is rest
});

test("everything lies inside the picture and links meet their entities", () => {
  const layout = layOut(walkOf(sample()), { view: "attention", threshold: 0, width: 640 });
  for (const { nodes } of layout.columns) {
    for (const { x, y, r } of nodes) {
      assert.ok(x - r > 0 && x + r < layout.width && y - r > 0 && y + r < layout.height);
    }
  }
  for (const { link, points } of layout.links) {
    const from = layout.columns[link.step - 1].nodes.find((node) => node.name === link.subject);
    assert.equal(points[0][0], from.x + from.r + 1);
  }
});

test("along a curve", () => {
  const points = [
    [0, 0],
    [0, 10],
    [10, 10],
    [10, 0],
  ];
  assert.deepEqual(along(points, 0), [0, 0]);
  assert.deepEqual(along(points, 1), [10, 0]);
  assert.deepEqual(along(points, 0.5), [5, 7.5]);
});

test("a ribbon is called by its strongest event, a number where there is no room", () => {
  const layout = layOut(walkOf(sample()), { view: "attention", threshold: 0, width: 800 });
  const wide = labelLinks(layout.links, "attention", 200, (text) => 5 * text.length);
  assert.ok(wide.every((label) => label.text));
  assert.equal(wide[0].text, "meets, 2014 +2");
  const narrow = labelLinks(layout.links, "attention", 40, (text) => 5 * text.length);
  assert.deepEqual(
    narrow.map((label) => label.number),
    [1, 2, 3, 4, 5],
  );
});

test("names of ribbons never lie on each other", () => {
  const layout = layOut(walkOf(sample()), { view: "answer_share", threshold: 0, width: 700 });
  const labels = labelLinks([...layout.links, ...layout.links], "answer_share", 200, (text) => 7 * text.length);
  for (const [place, one] of labels.entries()) {
    for (const other of labels.slice(place + 1)) {
      assert.ok(Math.abs(one.x - other.x) > 8 || Math.abs(one.y - other.y) > 8);
    }
  }
  assert.equal(nameOf({ size: 1, events: [{ relation: "r", time: "t" }] }), "r, t");
  const link = { step: 2, subject: "A", object: "B", events: [{ relation: "r", time: "t" }] };
  assert.equal(spelledOut({ ...link, size: 1 }), "Step 2, A → B: r, t");
  assert.equal(spelledOut({ ...link, size: 2 }), "Step 2, A → B: r, t and 1 other");
  assert.equal(spelledOut({ ...link, size: 9 }), "Step 2, A → B: r, t and 8 others");
});

test("no ribbon's name lies on an entity or its name", () => {
  const boxes = nodeBoxes([{ nodes: [{ name: "Node", x: 100, y: 50, r: 10 }] }], (text) => 8 * text.length);
  assert.deepEqual(boxes, [
    { left: 90, right: 110, top: 40, bottom: 60 },
    { left: 84, right: 116, top: 60, bottom: 78 },
  ]);
  const layout = layOut(walkOf(sample()), { view: "attention", threshold: 0, width: 1100 });
  const everywhere = [{ left: 0, right: 2000, top: 0, bottom: 2000 }];
  assert.deepEqual(
    labelLinks(layout.links, "attention", 200, (text) => 5 * text.length, everywhere),
    [],
  );
});
