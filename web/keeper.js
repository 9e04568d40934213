/** What can be kept of what is seen: files of every format, and what a link shows. */

import { queryOf } from "./addresses.js";
import { USUAL, USUAL_KEEPING } from "./wishes.js";

/** @import { Animations } from "./animations.js" */
/** @import { Shareable } from "./elements/share.js" */
/** @import { Show } from "./elements/show.js" */
/** @import { AnimationFormat, JobEvent } from "./types.js" */
/** @import { Keeping, Wish } from "./wishes.js" */

export class Keeper {
  /**
   * @param {Animations} animations
   * @param {Show} show
   * @param {{ wish: Wish, keeping: Keeping }} seen as it is now, whenever it is asked
   */
  constructor(animations, show, seen) {
    this.animations = animations;
    this.show = show;
    this.seen = seen;
  }

  /** @param {AnimationFormat} format */
  find(format) {
    const { wish, keeping } = this.seen;
    const isKept = this.show.animation && format !== "png"; // a still is of another moment each time
    return isKept ? this.animations.find(wish, format, keeping) : undefined;
  }

  /**
   * @param {AnimationFormat} format
   * @param {(event: JobEvent) => void} tell
   * @param {AbortSignal} signal
   */
  make(format, tell, signal) {
    const { wish, keeping } = this.seen;
    if (format !== "png") {
      return this.animations.make(wish, [format], tell, { signal, ...keeping });
    }
    // Stills are counted in frames of the track, whose speed is as it was made.
    const how = { ...keeping, signal, still: this.show.shownFrame };
    return this.animations.make({ ...wish, speed: USUAL.speed }, [format], tell, how);
  }

  /** @returns {Shareable} */
  share() {
    const { speed, background, colour, shadow } = this.seen.wish;
    const query = queryOf({ ...USUAL, speed, background, colour, shadow }, USUAL_KEEPING);
    return { animation: this.show.animation, query };
  }
}
