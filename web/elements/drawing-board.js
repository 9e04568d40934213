/**
 * Where a drawing lies to be worked on: zoom and pan, layers, and one tool in hand.
 *
 * From back to front, all of them moved by the board itself when it is zoomed:
 *
 *     paper     the picture, and canvases over it (`addCanvas`), in pixels of the drawing
 *     lines     SVG groups (`addLines`), whose units are pixels of the drawing; lines keep their
 *               width (`vector-effect: non-scaling-stroke`)
 *     pins      HTML that lies at a point of the drawing and keeps its size (`pin`): grips, names
 *
 * A tool lays its layers when it is made and takes them away in `leave`. All points that it is given
 * are of the drawing; `pixel` tells how large one CSS pixel is there.
 */

import { el, svg } from "../dom.js";
import { fit, inDrawing, onScreen, pixelOf, settle, toDrawing, toScreen, windowOf, zoom } from "../spaces.js";
import { Gestures } from "./gestures.js";

/** @import { DrawingPoint, ScreenPoint, Size, View } from "../spaces.js" */
/** @import { Annotation, Box, FigureAnnotation } from "../types.js" */

/**
 * What a pointer is on the board, at one instant.
 * @typedef {object} Sample
 * @property {DrawingPoint} at
 * @property {number} pressure 0 to 1; 0.5 where the device does not tell
 * @property {"mouse" | "touch" | "pen"} kind
 */

/**
 * What one finger (or the mouse) does where nothing else takes it; what is left out is not done.
 * Without `begin` it moves the paper. A second finger cancels, and zooms.
 * @typedef {object} Pen
 * @property {string} [cursor] CSS
 * @property {(at: DrawingPoint) => void} [tap] touched without being moved
 * @property {(from: Sample) => void} [begin] at once, or after the first few pixels where there is `tap`
 * @property {(samples: Sample[]) => void} [move] all since the last call
 * @property {() => void} [end]
 * @property {() => void} [cancel] as if it had never begun
 * @property {(at: DrawingPoint | null, kind: Sample["kind"]) => void} [hover] null when it left
 */

/**
 * One way of working; made when it is chosen: `(desk: Desk) => Tool`.
 * @typedef {object} Tool
 * @property {HTMLElement} bar its buttons, within reach of a thumb
 * @property {Pen} pen
 * @property {() => void} show draw anew what is worked on; called at first and whenever it changed:
 *   by the tool, by undo, by another figure being chosen, by the server
 * @property {() => void} leave take away what was laid on the board
 * @property {(event: KeyboardEvent) => boolean} [press] a key that nothing else took; true when used
 */

/**
 * What a tool works with.
 * @typedef {object} Desk
 * @property {DrawingBoard} board
 * @property {() => Annotation} annotation as it is now
 * @property {() => FigureAnnotation | undefined} figure the one that is chosen
 * @property {(id: string) => void} choose another figure
 * @property {(change: Partial<FigureAnnotation>, what: string) => void} mend the chosen figure: one
 *   step of undo, saved by itself; call it when a gesture ends. `what` is said when it is undone
 * @property {(annotation: Annotation, what: string) => void} change anything, in the same way
 * @property {(text: string) => void} say to those who listen
 */

/** Below are the buttons that zoom. */
export const MARGIN = { beside: 14, above: 14, below: 62 };

const STEP = 1.25;
const PAN = 60;
const WHEEL = 0.0016;

export class DrawingBoard {
  /**
   * @param {{ picture: string, label: string, size: Size }} about the picture's address, what the
   *   board is called, the drawing's size in pixels
   */
  constructor({ picture, label, size }) {
    this.size = size;
    /** @type {View} */
    this.view = { scale: 1, x: 0, y: 0 };
    /** @type {Pen} */
    this.pen = {};
    /** @type {Map<HTMLElement, DrawingPoint>} */
    this.pins = new Map();
    /** @type {Set<() => void>} */
    this.watchers = new Set();
    /** What is kept as large as can be, until somebody zooms. @type {Box | null} */
    this.framed = [0, 0, size.width, size.height];
    /** Left free above what is framed, CSS pixels. */
    this.headroom = MARGIN.above;
    this.picture = el("img", { src: picture, alt: "", draggable: "false", class: "board-picture" });
    this.paper = el("div", { class: "board-paper" }, this.picture);
    this.paper.style.width = `${size.width}px`;
    this.paper.style.height = `${size.height}px`;
    this.lines = svg("svg", { class: "board-lines", "aria-hidden": "true" });
    this.pinned = el("div", { class: "board-pins" });
    this.node = el(
      "div",
      { class: "board", tabindex: 0, role: "group", "aria-label": label },
      this.paper,
      this.lines,
      this.pinned,
    );
    this.gestures = new Gestures(this);
    this.resizing = new ResizeObserver(() => this.resize());
    this.resizing.observe(this.node);
    this.node.addEventListener("wheel", (event) => this.turn(event), { passive: false });
    this.node.addEventListener("keydown", (event) => this.press(event));
  }

  /** For good. */
  leave() {
    this.resizing.disconnect();
    this.gestures.leave();
  }

  /** @param {Pen} pen what one finger does from now on */
  take(pen) {
    this.gestures.cancel();
    this.pen = pen;
    this.node.style.cursor = pen.cursor ?? "grab";
  }

  /** Pixels of the drawing for each CSS pixel. */
  get pixel() {
    return pixelOf(this.view);
  }

  /** @returns {Size} CSS pixels */
  get room() {
    return { width: this.node.clientWidth, height: this.node.clientHeight };
  }

  /**
   * A canvas over the picture, as many pixels as its part of the drawing has.
   * @param {Box} [box] the part; all of the drawing where it is left out
   * @returns {HTMLCanvasElement} `remove()` takes it away
   */
  addCanvas(box = [0, 0, this.size.width, this.size.height]) {
    const canvas = el("canvas", { class: "board-canvas" });
    this.layCanvas(canvas, box);
    this.paper.append(canvas);
    return canvas;
  }

  /**
   * Give a canvas another part of the drawing; it is empty afterwards.
   * @param {HTMLCanvasElement} canvas
   * @param {Box} box
   */
  layCanvas(canvas, [x1, y1, x2, y2]) {
    [canvas.width, canvas.height] = [x2 - x1, y2 - y1];
    canvas.style.transform = `translate(${x1}px, ${y1}px)`;
  }

  /** @returns {SVGElement} a group whose units are pixels of the drawing; `remove()` takes it away */
  addLines() {
    const group = svg("g", {});
    this.lines.append(group);
    return group;
  }

  /**
   * Keep an element at a point of the drawing, whatever the zoom; again to move it.
   * @param {HTMLElement} node
   * @param {DrawingPoint} at
   */
  pin(node, at) {
    if (!this.pins.has(node)) this.pinned.append(node);
    this.pins.set(node, at);
    this.place(node, at);
  }

  /** @param {HTMLElement} node */
  unpin(node) {
    this.pins.delete(node);
    node.remove();
  }

  /**
   * @param {() => void} watcher called after each change of the view
   * @returns {() => void} how to stop
   */
  watch(watcher) {
    this.watchers.add(watcher);
    return () => this.watchers.delete(watcher);
  }

  /** Show all of the drawing. */
  fit() {
    this.fitTo([0, 0, this.size.width, this.size.height]);
  }

  /** @param {Box} box shown as large as it can be, whatever becomes of the board */
  fitTo(box) {
    this.look(fit(box, this.room, { ...MARGIN, above: this.headroom }));
    this.framed = box;
  }

  /**
   * @param {number} factor
   * @param {ScreenPoint} [at] what stays in its place; the board's middle where it is left out
   */
  zoomBy(factor, at = onScreen(this.room.width / 2, this.room.height / 2)) {
    this.look(zoom(this.view, at, factor));
  }

  zoomIn() {
    this.zoomBy(STEP);
  }

  zoomOut() {
    this.zoomBy(1 / STEP);
  }

  /** @param {View} view as near to it as can be */
  look(view) {
    const { width, height } = this.room;
    if (width === 0 || height === 0) return;
    this.framed = null;
    this.view = settle(view, this.size, this.room);
    const { scale, x, y } = this.view;
    this.paper.style.transform = `translate(${x}px, ${y}px) scale(${scale})`;
    this.paper.classList.toggle("is-close", scale > 3);
    const seen = windowOf(this.view, this.room);
    this.lines.setAttribute("viewBox", `${seen.x} ${seen.y} ${seen.width} ${seen.height}`);
    for (const [node, at] of this.pins) this.place(node, at);
    for (const watcher of this.watchers) watcher();
  }

  /** @type {(event: MouseEvent) => ScreenPoint} */
  screenPointOf(event) {
    const { left, top } = this.node.getBoundingClientRect();
    return onScreen(event.clientX - left - this.node.clientLeft, event.clientY - top - this.node.clientTop);
  }

  /** @type {(event: MouseEvent) => DrawingPoint} */
  pointOf(event) {
    return toDrawing(this.screenPointOf(event), this.view);
  }

  /** What is in the middle of the board. */
  get middle() {
    const { x, y, width, height } = windowOf(this.view, this.room);
    return inDrawing(x + width / 2, y + height / 2);
  }

  /**
   * @param {HTMLElement} node
   * @param {DrawingPoint} at
   */
  place(node, at) {
    const { x, y } = toScreen(at, this.view);
    node.style.transform = `translate(${x}px, ${y}px)`;
  }

  resize() {
    if (this.framed) this.fitTo(this.framed);
    else this.look(this.view);
  }

  /** @param {WheelEvent} event */
  turn(event) {
    event.preventDefault();
    const lines = event.deltaMode === WheelEvent.DOM_DELTA_LINE ? 16 : 1;
    const way = Math.max(-240, Math.min(240, event.deltaY * lines));
    this.zoomBy(Math.exp(-way * WHEEL), this.screenPointOf(event));
  }

  /** @param {KeyboardEvent} event */
  press(event) {
    if (event.ctrlKey || event.metaKey || event.altKey) return;
    const act = KEYS[event.key];
    const isMove = event.key.startsWith("Arrow");
    if (!act || event.defaultPrevented || (isMove && event.target !== this.node)) return;
    event.preventDefault();
    act(this);
  }

  /** @param {number} x @param {number} y CSS pixels */
  pan(x, y) {
    this.look({ ...this.view, x: this.view.x + x, y: this.view.y + y });
  }
}

/** @type {Record<string, (board: DrawingBoard) => void>} */
const KEYS = {
  "+": (board) => board.zoomIn(),
  "=": (board) => board.zoomIn(),
  "-": (board) => board.zoomOut(),
  0: (board) => board.fit(),
  ArrowLeft: (board) => board.pan(PAN, 0),
  ArrowRight: (board) => board.pan(-PAN, 0),
  ArrowUp: (board) => board.pan(0, PAN),
  ArrowDown: (board) => board.pan(0, -PAN),
};
