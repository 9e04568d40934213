/** The page starts here. */

import { drawMotion } from "./art.js";
import { el } from "./dom.js";
import { atFirstUse, later } from "./later.js";
import { mountLost } from "./pages/lost.js";
import { mountUpload } from "./pages/upload.js";
import { addRoute, startRouter } from "./router.js";
import { language, strings } from "./strings.js";

document.documentElement.lang = language === "zh" ? "zh-Hans" : language;
document
  .getElementById("header")
  ?.append(
    el("a", { href: "/", "data-page": true, class: "logo" }, drawMotion("dance"), strings.appName),
  );
document
  .getElementById("footer")
  ?.append(
    el("p", {}, strings.footer.privacy),
    el("a", { href: "/privacy", "data-page": true }, strings.footer.more),
    el("a", { href: "/schema" }, strings.footer.api),
  );
document.querySelector(".skip")?.replaceChildren(strings.skip);

const loadResult = async () => (await import("./pages/result.js")).mountResult;
atFirstUse(loadResult);

addRoute(/^\/$/, mountUpload);
addRoute(/^\/drawings\/(?<id>[\w-]+)\/?$/, later(loadResult));
addRoute(
  /^\/drawings\/(?<id>[\w-]+)\/edit\/(?<tool>\w+)\/?$/,
  later(async () => (await import("./pages/edit.js")).mountEdit),
);
addRoute(
  /^\/shared\/(?<id>[\w-]+)\/?$/,
  later(async () => (await import("./pages/shared.js")).mountShared),
);
addRoute(/^\/privacy\/?$/, later(async () => (await import("./pages/privacy.js")).mountPrivacy));
startRouter(mountLost);
