import assert from "node:assert/strict";
import { test } from "node:test";
import {
  answerOf,
  askedOf,
  body,
  comparedIn,
  entityAddress,
  entityOf,
  fromAddress,
  fromApi,
  homeAddress,
  isBatch,
  missingPart,
  modelOf,
  toAddress,
  words,
} from "../../../src/tgap/server/static/js/question.js";

const ASKED = {
  subject: "North Korea",
  relation: "Threaten",
  object: "",
  time: "2014-04-29",
  sight: "",
  answer: "Japan & Sons",
};

test("a question may be asked knowing only the past", () => {
  const asked = { ...ASKED, sight: "past" };
  assert.deepEqual(fromAddress(toAddress(asked)), asked);
  assert.equal(body(asked).past_only, true);
  assert.equal("past_only" in body(ASKED), false);
  assert.match(words(asked), /knowing only the past$/);
});

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

test("an address may hold a question to compare with, an entity, or many questions", () => {
  const other = { ...ASKED, time: "2014-05-06" };
  const address = toAddress(ASKED, "m2", other);
  assert.deepEqual(comparedIn(address), other);
  assert.deepEqual(fromAddress(address), ASKED);
  assert.equal(comparedIn(toAddress(ASKED)), null);
  const entity = { entity: "A & B", time: "2014", partner: "", relation: "Threaten" };
  assert.deepEqual(entityOf(entityAddress(entity, "m2")), entity);
  assert.equal(entityOf(toAddress(ASKED)), null);
  assert.deepEqual(["?batch=", "?m=x"].map(isBatch), [true, false]);
});

test("the open side is open where both are named", () => {
  assert.equal(askedOf({ ...ASKED, object: "China" }, "China").object, null);
  assert.equal(askedOf({ ...ASKED, subject: "", object: "China" }, "Japan").object, "China");
});
