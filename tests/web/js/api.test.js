import assert from "node:assert/strict";
import { beforeEach, test } from "node:test";

import { get, post, postForFile, servedModels, useModel } from "../../../src/tgap/server/static/js/api.js";

const FACT = ["A", "meets", "B", "2014"];
let asked = [];

beforeEach(() => {
  asked = [];
  globalThis.fetch = (address, { method = "GET", body = "" }) => {
    asked.push({ address, method, body });
    return Promise.resolve(new Response(JSON.stringify({ models: [] })));
  };
});

test("the chosen model is named in every request but the one for the list of models", async () => {
  useModel("other one");
  await servedModels();
  await get("timeline", { points: 5 });
  await post("predict", { relation: "meets" });
  await postForFile("explain.html", { relation: "meets" });
  useModel("");
  await get("timeline");
  assert.deepEqual(
    asked.map(({ address }) => address),
    [
      "/api/v1/models",
      "/api/v1/timeline?points=5&model=other+one",
      "/api/v1/predict?model=other+one",
      "/api/v1/explain.html?model=other+one",
      "/api/v1/timeline",
    ],
  );
});

test("parameters that hold nothing are not sent", async () => {
  await get("search", { q: "", kind: "entity", subject: null, object: undefined, limit: 0 });
  assert.equal(asked[0].address, "/api/v1/search?kind=entity&limit=0");
});

test("a body is asked about once", async () => {
  await post("what-if", { without: [FACT], added: [] });
  await post("what-if", { without: [FACT], added: [] });
  await post("what-if", { without: [], added: [FACT] });
  assert.deepEqual(
    asked.map(({ method, body }) => [method, JSON.parse(body)]),
    [
      ["POST", { without: [FACT], added: [] }],
      ["POST", { without: [], added: [FACT] }],
    ],
  );
});
