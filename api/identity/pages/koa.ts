import type { Context } from "koa";
import type { PageRequest, Site } from "../../web/site.ts";

/** A Koa request as pages read it. They read only these two headers; Koa itself reads the cookies. */
export function pageRequestOf(ctx: Context, site: Site): PageRequest {
  const headers = new Headers();
  for (const name of ["origin", "content-type"]) if (ctx.get(name)) headers.set(name, ctx.get(name));
  const request = { method: ctx.method, headers, body: ctx.req };
  return { site, request, url: new URL(`${site.origin}${ctx.path}${ctx.search}`) };
}

/** Answers a Koa request with the response of a page. Cookies that were set on the context stay. */
export async function reply(ctx: Context, response: Response): Promise<void> {
  ctx.set(Object.fromEntries(response.headers));
  const location = response.headers.get("location");
  if (location === null) ctx.body = await response.text();
  else ctx.redirect(location);
  ctx.status = response.status;
}
