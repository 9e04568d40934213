/** The picture under an outline: what on it is paint, and what paint is alike. Pure. */

/**
 * @typedef {object} Pixels as a canvas gives them
 * @property {number} width
 * @property {number} height
 * @property {Uint8ClampedArray} data RGBA
 */

/**
 * @typedef {object} Picture
 * @property {number} width
 * @property {number} height
 * @property {Int16Array} off how far each pixel is off the paper around it: red, green, blue
 * @property {Uint8Array} strength the length of that, at most 255
 */

/** Parts across the longer side within each of which the paper has one colour, about. */
const TILES = 12;

/** Paper is brighter than this share of what is around it, or darker where it is a dark sheet. */
const PAPER = 0.85;

/** A sheet whose middle brightness is below this is dark. */
const DARK = 80;

/** What is this far off the paper's colour is paint. */
export const PAINT = 42;

/** Fainter paint belongs to stronger paint that it hangs together with, down to this. */
export const FAINT = 18;

/**
 * @param {Pixels} pixels
 * @returns {Picture}
 */
export function readPicture(pixels) {
  const { width, height, data } = pixels;
  const side = Math.max(8, Math.ceil(Math.max(width, height) / TILES));
  const papers = findPaper(pixels, side);
  const across = Math.ceil(width / side);
  const off = new Int16Array(3 * width * height);
  const strength = new Uint8Array(width * height);
  for (let y = 0, at = 0; y < height; y += 1) {
    const row = Math.floor(y / side) * across;
    for (let x = 0; x < width; x += 1, at += 1) {
      const paper = 3 * (row + Math.floor(x / side));
      let square = 0;
      for (let c = 0; c < 3; c += 1) {
        const away = (papers[paper + c]) - (data[4 * at + c]);
        off[3 * at + c] = away;
        square += away * away;
      }
      strength[at] = Math.min(255, Math.sqrt(square));
    }
  }
  return { width, height, off, strength };
}

/** Shades of brightness that are told apart. */
const SHADES = 32;

/** In each shade of a tile: how many pixels, and the sums of red, green and blue. */
const FIELDS = 4;

/** Numbers of one tile. */
const TILE = SHADES * FIELDS;

/**
 * The paper's colour in each tile, from the tile and those beside it.
 * @param {Pixels} pixels
 * @param {number} side of a tile, pixels
 * @returns {Float32Array} red, green, blue of each tile, row by row
 */
function findPaper(pixels, side) {
  const [across, down] = [Math.ceil(pixels.width / side), Math.ceil(pixels.height / side)];
  const tiles = countTiles(pixels, side, across, down);
  const share = isDark(tiles) ? 1 - PAPER : PAPER;
  const papers = new Float32Array(3 * across * down);
  for (let tile = 0; tile < across * down; tile += 1) {
    const [row, column] = [Math.floor(tile / across), tile % across];
    const sums = new Float64Array(TILE);
    for (let y = Math.max(0, row - 1); y <= Math.min(down - 1, row + 1); y += 1) {
      for (let x = Math.max(0, column - 1); x <= Math.min(across - 1, column + 1); x += 1) {
        addTile(sums, tiles, y * across + x);
      }
    }
    papers.set(colourAt(sums, share), 3 * tile);
  }
  return papers;
}

/**
 * @param {Pixels} pixels
 * @param {number} side
 * @param {number} across
 * @param {number} down
 * @returns {Float64Array} the shades of every second pixel, tile by tile
 */
function countTiles({ width, height, data }, side, across, down) {
  const tiles = new Float64Array(across * down * TILE);
  for (let y = 0; y < height; y += 2) {
    for (let x = 0; x < width; x += 2) {
      const at = 4 * (y * width + x);
      const brightness = data[at] + data[at + 1] + data[at + 2];
      const tile = Math.floor(y / side) * across + Math.floor(x / side);
      const bin = tile * TILE + Math.floor((brightness * SHADES) / 766) * FIELDS;
      tiles[bin] += 1;
      for (let c = 0; c < 3; c += 1) tiles[bin + 1 + c] += data[at + c];
    }
  }
  return tiles;
}

/** @type {(sums: Float64Array, tiles: Float64Array, tile: number) => void} */
function addTile(sums, tiles, tile) {
  for (let i = 0; i < TILE; i += 1) sums[i] += tiles[tile * TILE + i];
}

/** @param {Float64Array} tiles */
function isDark(tiles) {
  const sums = new Float64Array(TILE);
  for (let tile = 0; tile < tiles.length / TILE; tile += 1) addTile(sums, tiles, tile);
  return Math.max(...colourAt(sums, 0.5)) < DARK;
}

/**
 * @param {Float64Array} sums of one or more tiles
 * @param {number} share of pixels that are darker, 0 to 1
 * @returns {[number, number, number]} mean colour of the shade where that is reached
 */
function colourAt(sums, share) {
  let wanted = 0;
  for (let bin = 0; bin < TILE; bin += FIELDS) wanted += share * sums[bin];
  let bin = 0;
  for (let seen = sums[0]; seen < wanted; seen += sums[bin]) bin += FIELDS;
  const count = Math.max(1, sums[bin]);
  return [sums[bin + 1] / count, sums[bin + 2] / count, sums[bin + 3] / count];
}
