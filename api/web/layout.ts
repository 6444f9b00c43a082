import { type Html, html, markup } from "../../shared/html.ts";
import { favicon, manifest, stylesheet } from "./assets.ts";

export type NavLink = Readonly<{
  href: string;
  label: string;
  /** `page` if the link leads to the shown page, `true` if the shown page belongs to it. */
  current?: "page" | "true";
  /** The number of new things there. */
  news?: number | undefined;
}>;

export type Layout = Readonly<{
  title: string;
  body: Html;
  nav?: readonly NavLink[];
  /** Shown at the end of the header, such as a sign-out button. */
  corner?: Html | undefined;
  /** Shown below the header's line. */
  tools?: Html | undefined;
  /** The result of the last action, below the title. */
  notice?: Html | undefined;
  /** True for pages with two columns on a wide screen. */
  isWide?: boolean;
  /** True for pages of the app that browsers can install. */
  isApp?: boolean;
  /** Kept's own modules. They share no names, and the page works without them. */
  scripts?: readonly Readonly<{ href: string }>[];
}>;

/** The document that every page of the service and of its identity provider shares; the brand leads to `home`. */
export function layout(
  { title, body, nav = [], corner, tools, notice, isWide = false, isApp = false, scripts = [] }: Layout,
  home: string,
): string {
  return markup(html`<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<title>${title} · Kept</title>
<link rel="icon" type="image/svg+xml" href="${favicon.href}">
${isApp && html`<link rel="manifest" href="${manifest.href}">`}
<link rel="stylesheet" href="${stylesheet.href}">
${scripts.map(({ href }) => html`<script type="module" src="${href}"></script>`)}
</head>
<body>
<a class="skip" href="#content">Skip to content</a>
<header>
<div class="bar">
<a class="brand" href="${home}">Kept</a>
${nav.length > 0 && html`<nav aria-label="Main">${nav.map(navLink)}</nav>`}
${corner}
</div>
${tools}
</header>
<main id="content"${isWide && html` class="wide"`}>
<h1>${title}</h1>
${notice}
${body}
</main>
</body>
</html>
`);
}

const mostNews = 99;

function navLink({ href, label, current, news }: NavLink): Html {
  const count =
    news !== undefined &&
    html`<span id="news" data-part>${news > 0 && html` <span class="count">${news > mostNews ? `${mostNews}+` : news}<span class="unseen"> new</span></span>`}</span>`;
  return html`<a href="${href}"${current && html` aria-current="${current}"`}>${label}${count}</a>`;
}
