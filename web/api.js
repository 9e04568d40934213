/** One function an endpoint; each throws `ApiError` with the server's code. */

import { newTraceparent } from "./trace.js";
import { suffixOf } from "./wishes.js";

/** @import { AnimationDocument, AnimationFormat, AnimationRequest, Annotation, DrawingDocument, Health, JobEvent, MotionInfo, OwnMotion, Owner, Share, SharedAnimation, SkeletonTemplate } from "./types.js" */

/** What went wrong: `code` is the server's, or "offline" when it did not answer. */
export class ApiError extends Error {
  /**
   * @param {string} code
   * @param {string} message a sentence for the user; may be empty
   * @param {string} [page] where it can be mended, as the server names it
   * @param {string[]} [about] names of the things that it is about
   */
  constructor(code, message, page = "upload", about = []) {
    super(message);
    this.name = "ApiError";
    this.code = code;
    this.page = page;
    this.about = about;
  }
}

/**
 * Whether what was asked for is not there, or no more.
 * @param {unknown} error
 */
export const isGone = (error) => error instanceof ApiError && error.code === "not_found";

/**
 * @param {Blob} file
 * @param {string} name
 * @param {(share: number) => void} onProgress share of the bytes that are sent, 0 to 1
 * @returns {Promise<DrawingDocument>} that of before, when the same was handed in before
 */
export function createDrawing(file, name, onProgress) {
  return new Promise((resolve, reject) => {
    const request = new XMLHttpRequest();
    request.open("POST", `/api/drawings?name=${encodeURIComponent(name)}`);
    request.setRequestHeader("Content-Type", "application/octet-stream");
    request.setRequestHeader("traceparent", newTraceparent());
    request.upload.onprogress = (event) => onProgress(event.loaded / Math.max(event.total, 1));
    request.onload = () => {
      if (request.status < 300) resolve(JSON.parse(request.responseText));
      else reject(errorFrom(request.responseText, request.status));
    };
    request.onerror = () => reject(new ApiError("offline", ""));
    request.send(file);
  });
}

/**
 * One's own drawings, newest first.
 * @param {string | null} after the last one that is known; null for the first
 * @returns {Promise<{ drawings: DrawingDocument[], hasMore: boolean }>}
 */
export async function listDrawings(after) {
  const query = after ? `?after=${encodeURIComponent(after)}` : "";
  const response = await send(`/api/drawings${query}`);
  const hasMore = /rel="?next"?/.test(response.headers.get("Link") ?? "");
  return { drawings: await response.json(), hasMore };
}

/** @type {(id: string) => Promise<DrawingDocument>} */
export const getDrawing = (id) => call("GET", `/api/drawings/${id}`);

/**
 * The picture that lies behind figures where a background of the kind `picture` is asked for.
 * @param {string} drawing
 * @param {Blob} picture
 */
export async function putBackground(drawing, picture) {
  const headers = { "Content-Type": "application/octet-stream" };
  await send(`/api/drawings/${drawing}/background`, { method: "PUT", headers, body: picture });
}

/** @type {(id: string) => Promise<Annotation>} */
export const getAnnotation = (id) => call("GET", `/api/drawings/${id}/annotation`);

/**
 * All figures of a drawing instead of those of a revision; so the two after it, of one figure.
 * @type {(id: string, annotation: Annotation, revision: number) => Promise<Annotation>}
 */
export const putAnnotation = (id, annotation, revision) =>
  call("PUT", `/api/drawings/${id}/annotation`, annotation, { "If-Match": `"${revision}"` });

/** @type {(id: string, figure: string, change: object, revision: number) => Promise<Annotation>} */
export const changeFigure = (id, figure, change, revision) =>
  call("PATCH", `/api/drawings/${id}/figures/${figure}`, change, { "If-Match": `"${revision}"` });

/** @type {(id: string, figure: string, revision: number) => Promise<Annotation>} */
export const deleteFigure = (id, figure, revision) =>
  call("DELETE", `/api/drawings/${id}/figures/${figure}`, undefined, { "If-Match": `"${revision}"` });

/** @type {() => Promise<SkeletonTemplate[]>} */
export const listSkeletons = () => call("GET", "/api/skeletons");

/** @type {(id: string) => Promise<void>} */
export const deleteDrawing = (id) => call("DELETE", `/api/drawings/${id}`);

/** @type {(id: string) => Promise<AnimationDocument[]>} */
export const listAnimations = (id) => call("GET", `/api/drawings/${id}/animations`);

/** @type {(drawing: string, request: AnimationRequest) => Promise<AnimationDocument>} */
export const createAnimation = (drawing, request) =>
  call("POST", `/api/drawings/${drawing}/animations`, request);

/** @type {(id: string) => Promise<AnimationDocument>} */
export const getAnimation = (id) => call("GET", `/api/animations/${id}`);

/** @type {(id: string) => Promise<void>} */
export const deleteAnimation = (id) => call("DELETE", `/api/animations/${id}`);

/** @type {(id: string) => string} */
export const everythingUrl = (drawing) => `/api/drawings/${drawing}/everything.zip`;

/** @type {(animation: string, days: number) => Promise<Share>} */
export const createShare = (animation, days) =>
  call("POST", `/api/animations/${animation}/shares`, { days });

/** @type {(animation: string) => Promise<Share[]>} */
export const listShares = (animation) => call("GET", `/api/animations/${animation}/shares`);

/** @type {(id: string) => Promise<void>} */
export const deleteShare = (id) => call("DELETE", `/api/shares/${id}`);

/** @type {(id: string) => Promise<SharedAnimation>} */
export const getShared = (id) => call("GET", `/api/shares/${id}`);

/** @type {() => Promise<Owner>} */
export const getOwner = () => call("GET", "/api/owner");

/** Have all that one ever handed in forgotten. @type {() => Promise<void>} */
export const deleteOwner = () => call("DELETE", "/api/owner");

/**
 * Whether a drawing may be learned from.
 * @param {string} drawing
 * @returns {Promise<boolean>}
 */
export async function hasConsent(drawing) {
  try {
    await call("GET", `/api/drawings/${drawing}/consent`);
    return true;
  } catch (error) {
    if (isGone(error)) return false;
    throw error;
  }
}

/** @type {(drawing: string, isGiven: boolean) => Promise<void>} */
export const setConsent = (drawing, isGiven) =>
  call(isGiven ? "PUT" : "DELETE", `/api/drawings/${drawing}/consent`);

/** @type {(id: string) => Promise<JobEvent>} */
export const getJob = (id) => call("GET", `/api/jobs/${id}`);

/** @type {() => Promise<MotionInfo[]>} */
export const listMotions = () => call("GET", "/api/motions");

/**
 * Hand in a motion file; a job reads it.
 * @param {Blob} file BVH
 * @param {string} name
 * @returns {Promise<OwnMotion>}
 */
export async function createMotion(file, name) {
  const headers = { "Content-Type": "application/octet-stream" };
  const address = `/api/motions?name=${encodeURIComponent(name)}`;
  return (await send(address, { method: "POST", headers, body: file })).json();
}

/** @type {(name: string) => Promise<void>} */
export const deleteMotion = (name) => call("DELETE", `/api/motions/${name}`);

/** @type {() => Promise<Health>} */
export const getHealth = () => call("GET", "/api/health");

/** @type {(id: string) => string} */
export const pictureUrl = (id) => `/api/drawings/${id}/picture`;

/** @type {(id: string, format: AnimationFormat, download?: boolean) => string} */
export const fileUrl = (id, format, download = false) =>
  `/api/animations/${id}/file.${suffixOf(format)}${download ? "?download=1" : ""}`;

/**
 * The bytes of a file of an animation.
 * @param {string} id
 * @param {AnimationFormat} format
 * @returns {Promise<Uint8Array<ArrayBuffer>>}
 */
export const getFile = (id, format) => getBytes(fileUrl(id, format));

/**
 * @param {string} url
 * @returns {Promise<Uint8Array<ArrayBuffer>>}
 */
export async function getBytes(url) {
  const response = await send(url);
  return new Uint8Array(await response.arrayBuffer());
}

/**
 * @param {string} method
 * @param {string} url
 * @param {unknown} [body]
 * @param {Record<string, string>} [conditions] headers
 */
async function call(method, url, body, conditions = {}) {
  const headers = new Headers(conditions);
  if (body !== undefined) headers.set("Content-Type", "application/json");
  const response = await send(url, {
    method,
    headers,
    body: body === undefined ? undefined : JSON.stringify(body),
  });
  return response.status === 204 ? undefined : response.json();
}

/**
 * @param {string} url
 * @param {RequestInit} [how]
 */
async function send(url, how) {
  const headers = new Headers(how?.headers);
  headers.set("traceparent", newTraceparent());
  const response = await fetch(url, { ...how, headers }).catch(() => null);
  if (!response) throw new ApiError("offline", "");
  if (!response.ok) throw errorFrom(await response.text(), response.status);
  return response;
}

/**
 * @param {string} text
 * @param {number} status
 */
function errorFrom(text, status) {
  try {
    const problem = JSON.parse(text);
    return new ApiError(String(problem.code), String(problem.detail), problem.page);
  } catch {
    return new ApiError(status >= 502 ? "offline" : "other", "");
  }
}
