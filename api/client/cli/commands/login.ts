import { spawn } from "node:child_process";
import { createHash, randomBytes } from "node:crypto";
import { createServer, type Server } from "node:http";
import { hostname } from "node:os";
import { setTimeout as pause } from "node:timers/promises";
import { localCommand, type Terminal } from "../command-line.ts";
import { addressIn, defaultAddress } from "../login/access.ts";
import { findProvider, type LoginProvider, register } from "../login/provider.ts";
import { forgetLogin, readLogin, writeLogin } from "../login/stored.ts";
import { requestTokens } from "../login/tokens.ts";

export const loginCommand = localCommand({
  name: "login",
  operands: "[URL]",
  summary: "signs in by the browser; without URL at KEPT_URL",
  options: {},
  async run({ env, print }: Terminal, [address]) {
    const url = (address ?? addressIn(env) ?? defaultAddress).replace(/\/+$/, "");
    const provider = await findProvider(url);
    const { client_id, ...tokens } = await signIn(provider);
    const { resource, token_endpoint, revocation_endpoint } = provider;
    const login = { url, client_id, resource, token_endpoint, ...tokens };
    await writeLogin(env, { ...login, ...(revocation_endpoint && { revocation_endpoint }) });
    print(`Signed in at ${url}.`, { url });
  },
});

/** Authorization code with PKCE (RFC 7636), as RFC 8252 wants it of an app without a secret. */
async function signIn(provider: LoginProvider) {
  const callback = await openCallback();
  try {
    const redirect_uri = callback.redirectUri;
    const client_id = await register(provider, redirect_uri, `kept on ${hostname()}`.slice(0, 100));
    const [code_verifier, state] = [secret(), secret()];
    const { resource } = provider;
    const parameters = { client_id, redirect_uri, resource, state };
    openBrowser(addressOf(provider, { ...parameters, code_challenge: challengeOf(code_verifier) }));
    const code = codeIn(await callback.arrival(state), provider);
    const request = {
      grant_type: "authorization_code",
      code,
      code_verifier,
      client_id,
      redirect_uri,
      resource,
    };
    return { client_id, ...(await requestTokens(provider.token_endpoint, request)) };
  } finally {
    callback.close();
  }
}

const secret = (): string => randomBytes(32).toString("base64url");
const challengeOf = (verifier: string): string => createHash("sha256").update(verifier).digest("base64url");

const scope = "habits:read habits:write todos:read todos:write categories:read categories:write";

function addressOf(
  { authorization_endpoint }: LoginProvider,
  parameters: Readonly<Record<string, string>>,
): string {
  const address = new URL(authorization_endpoint);
  const all = { response_type: "code", code_challenge_method: "S256", scope, ...parameters };
  for (const [name, value] of Object.entries(all)) address.searchParams.set(name, value);
  return address.href;
}

/** The address is printed as well, for a computer without a browser that opens by itself. */
function openBrowser(address: string): void {
  console.error(`Sign in with your browser: ${address}`);
  const program = process.platform === "darwin" ? "open" : "xdg-open";
  spawn(program, [address], { stdio: "ignore", detached: true })
    .on("error", () => {})
    .unref();
}

/** @throws unless the provider that was asked answers with a code (RFC 9207) */
function codeIn(arrived: URLSearchParams, { issuer }: LoginProvider): string {
  const [code, by] = [arrived.get("code"), arrived.get("iss")];
  if (by !== null && by !== issuer) throw new Error(`${by} answered instead of ${issuer}.`);
  if (code === null)
    throw new Error(arrived.get("error_description") ?? arrived.get("error") ?? "No sign-in.");
  return code;
}

export const logoutCommand = localCommand({
  name: "logout",
  operands: "",
  summary: "revokes the tokens of the sign-in and forgets them",
  options: {},
  async run({ env, print }) {
    const login = await readLogin(env);
    if (!login) throw new Error("Nobody is signed in.");
    await forgetLogin(env);
    const { url, revocation_endpoint, client_id, refresh_token, access_token } = login;
    const isRevoked =
      revocation_endpoint !== undefined &&
      (await revoke(revocation_endpoint, { client_id, token: refresh_token ?? access_token }));
    if (!isRevoked)
      throw new Error(
        `Forgotten here, but not revoked at ${url}; end the app's connection on its page of tokens.`,
      );
    print(`Signed out of ${url}.`, { url });
  },
});

/** RFC 7009. The refresh token takes its access tokens with it. */
const revoke = (endpoint: string, parameters: Readonly<Record<string, string>>): Promise<boolean> =>
  fetch(endpoint, {
    method: "POST",
    body: new URLSearchParams(parameters),
    signal: AbortSignal.timeout(15_000),
  }).then(
    ({ ok }) => ok,
    () => false,
  );

/** The provider ends a sign-in after this long. */
const signInMs = 10 * 60_000;

const page = `<!doctype html><html lang="en"><title>Kept</title><p>You can close this page and return to the terminal.</p></html>`;

type Callback = Readonly<{
  redirectUri: string;
  /** The parameters with which the browser comes back with this state. */
  arrival(state: string): Promise<URLSearchParams>;
  close(): void;
}>;

/** Listens on this computer only, at a port that the system chooses (RFC 8252 §7.3). */
async function openCallback(): Promise<Callback> {
  const server = createServer();
  await new Promise<void>((listening) => server.listen(0, "127.0.0.1", listening));
  const address = server.address();
  const port = typeof address === "object" ? address?.port : undefined;
  return {
    redirectUri: `http://127.0.0.1:${port}/callback`,
    async arrival(state) {
      const tooLate = pause(signInMs, undefined, { ref: false });
      const arrived = await Promise.race([firstArrival(server, state), tooLate]);
      if (!arrived) throw new Error("Nobody signed in within ten minutes.");
      return arrived;
    },
    close: () => void server.close(),
  };
}

/** Other programs of this computer may ask, too; only the provider's answer knows the state. */
const firstArrival = (server: Server, state: string): Promise<URLSearchParams> =>
  new Promise((resolve) => {
    server.on("request", ({ url }, response) => {
      const { pathname, searchParams } = new URL(url ?? "/", "http://127.0.0.1");
      const isOurs = pathname === "/callback" && searchParams.get("state") === state;
      const headers = { "content-type": "text/html; charset=utf-8", connection: "close" };
      response.writeHead(isOurs ? 200 : 404, headers).end(isOurs ? page : "");
      if (isOurs) resolve(searchParams);
    });
  });
