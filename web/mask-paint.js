/** Strokes of a round brush on the outline of a figure: added, taken away, or a slit. Pure. */

import { clipArea, joinAreas } from "./mask-grid.js";

/** @import { Box } from "./types.js" */
/** @import { Grid } from "./mask-grid.js" */

/** @typedef {{ x: number, y: number }} Point pixels of the drawing */

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
  for (let y = area[1]; y < area[3]; y += 1) paintRow(grid, area, y, { from, to, radius, value });
  return area;
}

/**
 * The pixels of a row that a stroke covers lie side by side, as it has no dents.
 * @param {Grid} grid is changed
 * @param {Box} area
 * @param {number} y
 * @param {{ from: Point, to: Point, radius: number, value: 0 | 1 }} stroke
 */
function paintRow(grid, [x1, , x2], y, { from, to, radius, value }) {
  const [along, down] = [to.x - from.x, to.y - from.y];
  const length = along * along + down * down;
  const dy = y + 0.5 - from.y;
  let first = x2;
  let last = x1 - 1;
  for (let x = x1; x < x2; x += 1) {
    const dx = x + 0.5 - from.x;
    const share = length ? Math.min(1, Math.max(0, (dx * along + dy * down) / length)) : 0;
    const [offX, offY] = [dx - share * along, dy - share * down];
    const isCovered = offX * offX + offY * offY <= radius * radius;
    if (isCovered && first === x2) first = x;
    if (isCovered) last = x;
    else if (first < x2) break;
  }
  if (first <= last) grid.data.fill(value, y * grid.width + first, y * grid.width + last + 1);
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
