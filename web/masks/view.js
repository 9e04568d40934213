/**
 * How an outline looks while it is mended: the figure tinted, all else paled, a line between them,
 * which lies beside the figure so that nothing of thin arms is hidden. Pure.
 */

/** @import { Box } from "../types.js" */
/** @import { Grid } from "./grid.js" */

/** Pixels of the longer side of what is shown, about. */
const SHOWN = 1536;

/** Width of the edge, CSS pixels, and pixels of the view that it is at most. */
const LINE_WIDTH = { wanted: 2, most: 8 };

/** A pixel of the drawing is shown as no more than this many across. */
const FINEST = 4;

/** Red, green, blue and alpha in one number, as the bytes of a canvas lie on all usual machines. */
const packed = (/** @type {[number, number, number, number]} */ [red, green, blue, alpha]) =>
  ((alpha << 24) | (blue << 16) | (green << 8) | red) >>> 0;

const FIGURE = packed([217, 72, 43, 56]);
const EDGE = packed([189, 58, 31, 255]);
const REST = packed([251, 245, 231, 150]);

/**
 * Which pixel of the grid each column and each row of the view shows; -1 beside the drawing.
 * @typedef {object} Sampling
 * @property {number} width of the view, pixels
 * @property {number} height of the view, pixels
 * @property {number} scale pixels of the view for each of the drawing, > 0
 * @property {number} line width of the edge, pixels of the view, >= 1
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
    line: 1,
    columns: pixelsShown(shown(width), width),
    rows: pixelsShown(shown(height), height),
  };
}

/**
 * How wide the edge is where a pixel of the drawing is so many on the screen.
 * @param {Sampling} how
 * @param {number} closeness CSS pixels for each pixel of the drawing, > 0
 * @returns {number} pixels of the view, whole
 */
export function lineWidth({ scale }, closeness) {
  const width = Math.round((LINE_WIDTH.wanted * scale) / closeness);
  return Math.min(LINE_WIDTH.most, Math.max(1, width));
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
  const [lastX, lastY] = [how.width - 1, how.height - 1];
  let i = 0;
  for (let y = y1; y < y2; y += 1) {
    const row = rows[y] * width;
    const above = rows[Math.max(0, y - line)] * width;
    const below = rows[Math.min(lastY, y + line)] * width;
    for (let x = x1; x < x2; x += 1, i += 1) {
      const column = columns[x];
      const left = columns[x > line ? x - line : 0];
      const right = columns[x + line < lastX ? x + line : lastX];
      const sum = data[row + left] + data[row + right] + data[above + column] + data[below + column];
      pixels[i] = data[row + column] ? FIGURE : sum > 0 ? EDGE : REST;
    }
  }
}
