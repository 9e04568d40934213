/** Ways to keep what is seen: two at hand, the others and what they are like behind "more". */

import { everythingUrl, fileUrl } from "../api.js";
import { el } from "../dom.js";
import { strings } from "../strings.js";
import { exportOptions, trimChoice } from "./export-options.js";
import { ExportRow } from "./export-row.js";
import { shareBox } from "./share.js";

/** @import { Keeper } from "../keeper.js" */
/** @import { AnimationDocument, AnimationFormat } from "../types.js" */
/** @import { Keeping, Wish } from "../wishes.js" */
/** @import { Made, Way } from "./export-row.js" */

const words = strings.exports;

/** @type {AnimationFormat[]} */
const FIRST = ["gif", "mp4"];

/** @type {AnimationFormat[]} */
const MORE = ["webm", "webp", "apng", "png", "sheet", "joints", "character", "gltf"];

/**
 * @typedef {object} Options
 * @property {string} drawing its id
 * @property {Keeping} keeping at first
 * @property {(change: Partial<Keeping>) => void} onKeeping
 * @property {(trim: Wish["trim"]) => void} onTrim
 */

/**
 * @typedef {object} Exports
 * @property {HTMLElement} node
 * @property {(duration: number, trim: Wish["trim"]) => void} refresh when something else is shown, of
 *   a motion so many seconds long
 * @property {() => void} stop give up what is being made
 */

/**
 * @param {Keeper} keeper
 * @param {Options} options
 * @returns {Exports}
 */
export function exportMenu(keeper, { drawing, keeping, onKeeping, onTrim }) {
  const row = (/** @type {AnimationFormat} */ format) => new ExportRow(wayOf(format, keeper));
  const [first, more] = [FIRST.map(row), MORE.map(row)];
  const everything = new ExportRow(everythingOf(drawing, keeper));
  const rows = [...first, ...more, everything];
  const share = shareBox(() => keeper.share());
  const trim = trimChoice(onTrim);
  const node = el(
    "section",
    { class: "exports" },
    el("h2", {}, words.heading),
    list(first),
    share.node,
    el(
      "details",
      {},
      el("summary", {}, words.more),
      exportOptions(keeping, onKeeping),
      trim.node,
      list([...more, everything]),
    ),
  );
  const refresh = (/** @type {number} */ duration, /** @type {Wish["trim"]} */ part) => {
    trim.show(duration, part);
    share.refresh();
    for (const one of rows) one.refresh();
  };
  return { node, refresh, stop: () => rows.forEach(({ making }) => making?.abort()) };
}

/** @param {ExportRow[]} rows */
function list(rows) {
  return el("ul", { class: "downloads" }, ...rows.map(({ node }) => el("li", {}, node)));
}

/**
 * @param {AnimationFormat} format
 * @param {Keeper} keeper
 * @returns {Way}
 */
function wayOf(format, keeper) {
  const [title, hint] = words.formats[format] ?? [format, ""];
  const tell = (/** @type {AnimationDocument | null | undefined} */ made) =>
    made ? madeOf(made, format) : null;
  return {
    title,
    hint,
    find: () => tell(keeper.find(format)),
    make: async (onEvent, signal) => tell(await keeper.make(format, onEvent, signal)),
  };
}

/**
 * @param {AnimationDocument} animation
 * @param {AnimationFormat} format
 * @returns {Made}
 */
function madeOf(animation, format) {
  const file = animation.files.find((one) => one.format === format);
  return {
    url: fileUrl(animation.id, format, true),
    note: file ? words.made(sizeOf(file.bytes)) : "",
  };
}

/**
 * The zip holds what is there; what other programs open is made first.
 * @param {string} drawing
 * @param {Keeper} keeper
 * @returns {Way}
 */
function everythingOf(drawing, keeper) {
  const [title, hint] = words.everything;
  const made = { url: everythingUrl(drawing), note: hint };
  return {
    title,
    hint,
    find: () => null,
    make: async (tell, signal) => ((await keeper.make("character", tell, signal)) ? made : null),
  };
}

/**
 * @param {number} bytes
 * @returns {string} such as "340 kB"
 */
function sizeOf(bytes) {
  return bytes < 1e6 ? `${Math.max(1, Math.round(bytes / 1e3))} kB` : `${(bytes / 1e6).toFixed(1)} MB`;
}
