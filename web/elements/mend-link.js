/** The ways to where a drawing is mended: from its dance, and from what went wrong. */

import { ApiError } from "../api.js";
import { el } from "../dom.js";
import { strings } from "../strings.js";

/** Which tool mends what, by the page that the server names. */
const TOOLS = /** @type {const} */ ({ box: "figures", mask: "outline", joints: "joints" });

/**
 * @param {string} id of the drawing
 * @param {string} [motion] that it practises meanwhile
 */
export function mendLink(id, motion = "") {
  const query = motion && `?motion=${encodeURIComponent(motion)}`;
  const href = `/drawings/${id}/edit/figures${query}`;
  return el("a", { class: "button is-text mend", href, "data-page": true }, strings.result.mend);
}

/**
 * @param {string} id of the drawing
 * @param {unknown} error
 * @returns {HTMLElement | null} null where nothing in the drawing mends it
 */
export function mendAction(id, error) {
  const page = error instanceof ApiError ? error.page : "";
  const tool = TOOLS[/** @type {keyof typeof TOOLS} */ (page)];
  if (!tool) return null;
  const href = `/drawings/${id}/edit/${tool}`;
  return el("a", { class: "button", href, "data-page": true }, strings.edit.ways[tool]);
}
