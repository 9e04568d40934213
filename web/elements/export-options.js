/** What kept files are like: their size, how many frames a second, how often they play, which part. */

import { el } from "../dom.js";
import { strings } from "../strings.js";
import { PLAYS, RATES, SIDES } from "../wishes.js";
import { segments } from "./segments.js";

/** @import { Keeping, Wish } from "../wishes.js" */

const words = strings.exports;

/** Least length of a part, seconds. */
const SHORTEST = 0.2;

/**
 * @param {Keeping} keeping
 * @param {(change: Partial<Keeping>) => void} onChange
 * @returns {HTMLElement}
 */
export function exportOptions({ side, fps, plays }, onChange) {
  const sides = SIDES.map((one) => /** @type {const} */ ([one, String(one)]));
  const rates = RATES.map((one) => /** @type {const} */ ([one, words.rate(one)]));
  const times = PLAYS.map((one) => /** @type {const} */ ([one, words.plays(one)]));
  return el(
    "div",
    { class: "export-options" },
    segments(words.side, sides, side, (value) => onChange({ side: value })),
    segments(words.fps, rates, fps, (value) => onChange({ fps: value })),
    segments(words.repeat, times, plays, (value) => onChange({ plays: value })),
  );
}

/**
 * Which part of the clip is played and kept.
 * @param {(trim: Wish["trim"]) => void} onChange null is all of it
 * @returns {{ node: HTMLElement, show: (duration: number, trim: Wish["trim"]) => void }} `show` takes
 *   the length of the motion, seconds
 */
export function trimChoice(onChange) {
  let length = 0;
  const tell = () => {
    const start = bound(from.valueAsNumber, 0, length - SHORTEST, 0);
    const end = bound(to.valueAsNumber, start + SHORTEST, length, length);
    show(length, [start, end]);
    onChange(start === 0 && end === length ? null : [start, end]);
  };
  const from = secondsInput(words.from, tell);
  const to = secondsInput(words.to, tell);
  const show = (/** @type {number} */ duration, /** @type {Wish["trim"]} */ trim) => {
    length = Math.floor(10 * duration) / 10;
    const [start, end] = trim ?? [0, length];
    for (const input of [from, to]) input.max = String(length);
    [from.value, to.value] = [String(start), String(end)];
  };
  const node = el(
    "fieldset",
    { class: "segments trim" },
    el("legend", {}, words.part),
    el("div", { class: "trim-parts" }, from, "–", to, words.seconds),
  );
  return { node, show };
}

/**
 * @param {string} label
 * @param {() => void} onchange
 */
function secondsInput(label, onchange) {
  return el("input", { type: "number", min: 0, step: 0.1, "aria-label": label, onchange });
}

/**
 * @param {number} value may be no number
 * @param {number} least
 * @param {number} most
 * @param {number} usual
 */
function bound(value, least, most, usual) {
  const known = Number.isFinite(value) ? value : usual;
  return Math.round(10 * Math.min(Math.max(known, least), Math.max(most, least))) / 10;
}
