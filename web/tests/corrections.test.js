import assert from "node:assert/strict";
import { test } from "node:test";

import { ApiError } from "../api.js";
import { Corrections } from "../mending/corrections.js";
import { figure } from "./figures.js";

/** @import { Annotation, FigureAnnotation } from "../types.js" */
/** @import { Change } from "../mending/changes.js" */
/** @import { Unsaved } from "../mending/saving.js" */

const PACE = { rest: 1, pause: 5 };
const NAMES = { mine: "mine", theirs: "theirs" };

/** A server that keeps one annotation, as the real one does. */
class Kept {
  constructor() {
    /** @type {Annotation} */
    this.annotation = {
      width: 9,
      height: 9,
      figures: [figure("a"), figure("b")],
      rotation: 0,
      revision: 1,
      job: null,
    };
    /** @type {Change[]} */
    this.sent = [];
    this.isGone = false;
    /** That a change begins. @type {string | null} */
    this.job = null;
    /** @type {ApiError | null} */
    this.refusal = null;
    /** @type {() => void} */
    this.finish = () => {};
  }

  async load() {
    if (this.isGone) throw new ApiError("offline", "");
    return this.annotation;
  }

  /**
   * @param {Change} change
   * @param {Annotation} base
   */
  async send(change, base) {
    if (this.isGone) throw new ApiError("offline", "");
    if (this.refusal) throw this.refusal;
    if (base.revision !== this.annotation.revision) throw new ApiError("conflict", "");
    this.sent.push(change);
    return this.store(applied(this.annotation.figures, change), this.job);
  }

  /** @param {readonly FigureAnnotation[]} figures @param {string | null} [job] */
  store(figures, job = null) {
    const revision = this.annotation.revision + 1;
    this.annotation = { ...this.annotation, figures: [...figures], revision, job };
    return this.annotation;
  }

  /** @param {string} _job @returns {Promise<void>} */
  follow(_job) {
    return new Promise((resolve) => {
      this.finish = resolve;
    });
  }
}

/** @param {readonly FigureAnnotation[]} figures @param {Change} change */
function applied(figures, change) {
  if (change.kind === "replace") return change.figures;
  if (change.kind === "remove") return figures.filter(({ id }) => id !== change.id);
  return figures.map((one) => (one.id === change.id ? { ...one, ...change.change } : one));
}

function shelf() {
  /** @type {{ unsaved: Unsaved | null }} */
  const kept = { unsaved: null };
  return {
    kept,
    read: () => kept.unsaved,
    write: (/** @type {Unsaved | null} */ unsaved) => {
      kept.unsaved = unsaved;
    },
  };
}

function open(server = new Kept(), store = shelf()) {
  return { server, store, mine: new Corrections(server.annotation, server, store, NAMES, PACE) };
}

/** @param {Corrections} corrections @param {() => boolean} isTrue */
function until(corrections, isTrue) {
  return new Promise((resolve) => {
    const look = () => isTrue() && resolve(stop());
    const stop = corrections.watch(look);
    look();
  });
}

/** @param {Corrections} corrections */
const saved = (corrections) => until(corrections, () => corrections.saving === "saved");

/** @param {readonly FigureAnnotation[]} figures */
const hidden = (figures) => figures.filter((one) => one.hidden).map(({ id }) => id);

test("a correction is saved, and then waits for nothing", async () => {
  const { server, store, mine } = open();
  mine.mend("a", { hidden: true }, "hide");
  assert.equal(mine.saving, "saving");
  assert.notEqual(store.kept.unsaved, null, "kept until it is saved");
  await saved(mine);
  assert.deepEqual(server.sent, [{ kind: "mend", id: "a", change: { hidden: true } }]);
  assert.equal(store.kept.unsaved, null);
});

test("what changes nothing is no step", () => {
  const { mine } = open();
  mine.mend("a", { hidden: false }, "show");
  assert.equal(mine.undo(), null);
  assert.equal(mine.saving, "saved");
});

test("several corrections in a row are one request, the last of them", async () => {
  const { server, mine } = open();
  mine.mend("a", { limbs: { left_hip: "front" } }, "one");
  mine.mend("a", { limbs: { left_hip: "back" } }, "two");
  await saved(mine);
  assert.deepEqual(server.sent, [{ kind: "mend", id: "a", change: { limbs: { left_hip: "back" } } }]);
});

test("what is taken back is saved too", async () => {
  const { server, mine } = open();
  mine.mend("a", { hidden: true }, "hide");
  await saved(mine);
  assert.equal(mine.undo(), "hide");
  await saved(mine);
  assert.deepEqual(hidden(server.annotation.figures), []);
  assert.equal(mine.redo(), "hide");
  await saved(mine);
  assert.deepEqual(hidden(server.annotation.figures), ["a"]);
});

test("without a server it is kept, and sent when the server is back", async () => {
  const { server, store, mine } = open();
  server.isGone = true;
  mine.mend("a", { hidden: true }, "hide");
  await until(mine, () => mine.saving === "offline");
  assert.notEqual(store.kept.unsaved, null);
  server.isGone = false;
  await saved(mine);
  assert.deepEqual(hidden(server.annotation.figures), ["a"]);
});

test("what was not saved is taken up after a reload, and saved", async () => {
  const first = open();
  first.server.isGone = true;
  first.mine.mend("a", { hidden: true }, "hide");
  clearTimeout(first.mine.timer);
  first.server.isGone = false;
  const { mine, server } = open(first.server, first.store);
  assert.deepEqual(hidden(mine.figures), ["a"]);
  await saved(mine);
  assert.deepEqual(hidden(server.annotation.figures), ["a"]);
  mine.undo();
  assert.deepEqual(hidden(mine.figures), []);
  await saved(mine);
});

test("a change by somebody else is a conflict, and mine can be kept without losing theirs", async () => {
  const { server, mine } = open();
  server.store([figure("a"), figure("b", { hidden: true })]);
  mine.mend("a", { hidden: true }, "hide");
  await until(mine, () => mine.saving === "conflict");
  assert.deepEqual(hidden(server.annotation.figures), ["b"], "nothing is written over");
  mine.keepMine();
  await saved(mine);
  assert.deepEqual(hidden(server.annotation.figures), ["a"]);
  mine.undo();
  assert.deepEqual(hidden(mine.figures), ["b"], "theirs is one step back");
  await saved(mine);
});

test("theirs can be taken without losing mine", async () => {
  const { server, mine } = open();
  server.store([figure("a"), figure("b", { hidden: true })]);
  mine.mend("a", { hidden: true }, "hide");
  await until(mine, () => mine.saving === "conflict");
  mine.takeTheirs();
  await saved(mine);
  assert.deepEqual(hidden(mine.figures), ["b"]);
  assert.equal(server.sent.length, 0);
  mine.undo();
  await saved(mine);
  assert.deepEqual(hidden(server.annotation.figures), ["a"], "mine is one step back");
});

test("both doing the same is no conflict", async () => {
  const { server, mine } = open();
  server.store([figure("a", { hidden: true }), figure("b")]);
  mine.mend("a", { hidden: true }, "hide");
  await saved(mine);
  assert.equal(server.sent.length, 0);
});

test("what the server itself found in the meantime is no conflict", async () => {
  const server = new Kept();
  server.store([figure("a", { mask: null, skeleton: null }), figure("b")]);
  const { mine } = open(server);
  server.store([figure("a"), figure("b")]);
  mine.mend("b", { hidden: true }, "hide");
  await saved(mine);
  assert.deepEqual(hidden(server.annotation.figures), ["b"]);
  assert.deepEqual(mine.figures[0], figure("a"), "and it is taken over");
  mine.undo();
  assert.deepEqual(mine.figures[0], figure("a"), "also in what was before");
  await saved(mine);
});

test("what a job finds is taken over when it ends, without being a step", async () => {
  const server = new Kept();
  server.store([figure("a", { mask: null, skeleton: null }), figure("b")], "job-1");
  const { mine } = open(server);
  assert.equal(mine.isSettled, false);
  assert.deepEqual(mine.pending.map(({ id }) => id), ["a"]);
  await Promise.resolve();
  server.store([figure("a"), figure("b")]);
  server.finish();
  await until(mine, () => mine.isSettled);
  assert.deepEqual(mine.pending, []);
  assert.equal(mine.undo(), null);
});

test("what a job could not find is told, and sought again when asked", async () => {
  const server = new Kept();
  server.store([figure("a", { mask: null, skeleton: null }), figure("b")], "job-1");
  const failure = new ApiError("model_unavailable", "");
  server.follow = () => Promise.reject(failure);
  const { mine } = open(server);
  await until(mine, () => mine.error === failure);
  server.follow = async () => {
    server.store([figure("a"), figure("b")]);
  };
  server.job = "job-2";
  mine.seekAgain();
  await until(mine, () => mine.pending.length === 0);
  assert.deepEqual(server.sent, [{ kind: "mend", id: "a", change: { mask: null, skeleton: null } }]);
  assert.equal(mine.error, null);
});

test("what the server refuses is told, and can be taken back", async () => {
  const { server, mine } = open();
  server.refusal = new ApiError("invalid_box", "The box lies outside.");
  mine.mend("a", { box: [0, 0, 99, 99] }, "pull");
  await until(mine, () => mine.saving === "refused");
  assert.equal(mine.error, server.refusal);
  server.refusal = null;
  mine.undo();
  await saved(mine);
  assert.equal(mine.error, null);
});

test("nothing is kept of a drawing that was deleted", async () => {
  const { server, store, mine } = open();
  server.refusal = new ApiError("not_found", "");
  mine.mend("a", { hidden: true }, "hide");
  await until(mine, () => mine.saving === "refused");
  assert.equal(store.kept.unsaved, null);
});

test("what was changed elsewhere meanwhile is seen on coming back, as a step", async () => {
  const { server, mine } = open();
  server.store([figure("b")]);
  await mine.refresh();
  assert.deepEqual(mine.figures.map(({ id }) => id), ["b"]);
  assert.equal(mine.undo(), "theirs");
  await saved(mine);
  assert.deepEqual(server.annotation.figures.map(({ id }) => id), ["a", "b"]);
});
