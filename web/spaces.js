/** Screen, drawing and figure: three spaces of points, and the only place with a scale factor; pure. */

/** @import { Box } from "./types.js" */

/**
 * Each space has points of its own, which the compiler does not let pass for those of another.
 * @template {string} Space
 * @typedef {{ readonly x: number, readonly y: number, readonly space: Space }} Point
 */

/** @typedef {Point<"screen">} ScreenPoint CSS pixels from the corner of the board */
/** @typedef {Point<"drawing">} DrawingPoint pixels of the drawing */
/** @typedef {Point<"figure">} FigurePoint pixels of the drawing from the corner of a figure's box */
/** @typedef {{ readonly width: number, readonly height: number }} Size */

/**
 * How the drawing lies on the board.
 * @typedef {object} View
 * @property {number} scale CSS pixels for each pixel of the drawing, > 0
 * @property {number} x of the drawing's corner, CSS pixels
 * @property {number} y of the drawing's corner, CSS pixels
 */

const NONE = { beside: 0, above: 0, below: 0 };

/** At most so many CSS pixels for each pixel of the drawing. */
const FINEST = 12;

/** At least so much of what fits. */
const SMALLEST = 0.6;

/** @type {(x: number, y: number) => ScreenPoint} */
export const onScreen = (x, y) => /** @type {ScreenPoint} */ ({ x, y });

/** @type {(x: number, y: number) => DrawingPoint} */
export const inDrawing = (x, y) => /** @type {DrawingPoint} */ ({ x, y });

/** @type {(x: number, y: number) => FigurePoint} */
export const inFigure = (x, y) => /** @type {FigurePoint} */ ({ x, y });

/** @type {(point: DrawingPoint, view: View) => ScreenPoint} */
export const toScreen = ({ x, y }, view) => onScreen(x * view.scale + view.x, y * view.scale + view.y);

/** @type {(point: ScreenPoint, view: View) => DrawingPoint} */
export const toDrawing = ({ x, y }, view) =>
  inDrawing((x - view.x) / view.scale, (y - view.y) / view.scale);

/** @type {(point: DrawingPoint, box: Box) => FigurePoint} */
export const toFigure = ({ x, y }, [left, top]) => inFigure(x - left, y - top);

/** @type {(point: FigurePoint, box: Box) => DrawingPoint} */
export const fromFigure = ({ x, y }, [left, top]) => inDrawing(x + left, y + top);

/** Pixels of the drawing for each CSS pixel. @type {(view: View) => number} */
export const pixelOf = ({ scale }) => 1 / scale;

/**
 * What of the drawing the board shows.
 * @param {View} view
 * @param {Size} board CSS pixels
 * @returns {{ x: number, y: number, width: number, height: number }} pixels of the drawing
 */
export function windowOf(view, { width, height }) {
  const { x, y } = toDrawing(onScreen(0, 0), view);
  return { x, y, width: width / view.scale, height: height / view.scale };
}

/**
 * The view in which a box is in the middle of the board and as large as it can be.
 * @param {Box} box
 * @param {Size} board CSS pixels
 * @param {{ beside: number, above: number, below: number }} margin CSS pixels left free
 * @returns {View}
 */
export function fit([x1, y1, x2, y2], board, { beside, above, below }) {
  const room = { width: board.width - 2 * beside, height: board.height - above - below };
  const scale = Math.min(
    Math.max(1, room.width) / Math.max(1, x2 - x1),
    Math.max(1, room.height) / Math.max(1, y2 - y1),
    FINEST,
  );
  return {
    scale,
    x: (board.width - scale * (x1 + x2)) / 2,
    y: (board.height + above - below - scale * (y1 + y2)) / 2,
  };
}

/**
 * Zoom; what lies at a point stays there.
 * @param {View} view
 * @param {ScreenPoint} at
 * @param {number} factor
 * @returns {View}
 */
export function zoom(view, at, factor) {
  const x = at.x - factor * (at.x - view.x);
  const y = at.y - factor * (at.y - view.y);
  return { scale: factor * view.scale, x, y };
}

/** @type {(view: View, from: ScreenPoint, to: ScreenPoint) => View} */
export const drag = ({ scale, x, y }, from, to) => ({
  scale,
  x: x + to.x - from.x,
  y: y + to.y - from.y,
});

/**
 * Two fingers hold the paper: what lay under each stays under it.
 * @param {View} view
 * @param {readonly [ScreenPoint, ScreenPoint]} from
 * @param {readonly [ScreenPoint, ScreenPoint]} to
 * @returns {View}
 */
export function pinch(view, from, to) {
  const factor = apart(to) / Math.max(1, apart(from));
  return zoom(drag(view, between(from), between(to)), between(to), Math.max(0.01, factor));
}

/**
 * The nearest view that is neither too small nor too large, and has paper in the board's middle.
 * @param {View} view
 * @param {Size} drawing pixels
 * @param {Size} board CSS pixels
 * @returns {View}
 */
export function settle(view, drawing, board) {
  const whole = fit([0, 0, drawing.width, drawing.height], board, NONE).scale;
  const scale = clamp(view.scale, SMALLEST * whole, Math.max(FINEST, whole));
  const middle = onScreen(board.width / 2, board.height / 2);
  const { x, y } = zoom(view, middle, scale / view.scale);
  return {
    scale,
    x: clamp(x, middle.x - scale * drawing.width, middle.x),
    y: clamp(y, middle.y - scale * drawing.height, middle.y),
  };
}

/** @type {(value: number, least: number, most: number) => number} */
export const clamp = (value, least, most) => Math.min(Math.max(value, least), most);

/** @type {(points: readonly [ScreenPoint, ScreenPoint]) => number} */
const apart = ([a, b]) => Math.hypot(a.x - b.x, a.y - b.y);

/** @type {(points: readonly [ScreenPoint, ScreenPoint]) => ScreenPoint} */
const between = ([a, b]) => onScreen((a.x + b.x) / 2, (a.y + b.y) / 2);
