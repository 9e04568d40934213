/** Strokes of a round brush on the outline of a figure: added, taken away, or a slit. Pure. */

import { clipArea, joinAreas } from "./grid.js";

/** @import { Box } from "../types.js" */
/** @import { Grid } from "./grid.js" */

/** @typedef {{ x: number, y: number }} Point pixels of the drawing */
/** @typedef {{ from: Point, to: Point, radius: number, value: 0 | 1 }} Stroke */

/** Rigs are made on a grid this many pixels long (`animator/rigging/silhouette.py`). */
const RIG_SIDE = 512;

/** A slit this wide, in pixels of that grid, leaves one empty wherever it lies. */
const OPEN = 1.75;

/**
 * Paint all that is nearer than the radius to the way from one point to another.
 * @param {Grid} grid is changed
 * @param {Point} from
 * @param {Point} to
 * @param {number} radius pixels, > 0
 * @param {0 | 1} value 1 adds, 0 takes away
 * @returns {Box | null} where something may have changed
 */
export function paintStroke(grid, from, to, radius, value) {
  const area = clipArea(grid, [
    Math.min(from.x, to.x) - radius,
    Math.min(from.y, to.y) - radius,
    Math.max(from.x, to.x) + radius,
    Math.max(from.y, to.y) + radius,
  ]);
  if (!area) return null;
  const stroke = { from, to, radius, value };
  for (let y = area[1]; y < area[3]; y += 1) paintRow(grid, area, y, stroke);
  return area;
}

/**
 * The pixels of a row whose middles a stroke covers lie side by side, as it has no dents.
 * @param {Grid} grid is changed
 * @param {Box} area
 * @param {number} y
 * @param {Stroke} stroke
 */
function paintRow(grid, [left, , right], y, stroke) {
  const { from, to, radius, value } = stroke;
  const spans = [disc(from, radius, y + 0.5), disc(to, radius, y + 0.5), slab(stroke, y + 0.5)];
  let [first, last] = [Infinity, -Infinity];
  for (const [start, end] of spans) {
    if (start > end) continue;
    first = Math.min(first, start);
    last = Math.max(last, end);
  }
  const x1 = Math.max(left, Math.ceil(first - 0.5));
  const x2 = Math.min(right, Math.floor(last - 0.5) + 1);
  if (x1 < x2) grid.data.fill(value, y * grid.width + x1, y * grid.width + x2);
}

/** Nothing of a row. @type {[number, number]} */
const NONE = [Infinity, -Infinity];

/**
 * What a disc covers of the row at some height.
 * @param {Point} middle
 * @param {number} radius
 * @param {number} y
 * @returns {[number, number]} from and to
 */
function disc(middle, radius, y) {
  const square = radius ** 2 - (y - middle.y) ** 2;
  if (square < 0) return NONE;
  return [middle.x - Math.sqrt(square), middle.x + Math.sqrt(square)];
}

/**
 * What of the row is beside the way between the ends of a stroke, and no further than its radius.
 * @param {Stroke} stroke
 * @param {number} y
 * @returns {[number, number]} from and to
 */
function slab({ from, to, radius }, y) {
  const [right, down] = [to.x - from.x, to.y - from.y];
  const length = Math.hypot(right, down);
  if (length === 0) return NONE;
  const below = y - from.y;
  const along = between(right, below * down, 0, length * length);
  const across = between(down, -below * right, -radius * length, radius * length);
  return [from.x + Math.max(along[0], across[0]), from.x + Math.min(along[1], across[1])];
}

/**
 * Where `slope * x + offset` is between two bounds.
 * @param {number} slope
 * @param {number} offset
 * @param {number} least
 * @param {number} most
 * @returns {[number, number]} from and to
 */
function between(slope, offset, least, most) {
  if (slope === 0) return offset >= least && offset <= most ? [-Infinity, Infinity] : NONE;
  const ends = [(least - offset) / slope, (most - offset) / slope];
  return [Math.min(...ends), Math.max(...ends)];
}

/**
 * A stroke through several points.
 * @param {Grid} grid is changed
 * @param {readonly Point[]} points
 * @param {number} radius pixels, > 0
 * @param {0 | 1} value
 * @returns {Box | null} where something may have changed
 */
export function paintLine(grid, points, radius, value) {
  /** @type {Box | null} */
  let area = null;
  points.forEach((point, i) => {
    area = joinAreas(area, paintStroke(grid, points[Math.max(0, i - 1)], point, radius, value));
  });
  return area;
}

/**
 * How wide a cut must be so that the parts beside it move apart: no wider than the rig needs.
 * @param {Box | null} bounds where the figure is
 * @returns {number} pixels of the drawing, at least 2
 */
export function slitWidth(bounds) {
  if (!bounds) return 2;
  const longest = Math.max(bounds[2] - bounds[0], bounds[3] - bounds[1]);
  return Math.max(2, (OPEN * longest) / RIG_SIDE);
}
