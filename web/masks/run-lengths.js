/** Masks as COCO's compressed run lengths; pure. */

/** @import { RunLengths } from "../types.js" */

/**
 * Lengths of alternating runs, outside first, down the columns.
 * @param {string} counts five bits a character, differences to the run before last
 * @returns {number[]}
 */
export function unpackRuns(counts) {
  /** @type {number[]} */
  const runs = [];
  let value = 0;
  let shift = 0;
  for (const character of counts) {
    const chunk = character.charCodeAt(0) - 48;
    value |= (chunk & 0x1f) << shift;
    shift += 5;
    if (chunk & 0x20) continue;
    if (chunk & 0x10) value |= -1 << shift;
    runs.push(runs.length > 2 ? value + runs[runs.length - 2] : value);
    value = 0;
    shift = 0;
  }
  return runs;
}

/**
 * The string of some run lengths, as `animator/core/mask.py` writes it.
 * @param {readonly number[]} runs
 * @returns {string}
 */
export function packRuns(runs) {
  let counts = "";
  runs.forEach((run, i) => {
    let value = i > 2 ? run - runs[i - 2] : run;
    for (let more = true; more; ) {
      const chunk = value & 0x1f;
      value >>= 5;
      more = value !== (chunk & 0x10 ? -1 : 0);
      counts += String.fromCharCode((more ? chunk | 0x20 : chunk) + 48);
    }
  });
  return counts;
}

/**
 * @param {RunLengths} mask
 * @returns {Uint8Array} row by row, 1 on the figure
 */
export function maskPixels({ size: [height, width], counts }) {
  const pixels = new Uint8Array(height * width);
  let x = 0;
  let y = 0;
  unpackRuns(counts).forEach((run, i) => {
    const value = i % 2;
    for (let left = run; left > 0; ) {
      const end = Math.min(y + left, height);
      left -= end - y;
      for (; value && y < end; y += 1) pixels[y * width + x] = 1;
      y = end % height;
      if (end === height) x += 1;
    }
  });
  return pixels;
}

/**
 * @param {Uint8Array} pixels row by row, 1 on the figure
 * @param {number} width > 0
 * @returns {RunLengths}
 */
export function maskOf(pixels, width) {
  const height = pixels.length / width;
  const runs = [];
  let value = 0;
  let run = 0;
  for (let x = 0; x < width; x += 1) {
    for (let at = x; at < pixels.length; at += width) {
      if (pixels[at] === value) run += 1;
      else {
        runs.push(run);
        value = 1 - value;
        run = 1;
      }
    }
  }
  return { size: [height, width], counts: packRuns([...runs, run]) };
}

/**
 * Whether a pixel of the figure lies within `reach` pixels of its edge.
 * @param {Uint8Array} pixels
 * @param {number} width
 * @param {number} index
 * @param {number} reach
 * @returns {boolean}
 */
export function isEdge(pixels, width, index, reach) {
  const x = index % width;
  if (!pixels[index]) return false;
  if (x < reach || x >= width - reach) return true;
  const beside = pixels[index - reach] && pixels[index + reach];
  return !(beside && pixels[index - reach * width] && pixels[index + reach * width]);
}

/**
 * @param {RunLengths} mask
 * @returns {{ x: number, y: number, width: number, height: number } | null} around what is painted
 */
export function boundsOfMask({ size: [height], counts }) {
  let [left, top, right, bottom] = [Infinity, Infinity, -1, -1];
  let at = 0;
  unpackRuns(counts).forEach((run, i) => {
    const [start, end] = [at, at + run - 1];
    at += run;
    if (i % 2 === 0 || run === 0) return;
    const [first, last] = [Math.floor(start / height), Math.floor(end / height)];
    const isOver = first < last; // the run goes on at the top of the next column
    left = Math.min(left, first);
    right = Math.max(right, last);
    top = Math.min(top, isOver ? 0 : start % height);
    bottom = Math.max(bottom, isOver ? height - 1 : end % height);
  });
  return right < 0 ? null : { x: left, y: top, width: right - left + 1, height: bottom - top + 1 };
}
