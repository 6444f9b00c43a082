/** Headers of public documents about the service, which change only with its version and its settings. */
export const cacheable = { "cache-control": "public, max-age=300" };

/**
 * Gives every answer of the front door the headers that all of them have: no browser guesses a type, no cache keeps
 * what was not declared public, and browsers that have used https do not go back to http.
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
