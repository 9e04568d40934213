/** What single figures do that the others do not; pure. */

/** @import { FigureWish } from "./types.js" */

/** @typedef {Record<string, FigureWish>} Parts by the id of the figure */

/** Seconds after the others at which a figure begins, at most, as the page lets choose. */
export const LATEST = 3;

const PART = /^([\w-]{1,64})~([\w-]{0,80})~(\d{1,2}(?:\.\d)?)~([mn]?)$/;

const MOST = 20;

/**
 * With a figure's part changed; what is as with the others is left out.
 * @param {Parts} parts
 * @param {string} id
 * @param {FigureWish} change
 * @returns {Parts}
 */
export function withPart(parts, id, change) {
  const { [id]: before, ...others } = parts;
  const part = trimmed({ ...before, ...change });
  return Object.keys(part).length > 0 ? { ...others, [id]: part } : others;
}

/**
 * Without motions of their own: all do the same, each at its time and on its side.
 * @param {Parts} parts
 * @returns {Parts}
 */
export function withoutMotions(parts) {
  const kept = Object.entries(parts).map(([id, part]) => [id, trimmed({ ...part, motion: null })]);
  return Object.fromEntries(kept.filter(([, part]) => Object.keys(part).length > 0));
}

/**
 * @param {FigureWish} part
 * @returns {FigureWish}
 */
function trimmed({ motion, mirror, start = 0, speed = 1 }) {
  return {
    ...(motion && { motion }),
    ...(typeof mirror === "boolean" && { mirror }),
    ...(start > 0 && { start }),
    ...(speed !== 1 && { speed }),
  };
}

/**
 * The same for all that means the same, as the server tells it or as it was asked.
 * @param {Parts} [parts]
 */
export function nameOfParts(parts = {}) {
  const all = Object.entries(parts).map(([id, part]) => [id, trimmed(part)]);
  const own = all.filter(([, part]) => Object.keys(part).length > 0);
  return own.sort(([one], [other]) => (String(one) < String(other) ? -1 : 1));
}

/**
 * As the address says it.
 * @param {Parts} parts
 * @returns {string} empty when there is nothing to say
 */
export function writeParts(parts) {
  return Object.entries(parts)
    .map(([id, { motion, start = 0, mirror }]) => {
      const side = mirror === undefined || mirror === null ? "" : mirror ? "m" : "n";
      return [id, motion ?? "", Math.round(start * 10) / 10, side].join("~");
    })
    .join(",");
}

/**
 * What an address says that can be.
 * @param {string} said
 * @returns {Parts}
 */
export function readParts(said) {
  /** @type {Parts} */
  let parts = {};
  for (const text of said.split(",").slice(0, MOST)) {
    const [, id, motion, start, side] = PART.exec(text) ?? [];
    if (!id) continue;
    const mirror = side === "m" ? true : side === "n" ? false : undefined;
    parts = withPart(parts, id, { motion, start: Math.min(Number(start), LATEST), mirror });
  }
  return parts;
}
