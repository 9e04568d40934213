import assert from "node:assert/strict";
import { test } from "node:test";

import { isEdge, maskPixels, unpackRuns, boundsOfMask } from "../masks/run-lengths.js";

// Worked out by hand from the string form: 48 + five bits, 32 says that more follow.
test("runs start with what is outside", () => {
  assert.deepEqual(unpackRuns("04"), [0, 4]);
  assert.deepEqual(unpackRuns("4"), [4]);
});

test("runs after the third are differences to the run before last", () => {
  // Runs 1, 2, 3, 5, 4: the fourth is 5 - 2 = 3, the fifth 4 - 3 = 1.
  assert.deepEqual(unpackRuns("12331"), [1, 2, 3, 5, 4]);
});

test("long runs take several characters", () => {
  // 100 = 3 * 32 + 4: chunk 4 with the continuation bit (4 + 32 + 48), then chunk 3.
  assert.deepEqual(unpackRuns("T3"), [100]);
});

test("negative differences are sign-extended", () => {
  // Runs 1, 5, 1, 2: the fourth is 2 - 5 = -3, whose five bits are 11101 (29 + 48).
  assert.deepEqual(unpackRuns("151M"), [1, 5, 1, 2]);
});

test("a mask goes down the columns", () => {
  // Two rows, three columns; outside 1, figure 2, outside 3: the figure is (1, 0) and (0, 1).
  assert.deepEqual([...maskPixels({ size: [2, 3], counts: "123" })], [0, 1, 0, 1, 0, 0]);
});

test("an edge is what lies beside the outside or the border", () => {
  const pixels = new Uint8Array([
    1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 0, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1,
  ]);
  assert.equal(isEdge(pixels, 5, 12, 1), true, "left neighbour 11 is outside");
  assert.equal(isEdge(pixels, 5, 13, 1), false, "all four neighbours are inside");
  assert.equal(isEdge(pixels, 5, 11, 1), false, "outside is no edge");
  assert.equal(isEdge(pixels, 5, 10, 1), true, "on the border");
});

test("the bounds of a mask are around what is painted", () => {
  // Four rows, three columns; outside 5, figure 2, outside 5: rows 1 and 2 of the second column.
  assert.deepEqual(boundsOfMask({ size: [4, 3], counts: "525" }), { x: 1, y: 1, width: 1, height: 2 });
  // Outside 3, figure 2, outside 7: the last of the first column, the first of the second.
  assert.deepEqual(boundsOfMask({ size: [4, 3], counts: "327" }), { x: 0, y: 0, width: 2, height: 4 });
  assert.equal(boundsOfMask({ size: [4, 3], counts: "<" }), null);
});
