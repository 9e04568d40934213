/** One function an endpoint; each throws `ApiError` with the server's code. */

import { suffixOf } from "./wishes.js";

/** @import { AnimationDocument, AnimationFormat, AnimationRequest, Annotation, DrawingDocument, Health, JobEvent, MotionInfo } from "./types.js" */

/** What went wrong: `code` is the server's, or "offline" when it did not answer. */
export class ApiError extends Error {
  /**
   * @param {string} code
   * @param {string} message a sentence for the user; may be empty
   */
  constructor(code, message) {
    super(message);
    this.name = "ApiError";
    this.code = code;
  }
}

/**
 * @param {Blob} file
 * @param {string} name
 * @param {(share: number) => void} onProgress share of the bytes that are sent, 0 to 1
 * @returns {Promise<DrawingDocument>}
 */
export function createDrawing(file, name, onProgress) {
  return new Promise((resolve, reject) => {
    const request = new XMLHttpRequest();
    request.open("POST", `/api/drawings?name=${encodeURIComponent(name)}`);
    request.setRequestHeader("Content-Type", "application/octet-stream");
    request.upload.onprogress = (event) => onProgress(event.loaded / Math.max(event.total, 1));
    request.onload = () => {
      if (request.status === 201) resolve(JSON.parse(request.responseText));
      else reject(errorFrom(request.responseText, request.status));
    };
    request.onerror = () => reject(new ApiError("offline", ""));
    request.send(file);
  });
}

/** @type {(id: string) => Promise<DrawingDocument>} */
export const getDrawing = (id) => call("GET", `/api/drawings/${id}`);

/** @type {(id: string) => Promise<Annotation>} */
export const getAnnotation = (id) => call("GET", `/api/drawings/${id}/annotation`);

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

/** @type {(id: string) => Promise<JobEvent>} */
export const getJob = (id) => call("GET", `/api/jobs/${id}`);

/** @type {() => Promise<MotionInfo[]>} */
export const listMotions = () => call("GET", "/api/motions");

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
export async function getFile(id, format) {
  const response = await send(fileUrl(id, format));
  return new Uint8Array(await response.arrayBuffer());
}

/**
 * @param {string} method
 * @param {string} url
 * @param {unknown} [body]
 */
async function call(method, url, body) {
  const headers = body === undefined ? undefined : { "Content-Type": "application/json" };
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
  const response = await fetch(url, how).catch(() => null);
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
    return new ApiError(String(problem.code), String(problem.detail));
  } catch {
    return new ApiError(status >= 502 ? "offline" : "other", "");
  }
}
