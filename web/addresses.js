/** What is wished, as the address of the page says it, so that reload and back lead to it; pure. */

import { readParts, writeParts } from "./parts.js";
import { BACKDROPS, PLAYS, RATES, SIDES, SPEEDS, USUAL, USUAL_KEEPING } from "./wishes.js";

/** @import { Backdrop, Keeping, Wish } from "./wishes.js" */

const COLOUR = /^#[0-9a-f]{6}$/;
const TRIM = /^(\d+(?:\.\d+)?)-(\d+(?:\.\d+)?)$/;

/**
 * @param {string} id of the drawing
 * @param {Wish} wish
 * @param {Keeping} keeping
 * @returns {string}
 */
export const addressOf = (id, wish, keeping) => `/drawings/${id}${queryOf(wish, keeping)}`;

/**
 * Only what is not as usual is said.
 * @param {Wish} wish
 * @param {Keeping} keeping
 * @returns {string} with its question mark; empty when all is as usual
 */
export function queryOf(wish, keeping) {
  const { side, fps, plays } = keeping;
  const said = {
    motion: wish.motion !== USUAL.motion && wish.motion,
    speed: wish.speed !== USUAL.speed && wish.speed,
    mirror: wish.mirror && 1,
    trim: wish.trim?.join("-"),
    figures: writeParts(wish.figures),
    behind: wish.background !== USUAL.background && wish.background,
    colour: wish.background === "colour" && wish.colour,
    shadow: wish.shadow && 1,
    side: side !== USUAL_KEEPING.side && side,
    fps,
    plays: plays !== USUAL_KEEPING.plays && plays,
  };
  const pairs = Object.entries(said).filter(([, value]) => value);
  const query = new URLSearchParams(pairs.map(([name, value]) => [name, String(value)]));
  return pairs.length > 0 ? `?${query}` : "";
}

/**
 * What an address says that can be; for the rest, what is usual.
 * @param {URLSearchParams} query
 * @returns {{ wish: Wish, keeping: Keeping }}
 */
export function readAddress(query) {
  const number = (/** @type {string} */ name) => Number(query.get(name));
  const trim = TRIM.exec(query.get("trim") ?? "")?.slice(1).map(Number);
  const colour = query.get("colour") ?? "";
  const wish = {
    motion: query.get("motion") || USUAL.motion,
    speed: oneOf(SPEEDS, number("speed"), USUAL.speed),
    mirror: query.get("mirror") === "1",
    trim: /** @type {[number, number] | null} */ (isSpan(trim) ? trim : USUAL.trim),
    background: oneOf(BACKDROPS, /** @type {Backdrop} */ (query.get("behind")), USUAL.background),
    colour: COLOUR.test(colour) ? colour : USUAL.colour,
    shadow: query.get("shadow") === "1",
    figures: readParts(query.get("figures") ?? ""),
  };
  const keeping = {
    side: oneOf(SIDES, number("side"), USUAL_KEEPING.side),
    fps: oneOf(RATES, number("fps"), USUAL_KEEPING.fps),
    plays: oneOf(PLAYS, number("plays"), USUAL_KEEPING.plays),
  };
  return { wish, keeping };
}

/**
 * @template Value
 * @param {readonly Value[]} known
 * @param {Value} said
 * @param {Value} usual
 */
const oneOf = (known, said, usual) => (known.includes(said) ? said : usual);

/** @param {number[] | undefined} trim */
const isSpan = (trim) => trim !== undefined && Number(trim[0]) < Number(trim[1]);
