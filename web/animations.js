/** The animations of one drawing: those that are there, and those being made, each only once. */

import { createAnimation, deleteAnimation, getAnimation, listAnimations } from "./api.js";
import { followJob } from "./events.js";
import { recallDrawing } from "./session.js";
import { nameOf, requestFor } from "./wishes.js";

/** @import { AnimationDocument, AnimationFormat, AnimationRequest, JobEvent } from "./types.js" */
/** @import { Keeping, Wish } from "./wishes.js" */

/** @typedef {(event: JobEvent) => void} Tell */

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
    /** Asked for in an earlier visit, and not finished. @type {Map<string, AnimationDocument>} */
    this.begun = new Map();
  }

  /** Those that are there, by what was asked for and format. */
  get finished() {
    const state = recallDrawing(this.id);
    if (!state) throw new Error(`drawing ${this.id} has not been loaded`);
    return state.animations;
  }

  /** Animations that were asked for in an earlier visit need not be made again. */
  async recall() {
    for (const animation of await listAnimations(this.id)) {
      const { request, files } = animation;
      // Which picture lay behind is not told.
      if (request.background?.kind === "picture") continue;
      // What has no name of its own cannot be told from others without one.
      const isKnown = nameOf(request) !== null && this.isOfNow(animation);
      if (files.length === 0 && isKnown) this.begun.set(textOf(request), animation);
      this.keep(animation);
    }
  }

  /** There is another picture now: what was made with the one before is no more what is wished. */
  forgetPictures() {
    for (const [key, { request }] of this.finished) {
      if (request.background?.kind === "picture") this.finished.delete(key);
    }
  }

  /**
   * The animation that holds a file, when there is one.
   * @param {Wish} wish
   * @param {AnimationFormat} format
   * @param {Keeping} [keeping]
   */
  find(wish, format, keeping) {
    return this.made(requestFor(wish, [format], keeping));
  }

  /** @param {AnimationRequest} request */
  made(request) {
    const [name, [first]] = [nameOf(request), request.formats];
    return first && this.finished.get(keyOf(name, first));
  }

  /**
   * Have files made, to the end, whatever else is asked for meanwhile.
   * @param {Wish} wish
   * @param {readonly [AnimationFormat, ...AnimationFormat[]]} formats
   * @param {Tell} tell
   * @param {{ signal?: AbortSignal, still?: number } & Partial<Keeping>} [how] `signal` ends the
   *   waiting; `still` is the frame that a picture shows
   * @returns {Promise<AnimationDocument | null>} null when nobody waits any more
   */
  async make(wish, formats, tell, { signal = this.leaving, ...how } = {}) {
    const request = requestFor(wish, formats, how);
    const known = this.made(request);
    if (known) return known;
    const key = JSON.stringify(request);
    const making = this.making.get(key) ?? this.begin(request, tell, signal);
    this.making.set(key, making);
    try {
      return await making;
    } finally {
      this.making.delete(key);
    }
  }

  /**
   * @param {AnimationRequest} request
   * @param {Tell} tell
   * @param {AbortSignal} [signal]
   * @returns {Promise<AnimationDocument | null>} null when nobody waits any more
   */
  async begin(request, tell, signal = this.leaving) {
    const begun = this.begun.get(textOf(request));
    this.begun.delete(textOf(request));
    // What was begun before may have failed, or be forgotten.
    const made = begun && (await this.finish(begun, tell, signal).catch(() => null));
    if (made || (begun && signal.aborted)) return made ?? null;
    return this.finish(await createAnimation(this.id, request), tell, signal);
  }

  /**
   * @param {AnimationDocument} asked
   * @param {Tell} tell
   * @param {AbortSignal} signal
   */
  async finish(asked, tell, signal) {
    await followJob(asked.job, tell, signal);
    if (signal.aborted) {
      // Given up on purpose, so the server need not go on.
      if (signal !== this.leaving) await deleteAnimation(asked.id).catch(() => {});
      return null;
    }
    const made = await getAnimation(asked.id);
    this.keep(made);
    return made;
  }

  /** @param {AnimationDocument} animation */
  keep(animation) {
    const name = nameOf(animation.request);
    if (name === null || !this.isOfNow(animation)) return;
    for (const { format } of animation.files) {
      this.finished.set(keyOf(name, format), animation);
    }
  }

  /**
   * Whether it shows the figures as they are known now.
   * @param {AnimationDocument} animation
   */
  isOfNow({ revision }) {
    return revision === recallDrawing(this.id)?.annotation?.revision;
  }
}

/**
 * The same for all requests for the same files.
 * @param {AnimationRequest} request
 */
const textOf = (request) => `${request.formats.join(" ")} ${nameOf(request)}`;

/**
 * @param {string | null} name
 * @param {AnimationFormat} format
 */
const keyOf = (name, format) => `${format} ${name}`;
