// Tables as CSV. Pure: documents in, text out.

/** Rows as CSV; every cell that needs it is quoted. */
export function csv(rows) {
  const cell = (value) => (/[",\r\n]/.test(String(value)) ? `"${String(value).replaceAll('"', '""')}"` : String(value));
  return `${rows.map((row) => row.map((value) => cell(value ?? "")).join(",")).join("\r\n")}\r\n`;
}

/** The answers of a prediction. */
export function answersTable(prediction) {
  const rows = prediction.answers.map((answer) => [
    answer.rank,
    answer.name,
    answer.score,
    answer.known,
    answer.known_in.join(" "),
  ]);
  return csv([["rank", "name", "score", "known", "known_in"], ...rows]);
}

/** The measured events of an explanation. */
export function evidenceTable({ evidence }) {
  const columns = ["subject", "relation", "object", "time", "displacement", "effect", "probability", "rank", "share"];
  return csv([columns, ...evidence.map((row) => columns.map((name) => row[name]))]);
}

/** The strongest edges of an explanation, all steps below each other. */
export function edgesTable(document) {
  const columns = [
    "subject",
    "relation",
    "object",
    "inverse",
    "time",
    "displacement",
    "before",
    "attention",
    "through",
  ];
  const rows = document.steps.flatMap((step) =>
    step.edges.map((edge) => [step.step, ...columns.map((name) => edge[name])]),
  );
  return csv([["step", ...columns], ...rows]);
}
