/** What mending an outline costs the page, in processor time: `node benchmarks/outlines.mjs`. */

import { addByMagic } from "../web/masks/fill.js";
import { boundsOf, cutMask, emptyGrid, layMask } from "../web/masks/grid.js";
import { paintLine } from "../web/masks/paint.js";
import { fillHoles, labelParts } from "../web/masks/parts.js";
import { readPicture } from "../web/masks/picture.js";
import { areaInView, paintView, sampling } from "../web/masks/view.js";

/** Pixels of the drawing; the figure is a disc of 1,000 across, drawn as a ring. */
const SIDE = 1200;
const MIDDLE = { x: SIDE / 2, y: SIDE / 2 };
const RADIUS = 500;

/** The largest brush on the screen of a phone that shows all of the drawing, pixels of the drawing. */
const BRUSH = 165;

/** How far a finger moves between two events, pixels of the drawing. */
const STEP = 20;

const ROUNDS = 60;

const grid = emptyGrid(SIDE, SIDE);
paintLine(grid, [MIDDLE], RADIUS, 1);
const how = { ...sampling(grid), line: 4 };
const box = /** @type {[number, number, number, number]} */ (boundsOf(grid));
const mask = cutMask(grid, box);
const whole = new Uint32Array(how.width * how.height);
const pixels = drawRing();
const picture = readPicture(pixels);

const questions = {
  "one event of a stroke with the largest brush": (/** @type {number} */ i) => stroke(i),
  "what it changed, painted": (/** @type {number} */ i) => paint(stroke(i)),
  "all of the outline, painted": () => paintView(grid, how, [0, 0, how.width, how.height], whole),
  "its run lengths, written": () => cutMask(grid, box),
  "its run lengths, read": () => layMask(emptyGrid(SIDE, SIDE), mask, box),
  "its parts, found": () => labelParts(grid),
  "its holes, filled": () => fillHoles(grid),
  "paint, told from paper": () => readPicture(pixels),
  "the paper inside the ring, added by magic": () => {
    addByMagic(emptyGrid(SIDE, SIDE), picture, { ...MIDDLE, reach: 7, tolerance: 0.5 });
  },
};
for (const [name, act] of Object.entries(questions)) {
  console.log(`${processorTime(act).toFixed(2).padStart(8)} ms  ${name}`);
}

/** @param {number} i */
function stroke(i) {
  const x = MIDDLE.x - RADIUS + 3 * i;
  return paintLine(grid, [{ x, y: 300 }, { x: x + STEP, y: 310 }], BRUSH, i % 2 === 0 ? 1 : 0);
}

/** @param {ReturnType<typeof stroke>} changed */
function paint(changed) {
  if (!changed) return;
  const area = areaInView(how, changed);
  paintView(grid, how, area, new Uint32Array((area[2] - area[0]) * (area[3] - area[1])));
}

function drawRing() {
  const ring = emptyGrid(SIDE, SIDE);
  paintLine(ring, [MIDDLE], RADIUS, 1);
  paintLine(ring, [MIDDLE], RADIUS - 8, 0);
  const data = new Uint8ClampedArray(4 * SIDE * SIDE).fill(245);
  ring.data.forEach((isInk, at) => isInk && data.fill(30, 4 * at, 4 * at + 3));
  return { width: SIDE, height: SIDE, data };
}

/**
 * @param {(round: number) => unknown} act
 * @returns {number} milliseconds of one round, after some to warm up
 */
function processorTime(act) {
  for (let i = 0; i < 10; i += 1) act(i);
  const begun = process.cpuUsage();
  for (let i = 0; i < ROUNDS; i += 1) act(i);
  return process.cpuUsage(begun).user / 1000 / ROUNDS;
}
