// Tables as CSV, and questions read from one. Pure: documents in, text out, and the other way round.

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
    "subject_attention",
    "attention",
    "answer_share",
  ];
  const rows = document.steps.flatMap((step) =>
    step.edges.map((edge) => [step.step, ...columns.map((name) => edge[name])]),
  );
  return csv([["step", ...columns], ...rows]);
}

/** Answers to many questions: rows {question, entry}, entry null where none has come. */
export function batchTable(rows) {
  const head = [
    "subject",
    "relation",
    "object",
    "time",
    "answer",
    "score",
    "known",
    "kind",
    "sentence",
    "strongest_event",
    "effect",
    "error",
  ];
  const line = ({ question, entry }) => {
    const best = entry?.prediction?.answers[0];
    const reason = entry?.reason;
    const strongest = reason?.strongest;
    const event = strongest ? [strongest.subject, strongest.relation, strongest.object, strongest.time].join("; ") : "";
    const asked = [question.subject ?? "?", question.relation, question.object ?? "?", question.time];
    const found = [best?.name, best?.score, best?.known, reason?.kind, reason?.sentence, event, strongest?.effect];
    return [...asked, ...found, entry?.error?.message];
  };
  return csv([head, ...rows.map(line)]);
}

const PARTS = ["subject", "relation", "object", "time"];

/** Questions of a table: {questions} as the API wants them, or {problem} in words. */
export function readQuestions(text, most) {
  const separator = text.includes("\t") ? "\t" : ",";
  const rows = cells(text, separator).filter((row) => row.some((cell) => cell !== ""));
  const head = rows[0]?.map((cell) => cell.toLowerCase()) ?? [];
  const named = PARTS.every((part) => head.includes(part));
  const places = PARTS.map((part, place) => (named ? head.indexOf(part) : place));
  const lines = named ? rows.slice(1) : rows;
  if (!lines.length) return { problem: "There is no question yet: one per line, subject, relation, object, time." };
  if (lines.length > most) return { problem: `These are ${lines.length} questions; at most ${most} at once.` };
  const short = lines.findIndex((row) => row.length < PARTS.length);
  if (short >= 0)
    return {
      problem: `Question ${short + 1} has ${lines[short].length} of the four parts: ${lines[short].join(", ")}`,
    };
  const open = (cell) => (cell === "" || cell === "?" ? null : cell);
  const questions = lines.map((row) => {
    const [subject, relation, object, time] = places.map((place) => row[place]);
    return { subject: open(subject), relation, object: open(object), time };
  });
  return { questions };
}

/** Rows of trimmed cells; a cell in quotes may hold separators, line breaks and doubled quotes. */
function cells(text, separator) {
  const rows = [[]];
  let cell = "";
  let quoted = false;
  const end = () => {
    rows.at(-1).push(cell.trim());
    cell = "";
  };
  for (let at = 0; at < text.length; at += 1) {
    const letter = text[at];
    if (quoted && letter === '"' && text[at + 1] === '"') {
      cell += '"';
      at += 1;
    } else if (letter === '"' && (quoted || cell.trim() === "")) {
      quoted = !quoted;
    } else if (!quoted && letter === separator) {
      end();
    } else if (!quoted && (letter === "\n" || letter === "\r")) {
      end();
      rows.push([]);
    } else {
      cell += letter;
    }
  }
  end();
  return rows;
}
