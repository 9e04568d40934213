import assert from "node:assert/strict";
import { test } from "node:test";

import { newTraceparent } from "../trace.js";

test("each call has a number of its own, in the form that servers know", () => {
  const made = Array.from({ length: 100 }, newTraceparent);
  for (const one of made) assert.match(one, /^00-[0-9a-f]{32}-[0-9a-f]{16}-01$/);
  assert.equal(new Set(made.map((one) => one.slice(3, 35))).size, 100);
});
