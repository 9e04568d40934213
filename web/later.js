/** Pages that are loaded when they are needed, so that the first page is light. */

import { ApiError } from "./api.js";
import { reportConnection } from "./connection.js";
import { el } from "./dom.js";
import { problem } from "./elements/problem.js";
import { strings } from "./strings.js";

/** @import { Mount } from "./types.js" */

/** What anybody does who is about to hand in a drawing. */
const SIGNS = ["pointerdown", "keydown", "dragover", "paste"];

/**
 * Begin to load what will most likely be next.
 * @param {() => Promise<unknown>} load
 */
export function atFirstUse(load) {
  for (const sign of SIGNS) {
    document.addEventListener(sign, () => load().catch(() => {}), { once: true });
  }
}

/**
 * A page whose code comes when it is mounted.
 * @param {() => Promise<Mount>} load
 * @returns {Mount}
 */
export function later(load) {
  return (root, params) => {
    let unmount = () => {};
    let isLeft = false;
    load().then(
      (mount) => {
        if (!isLeft) unmount = mount(root, params);
      },
      () => {
        if (!isLeft) tellThatItDidNotCome(root);
      },
    );
    return () => {
      isLeft = true;
      unmount();
    };
  };
}

/** @param {HTMLElement} root */
function tellThatItDidNotCome(root) {
  reportConnection(false);
  const again = el(
    "button",
    { type: "button", class: "button", onclick: () => location.reload() },
    strings.retry,
  );
  root.replaceChildren(problem(new ApiError("offline", ""), again));
}
