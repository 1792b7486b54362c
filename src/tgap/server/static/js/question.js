// A question: {subject, relation, object, time, answer}; empty text stands where the answer goes. It lives in the URL.

const KEYS = { subject: "s", relation: "r", object: "o", time: "t", answer: "a" };

/** The question that an address holds, or null. */
export function fromAddress(search) {
  const parameters = new URLSearchParams(search);
  const question = {};
  for (const [name, key] of Object.entries(KEYS)) question[name] = (parameters.get(key) || "").replace(/^\?$/, "");
  return missingPart(question) ? null : question;
}

/** What a question lacks: the field and words about it; null where it is complete. */
export function missingPart({ subject, relation, object, time }) {
  if (!subject && !object)
    return ["subject", "Name the subject or the object; the side that is left open is asked for."];
  if (!relation) return ["relation", "Name a relation: what one does to the other."];
  return time ? null : ["time", "Name a date."];
}

/** The model that an address names; nothing where the first is meant. */
export const modelOf = (search) => new URLSearchParams(search).get("m") ?? "";

/** The address of a model's start page. */
export const homeAddress = (model) => (model ? `?${new URLSearchParams({ m: model })}` : "/");

/** The address of a question to a model. */
export function toAddress(question, model = "") {
  const parameters = new URLSearchParams(model ? { m: model } : {});
  for (const [name, key] of Object.entries(KEYS)) {
    if (question[name]) parameters.set(key, question[name]);
    else if (name === "subject" || name === "object") parameters.set(key, "?");
  }
  return `?${parameters}`;
}

/** The answer that a question is about: the chosen one, or the object where both sides are named; else null. */
export const answerOf = ({ subject, object, answer }) => answer || (subject && object) || null;

/** What the API wants to hear. */
export function body(question) {
  return {
    subject: question.subject || null,
    relation: question.relation,
    object: question.object || null,
    time: question.time,
  };
}

/** From the API's own form. */
export function fromApi(asked) {
  return {
    subject: asked.subject || "",
    relation: asked.relation,
    object: asked.object || "",
    time: asked.time,
    answer: "",
  };
}

/** The question on one line. */
export const words = (question) =>
  `${question.subject || "?"} · ${question.relation} · ${question.object || "?"} · ${question.time}`;
