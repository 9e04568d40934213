/** Drawings to borrow, and what makes a drawing move well. */

import { el } from "../dom.js";
import { strings } from "../strings.js";

const words = strings.upload;

/**
 * @param {(files: File[]) => void} onChoose
 * @param {() => void} onLost the sample could not be fetched
 * @returns {HTMLElement}
 */
export function samples(onChoose, onLost) {
  const cards = Object.entries(words.samples).map(([name, title]) => {
    const url = `/samples/${name}.jpg`;
    const choose = async () => {
      const response = await fetch(url).catch(() => null);
      if (!response?.ok) return onLost();
      onChoose([new File([await response.blob()], `${name}.jpg`, { type: "image/jpeg" })]);
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

export function tips() {
  const items = words.tips.map(([title, text]) =>
    el("li", {}, el("strong", {}, title), el("span", {}, text)),
  );
  return el("section", { class: "tips" }, el("h2", {}, words.tipsHeading), el("ul", {}, ...items));
}
