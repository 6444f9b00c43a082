/** The parts of the metadata of a protected resource and its provider (RFC 9728, RFC 8414) that a sign-in needs. */
export type LoginProvider = Readonly<{
  resource: string;
  issuer: string;
  authorization_endpoint: string;
  token_endpoint: string;
  registration_endpoint?: string;
  revocation_endpoint?: string;
}>;

const answerMs = 15_000;

export async function findProvider(url: string): Promise<LoginProvider> {
  const service = await fetchJson(`${url}/.well-known/oauth-protected-resource`);
  const issuer = new URL(String((service.authorization_servers as unknown[] | undefined)?.[0]));
  const path = issuer.pathname.replace(/\/$/, "");
  const metadata = await fetchJson(`${issuer.origin}/.well-known/oauth-authorization-server${path}`).catch(
    () => fetchJson(`${issuer.origin}${path}/.well-known/openid-configuration`),
  );
  return { ...(metadata as Omit<LoginProvider, "resource">), resource: String(service.resource) };
}

/** Registers this computer's command line as an app of its own (RFC 7591). */
export async function register(
  { registration_endpoint, issuer }: LoginProvider,
  redirectUri: string,
  clientName: string,
): Promise<string> {
  if (!registration_endpoint)
    throw new Error(`${issuer} registers no apps; set KEPT_TOKEN to a token instead.`);
  const metadata = {
    client_name: clientName,
    redirect_uris: [redirectUri],
    grant_types: ["authorization_code", "refresh_token"],
    token_endpoint_auth_method: "none",
  };
  const headers = { "content-type": "application/json" };
  const body = JSON.stringify(metadata);
  const { client_id } = await fetchJson(registration_endpoint, { method: "POST", headers, body });
  return String(client_id);
}

/** @throws with the provider's own words when it refuses */
export async function fetchJson(address: string, init: RequestInit = {}): Promise<Record<string, unknown>> {
  const response = await fetch(address, { ...init, signal: AbortSignal.timeout(answerMs) }).catch(
    (error: Error) => {
      throw new Error(`${new URL(address).origin} does not answer (${error.message}).`, { cause: error });
    },
  );
  const body = (await response.json().catch(() => ({}))) as Record<string, unknown>;
  if (!response.ok)
    throw new Error(String(body.error_description ?? body.error ?? `${address}: HTTP ${response.status}`));
  return body;
}
