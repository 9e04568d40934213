/**
 * Vertex tracks: bytes to the places of every vertex in every frame; pure. The format is told byte by
 * byte in docs/vertex-track.md; whatever is no such file is refused with `TrackError`.
 */

const MAGIC = "ANVT";
const VERSION = 1;
const FILE_HEAD = 12;
const MAX_PAYLOAD = 256 * 1024 * 1024;
const MOST_VERTICES = 65_536;
const MOST_GROUPS = 255;

/** The bytes are no vertex track, of another version, incomplete or damaged. */
export class TrackError extends Error {}

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
  const view = new DataView(data.buffer, data.byteOffset, data.byteLength);
  const magic = String.fromCharCode(...data.subarray(0, MAGIC.length));
  check(data.length >= FILE_HEAD && magic === MAGIC, "this is no vertex track");
  check(view.getUint16(4, true) === VERSION, "this vertex track is of another version");
  const length = view.getUint32(8, true);
  check(length <= MAX_PAYLOAD, "this vertex track is too large");
  return readClip(new Reader(await unpack(data.subarray(FILE_HEAD), length)));
}

/**
 * @param {Uint8Array<ArrayBuffer>} packed
 * @param {number} length that it must have, so that no more is ever unpacked
 * @returns {Promise<Uint8Array<ArrayBuffer>>}
 */
async function unpack(packed, length) {
  const stream = new Blob([packed]).stream().pipeThrough(new DecompressionStream("deflate"));
  const reader = stream.getReader();
  const chunks = [];
  let count = 0;
  try {
    for (let part = await reader.read(); !part.done; part = await reader.read()) {
      count += part.value.length;
      if (count > length) break;
      chunks.push(part.value);
    }
    await reader.cancel();
  } catch {
    throw new TrackError("this vertex track is damaged");
  }
  check(count === length, "this vertex track is incomplete or damaged");
  return new Uint8Array(await new Blob(chunks).arrayBuffer());
}

/** Takes one thing after the other out of a payload. */
class Reader {
  /** @param {Uint8Array<ArrayBuffer>} payload */
  constructor(payload) {
    this.payload = payload;
    this.place = 0;
  }

  /**
   * The next bytes, copied, so that they begin where any kind of array may.
   * @param {number} count
   */
  take(count) {
    check(count <= this.payload.length - this.place, "this vertex track ends too early");
    this.place += count;
    return this.payload.slice(this.place - count, this.place);
  }

  /** @param {number} count */
  head(count) {
    return new DataView(this.take(count).buffer);
  }

  /** @param {number} count */
  words(count) {
    return new Uint16Array(this.take(2 * count).buffer);
  }
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
  check(reader.place === reader.payload.length, "this vertex track has bytes of nothing");
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
  const groupCount = head.getUint16(8, true);
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
  };
}

/** @param {number} count */
const toTexel = (count) => count / 32768 - 0.5;

/**
 * @param {number} vertices
 * @param {Uint16Array} triangles
 * @param {Uint32Array} groups
 * @param {Uint8Array} order
 */
function checkFigure(vertices, triangles, groups, order) {
  const count = groups.length - 1;
  const isInside = triangles.every((vertex) => vertex < vertices);
  const isRising = groups.every((start, i) => i === 0 || start >= (groups[i - 1] ?? 0));
  const isWhole = groups[0] === 0 && groups[count] === triangles.length / 3;
  check(isInside && isRising && isWhole, "a figure names what is not there");
  const seen = new Int32Array(count).fill(-1);
  for (let i = 0; i < order.length; i += 1) {
    const group = order[i] ?? 0;
    const frame = Math.floor(i / count);
    check(group < count && seen[group] !== frame, "a figure draws a group twice or not at all");
    seen[group] = frame;
  }
}

/**
 * @param {Reader} reader
 * @param {number} frames
 * @param {number} vertices
 * @returns {Uint16Array} frame by frame
 */
function readPlaces(reader, frames, vertices) {
  const low = reader.take(frames * vertices);
  const high = reader.take(frames * vertices);
  const places = new Uint16Array(frames * vertices);
  for (let i = 0; i < places.length; i += 1) {
    const zigzag = at(low, i) | (at(high, i) << 8);
    places[i] = ((zigzag >> 1) ^ -(zigzag & 1)) + (i % vertices ? at(places, i - 1) : 0);
  }
  for (let twice = 0; twice < 2; twice += 1) {
    for (let i = vertices; i < places.length; i += 1) {
      places[i] = at(places, i) + at(places, i - vertices);
    }
  }
  return places;
}

/** @param {Uint8Array | Uint16Array} numbers @param {number} i an index that is there */
const at = (numbers, i) => /** @type {number} */ (numbers[i]);

/**
 * All x and all y to x and y by turns.
 * @param {Uint16Array} across
 * @param {Uint16Array} down
 */
function weave(across, down) {
  const both = new Uint16Array(2 * across.length);
  for (let i = 0; i < across.length; i += 1) {
    both[2 * i] = at(across, i);
    both[2 * i + 1] = at(down, i);
  }
  return both;
}

/** @param {boolean} isSound @param {string} message */
function check(isSound, message) {
  if (!isSound) throw new TrackError(message);
}
