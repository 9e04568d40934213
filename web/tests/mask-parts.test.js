import assert from "node:assert/strict";
import { test } from "node:test";

import { flood, grow } from "../masks/flood.js";
import { fillHoles, isLoose, keepLargest, labelParts, partAt, setFlood } from "../masks/parts.js";
import { gridOf, randomNumbers, rowsOf } from "./mask-support.js";

const PARTS = ["##..#", "#..##", "....#", "#...."];

test("parts hang together side by side, not corner to corner", () => {
  const { label, counts } = labelParts(gridOf("#.#", ".##"));
  assert.deepEqual([...label], [1, 0, 2, 0, 2, 2]);
  assert.deepEqual(counts, [0, 1, 3]);
});

test("rows that end and begin on the figure do not hang together", () => {
  assert.deepEqual(labelParts(gridOf("..#", "#..")).counts, [0, 1, 1]);
  assert.equal(partAt(gridOf("..#", "#.."), 2).count, 1);
});

test("a flood finds the part that was labelled", () => {
  const random = randomNumbers(5);
  for (let i = 0; i < 40; i += 1) {
    const [width, height] = [1 + Math.floor(15 * random()), 1 + Math.floor(15 * random())];
    const data = Uint8Array.from({ length: width * height }, () => (random() < 0.6 ? 1 : 0));
    const grid = { width, height, data };
    const { label, counts } = labelParts(grid);
    const seed = data.indexOf(1);
    if (seed < 0) continue;
    const { reached, count, area } = partAt(grid, seed);
    assert.deepEqual([...reached], [...label].map((part) => (part === label[seed] ? 1 : 0)));
    assert.equal(count, counts[label[seed]]);
    const columns = [...reached].flatMap((on, at) => (on ? [at % width] : []));
    assert.equal(area?.[0], Math.min(...columns));
    assert.equal(area?.[2], Math.max(...columns) + 1);
  }
});

test("a flood that may not begin reaches nothing", () => {
  assert.deepEqual(flood({ width: 2, height: 1 }, 0, () => false), {
    reached: new Uint8Array(2),
    count: 0,
    area: null,
  });
});

test("a part is taken away", () => {
  const grid = gridOf(...PARTS);
  assert.deepEqual(setFlood(grid, partAt(grid, 4)), [3, 0, 5, 3]);
  assert.deepEqual(rowsOf(grid), ["##...", "#....", ".....", "#...."]);
});

test("all but the largest part can be taken away", () => {
  const grid = gridOf(...PARTS);
  assert.equal(isLoose(grid, 0), true);
  assert.equal(isLoose(grid, 4), false);
  assert.equal(keepLargest(grid).removed, 2);
  assert.deepEqual(rowsOf(grid), ["....#", "...##", "....#", "....."]);
  assert.deepEqual(keepLargest(grid), { area: null, removed: 0 });
});

test("holes are filled, bays are not", () => {
  const grid = gridOf("####.", "#..#.", "###..", "#.#.#", "#.###");
  assert.equal(fillHoles(grid).filled, 1);
  assert.deepEqual(rowsOf(grid), ["####.", "####.", "###..", "#.#.#", "#.###"]);
});

test("holes that are too large stay open", () => {
  const grid = gridOf("######", "#.##.#", "####.#", "######");
  assert.equal(fillHoles(grid, 1).filled, 1);
  assert.deepEqual(rowsOf(grid), ["######", "####.#", "####.#", "######"]);
  assert.deepEqual(fillHoles(gridOf("..", "..")), { area: null, filled: 0 });
});

test("what grows reaches as far along rows and columns", () => {
  const grid = gridOf("......", ".#....", "......", ".....#");
  const grown = { ...grid, data: grow(grid.data, 6, 1) };
  assert.deepEqual(rowsOf(grown), ["###...", "###...", "###.##", "....##"]);
});
