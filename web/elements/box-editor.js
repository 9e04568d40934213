/** The figures of a drawing as boxes: moved, pulled, added, taken away, or told to keep still. */

import { reframe } from "../mending/changes.js";
import { el, svg } from "../dom.js";
import { boxAround, boxBetween, holds, itemAt, moveBox, pullBox } from "../geometry.js";
import { inDrawing } from "../spaces.js";
import { strings } from "../strings.js";
import { BoxHandles } from "./box-handles.js";
import { Grip } from "./grip.js";
import { Outlines } from "./outlines.js";
import { relabel, toolButton } from "./tool-button.js";

/** @import { Side } from "../geometry.js" */
/** @import { DrawingPoint } from "../spaces.js" */
/** @import { Box, FigureAnnotation } from "../types.js" */
/** @import { Desk, Pen, Sample, Tool } from "./drawing-board.js" */

const words = strings.edit;

/** As the API takes them. */
const MOST_FIGURES = 20;

/** A new box drawn without a finger takes this share of the drawing's sides. */
const SHARE = 0.4;

/** @type {(desk: Desk) => Tool} */
export function figuresTool(desk) {
  return new BoxEditor(desk);
}

/** @implements {Tool} */
class BoxEditor {
  /** @param {Desk} desk */
  constructor(desk) {
    this.desk = desk;
    this.outlines = new Outlines(desk.board);
    this.lines = desk.board.addLines();
    /** @type {Map<string, Grip>} */
    this.badges = new Map();
    this.handles = new BoxHandles(desk.board, {
      pull: (side, to) => this.pull(side, to),
      end: () => this.finish(),
      cancel: () => this.draw(null),
      remove: () => this.remove(),
    });
    /** A box as it is being dragged. @type {{ id: string | null, box: Box } | null} */
    this.draft = null;
    this.isAdding = false;
    this.hint = el("p", { class: "tool-hint" });
    this.add = toolButton("missing", words.figures.add, (event) => this.startAdding(event));
    this.keep = toolButton("still", words.figures.keepStill, () => this.toggleHidden());
    this.bin = toolButton("bin", words.figures.remove, () => this.remove());
    const buttons = el("div", { class: "tool-buttons" }, this.add, this.keep, this.bin);
    this.bar = el("div", { class: "tool-bar" }, this.hint, buttons);
  }

  /** @returns {Pen} */
  get pen() {
    /** @type {DrawingPoint | null} */
    let from = null;
    /** @type {Box | null} */
    let held = null;
    return {
      cursor: "crosshair",
      tap: (at) => this.tap(at),
      begin: ({ at }) => {
        from = at;
        held = this.isAdding ? null : this.take(at);
      },
      move: (samples) => {
        const to = /** @type {Sample} */ (samples.at(-1)).at;
        if (!from) return;
        const { size } = this.desk.board;
        const box = held
          ? moveBox(held, to.x - from.x, to.y - from.y, size)
          : boxBetween(from, to, size);
        this.draw(box && { id: held ? (this.desk.figure()?.id ?? null) : null, box });
      },
      end: () => this.finish(),
      cancel: () => this.draw(null),
    };
  }

  /**
   * The box that a drag in it moves: the chosen one's, or else that of the one that is meant.
   * @param {DrawingPoint} at
   */
  take(at) {
    const chosen = this.desk.figure();
    if (chosen && holds(chosen.box, at)) return chosen.box;
    const other = itemAt(this.desk.annotation().figures, at);
    if (other) this.desk.choose(other.id);
    return other?.box ?? null;
  }

  /** Taps in the same place go through the figures that lie there. @param {DrawingPoint} at */
  tap(at) {
    const there = this.desk.annotation().figures.filter(({ box }) => holds(box, at));
    const i = there.findIndex(({ id }) => id === this.desk.figure()?.id);
    const next = i < 0 ? itemAt(there, at) : there[(i + 1) % there.length];
    if (next) this.desk.choose(next.id);
  }

  /**
   * @param {Side} side
   * @param {DrawingPoint} to
   */
  pull(side, to) {
    const chosen = this.desk.figure();
    if (!chosen) return;
    this.draw({ id: chosen.id, box: pullBox(this.boxOf(chosen), side, to, this.desk.board.size) });
  }

  /** @param {{ id: string | null, box: Box } | null} draft */
  draw(draft) {
    this.draft = draft;
    this.redraw();
  }

  /** What was dragged counts. */
  finish() {
    const { draft } = this;
    this.draft = null;
    if (draft?.id) this.change(draft.id, draft.box);
    else if (draft) this.addFigure(draft.box);
    else this.redraw();
  }

  /**
   * @param {string} id
   * @param {Box} box
   */
  change(id, box) {
    const figure = this.desk.annotation().figures.find((one) => one.id === id);
    if (!figure || figure.box.every((side, i) => side === box[i])) return this.redraw();
    this.desk.mend(reframe(figure, box), words.done.box);
  }

  /** @param {Box} box */
  addFigure(box) {
    const annotation = this.desk.annotation();
    this.setAdding(false);
    if (annotation.figures.length >= MOST_FIGURES) return this.desk.say(words.figures.tooMany);
    const id = `figure-${newName()}`;
    /** @type {FigureAnnotation} */
    const figure = { id, box, score: 1, mask: null, skeleton: null, limbs: {}, hidden: false };
    this.desk.change({ ...annotation, figures: [...annotation.figures, figure] }, words.done.added);
    this.desk.choose(id);
    this.desk.say(words.figures.added);
  }

  /** By keyboard a box is laid in the middle, to be moved from there. @param {MouseEvent} event */
  startAdding(event) {
    const isKey = event.detail === 0;
    if (!isKey) return this.setAdding(!this.isAdding);
    const { board } = this.desk;
    this.addFigure(boxAround(board.middle, SHARE, board.size));
    this.badges.get(this.desk.figure()?.id ?? "")?.node.focus();
  }

  /** @param {boolean} isAdding */
  setAdding(isAdding) {
    this.isAdding = isAdding;
    this.show();
    if (isAdding) this.desk.say(words.figures.addHint);
  }

  toggleHidden() {
    const figure = this.desk.figure();
    if (!figure) return;
    const { hidden } = figure;
    this.desk.mend({ hidden: !hidden }, hidden ? words.done.dances : words.done.still);
  }

  remove() {
    const { figures } = this.desk.annotation();
    const figure = this.desk.figure();
    if (!figure) return;
    const left = figures.filter(({ id }) => id !== figure.id);
    this.desk.change({ ...this.desk.annotation(), figures: left }, words.done.removed);
    this.desk.say(words.figures.removed);
    const next = this.badges.get(this.desk.figure()?.id ?? "")?.node ?? this.add;
    next.focus({ preventScroll: true });
  }

  show() {
    const { figures } = this.desk.annotation();
    const figure = this.desk.figure();
    this.outlines.show(figures, figure?.id);
    this.hint.textContent = this.isAdding
      ? words.figures.addHint
      : figures.length === 0
        ? words.figures.none
        : figure?.hidden
          ? words.figures.hiddenHint
          : words.figures.hint;
    this.add.setAttribute("aria-pressed", String(this.isAdding));
    const { hidden = false } = figure ?? {};
    relabel(this.keep, hidden ? "dances" : "still", hidden ? words.figures.letDance : words.figures.keepStill);
    for (const button of [this.keep, this.bin]) button.disabled = !figure;
    this.redraw();
  }

  /** @param {FigureAnnotation} figure */
  boxOf({ id, box }) {
    return this.draft?.id === id ? this.draft.box : box;
  }

  redraw() {
    const { figures } = this.desk.annotation();
    const chosen = this.desk.figure();
    const rects = figures.map((figure) => rect(this.boxOf(figure), figure.id === chosen?.id, figure.hidden));
    if (this.draft && !this.draft.id) rects.push(rect(this.draft.box, true, false));
    this.lines.replaceChildren(...rects);
    this.drawBadges(figures, chosen);
    this.handles.show(chosen ? this.boxOf(chosen) : null);
  }

  /**
   * @param {readonly FigureAnnotation[]} figures
   * @param {FigureAnnotation | undefined} chosen
   */
  drawBadges(figures, chosen) {
    for (const [id, badge] of this.badges) {
      if (figures.some((figure) => figure.id === id)) continue;
      badge.leave();
      this.badges.delete(id);
    }
    figures.forEach((figure, i) => {
      const badge = this.badges.get(figure.id) ?? this.addBadge(figure);
      const [x1, y1, x2, y2] = this.boxOf(figure);
      badge.moveTo(inDrawing(x1, y1));
      badge.node.textContent = String(i + 1);
      const size = words.figures.size(x2 - x1, y2 - y1);
      const name = words.figures.name(i + 1, figures.length);
      badge.node.setAttribute("aria-label", figure.hidden ? `${name}, ${words.figures.isStill}` : name);
      badge.node.setAttribute("aria-description", `${size}. ${words.figures.keys}`);
      badge.node.classList.toggle("is-chosen", figure === chosen);
      badge.node.classList.toggle("is-hidden", figure.hidden);
    });
  }

  /** @param {FigureAnnotation} figure */
  addBadge({ id, box }) {
    const at = inDrawing(box[0], box[1]);
    const current = () => this.desk.annotation().figures.find((figure) => figure.id === id);
    const drag = (/** @type {(box: Box, size: import("../spaces.js").Size) => Box} */ turn) => {
      const figure = current();
      if (figure) this.draw({ id, box: turn(this.boxOf(figure), this.desk.board.size) });
    };
    const badge = new Grip(this.desk.board, { label: "", class: "is-badge", at }, {
      hold: () => this.desk.figure()?.id === id || this.desk.choose(id),
      move: ({ x, y }) => drag((now, size) => moveBox(now, x - now[0], y - now[1], size)),
      grow: (dx, dy) =>
        drag((now, size) => pullBox(now, "se", inDrawing(now[2] + dx, now[3] + dy), size)),
      end: () => this.finish(),
      cancel: () => this.draw(null),
      remove: () => this.remove(),
    });
    this.badges.set(id, badge);
    return badge;
  }

  leave() {
    this.handles.leave();
    this.outlines.leave();
    this.lines.remove();
    for (const badge of this.badges.values()) badge.leave();
  }
}

/**
 * @param {Box} box
 * @param {boolean} isChosen
 * @param {boolean} isHidden
 */
function rect([x1, y1, x2, y2], isChosen, isHidden) {
  const look = `edit-box${isChosen ? " is-chosen" : ""}${isHidden ? " is-hidden" : ""}`;
  return svg("rect", { class: look, x: x1, y: y1, width: x2 - x1, height: y2 - y1 });
}

/** Eight hexadecimal digits by chance. */
function newName() {
  const bytes = crypto.getRandomValues(new Uint8Array(4));
  return Array.from(bytes, (byte) => byte.toString(16).padStart(2, "0")).join("");
}
