import { createHash, randomBytes, randomUUID } from "node:crypto";
import { rm } from "node:fs/promises";
import { Client } from "pg";
import type { IdentityClient } from "../../../api/auth/identity-client.ts";
import type { News, Tell } from "../../../api/identity/accounts/outbox.ts";
import { startIdentity } from "../../../api/identity/start.ts";
import { type Config, loadConfig } from "../../../shared/process/config.ts";
import { roleUrlsOf } from "../../../shared/process/database-roles.ts";
import { createLog, type Log } from "../../../shared/process/observe/log.ts";
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
  /** The news for the service, if no service runs. */
  news: Omit<News, "id">[];
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

/** Starts a provider on a database of its own; it trusts `ca`, if given. */
export async function startTestIdentity(
  env: Record<string, string> = {},
  { tell, ca }: { tell?: Tell; ca?: string } = {},
): Promise<TestIdentity> {
  const config = loadConfig({
    DATABASE_URL: await createDatabase(),
    REDIS_URL: (await services()).redisUrl,
    DATA_DIR: temporaryFolder("identity"),
    PORT: String(freePort()),
    IDENTITY_PORT: String(freePort()),
    ...env,
  });
  return runIdentity(config, tell, undefined, ca);
}

/** Starts a provider with the settings of a running service; `tell` brings that service news of accounts. */
export async function runIdentity(
  config: Config,
  tell?: Tell,
  log = createLog("identity", "silent"),
  ca?: string,
): Promise<TestIdentity> {
  const news: TestIdentity["news"] = [];
  const note: Tell = async ({ id: _, ...item }) => void news.push(item);
  const databaseUrl = roleUrlsOf(config.databaseUrl).identity;
  const role = await startIdentity({ config: { ...config, databaseUrl }, log, ca }, tell ?? note);
  const { owner_email = "", owner_password = "", owner_token = "" } = role.details ?? {};
  return {
    config,
    log,
    details: role.details ?? {},
    owner: { email: owner_email, password: owner_password, token: owner_token },
    news,
    introspect: (token) => introspect(config, token),
    sql: (statement) => run(config.databaseUrl, statement),
    async stop() {
      await role.stop();
      await rm(config.dataDir, { recursive: true });
    },
  };
}

/** Sets a count of the provider's limits, as so many attempts would. */
export const setCount = ({ sql }: Pick<TestIdentity, "sql">, key: string, points: number) =>
  sql(`insert into identity.throttle (key, points, expire)
    values ('${key}', ${points}, extract(epoch from now() + interval '10 minutes') * 1000)
    on conflict (key) do update set points = excluded.points`);

async function run(url: string, statement: string): Promise<Record<string, unknown>[]> {
  const client = new Client({ connectionString: url });
  await client.connect();
  const { rows } = await client.query(statement);
  await client.end();
  return rows;
}

/** The credentials of the service at the built-in provider, which all of its processes share. */
export async function serviceClient({ databaseUrl }: Pick<Config, "databaseUrl">): Promise<IdentityClient> {
  const [row] = await run(databaseUrl, "select value from identity.secrets where name = 'client'");
  return row?.value as IdentityClient;
}

/** Introspects a token, as the front door does. */
export async function introspect(config: Config, token: string): Promise<Record<string, unknown>> {
  const { id, secret } = await serviceClient(config);
  const response = await fetch(`${config.authUrl}/introspect`, {
    method: "POST",
    headers: { Authorization: `Basic ${btoa(`${id}:${secret}`)}` },
    body: new URLSearchParams({ token, token_type_hint: "access_token" }),
  });
  return response.json() as Promise<Record<string, unknown>>;
}

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

/** The account pages in a second browser, in which the person of the provider's has signed in. */
export async function accountOf(provider: Browser, baseUrl: string): Promise<Browser> {
  const account = createBrowser(baseUrl);
  await account.open((await provider.open((await account.open("/account")).url)).url);
  return account;
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
