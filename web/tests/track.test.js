import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { test } from "node:test";
import { deflateSync, inflateSync } from "node:zlib";

import { TrackError } from "../packed.js";
import { readTrack } from "../track.js";

// Written by Python's `pack_track`, and told by its `read_track`: tests/unit/web/test_track_file.py.
const written = new Uint8Array(readFileSync(new URL("written.track", import.meta.url)));
const told = JSON.parse(readFileSync(new URL("written.json", import.meta.url), "utf8"));
const payload = new Uint8Array(inflateSync(written.subarray(12)));

/** @param {Uint8Array} data @param {number} [length] @param {number} [version] */
function pack(data, length = data.length, version = 1) {
  const head = Buffer.alloc(12);
  head.write("ANVT");
  head.writeUInt16LE(version, 4);
  head.writeUInt32LE(length, 8);
  return new Uint8Array(Buffer.concat([head, deflateSync(data)]));
}

/** @param {number} place @param {...number} bytes */
function changed(place, ...bytes) {
  const data = payload.slice();
  data.set(bytes, place);
  return pack(data);
}

test("what Python wrote is read as Python reads it", async () => {
  const clip = await readTrack(written);
  assert.deepEqual(
    { fps: clip.fps, size: [clip.width, clip.height], background: clip.background },
    { fps: told.fps, size: told.size, background: told.background },
  );
  assert.equal(clip.figures.length, told.figures.length);
  clip.figures.forEach((figure, f) => {
    const expected = told.figures[f];
    const places = [...figure.places].map((n, i) => figure.origin[i % 2] + figure.step * n);
    assert.equal(places.length, expected.vertices.length);
    places.forEach((place, i) => assert.ok(Math.abs(place - expected.vertices[i]) < 1e-3));
    figure.texels.forEach((texel, i) => assert.ok(Math.abs(texel - expected.texels[i]) < 1e-4));
    for (const name of ["triangles", "groups", "order"]) {
      assert.deepEqual([...figure[name]], expected[name], name);
    }
    assert.equal(new TextDecoder().decode(figure.texture), expected.texture);
    assert.equal(figure.columns, expected.columns);
  });
});

test("a file that was cut off is refused, wherever", async () => {
  for (let length = 0; length < written.length; length += 1) {
    await assert.rejects(readTrack(written.slice(0, length)), TrackError, `${length} bytes`);
  }
});

test("a payload that ends too early or too late is refused, wherever", async () => {
  for (let length = 0; length < payload.length; length += 1) {
    await assert.rejects(readTrack(pack(payload.slice(0, length))), TrackError, `${length} bytes`);
  }
  await assert.rejects(readTrack(pack(new Uint8Array([...payload, 0]))), /bytes of nothing/);
});

test("other files, other versions and wrong lengths are refused", async () => {
  await assert.rejects(readTrack(new TextEncoder().encode("GIF89a and more")), /no ANVT file/);
  await assert.rejects(readTrack(pack(payload, payload.length, 2)), /another version/);
  await assert.rejects(readTrack(pack(payload, payload.length - 1)), /incomplete or damaged/);
  await assert.rejects(readTrack(pack(payload, 2 ** 31)), /too large/);
});

test("numbers that lead out of the file are refused", async () => {
  const figure = 20;
  const texture = payload[figure + 24] ?? 0;
  const triangles = figure + 28 + texture + 4 * 5;
  const groups = triangles + 6 * 3;
  const order = groups + 4 * 3;
  await assert.rejects(readTrack(changed(0, 0, 0, 0, 0)), /no speed/);
  await assert.rejects(readTrack(changed(figure, 255, 255, 255, 255)), /out of all bounds/);
  await assert.rejects(readTrack(changed(figure + 12, 0, 0, 128, 127)), /out of all bounds/);
  await assert.rejects(readTrack(changed(triangles, 5, 0)), /not there/);
  await assert.rejects(readTrack(changed(groups, 1)), /not there/);
  await assert.rejects(readTrack(changed(groups + 4, 9)), /not there/);
  await assert.rejects(readTrack(changed(order, 1, 1)), /twice or not at all/);
  await assert.rejects(readTrack(changed(order, 2)), /twice or not at all/);
});

test("no garbled byte does worse than a refusal", async () => {
  let seed = 7;
  const random = () => (seed = (seed * 48271) % 2147483647);
  for (let i = 0; i < 300; i += 1) {
    try {
      await readTrack(changed(random() % payload.length, random() % 256));
    } catch (error) {
      assert.ok(error instanceof TrackError, String(error));
    }
  }
});
