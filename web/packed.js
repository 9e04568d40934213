/**
 * Files of ours for the page: magic, version, and a payload packed with zlib; pure. Whatever is no such
 * file is refused with `TrackError`.
 */

const FILE_HEAD = 12;
const VERSION = 1;
const MAX_PAYLOAD = 256 * 1024 * 1024;

/** Vertices of a figure, at most. */
export const MOST_VERTICES = 65_536;

/** The bytes are no such file, of another version, incomplete or damaged. */
export class TrackError extends Error {}

/**
 * Open a file. Rejects with `TrackError`.
 * @param {Uint8Array<ArrayBuffer>} data
 * @param {string} magic its first four letters
 * @returns {Promise<Reader>}
 */
export async function openPacked(data, magic) {
  const view = new DataView(data.buffer, data.byteOffset, data.byteLength);
  const found = String.fromCharCode(...data.subarray(0, magic.length));
  check(data.length >= FILE_HEAD && found === magic, `this is no ${magic} file`);
  check(view.getUint16(4, true) === VERSION, "this file is of another version");
  const length = view.getUint32(8, true);
  check(length <= MAX_PAYLOAD, "this file is too large");
  return new Reader(await unpack(data.subarray(FILE_HEAD), length));
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
    throw new TrackError("this file is damaged");
  }
  check(count === length, "this file is incomplete or damaged");
  return new Uint8Array(await new Blob(chunks).arrayBuffer());
}

/** Takes one thing after the other out of a payload. */
export class Reader {
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
    check(count <= this.payload.length - this.place, "this file ends too early");
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

  /** See that nothing is left. */
  end() {
    check(this.place === this.payload.length, "this file has bytes of nothing");
  }
}

/**
 * @param {Reader} reader
 * @param {number} frames
 * @param {number} vertices
 * @returns {Uint16Array} frame by frame
 */
export function readPlaces(reader, frames, vertices) {
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
export function weave(across, down) {
  const both = new Uint16Array(2 * across.length);
  for (let i = 0; i < across.length; i += 1) {
    both[2 * i] = at(across, i);
    both[2 * i + 1] = at(down, i);
  }
  return both;
}

/** @param {number} count of which 32,768 are the side of a texture */
export const toTexel = (count) => count / 32768 - 0.5;

/**
 * Whether triangles are of vertices that are there, and parts of triangles, one after the other.
 * @param {number} vertices
 * @param {Uint16Array} triangles three vertices each, part by part
 * @param {Uint32Array} starts the first triangle of each part, and how many triangles there are
 */
export function isMesh(vertices, triangles, starts) {
  const isInside = triangles.every((vertex) => vertex < vertices);
  const isRising = starts.every((start, i) => i === 0 || start >= (starts[i - 1] ?? 0));
  return isInside && isRising && starts[0] === 0 && starts.at(-1) === triangles.length / 3;
}

/** @param {boolean} isSound @param {string} message */
export function check(isSound, message) {
  if (!isSound) throw new TrackError(message);
}
