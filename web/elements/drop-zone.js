/** Where drawings are handed in: dropped anywhere, chosen, pasted or photographed. */

import { drawIcon } from "../art.js";
import { reportConnection } from "../connection.js";
import { el } from "../dom.js";
import { strings } from "../strings.js";
import { filePicker } from "./file-picker.js";

const words = strings.upload;

/**
 * @param {(files: File[]) => void} onFiles at least one
 * @param {AbortSignal} signal ends listening to the window
 * @returns {HTMLElement}
 */
export function dropZone(onFiles, signal) {
  const take = (/** @type {File[]} */ files) => {
    if (files.length > 0) onFiles(files);
  };
  const said = el("p", { class: "small", role: "status" });
  const node = el(
    "div",
    { class: "drop-zone" },
    el("p", { class: "drop-title" }, words.drop),
    el("p", { class: "drop-letgo", "aria-hidden": "true" }, words.letGo),
    el(
      "div",
      { class: "actions" },
      filePicker("camera", words.camera, { class: "is-camera", capture: "environment" }, take),
      filePicker("picture", words.choose, { class: "is-picture", multiple: true }, take),
    ),
    el("div", { class: "actions" }, webcamButton(take), pasteButton(take, said)),
    el("p", { class: "small" }, words.formats),
    said,
  );
  listenToWindow(node, take, signal);
  return node;
}

/**
 * For computers; phones have a camera of their own behind a file input.
 * @param {(files: File[]) => void} take
 */
function webcamButton(take) {
  if (!navigator.mediaDevices?.getUserMedia) return null;
  const open = async () => {
    const camera = await import("./camera.js").catch(() => null);
    const photo = await camera?.takePhoto();
    if (photo) take([photo]);
    else if (!camera) reportConnection(false);
  };
  return el(
    "button",
    { type: "button", class: "button is-text is-webcam", onclick: open },
    drawIcon("camera"),
    words.camera,
  );
}

/**
 * @param {(files: File[]) => void} take
 * @param {HTMLElement} said
 */
function pasteButton(take, said) {
  if (!navigator.clipboard?.read) return null;
  const paste = async () => {
    const files = await readClipboard().catch(() => []);
    said.textContent = files.length > 0 ? "" : words.nothingToPaste;
    take(files);
  };
  return el(
    "button",
    { type: "button", class: "button is-text", onclick: paste },
    drawIcon("paste"),
    words.paste,
  );
}

/** @returns {Promise<File[]>} */
async function readClipboard() {
  const files = [];
  for (const item of await navigator.clipboard.read()) {
    const type = item.types.find((one) => one.startsWith("image/"));
    if (type) files.push(new File([await item.getType(type)], words.pastedName, { type }));
  }
  return files;
}

/**
 * @param {HTMLElement} node
 * @param {(files: File[]) => void} take
 * @param {AbortSignal} signal
 */
function listenToWindow(node, take, signal) {
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
    take([...(event.dataTransfer?.files ?? [])]);
  };
  const paste = (/** @type {ClipboardEvent} */ event) =>
    take([...(event.clipboardData?.files ?? [])]);
  window.addEventListener("dragover", over, { signal });
  window.addEventListener("dragleave", leave, { signal });
  window.addEventListener("drop", drop, { signal });
  window.addEventListener("paste", paste, { signal });
}
