/** How the figure is seen: speed, mirrored or not, over and over, and what lies behind and under it. */

import { el } from "../dom.js";
import { strings } from "../strings.js";
import { SPEEDS } from "../wishes.js";
import { backdropChoice } from "./backdrop-choice.js";
import { segments, tick } from "./segments.js";

/** @import { Wish } from "../wishes.js" */

/**
 * @typedef {Pick<Wish, "speed" | "mirror" | "background" | "colour" | "shadow"> & { loops: boolean }}
 *   PlaybackState
 */

const words = strings.playback;

/**
 * @param {PlaybackState} state at first
 * @param {(change: Partial<PlaybackState>) => void} onChange
 * @param {(picture: File) => void} onPicture one to lie behind
 * @returns {{ node: HTMLElement, hideLoop: () => void }}
 */
export function playbackBar(state, onChange, onPicture) {
  const speeds = SPEEDS.map((speed, i) => /** @type {const} */ ([speed, words.speeds[i] ?? ""]));
  const loop = tick(words.loop, state.loops, (loops) => onChange({ loops }));
  const node = el(
    "div",
    { class: "playback" },
    segments(words.speed, speeds, state.speed, (speed) => onChange({ speed })),
    el(
      "div",
      { class: "playback-ticks" },
      tick(words.mirror, state.mirror, (mirror) => onChange({ mirror })),
      loop,
      tick(words.shadow, state.shadow, (shadow) => onChange({ shadow })),
    ),
    backdropChoice(state, onChange, onPicture),
  );
  return { node, hideLoop: () => loop.remove() };
}
