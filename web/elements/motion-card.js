/** One motion to choose: its pose, its name, and whether the figure knows it already. */

import { drawMotion } from "../art.js";
import { el } from "../dom.js";

/** @import { MotionInfo } from "../types.js" */

/**
 * @param {MotionInfo} motion
 * @param {(name: string) => void} onChoose
 * @returns {{ node: HTMLButtonElement, show: (state: { isChosen: boolean, isBusy: boolean }) => void }}
 */
export function motionCard(motion, onChoose) {
  const node = el(
    "button",
    { type: "button", class: "motion-card", onclick: () => onChoose(motion.name) },
    drawMotion(motion.name),
    el("span", {}, motion.title),
  );
  const show = (/** @type {{ isChosen: boolean, isBusy: boolean }} */ { isChosen, isBusy }) => {
    node.setAttribute("aria-pressed", String(isChosen));
    node.setAttribute("aria-busy", String(isBusy));
    node.classList.toggle("is-busy", isBusy);
  };
  show({ isChosen: false, isBusy: false });
  return { node, show };
}
