/** Draws frames of a vertex track with WebGL2: textured triangles, back to front, no depth. */

import { decodeTexture, link } from "./gl.js";

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

// Beyond its edge a paint is clear; half a pixel on either side of the edge leads over to that.
const FRAGMENT = `#version 300 es
precision highp float;
in vec2 place;
uniform sampler2D paint;
out vec4 colour;
void main() {
  vec2 rim = clamp(0.5 + min(place, 1.0 - place) * vec2(textureSize(paint, 0)), 0.0, 1.0);
  colour = texture(paint, place) * rim.x * rim.y;
}`;

const CORNERS = `#version 300 es
in vec2 corner;
void main() {
  gl_Position = vec4(corner, 0.0, 1.0);
}`;

/** Pixels of a texture that a pixel of its paint can cover each way, at most, and one. */
const WIDEST = 64;

// Each pixel is the mean of what it covers of the texture, as the server shrinks it.
const SHRINK = `#version 300 es
precision highp float;
uniform sampler2D paint;
uniform vec2 size;
out vec4 colour;
void main() {
  vec2 wide = vec2(textureSize(paint, 0)) / size;
  vec2 low = floor(gl_FragCoord.xy) * wide;
  vec2 high = low + wide;
  vec4 sum = vec4(0.0);
  for (int j = 0; j < ${WIDEST}; j += 1) {
    float y = floor(low.y) + float(j);
    float tall = min(high.y, y + 1.0) - max(low.y, y);
    if (tall <= 0.0) break;
    for (int i = 0; i < ${WIDEST}; i += 1) {
      float x = floor(low.x) + float(i);
      float share = min(high.x, x + 1.0) - max(low.x, x);
      if (share <= 0.0) break;
      sum += share * tall * texelFetch(paint, min(ivec2(x, y), textureSize(paint, 0) - 1), 0);
    }
  }
  colour = sum / (wide.x * wide.y);
}`;

const [FROM, TO, TEXEL] = [0, 1, 2];
const ATTRIBUTES = { from: FROM, to: TO, texel: TEXEL };

/**
 * @typedef {object} Actor a figure whose data lie in the memory of the graphics card
 * @property {TrackFigure} figure
 * @property {WebGLVertexArrayObject} array
 * @property {WebGLBuffer} places
 * @property {WebGLTexture} texture as it came
 * @property {WebGLTexture} paint it, as fine as the canvas shows it
 */

/**
 * The textures of a clip, decoded and premultiplied.
 * @param {TrackClip} clip
 * @returns {Promise<ImageBitmap[]>}
 */
export function decodeTextures(clip) {
  return Promise.all(clip.figures.map(decodeTexture));
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
    this.textures = textures;
    this.actors = clip.figures.map((figure, i) =>
      load(gl, figure, /** @type {ImageBitmap} */ (textures[i])),
    );
    this.shrink = shrinker(gl);
    this.paintedFor = 0;
  }

  /** Make paints as fine as the canvas shows them, when its size is another one than before. */
  mixPaints() {
    const { gl, clip } = this;
    if (this.paintedFor === gl.drawingBufferWidth) return;
    this.paintedFor = gl.drawingBufferWidth;
    this.actors.forEach((actor, i) => {
      const { width = 1, height = 1 } = this.textures[i] ?? {};
      const scale = (actor.figure.columns * gl.drawingBufferWidth) / clip.width / width;
      const size = (/** @type {number} */ side) => Math.max(1, Math.round(side * scale));
      if (actor.paint !== actor.texture) gl.deleteTexture(actor.paint);
      actor.paint = actor.texture;
      if (scale > 0 && scale < 1) actor.paint = this.shrink(actor.texture, size(width), size(height));
    });
  }

  /**
   * Draw an instant. Between two frames vertices lie between their places in both.
   * @param {number} time in frames, 0 up to but without the number of frames
   * @param {number} next the frame that follows the one that `time` is in
   */
  draw(time, next) {
    const { gl, clip, uniforms } = this;
    const frame = Math.floor(time);
    this.mixPaints();
    gl.viewport(0, 0, gl.drawingBufferWidth, gl.drawingBufferHeight);
    gl.clearColor(0, 0, 0, 0);
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
  drawActor({ figure, array, places, paint }, frame, next) {
    const { gl, uniforms } = this;
    const { vertices, groups, order } = figure;
    gl.uniform2f(uniforms.origin, ...figure.origin);
    gl.uniform1f(uniforms.pace, figure.step);
    gl.bindTexture(gl.TEXTURE_2D, paint);
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
  const texture = loadTexture(gl, picture);
  return { figure, array, places, texture, paint: texture };
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
  smooth(gl);
  return texture;
}

/** @param {WebGL2RenderingContext} gl */
function smooth(gl) {
  gl.texParameteri(gl.TEXTURE_2D, gl.TEXTURE_MIN_FILTER, gl.LINEAR);
  gl.texParameteri(gl.TEXTURE_2D, gl.TEXTURE_WRAP_S, gl.CLAMP_TO_EDGE);
  gl.texParameteri(gl.TEXTURE_2D, gl.TEXTURE_WRAP_T, gl.CLAMP_TO_EDGE);
}

/**
 * Shrinks textures, by areas.
 * @param {WebGL2RenderingContext} gl
 */
function shrinker(gl) {
  const program = link(gl, CORNERS, SHRINK, { corner: 0 });
  const size = gl.getUniformLocation(program, "size");
  const buffer = gl.createFramebuffer();
  const array = gl.createVertexArray();
  gl.bindVertexArray(array);
  fill(gl, gl.ARRAY_BUFFER, new Float32Array([-1, -1, 3, -1, -1, 3]));
  gl.vertexAttribPointer(0, 2, gl.FLOAT, false, 0, 0);
  gl.enableVertexAttribArray(0);
  return (
    /** @type {WebGLTexture} */ texture,
    /** @type {number} */ width,
    /** @type {number} */ height,
  ) => {
    const small = gl.createTexture();
    gl.bindTexture(gl.TEXTURE_2D, small);
    gl.texImage2D(gl.TEXTURE_2D, 0, gl.RGBA, width, height, 0, gl.RGBA, gl.UNSIGNED_BYTE, null);
    smooth(gl);
    gl.bindFramebuffer(gl.FRAMEBUFFER, buffer);
    gl.framebufferTexture2D(gl.FRAMEBUFFER, gl.COLOR_ATTACHMENT0, gl.TEXTURE_2D, small, 0);
    gl.viewport(0, 0, width, height);
    gl.useProgram(program);
    gl.uniform2f(size, width, height);
    gl.disable(gl.BLEND);
    gl.bindTexture(gl.TEXTURE_2D, texture);
    gl.bindVertexArray(array);
    gl.drawArrays(gl.TRIANGLES, 0, 3);
    gl.bindFramebuffer(gl.FRAMEBUFFER, null);
    return small;
  };
}
