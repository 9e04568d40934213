/** The outlines of all figures on the board, so that it can be seen what is whose. */

import { isAlike } from "../mending/changes.js";
import { paintMask } from "./overlay.js";

/** @import { FigureAnnotation, RunLengths } from "../types.js" */
/** @import { DrawingBoard } from "./drawing-board.js" */

/** Of what is inside an outline, 0 to 255: the drawing stays as it is. */
const INSIDE = 14;

/** @typedef {{ canvas: HTMLCanvasElement, mask: RunLengths, box: FigureAnnotation["box"] }} Layer */

export class Outlines {
  /** @param {DrawingBoard} board */
  constructor(board) {
    this.board = board;
    /** @type {Map<string, Layer>} */
    this.layers = new Map();
  }

  /**
   * Only masks that changed are painted.
   * @param {readonly FigureAnnotation[]} figures
   * @param {string | undefined} chosen the others are faint
   */
  show(figures, chosen) {
    for (const [id, layer] of this.layers) {
      const figure = figures.find((one) => one.id === id);
      if (figure?.mask === layer.mask && isAlike(figure.box, layer.box)) continue;
      layer.canvas.remove();
      this.layers.delete(id);
    }
    for (const figure of figures) {
      const layer = this.layers.get(figure.id) ?? this.add(figure);
      layer?.canvas.classList.toggle("is-faint", figure.id !== chosen || figure.hidden);
    }
  }

  /** @param {FigureAnnotation} figure */
  add({ id, box, mask }) {
    if (!mask) return null;
    const canvas = this.board.addCanvas(box);
    const { width, height } = this.board.size;
    paintMask(canvas, mask, Math.max(1, Math.round(Math.max(width, height) / 250)), INSIDE);
    const layer = { canvas, mask, box };
    this.layers.set(id, layer);
    return layer;
  }

  leave() {
    for (const { canvas } of this.layers.values()) canvas.remove();
    this.layers.clear();
  }
}
