/** A file that pages link to. */
type Asset = Readonly<{
  path: string;
  /** The address in pages. It contains a hash of the content, so that browsers may keep the file for a year. */
  href: string;
  response(): Response;
}>;

/** Every file that pages link to. */
export const assets: Asset[] = [];

async function loadAsset(
  name: string,
  headers: Readonly<Record<string, string>>,
  files: readonly string[] = [name],
): Promise<Asset> {
  const parts = await Promise.all(files.map((file) => Bun.file(new URL(file, import.meta.url)).bytes()));
  return asset(name, headers, Buffer.concat(parts));
}

function asset(
  name: string,
  headers: Readonly<Record<string, string>>,
  content: string | Uint8Array<ArrayBuffer>,
): Asset {
  const path = `/${name}`;
  const made = {
    path,
    href: `${path}?v=${Bun.hash(content).toString(36)}`,
    response: () =>
      new Response(content, {
        headers: { ...headers, "Cache-Control": "public, max-age=31536000, immutable" },
      }),
  };
  assets.push(made);
  return made;
}

/** Styles in this order: those of every page first, then those of parts. */
const styles = ["tokens", "base", "forms", "things", "figures", "shell", "plan"].map(
  (part) => `styles/${part}.css`,
);

/** The typeface of every page, in the letters of Western Europe. Others come from the person's machine. */
await loadAsset("inter.woff2", { "Content-Type": "font/woff2" }, [
  import.meta.resolve("@fontsource-variable/inter/files/inter-latin-wght-normal.woff2"),
]);

/** The stylesheet of every page. */
export const stylesheet = await loadAsset("pages.css", { "Content-Type": "text/css; charset=utf-8" }, styles);

const ofScript = { "Content-Type": "text/javascript; charset=utf-8" };

const loadScript = (name: string): Promise<Asset> => loadAsset(name, ofScript, [`scripts/${name}`]);

/** Joins the modules of a folder into one, because a page would fetch them one after another. */
export async function bundle(name: string): Promise<string> {
  const entry = Bun.fileURLToPath(new URL(`scripts/${name}/main.js`, import.meta.url));
  const { outputs } = await Bun.build({ entrypoints: [entry], minify: true });
  const [bundled] = outputs;
  if (!bundled) throw new Error(`The script ${name} could not be bundled.`);
  return bundled.text();
}

/** Adds buttons that copy lines, on pages that have lines to copy. */
export const copyScript = await loadScript("copy.js");

/** Searches the API reference. */
export const findScript = await loadScript("find.js");

/** Fills in the time zone of the browser. */
export const zoneScript = await loadScript("zone.js");

/** Makes passkeys and signs in with them. */
export const passkeyScript = await loadScript("passkeys.js");

/** Adds buttons that show typed passwords. */
export const passwordScript = await loadScript("passwords.js");

/** Keeps weekdays and kind of rhythm in a habit's form consistent. */
export const rhythmScript = await loadScript("rhythm.js");

/** Does things without leaving the page, and shows what changed elsewhere. */
export const pageScript = asset("page.js", ofScript, await bundle("page"));

/** Subscribes a browser to reminders. */
export const pushScript = await loadScript("push.js");

/** Keeps Today for times without a connection, and shows reminders also when no page is open. */
await loadScript("worker.js");

/** The icon of every page. */
export const favicon = await loadAsset("favicon.svg", {
  "Content-Type": "image/svg+xml",
  // A browser opens an SVG as a document, which could run scripts.
  "Content-Security-Policy": "default-src 'none'; frame-ancestors 'none'",
  "X-Content-Type-Options": "nosniff",
});

const icon = await loadAsset("icon.png", { "Content-Type": "image/png" });

/** Browsers offer to install the account pages with it as an app. */
export const manifest = asset(
  "kept.webmanifest",
  { "Content-Type": "application/manifest+json" },
  JSON.stringify({
    name: "Kept",
    id: "/account",
    start_url: "/account",
    scope: "/account",
    display: "standalone",
    background_color: "#fafaf7",
    theme_color: "#1a6b4a",
    icons: [
      { src: favicon.href, sizes: "any", type: "image/svg+xml" },
      { src: icon.href, sizes: "512x512", type: "image/png", purpose: "any maskable" },
    ],
  }),
);
