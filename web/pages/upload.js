/** The first page: hand in a drawing. */

import { ApiError, createDrawing } from "../api.js";
import { drawDoodle } from "../art.js";
import { reportConnection } from "../connection.js";
import { el } from "../dom.js";
import { dropZone } from "../elements/drop-zone.js";
import { mayPass, problem } from "../elements/problem.js";
import { progress } from "../elements/progress.js";
import { navigate } from "../router.js";
import { rememberDrawing } from "../session.js";
import { strings } from "../strings.js";

const words = strings.upload;

/** @type {import("../types.js").Mount} */
export function mountUpload(root) {
  document.title = `${strings.title} · ${strings.appName}`;
  let isMounted = true;
  const status = el("div", { class: "upload-status" });
  const send = (/** @type {File} */ file) => sendDrawing(file, status, () => isMounted);
  const { node: zone, release } = dropZone(send);
  root.append(
    el(
      "div",
      { class: "hero" },
      el(
        "div",
        { class: "hero-words" },
        el("h1", {}, words.heading),
        el("p", { class: "intro" }, words.intro),
      ),
      drawDoodle(),
      el("div", { class: "hero-drop" }, status, zone),
    ),
    samples(send),
    tips(),
  );
  return () => {
    isMounted = false;
    release();
  };
}

/**
 * @param {File} file
 * @param {HTMLElement} status
 * @param {() => boolean} isWanted
 */
async function sendDrawing(file, status, isWanted) {
  const bar = progress(words.sending);
  show(status, bar.node);
  bar.show(0, words.sending);
  try {
    const drawing = await createDrawing(file, file.name, (share) => bar.show(share, words.sending));
    rememberDrawing(drawing, file);
    if (isWanted()) navigate(`/drawings/${drawing.id}`);
  } catch (error) {
    const isOffline = error instanceof ApiError && error.code === "offline";
    if (isOffline) reportConnection(false);
    const again = () => sendDrawing(file, status, isWanted);
    const button = el("button", { type: "button", class: "button", onclick: again }, strings.retry);
    show(status, problem(error, ...(mayPass(error) ? [button] : [])));
  }
}

/**
 * @param {HTMLElement} status
 * @param {HTMLElement} node
 */
function show(status, node) {
  status.replaceChildren(node);
  status.scrollIntoView({ block: "center", behavior: "smooth" });
}

/** @param {(file: File) => void} send */
function samples(send) {
  const cards = Object.entries(words.samples).map(([name, title]) => {
    const url = `/samples/${name}.jpg`;
    const choose = async () => {
      const response = await fetch(url).catch(() => null);
      if (response === null || !response.ok) return reportConnection(false);
      send(new File([await response.blob()], `${name}.jpg`, { type: "image/jpeg" }));
    };
    return el(
      "li",
      {},
      el(
        "button",
        { type: "button", class: "sample", "aria-label": words.trySample(title), onclick: choose },
        el("img", { src: url, alt: "", width: 600, height: 750, loading: "lazy" }),
        el("span", {}, title),
      ),
    );
  });
  return el(
    "section",
    { class: "samples" },
    el("h2", {}, words.samplesHeading),
    el("ul", {}, ...cards),
  );
}

function tips() {
  const items = words.tips.map(([title, text]) =>
    el("li", {}, el("strong", {}, title), el("span", {}, text)),
  );
  return el("section", { class: "tips" }, el("h2", {}, words.tipsHeading), el("ul", {}, ...items));
}
