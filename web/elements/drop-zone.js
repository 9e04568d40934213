/** Where a drawing is handed in: dropped anywhere, chosen, pasted or photographed. */

import { drawIcon } from "../art.js";
import { el } from "../dom.js";
import { strings } from "../strings.js";

const ACCEPT = "image/*,.heic,.heif";

/**
 * @param {(file: File) => void} onFile
 * @returns {{ node: HTMLElement, release: () => void }} `release` stops listening to the window
 */
export function dropZone(onFile) {
  const words = strings.upload;
  const take = (/** @type {FileList | undefined | null} */ files) => {
    if (files && files[0]) onFile(files[0]);
  };
  const node = el(
    "div",
    { class: "drop-zone" },
    el("p", { class: "drop-title" }, words.drop),
    el("p", { class: "drop-hint" }, words.dropHint),
    el("p", { class: "drop-letgo", "aria-hidden": "true" }, words.letGo),
    el(
      "div",
      { class: "actions" },
      picker("camera", words.camera, { capture: "environment" }, take),
      picker("picture", words.choose, {}, take),
    ),
    el("p", { class: "small" }, words.formats),
  );
  return { node, release: listenToWindow(node, take) };
}

/**
 * A file input that looks like a button.
 * @param {"camera" | "picture"} icon
 * @param {string} text
 * @param {Record<string, string>} attributes
 * @param {(files: FileList | null) => void} take
 */
function picker(icon, text, attributes, take) {
  const input = el("input", {
    type: "file",
    class: "visually-hidden",
    accept: ACCEPT,
    ...attributes,
    onchange: () => {
      take(input.files);
      input.value = "";
    },
  });
  return el("label", { class: `button is-${icon}` }, input, drawIcon(icon), text);
}

/**
 * @param {HTMLElement} node
 * @param {(files: FileList | undefined | null) => void} take
 */
function listenToWindow(node, take) {
  const over = (/** @type {DragEvent} */ event) => {
    event.preventDefault();
    node.classList.add("is-over");
  };
  const leave = (/** @type {DragEvent} */ event) => {
    if (!event.relatedTarget) node.classList.remove("is-over");
  };
  const drop = (/** @type {DragEvent} */ event) => {
    event.preventDefault();
    node.classList.remove("is-over");
    take(event.dataTransfer?.files);
  };
  const paste = (/** @type {ClipboardEvent} */ event) => take(event.clipboardData?.files);
  const listeners = /** @type {const} */ ([
    ["dragover", over],
    ["dragleave", leave],
    ["drop", drop],
    ["paste", paste],
  ]);
  for (const [name, listener] of listeners) {
    window.addEventListener(name, /** @type {EventListener} */ (listener));
  }
  return () => {
    for (const [name, listener] of listeners) {
      window.removeEventListener(name, /** @type {EventListener} */ (listener));
    }
  };
}
