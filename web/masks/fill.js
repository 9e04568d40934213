/**
 * A touch that means a whole thing of the drawing: a stroke of one pen, a patch of one crayon, the
 * paper inside a line. It is added to the outline, or taken away. Pure.
 */

import { flood, grow } from "./flood.js";
import { clipArea } from "./grid.js";
import { fillHoles, isLoose, partAt, setFlood } from "./parts.js";
import { FAINT, PAINT } from "./picture.js";

/** @import { Flood } from "./flood.js" */
/** @import { Grid } from "./grid.js" */
/** @import { Picture } from "./picture.js" */
/** @import { Box } from "../types.js" */

/**
 * @typedef {object} Touch
 * @property {number} x pixels of the drawing
 * @property {number} y pixels of the drawing
 * @property {number} reach a line this near is meant, pixels of the drawing
 * @property {number} tolerance 0 to 1: how unlike paint may be that belongs together
 */

/**
 * @typedef {object} Filled
 * @property {"added" | "removed" | "open" | "none"} kind "open": paper that no line encloses
 * @property {Box | null} area where the grid may have changed
 */

/** Lines whose ends are nearer to each other than twice this enclose paper; of the longer side. */
const GAP = 0.004;

/** A limb that the picture cuts off is no larger than this share of it, and a sheet is larger. */
const STUMP = 0.03;
const SHEET = 0.45;

/** How far the soft edge of a line reaches, of the longer side, beyond one pixel. */
const EDGE = 0.0015;

/** Holes in what was found are filled up to this, of the longer side squared. */
const PINHOLE = 0.0001;

/**
 * @param {Grid} grid is changed
 * @param {Picture} picture of the same drawing, perhaps smaller
 * @param {Touch} touch
 * @returns {Filled}
 */
export function addByMagic(grid, picture, touch) {
  if (isBeside(grid, touch)) return NOTHING;
  // A line that is there already is not what is meant, but paper beside it.
  const seed = seedOf(grid, picture, touch, (at) => !isOn(grid, picture, at));
  const isPaint = picture.strength[seed] >= PAINT;
  const found = isPaint ? alike(picture, seed, touch.tolerance) : enclosed(picture, seed);
  if (!isPaint && isOpen(picture, found)) return { kind: "open", area: null };
  const area = lay(grid, picture, found.reached, 1);
  return area ? { kind: "added", area } : NOTHING;
}

/**
 * A part of the outline that hangs together with no larger one goes as a whole.
 * @param {Grid} grid is changed
 * @param {Picture} picture of the same drawing, perhaps smaller
 * @param {Touch} touch
 * @returns {Filled}
 */
export function removeByMagic(grid, picture, touch) {
  if (isBeside(grid, touch)) return NOTHING;
  const at = Math.floor(touch.y) * grid.width + Math.floor(touch.x);
  const area =
    grid.data[at] && isLoose(grid, at)
      ? setFlood(grid, partAt(grid, at))
      : lay(grid, picture, thingOn(grid, picture, touch).reached, 0);
  return area ? { kind: "removed", area } : NOTHING;
}

/** @type {Filled} */
const NOTHING = { kind: "none", area: null };

/** @type {(grid: Grid, touch: Touch) => boolean} */
const isBeside = (grid, { x, y }) =>
  !clipArea(grid, [Math.floor(x), Math.floor(y), Math.floor(x) + 1, Math.floor(y) + 1]);

/**
 * What is touched of a thing that is on the figure.
 * @param {Grid} grid
 * @param {Picture} picture
 * @param {Touch} touch
 * @returns {Flood}
 */
function thingOn(grid, picture, touch) {
  const isThere = (/** @type {number} */ at) => isOn(grid, picture, at);
  const seed = seedOf(grid, picture, touch, isThere);
  if (picture.strength[seed] >= PAINT) return alike(picture, seed, touch.tolerance, isThere);
  return flood(picture, seed, (at) => picture.strength[at] < PAINT && isThere(at));
}

/**
 * The pixel of the picture that a touch means: paint, if there is any within reach.
 * @param {Grid} grid
 * @param {Picture} picture
 * @param {Touch} touch
 * @param {(at: number) => boolean} isWanted of paint that is not touched itself
 * @returns {number}
 */
function seedOf(grid, { width, height, strength }, { x, y, reach }, isWanted) {
  const scale = width / grid.width;
  const [column, row] = [Math.floor(x * scale), Math.floor(y * scale)];
  const wide = Math.round(reach * scale);
  const near = clipArea({ width, height, data: strength }, [
    column - wide,
    row - wide,
    column + wide + 1,
    row + wide + 1,
  ]) ?? [column, row, column, row];
  let seed = row * width + column;
  if (strength[seed] >= PAINT) return seed;
  for (let j = near[1]; j < near[3]; j += 1) {
    for (let at = j * width + near[0]; at < j * width + near[2]; at += 1) {
      if (strength[at] >= PAINT && strength[at] > strength[seed] && isWanted(at)) seed = at;
    }
  }
  return seed;
}

/**
 * Paint that hangs together and is of one pen or crayon: off the paper in the same direction, and
 * not much less so.
 * @param {Picture} picture
 * @param {number} seed
 * @param {number} tolerance 0 to 1
 * @param {(at: number) => boolean} [isWanted]
 * @returns {Flood}
 */
function alike(picture, seed, tolerance, isWanted = () => true) {
  const { off, strength } = picture;
  const [red, green, blue] = off.subarray(3 * seed, 3 * seed + 3);
  const length = Math.hypot(red, green, blue);
  const leastCosine = Math.cos(((8 + 24 * tolerance) * Math.PI) / 180);
  const least = Math.max(FAINT, (0.7 - 0.4 * tolerance) * strength[seed]);
  return flood(picture, seed, (at) => {
    if (strength[at] < least || !isWanted(at)) return false;
    const along = off[3 * at] * red + off[3 * at + 1] * green + off[3 * at + 2] * blue;
    const size = Math.hypot(off[3 * at], off[3 * at + 1], off[3 * at + 2]);
    return along >= leastCosine * size * length;
  });
}

/**
 * Paper inside lines, which may have small gaps.
 * @param {Picture} picture
 * @param {number} seed
 * @returns {Flood}
 */
function enclosed(picture, seed) {
  const { width, strength } = picture;
  const gap = Math.max(1, Math.round(GAP * longest(picture)));
  const lines = strength.map((value) => (value >= PAINT ? 1 : 0));
  const thick = grow(lines, width, gap);
  const closed = thick[seed] ? lines : thick;
  const found = flood(picture, seed, (at) => !closed[at]);
  return closed === lines ? found : { ...found, reached: grow(found.reached, width, gap) };
}

/**
 * Whether paper is no part of a figure: what reaches the picture's edge, but for a limb that is cut
 * off there; and a whole sheet that lies on a table.
 * @param {Picture} picture
 * @param {Flood} found
 */
function isOpen({ width, height }, { area, count }) {
  if (!area) return true;
  const isAtEdge = area[0] === 0 || area[1] === 0 || area[2] === width || area[3] === height;
  return count > (isAtEdge ? STUMP : SHEET) * width * height;
}

/**
 * Add to the figure what was found in the picture, or take it away; soft edges belong to it.
 * @param {Grid} grid is changed
 * @param {Picture} picture
 * @param {Uint8Array} found pixels of the picture
 * @param {0 | 1} value
 * @returns {Box | null} where something changed
 */
function lay(grid, picture, found, value) {
  const data = withSoftEdge(picture, found, value);
  fillHoles({ width: picture.width, height: picture.height, data }, PINHOLE * longest(picture) ** 2);
  /** @type {Box} */
  const area = [grid.width, grid.height, 0, 0];
  for (let y = 0, at = 0; y < grid.height; y += 1) {
    const row = Math.floor(((y + 0.5) * picture.height) / grid.height) * picture.width;
    for (let x = 0; x < grid.width; x += 1, at += 1) {
      const isFound = data[row + Math.floor(((x + 0.5) * picture.width) / grid.width)];
      if (!isFound || grid.data[at] === value) continue;
      grid.data[at] = value;
      area[0] = Math.min(area[0], x);
      area[1] = Math.min(area[1], y);
      area[2] = Math.max(area[2], x + 1);
      area[3] = y + 1;
    }
  }
  return area[3] ? area : null;
}

/**
 * Where paint fades into the paper it belongs to what it fades from; other paint is left alone where
 * something is taken away.
 * @param {Picture} picture
 * @param {Uint8Array} found
 * @param {0 | 1} value
 */
function withSoftEdge(picture, found, value) {
  const { width, strength } = picture;
  const data = grow(found, width, 1 + Math.round(EDGE * longest(picture)));
  for (let at = 0; at < data.length; at += 1) {
    const isSoft = strength[at] >= FAINT && (value === 1 || strength[at] < PAINT);
    if (!isSoft) data[at] = found[at];
  }
  return data;
}

/**
 * Whether the middle of a pixel of the picture lies on the figure.
 * @param {Grid} grid
 * @param {Picture} picture
 * @param {number} at index of the pixel
 */
function isOn(grid, picture, at) {
  const [x, y] = [at % picture.width, Math.floor(at / picture.width)];
  const column = Math.floor(((x + 0.5) * grid.width) / picture.width);
  const row = Math.floor(((y + 0.5) * grid.height) / picture.height);
  return grid.data[row * grid.width + column] === 1;
}

/** @type {(picture: Picture) => number} */
const longest = ({ width, height }) => Math.max(width, height);
