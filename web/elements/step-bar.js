/** The steps of the walk; those done are ticked, the one being done is marked. */

import { drawIcon } from "../art.js";
import { el } from "../dom.js";
import { SHOWN_STEPS } from "../progress.js";
import { strings } from "../strings.js";

/**
 * @returns {{ node: HTMLElement, show: (step: number) => void }} `show` takes an index of a step
 */
export function stepBar() {
  const items = SHOWN_STEPS.map((step) =>
    el("li", {}, el("span", { class: "step-mark" }, drawIcon("check")), strings.steps[step]),
  );
  const node = el("ol", { class: "step-bar" }, ...items);
  const show = (/** @type {number} */ step) =>
    items.forEach((item, i) => {
      item.className = i < step ? "is-done" : i === step ? "is-current" : "";
      if (i === step) item.setAttribute("aria-current", "step");
      else item.removeAttribute("aria-current");
    });
  show(-1);
  return { node, show };
}
