/** Boxes and points of a drawing; pure. Boxes are whole pixels, inside the drawing. */

import { clamp, inDrawing } from "./spaces.js";

/** @import { DrawingPoint, Size } from "./spaces.js" */
/** @import { Box } from "./types.js" */

/** Shortest side of a box that is drawn or pulled, pixels. */
export const LEAST_SIDE = 16;

/** @typedef {"nw" | "n" | "ne" | "e" | "se" | "s" | "sw" | "w"} Side what a box is pulled by */

/** @type {readonly Side[]} */
export const SIDES = ["nw", "n", "ne", "e", "se", "s", "sw", "w"];

/**
 * @param {DrawingPoint} a
 * @param {DrawingPoint} b
 * @param {Size} drawing
 * @returns {Box | null} null where it is too small to hold a figure
 */
export function boxBetween(a, b, drawing) {
  const { width, height } = drawing;
  /** @type {Box} */
  const box = [
    clamp(Math.floor(Math.min(a.x, b.x)), 0, width),
    clamp(Math.floor(Math.min(a.y, b.y)), 0, height),
    clamp(Math.ceil(Math.max(a.x, b.x)), 0, width),
    clamp(Math.ceil(Math.max(a.y, b.y)), 0, height),
  ];
  const [x1, y1, x2, y2] = box;
  return x2 - x1 < LEAST_SIDE || y2 - y1 < LEAST_SIDE ? null : box;
}

/**
 * Move a box, up to the drawing's edge.
 * @param {Box} box
 * @param {number} dx
 * @param {number} dy
 * @param {Size} drawing
 * @returns {Box}
 */
export function moveBox([x1, y1, x2, y2], dx, dy, { width, height }) {
  const right = clamp(Math.round(dx), -x1, width - x2);
  const down = clamp(Math.round(dy), -y1, height - y2);
  return [x1 + right, y1 + down, x2 + right, y2 + down];
}

/**
 * Pull one side or corner to a point, up to the drawing's edge; what is opposite stays.
 * @param {Box} box
 * @param {Side} side
 * @param {DrawingPoint} to
 * @param {Size} drawing
 * @returns {Box}
 */
export function pullBox([x1, y1, x2, y2], side, to, { width, height }) {
  const [x, y] = [Math.round(to.x), Math.round(to.y)];
  return [
    side.includes("w") ? clamp(x, 0, Math.max(0, x2 - LEAST_SIDE)) : x1,
    side.includes("n") ? clamp(y, 0, Math.max(0, y2 - LEAST_SIDE)) : y1,
    side.includes("e") ? clamp(x, Math.min(width, x1 + LEAST_SIDE), width) : x2,
    side.includes("s") ? clamp(y, Math.min(height, y1 + LEAST_SIDE), height) : y2,
  ];
}

/**
 * Where a side of a box is held: the middle of an edge, or the corner itself.
 * @param {Box} box
 * @param {Side} side
 * @returns {DrawingPoint}
 */
export function placeOf([x1, y1, x2, y2], side) {
  const x = side.includes("w") ? x1 : side.includes("e") ? x2 : (x1 + x2) / 2;
  const y = side.includes("n") ? y1 : side.includes("s") ? y2 : (y1 + y2) / 2;
  return inDrawing(x, y);
}

/** @type {(box: Box) => DrawingPoint} */
export const middleOf = ([x1, y1, x2, y2]) => inDrawing((x1 + x2) / 2, (y1 + y2) / 2);

/** @type {(box: Box, point: DrawingPoint) => boolean} */
export const holds = ([x1, y1, x2, y2], { x, y }) => x >= x1 && x <= x2 && y >= y1 && y <= y2;

/** @type {(box: Box) => number} */
export const areaOf = ([x1, y1, x2, y2]) => (x2 - x1) * (y2 - y1);

/**
 * What is meant by a point: the smallest box that holds it.
 * @template {{ box: Box }} Item
 * @param {readonly Item[]} items
 * @param {DrawingPoint} point
 * @returns {Item | undefined}
 */
export function itemAt(items, point) {
  const hit = items.filter(({ box }) => holds(box, point));
  return hit.sort((a, b) => areaOf(a.box) - areaOf(b.box))[0];
}

/**
 * A box of a share of the drawing around a point, moved so that it is inside the drawing.
 * @param {DrawingPoint} middle
 * @param {number} share of the drawing's sides
 * @param {Size} drawing
 * @returns {Box}
 */
export function boxAround({ x, y }, share, drawing) {
  const [half, tall] = [(share * drawing.width) / 2, (share * drawing.height) / 2];
  const width = Math.min(drawing.width, Math.max(LEAST_SIDE, Math.round(2 * half)));
  const height = Math.min(drawing.height, Math.max(LEAST_SIDE, Math.round(2 * tall)));
  const left = clamp(Math.round(x - width / 2), 0, drawing.width - width);
  const top = clamp(Math.round(y - height / 2), 0, drawing.height - height);
  return [left, top, left + width, top + height];
}

/**
 * The nearest point inside a box.
 * @param {DrawingPoint} point
 * @param {Box} box
 * @returns {DrawingPoint}
 */
export function clampPoint({ x, y }, [x1, y1, x2, y2]) {
  return inDrawing(clamp(x, x1, x2), clamp(y, y1, y2));
}

/**
 * @param {Box} box
 * @param {number} share of its sides that it grows by on each side, up to the drawing's edge
 * @param {Size} drawing
 * @returns {Box}
 */
export function growBox([x1, y1, x2, y2], share, { width, height }) {
  const [beside, above] = [share * (x2 - x1), share * (y2 - y1)];
  return [
    Math.max(0, x1 - beside),
    Math.max(0, y1 - above),
    Math.min(width, x2 + beside),
    Math.min(height, y2 + above),
  ];
}

/** @type {(a: { x: number, y: number }, b: { x: number, y: number }) => number} */
export const distance = (a, b) => Math.hypot(a.x - b.x, a.y - b.y);
