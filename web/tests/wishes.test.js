import assert from "node:assert/strict";
import { test } from "node:test";

import {
  BACKDROPS,
  formatsForPlayer,
  nameOf,
  requestFor,
  suffixOf,
  USUAL,
  USUAL_KEEPING,
  wishForPlayer,
} from "../wishes.js";

const wish = { ...USUAL, motion: "wave" };

/** What the server tells of a request: every field, also those that were left out. */
const told = (request) => ({
  ...request,
  playback: { trim: null, fps: null, stay: false, loop: false, then: [], ...request.playback },
  background: { colour: [255, 255, 255], fit: "cover", shadow: false, ...request.background },
  overlays: [],
  max_bytes: null,
  figures: request.figures ?? {},
  plays: request.plays ?? 0,
});

test("a request says what is wished", () => {
  const asked = requestFor({ ...wish, speed: 2, mirror: true, background: "paper" }, ["webm"]);
  assert.deepEqual(asked, {
    motion: "wave",
    playback: { speed: 2, mirror: true },
    background: { kind: "paper" },
    side: 512,
    formats: ["webm"],
    still: 0,
  });
});

test("a request asks for a size, a rate and an end only where a file has them", () => {
  const keeping = { side: 1024, fps: 10, plays: 3 };
  const asked = (format) => {
    const { side, playback, plays } = requestFor(wish, [format], keeping);
    return [side, playback?.fps, plays];
  };
  assert.deepEqual(asked("gif"), [1024, 10, 3]);
  assert.deepEqual(asked("mp4"), [1024, 10, undefined]);
  assert.deepEqual(asked("sheet"), [256, 10, undefined]);
  assert.deepEqual(asked("joints"), [1024, undefined, undefined]);
  assert.deepEqual(asked("track"), [undefined, undefined, undefined]);
});

test("colour, shadow, a part of the clip and what single figures do are asked for", () => {
  const figures = { a: { motion: "bow", start: 1 } };
  const asked = requestFor(
    { ...wish, background: "colour", colour: "#ff8001", shadow: true, trim: [0.5, 2], figures },
    ["gif"],
  );
  assert.deepEqual(asked.background, { kind: "colour", colour: [255, 128, 1], shadow: true });
  assert.deepEqual(asked.playback?.trim, [0.5, 2]);
  assert.deepEqual(asked.figures, figures);
});

test("a film that cannot be clear gets white", () => {
  const clear = /** @type {const} */ ({ ...wish, background: "transparent" });
  assert.equal(requestFor(clear, ["gif"]).background?.kind, "transparent");
  assert.equal(requestFor(clear, ["mp4", "gif"]).background?.kind, "colour");
});

test("the player needs no other track for another speed, or for nothing behind", () => {
  const tinted = /** @type {const} */ ({ background: "colour", colour: "#102030", shadow: true });
  assert.deepEqual(wishForPlayer({ ...wish, ...tinted }), wish);
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
  const wishes = [
    wish,
    { ...wish, mirror: true },
    { ...wish, speed: 2 },
    { ...wish, motion: "bow" },
    { ...wish, trim: [0, 1] },
    { ...wish, shadow: true },
    { ...wish, figures: { a: { mirror: true } } },
    ...BACKDROPS.filter((kind) => kind !== "white").map((background) => ({ ...wish, background })),
  ];
  const keepings = [USUAL_KEEPING, { side: 256 }, { fps: 10 }, { plays: 1 }];
  const requests = wishes.flatMap((one) => keepings.map((how) => requestFor(one, ["gif"], how)));
  for (const request of requests) assert.equal(nameOf(told(request)), nameOf(request));
  assert.equal(new Set(requests.map(nameOf)).size, requests.length);
});

test("what the page would not ask for has no name", () => {
  const plain = told(requestFor(wish, ["gif"]));
  assert.notEqual(nameOf(plain), null);
  for (const other of [
    { still: 4 },
    { max_bytes: 50_000 },
    { overlays: ["bones"] },
    { playback: { ...plain.playback, then: ["walk"] } },
    { playback: { ...plain.playback, stay: true } },
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
