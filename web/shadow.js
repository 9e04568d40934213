/**
 * Soft shadows on the ground, as the server casts them (animator/render/shadow.py): an ellipse under
 * each figure, fainter while it is in the air; pure but for the canvas that is painted on.
 */

/** @import { TrackClip, TrackFigure } from "./track.js" */

/** How far above the ground parts count little for where the shadow lies; figure heights. */
const NEAR = 0.18;

/** Share of the light that the middle of a shadow takes away. */
const DARKEST = 0.42;

/** Height of the ellipse over its width. */
const FLATNESS = 0.2;

/** How far the middle lies above the lowest point of the clip, in heights of the ellipse. */
const RAISED = 0.3;

/** Height of a jump at which a shadow has lost about two thirds of its darkness; figure heights. */
const FADE = 0.4;

/** Half the ellipse's width in standard deviations of what is near the ground, and at least. */
const [SPREAD, NARROWEST] = [2.2, 0.12];

/** Rings by which a shadow falls off to nothing. */
const RINGS = 8;

/**
 * @typedef {object} Shadow of one figure in every frame
 * @property {Float32Array} x of the middle, pixels of the frame
 * @property {number} y of the lowest point of the clip, pixels of the frame
 * @property {Float32Array} widths half of each ellipse's, pixels
 * @property {Float32Array} darkness of the middle, 0 to 1
 */

/**
 * @param {TrackClip} clip
 * @param {readonly number[]} aspects width over height of each figure's texture
 * @returns {Shadow[]}
 */
export const castShadows = ({ figures, frames }, aspects) =>
  figures.map((figure, i) => cast(figure, frames, heightOf(figure, aspects[i] ?? 1)));

/**
 * How high a figure is at rest, pixels of the frame: bones turn but keep their length, so edges of
 * triangles tell how large the texture is drawn.
 * @param {TrackFigure} figure
 * @param {number} aspect
 */
export function heightOf({ places, texels, triangles, step }, aspect) {
  let [drawn, painted] = [0, 0];
  for (let i = 0; i < triangles.length; i += 3) {
    const [a, b] = [2 * (triangles[i] ?? 0), 2 * (triangles[i + 1] ?? 0)];
    drawn += step * Math.hypot(at(places, a) - at(places, b), at(places, a + 1) - at(places, b + 1));
    const across = aspect * (at(texels, a) - at(texels, b));
    painted += Math.hypot(across, at(texels, a + 1) - at(texels, b + 1));
  }
  const rows = texels.filter((_, i) => i % 2 === 1);
  const height = rows.reduce((most, v) => Math.max(most, v), -Infinity);
  const depth = rows.reduce((least, v) => Math.min(least, v), Infinity);
  return painted > 0 ? (drawn / painted) * (height - depth) : 0;
}

/**
 * @param {TrackFigure} figure
 * @param {number} frames
 * @param {number} height of the figure, pixels of the frame
 * @returns {Shadow}
 */
export function cast({ places, vertices, origin, step }, frames, height) {
  const ground = places.reduce((most, v, i) => (i % 2 === 1 ? Math.max(most, v) : most), 0);
  const shadow = {
    x: new Float32Array(frames),
    y: origin[1] + step * ground,
    widths: new Float32Array(frames),
    darkness: new Float32Array(frames),
  };
  const unit = step / Math.max(height, 1);
  for (let frame = 0; frame < frames; frame += 1) {
    const shown = places.subarray(2 * vertices * frame, 2 * vertices * (frame + 1));
    const { middle, spread, above } = stand(shown, ground, unit);
    shadow.x[frame] = origin[0] + step * middle;
    shadow.widths[frame] = Math.max(SPREAD * spread * step, NARROWEST * height);
    shadow.darkness[frame] = DARKEST * Math.exp(-above / FADE);
  }
  return shadow;
}

/**
 * Where a figure stands in one frame.
 * @param {Uint16Array} places x and y of each vertex
 * @param {number} ground y of the ground, in the same counts, down
 * @param {number} unit figure heights that one count is
 * @returns {{ middle: number, spread: number, above: number }} `above` in figure heights
 */
function stand(places, ground, unit) {
  let lowest = 0;
  for (let i = 1; i < places.length; i += 2) lowest = Math.max(lowest, at(places, i));
  let [sum, first, second] = [0, 0, 0];
  for (let i = 0; i < places.length; i += 2) {
    const weight = Math.exp((-unit * (lowest - at(places, i + 1))) / NEAR);
    const x = at(places, i);
    sum += weight;
    first += weight * x;
    second += weight * x * x;
  }
  const middle = first / sum;
  const spread = Math.sqrt(Math.max(second / sum - middle * middle, 0));
  return { middle, spread, above: unit * (ground - lowest) };
}

/**
 * @param {CanvasRenderingContext2D} context of a canvas that is cleared first
 * @param {readonly Shadow[]} shadows
 * @param {{ time: number, next: number, scale: number }} instant in frames, as the painter is told;
 *   pixels of the canvas for one of the frame's
 */
export function paintShadows(context, shadows, { time, next, scale }) {
  const frame = Math.floor(time);
  const mix = (/** @type {Float32Array} */ values) =>
    at(values, frame) + (time - frame) * (at(values, next) - at(values, frame));
  context.setTransform(1, 0, 0, 1, 0, 0);
  context.clearRect(0, 0, context.canvas.width, context.canvas.height);
  for (const { x, y, widths, darkness } of shadows) {
    const width = mix(widths);
    const middle = y - RAISED * FLATNESS * width;
    context.setTransform(
      scale * width,
      0,
      0,
      scale * width * FLATNESS,
      scale * mix(x),
      scale * middle,
    );
    context.fillStyle = falloff(context, mix(darkness));
    context.fillRect(-1, -1, 2, 2);
  }
}

/**
 * @param {CanvasRenderingContext2D} context
 * @param {number} darkness
 */
function falloff(context, darkness) {
  const gradient = context.createRadialGradient(0, 0, 0, 0, 0, 1);
  for (let ring = 0; ring <= RINGS; ring += 1) {
    const reach = ring / RINGS;
    const alpha = darkness * (1 - reach * reach) ** 1.5;
    gradient.addColorStop(reach, `rgb(0 0 0 / ${alpha})`);
  }
  return gradient;
}

/**
 * @param {Uint16Array | Float32Array} values
 * @param {number} i inside
 */
const at = (values, i) => values[i] ?? 0;
