const lifetimeMs = 30 * 24 * 60 * 60 * 1_000;

/** Whom to tell of a vulnerability of this server (RFC 9116). It always expires in a month, because it is made when it is asked for. */
export function securityText(baseUrl: string, contact: string, now = Date.now()): Response {
  const lines = [
    `Contact: ${contact}`,
    `Expires: ${new Date(now + lifetimeMs).toISOString()}`,
    `Canonical: ${baseUrl}${securityTextPath}`,
  ];
  return new Response(`${lines.join("\n")}\n`, { headers: { "content-type": "text/plain; charset=utf-8" } });
}

export const securityTextPath = "/.well-known/security.txt";
