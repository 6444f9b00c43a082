import { createHash, randomBytes, randomUUID } from "node:crypto";
import { rm } from "node:fs/promises";
import { Pool } from "pg";
import type { News, Tell } from "../../../api/identity/accounts/outbox.ts";
import { findToken } from "../../../api/identity/tokens.ts";
import { startApi } from "../../../api/start.ts";
import { type Config, loadConfig } from "../../../shared/process/config.ts";
import { createLog, type Log } from "../../../shared/process/observe/log.ts";
import { asRole } from "../../harness.ts";
import { temporaryFolder } from "../folder.ts";
import { once } from "../once.ts";
import { type Mailbox, startMailbox } from "../servers/mailbox.ts";
import { createDatabase, freePort, services } from "../servers/services.ts";
import { type Browser, createBrowser, newAddress, type Page } from "./browser.ts";

export type TestIdentity = {
  config: Config;
  log: Log;
  /** The facts that the supervisor gets at the start. */
  details: Readonly<Record<string, string>>;
  owner: { email: string; password: string; token: string };
  /** The news for the workers, if none run. */
  news: Omit<News, "id">[];
  /** Looks into a token, as the front door does. */
  introspect(token: string): Promise<Record<string, unknown>>;
  sql(statement: string): Promise<Record<string, unknown>[]>;
  stop(): Promise<void>;
};

/** The provider that the files of this process share. */
export const useIdentity = (): Promise<TestIdentity> => once("provider", () => startTestIdentity());

/** Another one, which sends its mail to a mailbox. */
export const useIdentityWithMail = () =>
  once("provider with mail", async () => {
    const mailbox = await startMailbox();
    const env = { SMTP_URL: mailbox.url, MAIL_FROM: "Kept <kept@example.net>" };
    return { mailbox, identity: await startTestIdentity(env) };
  });

type Options = Readonly<{ tell?: Tell; ca?: string; log?: Log }>;

/** Starts a front door with its provider, and no workers, on a database of its own; it trusts `ca`, if given. */
export async function startTestIdentity(
  env: Record<string, string> = {},
  options: Options = {},
): Promise<TestIdentity> {
  const config = loadConfig({
    DATABASE_URL: await createDatabase(),
    REDIS_URL: (await services()).redisUrl,
    DATA_DIR: temporaryFolder("identity"),
    PORT: String(freePort()),
    QUEUE_PREFIX: `test-${randomUUID()}`,
    ...env,
  });
  return runIdentity(config, options);
}

/** The same with given settings. */
export async function runIdentity(
  config: Config,
  { tell, log = createLog("identity", "silent"), ca }: Options = {},
): Promise<TestIdentity> {
  const news: TestIdentity["news"] = [];
  const note: Tell = async ({ id: _, ...item }) => void news.push(item);
  const trusted = ca === undefined ? {} : { ca };
  const door = await startApi({ config: asRole(config, "door"), log, tell: tell ?? note, ...trusted });
  return identityOf({ config, details: { ...door.details } }, { news, log, stop: door.stop });
}

/** The view that tests have of a front door's provider. */
export function identityOf(
  { config, details }: Pick<TestIdentity, "config" | "details">,
  { stop, ...parts }: Pick<TestIdentity, "news" | "log" | "stop">,
): TestIdentity {
  const { owner_email = "", owner_password = "", owner_token = "" } = details;
  const pool = new Pool({ connectionString: config.databaseUrl, max: 1, allowExitOnIdle: true });
  return {
    ...parts,
    config,
    details,
    owner: { email: owner_email, password: owner_password, token: owner_token },
    async introspect(token) {
      const claims = await findToken(pool, config.authAudience, token);
      return { active: claims !== undefined, ...claims };
    },
    sql: async (statement) => (await pool.query(statement)).rows,
    async stop() {
      await pool.end();
      await stop();
      await rm(config.dataDir, { recursive: true });
    },
  };
}

/** Sets a count of the provider's limits, as so many attempts would. */
export const setCount = ({ sql }: Pick<TestIdentity, "sql">, key: string, points: number) =>
  sql(`insert into identity.throttle (key, points, expire)
    values ('${key}', ${points}, extract(epoch from now() + interval '10 minutes') * 1000)
    on conflict (key) do update set points = excluded.points`);

export const password = "correct horse battery";

/** Sends the sign-in form; right answers lead to the profile. */
export async function signIn(
  { authUrl }: Pick<Config, "authUrl">,
  email: string,
  secret = password,
  browser = createBrowser(authUrl),
  answers: Record<string, string> = {},
) {
  const form = await browser.open("/sign-in?next=/profile");
  const page = await browser.submit(form, "/sign-in", { email, password: secret, ...answers });
  return { browser, page };
}

export const isSignedIn = async (browser: Browser) =>
  (await browser.open("/profile")).url.endsWith("/profile");

/** Sets the current password on the page of the profile. */
export async function changePassword(browser: Browser, answers: Record<string, string>): Promise<Page> {
  return browser.submit(await browser.open("/profile"), "/profile/password", { password, ...answers });
}

/** The secret of a token that a page shows. */
export const tokenIn = ({ text }: Page): string => /class="secret">([^<]+)</.exec(text)?.[1] ?? "";

/** A browser in which a new account is signed in; `answers` are further fields of the form. */
export async function signedUp(
  config: Pick<Config, "authUrl">,
  email = `${randomUUID()}@example.org`,
  answers: Record<string, string> = {},
): Promise<Browser> {
  const browser = createBrowser(config.authUrl);
  const page = await browser.open("/sign-up");
  await browser.submit(page, "/sign-up", { email, password, ...answers });
  return browser;
}

/** The same if mail is sent: opens the mailed link, then enters the password once more. */
export async function signedUpByMail(
  config: Config,
  mailbox: Mailbox,
  email: string,
  answers: Record<string, string> = {},
): Promise<Browser> {
  const browser = await signedUp(config, email, answers);
  const page = await browser.open(newestLink(mailbox, email));
  await browser.submit(page, "/sign-up/finish", { password });
  return browser;
}

/** Makes a token of all scopes on the page of a browser without scripts. */
export async function tokenByForm(provider: Browser, name: string): Promise<string> {
  const form = await provider.open("/profile/api-tokens");
  const made = await provider.submit(form, "/profile/api-tokens", { name, days: "30", preset: "all" });
  const token = tokenIn(made);
  if (!token) throw new Error(`The identity provider gave no token: ${made.status} ${made.text}`);
  return token;
}

/** The link in the newest mail to an address. */
export function newestLink({ mails }: Mailbox, email: string): string {
  const mail = mails.filter(({ to }) => to.includes(email)).at(-1);
  return /http\S+token=[\w-]{43}/.exec(mail?.source ?? "")?.[0] ?? "no link";
}

/** Sends a registration as it is. */
export const register = (
  { authUrl }: Pick<Config, "authUrl">,
  metadata: Record<string, unknown>,
  client = newAddress(),
): Promise<Response> =>
  fetch(`${authUrl}/register`, {
    method: "POST",
    headers: { "Content-Type": "application/json", "X-Forwarded-For": client },
    body: JSON.stringify(metadata),
  });

/** Registers an app that runs on this computer. Returns its client id. */
export async function registerApp(config: Config, metadata: Record<string, unknown> = {}): Promise<string> {
  const usual = { client_name: "Test agent", redirect_uris: ["http://127.0.0.1/callback"] };
  const answer = await register(config, { ...usual, ...metadata });
  return ((await answer.json()) as { client_id: string }).client_id;
}

export const redirectUri = "http://127.0.0.1:49152/callback";

export type AuthorizationRequest = { address: string; verifier: string };

/** An authorization request with PKCE. */
export function authorizationRequest(config: Config, params: Record<string, string>): AuthorizationRequest {
  const verifier = randomBytes(32).toString("base64url");
  const query = new URLSearchParams({
    response_type: "code",
    redirect_uri: redirectUri,
    state: "s",
    code_challenge: createHash("sha256").update(verifier).digest("base64url"),
    code_challenge_method: "S256",
    resource: `${config.baseUrl}/mcp`,
    ...params,
  });
  return { address: `/authorize?${query}`, verifier };
}

export type Tokens = { access_token: string; refresh_token: string; scope: string; error?: string };

/** Posts to the token endpoint. */
export async function tokenRequest(config: Config, params: Record<string, string>): Promise<Tokens> {
  const response = await fetch(`${config.authUrl}/token`, {
    method: "POST",
    body: new URLSearchParams(params),
  });
  return response.json() as Promise<Tokens>;
}

/** Answers a consent screen; `scopes` are the boxes that stay ticked (all, if left out). */
export function consent(browser: Browser, page: Page, scopes?: string[]): Promise<Page> {
  return browser.submit(page, new URL(page.url).pathname, {
    answer: "allow",
    ...(scopes && { scope: scopes }),
  });
}

/** Authorization code and PKCE, end to end, by a signed-in browser. */
export async function connect(
  config: Config,
  browser: Browser,
  { clientId, scope, ticked }: { clientId: string; scope: string; ticked?: string[] },
): Promise<Tokens> {
  const { address, verifier } = authorizationRequest(config, { client_id: clientId, scope });
  const back = await consent(browser, await browser.open(address), ticked);
  return tokenRequest(config, {
    grant_type: "authorization_code",
    client_id: clientId,
    redirect_uri: redirectUri,
    code: new URL(back.url).searchParams.get("code") ?? "",
    code_verifier: verifier,
  });
}
