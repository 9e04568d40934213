/**
 * Vertex tracks: bytes to the places of every vertex in every frame; pure. The format is told byte by
 * byte in docs/vertex-track.md; whatever is no such file is refused with `TrackError`.
 */

import { check, isMesh, MOST_VERTICES, openPacked, readPlaces, toTexel, weave } from "./packed.js";

/** @import { Reader } from "./packed.js" */

const MOST_GROUPS = 255;

/**
 * @typedef {object} TrackFigure
 * @property {number} vertices how many
 * @property {Uint16Array} places x and y of each vertex of each frame, in steps from the origin
 * @property {[number, number]} origin x and y, pixels of the frame
 * @property {number} step pixels of the frame that one count is
 * @property {Float32Array} texels x and y of each vertex; 0 and 1 are the texture's edges, y down
 * @property {Uint16Array} triangles three vertices each, group by group
 * @property {Uint32Array} groups the first triangle of each group, and how many triangles there are
 * @property {Uint8Array} order for each frame the groups from back to front
 * @property {Uint8Array<ArrayBuffer>} texture a WebP picture, straight alpha
 * @property {number} columns of the frame's pixels that its width covers; 0 where that is not told
 */

/**
 * @typedef {object} TrackClip
 * @property {number} fps frames a second, > 0
 * @property {number} frames > 0
 * @property {number} width of the frame, pixels
 * @property {number} height of the frame, pixels
 * @property {[number, number, number] | null} background red, green, blue, 0 to 255
 * @property {TrackFigure[]} figures back to front
 */

/**
 * Read a file. Rejects with `TrackError`.
 * @param {Uint8Array<ArrayBuffer>} data
 * @returns {Promise<TrackClip>}
 */
export async function readTrack(data) {
  return readClip(await openPacked(data, "ANVT"));
}

/**
 * @param {Reader} reader
 * @returns {TrackClip}
 */
function readClip(reader) {
  const head = reader.head(20);
  const fps = head.getFloat32(0, true);
  const frames = head.getUint32(4, true);
  const [width, height] = [head.getUint16(8, true), head.getUint16(10, true)];
  const isPlayable = Number.isFinite(fps) && fps > 0 && frames > 0 && width > 0 && height > 0;
  check(isPlayable, "this vertex track has no frames, no size or no speed");
  const figures = Array.from({ length: head.getUint16(16, true) }, () =>
    readFigure(reader, frames),
  );
  reader.end();
  /** @type {[number, number, number] | null} */
  const background = head.getUint8(12)
    ? [head.getUint8(13), head.getUint8(14), head.getUint8(15)]
    : null;
  return { fps, frames, width, height, background, figures };
}

/**
 * @param {Reader} reader
 * @param {number} frames
 * @returns {TrackFigure}
 */
function readFigure(reader, frames) {
  const head = reader.head(28);
  const vertices = head.getUint32(0, true);
  const count = head.getUint32(4, true);
  const [groupCount, columns] = [head.getUint16(8, true), head.getUint16(10, true)];
  const [x, y, step] = [12, 16, 20].map((at) => head.getFloat32(at, true));
  const isSound = vertices <= MOST_VERTICES && groupCount <= MOST_GROUPS;
  check(isSound && [x, y, step].every(Number.isFinite), "a figure is out of all bounds");
  const texture = reader.take(head.getUint32(24, true));
  const texels = Float32Array.from(weave(reader.words(vertices), reader.words(vertices)), toTexel);
  const triangles = reader.words(3 * count);
  const groups = new Uint32Array(reader.take(4 * (groupCount + 1)).buffer);
  const order = reader.take(frames * groupCount);
  checkFigure(vertices, triangles, groups, order);
  const places = weave(
    readPlaces(reader, frames, vertices),
    readPlaces(reader, frames, vertices),
  );
  const origin = /** @type {[number, number]} */ ([x, y]);
  return {
    vertices,
    places,
    origin,
    step: /** @type {number} */ (step),
    texels,
    triangles,
    groups,
    order,
    texture,
    columns,
  };
}

/**
 * @param {number} vertices
 * @param {Uint16Array} triangles
 * @param {Uint32Array} groups
 * @param {Uint8Array} order
 */
function checkFigure(vertices, triangles, groups, order) {
  const count = groups.length - 1;
  check(isMesh(vertices, triangles, groups), "a figure names what is not there");
  const seen = new Int32Array(count).fill(-1);
  for (let i = 0; i < order.length; i += 1) {
    const group = order[i] ?? 0;
    const frame = Math.floor(i / count);
    check(group < count && seen[group] !== frame, "a figure draws a group twice or not at all");
    seen[group] = frame;
  }
}
