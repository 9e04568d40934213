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
 * Its room keeps its size whatever is shown, so that nothing around it moves; for the same reason the
 * frame within is made anew for each thing, and a picture is put there once its size is known.
 * @returns {Stage}
 */
export function stage() {
  const node = el("div", { class: "stage-room" });
  let frame = el("div", { class: "stage" });
  node.append(frame);
  const hide = () => frame.classList.add("is-unseen");
  const removeNote = () => frame.querySelector(".stage-note")?.remove();
  let leave = () => {};
  /** The picture that is being loaded, with what is to be drawn over it. */
  let coming = /** @type {{ found: Node | null } | null} */ (null);
  const show = (/** @type {Node} */ shown, /** @type {() => void} */ stop) => {
    leave();
    leave = stop;
    coming = null;
    frame = el("div", { class: "stage" }, shown);
    node.replaceChildren(frame);
  };
  return {
    node,
    isUnseen: () => frame.classList.contains("is-unseen"),
    showPicture(url, label) {
      const picture = el("img", { src: url, alt: label, class: "picture" });
      const awaited = (coming = { found: null });
      const put = (/** @type {boolean} */ isSeen) => {
        if (coming !== awaited) return;
        show(picture, () => {});
        if (!isSeen) hide();
        if (awaited.found) frame.append(awaited.found);
      };
      picture.addEventListener("load", () => put(true));
      picture.addEventListener("error", () => put(false));
    },
    showFigures(annotation) {
      const found = overlay(annotation);
      if (coming) coming.found = found;
      else {
        frame.querySelector(".overlay")?.remove();
        frame.append(found);
      }
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
