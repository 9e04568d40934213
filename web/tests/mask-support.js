/** Tiny outlines and pictures, drawn with letters. */

/** @import { Grid } from "../masks/grid.js" */
/** @import { Pixels } from "../masks/picture.js" */

/** @type {(...rows: string[]) => Grid} "#" on the figure */
export const gridOf = (...rows) => ({
  width: rows[0].length,
  height: rows.length,
  data: Uint8Array.from(rows.join(""), (letter) => (letter === "#" ? 1 : 0)),
});

/** @type {(grid: Grid) => string[]} */
export const rowsOf = ({ width, height, data }) =>
  Array.from({ length: height }, (_, y) =>
    Array.from(data.subarray(y * width, (y + 1) * width), (on) => (on ? "#" : ".")).join(""),
  );

/** @type {Record<string, [number, number, number]>} */
const COLOURS = {
  ".": [250, 248, 240],
  "#": [20, 20, 25],
  "+": [130, 130, 130],
  r: [210, 40, 40],
  p: [225, 110, 110],
  b: [40, 70, 200],
};

/**
 * @param {number} size pixels across each letter
 * @param {...string} rows "." paper, "#" ink, "+" faint ink, "r" red, "p" faint red, "b" blue
 * @returns {Pixels}
 */
export function pictureOf(size, ...rows) {
  const [width, height] = [rows[0].length * size, rows.length * size];
  const data = new Uint8ClampedArray(4 * width * height);
  for (let at = 0; at < width * height; at += 1) {
    const [x, y] = [at % width, Math.floor(at / width)];
    data.set([...COLOURS[rows[Math.floor(y / size)][Math.floor(x / size)]], 255], 4 * at);
  }
  return { width, height, data };
}

/**
 * The same row of numbers for the same seed (xorshift, Marsaglia 2003).
 * @param {number} seed not 0
 * @returns {() => number} from 0 up to 1
 */
export function randomNumbers(seed) {
  let state = seed;
  return () => {
    state ^= state << 13;
    state ^= state >>> 17;
    state ^= state << 5;
    return (state >>> 0) / 2 ** 32;
  };
}
