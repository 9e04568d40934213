/** A motion of one's own: a BVH file, chosen or dropped; what is wrong with it is told in plain words. */

import { ApiError, createMotion, deleteMotion } from "../api.js";
import { drawMotion } from "../art.js";
import { el } from "../dom.js";
import { followJob } from "../events.js";
import { jointName } from "../mending/joint-names.js";
import { strings } from "../strings.js";
import { progress } from "./progress.js";

const words = strings.gallery;

const ACCEPT = ".bvh";

const LINE = /\bline (\d+)\b/;

/**
 * @param {HTMLElement} target where a file may be dropped
 * @param {(name: string) => Promise<void>} onReady it can be asked for
 * @param {AbortSignal} leaving
 * @returns {HTMLElement}
 */
export function motionUpload(target, onReady, leaving) {
  const talk = el("div", { class: "own-talk", role: "status" });
  const send = async (/** @type {File | undefined} */ file) => {
    if (!file) return;
    const bar = progress(words.reading(file.name));
    bar.show(0, words.reading(file.name));
    talk.replaceChildren(bar.node);
    try {
      await onReady(await handIn(file, leaving));
      talk.replaceChildren();
    } catch (error) {
      if (!leaving.aborted) talk.replaceChildren(trouble(error));
    }
  };
  const input = el("input", {
    type: "file",
    class: "visually-hidden",
    accept: ACCEPT,
    onchange: () => {
      send(input.files?.[0]);
      input.value = "";
    },
  });
  const icon = drawMotion("other");
  const button = el("label", { class: "button is-quiet own-add" }, input, icon, words.add);
  letDrop(target, send);
  return el("div", { class: "own-upload" }, button, el("p", { class: "small" }, words.addHint), talk);
}

/**
 * Send a file and wait until it was read; one that cannot be is forgotten again.
 * @param {File} file
 * @param {AbortSignal} leaving
 * @returns {Promise<string>} the name of the motion
 */
async function handIn(file, leaving) {
  const motion = await createMotion(file, file.name);
  try {
    await followJob(motion.job, () => {}, leaving);
    return motion.name;
  } catch (error) {
    await deleteMotion(motion.name).catch(() => {});
    throw error;
  }
}

/**
 * @param {HTMLElement} target
 * @param {(file: File | undefined) => void} send
 */
function letDrop(target, send) {
  const isFile = (/** @type {DragEvent} */ event) => event.dataTransfer?.types.includes("Files");
  target.addEventListener("dragover", (event) => {
    if (!isFile(event)) return;
    event.preventDefault();
    target.classList.add("is-over");
  });
  target.addEventListener("dragleave", (event) => {
    if (!target.contains(/** @type {Node | null} */ (event.relatedTarget))) {
      target.classList.remove("is-over");
    }
  });
  target.addEventListener("drop", (event) => {
    if (!isFile(event)) return;
    event.preventDefault();
    target.classList.remove("is-over");
    send(event.dataTransfer?.files[0]);
  });
}

/** @param {unknown} error */
function trouble(error) {
  const { code, message, about } =
    error instanceof ApiError ? error : { code: "other", message: "", about: [] };
  if (!(error instanceof ApiError)) console.error(error);
  const said = strings.errors[code] ?? strings.errors.other;
  const isOurs = code === "invalid_motion" || code === "unmapped_motion";
  const line = LINE.exec(message)?.[1];
  const missing = about.map(jointName).join(words.comma);
  return el(
    "div",
    { class: "problem own-problem", role: "alert", "data-code": code },
    el("h3", {}, isOurs ? words.unreadable : said.title),
    missing ? el("p", {}, words.missing(missing)) : null,
    line ? el("p", {}, words.line(line)) : null,
    isOurs && !missing && !line ? el("p", {}, words.fits) : null,
    isOurs && !missing ? el("p", { class: "small", lang: "en" }, message) : null,
  );
}
