/** What can be done with a drawing that moves: another motion, saving, another drawing, the bin. */

import { fileUrl } from "../api.js";
import { drawIcon } from "../art.js";
import { el } from "../dom.js";
import { strings } from "../strings.js";
import { motionCard } from "./motion-card.js";

/** @import { AnimationDocument, AnimationFormat, MotionInfo } from "../types.js" */

const words = strings.result;

/**
 * @typedef {object} Choices
 * @property {HTMLElement[]} nodes
 * @property {(motion: string) => boolean} has
 * @property {(motion: string) => string} titleOf
 * @property {(animation: AnimationDocument) => void} offer its files for saving
 * @property {(chosen: string, busy?: string) => void} mark names of motions, `busy` being made
 */

/**
 * @param {MotionInfo[]} motions
 * @param {(motion: string) => void} onChoose
 * @param {() => void} onRemove
 * @returns {Choices}
 */
export function choices(motions, onChoose, onRemove) {
  const cards = new Map(motions.map((motion) => [motion.name, motionCard(motion, onChoose)]));
  const list = el("div", { class: "motion-cards" }, ...[...cards.values()].map(({ node }) => node));
  const downloads = el("div", { class: "downloads" });
  const nodes = [
    el(
      "section",
      { class: "motions" },
      el("h2", {}, words.motions),
      list,
    ),
    el("section", {}, el("h2", {}, words.download), downloads),
    el("div", { class: "farewell" }, anotherLink(), removeButton(onRemove)),
  ];
  return {
    nodes,
    has: (motion) => cards.has(motion),
    titleOf: (motion) => cards.get(motion)?.node.textContent ?? motion,
    offer(animation) {
      downloads.replaceChildren(
        ...animation.files.flatMap((file) => {
          const said = downloadWords[file.format];
          return said ? [downloadLink(animation, file.format, said)] : [];
        }),
      );
    },
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

export function anotherLink() {
  return el(
    "a",
    { class: "button", href: "/", "data-page": true },
    drawIcon("picture"),
    words.another,
  );
}

/** @param {() => void} onRemove */
function removeButton(onRemove) {
  return el(
    "button",
    { type: "button", class: "button is-text", onclick: onRemove },
    drawIcon("bin"),
    words.remove,
  );
}

/**
 * Title and hint of the formats that the page offers; others are for those who ask the API.
 * @type {Partial<Record<AnimationFormat, [string, string]>>}
 */
const downloadWords = {
  gif: [words.downloadGif, words.downloadGifHint],
  mp4: [words.downloadMp4, words.downloadMp4Hint],
};

/**
 * @param {AnimationDocument} animation
 * @param {AnimationFormat} format
 * @param {[string, string]} said title and hint
 */
function downloadLink(animation, format, [title, hint]) {
  return el(
    "a",
    { class: "button is-quiet", href: fileUrl(animation.id, format, true), download: true },
    drawIcon("save"),
    el("span", {}, title, el("small", {}, hint)),
  );
}
