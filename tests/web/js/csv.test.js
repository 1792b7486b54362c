import assert from "node:assert/strict";
import { test } from "node:test";
import {
  answersTable,
  batchTable,
  csv,
  edgesTable,
  evidenceTable,
  readQuestions,
} from "../../../src/tgap/server/static/js/csv.js";

test("cells are quoted where they must be", () => {
  assert.equal(csv([["a", 'say "no"', "x,y", null, 0, "two\nlines"]]), 'a,"say ""no""","x,y",,0,"two\nlines"\r\n');
});

test("one row an answer", () => {
  const answers = [{ rank: 1, name: "Japan", score: 0.25, known: null, known_in: ["train", "test"] }];
  assert.equal(answersTable({ answers }), "rank,name,score,known,known_in\r\n1,Japan,0.25,,train test\r\n");
});

test("one row an edge, with its step", () => {
  const edge = { subject: "A", relation: "r", object: "B", inverse: false, time: "2014", displacement: -1 };
  const text = edgesTable({
    steps: [{ step: 2, edges: [{ ...edge, subject_attention: 1, attention: 0.5, answer_share: 0.1 }] }],
  });
  assert.equal(text.split("\r\n")[1], "2,A,r,B,false,2014,-1,1,0.5,0.1");
});

test("one row a measured event", () => {
  const row = {
    subject: "A",
    relation: "r",
    object: "B",
    time: "2014",
    displacement: 1,
    effect: -0.1,
    probability: 0.2,
    rank: 1,
    share: 0.3,
  };
  assert.equal(evidenceTable({ evidence: [row] }).split("\r\n")[1], "A,r,B,2014,1,-0.1,0.2,1,0.3");
});

test("questions are read with or without a heading, with commas or tabs", () => {
  const asked = { subject: "North Korea", relation: "Threaten", object: null, time: "2014-04-29" };
  assert.deepEqual(readQuestions("North Korea,Threaten,?,2014-04-29\n\n", 9).questions, [asked]);
  assert.deepEqual(readQuestions("North Korea\tThreaten\t\t2014-04-29\r\n", 9).questions, [asked]);
  const headed = "time,subject,note,relation,object\n2014-04-29, North Korea ,x,Threaten,?";
  assert.deepEqual(readQuestions(headed, 9).questions, [asked]);
});

test("a cell in quotes may hold commas, quotes and line breaks", () => {
  const [question] = readQuestions('"Meyer, ""Bob""\nJr",says,?,2014', 9).questions;
  assert.equal(question.subject, 'Meyer, "Bob"\nJr');
});

test("what cannot be read is told with its place", () => {
  assert.match(readQuestions("  \n", 9).problem, /no question yet/);
  assert.match(readQuestions("a,b,c,d\na,b", 9).problem, /Question 2 has 2 of the four parts: a, b/);
  assert.match(readQuestions("a,b,c,d\n".repeat(10), 9).problem, /at most 9/);
});

test("a table of answers keeps what failed and what never came", () => {
  const question = { subject: null, relation: "r", object: "B", time: "2014" };
  const answers = [{ name: "A", score: 0.5, known: null }];
  const strongest = { subject: "A", relation: "r", object: "B", time: "2013", effect: 0.25 };
  const rows = [
    {
      question,
      entry: { prediction: { answers }, reason: { kind: "one", sentence: "Because.", strongest }, error: null },
    },
    { question, entry: { prediction: null, reason: null, error: { message: "unknown" } } },
    { question, entry: null },
  ];
  const lines = batchTable(rows).split("\r\n");
  assert.equal(lines[1], "?,r,B,2014,A,0.5,,one,Because.,A; r; B; 2013,0.25,");
  assert.equal(lines[2], "?,r,B,2014,,,,,,,,unknown");
  assert.equal(lines[3], "?,r,B,2014,,,,,,,,");
});
