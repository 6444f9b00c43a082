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
