import assert from "node:assert/strict";
import { test } from "node:test";

import { cast, castShadows, heightOf } from "../shadow.js";

/** Two frames of a square of 100 counts; in the second it is 50 counts higher up. */
const square = [0, 0, 100, 0, 100, 100, 0, 100];
const figure = {
  vertices: 4,
  places: Uint16Array.from([...square, ...square].map((v, i) => (i % 2 && i < 8 ? v + 50 : v))),
  origin: /** @type {[number, number]} */ ([10, 20]),
  step: 0.5,
  texels: Float32Array.from([0, 0, 1, 0, 1, 1, 0, 1]),
  triangles: Uint16Array.from([0, 1, 2, 2, 3, 0]),
  groups: new Uint32Array(),
  order: new Uint8Array(),
  texture: new Uint8Array(),
};

test("a figure is as high as its texture is drawn", () => {
  assert.equal(heightOf(figure, 1), 50);
});

test("a shadow lies where the clip comes lowest, under what is near the ground", () => {
  const { x, y, widths } = cast(figure, 2, 50);
  assert.equal(y, 20 + 0.5 * 150);
  assert.ok(Math.abs((x[0] ?? 0) - 35) < 1e-4, "in the middle of both feet");
  // They stand 25 pixels off the middle, and half the width is 2.2 times that.
  assert.ok(Math.abs((widths[0] ?? 0) - 2.2 * 25) < 1e-3);
});

test("it is darkest under who stands, and fades under who jumps", () => {
  const { darkness } = cast(figure, 2, 50);
  assert.ok(Math.abs((darkness[0] ?? 0) - 0.42) < 1e-6);
  assert.ok(Math.abs((darkness[1] ?? 0) - 0.42 * Math.exp(-0.5 / 0.4)) < 1e-6);
});

test("each figure of a clip casts its own", () => {
  const clip = { fps: 10, frames: 2, width: 80, height: 100, background: null };
  assert.equal(castShadows({ ...clip, figures: [figure, figure] }, [1, 1]).length, 2);
});
