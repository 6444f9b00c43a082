import type { Context } from "koa";
import { type Html, html, type Layout, layout, pageHeaders } from "../../../shared/web/html.ts";

export type PageOptions = Readonly<{ status?: number; formTargets?: readonly string[] }>;

/** Answers with a page. `formTargets`: where a form's redirects may lead beyond this server. */
export function sendPage(ctx: Context, page: Layout, { status = 200, formTargets }: PageOptions = {}): void {
  ctx.status = status;
  ctx.set(pageHeaders(formTargets));
  ctx.body = layout(page);
}

/** Answers with a page that only says something. */
export function sendMessage(ctx: Context, status: number, title: string, message: string | Html): void {
  sendPage(
    ctx,
    { title, body: html`<p>${message}</p><p><a href="/">Go to your account</a></p>` },
    { status },
  );
}

/** See Other: the browser goes on with GET (RFC 9110 §15.4.4). */
export function seeOther(ctx: Context, location: string): void {
  ctx.set("Cache-Control", "no-store");
  ctx.redirect(location);
  ctx.status = 303;
}
