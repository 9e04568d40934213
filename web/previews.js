/**
 * Previews: bytes to one figure's mesh, bones, and all that it can do; pure. The format is told byte by
 * byte in docs/vertex-track.md; whatever is no such file is refused with `TrackError`.
 */

import { check, isMesh, MOST_VERTICES, openPacked, readPlaces, toTexel, weave } from "./packed.js";

/** @import { Reader } from "./packed.js" */

/** Bones that move a vertex, at most. */
const INFLUENCES = 4;

/** No joint: the root's parent. */
const NONE = 255;

/** Radians that one count of a turn is. */
const TURN = (2 * Math.PI) / 2048;

/** World units that one count of the root's path is. */
const STEP = 1 / 1024;

/**
 * @typedef {object} PreviewClip one motion of a figure
 * @property {string} name of the motion
 * @property {boolean} loops whether the last frame leads into the first
 * @property {number} fps frames a second, > 0
 * @property {number} frames > 0
 * @property {number} still the frame that tells most of it
 * @property {{ x: number, y: number, side: number }} view the square that is seen: its middle, y up
 * @property {Int16Array} counts for each frame the root's x and y, then the turns of all joints
 * @property {Uint8Array} groups the limb group of each bone
 * @property {Uint8Array} order for each frame the groups from back to front
 */

/**
 * @typedef {object} PreviewFigure
 * @property {string} id of the figure in its annotation
 * @property {Uint8Array<ArrayBuffer>} texture a WebP picture, straight alpha
 * @property {number} vertices how many
 * @property {Float32Array} texels x and y of each vertex; 0 and 1 are the texture's edges, y down
 * @property {Float32Array} rest x and y of each vertex in the rest pose, y up
 * @property {Float32Array} joints x and y of each joint in the rest pose, y up
 * @property {number[]} parents of each joint; -1 is the root's
 * @property {Uint8Array} bones four of each vertex
 * @property {Uint8Array} shares of the four bones of each vertex, of 255
 * @property {Uint16Array} triangles three vertices each, bone by bone
 * @property {Uint32Array} starts the first triangle of each bone, and how many triangles there are
 * @property {Map<string, PreviewClip>} clips by the name of the motion
 */

/**
 * Read a file. Rejects with `TrackError`.
 * @param {Uint8Array<ArrayBuffer>} data
 * @returns {Promise<PreviewFigure[]>}
 */
export async function readPreviews(data) {
  const reader = await openPacked(data, "ANVP");
  const count = reader.head(4).getUint16(0, true);
  const figures = Array.from({ length: count }, () => readFigure(reader));
  reader.end();
  return figures;
}

/**
 * @param {Reader} reader
 * @returns {PreviewFigure}
 */
function readFigure(reader) {
  const head = reader.head(36);
  const [vertices, count] = [head.getUint32(0, true), head.getUint32(4, true)];
  const [jointCount, clipCount] = [head.getUint16(8, true), head.getUint16(10, true)];
  const frame = floats(head, 16, 4);
  check(vertices <= MOST_VERTICES && frame.every(Number.isFinite), "a figure is out of all bounds");
  check(jointCount > 0 && jointCount <= NONE, "a figure has no bones");
  const id = new TextDecoder().decode(reader.take(head.getUint16(32, true)));
  const texture = reader.take(head.getUint32(12, true));
  const texels = Float32Array.from(weave(reader.words(vertices), reader.words(vertices)), toTexel);
  const joints = new Float32Array(reader.take(8 * jointCount).buffer);
  const parents = [...reader.take(jointCount)].map((parent) => (parent === NONE ? -1 : parent));
  const bones = byVertex(reader.take(INFLUENCES * vertices), vertices);
  const shares = byVertex(reader.take(INFLUENCES * vertices), vertices);
  const triangles = reader.words(3 * count);
  const starts = new Uint32Array(reader.take(4 * (jointCount + 1)).buffer);
  const mesh = { texels, bones, shares, triangles, starts };
  const figure = { id, texture, vertices, joints, parents, ...mesh };
  checkFigure(figure);
  const clips = Array.from({ length: clipCount }, () => readClip(reader, jointCount));
  const byName = new Map(clips.map((clip) => [clip.name, clip]));
  return { ...figure, rest: restOf(texels, frame), clips: byName };
}

/** @param {Omit<PreviewFigure, "rest" | "clips">} figure */
function checkFigure({ vertices, joints, parents, bones, triangles, starts }) {
  const isTree = parents.every((parent, joint) => parent < joint && (parent === -1) === (joint === 0));
  const isInside = bones.every((bone) => bone < parents.length);
  const isSound = isTree && isInside && joints.every(Number.isFinite);
  check(isSound && isMesh(vertices, triangles, starts), "a figure names what is not there");
}

/**
 * @param {Reader} reader
 * @param {number} joints
 * @returns {PreviewClip}
 */
function readClip(reader, joints) {
  const head = reader.head(24);
  const [nameBytes, groupCount] = [head.getUint8(0), head.getUint8(1)];
  const [frames, still] = [head.getUint16(4, true), head.getUint16(6, true)];
  const [fps = 0, x = 0, y = 0, side = 0] = floats(head, 8, 4);
  const isPlayable = [fps, x, y, side].every(Number.isFinite) && fps > 0 && side > 0 && still < frames;
  check(isPlayable, "a clip has no frames, no speed or no size");
  const name = new TextDecoder().decode(reader.take(nameBytes));
  const groups = reader.take(joints);
  const order = reader.take(frames * groupCount);
  check(groups.every((group) => group < groupCount), "a clip draws what is not there");
  check(isPermuted(order, frames, groupCount), "a clip draws a group twice or not at all");
  const counts = new Int16Array(readPlaces(reader, frames, joints + 2).buffer);
  return {
    name,
    loops: head.getUint8(2) > 0,
    fps,
    frames,
    still,
    view: { x, y, side },
    counts,
    groups,
    order,
  };
}

/**
 * @param {Uint8Array} order
 * @param {number} frames
 * @param {number} count
 */
function isPermuted(order, frames, count) {
  const all = 2 ** count - 1;
  for (let frame = 0; frame < frames; frame += 1) {
    let seen = 0;
    for (const group of order.subarray(frame * count, (frame + 1) * count)) {
      if (group >= count) return false;
      seen |= 2 ** group;
    }
    if (seen !== all) return false;
  }
  return count <= 31;
}

/**
 * Numbers that lie influence by influence to numbers vertex by vertex.
 * @param {Uint8Array} numbers
 * @param {number} vertices
 */
function byVertex(numbers, vertices) {
  return numbers.map((_, i) => {
    const vertex = Math.floor(i / INFLUENCES);
    return numbers[(i % INFLUENCES) * vertices + vertex] ?? 0;
  });
}

/**
 * @param {Float32Array} texels
 * @param {number[]} frame left, top, width and height of the texture
 */
function restOf(texels, [left = 0, top = 0, width = 0, height = 0]) {
  return texels.map((texel, i) => (i % 2 ? top - height * texel : left + width * texel));
}

/**
 * @param {DataView} head
 * @param {number} first
 * @param {number} count
 */
const floats = (head, first, count) =>
  Array.from({ length: count }, (_, i) => head.getFloat32(first + 4 * i, true));

/**
 * How the bones lie at an instant: six numbers a bone, which take a place of the rest pose (x, y) to
 * (a x + b y + c, d x + e y + f).
 * @param {PreviewFigure} figure
 * @param {PreviewClip} clip
 * @param {number} time in frames, 0 up to the number of frames
 * @param {Float32Array} moves where to write them
 */
export function poseBones({ joints, parents }, clip, time, moves) {
  const count = parents.length;
  const frame = Math.min(Math.floor(time), clip.frames - 1);
  const next = frame + 1 < clip.frames ? frame + 1 : clip.loops ? 0 : frame;
  const share = time - frame;
  const [from, to] = [frame * (count + 2), next * (count + 2)];
  const at = (/** @type {number} */ i) => clip.counts[from + i] ?? 0;
  const ahead = (/** @type {number} */ i) => (clip.counts[to + i] ?? 0) - at(i);
  const places = new Float32Array(2 * count);
  places[0] = STEP * (at(0) + share * ahead(0));
  places[1] = STEP * (at(1) + share * ahead(1));
  for (let joint = 0; joint < count; joint += 1) {
    // Over the seam of a loop a turn goes the short way.
    const turn = TURN * (at(joint + 2) + share * shortWay(ahead(joint + 2)));
    const [cosine, sine] = [Math.cos(turn), Math.sin(turn)];
    const near = Math.max(parents[joint] ?? 0, 0);
    const [bindX, bindY] = [joints[2 * near] ?? 0, joints[2 * near + 1] ?? 0];
    const [x, y] = [places[2 * near] ?? 0, places[2 * near + 1] ?? 0];
    const c = x - cosine * bindX + sine * bindY;
    const f = y - sine * bindX - cosine * bindY;
    moves.set([cosine, -sine, c, sine, cosine, f], 6 * joint);
    if (joint === 0) continue;
    const [endX, endY] = [joints[2 * joint] ?? 0, joints[2 * joint + 1] ?? 0];
    places[2 * joint] = cosine * endX - sine * endY + c;
    places[2 * joint + 1] = sine * endX + cosine * endY + f;
  }
}

/** @param {number} counts of a turn */
const shortWay = (counts) => ((((counts + 1024) % 2048) + 2048) % 2048) - 1024;
