/** The page starts here. */

import { drawMotion } from "./art.js";
import { reportConnection } from "./connection.js";
import { el } from "./dom.js";
import { mountLost } from "./pages/lost.js";
import { mountUpload } from "./pages/upload.js";
import { addRoute, startRouter } from "./router.js";
import { strings } from "./strings.js";

document
  .getElementById("header")
  ?.append(
    el("a", { href: "/", "data-page": true, class: "logo" }, drawMotion("dance"), strings.appName),
  );
document
  .getElementById("footer")
  ?.append(el("p", {}, strings.footer.privacy), el("a", { href: "/schema" }, strings.footer.api));

addRoute(/^\/$/, mountUpload);
/**
 * The page of a drawing comes when it is needed, so that the first page is light.
 * @type {import("./types.js").Mount}
 */
function mountResult(root, params) {
  let unmount = () => {};
  let isLeft = false;
  import("./pages/result.js").then(
    (page) => {
      if (!isLeft) unmount = page.mountResult(root, params);
    },
    () => reportConnection(false),
  );
  return () => {
    isLeft = true;
    unmount();
  };
}

addRoute(/^\/drawings\/(?<id>[\w-]+)\/?$/, mountResult);
startRouter(mountLost);
