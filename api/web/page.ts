import { type Html, html } from "../../shared/html.ts";
import { bodyOf } from "../http/response.ts";
import { type Layout, layout } from "./layout.ts";
import { pageHeaders } from "./page-headers.ts";
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
