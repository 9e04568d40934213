/** A board's picture to be drawn elsewhere, and its pixels; each is made once. */

import { el } from "../dom.js";
import { readPicture } from "../masks/picture.js";

/** @import { Picture } from "../masks/picture.js" */
/** @import { DrawingBoard } from "./drawing-board.js" */

/** Longer side of what is drawn elsewhere, and of what is read, at most, pixels. */
const LARGEST = { drawn: 2048, read: 1600 };

/** @type {WeakMap<HTMLImageElement, Promise<ImageBitmap>>} */
const drawn = new WeakMap();

/** @type {WeakMap<HTMLImageElement, Promise<Picture>>} */
const read = new WeakMap();

/**
 * A photo of twelve million pixels holds the page up when it is first drawn on a canvas; this one is
 * unpacked beside the page.
 * @param {DrawingBoard} board
 * @returns {Promise<ImageBitmap>} rejects where the browser cannot show the picture
 */
export const bitmapOf = ({ picture }) => once(drawn, picture, () => unpack(picture));

/**
 * @param {DrawingBoard} board
 * @returns {Promise<Picture>} rejects where the browser cannot show the picture
 */
export const pictureOf = (board) =>
  once(read, board.picture, async () => readPixels(await bitmapOf(board)));

/**
 * What failed is tried again.
 * @template Made
 * @param {WeakMap<HTMLImageElement, Promise<Made>>} known
 * @param {HTMLImageElement} picture
 * @param {() => Promise<Made>} make
 */
function once(known, picture, make) {
  const made = known.get(picture) ?? make();
  known.set(picture, made);
  made.catch(() => known.delete(picture));
  return made;
}

/** @param {HTMLImageElement} picture */
async function unpack(picture) {
  const [answer] = await Promise.all([fetch(picture.src), picture.decode()]);
  const { width, height } = sizeWithin(picture.naturalWidth, picture.naturalHeight, LARGEST.drawn);
  const how = { resizeWidth: width, resizeHeight: height, resizeQuality: /** @type {const} */ ("medium") };
  return createImageBitmap(await answer.blob(), how);
}

/** @param {ImageBitmap} bitmap */
function readPixels(bitmap) {
  const { width, height } = sizeWithin(bitmap.width, bitmap.height, LARGEST.read);
  const canvas = el("canvas", { width, height });
  const context = canvas.getContext("2d", { willReadFrequently: true });
  if (!context) throw new Error("no canvas");
  context.drawImage(bitmap, 0, 0, width, height);
  return readPicture(context.getImageData(0, 0, width, height));
}

/**
 * @param {number} width
 * @param {number} height
 * @param {number} longest
 */
function sizeWithin(width, height, longest) {
  const scale = Math.min(1, longest / Math.max(width, height));
  const side = (/** @type {number} */ length) => Math.max(1, Math.round(length * scale));
  return { width: side(width), height: side(height) };
}
