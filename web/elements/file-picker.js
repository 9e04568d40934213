/** A file input that looks like a button. */

import { drawIcon } from "../art.js";
import { el } from "../dom.js";

const ACCEPT = "image/*,.heic,.heif";

/**
 * @param {"camera" | "picture"} icon
 * @param {string} text
 * @param {Record<string, string | boolean>} attributes of the input; `class` is the button's
 * @param {(files: File[]) => void} take
 */
export function filePicker(icon, text, { class: kind = "", ...attributes }, take) {
  const input = el("input", {
    type: "file",
    class: "visually-hidden",
    accept: ACCEPT,
    ...attributes,
    onchange: () => {
      take([...(input.files ?? [])]);
      input.value = "";
    },
  });
  return el("label", { class: `button ${kind}` }, input, drawIcon(icon), text);
}
