/** The animations of one drawing: those that are there, and those being made, each only once. */

import { createAnimation, getAnimation, listAnimations } from "./api.js";
import { followJob } from "./events.js";
import { recallDrawing } from "./session.js";

/** @import { AnimationDocument, JobEvent } from "./types.js" */

export class Animations {
  /**
   * @param {string} id of the drawing
   * @param {AbortSignal} leaving
   */
  constructor(id, leaving) {
    this.id = id;
    this.leaving = leaving;
    /** @type {Map<string, Promise<AnimationDocument | null>>} */
    this.making = new Map();
  }

  /** Those that are there, by motion. */
  get finished() {
    const state = recallDrawing(this.id);
    if (!state) throw new Error(`drawing ${this.id} has not been loaded`);
    return state.animations;
  }

  /** Animations that were finished in an earlier visit need not be made again. */
  async recall() {
    for (const animation of await listAnimations(this.id)) {
      if (animation.files.length > 0) this.finished.set(animation.request.motion, animation);
    }
  }

  /**
   * Have an animation made, to the end, whatever else is asked for meanwhile.
   * @param {string} motion
   * @param {(event: JobEvent) => void} tell
   * @returns {Promise<AnimationDocument | null>} null when the page was left
   */
  async make(motion, tell) {
    const making = this.making.get(motion) ?? this.begin(motion, tell);
    this.making.set(motion, making);
    try {
      return await making;
    } finally {
      this.making.delete(motion);
    }
  }

  /**
   * @param {string} motion
   * @param {(event: JobEvent) => void} tell
   */
  async begin(motion, tell) {
    const asked = await createAnimation(this.id, motion);
    await followJob(asked.job, tell, this.leaving);
    if (this.leaving.aborted) return null;
    const made = await getAnimation(asked.id);
    this.finished.set(motion, made);
    return made;
  }
}
