/** The finished animation: the video in a loop, or the GIF where the video will not play. */

import { fileUrl } from "../api.js";
import { drawIcon } from "../art.js";
import { el } from "../dom.js";
import { strings } from "../strings.js";

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
  const source = fileUrl(animation.id, "mp4");
  const video = el("video", {
    src: source,
    loop: true,
    playsinline: true,
    preload: "auto",
    "aria-label": label,
    onerror: showGif,
    ...size,
  });
  video.muted = true;
  node.append(video, playButton(video));
  if (!matchMedia("(prefers-reduced-motion: reduce)").matches) video.play().catch(() => {});
  return node;
}

/** @param {HTMLVideoElement} video */
function playButton(video) {
  const button = el("button", {
    type: "button",
    class: "play-button",
    onclick: () => (video.paused ? video.play() : video.pause()),
  });
  const update = () => {
    const word = video.paused ? strings.result.play : strings.result.pause;
    button.setAttribute("aria-label", word);
    button.classList.toggle("is-paused", video.paused);
    button.replaceChildren(drawIcon(video.paused ? "play" : "pause"));
  };
  video.addEventListener("play", update);
  video.addEventListener("pause", update);
  update();
  return button;
}
