import assert from "node:assert/strict";
import { test } from "node:test";

import { formatsForPlayer, nameOf, requestFor, suffixOf, USUAL, wishForPlayer } from "../wishes.js";

const wish = { ...USUAL, motion: "wave" };

/** What the server tells of a request: every field, also those that were left out. */
const told = (request) => ({
  ...request,
  playback: { trim: null, stay: false, loop: false, then: [], ...request.playback },
  background: { colour: [255, 255, 255], fit: "cover", shadow: false, ...request.background },
  overlays: [],
  max_bytes: null,
});

test("a request says what is wished", () => {
  const asked = requestFor({ ...wish, speed: 2, mirror: true, background: "paper" }, ["webm"]);
  assert.deepEqual(asked, {
    motion: "wave",
    playback: { speed: 2, mirror: true },
    background: { kind: "paper" },
    formats: ["webm"],
    still: 0,
  });
});

test("a film that cannot be clear gets white", () => {
  const clear = /** @type {const} */ ({ ...wish, background: "transparent" });
  assert.equal(requestFor(clear, ["gif"]).background?.kind, "transparent");
  assert.equal(requestFor(clear, ["mp4", "gif"]).background?.kind, "colour");
});

test("the player needs no other track for another speed, or for nothing behind", () => {
  const fast = wishForPlayer({ ...wish, speed: 2, background: "transparent" });
  assert.deepEqual(fast, wish);
  assert.deepEqual(formatsForPlayer(fast), ["track"]);
});

test("paper lies elsewhere in the frame, so it has its own track, and a picture of itself", () => {
  const paper = wishForPlayer({ ...wish, background: "paper" });
  assert.equal(paper.background, "paper");
  assert.deepEqual(formatsForPlayer(paper), ["track", "backdrop"]);
});

test("what the server tells of a request has the name of the request", () => {
  for (const background of /** @type {const} */ (["white", "paper", "transparent"])) {
    const request = requestFor({ ...wish, mirror: true, background }, ["gif"]);
    assert.equal(nameOf(told(request)), nameOf(request));
  }
  const names = [wish, { ...wish, mirror: true }, { ...wish, speed: 2 }, { ...wish, motion: "bow" }];
  assert.equal(new Set(names.map((one) => nameOf(requestFor(one, ["gif"])))).size, names.length);
});

test("what the page would not ask for has no name", () => {
  const plain = told(requestFor(wish, ["gif"]));
  assert.notEqual(nameOf(plain), null);
  for (const other of [
    { still: 4 },
    { max_bytes: 50_000 },
    { overlays: ["bones"] },
    { playback: { ...plain.playback, then: ["walk"] } },
    { playback: { ...plain.playback, trim: [0, 1] } },
    { background: { ...plain.background, colour: [0, 0, 0] } },
    { background: { ...plain.background, kind: "picture" } },
    { background: { ...plain.background, shadow: true } },
  ]) {
    assert.equal(nameOf({ ...plain, ...other }), null, JSON.stringify(other));
  }
});

test("files end as the server names them", () => {
  assert.deepEqual(["gif", "sheet", "gltf", "joints"].map(suffixOf), [
    "gif",
    "sheet.zip",
    "glb",
    "joints.json",
  ]);
});
