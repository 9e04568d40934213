/** A link at which whoever has it can watch the animation: made, copied, passed on, taken back. */

import { createShare, deleteShare, listShares } from "../api.js";
import { drawIcon } from "../art.js";
import { dayOf } from "../dates.js";
import { el, refill } from "../dom.js";
import { strings } from "../strings.js";
import { problem } from "./problem.js";
import { segments } from "./segments.js";

/** @import { AnimationDocument, Share } from "../types.js" */

const DAYS = [7, 30, 90];
const USUAL_DAYS = 30;

const words = strings.share;

/**
 * @typedef {object} Shareable
 * @property {AnimationDocument | null} animation
 * @property {string} query how it is played, for the link
 */

/**
 * @param {() => Shareable} shown what is seen now
 * @returns {{ node: HTMLElement, refresh: () => void }} `refresh` when something else is seen
 */
export function shareBox(shown) {
  const box = new ShareBox(shown);
  return { node: box.node, refresh: () => box.refresh() };
}

class ShareBox {
  /** @param {() => Shareable} shown */
  constructor(shown) {
    this.shown = shown;
    this.days = USUAL_DAYS;
    this.of = "";
    this.node = el("div", { class: "share" });
  }

  /** A link is of one animation as it is played: for another one it is offered anew. */
  refresh() {
    const { animation, query } = this.shown();
    const of = `${animation?.id} ${query}`;
    if (of === this.of) return;
    this.of = of;
    this.offer();
  }

  /** @param {string} [said] what has happened before */
  offer(said = "") {
    const open = button(words.open, "share", "is-quiet", () => this.ask());
    const note = said && el("p", { class: "small", role: "status" }, said);
    refill(this.node, el("div", {}, open, note), open);
  }

  async ask() {
    const { animation } = this.shown();
    const shares = animation ? await listShares(animation.id).catch(() => []) : [];
    const known = shares.at(-1);
    if (known) return this.show(known);
    const days = DAYS.map((count) => /** @type {const} */ ([count, words.days(count)]));
    const make = button(words.make, "share", "", () => this.make());
    refill(
      this.node,
      el(
        "div",
        { class: "share-box" },
        el("p", {}, words.explain),
        segments(words.howLong, days, this.days, (count) => {
          this.days = count;
        }),
        el("div", { class: "actions" }, make, button(words.cancel, null, "is-text", () => this.offer())),
      ),
      make,
    );
  }

  async make() {
    const { animation } = this.shown();
    if (!animation) return;
    try {
      this.show(await createShare(animation.id, this.days));
    } catch (error) {
      this.fail(error, () => this.make());
    }
  }

  /** @param {Share} share */
  show(share) {
    const url = `${location.origin}${share.url}${this.shown().query}`;
    const until = dayOf(share.expires);
    const field = el("input", {
      type: "text",
      readonly: true,
      value: url,
      "aria-label": words.link,
      onfocus: () => field.select(),
    });
    const said = el("p", { class: "small", role: "status" }, words.until(until));
    const copy = button(words.copy, "copy", "is-small", async () => {
      field.select();
      said.textContent = (await copied(url)) ? words.copied : words.copyByHand;
    });
    const pass = button(words.pass, "share", "is-quiet is-small", () =>
      navigator.share({ url, title: strings.title }).catch(() => {}),
    );
    const stop = button(words.stop, null, "is-text is-small", () => this.stop(share));
    const canPass = typeof navigator.share === "function";
    refill(
      this.node,
      el(
        "div",
        { class: "share-box" },
        field,
        said,
        el("div", { class: "actions" }, copy, canPass && pass, stop),
      ),
      copy,
    );
  }

  /** @param {Share} share */
  async stop(share) {
    try {
      await deleteShare(share.id);
      this.offer(words.stopped);
    } catch (error) {
      this.fail(error, () => this.stop(share));
    }
  }

  /**
   * @param {unknown} error
   * @param {() => void} again
   */
  fail(error, again) {
    refill(this.node, problem(error, button(strings.retry, "again", "is-quiet", again)));
  }
}

/**
 * @param {string} text
 * @returns {Promise<boolean>} whether the browser let us
 */
async function copied(text) {
  try {
    await navigator.clipboard.writeText(text);
    return true;
  } catch {
    return false;
  }
}

/**
 * @param {string} text
 * @param {Parameters<typeof drawIcon>[0] | null} icon
 * @param {string} kind
 * @param {() => void} onclick
 */
function button(text, icon, kind, onclick) {
  return el(
    "button",
    { type: "button", class: `button ${kind}`, onclick },
    icon && drawIcon(icon),
    text,
  );
}
