/** The pixels of a board's picture, read once. */

import { el } from "../dom.js";
import { readPicture } from "../mask-picture.js";

/** @import { Picture } from "../mask-picture.js" */
/** @import { DrawingBoard } from "./drawing-board.js" */

/** Longer side, at most, pixels. */
const LONGEST = 1600;

/** @type {WeakMap<HTMLImageElement, Promise<Picture>>} */
const read = new WeakMap();

/**
 * @param {DrawingBoard} board
 * @returns {Promise<Picture>} rejects where the browser cannot show the picture
 */
export function pictureOf({ picture, size }) {
  const known = read.get(picture);
  if (known) return known;
  const reading = readPixels(picture, Math.min(1, LONGEST / Math.max(size.width, size.height)));
  read.set(picture, reading);
  reading.catch(() => read.delete(picture));
  return reading;
}

/**
 * @param {HTMLImageElement} picture
 * @param {number} scale of what is read
 */
async function readPixels(picture, scale) {
  await picture.decode();
  const width = Math.max(1, Math.round(picture.naturalWidth * scale));
  const height = Math.max(1, Math.round(picture.naturalHeight * scale));
  const canvas = el("canvas", { width, height });
  const context = canvas.getContext("2d", { willReadFrequently: true });
  if (!context) throw new Error("no canvas");
  context.drawImage(picture, 0, 0, width, height);
  return readPicture(context.getImageData(0, 0, width, height));
}
