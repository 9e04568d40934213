/** What lies behind the figure: a few usual things, a colour, or a picture of one's own. */

import { el } from "../dom.js";
import { strings } from "../strings.js";
import { BACKDROPS } from "../wishes.js";
import { filePicker } from "./file-picker.js";
import { segments } from "./segments.js";

/** @import { Backdrop, Wish } from "../wishes.js" */

/** @typedef {Pick<Wish, "background" | "colour">} Behind */

const words = strings.playback;

/**
 * A picture is asked for before it can be chosen.
 * @param {Behind} state at first
 * @param {(change: Partial<Behind>) => void} onChange
 * @param {(picture: File) => void} onPicture
 * @returns {HTMLElement}
 */
export function backdropChoice({ background, colour }, onChange, onPicture) {
  let hasPicture = background === "picture";
  const paint = el("input", {
    type: "color",
    value: colour,
    "aria-label": words.colour,
    onchange: () => onChange({ colour: paint.value }),
  });
  const take = (/** @type {File[]} */ [file]) => {
    if (!file) return;
    hasPicture = true;
    onPicture(file);
  };
  const picker = filePicker("picture", words.picture, { class: "is-quiet is-small" }, take);
  const more = el("div", { class: "backdrop-more" });
  const reveal = (/** @type {Backdrop} */ kind) => {
    more.replaceChildren(...(kind === "colour" ? [paint] : kind === "picture" ? [picker] : []));
  };
  const choose = (/** @type {Backdrop} */ kind) => {
    reveal(kind);
    if (kind !== "picture" || hasPicture) onChange({ background: kind });
  };
  const options = BACKDROPS.map((kind) => /** @type {const} */ ([kind, words.backdrops[kind]]));
  const parts = segments(words.background, options, background, choose);
  reveal(background);
  return el("div", { class: "backdrop-choice" }, parts, more);
}
