/** The motions that a figure can be seen in, one chosen. */

import { el } from "../dom.js";
import { strings } from "../strings.js";
import { motionCard } from "./motion-card.js";

/** @import { MotionInfo } from "../types.js" */

const words = strings.result;

/**
 * @typedef {object} Choices
 * @property {HTMLElement} motions
 * @property {(motion: string) => boolean} has
 * @property {(motion: string) => string} titleOf
 * @property {(motion: string) => boolean} isSeamless whether its end leads into its beginning
 * @property {(chosen: string, busy?: string) => void} mark names of motions, `busy` being made
 */

/**
 * @param {MotionInfo[]} motions
 * @param {(motion: string) => void} onChoose
 * @returns {Choices}
 */
export function choices(motions, onChoose) {
  const cards = new Map(motions.map((motion) => [motion.name, motionCard(motion, onChoose)]));
  const list = el("div", { class: "motion-cards" }, ...[...cards.values()].map(({ node }) => node));
  const seamless = new Set(motions.filter(({ loop }) => loop).map(({ name }) => name));
  return {
    motions: el("section", { class: "motions" }, el("h2", {}, words.motions), list),
    has: (motion) => cards.has(motion),
    titleOf: (motion) => cards.get(motion)?.node.textContent ?? motion,
    isSeamless: (motion) => seamless.has(motion),
    mark(chosen, busy = "") {
      for (const [name, card] of cards) {
        card.show({ isChosen: name === chosen, isBusy: name === busy });
      }
      const node = cards.get(chosen)?.node;
      if (node) reveal(list, node);
    },
  };
}

/**
 * Scroll the list alone, not the page, until the card is to be seen.
 * @param {HTMLElement} list
 * @param {HTMLElement} card
 */
function reveal(list, card) {
  const top = card.offsetTop - list.offsetTop;
  const isAbove = top < list.scrollTop;
  const isBelow = top + card.offsetHeight > list.scrollTop + list.clientHeight;
  if (isAbove || isBelow) list.scrollTop = top;
}
