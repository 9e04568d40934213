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

/**
 * Its room keeps its size whatever is shown, so that nothing around it moves; the frame within is made
 * anew for each thing, for the same reason.
 * @returns {Stage}
 */
export function stage() {
  const node = el("div", { class: "stage-room" });
  let frame = el("div", { class: "stage" });
  node.append(frame);
  const hide = () => frame.classList.add("is-unseen");
  const removeNote = () => frame.querySelector(".stage-note")?.remove();
  let leave = () => {};
  const show = (/** @type {Node} */ shown, /** @type {() => void} */ stop) => {
    leave();
    leave = stop;
    frame = el("div", { class: "stage" }, shown);
    node.replaceChildren(frame);
  };
  return {
    node,
    isUnseen: () => frame.classList.contains("is-unseen"),
    showPicture(url, label) {
      show(el("img", { src: url, alt: label, class: "picture", onerror: hide }), () => {});
    },
    showFigures(annotation) {
      frame.querySelector(".overlay")?.remove();
      frame.append(overlay(annotation));
    },
    showPlayer: (player, stop = () => {}) => show(player, stop),
    wait(note) {
      removeNote();
      frame.classList.add("is-waiting");
      frame.append(el("div", { class: "stage-note" }, note));
    },
    stopWaiting() {
      frame.classList.remove("is-waiting");
      removeNote();
      if (!frame.querySelector("img, video, canvas")) hide();
    },
    leave: () => leave(),
  };
}
