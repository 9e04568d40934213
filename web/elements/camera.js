/** A photo taken with the camera of a computer: seen live, taken, taken again, used. */

import { drawIcon } from "../art.js";
import { el } from "../dom.js";
import { strings } from "../strings.js";

const WANTED = { facingMode: "environment", width: { ideal: 1920 }, height: { ideal: 1440 } };
const QUALITY = 0.92;

const words = strings.camera;

/**
 * @returns {Promise<File | null>} null when none was taken
 */
export function takePhoto() {
  return new Promise((resolve) => new Camera(resolve).open());
}

class Camera {
  /** @param {(photo: File | null) => void} done */
  constructor(done) {
    this.done = done;
    /** @type {MediaStream | null} */
    this.stream = null;
    this.video = el("video", { playsinline: true, "aria-label": words.view });
    this.video.muted = true;
    this.still = el("canvas", { hidden: true, role: "img", "aria-label": words.view });
    this.hint = el("p", { role: "status" }, words.hint);
    this.takeButton = button(words.take, "button", () => this.take(), "camera");
    this.againButton = button(words.again, "button is-quiet", () => this.again(), "again");
    this.useButton = button(words.use, "button", () => this.use(), "check");
    const close = button(words.close, "button is-text", () => this.dialog.close());
    const buttons = [this.takeButton, this.useButton, this.againButton, close];
    this.dialog = el(
      "dialog",
      { class: "dialog camera", "aria-labelledby": "camera", onclose: () => this.close() },
      el("h2", { id: "camera" }, words.heading),
      el("div", { class: "camera-view" }, this.video, this.still),
      this.hint,
      el("div", { class: "actions" }, ...buttons),
    );
    /** @type {File | null} */
    this.photo = null;
  }

  async open() {
    document.body.append(this.dialog);
    this.dialog.showModal();
    this.showButtons();
    try {
      this.stream = await navigator.mediaDevices.getUserMedia({ video: WANTED });
      if (!this.dialog.open) return this.release();
      this.video.srcObject = this.stream;
      await this.video.play();
      this.showButtons();
      this.takeButton.focus();
    } catch {
      this.hint.textContent = words.refused;
    }
  }

  take() {
    const { video, still } = this;
    [still.width, still.height] = [video.videoWidth, video.videoHeight];
    still.getContext("2d")?.drawImage(video, 0, 0);
    still.hidden = false;
    this.showButtons();
    this.useButton.focus();
  }

  again() {
    this.still.hidden = true;
    this.showButtons();
    this.takeButton.focus();
  }

  use() {
    this.still.toBlob(
      (blob) => {
        if (blob) this.photo = new File([blob], words.photoName, { type: blob.type });
        this.dialog.close();
      },
      "image/jpeg",
      QUALITY,
    );
  }

  showButtons() {
    const isTaken = !this.still.hidden;
    this.takeButton.hidden = isTaken;
    this.takeButton.disabled = this.stream === null;
    this.againButton.hidden = !isTaken;
    this.useButton.hidden = !isTaken;
  }

  close() {
    this.release();
    this.dialog.remove();
    this.done(this.photo);
  }

  release() {
    for (const track of this.stream?.getTracks() ?? []) track.stop();
  }
}

/**
 * @param {string} text
 * @param {string} kind
 * @param {() => void} onclick
 * @param {Parameters<typeof drawIcon>[0]} [icon]
 */
function button(text, kind, onclick, icon) {
  return el("button", { type: "button", class: kind, onclick }, icon ? drawIcon(icon) : null, text);
}
