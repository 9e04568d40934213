/** Parts of an outline that do not hang together, and holes in it. Pure. */

import { boundsOf } from "./grid.js";
import { flood } from "./flood.js";

/** @import { Box } from "../types.js" */
/** @import { Flood } from "./flood.js" */
/** @import { Grid } from "./grid.js" */

/**
 * The part of the figure that holds a pixel.
 * @param {Grid} grid
 * @param {number} index
 * @returns {Flood}
 */
export const partAt = (grid, index) => flood(grid, index, (at) => grid.data[at] === 1);

/**
 * Parts of the figure, pixels of each side by side.
 * @param {Grid} grid
 * @returns {{ label: Int32Array, counts: number[] }} the number of each pixel's part, from 1, 0
 *   outside; the pixels of each part, those outside uncounted
 */
export function labelParts({ width, height, data }) {
  const label = new Int32Array(data.length);
  /** Of each number that was given, another of the same part, or itself. */
  const links = [0];
  for (let y = 0; y < height; y += 1) {
    const end = (y + 1) * width;
    for (let first = nextOf(data, 1, y * width, end); first < end; ) {
      const last = nextOf(data, 0, first, end);
      label.fill(joinAbove(label, links, first - width, last - width), first, last);
      first = nextOf(data, 1, last, end);
    }
  }
  return countParts(label, links);
}

/** @type {(data: Uint8Array, value: number, at: number, end: number) => number} */
function nextOf(data, value, at, end) {
  while (at < end && data[at] !== value) at += 1;
  return at;
}

/**
 * The number of a run: that of the runs above it, which so are one part, or a new one.
 * @param {Int32Array} label
 * @param {number[]} links is changed
 * @param {number} first of the pixels above it; below 0 in the first row
 * @param {number} end
 */
function joinAbove(label, links, first, end) {
  let number = 0;
  for (let at = Math.max(0, first); at < end; at += 1) {
    const above = label[at];
    if (above === 0 || above === number) continue;
    const [one, other] = [rootOf(links, number || above), rootOf(links, above)];
    number = Math.min(one, other);
    links[Math.max(one, other)] = number;
  }
  if (number === 0) links.push((number = links.length));
  return number;
}

/** @type {(links: number[], number: number) => number} */
function rootOf(links, number) {
  while (links[number] !== number) number = links[number];
  return number;
}

/**
 * @param {Int32Array} label numbers as they were given; is changed to those of the parts
 * @param {number[]} links
 */
function countParts(label, links) {
  let parts = 0;
  // A number is linked to a smaller one, whose part is known then.
  const partOf = links.map(() => 0);
  for (let number = 1; number < links.length; number += 1) {
    const isFirst = links[number] === number;
    partOf[number] = isFirst ? (parts += 1) : partOf[links[number]];
  }
  const counts = new Array(parts + 1).fill(0);
  for (let at = 0; at < label.length; at += 1) {
    const part = partOf[label[at]];
    label[at] = part;
    if (part) counts[part] += 1;
  }
  return { label, counts };
}

/**
 * Whether a pixel of the figure belongs to another part than its largest.
 * @param {Grid} grid
 * @param {number} index
 * @returns {boolean}
 */
export function isLoose(grid, index) {
  const { label, counts } = labelParts(grid);
  return counts.some((count) => count > counts[label[index]]);
}

/**
 * Leave nothing but the largest part.
 * @param {Grid} grid is changed
 * @returns {{ area: Box | null, removed: number }} where something changed; parts that went
 */
export function keepLargest(grid) {
  const { label, counts } = labelParts(grid);
  if (counts.length <= 2) return { area: null, removed: 0 };
  const largest = counts.reduce((best, count, i) => (count > counts[best] ? i : best), 0);
  const area = boundsOf(grid);
  for (let i = 0; i < label.length; i += 1) if (label[i] !== largest) grid.data[i] = 0;
  return { area, removed: counts.length - 2 };
}

/**
 * Take a part away, or whatever a flood reached.
 * @param {Grid} grid is changed
 * @param {Flood} part
 * @param {0 | 1} [value] 1 to add it instead
 * @returns {Box | null} where something may have changed
 */
export function setFlood(grid, { reached, area }, value = 0) {
  if (!area) return null;
  for (let y = area[1]; y < area[3]; y += 1) {
    const end = y * grid.width + area[2];
    for (let at = end - area[2] + area[0]; at < end; at += 1) {
      if (reached[at]) grid.data[at] = value;
    }
  }
  return area;
}

/**
 * Fill what the figure encloses.
 * @param {Grid} grid is changed
 * @param {number} [largest] holes of more pixels stay open
 * @returns {{ area: Box | null, filled: number }} where something changed; holes that were filled
 */
export function fillHoles(grid, largest = Infinity) {
  const area = boundsOf(grid);
  if (!area) return { area: null, filled: 0 };
  const [x1, y1, x2, y2] = area;
  // A margin around the figure, so that all that is outside hangs together.
  const width = x2 - x1 + 2;
  const height = y2 - y1 + 2;
  const outside = new Uint8Array(width * height).fill(1);
  for (let y = y1; y < y2; y += 1) {
    for (let x = x1; x < x2; x += 1) {
      outside[(y - y1 + 1) * width + x - x1 + 1] = 1 - grid.data[y * grid.width + x];
    }
  }
  const { label, counts } = labelParts({ width, height, data: outside });
  const isHole = counts.map((count, i) => i > 1 && count <= largest);
  for (let y = y1; y < y2; y += 1) {
    for (let x = x1; x < x2; x += 1) {
      if (isHole[label[(y - y1 + 1) * width + x - x1 + 1]]) grid.data[y * grid.width + x] = 1;
    }
  }
  const filled = isHole.filter(Boolean).length;
  return { area: filled ? area : null, filled };
}
