/** An outline over its drawing, painted anew where it changes. */

import { el } from "../dom.js";
import { clipArea, joinAreas, wholeArea } from "../masks/grid.js";
import { areaInView, lineWidth, paintView, sampling } from "../masks/view.js";

/** @import { Grid } from "../masks/grid.js" */
/** @import { Box } from "../types.js" */
/** @import { DrawingBoard } from "./drawing-board.js" */

export class OutlineLayer {
  /**
   * @param {DrawingBoard} board
   * @param {Grid} grid of the whole drawing; who changes it calls `touch`
   */
  constructor(board, grid) {
    this.grid = grid;
    this.how = sampling(grid);
    this.canvas = board.addCanvas();
    this.canvas.classList.add("outline-canvas");
    [this.canvas.width, this.canvas.height] = [this.how.width, this.how.height];
    this.canvas.style.width = `${grid.width}px`;
    this.canvas.style.height = `${grid.height}px`;
    this.context = this.canvas.getContext("2d");
    this.apart = el("canvas");
    /** @type {Box | null} */
    this.changed = null;
    this.frame = 0;
    this.unwatch = board.watch(() => this.refine(board.view.scale));
    this.refine(board.view.scale);
  }

  leave() {
    this.unwatch();
    cancelAnimationFrame(this.frame);
    this.canvas.remove();
  }

  /**
   * The edge is as wide on the screen, however close one looks.
   * @param {number} closeness CSS pixels for each pixel of the drawing
   */
  refine(closeness) {
    const line = lineWidth(this.how, closeness);
    if (line === this.how.line) return;
    this.how = { ...this.how, line };
    this.touch();
  }

  /** @param {boolean} isShown */
  show(isShown) {
    this.canvas.hidden = !isShown;
  }

  /**
   * Paint an area anew, before the screen is next drawn.
   * @param {Box | null} [area] pixels of the drawing; all of it where it is left out
   */
  touch(area = wholeArea(this.grid)) {
    if (!area) return;
    this.changed = joinAreas(this.changed, area);
    if (!this.frame) this.frame = requestAnimationFrame(() => this.paint());
  }

  paint() {
    this.frame = 0;
    if (!this.changed) return;
    const area = areaInView(this.how, this.changed);
    this.changed = null;
    this.context?.putImageData(this.draw(area), area[0], area[1]);
  }

  /** @param {Box} area of the view */
  draw(area) {
    const image = new ImageData(area[2] - area[0], area[3] - area[1]);
    paintView(this.grid, this.how, area, new Uint32Array(image.data.buffer));
    return image;
  }

  /**
   * A small part as it looks now. It is drawn apart: a canvas that is read is copied when it is
   * painted again.
   * @param {Box} box of the drawing
   * @returns {import("./loupe.js").Glimpse | null}
   */
  glimpse(box) {
    const inside = clipArea(this.grid, box);
    if (!inside) return null;
    const area = areaInView(this.how, inside);
    const [x1, y1, x2, y2] = area;
    [this.apart.width, this.apart.height] = [x2 - x1, y2 - y1];
    this.apart.getContext("2d")?.putImageData(this.draw(area), 0, 0);
    const { scale } = this.how;
    return { picture: this.apart, box: [x1 / scale, y1 / scale, x2 / scale, y2 / scale] };
  }
}
