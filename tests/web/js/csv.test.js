import assert from "node:assert/strict";
import { test } from "node:test";
import { answersTable, csv, edgesTable } from "../../../src/tgap/server/static/js/csv.js";

test("cells are quoted where they must be", () => {
  assert.equal(csv([["a", 'say "no"', "x,y", null, 0, "two\nlines"]]), 'a,"say ""no""","x,y",,0,"two\nlines"\r\n');
});

test("one row an answer", () => {
  const answers = [{ rank: 1, name: "Japan", score: 0.25, known: null, known_in: ["train", "test"] }];
  assert.equal(answersTable({ answers }), "rank,name,score,known,known_in\r\n1,Japan,0.25,,train test\r\n");
});

test("one row an edge, with its step", () => {
  const edge = { subject: "A", relation: "r", object: "B", inverse: false, time: "2014", displacement: -1 };
  const text = edgesTable({ steps: [{ step: 2, edges: [{ ...edge, before: 1, attention: 0.5, through: 0.1 }] }] });
  assert.equal(text.split("\r\n")[1], "2,A,r,B,false,2014,-1,1,0.5,0.1");
});
