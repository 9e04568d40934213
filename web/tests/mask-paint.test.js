import assert from "node:assert/strict";
import { test } from "node:test";

import { areaOf, boundsOf, clipArea, cutMask, emptyGrid, joinAreas, layMask } from "../masks/grid.js";
import { paintLine, paintStroke, slitWidth } from "../masks/paint.js";
import { labelParts } from "../masks/parts.js";
import { maskOf, packRuns, unpackRuns } from "../masks/run-lengths.js";
import { gridOf, randomNumbers, rowsOf } from "./mask-support.js";

const at = (/** @type {number} */ x, /** @type {number} */ y) => ({ x, y });

test("runs are packed as they are unpacked", () => {
  // The strings of the tests beside this one, worked out by hand.
  assert.equal(packRuns([0, 4]), "04");
  assert.equal(packRuns([1, 2, 3, 5, 4]), "12331");
  assert.equal(packRuns([100]), "T3");
  assert.equal(packRuns([1, 5, 1, 2]), "151M");
});

test("any runs come back", () => {
  const random = randomNumbers(7);
  for (let i = 0; i < 200; i += 1) {
    const runs = Array.from({ length: 1 + 30 * random() }, () => Math.floor(10 ** (6 * random())));
    assert.deepEqual(unpackRuns(packRuns(runs)), runs);
  }
});

test("an outline goes down the columns, outside first", () => {
  assert.deepEqual(maskOf(gridOf(".#.", "#..").data, 3), { size: [2, 3], counts: "123" });
  // It begins on the figure: no pixel outside, then three on it, then one.
  assert.deepEqual(maskOf(gridOf("##", "#.").data, 2), { size: [2, 2], counts: "031" });
});

test("an outline is laid where its box is and comes back from there", () => {
  const grid = emptyGrid(5, 4);
  const mask = maskOf(gridOf(".#.", "#..").data, 3);
  layMask(grid, mask, [1, 2, 4, 4]);
  assert.deepEqual(rowsOf(grid), [".....", ".....", "..#..", ".#..."]);
  assert.deepEqual(cutMask(grid, [1, 2, 4, 4]), mask);
  assert.deepEqual(boundsOf(grid), [1, 2, 3, 4]);
  assert.equal(areaOf(grid), 2);
});

test("any outline comes back from any box", () => {
  const random = randomNumbers(11);
  for (let i = 0; i < 50; i += 1) {
    const [width, height] = [1 + Math.floor(20 * random()), 1 + Math.floor(20 * random())];
    const data = Uint8Array.from({ length: width * height }, () => Math.round(random()));
    const [x, y] = [Math.floor(9 * random()), Math.floor(9 * random())];
    const grid = emptyGrid(width + x + 3, height + y + 2);
    const mask = maskOf(data, width);
    layMask(grid, mask, [x, y, x + width, y + height]);
    assert.deepEqual(cutMask(grid, [x, y, x + width, y + height]), mask);
    assert.equal(areaOf(grid), data.reduce((sum, value) => sum + value, 0));
  }
});

test("where there is nothing, there are no bounds", () => {
  assert.equal(boundsOf(emptyGrid(3, 2)), null);
});

test("areas are clipped to the drawing, and joined", () => {
  const grid = emptyGrid(10, 8);
  assert.deepEqual(clipArea(grid, [-2.5, 1.2, 3.1, 99]), [0, 1, 4, 8]);
  assert.equal(clipArea(grid, [10, 0, 12, 4]), null);
  assert.deepEqual(joinAreas([1, 2, 3, 4], [0, 3, 2, 9]), [0, 2, 3, 9]);
  assert.deepEqual(joinAreas(null, [0, 3, 2, 9]), [0, 3, 2, 9]);
});

test("a dot covers the pixels whose middles are within its radius", () => {
  const grid = emptyGrid(5, 5);
  assert.deepEqual(paintStroke(grid, at(2.5, 2.5), at(2.5, 2.5), 1.5, 1), [1, 1, 4, 4]);
  // The corners are at 1.41.
  assert.deepEqual(rowsOf(grid), [".....", ".###.", ".###.", ".###.", "....."]);
  paintStroke(grid, at(2.5, 2.5), at(2.5, 2.5), 1.2, 0);
  assert.deepEqual(rowsOf(grid), [".....", ".#.#.", ".....", ".#.#.", "....."]);
});

test("a fast stroke has no gaps", () => {
  const grid = emptyGrid(40, 30);
  paintLine(grid, [at(2, 2), at(37, 9), at(4, 27)], 1, 1);
  assert.equal(labelParts(grid).counts.length, 2, "one part");
});

test("a stroke is what is near the way from point to point, however it is counted", () => {
  const random = randomNumbers(3);
  for (let i = 0; i < 60; i += 1) {
    const [from, to] = [at(30 * random() - 5, 30 * random() - 5), at(20 * random(), 20 * random())];
    const radius = 0.8 + 6 * random();
    const grid = emptyGrid(20, 20);
    const area = paintStroke(grid, from, to, radius, 1);
    for (let y = 0; y < 20; y += 1) {
      for (let x = 0; x < 20; x += 1) {
        // Nearest of many points on the way.
        let near = Infinity;
        for (let share = 0; share <= 1; share += 1 / 256) {
          const [dx, dy] = [to.x - from.x, to.y - from.y];
          const away = Math.hypot(from.x + share * dx - x - 0.5, from.y + share * dy - y - 0.5);
          near = Math.min(near, away);
        }
        const isOn = grid.data[y * 20 + x] === 1;
        if (Math.abs(near - radius) > 0.05) assert.equal(isOn, near < radius, `${x} ${y}`);
        const isIn = area && x >= area[0] && x < area[2] && y >= area[1] && y < area[3];
        if (isOn) assert.ok(isIn, "the area holds all that changed");
      }
    }
  }
});

test("a stroke beside the drawing paints nothing", () => {
  const grid = emptyGrid(4, 4);
  assert.equal(paintStroke(grid, at(-9, 2), at(-8, 2), 2, 1), null);
  assert.equal(areaOf(grid), 0);
});

test("a cut divides what it goes through, at any angle", () => {
  for (let degrees = 0; degrees < 180; degrees += 7) {
    const grid = { ...emptyGrid(61, 61), data: new Uint8Array(61 * 61).fill(1) };
    const turn = (degrees * Math.PI) / 180;
    const [x, y] = [60 * Math.cos(turn), 60 * Math.sin(turn)];
    const line = [at(30.3 - x, 30.1 - y), at(30.3 + x, 30.1 + y)];
    paintLine(grid, line, slitWidth([0, 0, 61, 61]) / 2, 0);
    const { counts } = labelParts(grid);
    assert.equal(counts.length, 3, `two parts at ${degrees} degrees`);
    assert.ok(counts[1] + counts[2] > 61 * 61 - 61 * 4, "a slit is thin");
  }
});

test("a slit is as wide as the rig needs, and no wider", () => {
  assert.equal(slitWidth(null), 2);
  assert.equal(slitWidth([0, 0, 300, 512]), 2);
  assert.equal(slitWidth([10, 0, 1034, 200]), 3.5);
});
