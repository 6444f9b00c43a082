import { randomBytes } from "node:crypto";
import type { Context } from "koa";
import type { Session } from "oidc-provider";
import { csrfHolds, csrfToken } from "../../../shared/web/csrf.ts";
import { type Html, html, type NavLink } from "../../../shared/web/html.ts";
import { type Account, findAccount } from "../accounts/accounts.ts";
import type { Identity } from "../accounts/context.ts";
import { sessionSeconds } from "../oauth/provider.ts";
import { cookieNames } from "./cookies.ts";

const MAX_FORM_BYTES = 16_384;
const cookie = { signed: true, httpOnly: true, sameSite: "lax", overwrite: true } as const;

/** Who looks at a page: the session of this browser and, when signed in, its account. */
export type Visitor = Readonly<{
  session: Session;
  account: Account | undefined;
  /** What form tokens are bound to: the session, or for strangers a cookie. */
  holder: string;
}>;

export async function visitorOf(identity: Identity, ctx: Context): Promise<Visitor> {
  const { provider, pool } = identity;
  const session = await provider.Session.get(ctx);
  const account = session.accountId ? await findAccount(pool, session.accountId) : undefined;
  return { session, account, holder: account ? session.uid : browserOf(identity, ctx) };
}

function browserOf({ config }: Identity, ctx: Context): string {
  const name = cookieNames(config).browser;
  const known = ctx.cookies.get(name, cookie);
  if (known) return known;
  const browser = randomBytes(16).toString("base64url");
  ctx.cookies.set(name, browser, cookie);
  return browser;
}

/** The hidden field that every form carries. */
export function formToken({ keys }: Identity, { holder }: Visitor): Html {
  return html`<input type="hidden" name="csrf" value="${csrfToken(keys.forms, holder)}">`;
}

/** Reads a posted form. Answers 403 when it was not sent by our own page in this browser. */
export async function readForm(identity: Identity, ctx: Context, visitor: Visitor): Promise<URLSearchParams> {
  const origin = ctx.get("origin");
  if (origin && origin !== new URL(identity.config.authUrl).origin) return ctx.throw(403, strangeForm);
  if (!ctx.is("urlencoded")) return ctx.throw(415, "Forms are sent as application/x-www-form-urlencoded.");
  const form = new URLSearchParams(await readText(ctx));
  if (!csrfHolds(identity.keys.forms, visitor.holder, form.get("csrf") ?? "")) {
    return ctx.throw(403, strangeForm);
  }
  return form;
}

const strangeForm = "This form is too old or was not sent from this page. Go back, reload it and try again.";

async function readText(ctx: Context): Promise<string> {
  const chunks: Buffer[] = [];
  let size = 0;
  for await (const chunk of ctx.req) {
    size += chunk.length;
    if (size > MAX_FORM_BYTES) return ctx.throw(413, "That is too much text for this form.");
    chunks.push(chunk);
  }
  return Buffer.concat(chunks).toString("utf8");
}

/** Signs the account in, under a fresh session id. A session of somebody else ends. */
export async function signIn({ provider }: Identity, ctx: Context, accountId: string): Promise<void> {
  let session = await provider.Session.get(ctx);
  if (session.accountId && session.accountId !== accountId) {
    await session.destroy();
    session = new provider.Session();
  }
  session.loginAccount({ accountId });
  session.resetIdentifier();
  await session.save(sessionSeconds);
  ctx.cookies.set(provider.cookieName("session"), session.jti, { ...cookie, maxAge: sessionSeconds * 1_000 });
}

/** Ends this browser's session. Connected apps and tokens stay. */
export async function signOut({ provider }: Identity, ctx: Context, { session }: Visitor): Promise<void> {
  await session.destroy();
  ctx.cookies.set(provider.cookieName("session"), null, cookie);
}

/** The frame of a signed-in page: where one can go, and the way out. */
export function frame(
  identity: Identity,
  visitor: Visitor,
  current?: string,
): { nav: NavLink[]; corner: Html } {
  const links = [
    { href: `${identity.config.baseUrl}/account`, label: "Today" },
    { href: "/profile/api-tokens", label: "Tokens and apps" },
    { href: "/profile", label: "Account" },
  ];
  return {
    nav: links.map((link) => ({ ...link, current: link.href === current })),
    corner: html`<form method="post" action="/sign-out">${formToken(identity, visitor)}
      <button class="link">Sign out</button></form>`,
  };
}
