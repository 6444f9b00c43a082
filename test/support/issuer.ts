import { exportJWK, generateKeyPair, SignJWT } from "jose";
import { allScopes } from "../../shared/scopes.ts";

export type Issuer = Readonly<{
  url: string;
  /** A signed access token; claims override the defaults, `undefined` leaves one out. */
  token(claims?: Record<string, unknown>, header?: Record<string, unknown>): Promise<string>;
  stop(): Promise<void>;
}>;

/** A real token issuer: RFC 8414 metadata, a JWKS and signed RFC 9068 tokens over HTTP. */
export async function startIssuer(audience: string): Promise<Issuer> {
  const { publicKey, privateKey } = await generateKeyPair("ES256");
  const key = { ...(await exportJWK(publicKey)), kid: "test", alg: "ES256", use: "sig" };
  const server = Bun.serve({
    hostname: "127.0.0.1",
    port: 0,
    fetch(request) {
      const { pathname, origin } = new URL(request.url);
      if (pathname === "/jwks") return Response.json({ keys: [key] });
      if (pathname !== "/.well-known/oauth-authorization-server") return new Response(null, { status: 404 });
      return Response.json({ issuer: origin, jwks_uri: `${origin}/jwks` });
    },
  });
  const url = `http://127.0.0.1:${server.port}`;
  return {
    url,
    async token(claims = {}, header = {}) {
      const now = Math.floor(Date.now() / 1000);
      const defaults = {
        iss: url,
        aud: audience,
        sub: "ada",
        jti: crypto.randomUUID(),
        client_id: "test",
        scope: allScopes.join(" "),
        iat: now,
        exp: now + 3_600,
      };
      const payload = Object.fromEntries(
        Object.entries({ ...defaults, ...claims }).filter(([, value]) => value !== undefined),
      );
      return new SignJWT(payload)
        .setProtectedHeader({ alg: "ES256", kid: "test", typ: "at+jwt", ...header })
        .sign(privateKey);
    },
    stop: () => server.stop(true),
  };
}
