/** Keeping the server as the page has it: sent in order, kept while offline, settled in conflicts. */

import { ApiError, isGone } from "../api.js";
import { changeBetween, complete, isCompletion, isPending } from "./changes.js";
import { amend, begin, step } from "./history.js";

/** @import { Change, Figures } from "./changes.js" */
/** @import { History } from "./history.js" */
/** @import { Annotation } from "../types.js" */

/**
 * Where the corrections are. `conflict`: somebody else changed the figures meanwhile, and it is for
 * people to choose. `refused`: the server says that they cannot be so.
 * @typedef {"saved" | "saving" | "offline" | "conflict" | "refused"} Saving
 */

/** What was corrected and is not saved, as it outlives a reload. @typedef {{ base: Annotation, figures: Figures }} Unsaved */

/**
 * @typedef {object} Server
 * @property {() => Promise<Annotation>} load
 * @property {(change: Change, base: Annotation) => Promise<Annotation>} send
 * @property {(job: string) => Promise<void>} follow to the end of the job that completes figures
 */

/**
 * Where what is not saved outlives a reload.
 * @typedef {object} Shelf
 * @property {() => Unsaved | null} read
 * @property {(unsaved: Unsaved | null) => void} write
 */

/** @typedef {{ mine: string, theirs: string }} Names what steps are called that settle a conflict */

/**
 * How long nothing more is changed before it is sent, and how long after the server did not answer
 * it is tried again; milliseconds.
 */
const PACE = { rest: 250, pause: 1500 };

/** Figures that are saved whenever they differ from what the server has, and where they are. */
export class Saver {
  /**
   * @param {Annotation} annotation
   * @param {Server} server
   * @param {Shelf} shelf
   * @param {Names} names
   * @param {typeof PACE} [pace]
   */
  constructor(annotation, server, shelf, names, pace = PACE) {
    this.base = annotation;
    this.server = server;
    this.shelf = shelf;
    this.names = names;
    this.pace = pace;
    /** @type {History<Figures>} */
    this.history = begin(annotation.figures);
    /** @type {Saving} */
    this.saving = "saved";
    /** What the server said against it, or why figures were not completed. @type {unknown} */
    this.error = null;
    /** @type {Annotation | null} */
    this.theirs = null;
    /** @type {Set<() => void>} */
    this.watchers = new Set();
    this.isSaving = false;
    this.isFollowing = false;
    /** @type {ReturnType<typeof setTimeout> | undefined} */
    this.timer = undefined;
    /** @type {Promise<unknown>} */
    this.turn = Promise.resolve();
    this.takeFromShelf();
    this.followJob();
  }

  /** As they are on the page. */
  get figures() {
    return this.history.present;
  }

  /** What the server has does not differ, and nothing is being found. */
  get isSettled() {
    return this.saving === "saved" && this.base.job === null;
  }

  /**
   * @param {() => void} watcher called after each change
   * @returns {() => void} how to stop
   */
  watch(watcher) {
    this.watchers.add(watcher);
    return () => this.watchers.delete(watcher);
  }

  /** Send what differs, one request after another, until nothing does. */
  async save() {
    clearTimeout(this.timer);
    if (this.isSaving) return;
    this.isSaving = true;
    while (this.saving !== "conflict" && this.saving !== "refused") {
      const isThrough = await this.inTurn(() => this.sendDifference());
      if (isThrough) break;
      if (this.saving === "offline") {
        await new Promise((resolve) => setTimeout(resolve, this.pace.pause));
      }
    }
    this.isSaving = false;
    if (this.saving === "saving" || this.saving === "offline") this.saving = "saved";
    this.tell();
    this.followJob();
  }

  /** @returns {Promise<void>} when nothing is on its way */
  untilSaved() {
    return new Promise((resolve) => {
      const look = () => {
        if (this.saving === "saving") return;
        stop();
        resolve();
      };
      const stop = this.watch(look);
      look();
    });
  }

  /** @returns {Promise<boolean>} whether nothing differed */
  async sendDifference() {
    const change = changeBetween(this.base.figures, this.figures);
    if (!change) return true;
    if (this.saving === "saved") this.saving = "saving";
    try {
      this.learn(await this.server.send(change, this.base));
      this.saving = "saving";
    } catch (error) {
      await this.bear(error);
    }
    this.keepOnShelf();
    this.tell();
    return false;
  }

  /** @param {unknown} error */
  async bear(error) {
    const code = error instanceof ApiError ? error.code : "other";
    if (code === "conflict") return this.meet(await this.server.load().catch(() => null));
    this.saving = PASSING.has(code) ? "offline" : "refused";
    this.error = this.saving === "refused" ? error : null;
  }

  /**
   * What the server has now follows from what is here.
   * @param {Annotation} annotation
   */
  learn(annotation) {
    this.base = annotation;
    this.history = amend(this.history, (figures) => complete(figures, annotation.figures));
  }

  /**
   * Another revision than ours is stored.
   * @param {Annotation | null} annotation null where it cannot be had just now
   */
  meet(annotation) {
    if (!annotation) {
      this.saving = "offline";
    } else if (isCompletion(this.base.figures, annotation.figures)) {
      this.learn(annotation);
    } else if (changeBetween(this.base.figures, this.figures) === null) {
      this.base = annotation;
      this.history = step(this.history, annotation.figures, this.names.theirs);
    } else if (changeBetween(annotation.figures, this.figures) === null) {
      this.base = annotation; // both did the same
    } else {
      this.theirs = annotation;
      this.saving = "conflict";
    }
  }

  /** What a job could not find is sought once more. */
  async seekAgain() {
    const [figure] = this.pending;
    if (!figure) return;
    const { id, mask, skeleton } = figure;
    this.error = null;
    this.tell();
    try {
      await this.inTurn(async () => {
        const change = { kind: /** @type {const} */ ("mend"), id, change: { mask, skeleton } };
        this.learn(await this.server.send(change, this.base));
      });
    } catch (error) {
      this.error = error;
    }
    this.tell();
    this.followJob();
  }

  /** Ask whether somebody else changed something. */
  async refresh() {
    if (this.saving !== "saved") return;
    await this.inTurn(() => this.reload());
    this.followJob();
  }

  async reload() {
    const annotation = await this.server.load();
    if (annotation.revision !== this.base.revision) this.meet(annotation);
    this.tell();
  }

  /** Wait until the server has found what figures lack. */
  async followJob() {
    if (this.isFollowing) return;
    this.isFollowing = true;
    try {
      for (let last = null; this.base.job && this.base.job !== last; ) {
        last = this.base.job;
        await this.server.follow(last);
        await this.inTurn(() => this.reload());
      }
    } catch (error) {
      this.error = error;
      this.tell();
    }
    this.isFollowing = false;
  }

  /**
   * One talk with the server at a time, so that no answer is taken for somebody else's.
   * @template Result
   * @param {() => Promise<Result>} talk
   * @returns {Promise<Result>}
   */
  inTurn(talk) {
    const done = this.turn.then(talk);
    this.turn = done.catch(() => {});
    return done;
  }

  /** Figures of which something is being found. */
  get pending() {
    return this.figures.filter(isPending);
  }

  takeFromShelf() {
    const unsaved = this.shelf.read();
    if (!unsaved) return;
    const theirs = this.base;
    this.base = unsaved.base;
    this.history = step(begin(unsaved.base.figures), unsaved.figures, this.names.mine);
    if (theirs.revision !== unsaved.base.revision) this.meet(theirs);
    if (this.saving === "conflict") return;
    this.saving = "saving";
    this.timer = setTimeout(() => this.save(), 0);
  }

  keepOnShelf() {
    const isUnsaved = !isGone(this.error) && changeBetween(this.base.figures, this.figures) !== null;
    this.shelf.write(isUnsaved ? { base: this.base, figures: this.figures } : null);
  }

  tell() {
    for (const watcher of this.watchers) watcher();
  }
}

/** Codes of what may be gone the next time. */
const PASSING = new Set(["offline", "too_many_requests", "internal_error", "job_failed"]);
