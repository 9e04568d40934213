import assert from "node:assert/strict";
import { test } from "node:test";

import { areaOf, emptyGrid } from "../masks/grid.js";
import { addByMagic, removeByMagic } from "../masks/fill.js";
import { PAINT, readPicture } from "../masks/picture.js";
import { pictureOf } from "./mask-support.js";

const SIZE = 6; // pixels across a letter

// A ring with a gap of nothing, a red patch beside it, a faint end of its line, and a blue stroke.
const DRAWN = [
  "................",
  "..######....rrr.",
  "..#....#....rpr.",
  "..#....#....rrr.",
  "..######........",
  "......#.....bbb.",
  "......#.........",
  "......+.........",
  "......+.........",
  "................",
];

const picture = readPicture(pictureOf(SIZE, ...DRAWN));

/** @type {(column: number, row: number) => { x: number, y: number }} the middle of a letter */
const middle = (column, row) => ({ x: SIZE * (column + 0.5), y: SIZE * (row + 0.5) });

const grid = () => emptyGrid(picture.width, picture.height);

/** @type {(on: import("../masks/grid.js").Grid) => string[]} letters whose middle is on the figure */
const lettersOf = (on) =>
  DRAWN.map((row, j) =>
    [...row]
      .map((_, i) => (on.data[SIZE * (j + 0.5) * on.width + SIZE * (i + 0.5)] ? "#" : "."))
      .join(""),
  );

/** @type {(on: import("../masks/grid.js").Grid, column: number, row: number) => string} */
const add = (on, column, row) =>
  addByMagic(on, picture, { ...middle(column, row), reach: 1, tolerance: 0.5 }).kind;

/** @type {(on: import("../masks/grid.js").Grid, column: number, row: number) => string} */
const remove = (on, column, row) =>
  removeByMagic(on, picture, { ...middle(column, row), reach: 1, tolerance: 0.5 }).kind;

test("paper is nowhere paint, and paint everywhere", () => {
  DRAWN.forEach((row, j) =>
    [...row].forEach((letter, i) => {
      const strength = picture.strength[SIZE * (j + 0.5) * picture.width + SIZE * (i + 0.5)];
      assert.equal(strength >= PAINT, letter !== ".", `${letter} at ${i} ${j}`);
    }),
  );
});

test("a shadow over half the sheet is no paint", () => {
  const pixels = pictureOf(SIZE, "................", "..#..........#..", "................");
  for (let at = 0; at < pixels.data.length; at += 4) {
    const shade = 1 - (0.5 * ((at / 4) % pixels.width)) / pixels.width;
    for (let c = 0; c < 3; c += 1) pixels.data[at + c] *= shade;
  }
  const { strength, width } = readPicture(pixels);
  const row = strength.subarray(width * SIZE * 1.5, width * (SIZE * 1.5 + 1));
  const inked = [...row].flatMap((value, x) => (value >= PAINT ? [Math.floor(x / SIZE)] : []));
  assert.deepEqual([...new Set(inked)], [2, 13]);
});

test("chalk on a dark sheet is paint", () => {
  const pixels = pictureOf(SIZE, "########", "#..#####", "########", "########");
  const { strength, width } = readPicture(pixels);
  assert.ok(strength[width * SIZE * 1.5 + SIZE * 1.5] >= PAINT);
  assert.ok(strength[width * SIZE * 2.5 + SIZE * 5.5] < PAINT);
});

test("a touched line is added with its faint end, and nothing else", () => {
  const on = grid();
  assert.equal(add(on, 2, 2), "added");
  assert.deepEqual(lettersOf(on), [
    "................",
    "..######........",
    "..#....#........",
    "..#....#........",
    "..######........",
    "......#.........",
    "......#.........",
    "......#.........",
    "......#.........",
    "................",
  ]);
  assert.equal(add(on, 6, 6), "none", "touched again, it stays");
  assert.equal(remove(on, 6, 6), "removed");
  assert.equal(areaOf(on), 0);
});

test("a patch is added whatever the pressure of the crayon", () => {
  const on = grid();
  assert.equal(add(on, 12, 1), "added");
  const letters = lettersOf(on);
  assert.deepEqual(letters.slice(1, 4), Array(3).fill("............###."));
  assert.ok(!letters[5].includes("#"), "another colour stays out");
});

test("paper inside a line is added; what no line encloses is not", () => {
  const on = grid();
  assert.equal(add(on, 4, 2), "added");
  assert.deepEqual(lettersOf(on).slice(1, 5), [
    "................",
    "...####.........",
    "...####.........",
    "................",
  ]);
  const before = areaOf(on);
  assert.equal(add(on, 0, 0), "open");
  assert.equal(areaOf(on), before);
});

test("paper in an arm that the picture cuts off is added", () => {
  const arm = [...Array(9).fill("................"), "............####", "............#...", "............####"];
  const rows = [...arm, ...Array(4).fill("................")];
  const on = emptyGrid(16 * SIZE, 16 * SIZE);
  const where = { ...middle(14, 10), reach: 1, tolerance: 0.5 };
  assert.equal(addByMagic(on, readPicture(pictureOf(SIZE, ...rows)), where).kind, "added");
});

test("a sheet on a dark table is not the inside of anything", () => {
  const rows = ["################", ...Array(8).fill("#..............#"), "################"];
  const on = emptyGrid(16 * SIZE, 10 * SIZE);
  const where = { ...middle(5, 5), reach: 1, tolerance: 0.5 };
  assert.equal(addByMagic(on, readPicture(pictureOf(SIZE, ...rows)), where).kind, "open");
});

test("a line with a small gap still encloses", () => {
  const side = 40;
  const pixels = pictureOf(1, ...Array(8 * side).fill(".".repeat(8 * side)));
  const ink = (/** @type {number} */ x, /** @type {number} */ y) =>
    pixels.data.set([0, 0, 0], 4 * (y * 8 * side + x));
  for (let i = 0; i <= 4 * side; i += 1) {
    for (const thick of [0, 1, 2]) {
      ink(2 * side + i, 2 * side + thick);
      ink(2 * side + i, 6 * side + thick);
      ink(2 * side + thick, 2 * side + i);
      if (i !== 50) ink(6 * side + thick, 2 * side + i); // a gap of one pixel
    }
  }
  const on = emptyGrid(8 * side, 8 * side);
  const where = { x: 4 * side, y: 4 * side, reach: 1, tolerance: 0.5 };
  assert.equal(addByMagic(on, readPicture(pixels), where).kind, "added");
  const share = areaOf(on) / (4 * side) ** 2;
  assert.ok(share > 0.9 && share < 1.1, `${share} of the square`);
});

test("a touch near a line means the line", () => {
  const on = grid();
  const beside = { x: SIZE * 13, y: SIZE * 6.5, reach: SIZE, tolerance: 0.5 };
  assert.equal(addByMagic(on, picture, beside).kind, "added");
  assert.equal(lettersOf(on)[5], "............###.");
});

test("the soft edge of a line belongs to it, and the paper beside it does not", () => {
  const pixels = pictureOf(1, ...Array(40).fill(`${".".repeat(18)}####${".".repeat(18)}`));
  for (let y = 0; y < 40; y += 1) pixels.data.fill(232, 4 * (y * 40 + 22), 4 * (y * 40 + 22) + 3);
  const on = emptyGrid(40, 40);
  addByMagic(on, readPicture(pixels), { x: 20, y: 20, reach: 0, tolerance: 0.5 });
  const row = Array.from(on.data.subarray(20 * 40, 21 * 40));
  assert.deepEqual([row.indexOf(1), row.lastIndexOf(1)], [18, 22]);
});

test("paper that was taken for the figure goes, up to the lines and the outline's edge", () => {
  const on = grid();
  on.data.fill(1, 0, on.width * on.height);
  assert.equal(remove(on, 4, 2), "removed");
  assert.equal(lettersOf(on)[2], "###....#########", "inside the ring");
  assert.equal(remove(on, 0, 9), "removed");
  assert.equal(lettersOf(on)[2], "..#....#....###.", "outside");
});

test("what is not on the figure cannot be taken away", () => {
  assert.equal(remove(grid(), 2, 2), "none");
});

test("a touch near a line that is there already means the paper inside it", () => {
  const on = grid();
  add(on, 2, 2);
  const inside = { x: SIZE * 3.5, y: SIZE * 2.5, reach: SIZE, tolerance: 0.5 };
  assert.equal(addByMagic(on, picture, inside).kind, "added");
  assert.equal(lettersOf(on)[2], "..######........");
});

test("a loose part goes as a whole", () => {
  const on = grid();
  on.data.fill(1, 0, 3 * on.width);
  on.data.fill(1, 20 * on.width, 20 * on.width + 5);
  const loose = { x: 2, y: 20.5, reach: 0, tolerance: 0.5 };
  assert.deepEqual(removeByMagic(on, picture, loose), { kind: "removed", area: [0, 20, 5, 21] });
});

test("a drawing larger than the picture of it is filled at its own size", () => {
  const on = emptyGrid(3 * picture.width, 3 * picture.height);
  const { x, y } = middle(12, 5);
  const where = { x: 3 * x, y: 3 * y, reach: 1, tolerance: 0.5 };
  assert.equal(addByMagic(on, picture, where).kind, "added");
  assert.equal(areaOf(on), 9 * 3 * SIZE * SIZE);
});

test("beside the drawing nothing happens", () => {
  const beside = { x: -3, y: 2, reach: 1, tolerance: 0.5 };
  for (const act of [addByMagic, removeByMagic]) {
    assert.deepEqual(act(grid(), picture, beside), { kind: "none", area: null });
  }
});
