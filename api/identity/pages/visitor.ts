import { randomBytes } from "node:crypto";
import type { Context } from "koa";
import type { Session } from "oidc-provider";
import type { Config } from "../../../shared/process/config.ts";
import { hashedKey } from "../../auth/token-format.ts";
import { frame } from "../../web/frame.ts";
import { type Layout, page } from "../../web/page.ts";
import type { FormRequest, PageHandler, PageRequest } from "../../web/site.ts";
import { type Account, findAccount, zoneOf } from "../accounts/accounts.ts";
import type { IdentityContext, ProviderContext } from "../accounts/context.ts";
import {
  type Arrival,
  endAccountSessions,
  endOldestSessions,
  noteBrowser,
  type SignInProof,
  sessionSeconds,
} from "../accounts/sessions.ts";

export const cookie = { signed: true, httpOnly: true, sameSite: "lax", overwrite: true } as const;

/** One request for a page of the provider, which also needs the Koa context: oidc-provider keeps sessions in it. */
export type IdentityRequest = PageRequest & Readonly<{ identity: ProviderContext; ctx: Context }>;

/** One request with its browser's session and, if somebody is signed in, their account. */
export type Visitor = IdentityRequest &
  FormRequest &
  Readonly<{ session: Session; account: Account | undefined }>;

export type SignedIn = Visitor &
  Readonly<{
    account: Account;
    zone: string;
  }>;

/** Finds the session and account of a request. Strangers get a cookie that their forms are bound to. */
export async function visitorOf(request: IdentityRequest): Promise<Visitor> {
  const { identity, ctx } = request;
  const session = await identity.provider.Session.get(ctx);
  const account = session.accountId ? await findAccount(identity.pool, session.accountId) : undefined;
  if (!account) return { ...request, session, account, holder: browserOf(identity, ctx) };
  return { ...request, session, account, holder: session.uid, owner: account.id };
}

/** Wraps a page that is open to anybody and depends on whether they are signed in. */
export function asVisitor(show: PageHandler<Visitor>): PageHandler<IdentityRequest> {
  return async (request) => show(await visitorOf(request));
}

/** @returns undefined when nobody is signed in */
export async function signedInVisitor(request: IdentityRequest): Promise<SignedIn | undefined> {
  const { account, ...visitor } = await visitorOf(request);
  return account && { ...visitor, account, zone: await zoneOf(request.identity, account) };
}

function browserOf({ config }: IdentityContext, ctx: Context): string {
  const name = cookieNames(config).browser;
  const known = ctx.cookies.get(name, cookie);
  if (known) return known;
  const browser = randomBytes(16).toString("base64url");
  ctx.cookies.set(name, browser, cookie);
  return browser;
}

/**
 * Signs an account in, and remembers that it was here.
 * @param account with the hash of its password if that was checked
 * @returns false when the password has changed since
 */
export async function signInHere(
  request: IdentityRequest,
  account: Account & Pick<SignInProof, "passwordHash">,
  way: Arrival["way"],
): Promise<boolean> {
  const { id: accountId, email, passwordHash } = account;
  const isKnown = way === "sign-up" || knownBrowser(request, email) !== undefined;
  if (!(await startSession(request, { accountId, passwordHash }, { way, isKnown }))) return false;
  rememberBrowser(request, email);
  return true;
}

/**
 * Starts a session of the account under a fresh id. If somebody else was signed in, their session ends.
 * @param arrival the sign-in; undefined if the session takes the place of one that a new password ended
 * @returns false when the password has changed since it was checked
 */
export async function startSession(
  request: IdentityRequest,
  proof: SignInProof,
  arrival?: Arrival,
): Promise<boolean> {
  const { identity, ctx } = request;
  const { provider } = identity;
  const { accountId } = proof;
  let session = await provider.Session.get(ctx);
  if (session.accountId && session.accountId !== accountId) {
    await endAccountSessions(identity, session.accountId, { only: session.uid });
    session = new provider.Session();
  }
  const browser = { uid: session.uid, userAgent: ctx.get("user-agent") };
  if (!(await noteBrowser(identity, proof, browser, arrival))) return false;
  session.loginAccount({ accountId });
  session.resetIdentifier();
  await saveSession(request, session);
  await endOldestSessions(identity, accountId);
  return true;
}

/** Saves a session, which lasts anew from now on. */
export async function saveSession({ identity, ctx }: IdentityRequest, session: Session): Promise<void> {
  await session.save(sessionSeconds);
  const options = { ...cookie, maxAge: sessionSeconds * 1_000 };
  ctx.cookies.set(cookieNames(identity.config).session, session.jti, options);
}

export const dropSessionCookie = ({ identity, ctx }: IdentityRequest) =>
  void ctx.cookies.set(cookieNames(identity.config).session, null, cookie);

/** Answers a signed-in person with a page that has the navigation. */
export const framedPage = (
  visitor: SignedIn,
  content: Layout,
  options?: Parameters<typeof page>[2],
): Response => page(visitor.site, { ...content, ...frame(visitor, visitor.identity.config) }, options);

/** The id of the session that a request's cookie names. It cannot be guessed, so it needs no signature. */
export const sessionIdIn = (headers: Headers, config: Pick<Config, "authUrl">): string =>
  new Bun.CookieMap(headers.get("cookie") ?? "").get(cookieNames(config).session) ?? "";

/** The provider's cookies. With https, those of the whole site have a prefix that no subdomain can set. */
export function cookieNames({ authUrl }: Pick<Config, "authUrl">) {
  const isSecure = authUrl.startsWith("https:");
  const site = isSecure ? "__Host-" : "";
  const path = isSecure ? "__Secure-" : "";
  return {
    session: `${site}kept_session`,
    browser: `${site}kept_browser`,
    known: `${site}kept_known`,
    interaction: `${path}kept_interaction`,
    resume: `${path}kept_resume`,
    newToken: `${path}kept_new_token`,
  };
}

const yearMs = 365 * 24 * 60 * 60 * 1_000;

/** @returns the id of this browser; undefined when the account of this e-mail address never signed in here */
export function knownBrowser({ identity, ctx }: IdentityRequest, email: string): string | undefined {
  const [id, of] = (ctx.cookies.get(cookieNames(identity.config).known, cookie) ?? "").split(".");
  return id && of === hashedKey(email) ? id : undefined;
}

/**
 * Remembers that the account signed in here. The cookie grants no access: attempts in this browser are counted apart
 * from those of strangers (OWASP, "Slow Down Online Guessing Attacks with Device Cookies").
 */
function rememberBrowser({ identity, ctx }: IdentityRequest, email: string): void {
  const known = `${randomBytes(16).toString("base64url")}.${hashedKey(email)}`;
  ctx.cookies.set(cookieNames(identity.config).known, known, { ...cookie, maxAge: yearMs });
}
