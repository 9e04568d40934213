/** A round glass beside the finger that shows what lies under it, larger. */

import { el } from "../dom.js";
import { toScreen } from "../spaces.js";

/** @import { DrawingPoint } from "../spaces.js" */
/** @import { DrawingBoard } from "./drawing-board.js" */

/** CSS pixels across, how much larger, and how far from the finger its middle is. */
const SIDE = 116;
const TIMES = 2;
const AWAY = 104;

export class Loupe {
  /** @param {DrawingBoard} board */
  constructor(board) {
    this.board = board;
    this.canvas = el("canvas", { class: "loupe", hidden: true, "aria-hidden": "true" });
    board.node.append(this.canvas);
  }

  /** @param {DrawingPoint} at */
  show(at) {
    const { board, canvas } = this;
    const side = Math.round(SIDE * devicePixelRatio);
    if (canvas.width !== side) [canvas.width, canvas.height] = [side, side];
    canvas.hidden = false;
    const { x, y } = toScreen(at, board.view);
    const isAbove = y > AWAY + SIDE / 2 + 8;
    const left = isAbove ? x : x + (x < board.room.width / 2 ? AWAY : -AWAY);
    const top = isAbove ? y - AWAY : y;
    canvas.style.transform = `translate(${left - SIDE / 2}px, ${top - SIDE / 2}px)`;
    this.paint(at);
  }

  /** @param {DrawingPoint} at */
  paint(at) {
    const { board, canvas } = this;
    const context = canvas.getContext("2d");
    if (!context) return;
    const seen = (SIDE * board.pixel) / TIMES;
    const middle = canvas.width / 2;
    context.fillStyle = "#fffdf7";
    context.fillRect(0, 0, canvas.width, canvas.height);
    const { picture, size } = board;
    // The picture may have other pixels than the drawing while it is a smaller version of it.
    const finer = picture.naturalWidth / size.width;
    const [x, y] = [(at.x - seen / 2) * finer, (at.y - seen / 2) * finer];
    context.drawImage(picture, x, y, seen * finer, seen * finer, 0, 0, 2 * middle, 2 * middle);
    context.strokeStyle = "#2f2a33";
    context.lineWidth = 1.5 * devicePixelRatio;
    context.beginPath();
    context.arc(middle, middle, 5 * devicePixelRatio, 0, 7);
    context.stroke();
  }

  hide() {
    this.canvas.hidden = true;
  }

  leave() {
    this.canvas.remove();
  }
}
