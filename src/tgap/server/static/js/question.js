// A question: {subject, relation, object, time, sight, answer}; empty text stands where the answer goes. It lives in the
// URL. Its sight is what may be known while answering: "past" is only what lies before its time, empty is everything.

const KEYS = { subject: "s", relation: "r", object: "o", time: "t", sight: "k", answer: "a" };

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

const ENTITY = { entity: "e", time: "t", partner: "p", relation: "er" };

/** The entity that an address is about: {entity, time, partner, relation}; null where it is about none. */
export function entityOf(search) {
  const parameters = new URLSearchParams(search);
  const found = Object.fromEntries(Object.entries(ENTITY).map(([name, key]) => [name, parameters.get(key) ?? ""]));
  return found.entity ? found : null;
}

/** The address of an entity's page. */
export function entityAddress(state, model = "") {
  const parameters = new URLSearchParams(model ? { m: model } : {});
  for (const [name, key] of Object.entries(ENTITY)) if (state[name]) parameters.set(key, state[name]);
  return `?${parameters}`;
}

/** Whether an address is that of the page for many questions. */
export const isBatch = (search) => new URLSearchParams(search).has("batch");

/** The question that an address wants to compare with, or null. */
export function comparedIn(search) {
  const other = new URLSearchParams(search).get("c");
  return other ? fromAddress(other) : null;
}

/** The address of a model's start page. */
export const homeAddress = (model) => (model ? `?${new URLSearchParams({ m: model })}` : "/");

/** The address of a question to a model. */
export function toAddress(question, model = "", compared = null) {
  const parameters = new URLSearchParams(model ? { m: model } : {});
  if (compared) parameters.set("c", toAddress(compared));
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
    ...sightOf(question),
  };
}

/** What the API wants to hear of a question's sight. */
export const sightOf = ({ sight }) => (sight === "past" ? { past_only: true } : {});

/** The same with the open side open where both are named, and the answer to look at. */
export function askedOf(question, answer) {
  return { ...body(question), ...(question.subject ? { object: null } : {}), answer };
}

/** From the API's own form. */
export function fromApi(asked) {
  return {
    subject: asked.subject || "",
    relation: asked.relation,
    object: asked.object || "",
    time: asked.time,
    sight: asked.past_only ? "past" : "",
    answer: "",
  };
}

/** The question on one line. */
export const words = (question) =>
  [question.subject || "?", question.relation, question.object || "?", question.time]
    .concat(question.sight === "past" ? ["knowing only the past"] : [])
    .join(" · ");
