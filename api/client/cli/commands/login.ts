import { spawn } from "node:child_process";
import { createHash, randomBytes } from "node:crypto";
import { mkdir, rm, stat } from "node:fs/promises";
import { createServer, type Server } from "node:http";
import { homedir, hostname } from "node:os";
import { join } from "node:path";
import { setTimeout as pause } from "node:timers/promises";
import { localCommand } from "../command-line.ts";
import { readOwn, writeOwn } from "../memory.ts";

type Access = Readonly<{
  url: string;
  token: string | (() => Promise<string>);
  /** The same for all runs with this token or sign-in. */
  owner: string;
}>;

const addressIn = ({ KEPT_URL }: NodeJS.ProcessEnv): string | undefined =>
  KEPT_URL ? KEPT_URL.replace(/\/+$/, "") : undefined;

const defaultAddress = "http://localhost:3000";

/** The token of the environment, or else the sign-in, unless that is for another address. */
export async function openAccess(env: NodeJS.ProcessEnv): Promise<Access | undefined> {
  const given = addressIn(env);
  const { KEPT_TOKEN: token } = env;
  if (token) return { url: given ?? defaultAddress, token, owner: token };
  const login = await readLogin(env);
  if (!login || (given !== undefined && given !== login.url)) return undefined;
  return { url: login.url, token: currentToken(env), owner: login.client_id };
}

export const loginCommand = localCommand({
  name: "login",
  operands: "[URL]",
  summary: "signs in by the browser; without URL at KEPT_URL",
  async run({ env, print }, [address]) {
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

/** Listens on this computer only, at a port that the system chooses (RFC 8252 §7.3). */
async function openCallback() {
  const server = createServer();
  await new Promise<void>((listening) => server.listen(0, "127.0.0.1", listening));
  const address = server.address();
  const port = typeof address === "object" ? address?.port : undefined;
  return {
    redirectUri: `http://127.0.0.1:${port}/callback`,
    /** The parameters with which the browser comes back with this state. */
    async arrival(state: string): Promise<URLSearchParams> {
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

/** The parts of the metadata of a protected resource and its provider (RFC 9728, RFC 8414) that a sign-in needs. */
type LoginProvider = Readonly<{
  resource: string;
  issuer: string;
  authorization_endpoint: string;
  token_endpoint: string;
  registration_endpoint?: string;
  revocation_endpoint?: string;
}>;

const answerMs = 15_000;

type ProtectedResource = Readonly<{ resource: string; authorization_servers?: readonly string[] }>;

/**
 * Finds the provider of the service. Metadata count only for the address that was asked (RFC 9728 §3.3, RFC 8414 §3.3):
 * otherwise any server could lead the sign-in to another one, and keep its tokens.
 */
async function findProvider(url: string): Promise<LoginProvider> {
  demandSafe(url);
  const service = await fetchJson<ProtectedResource>(`${url}/.well-known/oauth-protected-resource`);
  demandSame(String(service.resource), url);
  const issuer = new URL(demandSafe(String(service.authorization_servers?.[0])));
  const path = issuer.pathname.replace(/\/$/, "");
  const read = fetchJson<Omit<LoginProvider, "resource">>;
  const metadata = await read(`${issuer.origin}/.well-known/oauth-authorization-server${path}`).catch(() =>
    read(`${issuer.origin}${path}/.well-known/openid-configuration`),
  );
  demandSame(metadata.issuer, issuer.href);
  for (const [name, address] of Object.entries(metadata))
    if (name.endsWith("_endpoint")) demandSafe(String(address));
  return { ...metadata, resource: String(service.resource) };
}

function demandSame(named: string, asked: string): void {
  if (URL.parse(named)?.href.replace(/\/$/, "") !== URL.parse(asked)?.href.replace(/\/$/, ""))
    throw new Error(`${asked} says that it is ${named}. Sign in there, if that is the service you mean.`);
}

const loopbackHosts = ["localhost", "127.0.0.1", "[::1]"];

/** @throws unless nobody between can read what is sent to the address */
function demandSafe(address: string): string {
  const { protocol, hostname = "" } = URL.parse(address) ?? {};
  if (protocol === "https:" || (protocol === "http:" && loopbackHosts.includes(hostname))) return address;
  throw new Error(`${address} is no https address, so others could read the sign-in. Use one, or a token.`);
}

/** Registers this computer's command line as an app of its own (RFC 7591). */
async function register(
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
async function fetchJson<Body = Record<string, unknown>>(
  address: string,
  init: RequestInit = {},
): Promise<Body> {
  const response = await fetch(address, { ...init, signal: AbortSignal.timeout(answerMs) }).catch(
    (error: Error) => {
      throw new Error(`${new URL(address).origin} does not answer (${error.message}).`, { cause: error });
    },
  );
  const body = await response
    .text()
    .then(JSON.parse)
    .catch(() => ({}));
  if (!response.ok)
    throw new Error(String(body.error_description ?? body.error ?? `${address}: HTTP ${response.status}`));
  return body;
}

type Fresh = Pick<Login, "access_token" | "expires_at"> & Readonly<{ refresh_token?: string }>;

/** A token is renewed this long before its end, so that no request arrives with an old one. */
const reserveMs = 60_000;

/** Asks the token endpoint, as a public client. */
async function requestTokens(endpoint: string, parameters: Readonly<Record<string, string>>): Promise<Fresh> {
  const body = new URLSearchParams(parameters);
  const { access_token, refresh_token, expires_in } = await fetchJson(endpoint, { method: "POST", body });
  return {
    access_token: String(access_token),
    expires_at: Date.now() + Number(expires_in ?? 3_600) * 1_000,
    ...(typeof refresh_token === "string" && { refresh_token }),
  };
}

/** The access token of the sign-in, renewed if it is about to end. */
const currentToken = (env: NodeJS.ProcessEnv) => async (): Promise<string> => {
  const login = await readLogin(env);
  if (login && isFresh(login)) return login.access_token;
  return alone(env, async () => {
    // Another run may have renewed it meanwhile.
    const latest = await readLogin(env);
    if (latest && isFresh(latest)) return latest.access_token;
    const renewed = latest && (await renew(latest));
    if (!renewed) throw new Error("The sign-in has ended. Sign in again with kept login.");
    await writeLogin(env, renewed);
    return renewed.access_token;
  });
};

const isFresh = ({ expires_at }: Login): boolean => Date.now() < expires_at - reserveMs;

/** @returns undefined if the provider lets nothing be renewed */
async function renew(login: Login): Promise<Login | undefined> {
  const { refresh_token, client_id, resource, token_endpoint } = login;
  if (refresh_token === undefined) return undefined;
  const parameters = { grant_type: "refresh_token", refresh_token, client_id, resource };
  try {
    return { ...login, ...(await requestTokens(token_endpoint, parameters)) };
  } catch (error) {
    const reason = error instanceof Error ? error.message : error;
    throw new Error(
      `The sign-in could not be renewed (${reason}). If it has ended, sign in again with kept login.`,
    );
  }
}

type Login = Readonly<{
  url: string;
  client_id: string;
  resource: string;
  token_endpoint: string;
  revocation_endpoint?: string;
  access_token: string;
  refresh_token?: string;
  /** Epoch milliseconds. */
  expires_at: number;
}>;

const pathIn = (env: NodeJS.ProcessEnv): string =>
  join(env.XDG_CONFIG_HOME || join(homedir(), ".config"), "kept", "login.json");

/** @returns undefined when nobody is signed in */
async function readLogin(env: NodeJS.ProcessEnv): Promise<Login | undefined> {
  const text = await readOwn(pathIn(env));
  return text === undefined ? undefined : JSON.parse(text);
}

const writeLogin = (env: NodeJS.ProcessEnv, login: Login): Promise<void> =>
  writeOwn(pathIn(env), JSON.stringify(login));

const forgetLogin = (env: NodeJS.ProcessEnv): Promise<void> => rm(pathIn(env), { force: true });

/** Longer than a renewal takes; a lock that is older was left by a run that ended in its middle. */
const staleMs = 30_000;

/** Runs one at a time on this computer, because a refresh token works once and a second use ends the sign-in. */
async function alone<Result>(env: NodeJS.ProcessEnv, run: () => Promise<Result>): Promise<Result> {
  const lock = `${pathIn(env)}.lock`;
  while (!(await isTaken(lock))) await pause(50);
  try {
    return await run();
  } finally {
    await rm(lock, { recursive: true, force: true });
  }
}

async function isTaken(lock: string): Promise<boolean> {
  try {
    await mkdir(lock);
    return true;
  } catch (error) {
    if (!(error instanceof Error && "code" in error && error.code === "EEXIST")) throw error;
  }
  const made = await stat(lock).catch(() => undefined);
  if (made && Date.now() - made.mtimeMs > staleMs) await rm(lock, { recursive: true, force: true });
  return false;
}
