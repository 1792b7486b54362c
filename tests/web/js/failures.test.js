import assert from "node:assert/strict";
import { test } from "node:test";
import { failureWords, mayHelpToTryAgain, waitingWords } from "../../../src/tgap/server/static/js/failures.js";

test("an unknown name is told by its parts, not cut out of a sentence", () => {
  const details = { kind: "entity", given: "Nort; did you mean Korea", suggestions: ["North Korea"] };
  const words = failureWords({ code: "unknown_name", message: "something else", details });
  assert.equal(words, "Unknown entity 'Nort; did you mean Korea'.");
});

test("other failures are told in the server's words", () => {
  assert.equal(
    failureWords({ code: "bad_question", message: "the question has no time" }),
    "The question has no time.",
  );
});

test("waiting says for what", () => {
  assert.equal(waitingWords({ code: "warming_up" }), "The model is warming up. Asking again by itself …");
  assert.match(waitingWords({ code: "busy", details: { waiting: 3 } }), /^3 requests waiting already/);
});

test("a wrong question does not become right by asking again", () => {
  assert.deepEqual(["bad_question", "timeout", "offline"].map(mayHelpToTryAgain), [false, true, true]);
});
