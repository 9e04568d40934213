/** A round glass beside the finger that shows what lies under it, larger. */

import { el } from "../dom.js";
import { toScreen } from "../spaces.js";

/** @import { DrawingPoint } from "../spaces.js" */
/** @import { DrawingBoard } from "./drawing-board.js" */

/** CSS pixels across, how much larger, and how far from the finger its middle is. */
const SIDE = 116;
const TIMES = 2;
const AWAY = 104;

/** CSS pixels on the board from the middle of the ring in it, where there is no brush. */
const RING = 2.5;

export class Loupe {
  /**
   * @param {DrawingBoard} board
   * @param {HTMLCanvasElement[]} [layers] what lies over all of the picture
   */
  constructor(board, layers = []) {
    this.board = board;
    this.layers = layers;
    this.canvas = el("canvas", { class: "loupe", hidden: true, "aria-hidden": "true" });
    board.node.append(this.canvas);
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
    // The picture may have other pixels than the drawing while it is a smaller version of it.
    this.copy(context, board.picture, board.picture.naturalWidth / board.size.width, at);
    for (const layer of this.layers) this.copy(context, layer, layer.width / board.size.width, at);
    context.strokeStyle = "#2f2a33";
    context.lineWidth = 1.5 * devicePixelRatio;
    context.beginPath();
    const middle = canvas.width / 2;
    context.arc(middle, middle, TIMES * ring * devicePixelRatio, 0, 7);
    context.stroke();
  }

  /**
   * @param {CanvasRenderingContext2D} context
   * @param {CanvasImageSource} source
   * @param {number} finer its pixels for each of the drawing
   * @param {DrawingPoint} at
   */
  copy(context, source, finer, { x, y }) {
    const seen = (SIDE * this.board.pixel) / TIMES;
    const [left, top, side] = [x - seen / 2, y - seen / 2, seen].map((length) => length * finer);
    const { width, height } = this.canvas;
    context.drawImage(source, left, top, side, side, 0, 0, width, height);
  }

  hide() {
    this.canvas.hidden = true;
  }

  leave() {
    this.canvas.remove();
  }
}
