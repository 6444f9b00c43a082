/** The path of a request as a log may have it: what follows `/calendar/` is the secret of a feed. */
export const loggedPath = (url: string): string =>
  new URL(url).pathname.replace(/^\/+calendar\/.*/i, "/calendar/…");
