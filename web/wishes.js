/** What an animation shall be like, in the page's few choices, and as the API is asked for it; pure. */

/** @import { AnimationFormat, AnimationRequest, BackgroundKind } from "./types.js" */

/**
 * @typedef {object} Wish
 * @property {string} motion
 * @property {number} speed how many times as fast as it was made
 * @property {boolean} mirror whether left and right change places
 * @property {Backdrop} background
 */

/** @typedef {"white" | "paper" | "transparent"} Backdrop */

/** @type {readonly Backdrop[]} */
export const BACKDROPS = ["white", "paper", "transparent"];

/** Times as fast. */
export const SPEEDS = [0.5, 1, 2];

/** Longer side of a sprite, pixels: a sheet has room for eight seconds of such. */
const SHEET_SIDE = 256;

/** @type {Readonly<Omit<Wish, "motion">>} */
export const USUAL = { speed: 1, mirror: false, background: "white" };

/**
 * What the player plays, the track first.
 * @type {(wish: Wish) => [AnimationFormat, ...AnimationFormat[]]}
 */
export const formatsForPlayer = ({ background }) =>
  background === "paper" ? ["track", "backdrop"] : ["track"];

/** How each format's file ends; those that are not told end in their name. */
const SUFFIXES = /** @type {Partial<Record<AnimationFormat, string>>} */ ({
  backdrop: "backdrop.webp",
  frames: "frames.zip",
  sheet: "sheet.zip",
  joints: "joints.json",
  character: "character.zip",
  gltf: "glb",
});

/** @type {(format: AnimationFormat) => string} */
export const suffixOf = (format) => SUFFIXES[format] ?? format;

/**
 * What the player needs: it changes the speed itself, and lays figures over anything but their paper.
 * @param {Wish} wish
 * @returns {Wish}
 */
export function wishForPlayer(wish) {
  const background = wish.background === "paper" ? "paper" : "white";
  return { ...wish, speed: 1, background };
}

/**
 * @param {Wish} wish
 * @param {readonly AnimationFormat[]} formats
 * @param {number} [still] the frame that a still picture shows
 * @returns {AnimationRequest}
 */
export function requestFor({ motion, speed, mirror, background }, formats, still = 0) {
  // A film without alpha cannot be clear: it gets white.
  const isClear = background === "transparent" && !formats.includes("mp4");
  /** @type {BackgroundKind} */
  const kind = background === "paper" ? "paper" : isClear ? "transparent" : "colour";
  const request = { motion, playback: { speed, mirror }, background: { kind }, still };
  const side = formats.includes("sheet") ? { side: SHEET_SIDE } : {};
  return { ...request, ...side, formats: [...formats] };
}

/**
 * A name for what is asked for, the same for all that would look the same; null for what the page
 * would never ask for.
 * @param {AnimationRequest} request
 * @returns {string | null}
 */
export function nameOf({ motion, playback, background, overlays, still, max_bytes: most }) {
  const { speed = 1, mirror = false, trim, stay, loop, then = [] } = playback ?? {};
  const { kind = "colour", colour = [255, 255, 255], shadow } = background ?? {};
  const isOther = trim || stay || loop || then.length > 0 || overlays?.length || still || most;
  const isTinted = colour.some((level) => level !== 255);
  if (isOther || isTinted || shadow || kind === "picture") return null;
  return JSON.stringify([motion, speed, mirror, kind]);
}
