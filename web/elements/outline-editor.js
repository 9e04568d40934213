/**
 * Mends the outline of the chosen figure: paints, rubs out, fills by magic, cuts limbs free.
 *
 * The outline lies on a grid as large as the drawing. When a gesture ends, what lies in the figure's
 * box becomes its mask; the box grows where something was painted beside it.
 */

import { isAlike } from "../mending/changes.js";
import { middleOf } from "../geometry.js";
import { addByMagic, removeByMagic } from "../masks/fill.js";
import { mendedBy } from "../masks/figure.js";
import { emptyGrid, layMask } from "../masks/grid.js";
import { paintLine, slitWidth } from "../masks/paint.js";
import { fillHoles, keepLargest, labelParts } from "../masks/parts.js";
import { strings } from "../strings.js";
import { pictureOf } from "./board-picture.js";
import { Brush } from "./brush.js";
import { Loupe } from "./loupe.js";
import { LETTERS, OutlineBar } from "./outline-bar.js";
import { OutlineLayer } from "./outline-layer.js";

/** @import { DrawingPoint } from "../spaces.js" */
/** @import { Box, FigureAnnotation } from "../types.js" */
/** @import { Desk, Pen, Sample, Tool } from "./drawing-board.js" */
/** @import { Instrument } from "./outline-bar.js" */

const words = strings.outline;

/** A touch of magic this near to a line means the line, CSS pixels. */
const NEAR = 7;

/** @type {(desk: Desk) => Tool} */
export const outlineTool = (desk) => new OutlineEditor(desk);

/** @implements {Tool} */
class OutlineEditor {
  /** @param {Desk} desk */
  constructor(desk) {
    this.desk = desk;
    this.grid = emptyGrid(desk.board.size.width, desk.board.size.height);
    this.layer = new OutlineLayer(desk.board, this.grid);
    this.loupe = new Loupe(desk.board, (seen) => this.layer.glimpse(seen));
    /** @type {Instrument} */
    this.instrument = "brush";
    this.tolerance = 0.5;
    /** Whether magic takes away what it touches. */
    this.takesAway = false;
    /** Whose outline the grid shows, as it was saved last. @type {FigureAnnotation | undefined} */
    this.shown = undefined;
    this.isFinger = false;
    /** Where the pointer is while it paints. @type {DrawingPoint | null} */
    this.last = null;
    this.brush = new Brush(desk.board, words.cross, {
      begin: (from) => (this.instrument === "magic" ? this.fill(from.at) : this.begin(from)),
      move: (samples) => this.move(samples),
      end: () => this.end(),
    });
    this.controls = new OutlineBar({
      take: (instrument) => this.take(instrument),
      resize: (size) => this.brush.resize(size),
      turn: (takesAway) => this.take("magic", takesAway),
      loosen: (tolerance) => (this.tolerance = tolerance),
      reveal: (isShown) => this.reveal(isShown),
      fillHoles: () => this.fillHoles(),
      keepLargest: () => this.keepLargest(),
      findAnew: () => this.findAnew(),
    });
    this.bar = this.controls.node;
    this.controls.mark(this.instrument, false);
  }

  /** @returns {Pen} */
  get pen() {
    const hover = (/** @type {DrawingPoint | null} */ at) => this.brush.hover(at);
    if (this.instrument === "magic") return { cursor: "crosshair", tap: (at) => this.fill(at), hover };
    return {
      cursor: "crosshair",
      begin: (from) => this.begin(from),
      move: (samples) => this.move(samples),
      end: () => this.end(),
      cancel: () => this.cancel(),
      hover,
    };
  }

  /** Show the outline of the figure that is chosen, unless it is what is seen already. */
  show() {
    const figure = this.desk.figure();
    const before = this.shown;
    this.shown = figure;
    if (!figure) this.controls.hint.textContent = strings.edit.joints.none;
    if (figure && before && isSame(figure, before)) return;
    this.rest();
    this.grid.data.fill(0);
    if (figure?.mask) layMask(this.grid, figure.mask, figure.box);
    this.layer.touch();
    if (figure && figure.id !== before?.id) this.brush.put(middleOf(figure.box));
  }

  leave() {
    this.layer.leave();
    this.loupe.leave();
    this.brush.leave();
  }

  /** @param {KeyboardEvent} event */
  press(event) {
    const key = event.key.toLowerCase();
    const instrument = LETTERS[key];
    if (event.ctrlKey || event.metaKey || event.altKey) return false;
    if (instrument) this.take(instrument);
    else if (key === "g") this.take("magic", true);
    else if (key === "[" || key === "]") this.brush.grow(key === "[" ? -1 : 1);
    else if (key === "h") this.reveal(this.controls.isHiding);
    else return false;
    this.controls.markSize(this.brush.size);
    return true;
  }

  /**
   * @param {Instrument} instrument
   * @param {boolean} [takesAway] where it is magic
   */
  take(instrument, takesAway = false) {
    this.instrument = instrument;
    this.takesAway = takesAway;
    this.brush.isRound = instrument === "brush" || instrument === "eraser";
    this.controls.mark(instrument, takesAway);
    this.desk.board.take(this.pen);
    if (instrument === "magic") pictureOf(this.desk.board).catch(() => {}); // tried again when used
    this.desk.say(this.controls.hint.textContent ?? "");
  }

  /** @param {boolean} isShown */
  reveal(isShown) {
    this.controls.markShown(isShown);
    this.layer.show(isShown);
  }

  /** @param {Sample} from */
  begin(from) {
    if (!this.shown) return;
    this.reveal(true);
    this.last = from.at;
    this.paint([from]);
  }

  /** @param {Sample[]} samples */
  move(samples) {
    if (this.last) this.paint(samples);
  }

  /** @param {Sample[]} samples one or more */
  paint(samples) {
    for (const { at, pressure } of samples) {
      const radius = this.instrument === "cut" ? this.slit / 2 : this.brush.radiusAt(pressure);
      const value = this.instrument === "brush" ? 1 : 0;
      this.layer.touch(paintLine(this.grid, [this.last ?? at, at], radius, value));
      this.last = at;
    }
    this.follow(/** @type {Sample} */ (samples.at(-1)));
  }

  /** Show where the brush is; a finger hides it. @param {Sample} sample */
  follow({ at, kind }) {
    this.brush.hover(at);
    this.isFinger = kind === "touch";
    if (!this.isFinger) return;
    this.loupe.show(at, this.instrument === "cut" ? undefined : this.brush.size / 2);
  }

  /** How wide a cut is, pixels of the drawing. */
  get slit() {
    return slitWidth(this.shown?.mask ? this.shown.box : null);
  }

  end() {
    const { instrument } = this;
    if (!this.last || instrument === "magic") return;
    this.rest();
    const isThrough = instrument === "cut" && this.isCutThrough();
    this.commit(words.steps[instrument], isThrough ? words.said.through : words.said[instrument]);
  }

  /** As if the gesture had never begun. */
  cancel() {
    this.rest();
    this.restore();
  }

  /** Nothing is being painted. */
  rest() {
    this.last = null;
    this.loupe.hide();
    if (this.isFinger) this.brush.hover(null);
  }

  /** Whether there are more parts than before. */
  isCutThrough() {
    const before = emptyGrid(this.grid.width, this.grid.height);
    if (this.shown?.mask) layMask(before, this.shown.mask, this.shown.box);
    return labelParts(this.grid).counts.length > labelParts(before).counts.length;
  }

  /** @param {DrawingPoint} at */
  async fill({ x, y }) {
    const picture = await pictureOf(this.desk.board).catch(() => null);
    if (!picture) return this.tell(strings.errors.other.title);
    if (!this.shown) return;
    this.reveal(true);
    const touch = { x, y, reach: NEAR * this.desk.board.pixel, tolerance: this.tolerance };
    const { kind, area } = (this.takesAway ? removeByMagic : addByMagic)(this.grid, picture, touch);
    this.layer.touch(area);
    if (kind === "added" || kind === "removed") this.commit(words.steps[kind], words.said[kind]);
    else this.tell(words.said[kind]);
  }

  fillHoles() {
    const { area, filled } = fillHoles(this.grid);
    this.finish(area, words.steps.holes, words.said.holes(filled));
  }

  keepLargest() {
    const { area, removed } = keepLargest(this.grid);
    this.finish(area, words.steps.pieces, words.said.pieces(removed));
  }

  findAnew() {
    if (this.shown) this.desk.mend({ mask: null }, words.steps.again);
  }

  /**
   * @param {Box | null} area where something changed
   * @param {string} what
   * @param {string} said
   */
  finish(area, what, said) {
    this.layer.touch(area);
    if (area) this.commit(what, said);
    else this.tell(said);
  }

  /**
   * What the grid shows counts.
   * @param {string} what was done
   * @param {string} said
   */
  commit(what, said) {
    if (!this.shown) return;
    const change = mendedBy(this.grid, this.shown);
    if (!change) {
      this.restore();
      this.tell(words.said.empty);
      return;
    }
    this.shown = { ...this.shown, ...change };
    this.controls.mark(this.instrument, this.takesAway);
    this.desk.mend(change, what);
    this.desk.say(said);
  }

  /** Say why nothing was done, to all; until something is. @param {string} text */
  tell(text) {
    this.desk.say(text);
    this.controls.hint.textContent = text;
  }

  /** Show what counts. */
  restore() {
    this.shown = undefined;
    this.show();
  }
}

/** @type {(one: FigureAnnotation, other: FigureAnnotation) => boolean} */
const isSame = (one, other) =>
  one.id === other.id && isAlike(one.box, other.box) && isAlike(one.mask, other.mask);
