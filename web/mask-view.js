/** How an outline looks while it is mended: figure tinted, its edge a line, all else paled. Pure. */

/** @import { Box } from "./types.js" */
/** @import { Grid } from "./mask-grid.js" */

/** Pixels of the longer side of what is shown, about. */
const SHOWN = 1536;

/** A pixel of the drawing is shown as no more than this many across. */
const FINEST = 4;

/** Red, green, blue and alpha in one number, as the bytes of a canvas lie on all usual machines. */
const packed = (/** @type {[number, number, number, number]} */ [red, green, blue, alpha]) =>
  ((alpha << 24) | (blue << 16) | (green << 8) | red) >>> 0;

const FIGURE = packed([217, 72, 43, 56]);
const LINE = packed([189, 58, 31, 255]);
const HALO = packed([255, 255, 255, 235]);
const REST = packed([251, 245, 231, 150]);

/**
 * Which pixel of the grid each column and each row of the view shows; -1 beside the drawing.
 * @typedef {object} Sampling
 * @property {number} width of the view, pixels
 * @property {number} height of the view, pixels
 * @property {number} scale pixels of the view for each of the drawing, > 0
 * @property {number} line width of the edge, pixels of the view
 * @property {Int32Array} columns
 * @property {Int32Array} rows
 */

/**
 * @param {{ width: number, height: number }} grid
 * @returns {Sampling}
 */
export function sampling({ width, height }) {
  const longest = Math.max(width, height);
  // Enlarged by a whole number, so that all pixels look alike.
  const scale = longest > SHOWN ? SHOWN / longest : Math.min(FINEST, Math.floor(SHOWN / longest));
  const shown = (/** @type {number} */ side) => Math.max(1, Math.round(side * scale));
  return {
    width: shown(width),
    height: shown(height),
    scale,
    line: Math.max(1, Math.round(Math.max(shown(width), shown(height)) / 500)),
    columns: pixelsShown(shown(width), width),
    rows: pixelsShown(shown(height), height),
  };
}

/** @type {(shown: number, side: number) => Int32Array} */
const pixelsShown = (shown, side) =>
  Int32Array.from({ length: shown }, (_, i) => Math.floor(((i + 0.5) * side) / shown));

/**
 * What of the view an area of the grid touches, with the line around it.
 * @param {Sampling} how
 * @param {Box} area
 * @returns {Box} inside the view
 */
export function areaInView({ width, height, scale, line }, [x1, y1, x2, y2]) {
  return [
    Math.max(0, Math.floor(x1 * scale) - line - 1),
    Math.max(0, Math.floor(y1 * scale) - line - 1),
    Math.min(width, Math.ceil(x2 * scale) + line + 1),
    Math.min(height, Math.ceil(y2 * scale) + line + 1),
  ];
}

/**
 * @param {Grid} grid
 * @param {Sampling} how
 * @param {Box} area of the view
 * @param {Uint32Array} pixels of that area, row by row; are changed
 */
export function paintView(grid, how, [x1, y1, x2, y2], pixels) {
  const { data, width } = grid;
  const { columns, rows, line } = how;
  const at = (/** @type {number} */ x, /** @type {number} */ y) =>
    x >= 0 && y >= 0 && x < how.width && y < how.height ? data[rows[y] * width + columns[x]] : 0;
  const isNear = (/** @type {number} */ x, /** @type {number} */ y, /** @type {number} */ other) =>
    at(x - line, y) === other ||
    at(x + line, y) === other ||
    at(x, y - line) === other ||
    at(x, y + line) === other;
  let i = 0;
  for (let y = y1; y < y2; y += 1) {
    for (let x = x1; x < x2; x += 1, i += 1) {
      if (at(x, y)) pixels[i] = isNear(x, y, 0) ? LINE : FIGURE;
      else pixels[i] = isNear(x, y, 1) ? HALO : REST;
    }
  }
}
