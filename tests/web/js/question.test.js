import assert from "node:assert/strict";
import { test } from "node:test";
import {
  answerOf,
  body,
  fromAddress,
  fromApi,
  homeAddress,
  missingPart,
  modelOf,
  toAddress,
  words,
} from "../../../src/tgap/server/static/js/question.js";

const ASKED = { subject: "North Korea", relation: "Threaten", object: "", time: "2014-04-29", answer: "Japan & Sons" };

test("a question survives its address", () => {
  const address = toAddress(ASKED);
  assert.equal(address, "?s=North+Korea&r=Threaten&o=%3F&t=2014-04-29&a=Japan+%26+Sons");
  assert.deepEqual(fromAddress(address), ASKED);
});

test("a question to another model than the first says so in its address", () => {
  const address = toAddress(ASKED, "runs two");
  assert.equal(modelOf(address), "runs two");
  assert.deepEqual(fromAddress(address), ASKED);
  assert.equal(modelOf(toAddress(ASKED)), "");
  assert.deepEqual([homeAddress(""), homeAddress("b")], ["/", "?m=b"]);
});

test("an address that names no entity, no relation or no time holds no question", () => {
  for (const address of ["", "?s=%3F&r=Threaten&o=%3F&t=2014", "?s=Japan&t=2014", "?s=Japan&r=Threaten"]) {
    assert.equal(fromAddress(address), null, address);
  }
});

test("what a question lacks is said in the order of its parts", () => {
  const lacking = (change) => missingPart({ ...ASKED, ...change })?.[0] ?? null;
  assert.deepEqual([{ subject: "" }, { relation: "" }, { time: "" }, {}].map(lacking), [
    "subject",
    "relation",
    "time",
    null,
  ]);
});

test("the API hears null where the answer goes", () => {
  assert.deepEqual(body(ASKED), { subject: "North Korea", relation: "Threaten", object: null, time: "2014-04-29" });
  assert.deepEqual(fromApi({ ...body(ASKED), asks: "object" }), { ...ASKED, answer: "" });
});

test("a question is about the chosen answer, else about the object where both sides are named", () => {
  assert.equal(answerOf(ASKED), "Japan & Sons");
  assert.equal(answerOf({ ...ASKED, answer: "", object: "China" }), "China");
  assert.equal(answerOf({ ...ASKED, answer: "" }), null);
});

test("a question on one line", () => {
  assert.equal(words(ASKED), "North Korea · Threaten · ? · 2014-04-29");
});
