/** The gallery: every motion as a card on which one's own figure does it; to be searched and chosen. */

import { el } from "../dom.js";
import { findMotions, KINDS, OWN, titleOf } from "../gallery-search.js";
import { strings } from "../strings.js";
import { motionCard } from "./motion-card.js";
import { Previews } from "./previews.js";

/** @import { PreviewFigure } from "../previews.js" */
/** @import { MotionInfo } from "../types.js" */
/** @import { MotionCard } from "./motion-card.js" */

const words = strings.gallery;

export class Gallery {
  /**
   * @param {MotionInfo[]} motions
   * @param {(motion: string) => void} onChoose
   */
  constructor(motions, onChoose) {
    this.motions = motions;
    this.onChoose = onChoose;
    this.kind = /** @type {string | null} */ (null);
    this.previews = new Previews();
    this.search = el("input", {
      type: "search",
      "aria-label": words.search,
      placeholder: words.search,
      oninput: () => this.filter(),
    });
    this.chips = el("div", { class: "gallery-chips", role: "group", "aria-label": words.kinds });
    this.list = el("div", {
      class: "motion-cards",
      role: "listbox",
      "aria-label": strings.result.motions,
      onkeydown: (/** @type {KeyboardEvent} */ event) => this.press(event),
    });
    this.none = el("p", { class: "gallery-none", role: "status" });
    this.own = el("div", { class: "gallery-own" });
    this.tools = el("div", { class: "gallery-tools" }, this.search, this.chips);
    this.node = el(
      "section",
      { class: "gallery" },
      el("h2", {}, strings.result.motions),
      this.tools,
      this.list,
      this.none,
      this.own,
    );
    /** @type {Map<string, MotionCard>} */
    this.cards = new Map();
    this.chosen = "";
    this.fill();
  }

  /** @param {MotionInfo[]} motions other ones than before */
  change(motions) {
    this.motions = motions;
    this.fill();
  }

  fill() {
    const before = this.cards;
    this.cards = new Map(
      this.motions.map((motion) => {
        const known = before.get(motion.name);
        return [motion.name, known ?? motionCard(motion, titleOf(motion, words), this.onChoose)];
      }),
    );
    this.list.replaceChildren(...[...this.cards.values()].map(({ node }) => node));
    const hasOwn = this.motions.some(({ tags }) => tags.includes(OWN));
    this.chips.replaceChildren(
      this.chip(null),
      ...(hasOwn ? [OWN, ...KINDS] : KINDS).map((kind) => this.chip(kind)),
    );
    this.filter();
  }

  /** @param {string | null} kind */
  chip(kind) {
    const choose = () => {
      this.kind = kind;
      for (const other of this.chips.children) {
        other.setAttribute("aria-pressed", String(other === node));
      }
      this.filter();
    };
    const isOn = kind === this.kind;
    const node = el(
      "button",
      { type: "button", class: "chip", "aria-pressed": String(isOn), onclick: choose },
      kind ? (words.tags[kind] ?? kind) : words.all,
    );
    return node;
  }

  /**
   * Let a card be among those that are to be seen.
   * @param {string} motion
   */
  seek(motion) {
    if (this.cards.get(motion)?.node.hidden === false) return;
    this.search.value = "";
    this.kind = null;
    this.fill();
  }

  filter() {
    const found = findMotions(this.motions, words, this.search.value, this.kind);
    for (const [name, { node }] of this.cards) node.hidden = !found.has(name);
    this.none.textContent = found.size > 0 ? "" : words.none;
    this.list.hidden = found.size === 0;
    this.list.scrollTop = 0;
    this.rove();
  }

  /** @param {string} motion */
  has(motion) {
    return this.cards.has(motion);
  }

  /** @param {string} motion */
  titleOf(motion) {
    const info = this.motions.find(({ name }) => name === motion);
    return info ? titleOf(info, words) : motion;
  }

  /** @param {string} motion whose end may lead into its beginning */
  isSeamless(motion) {
    return this.motions.find(({ name }) => name === motion)?.loop ?? false;
  }

  /**
   * @param {string} chosen name of a motion
   * @param {string} [busy] name of one that is being made
   */
  mark(chosen, busy = "") {
    const isNew = chosen !== this.chosen;
    this.chosen = chosen;
    for (const [name, card] of this.cards) {
      card.show({ isChosen: name === chosen, isBusy: name === busy });
    }
    this.rove();
    const node = this.cards.get(chosen)?.node;
    if (node && isNew) reveal(this.list, node);
  }

  /**
   * Let one's own figure be seen on the cards.
   * @param {PreviewFigure} figure
   * @param {ImageBitmap} texture
   */
  show(figure, texture) {
    const canvases = new Map([...this.cards].map(([name, { canvas }]) => [name, canvas]));
    this.previews.show(figure, texture, canvases);
  }

  stop() {
    this.previews.clear();
  }

  get visible() {
    return [...this.cards.values()].map(({ node }) => node).filter((node) => !node.hidden);
  }

  /** One card at a time is in the order of the tab key: the chosen one, or the first. */
  rove(target = this.cards.get(this.chosen)?.node) {
    const { visible } = this;
    const first = target && !target.hidden ? target : visible[0];
    for (const { node } of this.cards.values()) node.tabIndex = node === first ? 0 : -1;
  }

  /** @param {KeyboardEvent} event */
  press(event) {
    const { visible } = this;
    const at = visible.findIndex((node) => node === document.activeElement);
    const next = visible[nextOf(event.key, at, visible.length, columnsOf(visible))];
    if (at < 0 || !next) return;
    event.preventDefault();
    this.rove(next);
    next.focus();
  }
}

/**
 * @param {string} key
 * @param {number} at
 * @param {number} count
 * @param {number} columns
 * @returns {number} -1 for keys that lead nowhere
 */
function nextOf(key, at, count, columns) {
  /** @type {Record<string, number>} */
  const steps = { ArrowRight: 1, ArrowLeft: -1, ArrowDown: columns, ArrowUp: -columns };
  if (key === "Home") return 0;
  if (key === "End") return count - 1;
  const step = steps[key];
  return step === undefined ? -1 : Math.min(Math.max(at + step, 0), count - 1);
}

/** @param {HTMLElement[]} cards */
function columnsOf(cards) {
  const top = cards[0]?.offsetTop;
  const end = cards.findIndex(({ offsetTop }) => offsetTop !== top);
  return end < 0 ? cards.length : end;
}

/**
 * Scroll the list alone, not the page, until the card is to be seen.
 * @param {HTMLElement} list
 * @param {HTMLElement} card
 */
function reveal(list, card) {
  const top = card.offsetTop; // the list is what it is counted from
  const isAbove = top < list.scrollTop;
  const isBelow = top + card.offsetHeight > list.scrollTop + list.clientHeight;
  const middle = top - (list.clientHeight - card.offsetHeight) / 2;
  if (isAbove || isBelow) list.scrollTop = middle;
}
