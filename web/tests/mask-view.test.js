import assert from "node:assert/strict";
import { test } from "node:test";

import { emptyGrid } from "../masks/grid.js";
import { areaInView, lineWidth, paintView, sampling } from "../masks/view.js";
import { gridOf } from "./mask-support.js";

test("small drawings are shown larger, by a whole number, and large ones smaller", () => {
  assert.equal(sampling({ width: 300, height: 200 }).scale, 4);
  assert.equal(sampling({ width: 700, height: 400 }).scale, 2);
  assert.equal(sampling({ width: 1000, height: 1536 }).scale, 1);
  const large = sampling({ width: 4000, height: 3072 });
  assert.deepEqual([large.width, large.height], [1536, 1180]);
  assert.equal(large.columns[1535], 3998, "the middle of the last");
});

test("each pixel of a small drawing is shown as a square", () => {
  const how = sampling({ width: 3, height: 2 });
  assert.deepEqual([...how.columns], [0, 0, 0, 0, 1, 1, 1, 1, 2, 2, 2, 2]);
  assert.deepEqual([...how.rows], [0, 0, 0, 0, 1, 1, 1, 1]);
});

test("the edge is two pixels of the screen wide, where that can be", () => {
  const how = sampling({ width: 1536, height: 1000 });
  assert.equal(lineWidth(how, 0.5), 4);
  assert.equal(lineWidth(how, 1), 2);
  assert.equal(lineWidth(how, 9), 1);
  assert.equal(lineWidth(how, 0.01), 8);
});

test("figure, the line beside it and the rest look different", () => {
  const grid = gridOf("......", ".####.", ".####.", ".####.", "......", "......");
  const one = { width: 6, height: 6, scale: 1, line: 1 };
  const how = { ...one, columns: Int32Array.of(0, 1, 2, 3, 4, 5), rows: Int32Array.of(0, 1, 2, 3, 4, 5) };
  const pixels = new Uint32Array(36);
  paintView(grid, how, [0, 0, 6, 6], pixels);
  const names = new Map([
    [pixels[14], "#"],
    [pixels[1], "-"],
    [pixels[0], "."],
  ]);
  const seen = [...pixels].map((pixel) => names.get(pixel)).join("");
  assert.deepEqual(seen.match(/.{6}/g), [".----.", "-####-", "-####-", "-####-", ".----.", "......"]);
});

test("what is painted anew around a change is what a whole painting shows", () => {
  const grid = emptyGrid(30, 20);
  const how = sampling(grid);
  const whole = new Uint32Array(how.width * how.height);
  paintView(grid, how, [0, 0, how.width, how.height], whole);
  grid.data.fill(1, 5 * 30 + 8, 5 * 30 + 14);
  const area = areaInView(how, [8, 5, 14, 6]);
  const part = new Uint32Array((area[2] - area[0]) * (area[3] - area[1]));
  paintView(grid, how, area, part);
  for (let y = area[1], i = 0; y < area[3]; y += 1) {
    for (let x = area[0]; x < area[2]; x += 1, i += 1) whole[y * how.width + x] = part[i];
  }
  const anew = new Uint32Array(how.width * how.height);
  paintView(grid, how, [0, 0, how.width, how.height], anew);
  assert.deepEqual(whole, anew);
});
