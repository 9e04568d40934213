import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { dirname, join, normalize } from "node:path";
import { test } from "node:test";

const WEB = new URL("..", import.meta.url).pathname;
const read = (path) => readFileSync(join(WEB, path), "utf-8");

/** What a module needs before it can begin, and what that needs. */
function needed(path, found = new Set()) {
  if (found.has(path)) return found;
  found.add(path);
  for (const [, from] of read(path).matchAll(/^(?:import|export) [^;]*?from "(\..*?)";/gms)) {
    needed(normalize(join(dirname(path), from)), found);
  }
  return found;
}

test("the browser is told of all modules of the first page at once, and of no others", () => {
  const html = read("index.html");
  const told = [...html.matchAll(/rel="modulepreload" href="\/(.*?)"/g)].map(([, path]) => path);
  assert.deepEqual(told.toSorted(), [...needed("app.js")].toSorted());
});
