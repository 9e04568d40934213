/** News of a job, over server-sent events, through lost connections, to the end. */

import { ApiError, getJob } from "./api.js";
import { reportConnection } from "./connection.js";

/** @import { JobEvent } from "./types.js" */

const PAUSE_MS = 1000;

/**
 * Follow a job until it is done. Rejects with `ApiError` when it failed or is not known.
 * @param {string} job
 * @param {(event: JobEvent) => void} onEvent
 * @param {AbortSignal} signal
 * @returns {Promise<void>}
 */
export async function followJob(job, onEvent, signal) {
  while (!signal.aborted) {
    const end = await listen(job, onEvent, signal);
    if (end?.state === "done" || signal.aborted) return;
    if (end?.problem) {
      const { code, message, page, about } = end.problem;
      throw new ApiError(code, message, page, about);
    }
    await checkThatItExists(job);
    await new Promise((resolve) => setTimeout(resolve, PAUSE_MS));
  }
}

/**
 * Listen on one connection; gives the event that ended the job, or null when the line went first.
 * @param {string} job
 * @param {(event: JobEvent) => void} onEvent
 * @param {AbortSignal} signal
 * @returns {Promise<JobEvent | null>}
 */
function listen(job, onEvent, signal) {
  return new Promise((resolve) => {
    const source = new EventSource(`/api/jobs/${job}/events`);
    const finish = (/** @type {JobEvent | null} */ end) => {
      source.close();
      signal.removeEventListener("abort", stop);
      resolve(end);
    };
    const stop = () => finish(null);
    signal.addEventListener("abort", stop);
    source.onmessage = (message) => {
      reportConnection(true);
      const event = /** @type {JobEvent} */ (JSON.parse(message.data));
      onEvent(event);
      if (event.state === "done" || event.state === "failed") finish(event);
    };
    source.onerror = () => finish(null);
  });
}

/** @param {string} job */
async function checkThatItExists(job) {
  try {
    await getJob(job);
    reportConnection(true);
  } catch (error) {
    if (!(error instanceof ApiError) || error.code !== "offline") throw error;
    reportConnection(false);
  }
}
