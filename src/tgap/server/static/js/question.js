// A question: {subject, relation, object, time, answer}; empty text stands where the answer goes. It lives in the URL.

const KEYS = { subject: "s", relation: "r", object: "o", time: "t", answer: "a" };

/** The question that an address holds, or null. */
export function fromAddress(search) {
  const parameters = new URLSearchParams(search);
  const question = {};
  for (const [name, key] of Object.entries(KEYS)) question[name] = (parameters.get(key) || "").replace(/^\?$/, "");
  return question.relation && question.time && (question.subject || question.object) ? question : null;
}

/** The address of a question. */
export function toAddress(question) {
  const parameters = new URLSearchParams();
  for (const [name, key] of Object.entries(KEYS)) {
    if (question[name]) parameters.set(key, question[name]);
    else if (name === "subject" || name === "object") parameters.set(key, "?");
  }
  return `?${parameters}`;
}

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
