import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { test } from "node:test";
import { deflateSync, inflateSync } from "node:zlib";

import { TrackError } from "../packed.js";
import { poseBones, readPreviews } from "../previews.js";

// Written by Python's `pack_previews`, and told by its `read_previews` and `skin_figure`:
// tests/unit/web/test_previews_file.py.
const file = (name) => readFileSync(new URL(name, import.meta.url));
const written = new Uint8Array(file("written.previews"));
const told = JSON.parse(file("written-previews.json").toString());
const payload = new Uint8Array(inflateSync(written.subarray(12)));

/** @param {Uint8Array} data */
function pack(data) {
  const head = Buffer.alloc(12);
  head.write("ANVP");
  head.writeUInt16LE(1, 4);
  head.writeUInt32LE(data.length, 8);
  return new Uint8Array(Buffer.concat([head, deflateSync(data)]));
}

/** Where the vertices are at an instant, by the bones as the painter gets them. */
function skin(figure, clip, time) {
  const moves = new Float32Array(6 * figure.parents.length);
  poseBones(figure, clip, time, moves);
  const places = [];
  for (let vertex = 0; vertex < figure.vertices; vertex += 1) {
    const [x, y] = [figure.rest[2 * vertex], figure.rest[2 * vertex + 1]];
    for (const row of [0, 3]) {
      let place = 0;
      for (let i = 4 * vertex; i < 4 * vertex + 4; i += 1) {
        const bone = 6 * figure.bones[i] + row;
        const share = figure.shares[i] / 255;
        place += share * (moves[bone] * x + moves[bone + 1] * y + moves[bone + 2]);
      }
      places.push(place);
    }
  }
  return places;
}

test("what Python wrote is read as Python reads it", async () => {
  const figures = await readPreviews(written);
  assert.equal(figures.length, told.length);
  figures.forEach((figure, f) => {
    const expected = told[f];
    assert.equal(figure.id, expected.id);
    assert.equal(new TextDecoder().decode(figure.texture), expected.texture);
    figure.texels.forEach((texel, i) => assert.ok(Math.abs(texel - expected.texels[i]) < 1e-4));
    for (const name of ["parents", "bones", "shares", "triangles", "starts"]) {
      assert.deepEqual([...figure[name]], expected[name], name);
    }
    const clips = [...figure.clips.values()];
    assert.deepEqual(
      clips.map(({ name, loops, fps, still, view: { x, y, side }, groups, order }) => ({
        name,
        loops,
        fps,
        still,
        view: [x, y, side],
        groups: [...groups],
        order: [...order],
      })),
      expected.clips.map(({ moved, ...clip }) => clip),
    );
  });
});

test("vertices go where Python says that they go", async () => {
  const [figure] = await readPreviews(written);
  for (const { name, moved } of told[0].clips) {
    const clip = figure.clips.get(name);
    const places = Array.from({ length: clip.frames }, (_, frame) => skin(figure, clip, frame)).flat();
    assert.equal(places.length, moved.length);
    places.forEach((place, i) => assert.ok(Math.abs(place - moved[i]) < 1e-3, `${name} ${i}`));
  }
});

test("between two frames the figure is between them, and a loop goes on over its seam", async () => {
  const [figure] = await readPreviews(written);
  const [loop, once] = [...figure.clips.values()];
  const near = (a, b) => Math.max(...a.map((place, i) => Math.abs(place - b[i])));
  const nearly = skin(figure, loop, loop.frames - 1e-4);
  assert.ok(near(nearly, skin(figure, loop, 0)) < 0.01, "the last frame leads into the first");
  const end = skin(figure, once, once.frames - 1);
  assert.ok(near(skin(figure, once, once.frames - 0.01), end) < 1e-6, "it stays where it ends");
  const steps = [0, 0.25, 0.5, 0.75, 1].map((time) => skin(figure, loop, time));
  steps.slice(1).forEach((step, i) => assert.ok(near(step, steps[i]) < near(steps[0], steps[4]) + 1));
});

test("a file that was cut off, or is another one, is refused", async () => {
  for (let length = 0; length < payload.length; length += 7) {
    await assert.rejects(readPreviews(pack(payload.slice(0, length))), TrackError, `${length}`);
  }
  await assert.rejects(readPreviews(pack(new Uint8Array([...payload, 0]))), /bytes of nothing/);
  const track = new Uint8Array(file("written.track"));
  await assert.rejects(readPreviews(track), /no ANVP file/);
});

test("no garbled byte does worse than a refusal", async () => {
  let seed = 7;
  const random = () => (seed = (seed * 48271) % 2147483647);
  for (let i = 0; i < 300; i += 1) {
    const data = payload.slice();
    data[random() % data.length] = random() % 256;
    try {
      const figures = await readPreviews(pack(data));
      for (const figure of figures) for (const clip of figure.clips.values()) skin(figure, clip, 0.5);
    } catch (error) {
      assert.ok(error instanceof TrackError, String(error));
    }
  }
});
