/** Which limb is drawn in front of the others, and which behind. */

import { el } from "../dom.js";
import { itemAt } from "../geometry.js";
import { limbName } from "../mending/joint-names.js";
import { limbsOf } from "../mending/skeletons.js";
import { fromFigure, inFigure } from "../spaces.js";
import { strings } from "../strings.js";
import { depthLook, drawBones } from "./bones.js";
import { Outlines } from "./outlines.js";
import { segments } from "./segments.js";

/** @import { DrawingPoint } from "../spaces.js" */
/** @import { Depth, FigureAnnotation } from "../types.js" */
/** @import { Desk, Pen, Tool } from "./drawing-board.js" */

const words = strings.edit;

/** @type {(desk: Desk) => Tool} */
export function orderTool(desk) {
  return new LimbOrder(desk);
}

/** Where its name hides neither the limb nor the other names. @param {string} limb */
function placeLook(limb) {
  const side = /^(left|right)_/.exec(limb)?.[1];
  return side ? `is-beside-${side}` : limb === "neck" ? "is-above" : "";
}

/** @implements {Tool} */
class LimbOrder {
  /** @param {Desk} desk */
  constructor(desk) {
    this.desk = desk;
    this.outlines = new Outlines(desk.board);
    this.lines = desk.board.addLines();
    /** What the list shows, so that it is made anew only for another figure. */
    this.listed = "";
    /** @type {Map<string, HTMLElement>} */
    this.names = new Map();
    this.hint = el("p", { class: "tool-hint" });
    this.list = el("div", { class: "limb-list" });
    this.bar = el("div", { class: "tool-bar is-tall" }, this.hint, this.list);
  }

  /** @type {Pen} */
  pen = { tap: (at) => this.tap(at) };

  /** @param {DrawingPoint} at */
  tap(at) {
    const meant = itemAt(this.desk.annotation().figures, at);
    if (meant) this.desk.choose(meant.id);
  }

  show() {
    const figure = this.desk.figure();
    this.outlines.show(this.desk.annotation().figures, figure?.id);
    this.hint.textContent = !figure
      ? words.joints.none
      : figure.skeleton
        ? words.order.hint
        : words.joints.searching;
    this.showList(figure);
    const look = (/** @type {string | null} */ limb) =>
      limb ? depthLook(figure?.limbs[limb]) : "is-trunk";
    this.lines.replaceChildren(...(figure ? drawBones(figure, look) : []));
    this.showNames(figure);
  }

  /** @param {FigureAnnotation | undefined} figure */
  showList(figure) {
    const limbs = figure?.skeleton ? limbsOf(figure.skeleton) : [];
    const listed = JSON.stringify([figure?.id, limbs.map(({ name }) => name), figure?.limbs]);
    if (listed === this.listed) return;
    this.listed = listed;
    const focused = document.activeElement?.closest("[data-limb]")?.getAttribute("data-limb");
    this.list.replaceChildren(...limbs.map(({ name }) => this.row(name, figure?.limbs[name])));
    const row = focused && this.list.querySelector(`[data-limb="${focused}"] input:checked`);
    if (row instanceof HTMLElement) row.focus({ preventScroll: true });
  }

  /**
   * @param {string} limb
   * @param {Depth | undefined} depth
   */
  row(limb, depth) {
    /** @type {[Depth | null, string][]} */
    const options = [
      ["back", words.order.back],
      [null, words.order.free],
      ["front", words.order.front],
    ];
    const choice = segments(limbName(limb), options, depth ?? null, (chosen) => this.set(limb, chosen));
    choice.dataset.limb = limb;
    return choice;
  }

  /**
   * @param {string} limb
   * @param {Depth | null} depth
   */
  set(limb, depth) {
    const { [limb]: _, ...rest } = this.desk.figure()?.limbs ?? {};
    const limbs = depth ? { ...rest, [limb]: depth } : rest;
    this.desk.mend({ limbs }, words.done.order(limbName(limb)));
  }

  /** The name of each limb beside its middle. @param {FigureAnnotation | undefined} figure */
  showNames(figure) {
    const limbs = figure?.skeleton ? limbsOf(figure.skeleton) : [];
    for (const [name, node] of this.names) {
      if (!limbs.some((limb) => limb.name === name)) this.desk.board.unpin(node);
    }
    const shown = limbs.map(({ name, joints }) => {
      const node = this.names.get(name) ?? el("div", { class: "limb-name", "aria-hidden": "true" });
      const middle = joints[Math.floor(joints.length / 2)];
      node.textContent = limbName(name);
      node.className = `limb-name ${depthLook(figure?.limbs[name])} ${placeLook(name)}`;
      if (middle && figure) {
        this.desk.board.pin(node, fromFigure(inFigure(middle.x, middle.y), figure.box));
      }
      return /** @type {const} */ ([name, node]);
    });
    this.names = new Map(shown);
  }

  leave() {
    this.outlines.leave();
    this.lines.remove();
    for (const node of this.names.values()) this.desk.board.unpin(node);
  }
}
