/** The corrected figure, dancing beside the board; never as it was before the last correction. */

import { Animations } from "../animations.js";
import { ApiError } from "../api.js";
import { el } from "../dom.js";
import { strings } from "../strings.js";
import { Show } from "./show.js";
import { stage } from "./stage.js";

/** @import { Corrections } from "../mending/corrections.js" */
/** @import { Wish } from "../wishes.js" */

const words = strings.edit.dancer;

export class Dancer {
  /**
   * @param {string} id of the drawing
   * @param {Corrections} corrections
   * @param {Wish} wish
   * @param {AbortSignal} leaving
   */
  constructor(id, corrections, wish, leaving) {
    this.id = id;
    this.corrections = corrections;
    this.wish = wish;
    this.leaving = leaving;
    this.stage = stage();
    this.show = new Show(this.stage);
    this.note = el("p", { class: "dancer-note", role: "status" });
    this.node = el(
      "section",
      { class: "dancer", "aria-label": words.label },
      this.stage.node,
      this.note,
    );
    /** The revision that is shown, or being made. */
    this.revision = -1;
    this.making = new AbortController();
  }

  /** Look whether what is shown is still so, and have it made anew if not. */
  refresh() {
    const { corrections, revision } = this;
    const { base, saving } = corrections;
    const isOld = saving !== "saved" || base.revision !== revision;
    if (!isOld) return;
    this.making.abort();
    this.revision = -1;
    if (saving === "offline") this.wait(words.unsaved);
    else if (saving === "conflict" || saving === "refused") this.wait(strings.edit.saving[saving]);
    else if (corrections.pending.length > 0) this.wait(corrections.error ? words.failed : words.looking);
    else if (corrections.figures.every(({ hidden }) => hidden)) this.wait(words.nobody);
    else if (saving === "saved") this.make();
    else this.wait(words.practising);
  }

  /** What was there stands still and pales. @param {string} text */
  wait(text) {
    this.node.classList.add("is-old");
    this.node.setAttribute("aria-busy", "true");
    this.show.live?.pause();
    this.stage.node.inert = true;
    if (this.note.textContent !== text) this.note.textContent = text;
  }

  async make() {
    const { revision } = this.corrections.base;
    const making = new AbortController();
    const isWanted = () => !making.signal.aborted && !this.leaving.aborted;
    this.revision = revision;
    this.making = making;
    this.wait(words.practising);
    try {
      await this.perform(making.signal, isWanted);
      if (isWanted()) this.reveal();
    } catch (error) {
      if (!isWanted()) return;
      if (!(error instanceof ApiError)) console.error(error);
      const known = error instanceof ApiError ? strings.errors[error.code] : undefined;
      this.wait(known?.title ?? words.failed);
    }
  }

  /**
   * @param {AbortSignal} signal
   * @param {() => boolean} isWanted
   */
  async perform(signal, isWanted) {
    // Its own keeper of animations: none that is being made for an older revision is waited for.
    const animations = new Animations(this.id, this.leaving);
    for (let isShown = false; !isShown && isWanted(); ) {
      const { wish, formats } = this.show.needs(this.wish);
      const made = await animations.make(wish, formats, () => {}, { signal });
      if (!made || !isWanted()) return;
      const about = { label: words.label, isSeamless: false };
      isShown = await this.show.show(made, about, { ...this.wish, loops: true }, isWanted);
    }
  }

  reveal() {
    this.node.classList.remove("is-old");
    this.node.removeAttribute("aria-busy");
    this.stage.node.inert = false;
    this.note.textContent = "";
  }

  leave() {
    this.making.abort();
    this.stage.leave();
  }
}
