/** Draws many small clips of one figure with one WebGL2 canvas: its mesh moves with its bones. */

import { link } from "./gl.js";
import { poseBones } from "./previews.js";

/** @import { PreviewClip, PreviewFigure } from "./previews.js" */

/** Bones that the graphics card is told of at once. */
const MOST_BONES = 64;

const VERTEX = `#version 300 es
in vec2 place;
in vec2 texel;
in vec4 bones;
in vec4 shares;
uniform vec3 across[${MOST_BONES}];
uniform vec3 up[${MOST_BONES}];
uniform vec3 view;
out vec2 spot;
void main() {
  vec3 rest = vec3(place, 1.0);
  vec2 moved = vec2(0.0);
  for (int i = 0; i < 4; i += 1) {
    int bone = int(bones[i]);
    moved += shares[i] * vec2(dot(across[bone], rest), dot(up[bone], rest));
  }
  gl_Position = vec4(2.0 * (moved - view.xy) / view.z, 0.0, 1.0);
  spot = texel;
}`;

const FRAGMENT = `#version 300 es
precision mediump float;
in vec2 spot;
uniform sampler2D paint;
out vec4 colour;
void main() {
  vec2 size = vec2(textureSize(paint, 0));
  vec2 rim = clamp(0.5 + min(spot, 1.0 - spot) * size, 0.0, 1.0);
  colour = texture(paint, spot) * rim.x * rim.y;
}`;

const ATTRIBUTES = { place: 0, texel: 1, bones: 2, shares: 3 };

export class PreviewPainter {
  /**
   * Throws when the browser has no WebGL2 for us.
   * @param {PreviewFigure} figure
   * @param {ImageBitmap} texture premultiplied; it stays its owner's
   */
  constructor(figure, texture) {
    if (figure.parents.length > MOST_BONES) throw new Error("it has too many bones");
    this.figure = figure;
    this.texture = texture;
    this.canvas = document.createElement("canvas");
    const gl = this.canvas.getContext("webgl2", { antialias: false, depth: false });
    if (!gl) throw new Error("there is no WebGL2 here");
    this.gl = gl;
    this.moves = new Float32Array(6 * MOST_BONES);
    this.across = new Float32Array(3 * MOST_BONES);
    this.up = new Float32Array(3 * MOST_BONES);
    this.canvas.addEventListener("webglcontextlost", (event) => event.preventDefault());
    this.canvas.addEventListener("webglcontextrestored", () => this.load());
    this.load();
  }

  load() {
    const { gl, figure } = this;
    const program = link(gl, VERTEX, FRAGMENT, ATTRIBUTES);
    const uniform = (/** @type {string} */ name) => gl.getUniformLocation(program, name);
    this.uniforms = { across: uniform("across"), up: uniform("up"), view: uniform("view") };
    gl.useProgram(program);
    this.fill(ATTRIBUTES.place, figure.rest, 2, gl.FLOAT);
    this.fill(ATTRIBUTES.texel, figure.texels, 2, gl.FLOAT);
    this.fill(ATTRIBUTES.bones, figure.bones, 4, gl.UNSIGNED_BYTE);
    this.fill(ATTRIBUTES.shares, figure.shares, 4, gl.UNSIGNED_BYTE, true);
    gl.bindBuffer(gl.ELEMENT_ARRAY_BUFFER, gl.createBuffer());
    gl.bufferData(gl.ELEMENT_ARRAY_BUFFER, Uint32Array.from(figure.triangles), gl.STATIC_DRAW);
    gl.bindTexture(gl.TEXTURE_2D, gl.createTexture());
    gl.texImage2D(gl.TEXTURE_2D, 0, gl.RGBA, gl.RGBA, gl.UNSIGNED_BYTE, this.texture);
    gl.generateMipmap(gl.TEXTURE_2D);
    gl.texParameteri(gl.TEXTURE_2D, gl.TEXTURE_MIN_FILTER, gl.LINEAR_MIPMAP_LINEAR);
    gl.texParameteri(gl.TEXTURE_2D, gl.TEXTURE_WRAP_S, gl.CLAMP_TO_EDGE);
    gl.texParameteri(gl.TEXTURE_2D, gl.TEXTURE_WRAP_T, gl.CLAMP_TO_EDGE);
    gl.enable(gl.BLEND);
    gl.blendFunc(gl.ONE, gl.ONE_MINUS_SRC_ALPHA);
  }

  /**
   * @param {number} index of the attribute
   * @param {ArrayBufferView} data
   * @param {number} size numbers a vertex
   * @param {number} kind
   * @param {boolean} [isShare] whether 255 is one
   */
  fill(index, data, size, kind, isShare = false) {
    const { gl } = this;
    gl.bindBuffer(gl.ARRAY_BUFFER, gl.createBuffer());
    gl.bufferData(gl.ARRAY_BUFFER, data, gl.STATIC_DRAW);
    gl.vertexAttribPointer(index, size, kind, isShare, 0, 0);
    gl.enableVertexAttribArray(index);
  }

  /**
   * Begin to draw: squares side by side, each clear.
   * @param {number} count of squares
   * @param {number} side of each, pixels
   */
  begin(count, side) {
    const { gl, canvas } = this;
    const columns = Math.max(1, Math.ceil(Math.sqrt(count)));
    const [width, height] = [columns * side, Math.max(1, Math.ceil(count / columns)) * side];
    if (canvas.width < width || canvas.height < height) {
      [canvas.width, canvas.height] = [width, height];
    }
    this.columns = columns;
    this.side = side;
    gl.clearColor(0, 0, 0, 0);
    gl.clear(gl.COLOR_BUFFER_BIT);
  }

  /**
   * Draw an instant of a clip into a square; gives the square's place on the canvas.
   * @param {number} square which
   * @param {PreviewClip} clip
   * @param {number} time in frames
   */
  draw(square, clip, time) {
    const { gl, canvas, side = 1, columns = 1 } = this;
    const [x, y] = [(square % columns) * side, Math.floor(square / columns) * side];
    gl.viewport(x, canvas.height - y - side, side, side);
    this.pose(clip, time);
    const { view } = clip;
    gl.uniform3f(this.uniforms?.view ?? null, view.x, view.y, view.side);
    for (const [first, last] of this.runs(clip, time)) {
      gl.drawElements(gl.TRIANGLES, 3 * (last - first), gl.UNSIGNED_INT, 12 * first);
    }
    return { x, y };
  }

  /**
   * @param {PreviewClip} clip
   * @param {number} time
   */
  pose(clip, time) {
    const { gl, figure, moves, across, up } = this;
    poseBones(figure, clip, time, moves);
    for (let bone = 0; bone < figure.parents.length; bone += 1) {
      across.set(moves.subarray(6 * bone, 6 * bone + 3), 3 * bone);
      up.set(moves.subarray(6 * bone + 3, 6 * bone + 6), 3 * bone);
    }
    gl.uniform3fv(this.uniforms?.across ?? null, across);
    gl.uniform3fv(this.uniforms?.up ?? null, up);
  }

  /**
   * Stretches of triangles from back to front: the bones of one group after those of another.
   * @param {PreviewClip} clip
   * @param {number} time
   */
  runs({ groups, order, frames }, time) {
    const { starts } = this.figure;
    const count = order.length / frames;
    const frame = Math.min(Math.floor(time), frames - 1);
    /** @type {[number, number][]} */
    const runs = [];
    for (const group of order.subarray(frame * count, (frame + 1) * count)) {
      for (let bone = 0; bone < groups.length; bone += 1) {
        const [first = 0, last = 0] = [starts[bone], starts[bone + 1]];
        if (groups[bone] !== group || first === last) continue;
        const before = runs.at(-1);
        if (before && before[1] === first) before[1] = last;
        else runs.push([first, last]);
      }
    }
    return runs;
  }

  /** Give the graphics card back. */
  release() {
    this.gl.getExtension("WEBGL_lose_context")?.loseContext();
  }
}
