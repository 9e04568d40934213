/** One way to keep what is seen: asked for, being made, there, or failed. */

import { ApiError } from "../api.js";
import { drawIcon } from "../art.js";
import { el, refill } from "../dom.js";
import { strings } from "../strings.js";
import { progress } from "./progress.js";

/** @import { JobEvent } from "../types.js" */

const words = strings.exports;

/**
 * @typedef {object} Made
 * @property {string} url at which it is offered for saving
 * @property {string} note what it is, in a few words
 */

/**
 * @typedef {object} Way
 * @property {string} title
 * @property {string} hint
 * @property {() => Made | null} find what is made already
 * @property {(tell: (event: JobEvent) => void, signal: AbortSignal) => Promise<Made | null>} make null
 *   when it was given up
 */

export class ExportRow {
  /** @param {Way} way */
  constructor(way) {
    this.way = way;
    /** @type {AbortController | null} */
    this.making = null;
    this.node = el("div", { class: "export" });
    this.refresh();
  }

  /** Offer the file if it is there, or else to make it; what is being made goes on. */
  refresh() {
    if (this.making) return;
    const made = this.way.find();
    refill(this.node, made ? this.link(made) : this.button(this.way.hint));
  }

  async make() {
    const making = new AbortController();
    this.making = making;
    const bar = progress(words.making(this.way.title));
    bar.show(0, strings.steps.waiting);
    const cancel = el(
      "button",
      { type: "button", class: "button is-text", onclick: () => making.abort() },
      words.cancel,
    );
    refill(this.node, el("div", { class: "export-making" }, bar.node, cancel), cancel);
    const tell = (/** @type {JobEvent} */ event) =>
      bar.show(event.progress, strings.steps[event.step]);
    try {
      const made = await this.way.make(tell, making.signal);
      this.making = null;
      this.refresh();
      if (made) this.save(made);
    } catch (error) {
      this.making = null;
      this.fail(error);
    }
  }

  /** @param {Made} made */
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
    const note = el("p", { class: "export-problem", role: "alert" }, said.title);
    refill(this.node, el("div", {}, note, this.button(strings.retry)));
  }

  /** @param {string} hint */
  button(hint) {
    return el(
      "button",
      { type: "button", class: "button is-quiet", onclick: () => this.make() },
      drawIcon("save"),
      el("span", {}, this.way.title, el("small", {}, hint)),
    );
  }

  /** @param {Made} made */
  link({ url, note }) {
    return el(
      "a",
      { class: "button is-quiet is-made", href: url, download: true },
      drawIcon("save"),
      el("span", {}, this.way.title, el("small", {}, note)),
    );
  }
}
