const lifetimeMs = 30 * 24 * 60 * 60 * 1_000;

/**
 * security.txt (RFC 9116): the contact for reports of vulnerabilities. It is made at each request, so it always expires
 * in a month.
 */
export function securityText(baseUrl: string, contact: string, now = Date.now()): Response {
  const lines = [
    `Contact: ${contact}`,
    `Expires: ${new Date(now + lifetimeMs).toISOString()}`,
    `Canonical: ${baseUrl}${securityTextPath}`,
  ];
  return new Response(`${lines.join("\n")}\n`, { headers: { "content-type": "text/plain; charset=utf-8" } });
}

export const securityTextPath = "/.well-known/security.txt";
