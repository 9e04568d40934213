/** A bar that fills like a crayon stroke, and a sentence that says what is being done. */

import { el } from "../dom.js";

/**
 * @param {string} label accessible name
 * @returns {{ node: HTMLElement, show: (share: number, text: string) => void }} share: 0 to 1
 */
export function progress(label) {
  const fill = el("div", { class: "progress-fill" });
  const bar = el(
    "div",
    {
      class: "progress-bar",
      role: "progressbar",
      "aria-label": label,
      "aria-valuemin": 0,
      "aria-valuemax": 100,
    },
    fill,
  );
  const sentence = el("p", { class: "progress-text", role: "status" });
  const show = (/** @type {number} */ share, /** @type {string} */ text) => {
    const percent = Math.round(share * 100);
    fill.style.width = `${percent}%`;
    bar.setAttribute("aria-valuenow", String(percent));
    if (sentence.textContent !== text) sentence.textContent = text;
  };
  show(0, "");
  return { node: el("div", { class: "progress" }, bar, sentence), show };
}
