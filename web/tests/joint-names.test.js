import assert from "node:assert/strict";
import { test } from "node:test";

import { jointName, limbName } from "../mending/joint-names.js";

test("joints are called by side, end and part", () => {
  assert.equal(jointName("left_elbow"), "left elbow");
  assert.equal(jointName("right_hip_b"), "right hind hip");
  assert.equal(jointName("left_shoulder2"), "left shoulder 2");
  assert.equal(jointName("tail_middle"), "middle of the tail");
  assert.equal(jointName("right_wing_tip"), "right tip of the wing");
});

test("limbs are called by what begins at their first joint", () => {
  assert.equal(limbName("left_shoulder"), "left arm");
  assert.equal(limbName("right_hip_f"), "right front leg");
  assert.equal(limbName("neck"), "head");
});

test("what has no word keeps its own name", () => {
  assert.equal(jointName("left_third_antenna"), "left third antenna");
  assert.equal(limbName("x-7"), "x-7");
});
