import type { Site } from "./site.ts";

/** See Other (RFC 9110 §15.4.4): the browser continues with GET. */
export function seeOther(location: string, cookies: readonly string[] = []): Response {
  const headers = new Headers({ location, "cache-control": "no-store" });
  for (const cookie of cookies) headers.append("set-cookie", cookie);
  return new Response(null, { status: 303, headers });
}

/**
 * Answers a form that a script sent: a redirect becomes a header, because the script decides when to read the next page.
 * Everything else goes through unchanged.
 */
export function stayOnPage({ headers: sent }: Pick<Request, "headers">, response: Response): Response {
  const next = response.headers.get("location");
  if (!sent.has("x-stay") || next === null) return response;
  const headers = new Headers(response.headers);
  headers.delete("location");
  headers.set("x-next", next);
  return new Response(null, { status: 204, headers });
}

/** The next page within the site, never another site's address. */
export function safeNext(
  { origin, root, afterSignIn }: Pick<Site, "origin" | "root" | "afterSignIn">,
  next: string | null | undefined,
): string {
  const url = next ? URL.parse(next, origin) : null;
  if (url?.origin !== origin || !`${url.pathname}/`.startsWith(`${root}/`)) return afterSignIn;
  // `/.//host` is a path of this site, but as text it is `//host`, another site.
  return url.pathname.startsWith("//") ? afterSignIn : `${url.pathname}${url.search}`;
}
