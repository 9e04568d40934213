import assert from "node:assert/strict";
import { test } from "node:test";

import { changeBetween, complete, isCompletion, reframe } from "../mending/changes.js";
import { MASK, SKELETON, figure } from "./figures.js";

/** @import { FigureAnnotation } from "../types.js" */

const [A, B] = [figure("a"), figure("b")];

test("what is alike needs no request, in whatever order its parts are named", () => {
  const turned = { ...figure("a"), limbs: { left: "back", right: "front" } };
  const other = { ...figure("a"), limbs: { right: "front", left: "back" } };
  assert.equal(changeBetween([A, B], [figure("a"), figure("b")]), null);
  assert.equal(
    changeBetween(/** @type {any} */ ([turned]), /** @type {any} */ ([other])),
    null,
  );
});

test("one figure is mended by what differs alone", () => {
  const change = changeBetween([A, B], [A, { ...B, hidden: true }]);
  assert.deepEqual(change, { kind: "mend", id: "b", change: { hidden: true } });
});

test("another box goes with the mask and skeleton that there shall be in it", () => {
  const moved = { ...A, score: 1, box: /** @type {FigureAnnotation["box"]} */ ([1, 0, 5, 4]) };
  const kept = { box: [1, 0, 5, 4], mask: MASK, skeleton: SKELETON };
  assert.deepEqual(changeBetween([A], [moved]), { kind: "mend", id: "a", change: kept });
  const anew = { box: [1, 0, 5, 4], mask: null, skeleton: null };
  assert.deepEqual(changeBetween([A], [reframe(A, [1, 0, 5, 4])]), {
    kind: "mend",
    id: "a",
    change: anew,
  });
});

test("what the detector was sure of comes back with the box of before", () => {
  const back = [A];
  const change = changeBetween([{ ...A, box: [1, 0, 5, 4], score: 1 }], back);
  assert.deepEqual(change, { kind: "replace", figures: back });
});

test("a figure that is gone is removed", () => {
  assert.deepEqual(changeBetween([A, B], [B]), { kind: "remove", id: "a" });
});

test("what touches several figures replaces all", () => {
  const both = [{ ...A, hidden: true }, { ...B, hidden: true }];
  assert.deepEqual(changeBetween([A, B], both), { kind: "replace", figures: both });
  assert.deepEqual(changeBetween([A], [A, B]), { kind: "replace", figures: [A, B] });
  assert.deepEqual(changeBetween([A, B], [B, A]), { kind: "replace", figures: [B, A] });
  const goneAndMended = [{ ...B, hidden: true }];
  assert.deepEqual(changeBetween([A, B], goneAndMended), {
    kind: "replace",
    figures: goneAndMended,
  });
});

test("what was found is taken over where it was lacking", () => {
  const lacking = { ...A, mask: null, skeleton: null };
  assert.deepEqual(complete([lacking, B], [A, B]), [A, B]);
  const painted = { ...MASK, counts: "13" };
  const mended = [{ ...A, mask: painted }];
  assert.equal(complete(mended, [A]), mended, "what is there stays");
});

test("a skeleton that was found in another mask is not taken over", () => {
  const painted = { ...A, mask: { ...MASK, counts: "13" }, skeleton: null };
  assert.deepEqual(complete([painted], [A]), [painted]);
});

test("what was found in another box is not taken over", () => {
  const lacking = reframe(A, [1, 0, 5, 4]);
  assert.deepEqual(complete([lacking], [A]), [lacking]);
});

test("completing is told from what people change", () => {
  const lacking = { ...A, mask: null, skeleton: null };
  assert.equal(isCompletion([lacking, B], [A, B]), true);
  assert.equal(isCompletion([lacking, B], [A, { ...B, hidden: true }]), false);
  assert.equal(isCompletion([A, B], [B]), false);
});
