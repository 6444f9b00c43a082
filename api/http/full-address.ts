/**
 * Gives a request without a Host header (HTTP/1.0) a full address: URL refuses a mere path, and Elysia expects a host
 * of at least four characters before it. Nothing of ours depends on the host in the URL.
 * @returns undefined when the header is no host, or there are two (RFC 9112 §3.2)
 */
export function withFullAddress(request: Request): Request | undefined {
  const { url } = request;
  const host = request.headers.get("host");
  if (host?.includes(",")) return undefined;
  if (/^https?:\/\/[^/]{4}/.test(url)) return URL.canParse(url) ? request : undefined;
  if (host && !URL.canParse(url)) return undefined;
  const path = url.replace(/^https?:\/\/[^/]*/, "");
  return new Request(`http://localhost${path}`, request);
}

/** The path of an address, as it was sent: to find out whose request it is costs less than to parse it. */
export function pathOf(url: string): string {
  const from = url.startsWith("/") ? 0 : url.indexOf("/", url.indexOf("://") + 3);
  const query = url.indexOf("?", from);
  return query < 0 ? url.slice(from) : url.slice(from, query);
}
