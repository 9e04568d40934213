/** Cards on which a figure does what it could do: those that are on the screen, all by one painter. */

import { PreviewPainter } from "../preview-painter.js";

/** @import { PreviewClip, PreviewFigure } from "../previews.js" */

/** Pictures a second, at most: they are small. */
const RATE = 30;

/** Drawing may take this share of the time, so that the page stays quick wherever it is slow. */
const LOAD = 0.25;

/** Pixels of the screen for one of the page, at most. */
const FINENESS = 2;

/** Seconds that a motion which is played once stands still before it begins again. */
const REST = 0.8;

/**
 * @typedef {object} Card
 * @property {HTMLCanvasElement} canvas
 * @property {PreviewClip} clip
 */

export class Previews {
  constructor() {
    /** @type {Map<Element, Card>} */
    this.cards = new Map();
    /** @type {Set<Card>} */
    this.seen = new Set();
    /** @type {PreviewPainter | null} */
    this.painter = null;
    this.frame = 0;
    this.due = 0;
    this.isStill = matchMedia("(prefers-reduced-motion: reduce)").matches;
    this.watching = new IntersectionObserver((entries) => this.notice(entries), {
      rootMargin: "20%",
    });
  }

  /**
   * Let a figure be seen; throws where the browser cannot draw it.
   * @param {PreviewFigure} figure
   * @param {ImageBitmap} texture
   * @param {Map<string, HTMLCanvasElement>} canvases by the name of the motion
   */
  show(figure, texture, canvases) {
    const painter = new PreviewPainter(figure, texture);
    this.clear();
    this.painter = painter;
    for (const [name, canvas] of canvases) {
      const clip = figure.clips.get(name);
      if (!clip) continue;
      this.cards.set(canvas, { canvas, clip });
      this.watching.observe(canvas);
    }
  }

  /** @param {IntersectionObserverEntry[]} entries */
  notice(entries) {
    for (const { target, isIntersecting } of entries) {
      const card = this.cards.get(target);
      if (card && isIntersecting) this.seen.add(card);
      else if (card) this.seen.delete(card);
    }
    this.due = 0;
    cancelAnimationFrame(this.frame);
    if (this.seen.size > 0) this.frame = requestAnimationFrame((now) => this.tick(now));
  }

  /** @param {number} now milliseconds */
  tick(now) {
    if (now >= this.due) {
      const before = performance.now();
      this.draw(now);
      const cost = performance.now() - before;
      this.due = now + Math.max(1000 / RATE, cost / LOAD) - 2;
    }
    if (!this.isStill && this.seen.size > 0) {
      this.frame = requestAnimationFrame((next) => this.tick(next));
    }
  }

  /** @param {number} now milliseconds */
  draw(now) {
    const cards = [...this.seen];
    const wide = cards[0]?.canvas.clientWidth ?? 0;
    const side = Math.round(wide * Math.min(devicePixelRatio, FINENESS));
    if (!this.painter || side === 0) return;
    this.painter.begin(cards.length, side);
    const places = cards.map(({ clip }, i) => {
      const time = this.isStill ? clip.still : timeOf(clip, now / 1000);
      return this.painter?.draw(i, clip, time) ?? { x: 0, y: 0 };
    });
    cards.forEach(({ canvas }, i) => copy(this.painter, canvas, places[i] ?? { x: 0, y: 0 }, side));
  }

  clear() {
    cancelAnimationFrame(this.frame);
    this.watching.disconnect();
    this.cards.clear();
    this.seen.clear();
    this.painter?.release();
    this.painter = null;
  }
}

/**
 * When a clip is at that time, in frames.
 * @param {PreviewClip} clip
 * @param {number} seconds
 */
function timeOf({ frames, fps, loops }, seconds) {
  if (loops) return (seconds * fps) % frames;
  return Math.min((seconds * fps) % (frames + REST * fps), frames - 1);
}

/**
 * @param {PreviewPainter | null} painter
 * @param {HTMLCanvasElement} canvas
 * @param {{ x: number, y: number }} place on the painter's canvas
 * @param {number} side pixels
 */
function copy(painter, canvas, { x, y }, side) {
  if (canvas.width !== side) [canvas.width, canvas.height] = [side, side];
  const sheet = canvas.getContext("2d");
  if (!painter || !sheet) return;
  sheet.clearRect(0, 0, side, side);
  sheet.drawImage(painter.canvas, x, y, side, side, 0, 0, side, side);
  canvas.dataset.live = "";
}
