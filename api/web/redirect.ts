import type { Site } from "./site.ts";

/** See Other (RFC 9110 §15.4.4): the browser goes on with GET. */
export function seeOther(location: string, cookies: readonly string[] = []): Response {
  const headers = new Headers({ location, "cache-control": "no-store" });
  for (const cookie of cookies) headers.append("set-cookie", cookie);
  return new Response(null, { status: 303, headers });
}

/** A page of the site to go on to, never another site's address. */
export function safeNext(
  { origin, root, afterSignIn }: Pick<Site, "origin" | "root" | "afterSignIn">,
  next: string | null | undefined,
): string {
  const url = next ? URL.parse(next, origin) : null;
  if (url?.origin !== origin || !`${url.pathname}/`.startsWith(`${root}/`)) return afterSignIn;
  // `/.//host` is a path of ours whose own text, `//host`, names another site.
  return url.pathname.startsWith("//") ? afterSignIn : `${url.pathname}${url.search}`;
}
