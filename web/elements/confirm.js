/** A question that wants an answer before something is lost. */

import { el } from "../dom.js";

/**
 * @param {{ question: string, hint: string, yes: string, no: string }} words
 * @returns {Promise<boolean>}
 */
export function confirmLoss({ question, hint, yes, no }) {
  return new Promise((resolve) => {
    const close = (/** @type {string} */ answer) => () => dialog.close(answer);
    const dialog = el(
      "dialog",
      {
        class: "dialog",
        "aria-labelledby": "question",
        onclose: () => {
          dialog.remove();
          resolve(dialog.returnValue === "yes");
        },
      },
      el("h2", { id: "question" }, question),
      el("p", {}, hint),
      el(
        "div",
        { class: "actions" },
        el("button", { type: "button", class: "button is-danger", onclick: close("yes") }, yes),
        el("button", { type: "button", class: "button is-quiet", onclick: close("no") }, no),
      ),
    );
    document.body.append(dialog);
    dialog.showModal();
  });
}
