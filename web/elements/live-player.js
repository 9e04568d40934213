/** The figure moving, drawn by the page itself from its vertex track, before there is any film. */

import { el } from "../dom.js";
import { castShadows, paintShadows } from "../shadow.js";
import { decodeTextures, TrackPainter } from "../track-painter.js";
import { playButton } from "./play-button.js";

/** @import { Shadow } from "../shadow.js" */
/** @import { TrackClip } from "../track.js" */
/** @import { Backdrop } from "../wishes.js" */

/** Pixels of the canvas for each of the frame's, at most: textures are no finer. */
const FINENESS = 2;

/**
 * @typedef {object} Looks
 * @property {Backdrop} background
 * @property {string} colour of the background `colour`
 * @property {boolean} shadow whether one lies on the ground
 * @property {number} speed times as fast as it was made
 * @property {boolean} loops whether it begins again when it ends
 */

/**
 * @param {TrackClip} clip
 * @param {{ label: string, paper: string | null, isSeamless: boolean }} about what can be seen; the
 *   address of the picture behind, if any; whether the clip's end leads into its beginning
 * @param {Looks} looks
 * @returns {Promise<LivePlayer>} rejects where the browser cannot draw it
 */
export async function livePlayer(clip, about, looks) {
  const player = new LivePlayer(clip, about, looks, await decodeTextures(clip));
  player.start();
  return player;
}

export class LivePlayer {
  /**
   * @param {TrackClip} clip
   * @param {{ label: string, paper: string | null, isSeamless: boolean }} about
   * @param {Looks} looks
   * @param {ImageBitmap[]} textures
   */
  constructor(clip, { label, paper, isSeamless }, looks, textures) {
    this.clip = clip;
    this.looks = looks;
    this.textures = textures;
    this.isSeamless = isSeamless;
    this.time = 0;
    this.seen = 0;
    this.frame = 0;
    this.isPlaying = false;
    this.hasMoved = false;
    this.canvas = el("canvas", { role: "img", "aria-label": label, onclick: () => this.toggle() });
    this.button = playButton(() => this.toggle());
    const picture = paper && el("img", { src: paper, alt: "", class: "player-paper" });
    this.ground = el("canvas", { class: "player-ground", "aria-hidden": "true" });
    /** @type {Shadow[] | null} */
    this.shadows = null;
    this.node = el("div", { class: "player is-live" }, picture, this.canvas, this.button.node);
    this.node.style.setProperty("--ratio", String(clip.width / clip.height));
    this.painter = new TrackPainter(this.canvas, clip, textures);
    this.leaving = new AbortController();
    this.resizing = new ResizeObserver(() => this.fit());
  }

  start() {
    const { signal } = this.leaving;
    this.resizing.observe(this.canvas);
    document.addEventListener("keydown", (event) => this.press(event), { signal });
    this.canvas.addEventListener("webglcontextlost", (event) => this.lose(event), { signal });
    this.canvas.addEventListener("webglcontextrestored", () => this.restore(), { signal });
    this.showBehind();
    this.show();
    performance.mark("figure-shown");
    if (!matchMedia("(prefers-reduced-motion: reduce)").matches) this.play();
    else this.button.show(false);
  }

  stop() {
    this.leaving.abort();
    this.resizing.disconnect();
    cancelAnimationFrame(this.frame);
    this.painter.release();
    for (const texture of this.textures) texture.close();
  }

  play() {
    // What was played to its end is played once more.
    if (this.time >= this.end) this.time = 0;
    this.isPlaying = true;
    this.seen = 0;
    this.button.show(true);
    this.frame = requestAnimationFrame((now) => this.tick(now));
  }

  pause() {
    this.isPlaying = false;
    cancelAnimationFrame(this.frame);
    this.button.show(false);
  }

  toggle() {
    if (this.isPlaying) this.pause();
    else this.play();
  }

  /** @param {Partial<Looks>} looks */
  change(looks) {
    this.looks = { ...this.looks, ...looks };
    this.showBehind();
    this.show();
  }

  /** The number of the frame that is seen. */
  get shownFrame() {
    return Math.min(Math.floor(this.time), this.clip.frames - 1);
  }

  /** The last instant of a clip that is played once, in frames. */
  get end() {
    return this.clip.frames - 1;
  }

  /** @param {number} now milliseconds */
  tick(now) {
    if (!this.isPlaying) return;
    const passed = this.seen ? Math.min(now - this.seen, 250) / 1000 : 0;
    this.seen = now;
    this.advance(passed * this.clip.fps * this.looks.speed);
    this.show();
    if (passed && !this.hasMoved) performance.mark("figure-moving");
    this.hasMoved ||= passed > 0;
    if (this.isPlaying) this.frame = requestAnimationFrame((next) => this.tick(next));
  }

  /** @param {number} frames */
  advance(frames) {
    this.time += frames;
    if (this.looks.loops) this.time %= this.clip.frames;
    else if (this.time >= this.end) {
      this.time = this.end;
      this.pause();
    }
  }

  /** What lies behind is no part of what is drawn. */
  showBehind() {
    this.node.dataset.background = this.looks.background;
    this.node.style.setProperty("--behind", this.looks.colour);
  }

  /** Draw the instant that it is. */
  show() {
    const { clip, time } = this;
    const last = clip.frames - 1;
    const frame = this.shownFrame;
    const next = frame < last ? frame + 1 : this.isSeamless ? 0 : last;
    this.painter.draw(time, next);
    this.showShadows(next);
  }

  /** @param {number} next the frame that follows the one that is seen */
  showShadows(next) {
    const { canvas, ground, clip, time, textures } = this;
    if (!this.looks.shadow) return ground.remove();
    if (!ground.parentNode) canvas.before(ground);
    const context = ground.getContext("2d");
    if (!context) return;
    const { width, height } = canvas;
    if (ground.width !== width || ground.height !== height) {
      [ground.width, ground.height] = [width, height];
    }
    this.shadows ??= castShadows(
      clip,
      textures.map((texture) => texture.width / texture.height),
    );
    paintShadows(context, this.shadows, { time, next, scale: width / clip.width });
  }

  /** As many pixels as the screen shows, and no more than the texture has. */
  fit() {
    const { canvas, clip } = this;
    const wanted = canvas.clientWidth * devicePixelRatio;
    const width = Math.max(1, Math.round(Math.min(wanted, FINENESS * clip.width)));
    const height = Math.max(1, Math.round((width * clip.height) / clip.width));
    if (canvas.width === width && canvas.height === height) return;
    [canvas.width, canvas.height] = [width, height];
    this.show();
  }

  /**
   * The space bar plays and pauses, unless it is meant for something that has the focus.
   * @param {KeyboardEvent} event
   */
  press(event) {
    const isFree = event.target === document.body || event.target === document.getElementById("main");
    if (event.key !== " " || event.repeat || !isFree) return;
    event.preventDefault();
    this.toggle();
  }

  /** @param {Event} event */
  lose(event) {
    event.preventDefault();
    cancelAnimationFrame(this.frame);
  }

  /** The graphics card came back, with nothing in its memory. */
  restore() {
    this.painter = new TrackPainter(this.canvas, this.clip, this.textures);
    this.show();
    if (this.isPlaying) this.play();
  }
}

