/** Which pixels hang together: floods, and what grows around them. Pure. */

/** @import { Box } from "../types.js" */

/**
 * @typedef {object} Flood
 * @property {Uint8Array} reached row by row, 1 where it came
 * @property {number} count pixels that it reached
 * @property {Box | null} area the least that holds them
 */

/**
 * From one pixel to all that hang together with it, side by side.
 * @param {{ width: number, height: number }} size
 * @param {number} seed index of the first pixel
 * @param {(index: number) => boolean} accepts
 * @returns {Flood}
 */
export function flood({ width, height }, seed, accepts) {
  const reached = new Uint8Array(width * height);
  /** @type {Box} */
  const area = [width, height, 0, 0];
  const waiting = [seed];
  const enter = (/** @type {number} */ at) => !reached[at] && accepts(at);
  let count = 0;
  for (let at = waiting.pop(); at !== undefined; at = waiting.pop()) {
    if (!enter(at)) continue;
    const row = at - (at % width);
    let first = at;
    while (first > row && enter(first - 1)) first -= 1;
    let end = at + 1;
    while (end < row + width && enter(end)) end += 1;
    reached.fill(1, first, end);
    count += end - first;
    widen(area, first - row, row / width, end - row);
    for (const next of [row - width, row + width]) {
      if (next < 0 || next >= reached.length) continue;
      queueRuns(waiting, next + first - row, next + end - row, enter);
    }
  }
  return { reached, count, area: count ? area : null };
}

/**
 * @param {Box} area is changed
 * @param {number} first
 * @param {number} y
 * @param {number} end
 */
function widen(area, first, y, end) {
  area[0] = Math.min(area[0], first);
  area[1] = Math.min(area[1], y);
  area[2] = Math.max(area[2], end);
  area[3] = Math.max(area[3], y + 1);
}

/**
 * One pixel of each run that the flood may enter.
 * @param {number[]} waiting is changed
 * @param {number} first
 * @param {number} end
 * @param {(index: number) => boolean} enter
 */
function queueRuns(waiting, first, end, enter) {
  let isInside = false;
  for (let at = first; at < end; at += 1) {
    const isOpen = enter(at);
    if (isOpen && !isInside) waiting.push(at);
    isInside = isOpen;
  }
}

/**
 * All pixels that are no further than the reach from one of some, counted along rows and columns.
 * @param {Uint8Array} pixels row by row, not 0 where they are
 * @param {number} width
 * @param {number} reach pixels
 * @returns {Uint8Array} 1 within reach
 */
export function grow(pixels, width, reach) {
  const height = pixels.length / width;
  const wide = new Uint8Array(pixels.length);
  for (let y = 0; y < height; y += 1) growLine(pixels, wide, y * width, 1, width, reach);
  const grown = new Uint8Array(pixels.length);
  for (let x = 0; x < width; x += 1) growLine(wide, grown, x, width, height, reach);
  return grown;
}

/**
 * @param {Uint8Array} from
 * @param {Uint8Array} to is changed
 * @param {number} start index of the line's first pixel
 * @param {number} step from one pixel of the line to the next
 * @param {number} length pixels
 * @param {number} reach pixels
 */
function growLine(from, to, start, step, length, reach) {
  let near = -1; // up to where a pixel that was passed reaches
  for (let i = 0; i < length; i += 1) {
    if (from[start + i * step]) {
      const first = Math.max(i - reach, near + 1);
      near = Math.min(i + reach, length - 1);
      for (let j = Math.max(first, 0); j <= near; j += 1) to[start + j * step] = 1;
    }
  }
}
