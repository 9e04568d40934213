/** What figures shall do: the gallery, who of several is directed, and motions of one's own. */

import { deleteMotion, listMotions } from "../api.js";
import { drawIcon } from "../art.js";
import { el } from "../dom.js";
import { OWN } from "../gallery-search.js";
import { decodeTexture } from "../gl.js";
import { withoutMotions, withPart } from "../parts.js";
import { rehearse } from "../rehearsal.js";
import { forgetMotions, recallMotions } from "../session.js";
import { strings } from "../strings.js";
import { USUAL } from "../wishes.js";
import { cast } from "./cast.js";
import { Gallery } from "./gallery.js";
import { motionUpload } from "./motion-upload.js";

/** @import { Animations } from "../animations.js" */
/** @import { PreviewFigure } from "../previews.js" */
/** @import { FigureWish, MotionInfo } from "../types.js" */
/** @import { Wish } from "../wishes.js" */

const words = strings.gallery;

export class MotionChoice {
  /**
   * @param {{ motions: MotionInfo[], figures: string[], wish: Wish }} known ids of the figures that move
   * @param {(change: Partial<Wish>) => void} onChange
   * @param {AbortSignal} leaving
   */
  constructor({ motions, figures, wish }, onChange, leaving) {
    this.onChange = onChange;
    this.leaving = leaving;
    this.wish = wish;
    this.figures = figures;
    /** The one that is directed; null is all. @type {string | null} */
    this.picked = null;
    this.busy = "";
    /** @type {Map<string, { figure: PreviewFigure, texture: ImageBitmap }>} */
    this.rehearsed = new Map();
    /** @type {Animations | null} */
    this.animations = null;
    this.gallery = new Gallery(motions, (motion) => this.choose(motion));
    this.node = this.gallery.node;
    this.forget = el(
      "button",
      { type: "button", class: "button is-text", hidden: true, onclick: () => this.remove() },
      drawIcon("bin"),
      words.remove,
    );
    const ready = (/** @type {string} */ name) => this.welcome(name);
    this.gallery.own.append(motionUpload(this.node, ready, leaving), this.forget);
    this.cast =
      figures.length > 1
        ? cast(
            figures,
            (figure) => this.pick(figure),
            (figure, change) => this.direct(figure, change),
            (figure) => this.partOf(figure),
          )
        : null;
    if (this.cast) this.gallery.tools.before(this.cast.node);
  }

  /** @param {string} motion */
  has(motion) {
    return this.gallery.has(motion);
  }

  /** @param {string} motion */
  titleOf(motion) {
    return this.gallery.titleOf(motion);
  }

  /**
   * How long it takes, seconds; 0 where that is not known.
   * @param {string} motion
   */
  durationOf(motion) {
    return this.gallery.motions.find(({ name }) => name === motion)?.duration ?? 0;
  }

  /**
   * Whether the end leads into the beginning.
   * @param {Wish} wish
   */
  isSeamless({ motion, trim, figures }) {
    const others = Object.values(figures).some(({ motion: own, start, speed }) => own || start || speed);
    return !trim && !others && this.gallery.isSeamless(motion);
  }

  /**
   * Known at once, so that the next change comes upon this one.
   * @param {Partial<Wish>} change
   */
  change(change) {
    this.wish = { ...this.wish, ...change };
    this.onChange(change);
  }

  /** @param {string} motion */
  choose(motion) {
    const { figures } = this.wish;
    if (this.picked) this.change({ figures: withPart(figures, this.picked, { motion }) });
    else this.change({ motion, trim: null, figures: withoutMotions(figures) });
  }

  /**
   * What is so of a figure; mirrored means: the other way than the others.
   * @param {string} figure
   * @returns {FigureWish}
   */
  partOf(figure) {
    const part = this.wish.figures[figure] ?? {};
    return { ...part, mirror: (part.mirror ?? this.wish.mirror) !== this.wish.mirror };
  }

  /**
   * @param {string} figure
   * @param {FigureWish} change
   */
  direct(figure, change) {
    const isTurned = typeof change.mirror === "boolean";
    const side = isTurned && { mirror: change.mirror ? !this.wish.mirror : null };
    this.change({ figures: withPart(this.wish.figures, figure, { ...change, ...side }) });
  }

  /**
   * @param {Wish} wish what is seen
   * @param {boolean} [isBusy] whether it is just being made
   */
  mark(wish, isBusy = false) {
    this.wish = wish;
    const own = this.picked && wish.figures[this.picked]?.motion;
    const motion = own || wish.motion;
    this.gallery.mark(motion, isBusy ? motion : "");
    this.forget.hidden = !this.isOwn(motion);
  }

  /** @param {string} motion */
  isOwn(motion) {
    return this.gallery.motions.some(({ name, tags }) => name === motion && tags.includes(OWN));
  }

  /** @param {string | null} figure */
  pick(figure) {
    this.picked = figure;
    this.mark(this.wish);
    this.showRehearsed();
  }

  /**
   * Let the figures be seen on the cards; where that fails, drawn poses stay there.
   * @param {Animations} animations
   */
  async rehearse(animations) {
    this.animations = animations;
    try {
      for (const figure of await rehearse(animations, USUAL.motion)) {
        const texture = await decodeTexture(figure);
        this.rehearsed.set(figure.id, { figure, texture });
        this.cast?.paint(figure.id, texture);
      }
      this.showRehearsed();
      for (const { name } of this.gallery.motions) if (this.isOwn(name)) await this.rehearseOwn(name);
    } catch (error) {
      console.warn("There are no previews.", error);
    }
  }

  /** @param {string} motion that was handed in */
  async rehearseOwn(motion) {
    if (!this.animations || this.leaving.aborted) return;
    for (const figure of await rehearse(this.animations, motion)) {
      const known = this.rehearsed.get(figure.id);
      for (const [name, clip] of figure.clips) known?.figure.clips.set(name, clip);
    }
    this.showRehearsed();
  }

  showRehearsed() {
    const wanted = this.picked ?? this.figures.find((id) => this.rehearsed.has(id)) ?? "";
    const found = this.rehearsed.get(wanted);
    if (found && !this.leaving.aborted) this.gallery.show(found.figure, found.texture);
  }

  /** @param {string} name of a motion that was just handed in */
  async welcome(name) {
    await this.reload();
    this.gallery.seek(name);
    this.choose(name);
    this.rehearseOwn(name).catch((error) => console.warn("There is no preview.", error));
  }

  async reload() {
    forgetMotions();
    this.gallery.change(await recallMotions(listMotions));
    this.showRehearsed();
  }

  /** Forget the chosen motion; what is seen is something else then. */
  async remove() {
    const { motion, figures } = this.wish;
    const gone = (this.picked && figures[this.picked]?.motion) || motion;
    await deleteMotion(gone).catch(() => {});
    await this.reload();
    let left = figures;
    for (const [id, part] of Object.entries(figures)) {
      if (part.motion === gone) left = withPart(left, id, { motion: null });
    }
    this.change({ motion: motion === gone ? USUAL.motion : motion, figures: left });
  }

  stop() {
    this.gallery.stop();
    for (const { texture } of this.rehearsed.values()) texture.close();
  }
}
