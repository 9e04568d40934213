/** The round button over a player. */

import { drawIcon } from "../art.js";
import { el } from "../dom.js";
import { strings } from "../strings.js";

/**
 * @param {() => void} onPress
 * @returns {{ node: HTMLButtonElement, show: (isPlaying: boolean) => void }}
 */
export function playButton(onPress) {
  const node = el("button", { type: "button", class: "play-button", onclick: onPress });
  const show = (/** @type {boolean} */ isPlaying) => {
    node.setAttribute("aria-label", isPlaying ? strings.result.pause : strings.result.play);
    node.classList.toggle("is-paused", !isPlaying);
    node.replaceChildren(drawIcon(isPlaying ? "pause" : "play"));
  };
  return { node, show };
}
