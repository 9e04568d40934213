/** A number for each call, by which whoever runs the server can follow it through all its parts. */

/** W3C Trace Context's header; random, and new each time, so that it tells nothing of who calls. */
export function newTraceparent() {
  return `00-${randomHex(16)}-${randomHex(8)}-01`;
}

/** @param {number} bytes */
function randomHex(bytes) {
  const numbers = crypto.getRandomValues(new Uint8Array(bytes));
  return Array.from(numbers, (number) => number.toString(16).padStart(2, "0")).join("");
}
