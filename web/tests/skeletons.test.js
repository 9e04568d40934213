import assert from "node:assert/strict";
import { test } from "node:test";

import {
  addLimb,
  isArm,
  knotsOf,
  layTemplate,
  limbOf,
  limbsOf,
  limbsToAdd,
  moveJoints,
  orderFor,
  removeLimbs,
  swapSides,
} from "../mending/skeletons.js";
import { inFigure } from "../spaces.js";

/** @import { Skeleton, SkeletonTemplate } from "../types.js" */

/** Name, parent, x, y. @type {[string, string | null, number, number][]} */
const BODY = [
  ["root", null, 50, 60],
  ["hip", "root", 50, 60],
  ["torso", "hip", 50, 40],
  ["neck", "torso", 50, 20],
  ["right_shoulder", "torso", 40, 40],
  ["right_hand", "right_shoulder", 10, 40],
  ["left_shoulder", "torso", 60, 40],
  ["left_hand", "left_shoulder", 90, 40],
  ["left_hip", "root", 55, 60],
  ["left_foot", "left_hip", 55, 95],
];

/** @type {Skeleton} */
const SKELETON = {
  joints: BODY.map(([name, parent, x, y]) => ({ name, parent, x, y, score: 0.5 })),
};

const names = (/** @type {Skeleton} */ { joints }) => joints.map(({ name }) => name);
const at = (/** @type {Skeleton} */ { joints }, /** @type {string} */ wanted) => {
  const joint = joints.find(({ name }) => name === wanted);
  return joint && [joint.x, joint.y];
};

test("joints in one place are one knot, others are their own", () => {
  const knots = knotsOf(SKELETON).map((knot) => knot.map(({ name }) => name));
  assert.deepEqual(knots[0], ["root", "hip"]);
  assert.equal(knots.length, BODY.length - 1);
});

test("strangers in one place are two knots", () => {
  const met = moveJoints(SKELETON, new Set(["left_hand"]), inFigure(10, 40));
  assert.equal(knotsOf(met).length, BODY.length - 1);
});

test("what is moved by hand is certain, and the rest stays", () => {
  const moved = moveJoints(SKELETON, new Set(["root", "hip"]), inFigure(51, 62));
  assert.deepEqual([at(moved, "root"), at(moved, "hip"), at(moved, "torso")], [
    [51, 62],
    [51, 62],
    [50, 40],
  ]);
  assert.deepEqual(moved.joints.map(({ score }) => score).slice(0, 3), [1, 1, 0.5]);
});

test("limbs begin where they hang on the body, and the head is one", () => {
  const limbs = limbsOf(SKELETON);
  assert.deepEqual(
    limbs.map(({ name }) => name),
    ["neck", "right_shoulder", "left_shoulder", "left_hip"],
  );
  assert.equal(limbOf(SKELETON, "left_foot")?.name, "left_hip");
  assert.equal(limbOf(SKELETON, "torso"), undefined);
  assert.deepEqual(limbs.filter(isArm).map(({ name }) => name), ["right_shoulder", "left_shoulder"]);
});

test("a figure without arms keeps everything else", () => {
  const armless = removeLimbs(SKELETON, limbsOf(SKELETON).filter(isArm));
  assert.deepEqual(names(armless), ["root", "hip", "torso", "neck", "left_hip", "left_foot"]);
});

test("swapping sides leaves joints in their places, under the other name", () => {
  const swapped = swapSides(SKELETON);
  assert.deepEqual(at(swapped, "left_hand"), [10, 40]);
  assert.deepEqual(at(swapped, "right_hand"), [90, 40]);
  assert.deepEqual(at(swapped, "right_foot"), [55, 95]);
  assert.equal(at(swapped, "left_foot"), undefined);
  assert.deepEqual(names(swapped).slice(0, 8), names(SKELETON).slice(0, 8), "the order stays");
  const back = swapSides(swapped);
  assert.deepEqual(names(back), names(SKELETON));
});

/** @type {SkeletonTemplate} */
const TAILED = {
  name: "tail",
  title: "Tail",
  joints: [
    { name: "root", parent: null, x: 0.5, y: 0.6 },
    { name: "tail", parent: "root", x: 0.75, y: 0.7 },
    { name: "tail_tip", parent: "tail", x: 1, y: 0.7 },
    { name: "neck", parent: "root", x: 0.5, y: 0.2 },
  ],
};
const BOUNDS = { x: 10, y: 20, width: 80, height: 100 };

test("a template is laid into the bounds of the paint", () => {
  const laid = layTemplate(TAILED, BOUNDS);
  assert.deepEqual(at(laid, "root"), [50, 80]);
  assert.deepEqual(at(laid, "tail_tip"), [90, 90]);
});

test("a limb can be added that is lacking, and taken off again", () => {
  const [tail, ...others] = limbsToAdd(SKELETON, [TAILED, TAILED], BOUNDS);
  assert.ok(tail);
  assert.deepEqual([tail.name, others.length], ["tail", 0], "the head is there already");
  const tailed = addLimb(SKELETON, tail);
  assert.deepEqual(at(tailed, "tail_tip"), [90, 90]);
  assert.deepEqual(limbsToAdd(tailed, [TAILED], BOUNDS), []);
  assert.deepEqual(removeLimbs(tailed, [tail]), SKELETON);
});

test("a limb whose place on the body is missing cannot be added", () => {
  const rootless = { joints: [{ name: "blob", parent: null, x: 0, y: 0, score: 1 }] };
  assert.deepEqual(limbsToAdd(rootless, [TAILED], BOUNDS), []);
});

test("the draw order goes with the limbs", () => {
  const order = { left_shoulder: "front", tail: "back" };
  assert.deepEqual(orderFor(order, SKELETON), { left_shoulder: "front" });
});
