/** What was corrected in one drawing: step by step, undone and redone, with any tool. */

import { changeBetween } from "./changes.js";
import { redo, step, undo } from "./history.js";
import { Saver } from "./saving.js";

/** @import { Figures } from "./changes.js" */
/** @import { History } from "./history.js" */
/** @import { Annotation, FigureAnnotation } from "../types.js" */

export class Corrections extends Saver {
  /**
   * One step.
   * @param {Figures} figures
   * @param {string} what
   */
  change(figures, what) {
    if (changeBetween(this.figures, figures) === null) return;
    this.go(step(this.history, figures, what));
  }

  /**
   * One step that changes one figure.
   * @param {string} id
   * @param {Partial<FigureAnnotation>} change
   * @param {string} what
   */
  mend(id, change, what) {
    const mended = (/** @type {FigureAnnotation} */ figure) =>
      figure.id === id ? { ...figure, ...change } : figure;
    this.change(this.figures.map(mended), what);
  }

  /** @returns {string | null} what was taken back */
  undo() {
    const what = this.history.past.at(-1)?.what ?? null;
    if (what !== null) this.go(undo(this.history));
    return what;
  }

  /** @returns {string | null} what was done again */
  redo() {
    const what = this.history.future.at(-1)?.what ?? null;
    if (what !== null) this.go(redo(this.history));
    return what;
  }

  /** @param {History<Figures>} history */
  go(history) {
    this.history = history;
    if (this.saving === "refused") this.saving = "saved";
    this.error = null;
    if (this.saving !== "conflict") {
      if (changeBetween(this.base.figures, this.figures)) this.saving = "saving";
      clearTimeout(this.timer);
      this.timer = setTimeout(() => this.save(), this.pace.rest);
    }
    this.keepOnShelf();
    this.tell();
  }

  /** What is here counts; what somebody else did is one step back. */
  keepMine() {
    const { theirs } = this;
    if (!theirs) return;
    const past = [...this.history.past, { thing: theirs.figures, what: this.names.mine }];
    this.resolve(theirs, { past, present: this.figures, future: [] });
  }

  /** What somebody else did counts; what was here is one step back. */
  takeTheirs() {
    const { theirs } = this;
    if (!theirs) return;
    this.resolve(theirs, step(this.history, theirs.figures, this.names.theirs));
  }

  /**
   * @param {Annotation} theirs
   * @param {History<Figures>} history
   */
  resolve(theirs, history) {
    this.base = theirs;
    this.theirs = null;
    this.saving = "saving";
    this.history = history;
    this.keepOnShelf();
    this.tell();
    this.save();
  }
}
