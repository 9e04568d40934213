import assert from "node:assert/strict";
import { test } from "node:test";

import { advance, SHOWN_STEPS, START } from "../progress.js";
import { strings } from "../strings.js";

/** @param {string} step @param {number} progress */
const event = (step, progress) => ({ job: "j", state: "running", step, progress, problem: null });

test("reading is the first half, animating the second", () => {
  const read = advance(START, event("detecting", 0.4), "reading");
  assert.deepEqual(read, { step: 1, share: 0.2 });
  assert.deepEqual(advance(read, event("drawing", 0.5), "animating"), { step: 5, share: 0.75 });
});

test("neither step nor share goes back when the second job begins by reading", () => {
  const read = advance(START, event("outlining", 1), "reading");
  assert.deepEqual(advance(read, event("reading", 0), "animating"), { step: 2, share: 0.5 });
});

test("waiting is before the first step", () => {
  assert.deepEqual(advance(START, event("waiting", 0), "reading"), { step: -1, share: 0 });
});

test("every step that is shown has its words", () => {
  for (const step of [...SHOWN_STEPS, "waiting"]) assert.ok(strings.steps[step], step);
});
