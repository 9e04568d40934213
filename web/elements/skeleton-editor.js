/** The joints of a figure: dragged to where they belong, limbs taken off and put on. */

import { listSkeletons } from "../api.js";
import { el } from "../dom.js";
import { clampPoint, growBox, itemAt } from "../geometry.js";
import { boundsOfMask } from "../masks/run-lengths.js";
import {
  addLimb,
  isArm,
  knotsOf,
  layTemplate,
  limbOf,
  limbsOf,
  limbsToAdd,
  moveJoints,
  orderFor,
  otherSide,
  removeLimbs,
  swapSides,
} from "../mending/skeletons.js";
import { fromFigure, inFigure, toFigure } from "../spaces.js";
import { jointName, limbName } from "../mending/joint-names.js";
import { strings } from "../strings.js";
import { bodyCard } from "./body-card.js";
import { drawBones, sideLook } from "./bones.js";
import { Grip } from "./grip.js";
import { Loupe } from "./loupe.js";
import { Outlines } from "./outlines.js";
import { toolButton } from "./tool-button.js";

/** @import { DrawingPoint } from "../spaces.js" */
/** @import { Box, FigureAnnotation, Joint, Skeleton, SkeletonTemplate } from "../types.js" */
/** @import { Desk, Pen, Tool } from "./drawing-board.js" */

const words = strings.edit;

/** How far outside its box a joint may be dragged, in widths and heights of the box. */
const REACH = 0.5;

/** @type {(desk: Desk) => Tool} */
export function jointsTool(desk) {
  return new SkeletonEditor(desk);
}

/** @implements {Tool} */
class SkeletonEditor {
  /** @param {Desk} desk */
  constructor(desk) {
    this.desk = desk;
    this.outlines = new Outlines(desk.board);
    this.lines = desk.board.addLines();
    this.loupe = new Loupe(desk.board);
    /** By the innermost joint of each. @type {Map<string, Grip>} */
    this.grips = new Map();
    /** A skeleton as it is being dragged. @type {Skeleton | null} */
    this.draft = null;
    /** The joint that was taken last. */
    this.held = "";
    /** @type {readonly SkeletonTemplate[]} */
    this.templates = [];
    this.tag = el("div", { class: "joint-tag", hidden: true, "aria-hidden": "true" });
    desk.board.node.append(this.tag);
    this.hint = el("p", { class: "tool-hint" });
    this.swap = toolButton("swap", words.joints.swap, () => this.swapSides());
    this.arms = toolButton("noArms", words.joints.noArms, () => this.removeArms());
    this.bin = toolButton("bin", words.joints.removeLimb, () => this.removeHeldLimb());
    this.more = el("select", {
      class: "tool-select",
      "aria-label": words.joints.addLimb,
      onchange: () => this.addChosenLimb(),
    });
    this.bodies = el("div", { class: "body-cards", role: "group", "aria-label": words.joints.bodies });
    const buttons = el("div", { class: "tool-buttons" }, this.swap, this.arms, this.bin);
    const changes = el("div", { class: "tool-more" }, this.more, this.bodies);
    this.bar = el("div", { class: "tool-bar" }, this.hint, buttons, changes);
    this.loadTemplates();
  }

  /** @type {Pen} */
  pen = { tap: (at) => this.tap(at) };

  /** @param {DrawingPoint} at */
  tap(at) {
    const meant = itemAt(this.desk.annotation().figures, at);
    if (meant) this.desk.choose(meant.id);
  }

  async loadTemplates() {
    this.templates = await listSkeletons().catch(() => []);
    const cards = this.templates.map((one) => bodyCard(one, (title) => this.lay(one, title)));
    this.bodies.replaceChildren(...cards);
    this.show();
  }

  /** @returns {(FigureAnnotation & { skeleton: Skeleton }) | null} with what is being dragged */
  get figure() {
    const figure = this.desk.figure();
    const skeleton = this.draft ?? figure?.skeleton;
    return figure && skeleton ? { ...figure, skeleton } : null;
  }

  /**
   * @param {Skeleton} skeleton
   * @param {string} what
   * @param {Partial<FigureAnnotation>} [rest]
   */
  mend(skeleton, what, rest = {}) {
    const limbs = orderFor(this.desk.figure()?.limbs ?? {}, skeleton);
    this.draft = null;
    this.desk.mend({ skeleton, limbs, ...rest }, what);
  }

  swapSides() {
    const { figure } = this;
    if (!figure) return;
    const skeleton = swapSides(figure.skeleton);
    const limbs = orderFor(figure.limbs, skeleton, otherSide);
    this.mend(skeleton, words.done.swapped, { limbs });
    this.desk.say(words.done.swapped);
  }

  removeArms() {
    const { figure } = this;
    if (!figure) return;
    const arms = limbsOf(figure.skeleton).filter(isArm);
    this.mend(removeLimbs(figure.skeleton, arms), words.done.noArms);
    this.desk.say(words.done.noArms);
  }

  removeHeldLimb() {
    const { figure, limb } = this;
    if (!figure || !limb) return;
    const what = words.done.limbRemoved(limbName(limb.name));
    this.held = "";
    this.mend(removeLimbs(figure.skeleton, [limb]), what);
    this.desk.say(what);
  }

  /** The limb of the joint that was taken last; the head stays on. */
  get limb() {
    const { figure, held } = this;
    const limb = figure && limbOf(figure.skeleton, held);
    return limb && limb.name !== "neck" ? limb : undefined;
  }

  addChosenLimb() {
    const { figure } = this;
    const limb = figure && this.toAdd(figure).find(({ name }) => name === this.more.value);
    if (!figure || !limb) return;
    const what = words.done.limbAdded(limbName(limb.name));
    this.held = /** @type {Joint} */ (limb.joints.at(-1)).name;
    this.mend(addLimb(figure.skeleton, limb), what);
    this.desk.say(what);
  }

  /** @param {FigureAnnotation & { skeleton: Skeleton }} figure */
  toAdd(figure) {
    return limbsToAdd(figure.skeleton, this.templates, boundsOf(figure));
  }

  /**
   * @param {SkeletonTemplate} template
   * @param {string} title
   */
  lay(template, title) {
    const figure = this.desk.figure();
    if (!figure) return;
    const what = words.done.body(title);
    this.held = "";
    this.mend(layTemplate(template, boundsOf(figure)), what);
    this.desk.say(what);
  }

  show() {
    const { figures } = this.desk.annotation();
    const chosen = this.desk.figure();
    this.outlines.show(figures, chosen?.id);
    const { figure } = this;
    const isEmpty = chosen && !figure;
    this.hint.textContent = !chosen
      ? words.joints.none
      : isEmpty
        ? words.joints.searching
        : words.joints.hint;
    this.swap.disabled = !figure;
    this.arms.disabled = !figure || !limbsOf(figure.skeleton).some(isArm);
    for (const card of this.bodies.querySelectorAll("button")) card.disabled = !chosen;
    this.showLimbs(figure);
    this.redraw();
  }

  /** @param {FigureAnnotation & { skeleton: Skeleton } | null} figure */
  showLimbs(figure) {
    const limbs = figure ? this.toAdd(figure) : [];
    const first = el("option", { value: "" }, words.joints.addLimb);
    const options = limbs.map(({ name }) => el("option", { value: name }, limbName(name)));
    this.more.replaceChildren(first, ...options);
    this.more.disabled = limbs.length === 0;
  }

  redraw() {
    const { figure } = this;
    this.lines.replaceChildren(...(figure ? drawBones(figure, sideLook) : []));
    const knots = figure ? knotsOf(figure.skeleton) : [];
    for (const [name, grip] of this.grips) {
      if (knots.some(([first]) => first.name === name)) continue;
      grip.leave();
      this.grips.delete(name);
    }
    for (const knot of figure ? knots : []) {
      this.placeGrip(knot, /** @type {FigureAnnotation} */ (figure).box);
    }
    this.bin.disabled = !this.limb;
  }

  /**
   * @param {[Joint, ...Joint[]]} knot
   * @param {Box} box
   */
  placeGrip(knot, box) {
    const [first] = knot;
    const at = fromFigure(inFigure(first.x, first.y), box);
    const grip = this.grips.get(first.name) ?? this.addGrip(first.name, at);
    grip.moveTo(at);
    const look = sideLook(first.name);
    const label = jointName(/** @type {Joint} */ (knot.at(-1)).name);
    if (grip.node.ariaLabel !== label) grip.node.ariaLabel = label;
    grip.node.ariaDescription = words.joints.place(Math.round(at.x), Math.round(at.y));
    grip.node.className = `grip is-joint ${look}${this.held === first.name ? " is-chosen" : ""}`;
  }

  /**
   * @param {string} name
   * @param {DrawingPoint} at
   */
  addGrip(name, at) {
    const grip = new Grip(this.desk.board, { label: "", class: "is-joint", at }, {
      hold: () => this.hold(name),
      move: (to, by) => this.drag(name, to, by),
      end: () => this.finish(),
      cancel: () => this.giveUp(),
      remove: () => this.removeHeldLimb(),
    });
    this.grips.set(name, grip);
    return grip;
  }

  /** @param {string} name */
  hold(name) {
    this.held = name;
    for (const [other, { node }] of this.grips) node.classList.toggle("is-chosen", other === name);
    this.bin.disabled = !this.limb;
  }

  /**
   * @param {string} name
   * @param {DrawingPoint} to
   * @param {"finger" | "mouse" | "keys"} by
   */
  drag(name, to, by) {
    const { figure } = this;
    const knot = figure && knotsOf(figure.skeleton).find(([first]) => first.name === name);
    if (!figure || !knot) return;
    const at = clampPoint(to, growBox(figure.box, REACH, this.desk.board.size));
    const names = new Set(knot.map((joint) => joint.name));
    this.draft = moveJoints(figure.skeleton, names, toFigure(at, figure.box));
    this.redraw();
    this.showTag(jointName(/** @type {Joint} */ (knot.at(-1)).name), at, by);
    if (by === "finger") this.loupe.show(at);
  }

  /**
   * The name of what is dragged, where the finger does not hide it.
   * @param {string} name
   * @param {DrawingPoint} at
   * @param {"finger" | "mouse" | "keys"} by
   */
  showTag(name, at, by) {
    this.tag.hidden = false;
    this.tag.textContent = name;
    this.tag.classList.toggle("is-high", by === "finger");
    this.desk.board.place(this.tag, at);
  }

  finish() {
    const { draft, held } = this;
    this.hideHelp();
    if (!draft) return;
    this.mend(draft, words.done.joint(jointName(held)));
    const joint = draft.joints.find(({ name }) => name === held);
    const box = this.desk.figure()?.box;
    if (!joint || !box) return;
    const { x, y } = fromFigure(inFigure(joint.x, joint.y), box);
    this.desk.say(`${jointName(held)}: ${words.joints.place(Math.round(x), Math.round(y))}`);
  }

  giveUp() {
    this.hideHelp();
    this.draft = null;
    this.redraw();
  }

  hideHelp() {
    this.tag.hidden = true;
    this.loupe.hide();
  }

  leave() {
    this.outlines.leave();
    this.lines.remove();
    this.loupe.leave();
    this.tag.remove();
    for (const grip of this.grips.values()) grip.leave();
  }
}

/** Of the figure's paint, or of its box where that is not known. @param {FigureAnnotation} figure */
function boundsOf({ mask, box: [x1, y1, x2, y2] }) {
  const bounds = mask && boundsOfMask(mask);
  return bounds ?? { x: 0, y: 0, width: x2 - x1, height: y2 - y1 };
}
