/** Ways to keep what is seen: each format is made when it is asked for, and saved when it is there. */

import { ApiError, fileUrl } from "../api.js";
import { drawIcon } from "../art.js";
import { el } from "../dom.js";
import { strings } from "../strings.js";
import { progress } from "./progress.js";

/** @import { AnimationDocument, AnimationFormat, JobEvent } from "../types.js" */

const words = strings.exports;

/** @type {AnimationFormat[]} */
const FIRST = ["gif", "mp4"];

/** @type {AnimationFormat[]} */
const MORE = ["webm", "webp", "apng", "png", "sheet", "joints", "character", "gltf"];

/**
 * @typedef {object} Maker
 * @property {(format: AnimationFormat) => AnimationDocument | undefined} find what is made already
 * @property {(
 *   format: AnimationFormat,
 *   tell: (event: JobEvent) => void,
 *   signal: AbortSignal,
 * ) => Promise<AnimationDocument | null>} make null when it was given up
 */

/**
 * @param {Maker} maker
 * @returns {{ node: HTMLElement, refresh: () => void, stop: () => void }} `refresh` when something
 *   else is shown; `stop` gives up what is being made
 */
export function exportMenu(maker) {
  const rows = new Map([...FIRST, ...MORE].map((format) => [format, new ExportRow(format, maker)]));
  const nodes = (/** @type {AnimationFormat[]} */ formats) =>
    formats.map((format) => el("li", {}, /** @type {ExportRow} */ (rows.get(format)).node));
  const node = el(
    "section",
    { class: "exports" },
    el("h2", {}, words.heading),
    el("ul", { class: "downloads" }, ...nodes(FIRST)),
    el(
      "details",
      {},
      el("summary", {}, words.more),
      el("ul", { class: "downloads" }, ...nodes(MORE)),
    ),
  );
  return {
    node,
    refresh: () => rows.forEach((row) => row.refresh()),
    stop: () => rows.forEach((row) => row.making?.abort()),
  };
}

/** One format: asked for, being made, there, or failed. */
class ExportRow {
  /**
   * @param {AnimationFormat} format
   * @param {Maker} maker
   */
  constructor(format, maker) {
    this.format = format;
    this.maker = maker;
    const [title, hint] = words.formats[format] ?? [format, ""];
    this.title = title;
    this.hint = hint;
    /** @type {AbortController | null} */
    this.making = null;
    this.node = el("div", { class: "export" });
    this.refresh();
  }

  /** Offer the file if it is there, or else to make it; what is being made goes on. */
  refresh() {
    if (this.making) return;
    const made = this.maker.find(this.format);
    this.show(made ? this.link(made) : this.button(() => this.make(), this.hint));
  }

  async make() {
    const making = new AbortController();
    this.making = making;
    const bar = progress(words.making(this.title));
    bar.show(0, strings.steps.waiting);
    const cancel = el(
      "button",
      { type: "button", class: "button is-text", onclick: () => making.abort() },
      words.cancel,
    );
    this.show(el("div", { class: "export-making" }, bar.node, cancel), cancel);
    const tell = (/** @type {JobEvent} */ event) =>
      bar.show(event.progress, strings.steps[event.step]);
    try {
      const made = await this.maker.make(this.format, tell, making.signal);
      this.making = null;
      this.refresh();
      if (made) this.save(made);
    } catch (error) {
      this.making = null;
      this.fail(error);
    }
  }

  /** @param {AnimationDocument} made */
  save(made) {
    const link = this.link(made);
    link.hidden = true;
    document.body.append(link);
    link.click();
    link.remove();
  }

  /** @param {unknown} error */
  fail(error) {
    const code = error instanceof ApiError ? error.code : "other";
    const said = strings.errors[code] ?? strings.errors.other;
    const button = this.button(() => this.make(), strings.retry);
    this.show(el("div", {}, el("p", { class: "export-problem", role: "alert" }, said.title), button));
  }

  /**
   * Put something in the row's place; the focus stays in it.
   * @param {HTMLElement} shown
   * @param {HTMLElement} [focused]
   */
  show(shown, focused = shown) {
    const hadFocus = this.node.contains(document.activeElement);
    this.node.replaceChildren(shown);
    if (hadFocus) focused.focus({ preventScroll: true });
  }

  /**
   * @param {() => void} onPress
   * @param {string} hint
   */
  button(onPress, hint) {
    return el(
      "button",
      { type: "button", class: "button is-quiet", onclick: onPress },
      drawIcon("save"),
      el("span", {}, this.title, el("small", {}, hint)),
    );
  }

  /** @param {AnimationDocument} made */
  link(made) {
    return el(
      "a",
      { class: "button is-quiet is-made", href: fileUrl(made.id, this.format, true), download: true },
      drawIcon("save"),
      el("span", {}, this.title, el("small", {}, words.made)),
    );
  }
}
