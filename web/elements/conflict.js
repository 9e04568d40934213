/** Two windows changed the same drawing: both are kept, and people say which counts. */

import { el } from "../dom.js";
import { strings } from "../strings.js";

/** @import { Corrections } from "../mending/corrections.js" */

const words = strings.edit.conflict;

/**
 * @param {Corrections} corrections
 * @returns {HTMLElement}
 */
export function conflictNotice(corrections) {
  const button = (/** @type {string} */ label, /** @type {string} */ look, /** @type {() => void} */ act) =>
    el("button", { type: "button", class: `button ${look}`, onclick: act }, label);
  return el(
    "div",
    { class: "problem edit-notice", role: "alertdialog", "aria-labelledby": "conflict-title" },
    el("h2", { id: "conflict-title" }, words.title),
    el("p", {}, words.text),
    el(
      "div",
      { class: "actions" },
      button(words.mine, "", () => corrections.keepMine()),
      button(words.theirs, "is-quiet", () => corrections.takeTheirs()),
    ),
  );
}
