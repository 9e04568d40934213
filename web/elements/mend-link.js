/** The ways to where a drawing is mended: from its dance, and from what went wrong. */

import { ApiError } from "../api.js";
import { el } from "../dom.js";
import { strings } from "../strings.js";

/** Which tool mends what, by the page that the server names. */
const TOOLS = /** @type {const} */ ({ box: "figures", mask: "outline", joints: "joints" });

/**
 * It goes with what the address says of the dance, which is practised meanwhile.
 * @param {string} id of the drawing
 */
export function mendLink(id) {
  const href = `/drawings/${id}/edit/figures`;
  const go = () => {
    link.href = href + location.search;
  };
  const about = { class: "button is-text mend", href, "data-page": true, onclick: go };
  const link = el("a", about, strings.result.mend);
  return link;
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
