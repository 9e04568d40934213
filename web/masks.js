/** Masks as COCO's compressed run lengths; pure. */

/** @import { RunLengths } from "./types.js" */

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
 * @param {RunLengths} mask
 * @returns {Uint8Array} row by row, 1 on the figure
 */
export function maskPixels({ size: [height, width], counts }) {
  const pixels = new Uint8Array(height * width);
  let at = 0;
  unpackRuns(counts).forEach((run, i) => {
    for (let end = at + run; i % 2 === 1 && at < end; at += 1) {
      pixels[(at % height) * width + Math.floor(at / height)] = 1;
    }
    if (i % 2 === 0) at += run;
  });
  return pixels;
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
  return [-reach, reach, -reach * width, reach * width].some((step) => !pixels[index + step]);
}
