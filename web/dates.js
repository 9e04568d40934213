/** Days as people say them, in the language of the page. */

/**
 * @param {number} time seconds since 1970
 * @returns {string} such as "December 30, 2026"
 */
export function dayOf(time) {
  const { lang } = document.documentElement;
  return new Date(1000 * time).toLocaleDateString(lang, { dateStyle: "long" });
}
