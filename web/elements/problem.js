/** What went wrong, in plain words, with what helps and what to do next. */

import { ApiError } from "../api.js";
import { el } from "../dom.js";
import { strings } from "../strings.js";

/**
 * The server's own sentence is not shown: it speaks English only.
 * @param {unknown} error
 * @param {...Node} actions buttons and links
 * @returns {HTMLElement}
 */
export function problem(error, ...actions) {
  if (!(error instanceof ApiError)) console.error(error);
  const code = error instanceof ApiError ? error.code : "other";
  const words = strings.errors[code] ?? strings.errors.other;
  return el(
    "div",
    { class: "problem", role: "alert", "data-code": code },
    el("h2", {}, words.title),
    words.text ? el("p", {}, words.text) : null,
    words.tips ? el("ul", {}, ...words.tips.map((tip) => el("li", {}, tip))) : null,
    actions.length > 0 && el("div", { class: "actions" }, ...actions),
  );
}

/** What may be gone the next time, for the very same drawing. */
const PASSING = new Set([
  "offline",
  "job_failed",
  "model_unavailable",
  "storage_unavailable",
  "internal_error",
  "encoding_failed",
  "too_many_requests",
  "not_ready",
  "other",
]);

/**
 * Whether it is worth trying again with nothing changed.
 * @param {unknown} error
 */
export function mayPass(error) {
  return !(error instanceof ApiError) || PASSING.has(error.code);
}
