import { CompactSign, exportJWK, generateKeyPair } from "jose";
import { allScopes } from "../../../shared/contracts/kernel/scopes.ts";

type Claims = Record<string, unknown>;

export type Issuer = Awaited<ReturnType<typeof startIssuer>>;

/** An issuer's answer about a token (RFC 7662). */
export type Introspect = (token: string) => Claims | Promise<Claims>;

/** A real token issuer: RFC 8414 metadata, a JWKS and signed RFC 9068 tokens over HTTP. */
export async function startIssuer(audience: string, introspect?: Introspect) {
  let signing = await newSecret();
  let keyFetches = 0;
  const server = Bun.serve({
    hostname: "127.0.0.1",
    port: 0,
    async fetch(request) {
      const { pathname, origin } = new URL(request.url);
      if (pathname === "/jwks") {
        keyFetches += 1;
        return Response.json({ keys: [signing.published] });
      }
      if (pathname === "/introspect" && introspect) {
        const form = new URLSearchParams(await request.text());
        return Response.json(await introspect(form.get("token") ?? ""));
      }
      if (pathname !== "/.well-known/oauth-authorization-server") return new Response(null, { status: 404 });
      const introspection_endpoint = introspect && `${origin}/introspect`;
      return Response.json({ issuer: origin, jwks_uri: `${origin}/jwks`, introspection_endpoint });
    },
  });
  const url = `http://127.0.0.1:${server.port}`;
  /** The claims of a good token. */
  const claims = (): Claims => {
    const iat = Math.floor(Date.now() / 1000);
    const fixed = { iss: url, aud: audience, sub: "ada", client_id: "test", scope: allScopes.join(" ") };
    return { ...fixed, jti: crypto.randomUUID(), iat, exp: iat + 3_600 };
  };
  /** Any text signed with the issuer's real key. */
  const sign = (payload: string, header: Claims = {}): Promise<string> =>
    new CompactSign(new TextEncoder().encode(payload))
      .setProtectedHeader({ alg: "ES256", kid: signing.published.kid, typ: "at+jwt", ...header })
      .sign(signing.privateKey);
  return {
    url,
    claims,
    sign,
    /** A signed access token; claims override the defaults, `undefined` leaves one out. */
    token: (overrides: Claims = {}, header: Claims = {}) =>
      sign(JSON.stringify({ ...claims(), ...overrides }), header),
    /** Its public key, as it is published. */
    publicKey: () => signing.published,
    /** The number of times that its keys were fetched. */
    keyFetches: () => keyFetches,
    /** Replaces the signing key; the old one is no longer published. */
    async rotate(): Promise<void> {
      signing = await newSecret();
    },
    stop: () => server.stop(true),
  };
}

async function newSecret() {
  const { publicKey, privateKey } = await generateKeyPair("ES256");
  const published = { ...(await exportJWK(publicKey)), kid: crypto.randomUUID(), alg: "ES256", use: "sig" };
  return { privateKey, published };
}
