/** The tools that mend an outline, how large or how bold they are, and what is done to all of it. */

import { el } from "../dom.js";
import { strings } from "../strings.js";
import { SIZES } from "./brush.js";
import { segments } from "./segments.js";
import { iconButton, toolButton } from "./tool-button.js";

const words = strings.outline;

/** @typedef {"brush" | "eraser" | "magic" | "cut"} Instrument */

/** Letters that take a tool. @type {Record<string, Instrument>} */
export const LETTERS = { b: "brush", e: "eraser", f: "magic", c: "cut" };

/**
 * @typedef {object} BarEvents
 * @property {(instrument: Instrument) => void} take
 * @property {(size: number) => void} resize CSS pixels
 * @property {(takesAway: boolean) => void} turn magic
 * @property {(tolerance: number) => void} loosen magic, 0 to 1
 * @property {(isShown: boolean) => void} reveal the outline, or hide it
 * @property {() => void} fillHoles
 * @property {() => void} keepLargest
 * @property {() => void} findAnew
 */

/** What magic does. @type {[boolean, string][]} */
const WAYS = [
  [false, words.ways.add],
  [true, words.ways.remove],
];

export class OutlineBar {
  /** @param {BarEvents} events */
  constructor(events) {
    this.events = events;
    this.tools = new Map(Object.entries(LETTERS).map((pair) => this.tool(...pair)));
    this.size = slider(SIZES.least, SIZES.most, SIZES.usual, events.resize);
    this.likeness = slider(0, 100, 50, (value) => events.loosen(value / 100));
    this.sizeRow = el("label", { class: "outline-slider" }, words.size, this.size);
    this.likenessRow = el("label", { class: "outline-slider" }, words.likeness, this.likeness);
    this.hider = iconButton("still", words.hide, () => events.reveal(this.isHiding));
    this.hint = el("p", { class: "tool-hint" });
    const about = { class: "outline-tools", role: "group", "aria-label": words.tools };
    const tools = el("div", about, ...this.tools.values());
    this.ways = segments(words.ways.name, WAYS, false, events.turn);
    this.ways.classList.add("outline-ways");
    const row = el("div", { class: "outline-row" }, this.sizeRow, this.ways, this.hider);
    this.node = el(
      "div",
      { class: "tool-bar is-tall" },
      tools,
      this.hint,
      row,
      this.rest(),
      this.likenessRow,
    );
    this.markShown(true);
  }

  /** Things that are done to all of the outline. */
  rest() {
    const { fillHoles, keepLargest, findAnew } = this.events;
    const button = (/** @type {string} */ label, /** @type {() => void} */ act) =>
      el("button", { type: "button", class: "outline-act", onclick: act }, label);
    return el(
      "div",
      { class: "outline-rest" },
      button(words.fillHoles, fillHoles),
      button(words.onlyLargest, keepLargest),
      button(words.again, findAnew),
    );
  }

  /**
   * @param {string} letter
   * @param {Instrument} instrument
   * @returns {[Instrument, HTMLButtonElement]}
   */
  tool(letter, instrument) {
    const button = toolButton(instrument, words.names[instrument], () => this.events.take(instrument));
    button.setAttribute("aria-keyshortcuts", letter);
    return [instrument, button];
  }

  get isHiding() {
    return this.hider.getAttribute("aria-pressed") === "true";
  }

  /**
   * @param {Instrument} instrument
   * @param {boolean} takesAway where it is magic
   */
  mark(instrument, takesAway) {
    for (const [name, button] of this.tools) {
      button.setAttribute("aria-pressed", String(name === instrument));
    }
    const isMagic = instrument === "magic";
    this.hint.textContent =
      isMagic && takesAway ? words.hints.magicAway : words.hints[instrument] + zoomHint(instrument);
    this.sizeRow.hidden = isMagic || instrument === "cut";
    this.likenessRow.hidden = !isMagic;
    this.ways.hidden = !isMagic;
    const way = this.ways.querySelectorAll("input")[takesAway ? 1 : 0];
    if (way) way.checked = true;
  }

  /** @param {number} size CSS pixels */
  markSize(size) {
    this.size.value = String(size);
  }

  /** @param {boolean} isShown */
  markShown(isShown) {
    this.hider.setAttribute("aria-pressed", String(!isShown));
  }
}

/** How one comes closer, where the hint has room for that. @param {Instrument} instrument */
function zoomHint(instrument) {
  if (instrument !== "brush" && instrument !== "eraser") return "";
  return ` ${matchMedia("(pointer: coarse)").matches ? words.zoom.fingers : words.zoom.wheel}`;
}

/**
 * @param {number} min
 * @param {number} max
 * @param {number} value
 * @param {(value: number) => void} act
 */
function slider(min, max, value, act) {
  const input = el("input", { type: "range", min, max, value, oninput: () => act(+input.value) });
  return input;
}
