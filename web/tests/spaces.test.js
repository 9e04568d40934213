import assert from "node:assert/strict";
import { test } from "node:test";

import {
  drag,
  fit,
  fromFigure,
  inDrawing,
  onScreen,
  pinch,
  settle,
  toDrawing,
  toFigure,
  toScreen,
  windowOf,
  zoom,
} from "../spaces.js";

const TEN = { beside: 10, above: 10, below: 10 };
const VIEW = { scale: 2, x: 30, y: -10 };

test("a point of the drawing is on the screen where the view says, and back", () => {
  const screen = toScreen(inDrawing(100, 50), VIEW);
  assert.deepEqual(screen, { x: 230, y: 90 });
  assert.deepEqual(toDrawing(screen, VIEW), { x: 100, y: 50 });
});

test("figure space begins at the corner of the box", () => {
  const inside = toFigure(inDrawing(15, 28), [10, 20, 40, 60]);
  assert.deepEqual(inside, { x: 5, y: 8 });
  assert.deepEqual(fromFigure(inside, [10, 20, 40, 60]), { x: 15, y: 28 });
});

test("a fitted box touches the margin on its longer side and is in the middle", () => {
  // 100 x 50 pixels in 220 x 200 less 10 on each side: twice as large, 200 x 100.
  const view = fit([0, 0, 100, 50], { width: 220, height: 200 }, TEN);
  assert.deepEqual(view, { scale: 2, x: 10, y: 50 });
  const other = fit([100, 50, 200, 100], { width: 220, height: 200 }, TEN);
  assert.deepEqual(other, { scale: 2, x: -190, y: -50 });
});

test("a box is in the middle of what the margins leave", () => {
  // 100 x 50 in 200 x 100: twice as large, and the margin below is 60 wider than that above.
  const margin = { beside: 10, above: 20, below: 80 };
  const view = fit([0, 0, 100, 50], { width: 220, height: 200 }, margin);
  assert.deepEqual(view, { scale: 2, x: 10, y: 20 });
});

test("a board without room still has a view", () => {
  const { scale } = fit([0, 0, 100, 50], { width: 0, height: 0 }, TEN);
  assert.ok(scale > 0);
});

test("what is zoomed at stays in its place", () => {
  const at = onScreen(130, 70);
  const before = toDrawing(at, VIEW);
  const view = zoom(VIEW, at, 1.5);
  assert.equal(view.scale, 3);
  assert.deepEqual(toDrawing(at, view), before);
});

test("a drag moves the drawing with the finger", () => {
  assert.deepEqual(drag(VIEW, onScreen(10, 10), onScreen(25, 4)), { scale: 2, x: 45, y: -16 });
});

test("after a pinch each finger is over what it was over", () => {
  /** @type {[ReturnType<typeof onScreen>, ReturnType<typeof onScreen>]} */
  const from = [onScreen(100, 100), onScreen(200, 100)];
  /** @type {[ReturnType<typeof onScreen>, ReturnType<typeof onScreen>]} */
  const to = [onScreen(60, 140), onScreen(360, 140)];
  const view = pinch(VIEW, from, to);
  assert.equal(view.scale, 6);
  from.forEach((finger, i) => {
    const [before, after] = [toDrawing(finger, VIEW), toDrawing(to[i] ?? finger, view)];
    assert.ok(Math.hypot(before.x - after.x, before.y - after.y) < 1e-9);
  });
});

test("the window is what of the drawing the board shows", () => {
  const seen = windowOf(VIEW, { width: 300, height: 200 });
  assert.deepEqual(seen, { x: -15, y: 5, width: 150, height: 100 });
});

test("a view cannot lose the drawing, nor become too small or too large", () => {
  const [drawing, board] = [{ width: 100, height: 100 }, { width: 400, height: 400 }];
  const lost = settle({ scale: 4, x: 9000, y: -9000 }, drawing, board);
  assert.deepEqual(lost, { scale: 4, x: 200, y: -200 });
  assert.equal(settle({ scale: 0.001, x: 0, y: 0 }, drawing, board).scale, 0.6 * 4);
  assert.equal(settle({ scale: 999, x: 0, y: 0 }, drawing, board).scale, 12);
});

test("a view that is well stays as it is", () => {
  const view = { scale: 4, x: 20, y: 30 };
  assert.deepEqual(settle(view, { width: 100, height: 100 }, { width: 400, height: 400 }), view);
});
