/** Where a drawing is seen: its picture, what was found in it, or how it moves. */

import { el } from "../dom.js";
import { overlay } from "./overlay.js";

/** @import { Annotation } from "../types.js" */

/**
 * @typedef {object} Stage
 * @property {HTMLElement} node
 * @property {() => boolean} isUnseen whether the browser could not show the picture
 * @property {(url: string, label: string) => void} showPicture
 * @property {(annotation: Annotation) => void} showFigures over the picture
 * @property {(player: Node, stop?: () => void) => void} showPlayer `stop` is called when it goes
 * @property {(note: Node) => void} wait what is there stays to be seen, behind a note
 * @property {() => void} stopWaiting
 * @property {() => void} leave
 */

/** @returns {Stage} */
export function stage() {
  const node = el("div", { class: "stage" });
  const hide = () => node.classList.add("is-unseen");
  const removeNote = () => node.querySelector(".stage-note")?.remove();
  let leave = () => {};
  const show = (/** @type {Node} */ shown, /** @type {() => void} */ stop) => {
    leave();
    leave = stop;
    node.classList.remove("is-waiting", "is-unseen");
    node.replaceChildren(shown);
  };
  return {
    node,
    isUnseen: () => node.classList.contains("is-unseen"),
    showPicture(url, label) {
      show(el("img", { src: url, alt: label, class: "picture", onerror: hide }), () => {});
    },
    showFigures(annotation) {
      node.append(overlay(annotation));
    },
    showPlayer: (player, stop = () => {}) => show(player, stop),
    wait(note) {
      removeNote();
      node.classList.add("is-waiting");
      node.append(el("div", { class: "stage-note" }, note));
    },
    stopWaiting() {
      node.classList.remove("is-waiting");
      removeNote();
      if (!node.querySelector("img, video, canvas")) hide();
    },
    leave: () => leave(),
  };
}
