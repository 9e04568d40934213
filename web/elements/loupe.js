/** A round glass beside the finger that shows what lies under it, larger. */

import { el } from "../dom.js";
import { toScreen } from "../spaces.js";
import { bitmapOf } from "./board-picture.js";

/** @import { DrawingPoint } from "../spaces.js" */
/** @import { Box } from "../types.js" */
/** @import { DrawingBoard } from "./drawing-board.js" */

/** A picture, and the part of the drawing that it shows. @typedef {{ picture: CanvasImageSource, box: Box }} Glimpse */

/** CSS pixels across, how much larger, and how far from the finger its middle is. */
const SIDE = 116;
const TIMES = 2;
const AWAY = 104;

/** CSS pixels on the board from the middle of the ring in it, where there is no brush. */
const RING = 2.5;

export class Loupe {
  /**
   * @param {DrawingBoard} board
   * @param {(seen: Box) => Glimpse | null} [over] what lies over a part of the picture
   */
  constructor(board, over = () => null) {
    this.board = board;
    this.over = over;
    this.canvas = el("canvas", { class: "loupe", hidden: true, "aria-hidden": "true" });
    board.node.append(this.canvas);
    /** @type {CanvasImageSource} */
    this.picture = board.picture;
    bitmapOf(board).then(
      (bitmap) => (this.picture = bitmap),
      () => {}, // the picture itself does as well, if more slowly
    );
  }

  /**
   * @param {DrawingPoint} at
   * @param {number} [ring] CSS pixels on the board from the middle of the ring in it
   */
  show(at, ring = RING) {
    const { board, canvas } = this;
    const side = Math.round(SIDE * devicePixelRatio);
    if (canvas.width !== side) [canvas.width, canvas.height] = [side, side];
    canvas.hidden = false;
    const { x, y } = toScreen(at, board.view);
    const isAbove = y > AWAY + SIDE / 2 + 8;
    const left = isAbove ? x : x + (x < board.room.width / 2 ? AWAY : -AWAY);
    const top = isAbove ? y - AWAY : y;
    canvas.style.transform = `translate(${left - SIDE / 2}px, ${top - SIDE / 2}px)`;
    this.paint(at, ring);
  }

  /**
   * @param {DrawingPoint} at
   * @param {number} ring
   */
  paint(at, ring) {
    const { board, canvas } = this;
    const context = canvas.getContext("2d");
    if (!context) return;
    context.fillStyle = "#fffdf7";
    context.fillRect(0, 0, canvas.width, canvas.height);
    const { size, pixel } = board;
    const half = (SIDE * pixel) / TIMES / 2;
    /** @type {Box} */
    const seen = [at.x - half, at.y - half, at.x + half, at.y + half];
    this.copy(context, seen, { picture: this.picture, box: [0, 0, size.width, size.height] });
    const over = this.over(seen);
    if (over) this.copy(context, seen, over);
    context.strokeStyle = "#2f2a33";
    context.lineWidth = 1.5 * devicePixelRatio;
    context.beginPath();
    const middle = canvas.width / 2;
    context.arc(middle, middle, TIMES * ring * devicePixelRatio, 0, 7);
    context.stroke();
  }

  /**
   * @param {CanvasRenderingContext2D} context
   * @param {Box} seen
   * @param {Glimpse} glimpse
   */
  copy(context, [left, top, right], { picture, box: [x1, y1, x2, y2] }) {
    const larger = this.canvas.width / (right - left);
    const [x, y] = [(x1 - left) * larger, (y1 - top) * larger];
    context.drawImage(picture, x, y, (x2 - x1) * larger, (y2 - y1) * larger);
  }

  hide() {
    this.canvas.hidden = true;
  }

  leave() {
    this.canvas.remove();
  }
}
