/** Fingers on the board: one draws, or moves the paper; two zoom. */

import { drag, pinch } from "../spaces.js";

/** @import { ScreenPoint } from "../spaces.js" */
/** @import { DrawingBoard, Sample } from "./drawing-board.js" */

/** A touch that moves less is a tap, CSS pixels. */
const STILL = 6;

/**
 * `waiting`: one finger is down and has not moved yet. `drawing`: the pen has it. `lent`: a grip has
 * it. `moving`: the paper goes with it. `pinching`: two fingers hold the paper. `spent`: nothing more
 * until all are lifted.
 * @typedef {"idle" | "waiting" | "drawing" | "lent" | "moving" | "pinching" | "spent"} Doing
 */

export class Gestures {
  /** @param {DrawingBoard} board */
  constructor(board) {
    this.board = board;
    /** @type {Map<number, ScreenPoint>} */
    this.fingers = new Map();
    /** @type {Doing} */
    this.doing = "idle";
    /** @type {{ point: ScreenPoint, sample: Sample } | null} */
    this.start = null;
    /** Takes the finger back from a grip. @type {() => void} */
    this.recall = () => {};
    this.isSpaceDown = false;
    this.leaving = new AbortController();
    const { signal } = this.leaving;
    const { node } = board;
    node.addEventListener("pointerdown", (event) => this.down(event), { signal });
    node.addEventListener("pointermove", (event) => this.move(event), { signal });
    node.addEventListener("pointerup", (event) => this.up(event), { signal });
    node.addEventListener("pointercancel", (event) => this.lose(event), { signal });
    node.addEventListener("pointerleave", (event) => this.hoverOut(event), { signal });
    document.addEventListener("keydown", (event) => this.holdSpace(event), { signal });
    document.addEventListener("keyup", (event) => this.holdSpace(event), { signal });
  }

  leave() {
    this.leaving.abort();
  }

  /** Whatever is being drawn is given up. */
  cancel() {
    if (this.doing === "drawing") this.board.pen.cancel?.();
    if (this.doing === "lent") this.recall();
    this.doing = this.fingers.size > 0 ? "spent" : "idle";
  }

  /**
   * A grip may have the finger that is about to come down, as long as it is the only one.
   * @param {() => void} recall takes it back, as if the grip had not been moved
   * @returns {boolean} whether it may
   */
  lend(recall) {
    if (this.fingers.size > 0) return false;
    this.recall = recall;
    this.doing = "lent";
    return true;
  }

  /** @param {PointerEvent} event */
  down(event) {
    if (event.button === 2) return;
    const { board, fingers } = this;
    fingers.set(event.pointerId, board.screenPointOf(event));
    if (this.doing === "lent" && fingers.size === 1) return;
    board.node.setPointerCapture(event.pointerId);
    if (fingers.size === 2) {
      this.cancel();
      this.doing = "pinching";
    } else if (fingers.size === 1) this.begin(event);
  }

  /** @param {PointerEvent} event */
  begin(event) {
    const { pen } = this.board;
    this.start = { point: this.board.screenPointOf(event), sample: this.sampleOf(event) };
    if (event.button === 1 || this.isSpaceDown) this.doing = "moving";
    else if (pen.begin && !pen.tap) this.draw();
    else this.doing = "waiting";
    if (event.button === 1) event.preventDefault();
  }

  draw() {
    this.doing = "drawing";
    if (this.start) this.board.pen.begin?.(this.start.sample);
  }

  /** @param {PointerEvent} event */
  move(event) {
    const { board, fingers } = this;
    const before = fingers.get(event.pointerId);
    if (!before) return board.pen.hover?.(board.pointOf(event), kindOf(event));
    const now = board.screenPointOf(event);
    if (this.doing === "waiting" && this.hasLeft(now)) {
      if (board.pen.begin) this.draw();
      else this.doing = "moving";
    }
    if (this.doing === "pinching") this.hold(event.pointerId, now);
    if (this.doing === "moving") board.look(drag(board.view, before, now));
    if (this.doing === "drawing") board.pen.move?.(this.samplesOf(event));
    fingers.set(event.pointerId, now);
  }

  /**
   * @param {number} id of the finger that moved
   * @param {ScreenPoint} to
   */
  hold(id, to) {
    const [first, second] = [...this.fingers];
    if (!first || !second || (id !== first[0] && id !== second[0])) return;
    const [a, b] = id === first[0] ? [to, second[1]] : [first[1], to];
    this.board.look(pinch(this.board.view, [first[1], second[1]], [a, b]));
  }

  /** @param {PointerEvent} event */
  up(event) {
    if (!this.fingers.delete(event.pointerId)) return;
    const { pen } = this.board;
    if (this.doing === "waiting" && this.start) pen.tap?.(this.start.sample.at);
    if (this.doing === "drawing") pen.end?.();
    this.rest();
  }

  /** @param {PointerEvent} event */
  lose(event) {
    if (!this.fingers.delete(event.pointerId)) return;
    this.cancel();
    this.rest();
  }

  /** A finger that is left over after a pinch does nothing. */
  rest() {
    this.doing = this.fingers.size > 0 ? "spent" : "idle";
  }

  /** @param {ScreenPoint} now */
  hasLeft(now) {
    const from = this.start?.point ?? now;
    return Math.hypot(now.x - from.x, now.y - from.y) > STILL;
  }

  /** @param {PointerEvent} event */
  hoverOut(event) {
    if (!this.fingers.has(event.pointerId)) this.board.pen.hover?.(null, kindOf(event));
  }

  /** @param {PointerEvent} event */
  samplesOf(event) {
    const events = event.getCoalescedEvents?.() ?? [];
    return (events.length > 0 ? events : [event]).map((one) => this.sampleOf(one));
  }

  /**
   * @param {PointerEvent} event
   * @returns {Sample}
   */
  sampleOf(event) {
    return {
      at: this.board.pointOf(event),
      pressure: event.pointerType === "pen" ? event.pressure : 0.5,
      kind: kindOf(event),
    };
  }

  /** While the space bar is held, the paper is moved. @param {KeyboardEvent} event */
  holdSpace(event) {
    if (event.key !== " ") return;
    this.isSpaceDown = event.type === "keydown" && event.target === this.board.node;
    if (this.isSpaceDown) event.preventDefault();
  }
}

/** @type {(event: PointerEvent) => Sample["kind"]} */
const kindOf = ({ pointerType }) =>
  pointerType === "touch" || pointerType === "pen" ? pointerType : "mouse";
