import assert from "node:assert/strict";
import { test } from "node:test";

import { nameOfParts, readParts, withoutMotions, withPart, writeParts } from "../parts.js";

test("what is as with the others is left out, and a figure of which nothing is left", () => {
  const first = withPart({}, "a", { motion: "walk", start: 0, mirror: undefined });
  assert.deepEqual(first, { a: { motion: "walk" } });
  const second = withPart(first, "a", { mirror: false, start: 1.2 });
  assert.deepEqual(second, { a: { motion: "walk", mirror: false, start: 1.2 } });
  assert.deepEqual(first, { a: { motion: "walk" } }, "nothing is changed in place");
  const third = withPart(second, "a", { motion: null, mirror: null, start: 0 });
  assert.deepEqual(third, {});
});

test("where all do the same, each keeps its time and side", () => {
  const parts = { a: { motion: "walk" }, b: { motion: "hop", start: 2 }, c: { mirror: true } };
  assert.deepEqual(withoutMotions(parts), { b: { start: 2 }, c: { mirror: true } });
});

test("what the server tells of a part has the name of the part", () => {
  const asked = { b: { mirror: true }, a: { motion: "walk", start: 1 } };
  const told = {
    a: { motion: "walk", mirror: null, start: 1, speed: 1 },
    b: { motion: null, mirror: true, start: 0, speed: 1 },
    c: { motion: null, mirror: null, start: 0, speed: 1 },
  };
  assert.deepEqual(nameOfParts(told), nameOfParts(asked));
  assert.notDeepEqual(nameOfParts(told), nameOfParts({ ...asked, a: { motion: "hop", start: 1 } }));
  assert.deepEqual(nameOfParts(undefined), []);
});

test("parts come back from the address, and nonsense does not", () => {
  const parts = { "figure-2": { motion: "own-x_Y", start: 0.3 }, b: { mirror: false } };
  assert.deepEqual(readParts(writeParts(parts)), parts);
  assert.equal(writeParts({}), "");
  for (const said of ["", "a", "a~walk", "a~walk~x~", "a~w lk~0~", "~walk~0~m", "a~~0~"]) {
    assert.deepEqual(readParts(said), {}, said);
  }
  assert.deepEqual(readParts("a~~9.5~"), { a: { start: 3 } }, "not later than the page lets choose");
  assert.equal(Object.keys(readParts(Array(30).fill("a~walk~0~").map((s, i) => `${i}${s}`).join()))
    .length, 20);
});
