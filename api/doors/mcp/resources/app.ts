import type { ReadResourceResult } from "@modelcontextprotocol/server";
import { bundle, stylesheet } from "../../../web/assets.ts";

/**
 * The habits or todos that a read tool found, to tick in the conversation, where the host shows apps (MCP Apps,
 * 2026-01-26). The document is the same for everybody: the host hands it the tool's result, and makes its calls.
 */
export const appUri = "ui://kept/today";
const mimeType = "text/html;profile=mcp-app";

/** Stands in the list of tools beside those whose results the app shows. */
export const shownInApp = { _meta: { ui: { resourceUri: appUri } } } as const;

const script = (await bundle("app")).replaceAll("</script", "<\\/script");

const text = `<!doctype html>
<html lang="en"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width"><title>Kept</title>
<style>${await stylesheet.response().text()}</style></head>
<body><main class="app"><ul class="plain"></ul><p role="status" class="quiet"></p></main>
<script type="module">${script}</script></body></html>`;

/** @returns undefined for any other address */
export const readApp = (asked: unknown): ReadResourceResult | undefined =>
  asked === appUri
    ? { contents: [{ uri: appUri, mimeType, text, _meta: { ui: { prefersBorder: false } } }] }
    : undefined;
