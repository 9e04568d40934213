/** Where the whole walk stands, over the two jobs of which it is made; pure. */

/** @import { JobEvent, Step } from "./types.js" */

/** The steps that are shown, in order. @type {Step[]} */
export const SHOWN_STEPS = ["reading", "detecting", "outlining", "rigging", "moving", "drawing"];

/** Share of the whole that is done when the drawing has been read and its figures are known. */
const READING_SHARE = 0.5;

/**
 * @typedef {object} Walk
 * @property {number} step index of the step being done in SHOWN_STEPS; -1 while waiting
 * @property {number} share of the whole, 0 to 1
 */

/** @type {Walk} */
export const START = Object.freeze({ step: -1, share: 0 });

/**
 * Take in an event; neither the step nor the share ever goes back.
 * @param {Walk} walk
 * @param {JobEvent} event
 * @param {"reading" | "animating"} part which of the two jobs it is about
 * @returns {Walk}
 */
export function advance(walk, event, part) {
  const before = part === "reading" ? 0 : READING_SHARE;
  const share = before + event.progress * (part === "reading" ? READING_SHARE : 1 - READING_SHARE);
  const step = SHOWN_STEPS.indexOf(event.step);
  return { step: Math.max(walk.step, step), share: Math.max(walk.share, share) };
}
