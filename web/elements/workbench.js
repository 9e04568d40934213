/** Where a drawing is mended: the board, the tool in hand, and the figure dancing beside it. */

import { readAddress } from "../addresses.js";
import { el } from "../dom.js";
import { growBox } from "../geometry.js";
import { navigate, rename } from "../router.js";
import { strings } from "../strings.js";
import { figuresTool } from "./box-editor.js";
import { conflictNotice } from "./conflict.js";
import { MARGIN } from "./drawing-board.js";
import { editTop, figureSwitch, toolTabs } from "./edit-top.js";
import { orderTool } from "./limb-order.js";
import { outlineTool } from "./outline-editor.js";
import { problem } from "./problem.js";
import { Dancer } from "./dancer.js";
import { jointsTool } from "./skeleton-editor.js";
import { iconButton } from "./tool-button.js";

/** @import { Corrections } from "../mending/corrections.js" */
/** @import { Annotation, FigureAnnotation } from "../types.js" */
/** @import { Desk, DrawingBoard, Tool } from "./drawing-board.js" */
/** @import { ToolName } from "./edit-top.js" */

const words = strings.edit;

/** @type {Record<ToolName, (desk: Desk) => Tool>} */
const MAKERS = {
  figures: figuresTool,
  outline: outlineTool,
  joints: jointsTool,
  order: orderTool,
};

/** What is seen around a figure that is mended, in widths and heights of its box. */
const AROUND = 0.12;

/** Above the drawing, where figures are chosen, CSS pixels. */
const SWITCH = 60;

/** Leaving waits so long for the last correction to be saved, milliseconds. */
const PATIENCE = 3000;

/** @implements {Desk} */
export class Workbench {
  /**
   * @param {string} id of the drawing
   * @param {DrawingBoard} board
   * @param {Corrections} corrections
   * @param {URLSearchParams} query which figure is mended, and the dance that it practises
   */
  constructor(id, board, corrections, query) {
    this.id = id;
    this.board = board;
    this.corrections = corrections;
    this.query = query;
    this.chosen = query.get("figure") ?? "";
    this.leaving = new AbortController();
    /** @type {ToolName} */
    this.toolName = "figures";
    /** @type {Tool | null} */
    this.tool = null;
    /** What the notice tells. @type {unknown} */
    this.noticed = null;
    const { signal } = this.leaving;
    this.dancer = new Dancer(id, corrections, readAddress(query).wish, signal);
    this.listener = el("p", { class: "visually-hidden", role: "status" });
    this.bar = el("div", { class: "edit-bar" });
    this.notices = el("div", { class: "edit-notices" });
    this.top = editTop({
      onFinish: () => this.finish(),
      onUndo: () => this.undo(),
      onRedo: () => this.redo(),
    });
    this.tabs = toolTabs((name) => this.addressOf(name), (name) => this.use(name));
    this.switch = figureSwitch((step) => this.step(step));
    this.node = this.layOut(board, this.dancer);
    this.unwatch = corrections.watch(() => this.show());
    document.addEventListener("keydown", (event) => this.press(event), { signal });
    // Somebody may have mended it in another window meanwhile.
    const look = () => document.hidden || corrections.refresh().catch(() => {});
    document.addEventListener("visibilitychange", look, { signal });
  }

  /**
   * @param {DrawingBoard} board
   * @param {Dancer} dancer
   */
  layOut(board, dancer) {
    const zoom = el(
      "div",
      { class: "board-zoom" },
      iconButton("plus", words.zoomIn, () => board.zoomIn()),
      iconButton("minus", words.zoomOut, () => board.zoomOut()),
      iconButton("fit", words.fit, () => board.fit()),
    );
    const easel = el("div", { class: "edit-easel" }, board.node, this.switch.node, zoom, this.notices);
    const panel = el("div", { class: "edit-panel" }, dancer.node, this.bar);
    return el("div", { class: "editor" }, this.top.node, this.tabs.node, easel, panel, this.listener);
  }

  /**
   * @param {ToolName} name
   * @param {boolean} [isStep] whether going back leads to the tool before
   */
  use(name, isStep = true) {
    if (this.tool && name === this.toolName) return;
    this.tool?.leave();
    this.toolName = name;
    this.tool = MAKERS[name](this);
    this.bar.replaceChildren(this.tool.bar);
    this.board.take(this.tool.pen);
    rename(this.addressOf(name), { isStep });
    this.frame();
    this.show();
  }

  /** Show what the tool works on, unless somebody has looked closer himself. */
  frame() {
    const { board, toolName } = this;
    if (!board.framed) return;
    const box = this.figure()?.box;
    if (toolName === "figures" || !box) board.fit();
    else board.fitTo(growBox(box, AROUND, board.size));
  }

  /** @param {ToolName} name */
  addressOf(name) {
    const query = new URLSearchParams(this.query);
    if (this.chosen) query.set("figure", this.chosen);
    return `/drawings/${this.id}/edit/${name}${query.size > 0 ? `?${query}` : ""}`;
  }

  /** @returns {Annotation} */
  annotation() {
    const { corrections } = this;
    return { ...corrections.base, figures: [...corrections.figures] };
  }

  figure() {
    const figures = this.corrections.figures;
    return figures.find(({ id }) => id === this.chosen) ?? figures[0];
  }

  /** @param {string} id */
  choose(id) {
    if (id === this.figure()?.id) return;
    this.chosen = id;
    rename(this.addressOf(this.toolName), { isStep: false });
    this.frame();
    this.show();
  }

  /** @param {1 | -1} step */
  step(step) {
    const figures = this.corrections.figures;
    const at = figures.findIndex(({ id }) => id === this.figure()?.id);
    const next = figures[(at + step + figures.length) % figures.length];
    if (next) this.choose(next.id);
  }

  /**
   * @param {Partial<FigureAnnotation>} change
   * @param {string} what
   */
  mend(change, what) {
    const figure = this.figure();
    if (figure) this.corrections.mend(figure.id, change, what);
  }

  /**
   * @param {Annotation} annotation
   * @param {string} what
   */
  change({ figures }, what) {
    this.corrections.change(figures, what);
  }

  /** @param {string} text */
  say(text) {
    this.listener.textContent = text;
  }

  undo() {
    const what = this.corrections.undo();
    this.say(what === null ? words.nothingToUndo : words.undone(what));
  }

  redo() {
    const what = this.corrections.redo();
    this.say(what === null ? words.nothingToRedo : words.redone(what));
  }

  show() {
    const { corrections } = this;
    const { figures } = corrections;
    this.top.show(corrections);
    this.tabs.show(this.toolName);
    const headroom = figures.length > 1 ? SWITCH : MARGIN.above;
    if (headroom !== this.board.headroom) {
      this.board.headroom = headroom;
      this.frame();
    }
    this.switch.show(figures.findIndex(({ id }) => id === this.figure()?.id), figures.length);
    this.showNotice(corrections);
    this.tool?.show();
    this.dancer.refresh();
  }

  /** @param {Corrections} corrections */
  showNotice(corrections) {
    const { saving, error } = corrections;
    const shown = saving === "conflict" ? saving : (error ?? null);
    if (shown === this.noticed) return;
    this.noticed = shown;
    if (saving === "conflict") this.notices.replaceChildren(conflictNotice(corrections));
    else if (error) this.notices.replaceChildren(this.refusal(error));
    else this.notices.replaceChildren();
    this.notices.querySelector("button")?.focus();
  }

  /** @param {unknown} error */
  refusal(error) {
    const { corrections } = this;
    const button = (/** @type {string} */ label, /** @type {() => void} */ act) =>
      el("button", { type: "button", class: "button is-quiet", onclick: act }, label);
    const isSought = corrections.saving === "saved" && corrections.pending.length > 0;
    const again = isSought ? [button(strings.retry, () => corrections.seekAgain())] : [];
    const canUndo = corrections.history.past.length > 0;
    const back = canUndo ? [button(words.refused, () => this.undo())] : [];
    const note = problem(error, ...again, ...back);
    note.classList.add("edit-notice");
    return note;
  }

  /** @param {KeyboardEvent} event */
  press(event) {
    if (event.defaultPrevented) return;
    const isUndo = (event.ctrlKey || event.metaKey) && event.key.toLowerCase() === "z";
    if (isUndo || ((event.ctrlKey || event.metaKey) && event.key.toLowerCase() === "y")) {
      event.preventDefault();
      if (isUndo && !event.shiftKey) this.undo();
      else this.redo();
    } else if (this.tool?.press?.(event)) event.preventDefault();
  }

  /** Back to the dance, with what was mended. */
  async finish() {
    const { corrections } = this;
    corrections.save();
    const late = new Promise((resolve) => setTimeout(resolve, PATIENCE));
    await Promise.race([corrections.untilSaved(), late]);
    if (corrections.saving === "conflict" || this.leaving.signal.aborted) return;
    const query = new URLSearchParams(this.query);
    query.delete("figure");
    navigate(`/drawings/${this.id}${query.size > 0 ? `?${query}` : ""}`);
  }

  leave() {
    this.leaving.abort();
    this.unwatch();
    this.tool?.leave();
    this.board.leave();
    this.dancer.leave();
    this.corrections.save();
  }
}
