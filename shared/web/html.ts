import { favicon } from "./favicon.ts";

const trusted: unique symbol = Symbol("trusted HTML");

/** Markup that is safe to send: only `html` makes it. */
export type Html = Readonly<{ [trusted]: string }>;

/** What a template may hold. Lists are joined; null, undefined and false leave nothing behind. */
export type HtmlValue = Html | string | number | null | undefined | false | readonly HtmlValue[];

/** A template that escapes every value that is not itself a template's result, in text and in quoted attributes. */
export function html(strings: TemplateStringsArray, ...values: readonly HtmlValue[]): Html {
  return { [trusted]: String.raw({ raw: strings }, ...values.map(toMarkup)) };
}

function toMarkup(value: HtmlValue): string {
  if (value === null || value === undefined || value === false) return "";
  if (typeof value === "string" || typeof value === "number") return Bun.escapeHTML(value);
  if (trusted in value) return value[trusted];
  return value.map(toMarkup).join("");
}

/** The text of a template, to be sent. */
export function markup(template: Html): string {
  return template[trusted];
}

export type NavLink = Readonly<{ href: string; label: string; current?: boolean }>;

export type Layout = Readonly<{
  title: string;
  body: Html;
  nav?: readonly NavLink[];
  /** Shown at the end of the header, such as a sign-out button. */
  corner?: Html | undefined;
}>;

/** The document that every page of the service and of its identity provider shares. */
export function layout({ title, body, nav = [], corner }: Layout): string {
  return markup(html`<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<title>${title} · Kept</title>
<link rel="icon" type="image/svg+xml" href="${favicon.href}">
<link rel="stylesheet" href="${stylesheet.href}">
</head>
<body>
<a class="skip" href="#content">Skip to content</a>
<header>
<div class="bar">
<a class="brand" href="/">Kept</a>
${nav.length > 0 && html`<nav aria-label="Main">${nav.map(navLink)}</nav>`}
${corner}
</div>
</header>
<main id="content">
<h1>${title}</h1>
${body}
</main>
</body>
</html>
`);
}

function navLink({ href, label, current }: NavLink): Html {
  return current
    ? html`<a href="${href}" aria-current="page">${label}</a>`
    : html`<a href="${href}">${label}</a>`;
}

const css = await Bun.file(new URL("./pages.css", import.meta.url)).text();

/** The one stylesheet. Its address changes with its text, so that browsers may keep it for ever. */
export const stylesheet = { path: "/pages.css", href: `/pages.css?v=${Bun.hash(css).toString(36)}`, css };

/**
 * Headers of every page: nothing may be cached, framed or scripted, and forms go home only.
 * `formTargets` are further sources for form-action: browsers apply it to the redirects after a POST as well.
 */
export function pageHeaders(formTargets: readonly string[] = []): Record<string, string> {
  return {
    "Content-Type": "text/html; charset=utf-8",
    "Cache-Control": "no-store",
    "Content-Security-Policy": [
      "default-src 'none'",
      "style-src 'self'",
      "img-src 'self'",
      "script-src 'none'",
      `form-action ${["'self'", ...formTargets].join(" ")}`,
      "base-uri 'none'",
      "frame-ancestors 'none'",
    ].join("; "),
    "Referrer-Policy": "same-origin",
    "X-Content-Type-Options": "nosniff",
    "X-Frame-Options": "DENY",
    "Cross-Origin-Opener-Policy": "same-origin",
  };
}
