/** The finished animation: the video in a loop, or the GIF where the video will not play. */

import { fileUrl } from "../api.js";
import { el } from "../dom.js";
import { playButton } from "./play-button.js";

/** @import { AnimationDocument } from "../types.js" */

/**
 * @param {AnimationDocument} animation
 * @param {string} label what can be seen
 * @returns {HTMLElement}
 */
export function player(animation, label) {
  const node = el("div", { class: "player" });
  const file = animation.files[0];
  const size = file ? { width: file.width, height: file.height } : {};
  const showGif = () =>
    node.replaceChildren(el("img", { src: fileUrl(animation.id, "gif"), alt: label, ...size }));
  if (!animation.files.some((item) => item.format === "mp4")) {
    showGif();
    return node;
  }
  const video = el("video", {
    src: fileUrl(animation.id, "mp4"),
    loop: true,
    playsinline: true,
    preload: "auto",
    "aria-label": label,
    onerror: showGif,
    ...size,
  });
  video.muted = true;
  const button = playButton(() => (video.paused ? video.play() : video.pause()));
  const update = () => button.show(!video.paused);
  video.addEventListener("play", update);
  video.addEventListener("pause", update);
  update();
  node.append(video, button.node);
  if (!matchMedia("(prefers-reduced-motion: reduce)").matches) video.play().catch(() => {});
  return node;
}
