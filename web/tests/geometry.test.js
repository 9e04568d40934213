import assert from "node:assert/strict";
import { test } from "node:test";

import {
  boxAround,
  boxBetween,
  clampPoint,
  growBox,
  itemAt,
  LEAST_SIDE,
  middleOf,
  moveBox,
  placeOf,
  pullBox,
  SIDES,
} from "../geometry.js";
import { inDrawing } from "../spaces.js";

/** @import { Box } from "../types.js" */

const DRAWING = { width: 200, height: 100 };
/** @type {Box} */
const BOX = [20, 10, 80, 90];

test("a box may be drawn from any corner and is whole pixels inside the drawing", () => {
  assert.deepEqual(boxBetween(inDrawing(80.2, 70), inDrawing(20.7, 30.5), DRAWING), [20, 30, 81, 70]);
  assert.deepEqual(boxBetween(inDrawing(-9, -9), inDrawing(999, 999), DRAWING), [0, 0, 200, 100]);
});

test("what is too small to hold a figure is no box", () => {
  assert.equal(boxBetween(inDrawing(20, 20), inDrawing(200, 30), DRAWING), null);
});

test("a box moves as far as the drawing goes and keeps its size", () => {
  assert.deepEqual(moveBox(BOX, 5.4, -3, DRAWING), [25, 7, 85, 87]);
  assert.deepEqual(moveBox(BOX, 999, 999, DRAWING), [140, 20, 200, 100]);
  assert.deepEqual(moveBox(BOX, -999, -999, DRAWING), [0, 0, 60, 80]);
});

test("a side is pulled alone, a corner with both its sides", () => {
  assert.deepEqual(pullBox(BOX, "e", inDrawing(120.4, 5), DRAWING), [20, 10, 120, 90]);
  assert.deepEqual(pullBox(BOX, "nw", inDrawing(4, 6), DRAWING), [4, 6, 80, 90]);
  assert.deepEqual(pullBox(BOX, "s", inDrawing(0, 500), DRAWING), [20, 10, 80, 100]);
});

test("a side does not pass the one opposite", () => {
  assert.deepEqual(pullBox(BOX, "w", inDrawing(500, 0), DRAWING), [80 - LEAST_SIDE, 10, 80, 90]);
  assert.deepEqual(pullBox(BOX, "n", inDrawing(0, 500), DRAWING), [20, 90 - LEAST_SIDE, 80, 90]);
});

test("pulling a side to where it is held changes nothing", () => {
  for (const side of SIDES) {
    assert.deepEqual(pullBox(BOX, side, placeOf(BOX, side), DRAWING), BOX, side);
  }
});

test("a point in two boxes means the smaller", () => {
  const [large, small] = [{ box: BOX }, { box: /** @type {Box} */ ([30, 20, 50, 40]) }];
  assert.equal(itemAt([large, small], inDrawing(35, 25)), small);
  assert.equal(itemAt([small, large], inDrawing(25, 15)), large);
  assert.equal(itemAt([large, small], inDrawing(150, 50)), undefined);
});

test("a box around a point is moved inside the drawing", () => {
  assert.deepEqual(boxAround(inDrawing(100, 50), 0.5, DRAWING), [50, 25, 150, 75]);
  assert.deepEqual(boxAround(inDrawing(0, 100), 0.5, DRAWING), [0, 50, 100, 100]);
  assert.deepEqual(middleOf([50, 25, 150, 75]), { x: 100, y: 50 });
});

test("a box grows on all sides, up to the drawing's edge", () => {
  assert.deepEqual(growBox(BOX, 0.1, DRAWING), [14, 2, 86, 98]);
  assert.deepEqual(growBox(BOX, 0.5, DRAWING), [0, 0, 110, 100]);
});

test("a point is brought inside a box", () => {
  assert.deepEqual(clampPoint(inDrawing(0, 50), BOX), { x: 20, y: 50 });
  assert.deepEqual(clampPoint(inDrawing(30, 95), BOX), { x: 30, y: 90 });
});
