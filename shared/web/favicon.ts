const svg = await Bun.file(new URL("./favicon.svg", import.meta.url)).text();

/** The icon of every page. Like the stylesheet's, its address changes with it, so that browsers may keep it for ever. */
export const favicon = {
  path: "/favicon.svg",
  href: `/favicon.svg?v=${Bun.hash(svg).toString(36)}`,
  svg,
  headers: {
    "Content-Type": "image/svg+xml",
    "Cache-Control": "public, max-age=31536000, immutable",
    // An SVG that is opened by itself is a document, which could run scripts.
    "Content-Security-Policy": "default-src 'none'; frame-ancestors 'none'",
    "X-Content-Type-Options": "nosniff",
  },
};
