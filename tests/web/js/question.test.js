import assert from "node:assert/strict";
import { test } from "node:test";
import { body, fromAddress, fromApi, toAddress, words } from "../../../src/tgap/server/static/js/question.js";

const ASKED = { subject: "North Korea", relation: "Threaten", object: "", time: "2014-04-29", answer: "Japan & Sons" };

test("a question survives its address", () => {
  const address = toAddress(ASKED);
  assert.equal(address, "?s=North+Korea&r=Threaten&o=%3F&t=2014-04-29&a=Japan+%26+Sons");
  assert.deepEqual(fromAddress(address), ASKED);
});

test("an address that names no entity, no relation or no time holds no question", () => {
  for (const address of ["", "?s=%3F&r=Threaten&o=%3F&t=2014", "?s=Japan&t=2014", "?s=Japan&r=Threaten"]) {
    assert.equal(fromAddress(address), null, address);
  }
});

test("the API hears null where the answer goes", () => {
  assert.deepEqual(body(ASKED), { subject: "North Korea", relation: "Threaten", object: null, time: "2014-04-29" });
  assert.deepEqual(fromApi({ ...body(ASKED), asks: "object" }), { ...ASKED, answer: "" });
});

test("a question on one line", () => {
  assert.equal(words(ASKED), "North Korea · Threaten · ? · 2014-04-29");
});
