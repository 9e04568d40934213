/** A handle on the board: dragged by finger or mouse, moved by the arrow keys. */

import { el } from "../dom.js";
import { inDrawing } from "../spaces.js";

/** @import { DrawingPoint } from "../spaces.js" */
/** @import { DrawingBoard } from "./drawing-board.js" */

/** Pixels of the drawing that an arrow key moves by; with shift, and alone. */
const STEPS = { far: 10, near: 1 };

/** Milliseconds after the last arrow key until what was moved is done with. */
const REST = 500;

/** Where the arrow keys lead. @type {Record<string, [number, number]>} */
export const ARROWS = {
  ArrowLeft: [-1, 0],
  ArrowRight: [1, 0],
  ArrowUp: [0, -1],
  ArrowDown: [0, 1],
};

/**
 * @typedef {object} GripEvents
 * @property {(to: DrawingPoint, by: "finger" | "mouse" | "keys") => void} move while it is dragged
 * @property {() => void} end of a drag, or of a row of arrow keys: now it counts
 * @property {() => void} cancel as if it had not been moved
 * @property {() => void} [hold] it was taken, or has the focus
 * @property {(dx: number, dy: number) => void} [grow] shift and arrows, where they do not move it
 * @property {() => void} [remove] the key Delete
 */

export class Grip {
  /**
   * @param {DrawingBoard} board
   * @param {{ label: string, class: string, at: DrawingPoint }} about its accessible name, its look
   * @param {GripEvents} events
   */
  constructor(board, about, events) {
    this.board = board;
    this.at = about.at;
    this.events = events;
    this.resting = 0;
    this.hasMoved = false;
    this.node = el("button", {
      type: "button",
      class: `grip ${about.class}`,
      "aria-label": about.label,
      onpointerdown: (/** @type {PointerEvent} */ event) => this.down(event),
      onkeydown: (/** @type {KeyboardEvent} */ event) => this.press(event),
      onfocus: () => events.hold?.(),
      onblur: () => this.settle(),
    });
    GRIPS.set(this.node, this);
    this.moveTo(about.at);
  }

  /** @param {DrawingPoint} at */
  moveTo(at) {
    this.at = at;
    this.board.pin(this.node, at);
  }

  leave() {
    clearTimeout(this.resting);
    this.board.unpin(this.node);
  }

  /**
   * Where hands are close together, the nearest is meant, not the uppermost.
   * @param {PointerEvent} event
   */
  down(event) {
    const over = new AbortController();
    const meant = nearest(this, event);
    const recall = () => meant.finish(over, meant.events.cancel);
    if (event.button !== 0 || !this.board.gestures.lend(recall)) return;
    event.preventDefault();
    meant.node.focus({ preventScroll: true });
    meant.follow(event, over);
  }

  /**
   * @param {PointerEvent} event the one that began it
   * @param {AbortController} over ends it
   */
  follow(event, over) {
    const { board, node, events } = this;
    const from = board.pointOf(event);
    const [dx, dy] = [this.at.x - from.x, this.at.y - from.y];
    const by = event.pointerType === "mouse" ? "mouse" : "finger";
    const { signal } = over;
    const isOther = (/** @type {PointerEvent} */ next) => next.pointerId !== event.pointerId;
    const finish = (/** @type {() => void} */ act) => this.finish(over, act);
    this.hasMoved = false;
    node.setPointerCapture(event.pointerId);
    node.classList.add("is-held");
    node.addEventListener(
      "pointermove",
      (next) => {
        if (isOther(next)) return;
        this.hasMoved = true;
        const { x, y } = board.pointOf(next);
        events.move(inDrawing(x + dx, y + dy), by);
      },
      { signal },
    );
    node.addEventListener("pointerup", (e) => isOther(e) || finish(events.end), { signal });
    node.addEventListener("pointercancel", (e) => isOther(e) || finish(events.cancel), { signal });
    node.addEventListener(
      "keydown",
      (key) => {
        if (key.key !== "Escape") return;
        key.stopPropagation();
        finish(events.cancel);
      },
      { signal },
    );
  }

  /**
   * @param {AbortController} over
   * @param {() => void} act what becomes of what was moved
   */
  finish(over, act) {
    if (over.signal.aborted) return;
    over.abort();
    this.node.classList.remove("is-held");
    if (this.hasMoved) act();
  }

  /** @param {KeyboardEvent} event */
  press(event) {
    const { events } = this;
    if (event.ctrlKey || event.metaKey || event.altKey) return;
    const way = ARROWS[event.key];
    if (way) {
      event.preventDefault();
      event.stopPropagation();
      this.nudge(way, event.shiftKey);
    } else if ((event.key === "Delete" || event.key === "Backspace") && events.remove) {
      event.preventDefault();
      event.stopPropagation();
      events.remove();
    }
  }

  /**
   * @param {[number, number]} way
   * @param {boolean} isFar
   */
  nudge([dx, dy], isFar) {
    const { events } = this;
    const step = isFar ? STEPS.far : STEPS.near;
    if (isFar && events.grow) events.grow(dx * step, dy * step);
    else events.move(inDrawing(this.at.x + dx * step, this.at.y + dy * step), "keys");
    clearTimeout(this.resting);
    this.resting = window.setTimeout(() => this.settle(), REST);
  }

  /** What the keys did counts. */
  settle() {
    if (!this.resting) return;
    clearTimeout(this.resting);
    this.resting = 0;
    this.events.end();
  }
}

/** @type {WeakMap<Element, Grip>} */
const GRIPS = new WeakMap();

/**
 * The grip under a finger whose middle is the nearest.
 * @param {Grip} touched
 * @param {PointerEvent} event
 * @returns {Grip}
 */
function nearest(touched, { clientX, clientY }) {
  const apart = (/** @type {Grip} */ { node }) => {
    const { left, top, width, height } = node.getBoundingClientRect();
    return Math.hypot(left + width / 2 - clientX, top + height / 2 - clientY);
  };
  const grips = document.elementsFromPoint(clientX, clientY).flatMap((node) => GRIPS.get(node) ?? []);
  return grips.reduce((best, grip) => (apart(grip) < apart(best) ? grip : best), touched);
}
