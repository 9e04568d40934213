/** Our own little drawings, as strokes; each takes the colour of the text around it. */

import { svg } from "./dom.js";
import { POSES } from "./poses.js";

/**
 * Poses drawn by hand, in a box of 64 x 64; the others are in poses.js, unknown motions get the last.
 * @type {Record<string, string[]>}
 */
const DRAWN = {
  wave: [
    "M32 9a8 8 0 1 0 .1 0",
    "M32 26c0 6 0 10-1 15",
    "M31 41c-2 5-4 9-5 15M31 41c3 5 4 9 5 15",
    "M32 30c-5 2-9 6-11 11",
    "M32 30c6 1 10-3 12-11",
    "M50 11c3 2 4 5 3 8M54 7c4 3 6 7 5 12",
  ],
  jump: [
    "M32 7a8 8 0 1 0 .1 0",
    "M32 24c0 5 0 9 0 13",
    "M32 37c-5 1-9 4-9 9l-6 1M32 37c5 1 9 4 9 9l6 1",
    "M32 27c-6 0-10-4-12-10M32 27c6 0 10-4 12-10",
    "M24 59c5-2 11-2 16 0",
    "M14 52l0 5M50 52l0 5",
  ],
  dance: [
    "M32 9a8 8 0 1 0 .1 0",
    "M32 26c2 5 0 10-2 14",
    "M30 40c-4 4-4 9-10 14M30 40c6 2 9 6 7 15",
    "M32 29c-7 2-12-1-15-8M32 29c6 3 11 2 16-3",
    "M52 12l0 12M52 12l7-2l0 11",
    "M49 25a3 2 0 1 0 3-2M56 22a3 2 0 1 0 3-2",
  ],
  other: [
    "M32 9a8 8 0 1 0 .1 0",
    "M32 26c0 6 0 10 0 15",
    "M32 41c-3 5-5 9-7 15M32 41c3 5 5 9 7 15",
    "M32 30c-6 1-10 4-14 8M32 30c6 1 10 4 14 8",
  ],
};

const ICONS = {
  camera: [
    "M10 22h10l4-7h16l4 7h10c1 0 2 1 2 2l-1 26c0 1-1 2-2 2H11c-1 0-2-1-2-2L8 24c0-1 1-2 2-2z",
    "M32 28a9 9 0 1 0 .1 0",
  ],
  picture: ["M11 13l42-1 1 39-43 1z", "M12 46l13-15 10 11 6-6 12 11", "M41 21a4 4 0 1 0 .1 0"],
  paste: ["M20 14h-7c-1 0-2 1-2 2v36c0 1 1 2 2 2h36c1 0 2-1 2-2V16c0-1-1-2-2-2h-7", "M22 10h18v9H22z"],
  save: ["M32 10c1 9 0 19 0 28", "M20 28l12 12 12-12", "M12 44l1 10h38l1-10"],
  share: ["M32 40V10", "M21 20l11-11 11 11", "M20 30h-7l1 24h36l1-24h-7"],
  copy: ["M22 20h28v34H22z", "M14 44V10h28"],
  again: ["M50 22c-6-10-20-13-30-5-11 9-10 26 2 33 10 6 23 2 28-8", "M51 9l0 14-14-1"],
  bin: ["M14 18h36", "M25 18l1-7h12l1 7", "M18 19l3 35h22l3-35", "M28 27l1 19M36 27l-1 19"],
  play: ["M21 12l29 20-29 21z"],
  pause: ["M22 13l0 38M42 13l0 38"],
  check: ["M13 34l13 13 26-31"],
};

/** @param {string} motion */
export function drawMotion(motion) {
  const made = POSES[motion];
  return drawStrokes(DRAWN[motion] ?? (made ? [made] : (DRAWN.other ?? [])));
}

/** @param {keyof typeof ICONS} name */
export const drawIcon = (name) => drawStrokes(ICONS[name]);

/** The sheet of paper with a figure that steps out of it; it moves by `.doodle` in upload.css. */
export function drawDoodle() {
  const paper = svg("path", {
    class: "doodle-paper",
    d: "M22 26c60-6 120-4 176-2 3 60 2 140-1 206-60 3-120 2-176-1-3-66-2-136 1-203z",
  });
  const shadow = svg("ellipse", { class: "doodle-shadow", cx: 112, cy: 214, rx: 44, ry: 6 });
  const sun = group("doodle-sun", [
    "M176 50a13 13 0 1 0 .1 0",
    "M176 40v-8M197 62h8M155 62h-8M191 47l6-6M161 47l-6-6M191 78l6 6M161 78l-6 6",
  ]);
  const figure = svg("g", { class: "doodle-figure" });
  figure.append(
    group("doodle-leg is-left", ["M106 158c-6 16-10 32-14 50l-12 2"]),
    group("doodle-leg is-right", ["M118 158c6 16 10 32 12 50l12 2"]),
    group("doodle-arm is-left", ["M98 112c-14 4-26 0-36-14", "M62 98l-10-4M62 98l-4-11"]),
    group("doodle-arm is-right", ["M126 112c14 4 26 0 36-14", "M162 98l10-4M162 98l4-11"]),
    svg("path", {
      class: "doodle-dress",
      d: "M100 104c8-3 16-3 24 0 4 18 9 36 16 54-18 5-38 5-56 0 7-18 12-36 16-54z",
    }),
    group("doodle-head", [
      "M112 52a25 25 0 1 0 .1 0",
      "M103 73a2 2 0 1 0 .1 0M121 73a2 2 0 1 0 .1 0",
      "M101 86c7 8 16 8 22 0",
    ]),
  );
  return svg(
    "svg",
    { viewBox: "0 0 220 256", class: "doodle", "aria-hidden": "true" },
    paper,
    sun,
    shadow,
    figure,
  );
}

/** @param {string} name @param {string[]} strokes */
function group(name, strokes) {
  return svg("g", { class: name }, ...strokes.map((d) => svg("path", { d })));
}

/** @param {readonly string[]} strokes paths in a box of 64 x 64 */
export function drawStrokes(strokes) {
  const paths = strokes.map((d) => svg("path", { d }));
  return svg("svg", { viewBox: "0 0 64 64", class: "icon", "aria-hidden": "true" }, ...paths);
}
