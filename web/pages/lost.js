/** For addresses that lead nowhere. */

import { el } from "../dom.js";
import { strings } from "../strings.js";

/** @type {import("../types.js").Mount} */
export function mountLost(root) {
  document.title = `${strings.lost.heading} · ${strings.appName}`;
  root.append(
    el(
      "div",
      { class: "lost" },
      el("h1", {}, strings.lost.heading),
      el("p", {}, strings.lost.text),
      el(
        "p",
        {},
        el("a", { href: "/", "data-page": true, class: "button" }, strings.result.another),
      ),
    ),
  );
  return () => {};
}
