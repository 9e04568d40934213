/** Draws frames of a vertex track with WebGL2: textured triangles, back to front, no depth. */

import { link } from "./gl.js";

/** @import { TrackClip, TrackFigure } from "./track.js" */

const VERTEX = `#version 300 es
in vec2 from;
in vec2 to;
in vec2 texel;
uniform float share;
uniform vec2 origin;
uniform float pace;
uniform vec2 frame;
out vec2 place;
void main() {
  vec2 moved = origin + pace * mix(from, to, share);
  gl_Position = vec4(2.0 * moved.x / frame.x - 1.0, 1.0 - 2.0 * moved.y / frame.y, 0.0, 1.0);
  place = texel;
}`;

// A pixel averages what it covers of the texture, as widely as the server does, which shrinks the
// texture to the frame by areas and then looks into it smoothly: with s of the texture's pixels for
// one of the screen's, that is a variance of a quarter of a pixel, of which looking takes 1 / 6s² by
// itself. Four looks that lie `reach` from the middle each way have a variance of reach².
// Beyond its edge a texture is clear; half a pixel on either side of the edge leads over to that.
const FRAGMENT = `#version 300 es
precision highp float;
in vec2 place;
uniform sampler2D paint;
out vec4 colour;
vec4 look(vec2 at, vec2 size, float level) {
  vec2 rim = clamp(0.5 + min(at, 1.0 - at) * size, 0.0, 1.0);
  return textureLod(paint, at, level) * rim.x * rim.y;
}
void main() {
  vec2 size = vec2(textureSize(paint, 0));
  vec2 across = dFdx(place);
  vec2 down = dFdy(place);
  float s = max(length(across * size), length(down * size));
  float level = max(0.0, log2(s) - 1.0);
  float variance = (0.25 - 1.0 / (6.0 * max(s * s, 1.0))) * clamp(4.0 * (s - 1.0), 0.0, 1.0);
  vec2 one = sqrt(variance) * (across + down);
  vec2 other = sqrt(variance) * (across - down);
  colour = 0.25 * (look(place + one, size, level) + look(place - one, size, level)
    + look(place + other, size, level) + look(place - other, size, level));
}`;

const [FROM, TO, TEXEL] = [0, 1, 2];
const ATTRIBUTES = { from: FROM, to: TO, texel: TEXEL };

/**
 * @typedef {object} Actor a figure whose data lie in the memory of the graphics card
 * @property {TrackFigure} figure
 * @property {WebGLVertexArrayObject} array
 * @property {WebGLBuffer} places
 * @property {WebGLTexture} texture
 */

/** Whether tracks can be unpacked and drawn here at all. */
export function canPlayTracks() {
  return typeof DecompressionStream === "function" && typeof WebGL2RenderingContext === "function";
}

/**
 * The textures of a clip, decoded and premultiplied.
 * @param {TrackClip} clip
 * @returns {Promise<ImageBitmap[]>}
 */
export function decodeTextures(clip) {
  return Promise.all(
    clip.figures.map(({ texture }) =>
      createImageBitmap(new Blob([texture], { type: "image/webp" }), {
        premultiplyAlpha: "premultiply",
        colorSpaceConversion: "none",
      }),
    ),
  );
}

export class TrackPainter {
  /**
   * Throws when the browser has no WebGL2 for us.
   * @param {HTMLCanvasElement} canvas
   * @param {TrackClip} clip
   * @param {ImageBitmap[]} textures of its figures
   */
  constructor(canvas, clip, textures) {
    // Without antialiasing a triangle covers a pixel wholly or not, so neighbours leave no seam.
    const gl = canvas.getContext("webgl2", { antialias: false, depth: false });
    if (!gl) throw new Error("there is no WebGL2 here");
    this.gl = gl;
    this.clip = clip;
    this.program = link(gl, VERTEX, FRAGMENT, ATTRIBUTES);
    const uniform = (/** @type {string} */ name) => gl.getUniformLocation(this.program, name);
    this.uniforms = {
      share: uniform("share"),
      origin: uniform("origin"),
      pace: uniform("pace"),
      frame: uniform("frame"),
    };
    this.actors = clip.figures.map((figure, i) =>
      load(gl, figure, /** @type {ImageBitmap} */ (textures[i])),
    );
  }

  /**
   * Draw an instant. Between two frames vertices lie between their places in both.
   * @param {number} time in frames, 0 up to but without the number of frames
   * @param {number} next the frame that follows the one that `time` is in
   * @param {[number, number, number] | null} background red, green, blue, 0 to 255; null is clear
   */
  draw(time, next, background) {
    const { gl, clip, uniforms } = this;
    const frame = Math.floor(time);
    gl.viewport(0, 0, gl.drawingBufferWidth, gl.drawingBufferHeight);
    const [red, green, blue] = (background ?? [0, 0, 0]).map((level) => level / 255);
    gl.clearColor(red ?? 0, green ?? 0, blue ?? 0, background ? 1 : 0);
    gl.clear(gl.COLOR_BUFFER_BIT);
    gl.useProgram(this.program);
    gl.enable(gl.BLEND);
    gl.blendFunc(gl.ONE, gl.ONE_MINUS_SRC_ALPHA);
    gl.uniform1f(uniforms.share, time - frame);
    gl.uniform2f(uniforms.frame, clip.width, clip.height);
    for (const actor of this.actors) this.drawActor(actor, frame, next);
  }

  /**
   * @param {Actor} actor
   * @param {number} frame
   * @param {number} next
   */
  drawActor({ figure, array, places, texture }, frame, next) {
    const { gl, uniforms } = this;
    const { vertices, groups, order } = figure;
    gl.uniform2f(uniforms.origin, ...figure.origin);
    gl.uniform1f(uniforms.pace, figure.step);
    gl.bindTexture(gl.TEXTURE_2D, texture);
    gl.bindVertexArray(array);
    // All frames lie in one buffer already: a frame is another place to read from.
    gl.bindBuffer(gl.ARRAY_BUFFER, places);
    gl.vertexAttribPointer(FROM, 2, gl.UNSIGNED_SHORT, false, 0, 4 * vertices * frame);
    gl.vertexAttribPointer(TO, 2, gl.UNSIGNED_SHORT, false, 0, 4 * vertices * next);
    const count = groups.length - 1;
    for (const group of order.subarray(frame * count, (frame + 1) * count)) {
      const [first, last] = [groups[group] ?? 0, groups[group + 1] ?? 0];
      gl.drawElements(gl.TRIANGLES, 3 * (last - first), gl.UNSIGNED_INT, 12 * first);
    }
  }

  /** Give the graphics card back. */
  release() {
    this.gl.getExtension("WEBGL_lose_context")?.loseContext();
  }
}

/**
 * @param {WebGL2RenderingContext} gl
 * @param {TrackFigure} figure
 * @param {ImageBitmap} picture
 * @returns {Actor}
 */
function load(gl, figure, picture) {
  const array = gl.createVertexArray();
  gl.bindVertexArray(array);
  fill(gl, gl.ARRAY_BUFFER, figure.texels);
  gl.vertexAttribPointer(TEXEL, 2, gl.FLOAT, false, 0, 0);
  const places = fill(gl, gl.ARRAY_BUFFER, figure.places);
  for (const index of [FROM, TO, TEXEL]) gl.enableVertexAttribArray(index);
  // Of sixteen bits the last number would begin a new strip, and be no vertex.
  fill(gl, gl.ELEMENT_ARRAY_BUFFER, Uint32Array.from(figure.triangles));
  return { figure, array, places, texture: loadTexture(gl, picture) };
}

/**
 * @param {WebGL2RenderingContext} gl
 * @param {number} target
 * @param {ArrayBufferView} data
 */
function fill(gl, target, data) {
  const buffer = gl.createBuffer();
  gl.bindBuffer(target, buffer);
  gl.bufferData(target, data, gl.STATIC_DRAW);
  return buffer;
}

/**
 * @param {WebGL2RenderingContext} gl
 * @param {ImageBitmap} picture
 */
function loadTexture(gl, picture) {
  const texture = gl.createTexture();
  gl.bindTexture(gl.TEXTURE_2D, texture);
  gl.texImage2D(gl.TEXTURE_2D, 0, gl.RGBA, gl.RGBA, gl.UNSIGNED_BYTE, picture);
  gl.generateMipmap(gl.TEXTURE_2D);
  gl.texParameteri(gl.TEXTURE_2D, gl.TEXTURE_MIN_FILTER, gl.LINEAR_MIPMAP_NEAREST);
  gl.texParameteri(gl.TEXTURE_2D, gl.TEXTURE_WRAP_S, gl.CLAMP_TO_EDGE);
  gl.texParameteri(gl.TEXTURE_2D, gl.TEXTURE_WRAP_T, gl.CLAMP_TO_EDGE);
  return texture;
}
