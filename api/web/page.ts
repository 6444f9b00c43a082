import { type Html, html, markup } from "../../shared/html.ts";
import { bodyOf } from "../http/response.ts";
import { favicon, manifest, stylesheet } from "./assets.ts";
import { type IconName, icon } from "./icons.ts";
import { colorScheme } from "./locale.ts";
import type { Site } from "./site.ts";

type PageOptions = Readonly<{
  status?: number;
  headers?: Readonly<Record<string, string>>;
  /** Sources that the redirects after this page's forms may lead to, besides the site's own. */
  formTargets?: readonly string[];
}>;

/** Answers with a page. */
export function page(
  site: Pick<Site, "formTargets" | "home">,
  content: Layout,
  { status = 200, headers, formTargets = [] }: PageOptions = {},
): Response {
  const policy = pageHeaders([...site.formTargets, ...formTargets], Boolean(content.scripts?.length));
  return new Response(bodyOf(layout(content, site.home)), { status, headers: { ...policy, ...headers } });
}

type MessageOptions = PageOptions & Readonly<{ link?: Readonly<{ href: string; label: string }> | null }>;

/** Answers with a page that shows a message and a link, unless there is nowhere to go. */
export function message(
  site: Pick<Site, "formTargets" | "home">,
  title: string,
  text: string | Html,
  { link = { href: site.home, label: "Go to your account" }, ...options }: MessageOptions = {},
): Response {
  const body = html`<p>${text}</p>${link && html`<p><a href="${link.href}">${link.label}</a></p>`}`;
  return page(site, { title, body }, options);
}

export type NavLink = Readonly<{
  href: string;
  label: string;
  icon: IconName;
  /** `page` if the link leads to the shown page, `true` if the shown page belongs to it. */
  current?: "page" | "true";
  /** The number of things there, or of new ones. */
  count?: number | undefined;
  isNews?: boolean;
}>;

export type Layout = Readonly<{
  title: string;
  body: Html;
  /** The person's own pages, and further ones. */
  nav?: Readonly<{
    main: readonly NavLink[];
    more: readonly NavLink[];
    categories: readonly Readonly<{ id: number; name: string; color: string; count: number }>[];
  }>;
  /** The menu of a section's pages, beside the body. */
  menu?: Html | undefined;
  /** Shown at the end of the header, such as a sign-out button. */
  corner?: Html | undefined;
  /** Shown below the title. */
  lead?: Html | undefined;
  /** The line that adds things, below the title. */
  tools?: Html | undefined;
  /** The result of the last action, below the title. */
  notice?: Html | undefined;
  /** True for pages of the app that browsers can install. */
  isApp?: boolean;
  /** Kept's own modules. They share no names, and the page works without them. */
  scripts?: readonly Readonly<{ href: string }>[];
}>;

/** The document that every page of the service and of its identity provider shares; the brand leads to `home`. */
export function layout(
  { title, body, nav, corner, menu, lead, tools, notice, isApp = false, scripts = [] }: Layout,
  home: string,
): string {
  return markup(html`<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="${colorScheme()}">
<title>${title} · Kept</title>
<link rel="icon" type="image/svg+xml" href="${favicon.href}">
${isApp && html`<link rel="manifest" href="${manifest.href}">`}
<link rel="stylesheet" href="${stylesheet.href}">
${scripts.map(({ href }) => html`<script type="module" src="${href}"></script>`)}
</head>
<body${nav && html` class="framed"`}>
<a class="skip" href="#content">Skip to content</a>
<header>
<a class="brand" href="${home}"><span class="mark">${icon("check")}</span>Kept</a>
${nav && searchLink}
${
  nav &&
  html`<nav id="nav" aria-label="Main" data-part>${nav.main.map(navLink)}${addLink(tools ? "" : "/account")}</nav>
<nav id="nav-categories" class="categories" aria-label="Categories" data-part>${nav.categories.length > 0 && html`<a class="part" href="/account/categories">Categories</a>`}${nav.categories.map(categoryLink)}</nav>
<nav class="further" aria-label="More">${nav.more.map(navLink)}</nav>`
}
${corner}
</header>
<main id="content">
<h1 dir="auto">${title}</h1>
${lead}${tools}${notice}
${menu ? html`<div class="sectioned">${menu}<div>${body}</div></div>` : body}
</main>
</body>
</html>
`);
}

const mostNews = 99;

const searchLink = html`<a class="search" href="/account/find">${icon("search")}<span class="label">Search</span><kbd>/</kbd></a>`;

/** The plus of a phone. It opens the line that adds things, here or on another page. */
const addLink = (path: string): Html =>
  html`<a class="add" href="${path}#quick" aria-label="Add">${icon("plus")}</a>`;

function navLink({ href, label, icon: name, current, count = 0, isNews }: NavLink): Html {
  const number = isNews && count > mostNews ? `${mostNews}+` : count;
  return html`<a href="${href}"${current && html` aria-current="${current}"`}>${icon(name)}<span class="label">${label}</span>${
    count > 0 &&
    html` <span class="count${isNews && " new"}">${number}${isNews && html`<span class="unseen"> new</span>`}</span>`
  }</a>`;
}

const categoryLink = ({ id, name, color, count }: NonNullable<Layout["nav"]>["categories"][number]): Html =>
  html`<a href="/account/todos?category_id=${id}"><svg class="dot" viewBox="0 0 10 10" aria-hidden="true"><circle cx="5" cy="5" r="5" fill="${color}"/></svg><span class="label" dir="auto">${name}</span>${count > 0 && html` <span class="count">${count}</span>`}</a>`;

/**
 * Headers of every page: no caching, no framing. Scripts are the page's own files, and scripts and forms reach this
 * origin only.
 * @param formTargets further sources for form-action, which browsers also apply to redirects after a POST
 */
export function pageHeaders(formTargets: readonly string[], hasScript: boolean): Record<string, string> {
  return {
    "Content-Type": "text/html; charset=utf-8",
    "Cache-Control": "no-store",
    "Content-Security-Policy": [
      "default-src 'none'",
      "style-src 'self'",
      "img-src 'self'",
      "font-src 'self'",
      "manifest-src 'self'",
      `script-src ${hasScript ? "'self'" : "'none'"}`,
      ...(hasScript ? ["connect-src 'self'"] : []),
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
