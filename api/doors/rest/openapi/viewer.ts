import { version } from "swagger-ui-dist/package.json";
import { html, markup } from "../../../../shared/html.ts";
import { cacheable } from "../../../http/response.ts";
import { favicon } from "../../../web/assets.ts";

/** A file of the viewer. Its address changes with the library or with ours, so that browsers may keep it for a year. */
type ViewerFile = Readonly<{ path: string; href: string; response(): Response }>;

const immutable = { "Cache-Control": "public, max-age=31536000, immutable" };

function viewerFile(name: string, address: string, stamp: string): ViewerFile {
  const path = `/docs/${name}`;
  return {
    path,
    href: `${path}?v=${stamp}`,
    response: () => new Response(Bun.file(new URL(address)), { headers: immutable }),
  };
}

const library = (name: string) => viewerFile(name, import.meta.resolve(`swagger-ui-dist/${name}`), version);

const ownScript = new URL("./viewer.js", import.meta.url);
const stylesheet = library("swagger-ui.css");
const script = library("swagger-ui-bundle.js");
const start = viewerFile(
  "viewer.js",
  ownScript.href,
  Bun.hash(await Bun.file(ownScript).text()).toString(36),
);

/** The files that the viewer's page loads. */
export const viewerFiles: readonly ViewerFile[] = [stylesheet, script, start];

const document = markup(html`<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>API · Kept</title>
<link rel="icon" type="image/svg+xml" href="${favicon.href}">
<link rel="stylesheet" href="${stylesheet.href}">
<script defer src="${script.href}"></script>
<script defer src="${start.href}"></script>
</head>
<body>
<div id="api"></div>
</body>
</html>
`);

/** Scripts of this origin alone run, and they can reach nothing but this origin. The images are in the stylesheet. */
const policy = [
  "default-src 'none'",
  "script-src 'self'",
  "style-src 'self'",
  "img-src 'self' data:",
  "connect-src 'self'",
  "form-action 'none'",
  "base-uri 'none'",
  "frame-ancestors 'none'",
].join("; ");

/** The page on which people read the OpenAPI document. */
export const viewerPage = (): Response =>
  new Response(document, {
    headers: {
      ...cacheable,
      "Content-Type": "text/html; charset=utf-8",
      "Content-Security-Policy": policy,
      "Referrer-Policy": "same-origin",
      "X-Frame-Options": "DENY",
    },
  });
