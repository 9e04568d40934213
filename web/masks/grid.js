/**
 * The outline of one figure while it is mended: a pixel of the drawing is a pixel of the grid, so
 * that painting past the figure's box needs no care. Areas are boxes of whole pixels. Pure.
 */

import { maskOf, maskPixels } from "./run-lengths.js";

/** @import { Box, RunLengths } from "../types.js" */

/**
 * @typedef {object} Grid
 * @property {number} width of the drawing, pixels
 * @property {number} height of the drawing, pixels
 * @property {Uint8Array} data row by row, 1 on the figure
 */

/** @type {(width: number, height: number) => Grid} */
export const emptyGrid = (width, height) => ({
  width,
  height,
  data: new Uint8Array(width * height),
});

/** @type {(grid: Grid) => Box} */
export const wholeArea = ({ width, height }) => [0, 0, width, height];

/**
 * What of an area lies in the grid, in whole pixels.
 * @param {Grid} grid
 * @param {Box} area
 * @returns {Box | null} null where there is nothing
 */
export function clipArea({ width, height }, [x1, y1, x2, y2]) {
  /** @type {Box} */
  const clipped = [
    Math.max(0, Math.floor(x1)),
    Math.max(0, Math.floor(y1)),
    Math.min(width, Math.ceil(x2)),
    Math.min(height, Math.ceil(y2)),
  ];
  return clipped[0] < clipped[2] && clipped[1] < clipped[3] ? clipped : null;
}

/**
 * The least area that holds both.
 * @param {Box | null} one
 * @param {Box | null} other
 * @returns {Box | null}
 */
export function joinAreas(one, other) {
  if (!one || !other) return one ?? other;
  return [
    Math.min(one[0], other[0]),
    Math.min(one[1], other[1]),
    Math.max(one[2], other[2]),
    Math.max(one[3], other[3]),
  ];
}

/**
 * A figure's mask where it lies in its drawing.
 * @param {Grid} grid empty; is changed
 * @param {RunLengths} mask
 * @param {Box} box of the figure: whole pixels inside the grid, as large as the mask
 */
export function layMask(grid, mask, [x1, y1]) {
  const [height, width] = mask.size;
  const pixels = maskPixels(mask);
  for (let y = 0; y < height; y += 1) {
    const row = pixels.subarray(y * width, (y + 1) * width);
    grid.data.set(row, (y1 + y) * grid.width + x1);
  }
}

/**
 * @param {Grid} grid
 * @param {Box} box whole pixels inside the grid
 * @returns {RunLengths} what of the grid lies in the box
 */
export function cutMask(grid, [x1, y1, x2, y2]) {
  const width = x2 - x1;
  const pixels = new Uint8Array(width * (y2 - y1));
  for (let y = y1; y < y2; y += 1) {
    const start = y * grid.width;
    pixels.set(grid.data.subarray(start + x1, start + x2), (y - y1) * width);
  }
  return maskOf(pixels, width);
}

/**
 * Where the figure is.
 * @param {Grid} grid
 * @returns {Box | null} the least area that holds it; null where it is nowhere
 */
export function boundsOf({ width, height, data }) {
  let [x1, y1, x2, y2] = [width, height, 0, 0];
  for (let y = 0; y < height; y += 1) {
    const row = data.subarray(y * width, (y + 1) * width);
    const first = row.indexOf(1);
    if (first < 0) continue;
    x1 = Math.min(x1, first);
    x2 = Math.max(x2, row.lastIndexOf(1) + 1);
    y1 = Math.min(y1, y);
    y2 = y + 1;
  }
  return y2 ? [x1, y1, x2, y2] : null;
}

/**
 * @param {Grid} grid
 * @returns {number} pixels on the figure
 */
export function areaOf({ data }) {
  let area = 0;
  for (const value of data) area += value;
  return area;
}
