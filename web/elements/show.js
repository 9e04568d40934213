/** The figure moving on the stage: played from its track, or as a film where that cannot be. */

import { ApiError, fileUrl, getFile } from "../api.js";
import { formatsForPlayer, wishForPlayer } from "../wishes.js";
import { player } from "./player.js";

/** @import { AnimationDocument, AnimationFormat } from "../types.js" */
/** @import { Wish } from "../wishes.js" */
/** @import { LivePlayer, Looks } from "./live-player.js" */
/** @import { Stage } from "./stage.js" */

/**
 * What is shown where tracks cannot be played: the second where the first does not play either.
 * @type {[AnimationFormat, AnimationFormat]}
 */
const FILMS = ["mp4", "gif"];

/**
 * @typedef {object} About
 * @property {string} label what can be seen
 * @property {boolean} isSeamless whether the clip's end leads into its beginning
 */

export class Show {
  /** @param {Stage} stage */
  constructor(stage) {
    this.stage = stage;
    this.canPlay = typeof DecompressionStream === "function" && "WebGL2RenderingContext" in window;
    /** @type {LivePlayer | null} */
    this.live = null;
    /** @type {AnimationDocument | null} */
    this.animation = null;
    if (this.canPlay) loadPlayer().catch(() => {}); // asked for again when it is needed
  }

  /** The number of the frame that is seen. */
  get shownFrame() {
    return this.live?.shownFrame ?? 0;
  }

  /**
   * What has to be made so that a wish can be shown.
   * @param {Wish} wish
   * @returns {{ wish: Wish, formats: [AnimationFormat, ...AnimationFormat[]] }}
   */
  needs(wish) {
    if (!this.canPlay) return { wish, formats: FILMS };
    const needed = wishForPlayer(wish);
    return { wish: needed, formats: formatsForPlayer(needed) };
  }

  /**
   * @param {AnimationDocument} animation
   * @param {About} about
   * @param {Looks} looks
   * @param {() => boolean} isWanted whether it still is, once it could be shown
   * @returns {Promise<boolean>} false where the track cannot be played after all: then films can
   */
  async show(animation, about, looks, isWanted) {
    if (!this.canPlay) this.stage.showPlayer(player(animation, about.label));
    else if (animation !== this.animation) {
      const isShown = await this.showLive(animation, about, looks, isWanted);
      if (!isShown) return false;
    }
    if (!isWanted()) return true;
    this.live?.change(looks);
    this.animation = animation;
    return true;
  }

  /**
   * @param {AnimationDocument} animation
   * @param {About} about
   * @param {Looks} looks
   * @param {() => boolean} isWanted
   */
  async showLive(animation, about, looks, isWanted) {
    try {
      const [data, { readTrack, livePlayer }] = await Promise.all([
        getFile(animation.id, "track"),
        loadPlayer(),
      ]);
      const hasPaper = animation.files.some(({ format }) => format === "backdrop");
      const paper = hasPaper ? fileUrl(animation.id, "backdrop") : null;
      const live = await livePlayer(await readTrack(data), { ...about, paper }, looks);
      if (!isWanted()) live.stop();
      else {
        this.live = live;
        this.stage.showPlayer(live.node, () => live.stop());
      }
      return true;
    } catch (error) {
      if (error instanceof ApiError) throw error;
      console.warn("The track cannot be played; a film is asked for.", error);
      this.canPlay = false;
      this.live = null;
      return false;
    }
  }
}

/** Comes when it is needed: the first page does without. */
async function loadPlayer() {
  const [{ readTrack }, { livePlayer }] = await Promise.all([
    import("../track.js"),
    import("./live-player.js"),
  ]);
  return { readTrack, livePlayer };
}
