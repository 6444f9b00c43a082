import type { Refusal } from "../../shared/errors.ts";
import { type Html, html, type Layout, layout, pageHeaders } from "../../shared/web/html.ts";
import { statusOf } from "../http/refusal-response.ts";
import type { PagesContext } from "./visit/context.ts";

type More = Readonly<{ status?: number; headers?: Record<string, string> }>;

/** A page. Its forms may lead on to the provider, where an expired session and a sign-out go. */
export function page({ config }: Pick<PagesContext, "config">, content: Layout, more: More = {}): Response {
  const headers = { ...pageHeaders([new URL(config.authUrl).origin]), ...more.headers };
  return new Response(layout(content), { status: more.status ?? 200, headers });
}

/** A page that only says something and leads on, if there is anywhere to go. */
export function message(
  context: Pick<PagesContext, "config">,
  title: string,
  text: string | Html,
  { link = { href: "/account", label: "Go to your account" }, ...more }: More & { link?: Link | null } = {},
): Response {
  const body = html`<p>${text}</p>${link && html`<p><a href="${link.href}">${link.label}</a></p>`}`;
  return page(context, { title, body }, more);
}

type Link = { href: string; label: string };

/** The page of a refusal, in its own words. */
export function refusalPage(context: Pick<PagesContext, "config">, refusal: Refusal): Response {
  const { code, message: text, retryAfterSeconds } = refusal;
  const headers = retryAfterSeconds === undefined ? {} : { "Retry-After": String(retryAfterSeconds) };
  return message(context, "That did not work", text, { status: statusOf(code), headers });
}

/** See Other (RFC 9110 §15.4.4): the browser goes on with GET. */
export function seeOther(location: string, cookies: readonly string[] = []): Response {
  const headers = new Headers({ location, "cache-control": "no-store" });
  for (const cookie of cookies) headers.append("set-cookie", cookie);
  return new Response(null, { status: 303, headers });
}
