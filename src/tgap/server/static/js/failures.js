// What went wrong, in words. The server's codes decide; its own message is for whatever has no words here. Pure.

import { counted, sentence } from "./format.js";

/** A notice about a failure: ``code``, ``message`` and ``details`` as the server tells them. */
export function failureWords({ code, message, details }) {
  if (code === "unknown_name") return sentence(`unknown ${details.kind} '${details.given}'`);
  return sentence(message);
}

/** Why an answer takes longer than usual. */
export function waitingWords({ code, details }) {
  const why =
    code === "warming_up" ? "The model is warming up" : `${counted(details.waiting, "request")} waiting already`;
  return `${why}. Asking again by itself …`;
}

/** Whether asking the same once more may help. */
export const mayHelpToTryAgain = (code) => !["bad_question", "unknown_name", "invalid_request"].includes(code);
