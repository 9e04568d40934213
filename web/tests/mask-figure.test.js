import assert from "node:assert/strict";
import { test } from "node:test";

import { mendedBy } from "../masks/figure.js";
import { layMask } from "../masks/grid.js";
import { maskOf, maskPixels } from "../masks/run-lengths.js";
import { gridOf } from "./mask-support.js";

/** @import { FigureAnnotation } from "../types.js" */

const joint = { name: "root", parent: null, x: 0.5, y: 1.25, score: 0.5 };

/** @type {FigureAnnotation} */
const figure = {
  id: "one",
  box: [2, 1, 4, 3],
  score: 1,
  mask: maskOf(gridOf("##", "#.").data, 2),
  skeleton: { joints: [joint] },
  limbs: {},
  hidden: false,
};

test("what is mended inside the box leaves the box and the joints alone", () => {
  const grid = gridOf("......", "..##..", "..##..", "......");
  assert.deepEqual(mendedBy(grid, figure), { mask: { size: [2, 2], counts: "04" } });
});

test("the box grows to what is painted beside it, and the joints stay in their places", () => {
  const grid = gridOf("......", "..###.", "..#...", "......", ".#....");
  const change = mendedBy(grid, figure);
  assert.deepEqual(change?.box, [1, 1, 5, 5]);
  // One pixel further from the left edge of the box.
  assert.deepEqual(change?.skeleton, { joints: [{ ...joint, x: 1.5, y: 1.25 }] });
  const mask = change?.mask;
  assert.ok(mask);
  assert.deepEqual(mask.size, [4, 4]);
  assert.deepEqual([...maskPixels(mask)], [0, 1, 1, 1, 0, 1, 0, 0, 0, 0, 0, 0, 1, 0, 0, 0]);
});

test("joints that are being found stay to be found", () => {
  const grid = gridOf("#.....", "......", "......", "......");
  assert.equal(mendedBy(grid, { ...figure, skeleton: null })?.skeleton, null);
});

test("a figure of which nothing is left is not one", () => {
  assert.equal(mendedBy(gridOf("......", "......", "......", "......"), figure), null);
});

test("what was not mended is the same mask again", () => {
  const grid = gridOf("......", "......", "......", "......");
  layMask(grid, /** @type {NonNullable<typeof figure.mask>} */ (figure.mask), figure.box);
  assert.deepEqual(mendedBy(grid, figure), { mask: figure.mask });
});
