import assert from "node:assert/strict";
import { test } from "node:test";
import { heldOut, standing } from "../../../src/tgap/server/static/js/known.js";

test("a fact was learned from, held out, or appended after training", () => {
  assert.equal(heldOut(["train", "test"]), "in its training data");
  assert.equal(heldOut(["context"]), "appended after training");
  assert.equal(heldOut(["valid", "test"]), "held out (valid, test)");
  assert.deepEqual(["train", "valid", "context"].map(standing), ["learned from", "held out", "appended"]);
});
