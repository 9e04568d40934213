/** One motion to choose: the figure doing it, or its pose until that is known, and its name. */

import { drawMotion } from "../art.js";
import { el } from "../dom.js";

/** @import { MotionInfo } from "../types.js" */

/**
 * @typedef {object} MotionCard
 * @property {HTMLButtonElement} node
 * @property {HTMLCanvasElement} canvas where the figure is seen doing it
 * @property {(state: { isChosen: boolean, isBusy: boolean }) => void} show
 */

/**
 * @param {MotionInfo} motion
 * @param {string} title
 * @param {(name: string) => void} onChoose
 * @returns {MotionCard}
 */
export function motionCard({ name }, title, onChoose) {
  const canvas = el("canvas", { "aria-hidden": "true" });
  const node = el(
    "button",
    {
      type: "button",
      role: "option",
      class: "motion-card",
      tabindex: "-1",
      "data-motion": name,
      onclick: () => onChoose(name),
    },
    el("span", { class: "motion-card-picture" }, drawMotion(name), canvas),
    el("span", { class: "motion-card-title" }, title),
  );
  const show = (/** @type {{ isChosen: boolean, isBusy: boolean }} */ { isChosen, isBusy }) => {
    node.setAttribute("aria-selected", String(isChosen));
    node.setAttribute("aria-busy", String(isBusy));
    node.classList.toggle("is-busy", isBusy);
  };
  show({ isChosen: false, isBusy: false });
  return { node, canvas, show };
}
