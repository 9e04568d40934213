/** What is left to do with a drawing: take another, delete this one, or let it be learned from. */

import { drawIcon } from "../art.js";
import { el } from "../dom.js";
import { strings } from "../strings.js";
import { confirmLoss } from "./confirm.js";
import { consent } from "./consent.js";

const words = strings.result;

/**
 * @param {string} drawing its id
 * @param {() => Promise<void>} onRemove called when it is sure
 * @returns {HTMLElement}
 */
export function farewell(drawing, onRemove) {
  const ask = async () => {
    const isSure = await confirmLoss({
      question: words.removeQuestion,
      hint: words.removeHint,
      yes: words.removeYes,
      no: words.removeNo,
    });
    if (isSure) await onRemove();
  };
  const remove = el(
    "button",
    { type: "button", class: "button is-text", onclick: ask },
    drawIcon("bin"),
    words.remove,
  );
  return el("div", { class: "farewell" }, anotherLink(), remove, consent(drawing));
}

export function anotherLink() {
  return el(
    "a",
    { class: "button", href: "/", "data-page": true },
    drawIcon("picture"),
    words.another,
  );
}
