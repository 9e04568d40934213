import assert from "node:assert/strict";
import { test } from "node:test";

import { Animations } from "../animations.js";
import { rememberAnnotation, rememberDrawing } from "../session.js";
import { requestFor, USUAL } from "../wishes.js";
import { figure } from "./figures.js";

/** @import { AnimationDocument, AnimationRequest, Annotation, DrawingDocument } from "../types.js" */

/** Says at once that a job is done. */
class Done {
  constructor() {
    setTimeout(() => this.onmessage({ data: JSON.stringify({ state: "done" }) }));
  }

  /** @param {{ data: string }} message */
  onmessage(message) {
    throw new Error(`nobody listens to ${message.data}`);
  }

  close() {}
}

/**
 * A server on which an earlier visit began animations, and none is finished.
 * @param {AnimationRequest[]} begun
 * @returns {AnimationDocument[]} all that was ever asked for, in that order
 */
function serve(begun) {
  /** @type {AnimationDocument[]} */
  const asked = [];
  const ask = (/** @type {AnimationRequest} */ request) => {
    const id = String(asked.length);
    const made = { id, job: id, request, revision: 1, files: [] };
    asked.push(/** @type {AnimationDocument} */ (/** @type {unknown} */ (made)));
    return asked.at(-1);
  };
  begun.forEach(ask);
  const answer = (/** @type {string} */ url, /** @type {RequestInit} */ { method, body }) => {
    if (method === "POST") return ask(JSON.parse(String(body)));
    return url.endsWith("/animations") ? asked : asked[Number(url.split("/").at(-1))];
  };
  Object.assign(globalThis, {
    EventSource: Done,
    fetch: async (/** @type {string} */ url, /** @type {RequestInit} */ how) =>
      Response.json(answer(url, how)),
  });
  return asked;
}

test("what an earlier visit began is gone on with, but a still only shows its own moment", async () => {
  const film = requestFor(USUAL, ["gif"]);
  const still = (/** @type {number} */ frame) => requestFor(USUAL, ["png"], { still: frame });
  const asked = serve([film, still(12)]);
  rememberDrawing(/** @type {DrawingDocument} */ ({ id: "d" }));
  const annotation = { figures: [figure("a")], revision: 1 };
  rememberAnnotation("d", /** @type {Annotation} */ (annotation));
  const animations = new Animations("d", new AbortController().signal);
  await animations.recall();

  const wanted = still(40);
  const made = await animations.begin(wanted, () => {});
  assert.deepEqual(made?.request, wanted);
  assert.equal((await animations.begin(film, () => {}))?.id, "0");
  assert.equal(asked.length, 3);
});
