/**
 * Drawings on their way to the server, and until they have been read there. They go one after the
 * other, whatever page is shown, and wait by themselves for a server that does not answer.
 */

import { ApiError, createDrawing } from "./api.js";
import { reportConnection, untilBack } from "./connection.js";
import { followJob } from "./events.js";
import { putIntoOutbox, readOutbox, takeOutOfOutbox } from "./outbox.js";
import { rememberDrawing } from "./session.js";

/** @import { DrawingDocument } from "./types.js" */

/** Milliseconds after which a server that has too much to do is asked again. */
const BUSY_MS = 5000;

/**
 * @typedef {object} Sending
 * @property {File} file
 * @property {string} preview address of the file, for showing at once
 * @property {"waiting" | "sending" | "reading" | "done" | "failed"} state
 * @property {number} share of the state that is done, 0 to 1
 * @property {DrawingDocument | null} drawing once it is there
 * @property {unknown} error why it failed, or has to wait
 * @property {number | null} key in the outbox
 */

/** Of this visit, in the order in which they were handed in. @type {Sending[]} */
let sendings = [];

/** @type {Set<() => void>} */
const watchers = new Set();

/** Each begins when the one before has ended. @type {{ send: Promise<void>, read: Promise<void> }} */
const turns = { send: Promise.resolve(), read: Promise.resolve() };

/** @returns {readonly Sending[]} */
export const listSendings = () => sendings;

/**
 * @param {() => void} onChange called whenever something has changed
 * @param {AbortSignal} signal ends it
 */
export function watchSendings(onChange, signal) {
  watchers.add(onChange);
  signal.addEventListener("abort", () => watchers.delete(onChange));
}

/**
 * @param {readonly File[]} files
 * @returns {Sending[]}
 */
export const sendFiles = (files) => files.map((file) => begin(file, putIntoOutbox(file)));

/**
 * Send what an earlier visit could not.
 * @returns {Promise<Sending[]>}
 */
export async function sendLeftovers() {
  const left = await readOutbox();
  return left.map(({ key, file }) => begin(file, Promise.resolve(key)));
}

/**
 * Send what failed once more.
 * @param {Sending} sending
 */
export function sendAgain(sending) {
  Object.assign(sending, { state: "waiting", error: null });
  queue(sending);
}

/**
 * Forget one that failed, or that is gone from the server.
 * @param {(sending: Sending) => boolean} isGone
 */
export function forgetSendings(isGone) {
  sendings = sendings.filter((sending) => !isGone(sending));
  tell();
}

/**
 * @param {File} file
 * @param {Promise<number | null>} keeping
 * @returns {Sending}
 */
function begin(file, keeping) {
  const preview = URL.createObjectURL(file);
  /** @type {Sending} */
  const sending = {
    file,
    preview,
    state: "waiting",
    share: 0,
    drawing: null,
    error: null,
    key: null,
  };
  sendings.push(sending);
  keeping.then((key) => {
    sending.key = key;
    if (sending.drawing || sending.state === "failed") takeOutOfOutbox(key);
  });
  queue(sending);
  return sending;
}

/** @param {Sending} sending */
function queue(sending) {
  tell();
  const before = turns.send;
  turns.send = (async () => {
    await before;
    await sendUntilThere(sending);
  })();
  turns.read = (async (readBefore, sent) => {
    await sent;
    await readBefore;
    if (sending.drawing) await read(sending, sending.drawing);
  })(turns.read, turns.send);
}

/** @param {Sending} sending */
async function sendUntilThere(sending) {
  while (sending.state === "waiting" || sending.state === "sending") {
    change(sending, { state: "sending", share: 0, error: null });
    try {
      const onProgress = (/** @type {number} */ share) => change(sending, { share });
      const drawing = await createDrawing(sending.file, sending.file.name, onProgress);
      rememberDrawing(drawing, sending.file);
      // The same drawing again is the same drawing.
      forgetSendings((one) => one !== sending && one.drawing?.id === drawing.id);
      change(sending, { state: "reading", share: 0, drawing });
    } catch (error) {
      if (mayWait(error)) await wait(sending, error);
      else change(sending, { state: "failed", error });
    }
  }
  takeOutOfOutbox(sending.key);
}

/**
 * @param {Sending} sending
 * @param {ApiError} error
 */
async function wait(sending, error) {
  change(sending, { state: "waiting", share: 0, error });
  if (error.code !== "offline") return new Promise((resolve) => setTimeout(resolve, BUSY_MS));
  reportConnection(false);
  return untilBack();
}

/**
 * @param {Sending} sending
 * @param {DrawingDocument} drawing
 */
async function read(sending, drawing) {
  const { signal } = new AbortController();
  try {
    await followJob(drawing.job, ({ progress }) => change(sending, { share: progress }), signal);
    change(sending, { state: "done", share: 1 });
  } catch (error) {
    change(sending, { state: "failed", error });
  }
}

/**
 * @param {unknown} error
 * @returns {error is ApiError} whether it passes by itself
 */
const mayWait = (error) =>
  error instanceof ApiError && ["offline", "too_many_requests"].includes(error.code);

/**
 * @param {Sending} sending
 * @param {Partial<Sending>} news
 */
function change(sending, news) {
  Object.assign(sending, news);
  tell();
}

function tell() {
  for (const watcher of watchers) watcher();
}
