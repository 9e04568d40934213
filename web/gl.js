/** What our painters need of WebGL2. */

/**
 * A program of two shaders. Throws when they do not fit together.
 * @param {WebGL2RenderingContext} gl
 * @param {string} vertex source of the shader
 * @param {string} fragment source of the shader
 * @param {Record<string, number>} attributes their places, by name
 */
export function link(gl, vertex, fragment, attributes) {
  const program = gl.createProgram();
  for (const [kind, source] of /** @type {const} */ ([
    [gl.VERTEX_SHADER, vertex],
    [gl.FRAGMENT_SHADER, fragment],
  ])) {
    const shader = /** @type {WebGLShader} */ (gl.createShader(kind));
    gl.shaderSource(shader, source);
    gl.compileShader(shader);
    gl.attachShader(program, shader);
  }
  for (const [name, index] of Object.entries(attributes)) {
    gl.bindAttribLocation(program, index, name);
  }
  gl.linkProgram(program);
  if (!gl.getProgramParameter(program, gl.LINK_STATUS) && !gl.isContextLost()) {
    throw new Error(`the shaders do not link: ${gl.getProgramInfoLog(program)}`);
  }
  return program;
}

/**
 * A figure's texture, decoded and premultiplied.
 * @param {{ texture: Uint8Array<ArrayBuffer> }} figure a WebP picture, straight alpha
 */
export function decodeTexture({ texture }) {
  return createImageBitmap(new Blob([texture], { type: "image/webp" }), {
    premultiplyAlpha: "premultiply",
    colorSpaceConversion: "none",
  });
}
