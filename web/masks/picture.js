/** The picture under an outline: how far its pixels are off the paper around them. Pure. */

/** @import { Box } from "../types.js" */

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

/**
 * Small squares of a picture.
 * @typedef {object} Blocks
 * @property {number} side of each, pixels
 * @property {number} across
 * @property {number} down
 * @property {Float32Array} colours red, green, blue of each, row by row
 */

/** What is this far off the paper's colour is paint. */
export const PAINT = 42;

/** Fainter paint belongs to stronger paint that it hangs together with, down to this. */
export const FAINT = 18;

/** Blocks across the longer side. */
const FINE = 150;

/** Lines narrower than twice this, in blocks, are on paper, whatever light falls on it. */
const REACH = 4;

/** Of the sheet's usual brightness; what is darker in all of a place is paint and no shadow. */
const SHADOW = 0.45;

/** Shadows keep the paper's colour this well, of 255; what does not is paint. */
const TINT = 16;

/** A sheet whose usual brightness is below this is dark, and what is bright on it is paint. */
const DARK = 80;

/**
 * @param {Pixels} pixels
 * @returns {Picture}
 */
export function readPicture(pixels) {
  const { width, height } = pixels;
  const data = isDark(pixels) ? pixels.data.map((value) => 255 - value) : pixels.data;
  const { side, across, colours } = findPaper({ width, height, data });
  const off = new Int16Array(3 * width * height);
  const strength = new Uint8Array(width * height);
  for (let y = 0, at = 0; y < height; y += 1) {
    const row = Math.floor(y / side) * across;
    for (let x = 0; x < width; x += 1, at += 1) {
      const paper = 3 * (row + Math.floor(x / side));
      const red = colours[paper] - data[4 * at];
      const green = colours[paper + 1] - data[4 * at + 1];
      const blue = colours[paper + 2] - data[4 * at + 2];
      off[3 * at] = red;
      off[3 * at + 1] = green;
      off[3 * at + 2] = blue;
      strength[at] = Math.min(255, Math.sqrt(red * red + green * green + blue * blue));
    }
  }
  return { width, height, off, strength };
}

/** @param {Pixels} pixels */
function isDark({ data }) {
  const some = [];
  for (let at = 0; at < data.length; at += 4 * 97) some.push(data[at + 1]);
  return some.sort((a, b) => a - b)[some.length >> 1] < DARK;
}

/**
 * The paper's colour in each block: what is narrow and darker is closed, as in a closing of grey
 * pictures, so shadows stay; what then is no paper has the colour of the sheet.
 * @param {Pixels} pixels
 * @returns {Blocks}
 */
function findPaper(pixels) {
  const side = Math.max(1, Math.ceil(Math.max(pixels.width, pixels.height) / FINE));
  const closed = spread(spread(brightest(pixels, side), 1), -1);
  const { colours } = closed;
  const usual = colourOfSheet(colours);
  for (let at = 0; at < colours.length; at += 3) {
    if (!isPaper(colours.subarray(at, at + 3), usual)) colours.set(usual, at);
  }
  return closed;
}

/**
 * @param {Pixels} pixels
 * @param {number} side
 * @returns {Blocks} of each block the mean of what is brighter than its mean: its paper, if it has any
 */
function brightest(pixels, side) {
  const { width, height } = pixels;
  const [across, down] = [Math.ceil(width / side), Math.ceil(height / side)];
  const colours = new Float32Array(3 * across * down);
  for (let block = 0; block < across * down; block += 1) {
    const [left, top] = [(block % across) * side, Math.floor(block / across) * side];
    /** @type {Box} */
    const area = [left, top, Math.min(left + side, width), Math.min(top + side, height)];
    colours.set(meanAbove(pixels, area, brightness(meanAbove(pixels, area, 0), 0)), 3 * block);
  }
  return { side, across, down, colours };
}

/**
 * @param {Pixels} pixels
 * @param {Box} area
 * @param {number} least brightness of what counts; there is some
 * @returns {[number, number, number]} mean red, green, blue
 */
function meanAbove({ width, data }, [x1, y1, x2, y2], least) {
  let [red, green, blue, count] = [0, 0, 0, 0];
  for (let y = y1; y < y2; y += 1) {
    for (let at = 4 * (y * width + x1); at < 4 * (y * width + x2); at += 4) {
      if (brightness(data, at) < least) continue;
      red += data[at];
      green += data[at + 1];
      blue += data[at + 2];
      count += 1;
    }
  }
  return [red / count, green / count, blue / count];
}

/** @type {(colours: ArrayLike<number>, at: number) => number} */
const brightness = (colours, at) => colours[at] + colours[at + 1] + colours[at + 2];

/**
 * Each block takes the colour of the brightest or the darkest within reach.
 * @param {Blocks} blocks
 * @param {1 | -1} sign 1 for the brightest
 * @returns {Blocks}
 */
function spread(blocks, sign) {
  const { across, down } = blocks;
  const rows = spreadAlong(blocks.colours, { step: 1, length: across, lines: down, next: across }, sign);
  const colours = spreadAlong(rows, { step: across, length: down, lines: across, next: 1 }, sign);
  return { ...blocks, colours };
}

/**
 * @param {Float32Array} colours
 * @param {{ step: number, length: number, lines: number, next: number }} way blocks from one to the
 *   next of a line, and from line to line
 * @param {1 | -1} sign
 */
function spreadAlong(colours, { step, length, lines, next }, sign) {
  const result = new Float32Array(colours.length);
  for (let line = 0; line < lines; line += 1) {
    for (let i = 0; i < length; i += 1) {
      let best = line * next + i * step;
      const last = Math.min(length - 1, i + REACH);
      for (let j = Math.max(0, i - REACH); j <= last; j += 1) {
        const other = line * next + j * step;
        const gain = brightness(colours, 3 * other) - brightness(colours, 3 * best);
        if (sign * gain > 0) best = other;
      }
      result.set(colours.subarray(3 * best, 3 * best + 3), 3 * (line * next + i * step));
    }
  }
  return result;
}

/**
 * @param {Float32Array} colours
 * @returns {Float32Array} the colour of a block of middling brightness, among the brighter half
 */
function colourOfSheet(colours) {
  const blocks = Array.from({ length: colours.length / 3 }, (_, i) => 3 * i);
  blocks.sort((a, b) => brightness(colours, a) - brightness(colours, b));
  const middle = blocks[Math.floor(0.6 * blocks.length)];
  return colours.slice(middle, middle + 3);
}

/**
 * @param {Float32Array} colour
 * @param {Float32Array} usual of the sheet
 */
function isPaper(colour, usual) {
  const light = brightness(colour, 0) / Math.max(1, brightness(usual, 0));
  return light > SHADOW && colour.every((value, c) => Math.abs(value - light * usual[c]) < TINT);
}
