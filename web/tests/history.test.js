import assert from "node:assert/strict";
import { test } from "node:test";

import { amend, begin, LONGEST, redo, step, undo } from "../mending/history.js";

const three = () => step(step(begin("a"), "b", "to b"), "c", "to c");

test("each step is taken back in turn, and done again in turn", () => {
  const back = undo(undo(three()));
  assert.equal(back.present, "a");
  assert.equal(undo(back), back, "there is nothing before the first");
  const again = redo(redo(back));
  assert.deepEqual(again, three());
  assert.equal(redo(again), again, "there is nothing after the last");
});

test("a step says on both sides what it did", () => {
  assert.deepEqual(undo(three()).future, [{ thing: "c", what: "to c" }]);
  assert.deepEqual(undo(three()).past, [{ thing: "a", what: "to b" }]);
});

test("another step after taking back forgets what was taken back", () => {
  const other = step(undo(three()), "d", "to d");
  assert.equal(other.present, "d");
  assert.deepEqual(other.future, []);
  assert.equal(undo(other).present, "b");
});

test("what is learned holds in every moment and is no step", () => {
  const learned = amend(undo(three()), (thing) => thing.toUpperCase());
  assert.equal(learned.present, "B");
  assert.equal(undo(learned).present, "A");
  assert.equal(redo(learned).present, "C");
  assert.equal(learned.past.length, 1);
});

test("only so many steps are kept, the newest", () => {
  let history = begin(0);
  for (let i = 1; i <= LONGEST + 5; i += 1) history = step(history, i, "");
  assert.equal(history.past.length, LONGEST);
  for (let i = 0; i < LONGEST + 5; i += 1) history = undo(history);
  assert.equal(history.present, 5);
});
