import { afterAll } from "bun:test";
import { type Authenticate, createAuthenticator } from "../../../api/auth/authenticate.ts";
import { isRefused } from "../../../shared/errors.ts";
import { createLog } from "../../../shared/process/observe/log.ts";
import { type Introspect, startIssuer } from "../../support/servers/issuer.ts";

export const audience = "https://kept.example";
const client = { id: "kept", secret: "secret" };

/** An issuer that ends with the file. */
export async function useIssuer(introspect?: Introspect) {
  const issuer = await startIssuer(audience, introspect);
  afterAll(issuer.stop);
  return issuer;
}

/** A provider whose keys the test gives. @returns its address */
export function startProvider(keys: () => Response): string {
  const provider = Bun.serve({
    hostname: "127.0.0.1",
    port: 0,
    fetch({ url }) {
      const { pathname, origin } = new URL(url);
      return pathname === "/jwks" ? keys() : Response.json({ issuer: origin, jwks_uri: `${origin}/jwks` });
    },
  });
  afterAll(() => provider.stop(true));
  return `http://127.0.0.1:${provider.port}`;
}

type Settings = Readonly<{
  /** False for a service without credentials at the provider. */
  asks?: boolean;
  authJwtTyp?: "any" | "at+jwt";
  tokenCacheSeconds?: number;
  maxKnown?: number;
  log?: ReturnType<typeof createLog>;
}>;

/** The front door's check of tokens, for an issuer at this address. */
export function openAuthenticator(authUrl: string, settings: Settings = {}) {
  const { asks = true, log = createLog("test", "error"), maxKnown, ...given } = settings;
  const defaults = { authJwtTyp: "any", tokenCacheSeconds: 60 } as const;
  const { authenticate, refuseToken } = createAuthenticator({
    config: {
      ...{ authUrl, authAudience: [audience], authClient: asks ? client : undefined },
      ...defaults,
      ...given,
    },
    log,
    onChecked: async () => {},
    ...(maxKnown !== undefined && { maxKnown }),
  });
  return { refuseToken, outcomeOf: outcomesOf(authenticate) };
}

/** The outcome of a token: the refusal's code, or `ok`. */
const outcomesOf =
  (authenticate: Authenticate) =>
  async (token: string): Promise<string> => {
    const answer = await authenticate(`Bearer ${token}`);
    return isRefused(answer) ? answer.refusal.code : "ok";
  };
