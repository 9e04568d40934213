/** A round brush on the board: its ring under the pointer, and a cross that the arrow keys move. */

import { el, svg } from "../dom.js";
import { clampPoint } from "../geometry.js";
import { inDrawing } from "../spaces.js";
import { ARROWS } from "./grip.js";

/** @import { DrawingPoint } from "../spaces.js" */
/** @import { DrawingBoard, Sample } from "./drawing-board.js" */

/** Diameters, CSS pixels; on the drawing it is finer the closer one looks. */
export const SIZES = { least: 4, most: 96, usual: 26 };

/** A disc of this radius covers the middle of a pixel wherever it lies, pixels. */
const LEAST = 0.75;

/** How much larger the next size is. */
const STEP = 1.25;

/** CSS pixels that an arrow key moves the cross by; with shift, and alone. */
const STEPS = { far: 24, near: 4 };

/**
 * @typedef {object} BrushEvents what the keys do, as a finger would
 * @property {(from: Sample) => void} begin
 * @property {(samples: Sample[]) => void} move
 * @property {() => void} end
 */

export class Brush {
  /**
   * @param {DrawingBoard} board
   * @param {string} label of the cross
   * @param {BrushEvents} events
   */
  constructor(board, label, events) {
    this.board = board;
    this.events = events;
    this.size = SIZES.usual;
    this.isRound = true;
    this.isDown = false;
    /** @type {DrawingPoint | null} */
    this.at = null;
    this.cross = el("button", {
      type: "button",
      class: "brush-cross",
      "aria-label": label,
      onkeydown: (/** @type {KeyboardEvent} */ event) => this.press(event),
      onkeyup: (/** @type {KeyboardEvent} */ event) => event.key === " " && this.lift(event),
      onfocus: () => this.hover(this.place),
      onblur: () => this.lift(),
    });
    this.place = board.middle;
    board.pin(this.cross, this.place);
    this.rings = ["brush-halo", "brush-ring"].map((name) => svg("circle", { class: name }));
    this.lines = board.addLines();
    this.lines.append(...this.rings);
    this.unwatch = board.watch(() => this.hover(this.at));
    this.hover(null);
  }

  leave() {
    this.unwatch();
    this.lines.remove();
    this.board.unpin(this.cross);
  }

  /**
   * @param {number} pressure 0 to 1
   * @returns {number} pixels of the drawing; never so small that it covers none
   */
  radiusAt(pressure) {
    return Math.max(LEAST, pressure * this.size * this.board.pixel);
  }

  /** @param {number} steps larger, or smaller where it is below 0 */
  grow(steps) {
    this.resize(Math.round(this.size * STEP ** steps));
  }

  /** @param {number} size CSS pixels */
  resize(size) {
    this.size = Math.min(SIZES.most, Math.max(SIZES.least, size));
    this.hover(this.at);
  }

  /**
   * Show the ring where the pointer is.
   * @param {DrawingPoint | null} at null where it is nowhere
   */
  hover(at) {
    this.at = at;
    this.lines.setAttribute("visibility", at && this.isRound ? "visible" : "hidden");
    if (!at) return;
    for (const ring of this.rings) {
      ring.setAttribute("cx", String(at.x));
      ring.setAttribute("cy", String(at.y));
      ring.setAttribute("r", String(this.radiusAt(0.5)));
    }
  }

  /** @param {DrawingPoint} place where the cross is from now on */
  put(place) {
    this.place = place;
    this.board.pin(this.cross, place);
  }

  /** @param {KeyboardEvent} event */
  press(event) {
    const { key } = event;
    if (event.ctrlKey || event.metaKey || event.altKey) return;
    const way = ARROWS[key];
    if (!way && key !== " " && key !== "Enter") return;
    event.preventDefault();
    event.stopPropagation();
    if (way) this.step(way, event.shiftKey ? STEPS.far : STEPS.near);
    else if (event.repeat) return;
    else if (key === "Enter" && this.isDown) this.lift();
    else this.lower();
  }

  /**
   * @param {[number, number]} way
   * @param {number} length CSS pixels
   */
  step([dx, dy], length) {
    const { board, place } = this;
    const far = length * board.pixel;
    const { width, height } = board.size;
    const to = inDrawing(place.x + dx * far, place.y + dy * far);
    this.put(clampPoint(to, [0, 0, width, height]));
    this.hover(this.place);
    if (this.isDown) this.events.move([this.sample]);
  }

  /** @returns {Sample} */
  get sample() {
    return { at: this.place, pressure: 0.5, kind: "mouse" };
  }

  lower() {
    if (this.isDown) return;
    this.isDown = true;
    this.events.begin(this.sample);
  }

  /** @param {Event} [event] */
  lift(event) {
    event?.preventDefault();
    if (event?.type === "blur") this.hover(null);
    if (!this.isDown) return;
    this.isDown = false;
    this.events.end();
  }
}
