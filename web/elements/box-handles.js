/** The corners and edges by which a box is pulled. */

import { placeOf, SIDES } from "../geometry.js";
import { inDrawing } from "../spaces.js";
import { strings } from "../strings.js";
import { Grip } from "./grip.js";

/** @import { Side } from "../geometry.js" */
/** @import { DrawingPoint } from "../spaces.js" */
/** @import { Box } from "../types.js" */
/** @import { DrawingBoard } from "./drawing-board.js" */

/** Handles in the middle of sides shorter than this would be in the way, CSS pixels. */
const SHORT = 110;

/**
 * @typedef {object} HandleEvents
 * @property {(side: Side, to: DrawingPoint) => void} pull
 * @property {() => void} end of a drag: now it counts
 * @property {() => void} cancel
 * @property {() => void} remove the key Delete
 */

export class BoxHandles {
  /**
   * @param {DrawingBoard} board
   * @param {HandleEvents} events
   */
  constructor(board, events) {
    this.board = board;
    this.events = events;
    /** @type {Map<Side, Grip>} */
    this.grips = new Map();
    /** @type {Box | null} */
    this.box = null;
    this.unwatch = board.watch(() => this.thin());
  }

  /** @param {Box | null} box */
  show(box) {
    this.box = box;
    if (!box) return this.clear();
    for (const side of SIDES) {
      (this.grips.get(side) ?? this.add(side)).moveTo(placeOf(box, side));
    }
    this.thin();
  }

  /** @param {Side} side */
  add(side) {
    const isEdge = side.length === 1;
    const about = {
      label: strings.edit.figures.sides[side],
      class: isEdge ? `is-edge is-${side}` : `is-corner is-${side}`,
      at: inDrawing(0, 0),
    };
    const { end, cancel, remove, pull } = this.events;
    const grip = new Grip(this.board, about, { move: (to) => pull(side, to), end, cancel, remove });
    if (isEdge) grip.node.tabIndex = -1;
    this.grips.set(side, grip);
    return grip;
  }

  /** Those for which there is no room are not there. */
  thin() {
    if (!this.box) return;
    const [x1, y1, x2, y2] = this.box;
    const short = SHORT * this.board.pixel;
    for (const [side, { node }] of this.grips) {
      node.hidden = side.length === 1 && ("ns".includes(side) ? x2 - x1 : y2 - y1) < short;
    }
  }

  clear() {
    for (const grip of this.grips.values()) grip.leave();
    this.grips.clear();
  }

  leave() {
    this.unwatch();
    this.clear();
  }
}
