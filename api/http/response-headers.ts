/** Public documents about the service, which change with its version and settings only. */
export const cacheable = { "cache-control": "public, max-age=300" };

/**
 * Gives every answer of the front door what is the same for all: no browser guesses its type, no cache keeps what
 * nobody declared public, and a service with https is never asked without it again.
 */
export function createFinish(baseUrl: string): (response: Response) => Response {
  const secure = baseUrl.startsWith("https:");
  return (response) => {
    const { headers } = response;
    headers.set("x-content-type-options", "nosniff");
    if (!headers.has("cache-control")) headers.set("cache-control", "no-store");
    if (secure) headers.set("strict-transport-security", "max-age=31536000");
    return response;
  };
}
