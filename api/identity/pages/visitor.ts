import { randomBytes } from "node:crypto";
import type { Context } from "koa";
import type { Session } from "oidc-provider";
import { frame } from "../../web/frame.ts";
import type { Layout } from "../../web/page.ts";
import type { FormRequest, PageHandler, PageRequest } from "../../web/site.ts";
import { type Account, findAccount } from "../accounts/accounts.ts";
import type { IdentityContext } from "../accounts/context.ts";
import {
  type Arrival,
  endAccountSessions,
  endOldestSessions,
  noteBrowser,
  type SignInProof,
  sessionSeconds,
} from "../accounts/sessions.ts";
import { zoneOf } from "../accounts/zones.ts";
import { cookieNames } from "./cookies.ts";
import { knownBrowser } from "./known-browser.ts";

const cookie = { signed: true, httpOnly: true, sameSite: "lax", overwrite: true } as const;

/** One request for a page of the provider, which also needs the Koa context: oidc-provider keeps sessions in it. */
export type IdentityRequest = PageRequest & Readonly<{ identity: IdentityContext; ctx: Context }>;

/** One request with its browser's session and, if somebody is signed in, their account. */
export type Visitor = IdentityRequest &
  FormRequest &
  Readonly<{ session: Session; account: Account | undefined }>;

export type SignedIn = Visitor &
  Readonly<{
    account: Account;
    /** The zone for times on the page. */
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

/** A sign-in of an account in this browser. */
export const arrival = (
  { identity, ctx }: IdentityRequest,
  way: Arrival["way"],
  { email }: Account,
): Arrival => ({
  way,
  isKnown: knownBrowser(identity, ctx, email) !== undefined,
});

/**
 * Starts a session of the account under a fresh id. If somebody else was signed in, their session ends.
 * @param arrival the sign-in; undefined if the session takes the place of one that a new password ended
 * @returns false when the password has changed since it was checked
 */
export async function startSession(
  { identity, ctx }: IdentityRequest,
  proof: SignInProof,
  arrival?: Arrival,
): Promise<boolean> {
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
  await session.save(sessionSeconds);
  await endOldestSessions(identity, accountId);
  ctx.cookies.set(provider.cookieName("session"), session.jti, { ...cookie, maxAge: sessionSeconds * 1_000 });
  return true;
}

/** Lets a session last anew from now on. */
export async function renewSession({ identity: { provider }, ctx, session }: Visitor): Promise<void> {
  await session.save(sessionSeconds);
  ctx.cookies.set(provider.cookieName("session"), session.jti, { ...cookie, maxAge: sessionSeconds * 1_000 });
}

/** Removes the cookie of an ended session from its browser. */
export function dropSessionCookie({ identity: { provider }, ctx }: IdentityRequest): void {
  ctx.cookies.set(provider.cookieName("session"), null, cookie);
}

export const profileFrame = (visitor: SignedIn): Pick<Layout, "nav" | "corner"> =>
  frame(visitor, visitor.identity.config);
