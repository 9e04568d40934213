/** Where a drawing is seen: its picture, what was found in it, or how it moves. */

import { el } from "../dom.js";
import { overlay } from "./overlay.js";
import { player } from "./player.js";

/** @import { AnimationDocument, Annotation } from "../types.js" */

/**
 * @typedef {object} Stage
 * @property {HTMLElement} node
 * @property {() => boolean} isUnseen whether the browser could not show the picture
 * @property {(url: string, label: string) => void} showPicture
 * @property {(annotation: Annotation) => void} showFigures over the picture
 * @property {(animation: AnimationDocument, label: string) => void} showAnimation
 * @property {(note: Node) => void} wait what is there stays to be seen, behind a note
 * @property {() => void} stopWaiting
 */

/** @returns {Stage} */
export function stage() {
  const node = el("div", { class: "stage" });
  const hide = () => node.classList.add("is-unseen");
  const removeNote = () => node.querySelector(".stage-note")?.remove();
  return {
    node,
    isUnseen: () => node.classList.contains("is-unseen"),
    showPicture(url, label) {
      node.classList.remove("is-unseen");
      node.replaceChildren(el("img", { src: url, alt: label, class: "picture", onerror: hide }));
    },
    showFigures(annotation) {
      node.append(overlay(annotation));
    },
    showAnimation(animation, label) {
      node.classList.remove("is-waiting", "is-unseen");
      node.replaceChildren(player(animation, label));
    },
    wait(note) {
      removeNote();
      node.classList.add("is-waiting");
      node.append(el("div", { class: "stage-note" }, note));
    },
    stopWaiting() {
      node.classList.remove("is-waiting");
      removeNote();
      if (!node.querySelector("img, video")) hide();
    },
  };
}
