// The REST API as functions. Answers never change while a server runs, so they are kept for this page's lifetime.

const KEPT = 300;
const TRIES = 60;
const kept = new Map();
let token = "";
let model = "";
let askForToken = null;
let asking = null; // one dialog for all requests that were refused
let tellWaiting = () => {};

try {
  token = sessionStorage.getItem("tgap-token") || "";
} catch {
  token = ""; // storage may be forbidden; the token then lives as long as the page
}

/** What went wrong: ``code`` as the server names it, or "offline". */
export class ApiFailure extends Error {
  constructor(code, message, details = {}) {
    super(message);
    this.code = code;
    this.details = details;
  }
}

/** ``ask`` opens the token's dialog and promises its text, or null if it is closed; ``waiting`` hears of the failure that makes an answer take longer (or null). */
export function setUp(ask, waiting) {
  askForToken = ask;
  tellWaiting = waiting;
}

/** From now on ask this one of the models that are served. */
export function useModel(name) {
  model = name;
}

export function get(path, parameters = {}, signal = undefined) {
  const given = Object.entries({ ...parameters, model }).filter(
    ([, value]) => value !== null && value !== undefined && value !== "",
  );
  const query = new URLSearchParams(given).toString();
  return request(`/api/v1/${path}${query ? `?${query}` : ""}`, { signal }).then((reply) => reply.json());
}

/** The models that are served, whichever is asked otherwise. */
export async function servedModels() {
  const reply = await request("/api/v1/models", {});
  return (await reply.json()).models;
}

/** Ask with a body. What was answered once is kept. */
export async function post(path, body, signal = undefined) {
  const text = JSON.stringify(body);
  const key = `${model} ${path} ${text}`;
  const found = kept.get(key);
  if (found) {
    kept.delete(key);
    kept.set(key, found);
    return found;
  }
  const answer = await (await send(path, text, signal)).json();
  kept.set(key, answer);
  if (kept.size > KEPT) kept.delete(kept.keys().next().value);
  return answer;
}

/** An answer as a file. */
export async function postForFile(path, body) {
  return (await send(path, JSON.stringify(body))).blob();
}

/** An answer that comes line by line: ``hear(entry)`` is called for each as soon as it is there. */
export async function postForLines(path, body, hear, signal = undefined) {
  const reply = await send(path, JSON.stringify(body), signal);
  const reader = reply.body.pipeThrough(new TextDecoderStream()).getReader();
  let rest = "";
  for (let part = await reader.read(); !part.done; part = await reader.read()) {
    const lines = `${rest}${part.value}`.split("\n");
    rest = lines.pop();
    for (const line of lines) hear(JSON.parse(line));
  }
}

function send(path, text, signal) {
  const query = model ? `?${new URLSearchParams({ model })}` : "";
  const headers = { "Content-Type": "application/json" };
  return request(`/api/v1/${path}${query}`, { method: "POST", body: text, headers, signal });
}

export async function alive() {
  try {
    return (await fetch("/health", { cache: "no-store" })).ok;
  } catch {
    return false;
  }
}

/** A good reply, however long that takes: the token is asked for, a busy server is asked again. */
async function request(address, options) {
  for (let attempt = 0; attempt < TRIES; attempt += 1) {
    const used = token;
    const reply = await once(address, options);
    if (reply.ok) {
      tellWaiting(null);
      return reply;
    }
    const failure = await failureOf(reply);
    if (reply.status === 401 && askForToken) {
      if (token === used) await renewToken();
    } else if (reply.status === 503) {
      tellWaiting(failure);
      await pause(1000 * Number(reply.headers.get("Retry-After") || 1), options.signal);
    } else {
      tellWaiting(null);
      throw failure;
    }
  }
  throw new ApiFailure("busy", "The server is busy; try again in a while.");
}

async function renewToken() {
  asking ??= askForToken(token !== "").finally(() => {
    asking = null;
  });
  const given = await asking;
  if (given === null) throw new ApiFailure("unauthorized", "This server answers only with its token");
  token = given;
  try {
    sessionStorage.setItem("tgap-token", token);
  } catch {
    return; // kept in memory only
  }
}

async function once(address, options) {
  const headers = { ...options.headers };
  if (token) headers.Authorization = `Bearer ${token}`;
  try {
    return await fetch(address, { ...options, headers });
  } catch (error) {
    if (error.name === "AbortError") throw error;
    throw new ApiFailure("offline", "The server does not answer. Is it still running?");
  }
}

async function failureOf(reply) {
  try {
    const { error } = await reply.json();
    return new ApiFailure(error.code, error.message, error);
  } catch {
    return new ApiFailure("broken", `The server answered with status ${reply.status}.`);
  }
}

function pause(milliseconds, signal) {
  return new Promise((resolve, reject) => {
    const timer = setTimeout(resolve, milliseconds);
    signal?.addEventListener("abort", () => {
      clearTimeout(timer);
      reject(new DOMException("no longer wanted", "AbortError"));
    });
  });
}
