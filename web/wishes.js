/** What an animation shall be like, as the page lets choose and as the API is asked for it; pure. */

import { nameOfParts } from "./parts.js";

/** @import { AnimationFormat, AnimationRequest, BackgroundKind, FigureWish } from "./types.js" */

/**
 * @typedef {object} Wish what is seen
 * @property {string} motion
 * @property {number} speed how many times as fast as it was made
 * @property {boolean} mirror whether left and right change places
 * @property {[number, number] | null} trim from when to when, seconds of the motion; null is all
 * @property {Backdrop} background
 * @property {string} colour of the background `colour`, as "#rrggbb"
 * @property {boolean} shadow whether one lies on the ground
 * @property {Record<string, FigureWish>} figures what single figures do that the others do not
 */

/**
 * @typedef {object} Keeping what a file is like that is made of it
 * @property {number} side longer side of its frames, pixels
 * @property {number | null} fps frames a second; null is as many as the motion has
 * @property {number} plays how often it plays before it stops; 0 is for ever
 */

/** @typedef {"white" | "paper" | "transparent" | "colour" | "picture"} Backdrop */

/** @type {readonly Backdrop[]} */
export const BACKDROPS = ["white", "paper", "transparent", "colour", "picture"];

/** Times as fast. */
export const SPEEDS = [0.5, 1, 2];

export const SIDES = [256, 512, 768, 1024];

/** @type {readonly (number | null)[]} */
export const RATES = [null, 15, 10];

export const PLAYS = [0, 1, 3];

/** Longer side of a sprite, pixels, at most: a sheet has room for eight seconds of such. */
const SHEET_SIDE = 256;

/** @type {Readonly<Wish>} */
export const USUAL = {
  motion: "dance",
  speed: 1,
  mirror: false,
  trim: null,
  background: "white",
  colour: "#ffe08a",
  shadow: false,
  figures: {},
};

/** @type {Readonly<Keeping>} */
export const USUAL_KEEPING = { side: 512, fps: null, plays: 0 };

/** Those whose frames follow one another at some rate. @type {readonly AnimationFormat[]} */
const FILMS = ["gif", "mp4", "webm", "webp", "apng", "frames", "sheet"];

/** Those that say how often they play. @type {readonly AnimationFormat[]} */
const LOOPS = ["gif", "webp", "apng"];

/** Those whose size in pixels is of no use to ask for. @type {readonly AnimationFormat[]} */
const SIZELESS = ["character", "gltf", "track", "backdrop"];

/** What lies behind is a picture of its own. */
const isPictured = (/** @type {Backdrop} */ kind) => kind === "paper" || kind === "picture";

/**
 * What the player plays, the track first.
 * @type {(wish: Wish) => [AnimationFormat, ...AnimationFormat[]]}
 */
export const formatsForPlayer = ({ background }) =>
  isPictured(background) ? ["track", "backdrop"] : ["track"];

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
 * What the player needs: it changes the speed itself, casts shadows, and lays figures over anything
 * but a picture.
 * @param {Wish} wish
 * @returns {Wish}
 */
export function wishForPlayer(wish) {
  const { speed, colour, shadow } = USUAL;
  const background = isPictured(wish.background) ? wish.background : USUAL.background;
  return { ...wish, speed, colour, shadow, background };
}

/**
 * @param {Wish} wish
 * @param {readonly AnimationFormat[]} formats
 * @param {Partial<Keeping> & { still?: number }} [how] `still`: the frame that a picture shows
 * @returns {AnimationRequest}
 */
export function requestFor(wish, formats, { still = 0, ...keeping } = {}) {
  const { motion, speed, mirror, trim, figures } = wish;
  const { side, fps, plays } = { ...USUAL_KEEPING, ...keeping };
  const isAny = (/** @type {readonly AnimationFormat[]} */ of) => formats.some((f) => of.includes(f));
  const isSheet = formats.includes("sheet");
  return {
    motion,
    playback: { speed, mirror, ...(trim && { trim }), ...(fps && isAny(FILMS) && { fps }) },
    background: backgroundFor(wish, formats),
    ...(Object.keys(figures).length > 0 && { figures }),
    ...(formats.some((f) => !SIZELESS.includes(f)) && {
      side: isSheet ? Math.min(side, SHEET_SIDE) : side,
    }),
    ...(plays && isAny(LOOPS) && { plays }),
    still,
    formats: [...formats],
  };
}

/**
 * @param {Wish} wish
 * @param {readonly AnimationFormat[]} formats
 */
function backgroundFor({ background, colour, shadow }, formats) {
  // A film without alpha cannot be clear: it gets white.
  const isClear = background === "transparent" && !formats.includes("mp4");
  const isTinted = background === "colour";
  /** @type {BackgroundKind} */
  const kind = isPictured(background) ? background : isClear ? "transparent" : "colour";
  return { kind, ...(isTinted && { colour: levelsOf(colour) }), ...(shadow && { shadow }) };
}

/**
 * @param {string} colour "#rrggbb"
 * @returns {[number, number, number]} red, green, blue, 0 to 255
 */
function levelsOf(colour) {
  const packed = Number.parseInt(colour.slice(1), 16);
  return [packed >> 16, (packed >> 8) & 255, packed & 255];
}

/**
 * A name for what is asked for, the same for all that would look the same; null for what the page
 * would never ask for.
 * @param {AnimationRequest} request
 * @returns {string | null}
 */
export function nameOf(request) {
  const { motion, playback, background, overlays, still, max_bytes: most, figures } = request;
  const { side, plays } = { ...USUAL_KEEPING, ...request };
  const { speed = 1, mirror = false, trim, fps = null, stay, loop, then = [] } = playback ?? {};
  const { kind = "colour", colour = [255, 255, 255], shadow = false } = background ?? {};
  if (stay || loop || then.length > 0 || overlays?.length || still || most) return null;
  const tint = kind === "colour" ? colour : null;
  const single = nameOfParts(figures);
  const seen = [motion, speed, mirror, trim ?? null, kind, tint, shadow, single];
  return JSON.stringify([...seen, side, fps, plays]);
}
